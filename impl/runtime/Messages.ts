/**
 * The messages that the runtime sends.
 *
 * A step's message carries what its invocation needs, so that a plain first delivery reads no log, and goes out under a
 * key that is stable per step: however often it is sent, at most one of it lives. A wake carries nothing and has no key,
 * because a key could be absorbed by a delivery that is about to end.
 *
 * Rules: DEDUPE-01 to DEDUPE-10, OOB-01, OOB-04, STEP-27, HOOK (resumeHook).
 */
import { Clock, Effect } from "effect"
import {
  type MessageQueue,
  type MessageQueueError,
  type RunInput,
  type SendResult,
  SPEC_VERSION_SINGLE_ORCHESTRATOR
} from "../world/index.ts"
import type { StepFacts } from "./LogState.ts"

/** A larger input is not repeated on the step's message; its invocation reads it from the log. (STEP-27) */
export const MAX_STEP_MESSAGE_INPUT_BYTES = 128 * 1024

const SECONDS_PER_DAY = 86_400

type Queue = MessageQueue["Service"]
type Sent = Effect.Effect<SendResult, MessageQueueError>

/** The idempotency key of a step's message. */
export const stepKey = (runId: string, stepId: string, stepName: string): string => `${runId}/${stepId}/${stepName}`

/** Asks the run's orchestrator to look at the log. */
export const SendWake = (queue: Queue, runId: string): Sent =>
  queue.send({ runId, runSpecVersion: SPEC_VERSION_SINGLE_ORCHESTRATOR })

/** Asks for the first delivery of a run. */
export const SendStart = (queue: Queue, runId: string, runInput: RunInput): Sent =>
  queue.send({ runId, runSpecVersion: SPEC_VERSION_SINGLE_ORCHESTRATOR, runInput })

/**
 * Sends a step's message. A retry's waits until it is due, and its delivery reads the log.
 *
 * @param maxRetries decides for how long the queue must keep the message.
 * @param resent marks a copy that the re-send rule sends: the step may have a message, or an attempt, already.
 */
export const SendStep = Effect.fnUntraced(function* (
  queue: Queue,
  runId: string,
  step: StepFacts,
  maxRetries: number,
  resent = false
): Effect.fn.Return<SendResult, MessageQueueError> {
  const { stepId, stepName, input, createdEventId, createdAt, retry, starts } = step
  const now = yield* Clock.currentTimeMillis
  const delaySeconds = retry === undefined ? 0 : Math.max(0, (retry.retryAfter - now) / 1000)
  return yield* queue.send(
    {
      runId,
      runSpecVersion: SPEC_VERSION_SINGLE_ORCHESTRATOR,
      stepId,
      stepName,
      stepAttempt: starts + 1,
      stepCreatedEventId: createdEventId,
      stepCreatedAt: createdAt,
      ...(Buffer.byteLength(input) > MAX_STEP_MESSAGE_INPUT_BYTES ? {} : { stepInput: input }),
      ...(resent ? { stepResent: true } : {})
    },
    {
      idempotencyKey: stepKey(runId, stepId, stepName),
      retentionSeconds: (maxRetries === 0 ? 1 : 7) * SECONDS_PER_DAY,
      ...(delaySeconds > 0 ? { delaySeconds } : {})
    }
  )
})
