/**
 * One attempt of a step: its body is run, and what became of it is turned into the event that says so.
 *
 * ```
 * body returned a value that the log can hold  -> step_completed
 * body threw FatalError, or its value cannot be held -> step_failed
 * body threw anything else -> step_retrying while attempts are left, otherwise step_failed
 * ```
 *
 * Orchestrator and step delivery share this; they differ in who writes the event, and what follows it.
 *
 * Rules: STEP-11, STEP-12, STEP-25, STEP-61, ONCE-12.
 *
 * @module
 */
import { Cause, Clock, Effect, Exit, Schema } from "effect"
import type { WorkflowMetadata } from "../workflow/Backend.ts"
import { millisecondsOf } from "../workflow/Duration.ts"
import { DEFAULT_RETRY_DELAY_MS, FatalError, RetryableError } from "../workflow/Failure.ts"
import { type EventError, type EventInput, type MessageMeta, SPEC_VERSION_SINGLE_ORCHESTRATOR } from "../world/index.ts"
import type { BodyHost } from "./BodyHost.ts"
import { deserialize, errorOf, SerializationError, serialize } from "./Serialization.ts"
import { type Attempt, BodyObserver, type BodyOutcome, type StepBody } from "./StepBodies.ts"
import { observedBody } from "./Telemetry.ts"
import { passes } from "./ThrownError.ts"

/** The code of a step that failed because its attempts are used up without an outcome of its own. (STEP-25, STEP-61) */
export const MAX_ATTEMPTS_EXCEEDED = "MAX_ATTEMPTS_EXCEEDED"

/** The code of a run, or a step, whose message was delivered too often. */
export const MAX_DELIVERIES_EXCEEDED = "MAX_DELIVERIES_EXCEEDED"

/** This process has no body for a step of the run; another one, or a later deployment, may. */
export class StepNotRegistered extends Schema.TaggedError<StepNotRegistered>()("StepNotRegistered", {
  runId: Schema.String,
  stepId: Schema.String,
  stepName: Schema.String
}) {
  override get message(): string {
    return `No loaded module defines the step ${JSON.stringify(this.stepName)}, which ${this.stepId} of ${this.runId} calls.`
  }
}

/** What became of an attempt. */
export type AttemptOutcome =
  | { readonly kind: "completed"; readonly result: string }
  | { readonly kind: "failed"; readonly error: EventError }
  | {
      readonly kind: "retry"
      readonly error: EventError
      /** Epoch milliseconds. */
      readonly retryAfter: number
    }

/** An attempt that is over. */
export type Ended = AttemptOutcome & {
  /** The body has returned before all that it wrote to streams was stored. (RUN-44) */
  readonly isFlushing: boolean
  /** The run is known to have ended meanwhile. */
  readonly isForNothing: boolean
}

const afterFailure = (thrown: unknown, now: number): AttemptOutcome => {
  const error = errorOf(thrown)
  if (passes(() => thrown instanceof FatalError || thrown instanceof SerializationError)) {
    return { kind: "failed", error: { ...error, retryable: false } }
  }
  return { kind: "retry", error, retryAfter: dueAt(thrown, now) }
}

/** The last moment that a `Date` can hold, in epoch milliseconds. */
const END_OF_TIME = 8.64e15

/** A text may be a length of time; whether it is one is asked where it is read. */
const isText = (value: unknown): value is `${number}s` => typeof value === "string"

/** When a failed attempt may be followed by another. A time that is none, or that cannot be told, is about a second. */
const dueAt = (thrown: unknown, now: number): number => {
  let at = Number.NaN
  try {
    const after: unknown = thrown instanceof RetryableError ? thrown.retryAfter : DEFAULT_RETRY_DELAY_MS
    if (after instanceof Date) at = after.getTime()
    else if (typeof after === "number") at = now + after
    else if (isText(after)) at = now + millisecondsOf(after, "retryAfter")
  } catch {
    // Thrown by a hostile value while it was asked; what it wanted is unknown.
  }
  return Number.isNaN(at) ? now + DEFAULT_RETRY_DELAY_MS : Math.round(Math.min(Math.max(at, 0), END_OF_TIME))
}

