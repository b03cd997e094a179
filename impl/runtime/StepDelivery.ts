/**
 * One delivery of a step's own message: it runs the step's body and reports to the orchestrator, and never replays.
 *
 * ```
 * plain first delivery, with its input ──────────────────> start, attempt 1
 * any other: LoadLog
 *    ├── the step ended ──────> SendWake, Acknowledge        (whoever wrote the outcome may have died before its wake)
 *    ├── the run ended ───────> Acknowledge
 *    ├── a retry not yet due ─> AskRedelivery for the rest
 *    ├── past its attempts ───> step_failed, SendWake, Acknowledge
 *    └── otherwise ───────────> start, attempt = starts + 1
 * start: step_started, then the body
 *    ├── refused, the run ended ─> Acknowledge
 *    ├── refused, the step ended > SendWake, Acknowledge     (as above: this message came late, or was sent late)
 *    ├── completed or failed ────> outcome, SendWake, Acknowledge
 *    └── to be tried again ──────> step_retrying, SendWake, AskRedelivery when it is due
 * ```
 *
 * Every write is out-of-band. The message lives until the step has an outcome, so a step never has two.
 *
 * Rules: SET-05, SET-06, DEC-29, DEDUPE-06, STEP-05, STEP-20, STEP-21, STEP-22, STEP-23, STEP-24, STEP-25, STEP-26, STEP-28, STEP-29, STEP-30, STEP-31,
 * STEP-70, STEP-71, STEP-74, ONCE-01, ONCE-02, ONCE-03, ONCE-04, ONCE-05, ONCE-09, OOB-01, OOB-02, OOB-03, OOB-04,
 * OOB-12, DEDUPE-10, DEDUPE-13.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import {
  type EventInput,
  type EventStorageError,
  type HandlerResult,
  type MessageMeta,
  type MessageQueueError,
  RunExpiredError,
  SPEC_VERSION_SINGLE_ORCHESTRATOR,
  type WorkflowInvokePayload
} from "../world/index.ts"
import { workflowOf } from "./BodyHost.ts"
import type { DeliverySettings } from "./DeliverySettings.ts"
import { loadLog, type StepFacts } from "./LogState.ts"
import { SendWake } from "./Messages.ts"
import { exhaustedEvent, outcomeEvent, runAttempt, StepNotRegistered, stalledEvent } from "./StepAttempt.ts"
import type { Attempt } from "./StepBodies.ts"

/** The least delay that a step's delivery asks for, in seconds; 0 would be a handoff. */
const SHORTEST_REDELIVERY_SECONDS = 1

/** Why a step's delivery failed; its message is delivered again. What the body throws is an outcome, not a failure. */
export type StepDeliveryError = EventStorageError | MessageQueueError | StepNotRegistered

/** What the log says is to be done; undefined when the step may start. */
type Todo = "acknowledge" | "wake" | "exhausted" | { readonly timeoutSeconds: number } | undefined

const todoOf = (step: StepFacts, runEnded: boolean, maxRetries: number, now: number): Todo => {
  if (step.ended) return "wake"
  if (runEnded) return "acknowledge"
  if (step.retry !== undefined && step.retry.retryAfter > now) return dueIn(step.retry.retryAfter, now)
  return step.starts + 1 > maxRetries + 1 ? "exhausted" : undefined
}

/** For how long a step past the cap must have shown nothing before it is given up. (SET-05) */
const STALL_MS = 3_600_000

/** A step of which nothing was written for so long, and nothing is due: every delivery fails before it starts. (SET-06) */
const isStalled = ({ lastActivityAt, retry }: StepFacts, now: number): boolean =>
  Math.max(lastActivityAt, retry?.retryAfter ?? 0) + STALL_MS <= now

/** The World does not start a step that has its outcome. (DEDUPE-13) */
const hasStepEnded = (error: EventStorageError): boolean =>
  error._tag === "EntityConflictError" && error.conflict === "step-ended"

const dueIn = (at: number, now: number): { readonly timeoutSeconds: number } => ({
  timeoutSeconds: Math.max(SHORTEST_REDELIVERY_SECONDS, (at - now) / 1000)
})

/** Handles one step message. */
export const deliverStep = Effect.fnUntraced(
  function* (
    { world, bodies, host, tuning }: DeliverySettings,
    payload: WorkflowInvokePayload & { readonly stepId: string },
    meta: MessageMeta
  ): Effect.fn.Return<HandlerResult, StepDeliveryError> {
    const { runId, stepId, stepInput, stepAttempt = 1 } = payload
    const isPlainFirst = meta.deliveryCount === 1 && stepAttempt === 1 && payload.stepResent !== true
    const log = isPlainFirst && stepInput !== undefined ? undefined : yield* loadLog(world.events, runId)
    const step = log?.step(stepId)

    const stepName = step?.stepName ?? payload.stepName ?? ""
    const attempt: Attempt = { runId, stepId, stepName, attempt: (step?.starts ?? 0) + 1 }
    const wakeAndAcknowledge = Effect.as(SendWake(world.queue, runId), undefined)
    const CommitOutOfBand = (event: EventInput) => world.events.create(runId, event)

    const body = bodies.lookup(stepName)
    const todo =
      step === undefined || log === undefined
        ? undefined
        : todoOf(step, log.isEnded, body?.maxRetries ?? Number.POSITIVE_INFINITY, yield* Clock.currentTimeMillis)
    if (todo === "acknowledge") return undefined
    if (todo === "wake") return yield* wakeAndAcknowledge
    if (step !== undefined && meta.attempt > tuning.maxQueueDeliveries) {
      if (isStalled(step, yield* Clock.currentTimeMillis)) {
        yield* CommitOutOfBand(stalledEvent(attempt, meta, tuning.maxQueueDeliveries))
        return yield* wakeAndAcknowledge
      }
    }
    if (body === undefined) return yield* new StepNotRegistered(attempt)
    if (todo === "exhausted") {
      yield* CommitOutOfBand(exhaustedEvent(attempt, body.maxRetries))
      return yield* wakeAndAcknowledge
    }
    if (todo !== undefined) return todo

    const input = step?.input ?? stepInput
    if (input === undefined) {
      return yield* Effect.die(new Error(`${runId} has a message for ${stepId}, and its log has no such step.`))
    }
    const isStarted = yield* CommitOutOfBand({
      eventType: "step_started",
      specVersion: SPEC_VERSION_SINGLE_ORCHESTRATOR,
      correlationId: stepId,
      eventData: { stepName, attempt: attempt.attempt }
    }).pipe(
      Effect.as(true),
      Effect.catchIf(hasStepEnded, () => Effect.succeed(false))
    )
    if (!isStarted) return yield* wakeAndAcknowledge
    const outcome = yield* runAttempt(body, attempt, input, host, workflowOf(runId, log?.events[0], payload.runContext))
    const event = outcomeEvent(attempt, outcome, body.maxRetries)
    yield* CommitOutOfBand(event).pipe(
      Effect.catchTag("PayloadTooLargeError", ({ message }) =>
        CommitOutOfBand(
          outcomeEvent(
            attempt,
            { kind: "failed", error: { name: "FatalError", message, retryable: false } },
            body.maxRetries
          )
        )
      )
    )
    yield* SendWake(world.queue, runId)
    return event.eventType === "step_retrying"
      ? dueIn(event.eventData.retryAfter, yield* Clock.currentTimeMillis)
      : undefined
  },
  Effect.catchIf(
    (error) => error instanceof RunExpiredError,
    () => Effect.succeed(undefined)
  )
)
