/**
 * Workflow programs as data: what a run does, shared by the model and the implementation.
 *
 * @module
 */
export * from "./Program.ts"
export * from "./Programs.ts"
export * from "./Replay.ts"