const resultOf = (exit: Exit.Exit<unknown, unknown>, stepName: string, now: number): AttemptOutcome => {
  if (Exit.isFailure(exit)) return afterFailure(Cause.squash(exit.cause), now)
  try {
    return { kind: "completed", result: serialize(exit.value, `The result of the step ${JSON.stringify(stepName)}`) }
  } catch (thrown) {
    return afterFailure(thrown, now)
  }
}

/**
 * Runs a body once, between the observer's two points. Never fails; interrupted when the runtime closes.
 *
 * @param input the step's arguments, serialised.
 * @param workflow the run that the body may ask about.
 */
export const runAttempt = Effect.fnUntraced(function* (
  body: StepBody,
  attempt: Attempt,
  input: string,
  host: BodyHost,
  workflow: WorkflowMetadata
): Effect.fn.Return<Ended> {
  const observer = yield* BodyObserver
  yield* observer.begin(attempt)
  const { metadata, services, streams, close } = yield* host.open(attempt, workflow)
  const exit = yield* Effect.suspend(() => {
    const args = deserialize(input)
    return body.run(Array.isArray(args) ? args : [args], metadata, services)
  }).pipe(observedBody(attempt), Effect.ensuring(Effect.sync(close)), Effect.exit)
  if (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.interrupt
  const outcome = resultOf(exit, attempt.stepName, yield* Clock.currentTimeMillis)
  yield* observer.end(attempt, outcome.kind satisfies BodyOutcome)
  const isFlushing = streams.isPending
  if (isFlushing) yield* host.flush(attempt, streams)
  return { ...outcome, isFlushing, isForNothing: metadata.signal.aborted }
})

/**
 * The event that records an outcome. A failure that another attempt may help fails the step on its last attempt.
 *
 * @param creatorMessageId set by an orchestrator, which thereby moves the step to its own message. (WORLD-19)
 */
export const outcomeEvent = (
  { stepId, stepName, attempt }: Attempt,
  outcome: AttemptOutcome,
  maxRetries: number,
  creatorMessageId?: string
): EventInput => {
  const entity = { specVersion: SPEC_VERSION_SINGLE_ORCHESTRATOR, correlationId: stepId }
  if (outcome.kind === "completed") {
    return { eventType: "step_completed", ...entity, eventData: { stepName, result: outcome.result } }
  }
  const { error } = outcome
  if (outcome.kind === "failed" || attempt >= maxRetries + 1) {
    return { eventType: "step_failed", ...entity, eventData: { stepName, attempt, error } }
  }
  const { retryAfter } = outcome
  const moved = creatorMessageId === undefined ? {} : { creatorMessageId }
  return { eventType: "step_retrying", ...entity, eventData: { stepName, attempt, error, retryAfter, ...moved } }
}

/** The event that fails a step whose message was delivered too often without so much as a start. (SET-05, DEC-29) */
export const stalledEvent = (
  { stepId, stepName, attempt }: Attempt,
  { attempt: deliveries }: MessageMeta,
  cap: number
): EventInput => ({
  eventType: "step_failed",
  specVersion: SPEC_VERSION_SINGLE_ORCHESTRATOR,
  correlationId: stepId,
  eventData: {
    stepName,
    attempt,
    error: {
      name: "FatalError",
      message: `${MAX_DELIVERIES_EXCEEDED}: the message of the step ${JSON.stringify(stepName)} was delivered ${deliveries} times, where ${cap} are allowed, and nothing was written of the step for an hour.`,
      code: MAX_DELIVERIES_EXCEEDED,
      retryable: false
    }
  }
})

/** The event that fails a step whose next attempt is not allowed any more: its body is not run. */
export const exhaustedEvent = ({ stepId, stepName, attempt }: Attempt, maxRetries: number): EventInput => ({
  eventType: "step_failed",
  specVersion: SPEC_VERSION_SINGLE_ORCHESTRATOR,
  correlationId: stepId,
  eventData: {
    stepName,
    attempt,
    error: {
      name: "FatalError",
      message: `The step ${JSON.stringify(stepName)} was started ${attempt - 1} times without an outcome, and may be tried ${maxRetries + 1} times.`,
      code: MAX_ATTEMPTS_EXCEEDED,
      retryable: false
    }
  }
})
