/**
 * The model checker: a spec language that reads like TLA+, and an engine that explores every behaviour of a spec.
 *
 * It knows nothing of any protocol. {@link check} answers once with a report, {@link explore} streams progress on the
 * way to it, and {@link Behaviours} walks a spec's behaviours by hand.
 *
 * @module
 */
export type { ParameterValues } from "./ActionUnit.ts"
export * as Behaviours from "./Behaviours.ts"
export type { PropertyKind } from "./Conjunct.ts"
export type { Counterexample, FairnessShown, Lasso, Step } from "./Counterexample.ts"
export { type Estimate, type EstimateOptions, estimate } from "./Estimate.ts"
export { estimateJson, showEstimate } from "./EstimateText.ts"
export { check, explore, type Options } from "./Explore.ts"
export * from "./Language.ts"
export type { LassoVerdict } from "./LassoVerdict.ts"
export type { SizeRange } from "./LevelGrowth.ts"
export { differences, needsAllStates } from "./Manifest.ts"
export { type Follow, type Replay, type ReplayedFailure, replay, type Stop } from "./Replay.ts"
export { replayJson, showReplay } from "./ReplayText.ts"
export {
  type Coverage,
  type Progress,
  type Report,
  reportJson,
  showCounterexample,
  showReport,
  type Verdict
} from "./Report.ts"
export { readSavedTrace, type SavedStep, type SavedTrace, TraceMalformed } from "./SavedTrace.ts"
export type { Brevity } from "./Shorten.ts"
export { showValue } from "./Show.ts"
export {
  type SimulationOptions,
  type SimulationProgress,
  type SimulationReport,
  simulate,
  simulation
} from "./Simulate.ts"
export { showSimulation, simulationJson } from "./SimulationText.ts"
export {
  EvaluationFailed,
  InvalidSpec,
  InvalidUpdate,
  InvalidValue,
  isSpecError,
  type SpecError,
  StateMutated
} from "./SpecError.ts"
export type { TemporalForm } from "./Temporal.ts"
export type { Failure } from "./Verdict.ts"
