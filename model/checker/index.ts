/**
 * The model checker: a spec language that reads like TLA+, and an engine that explores every behaviour of a spec.
 *
 * It knows nothing of any protocol. {@link check} answers once with a report, {@link explore} streams progress on the
 * way to it, and {@link Behaviours} walks a spec's behaviours by hand.
 *
 * @module
 */
export * as Behaviours from "./Behaviours.ts"
export * from "./Language.ts"
export * from "./SpecError.ts"
export type { Failure } from "./Verdict.ts"
