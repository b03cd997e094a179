/**
 * Refinement: is what an implementation did a behaviour of the model?
 *
 * A {@link recorder} around a World writes a trace, {@link readTrace} reads it strictly, {@link validate} holds it against
 * the protocol model, and {@link exploreOverlap} drives the real runtime through every interleaving of an overlap and validates
 * each.
 *
 * @module
 */

export type { Move, Touches } from "./explore/Moves.ts"
export {
  type ExplorationReport,
  exploreOverlap,
  interpreter,
  leavesChoice,
  type OverlapFinding,
  type OverlapOptions,
  scenarioOf
} from "./explore/Overlap.ts"
export {
  type Execution,
  type Explored,
  follow,
  type Grant,
  type Schedule,
  ScheduleDiverged,
  type SearchCounts,
  type System,
  sample,
  search
} from "./explore/Search.ts"
export { type Outcome, type Scenario, type Services, simulate } from "./explore/Simulation.ts"
export type { Difference } from "./mapping/Match.ts"
export { type Mapping, mappingOf, mappings } from "./mapping/Table.ts"
export { type RecordError, type Recorded, type RecordOptions, recordRun } from "./Record.ts"
export { parseTrace, TraceUnreadable } from "./trace/Read.ts"
export { readTrace } from "./trace/ReadFile.ts"
export { bodyRecorder, recorded, recorder } from "./trace/Recorder.ts"
export { fileSink, formatTrace, type MemorySink, memorySink, type Sink, TraceUnwritable } from "./trace/Sink.ts"
export * from "./trace/Trace.ts"
export * from "./Validate.ts"
export { showVerdict, verdictJson } from "./validate/Show.ts"
