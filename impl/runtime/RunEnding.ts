/**
 * How an orchestrator ends a run: by what its code returned or threw, or for a reason that is not the code's own.
 *
 * | code                      | the reason                                                                |
 * | ------------------------- | ------------------------------------------------------------------------- |
 * | `MAX_DELIVERIES_EXCEEDED` | a message was attempted too often, so that no delivery may be hoped for   |
 * | `PAYLOAD_TOO_LARGE`       | what the workflow asks for, or ends with, cannot be stored                |
 *
 * Logs that cannot be replayed have codes of their own: see `ReplayFailure.ts`.
 *
 * Rules: RUN-24, SET-02, SET-03, FENCE-30, QUEUE-43.
 *
 * @module
 */
import {
  type EventError,
  type EventInput,
  type MessageMeta,
  type PayloadTooLargeError,
  SPEC_VERSION_SINGLE_ORCHESTRATOR
} from "../world/index.ts"
import type { DeliveryError } from "./Orchestrator.ts"
import { MAX_DELIVERIES_EXCEEDED } from "./StepAttempt.ts"
import type { Ending } from "./vm/Session.ts"

const specVersion = SPEC_VERSION_SINGLE_ORCHESTRATOR

/** The event that ends a run as its code did. */
export const endingEvent = (ending: Ending): EventInput =>
  ending.kind === "returned"
    ? { eventType: "run_completed", specVersion, eventData: { output: ending.output } }
    : { eventType: "run_failed", specVersion, eventData: { error: ending.error } }

/** The event that fails a run. */
export const failedEvent = (error: EventError): EventInput => ({
  eventType: "run_failed",
  specVersion,
  eventData: { error }
})

/** True of a refusal that no redelivery would help: what the workflow asks for, or ends with, cannot be stored. */
export const isHopeless = (error: DeliveryError): error is PayloadTooLargeError => error._tag === "PayloadTooLargeError"

/** What a run ends with after such a refusal. */
export const failureOfRefusal = ({ _tag: name, message }: PayloadTooLargeError): EventError => ({
  name,
  message,
  code: "PAYLOAD_TOO_LARGE"
})

/** What a run ends with whose message was attempted too often. */
export const failureOfCap = ({ messageId, attempt }: MessageMeta, cap: number): EventError => ({
  name: "FatalError",
  message: `The message ${messageId} has come to its attempt ${attempt}, and ${cap} are allowed: none of them finished.`,
  code: MAX_DELIVERIES_EXCEEDED
})
