/**
 * The failures that a World reports, each with the HTTP status and the code that the documents give it.
 *
 * A caller decides by tag: `InBandSupersededError` stops an orchestrator, `RunExpiredError` and
 * `EntityConflictError` are answers about the run, and everything else fails the delivery, which the queue repeats.
 * None of them leaves a slot behind: a World that answers with an error has allocated nothing. (WORLD-33)
 *
 * Rules: WORLD-11, WORLD-33, WORLD-34, WORLD-37, FENCE-01, HOOK-35, HOOK-45.
 *
 * @module
 */
import { Schema } from "effect"

const status = <const Status extends number>(value: Status) => Schema.tag(value)
const code = <const Code extends string>(value: Code) => Schema.tag(value)

/** 412: the writer's count of in-band slots is not the World's. Nothing was written and nothing allocated. */
export class InBandSupersededError extends Schema.TaggedError<InBandSupersededError>()("InBandSupersededError", {
  status: status(412),
  code: code("in-band-superseded"),
  runId: Schema.String,
  /** The count that the writer carried. */
  expectedSeqInBand: Schema.Int,
  /** The World's count; to be shown, never to be adopted. (WORLD-52) */
  seqInBand: Schema.Int
}) {
  override get message(): string {
    return `An in-band write to ${this.runId} expected the in-band count ${this.expectedSeqInBand}, but it is ${this.seqInBand}.`
  }
}

/** 410: the run has ended, and this kind of event may not be appended any more. (WORLD-11) */
export class RunExpiredError extends Schema.TaggedError<RunExpiredError>()("RunExpiredError", {
  status: status(410),
  code: code("run-expired"),
  runId: Schema.String,
  eventType: Schema.String
}) {
  override get message(): string {
    return `${this.runId} has ended and takes no ${this.eventType}.`
  }
}

/**
 * 409: the write contradicts what the World holds. `run-ended`: a hook event or another end for a run that has ended;
 * `duplicate`: a hook or a run's start that exists already; `step-ended`: an out-of-band start of a step that has its
 * outcome (DEDUPE-13); `refused-before`: an item of a batch, behind a refused one of the same step or wait (WORLD-48).
 */
export class EntityConflictError extends Schema.TaggedError<EntityConflictError>()("EntityConflictError", {
  status: status(409),
  code: code("entity-conflict"),
  runId: Schema.String,
  eventType: Schema.String,
  conflict: Schema.Literals(["run-ended", "duplicate", "step-ended", "refused-before"])
}) {
  override get message(): string {
    return `${this.eventType} conflicts with what ${this.runId} already is: ${this.conflict}.`
  }
}

/** 404: no open hook has this token. A hook of an ended run is not open. (HOOK-45) */
export class HookNotFoundError extends Schema.TaggedError<HookNotFoundError>()("HookNotFoundError", {
  status: status(404),
  code: code("hook-not-found"),
  token: Schema.String
}) {
  override get message(): string {
    return `No open hook has the token ${JSON.stringify(this.token)}.`
  }
}

/** 409: the hook's token was taken by force; whoever resumes it looks the token up again. (HOOK-34, HOOK-35) */
export class HookForceClaimedError extends Schema.TaggedError<HookForceClaimedError>()("HookForceClaimedError", {
  status: status(409),
  code: code("hook-force-claimed"),
  token: Schema.String,
  /** The hook that has the token since. */
  claimedBy: Schema.Struct({ runId: Schema.String, hookId: Schema.String })
}) {
  override get message(): string {
    return `The token ${JSON.stringify(this.token)} was taken by ${this.claimedBy.hookId} of ${this.claimedBy.runId}.`
  }
}

/** 404: the World holds no such run. */
export class RunNotFoundError extends Schema.TaggedError<RunNotFoundError>()("RunNotFoundError", {
  status: status(404),
  code: code("run-not-found"),
  runId: Schema.String
}) {
  override get message(): string {
    return `There is no run ${this.runId}.`
  }
}

/** 413: an event, a batch, a message or a chunk is larger than the World stores. Nothing was written. */
export class PayloadTooLargeError extends Schema.TaggedError<PayloadTooLargeError>()("PayloadTooLargeError", {
  status: status(413),
  code: code("payload-too-large"),
  /** What was too large. */
  subject: Schema.Literals(["event", "batch", "message", "chunk"]),
  /** Bytes of the encoded text, and the largest number that is stored. */
  bytes: Schema.Int,
  limit: Schema.Int
}) {
  override get message(): string {
    return `The ${this.subject} has ${this.bytes} bytes; this World stores at most ${this.limit}.`
  }
}

/**
 * Any other refusal or failure, with its status: 400 when the call itself is wrong, 5xx when the World could not do it.
 * `code` says which: `missing-in-band-count`, `locked`, `corrupt`, `disk-full`, `not-a-database`, `newer-schema`,
 * `directory-missing`, `unavailable` and the like.
 */
export class WorkflowWorldError extends Schema.TaggedError<WorkflowWorldError>()("WorkflowWorldError", {
  status: Schema.Int,
  code: Schema.String,
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** Every failure of an event storage call. */
export type EventStorageError =
  | InBandSupersededError
  | RunExpiredError
  | EntityConflictError
  | HookNotFoundError
  | HookForceClaimedError
  | RunNotFoundError
  | PayloadTooLargeError
  | WorkflowWorldError

/** Every failure of a queue call. */
export type MessageQueueError = PayloadTooLargeError | WorkflowWorldError
