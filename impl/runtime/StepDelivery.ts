/**
 * One delivery of a step's own message: it runs the step's body and reports to the orchestrator, and never replays.
 *
 * ```
 * plain first delivery ───────────────────────────────────> start, attempt 1
 * any other: LoadLog
 *    ├── the step ended ──────> SendWake, Acknowledge        (whoever wrote the outcome may have died before its wake)
 *    ├── the run ended ───────> Acknowledge
 *    ├── a retry not yet due ─> AskRedelivery for the rest
 *    ├── past its attempts ───> step_failed, SendWake, Acknowledge
 *    └── otherwise ───────────> start, attempt = starts + 1
 * start: step_started, then the body
 *    ├── refused, the run ended ─> Acknowledge
 *    ├── completed or failed ────> outcome, SendWake, Acknowledge
 *    └── to be tried again ──────> step_retrying, SendWake, AskRedelivery when it is due
 * ```
 *
 * Every write is out-of-band. The message lives until the step has an outcome, so a step never has two.
 *
 * Rules: STEP-05, STEP-20 to STEP-31, STEP-42, ONCE-01 to ONCE-07, OOB-01 to OOB-04, DEDUPE-10, DEDUPE-11.
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
import type { DeliverySettings } from "./Delivery.ts"
import { loadLog, type StepFacts } from "./LogState.ts"
import { SendWake } from "./Messages.ts"
import { exhaustedEvent, outcomeEvent, runAttempt, StepNotRegistered } from "./StepAttempt.ts"
import type { Attempt } from "./StepBodies.ts"

/** The least delay that a step's delivery asks for, in seconds; 0 would be a handoff. */
const SHORTEST_REDELIVERY_SECONDS = 1

export type StepDeliveryError = EventStorageError | MessageQueueError | StepNotRegistered

/** What the log says is to be done; undefined when the step may start. */
type Verdict = "acknowledge" | "wake" | "exhausted" | { readonly timeoutSeconds: number } | undefined

const verdictOf = (step: StepFacts, runEnded: boolean, maxRetries: number, now: number): Verdict => {
  if (step.ended) return "wake"
  if (runEnded) return "acknowledge"
  if (step.retry !== undefined && step.retry.retryAfter > now) return dueIn(step.retry.retryAfter, now)
  return step.starts + 1 > maxRetries + 1 ? "exhausted" : undefined
}

const dueIn = (at: number, now: number): { readonly timeoutSeconds: number } => ({
  timeoutSeconds: Math.max(SHORTEST_REDELIVERY_SECONDS, (at - now) / 1000)
})

/** Handles one step message. */
export const deliverStep = Effect.fnUntraced(
  function* (
    { world, bodies }: DeliverySettings,
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
    const verdict =
      step === undefined || log === undefined
        ? undefined
        : verdictOf(step, log.isEnded, body?.maxRetries ?? Number.POSITIVE_INFINITY, yield* Clock.currentTimeMillis)
    if (verdict === "acknowledge") return undefined
    if (verdict === "wake") return yield* wakeAndAcknowledge
    if (body === undefined) return yield* new StepNotRegistered(attempt)
    if (verdict === "exhausted") {
      yield* CommitOutOfBand(exhaustedEvent(attempt, body.maxRetries))
      return yield* wakeAndAcknowledge
    }
    if (verdict !== undefined) return verdict

    const input = step?.input ?? stepInput
    if (input === undefined) {
      return yield* Effect.die(new Error(`${runId} has a message for ${stepId}, and its log has no such step.`))
    }
    yield* CommitOutOfBand({
      eventType: "step_started",
      specVersion: SPEC_VERSION_SINGLE_ORCHESTRATOR,
      correlationId: stepId,
      eventData: { stepName, attempt: attempt.attempt }
    })
    const outcome = yield* runAttempt(body, attempt, input)
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
