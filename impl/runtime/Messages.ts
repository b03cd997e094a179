/**
 * The messages that the runtime sends.
 *
 * Whoever takes a step's message can start the step without the log, as long as the input is short enough to travel with
 * it. All sends of a step share one key, and so the queue holds at most one of them. A wake names its run and no more,
 * and is sent without a key: under one, it would be dropped beside an older wake whose delivery has read the log already.
 *
 * Rules: DEDUPE-01, DEDUPE-10, DEDUPE-31, STEP-06, STEP-42, STEP-46, STEP-60, STEP-67, STEP-74, OOB-01, OOB-06,
 * HOOK-04, HOOK-06, RUN-04.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import type { WorkflowMetadata } from "../workflow/Backend.ts"
import {
  type MessageQueue,
  type MessageQueueError,
  type RunInput,
  type SendResult,
  SPEC_VERSION_SINGLE_ORCHESTRATOR
} from "../world/index.ts"
import type { StepFacts } from "./LogState.ts"

/** A larger input is not repeated on the step's message; its invocation reads it from the log. (STEP-74) */
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
  { runId, workflowName, startedAt }: WorkflowMetadata,
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
      runContext: {
        workflowName,
        specVersion: SPEC_VERSION_SINGLE_ORCHESTRATOR,
        createdAt: startedAt.getTime()
      },
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
