/**
 * Why a log could not be replayed.
 *
 * None of these is the workflow's own failure (that is a decision, `run_failed`): the code does not fit the log, or does
 * not come to rest, or the log cannot be read.
 *
 * Rules: RUN-33.
 *
 * @module
 */
import { Schema } from "effect"

/** The log holds an event of a call that the code did not make, or made otherwise. */
export class ReplayDivergence extends Schema.TaggedError<ReplayDivergence>()("ReplayDivergence", {
  runId: Schema.String,
  slot: Schema.Int,
  eventType: Schema.String,
  correlationId: Schema.String,
  /** What the log says of the call, and what the code did at that id. */
  logged: Schema.String,
  made: Schema.String
}) {
  override get message(): string {
    return `The log of ${this.runId} does not fit the workflow's code: slot ${this.slot} (${this.eventType}) is about ${this.correlationId}, ${this.logged}, but the code made ${this.made}. The code has changed since, or does not do the same on every replay.`
  }
}

/** Workflow code ran on and on between two events. */
export class ReplayRunaway extends Schema.TaggedError<ReplayRunaway>()("ReplayRunaway", {
  runId: Schema.String,
  /** The bound that was passed, such as `300 ms`. */
  bound: Schema.String
}) {
  override get message(): string {
    return `The workflow code of ${this.runId} did not come to rest within ${this.bound}: it loops, or does work that belongs into a step.`
  }
}

/** Workflow code used up the memory that it may have. */
export class ReplayOutOfMemory extends Schema.TaggedError<ReplayOutOfMemory>()("ReplayOutOfMemory", {
  runId: Schema.String,
  /** The bound that was passed, such as `512 MiB`. */
  limit: Schema.String
}) {
  override get message(): string {
    return `The workflow code of ${this.runId} needs more memory than the ${this.limit} that there are for it: it collects what belongs into steps, or grows without end.`
  }
}

/** An event's text is no value that the runtime wrote. */
export class ReplayUnreadable extends Schema.TaggedError<ReplayUnreadable>()("ReplayUnreadable", {
  runId: Schema.String,
  slot: Schema.Int,
  reason: Schema.String
}) {
  override get message(): string {
    return `Slot ${this.slot} of the log of ${this.runId} cannot be read: ${this.reason}`
  }
}

/** Workflow code has changed built-ins that its own replay needs, such as `JSON` or `Object.prototype`. */
export class ReplayTampered extends Schema.TaggedError<ReplayTampered>()("ReplayTampered", {
  runId: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `The workflow code of ${this.runId} has changed built-ins of its context that replay needs: ${this.reason}`
  }
}

/** A workflow's module could not be bundled, or threw while it was loaded. */
export class WorkflowLoadError extends Schema.TaggedError<WorkflowLoadError>()("WorkflowLoadError", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `${this.file} cannot be loaded as a workflow: ${this.reason}`
  }
}

/** Every reason for which a log cannot be replayed by the code that is loaded. */
export type ReplayError =
  | ReplayDivergence
  | ReplayOutOfMemory
  | ReplayRunaway
  | ReplayTampered
  | ReplayUnreadable
  | WorkflowLoadError
