/**
 * One delivery as the queue and its handler see it: the lease, the handler's answer, and what the queue makes of it.
 *
 * ```
 * claimed ── Acknowledge ──> done                     nothing was folded into the delivery
 *    │            ├────────> rerun ──> (answer again)  something was: the handler runs once more in the same lease
 *    │            └────────> handoff                   the re-runs are used up
 *    ├─────── AskRedelivery n > 0, Reject ──> done     the message waits, and its next delivery is counted
 *    ├─────── AskRedelivery 0 ──> handoff              the same message at once, not an attempt
 *    └─ the lease lapsed meanwhile ──> stale           whatever is answered changes nothing
 * ```
 *
 * Rules: QUEUE-02, QUEUE-06, QUEUE-07, QUEUE-11, QUEUE-12, QUEUE-13, COAL-03, COAL-07, COAL-16, COAL-18, HAND-01.
 *
 * @module
 */
import { Context, Effect } from "effect"
import type { HandlerResult, MessageMeta, WorkflowInvokePayload } from "./Message.ts"

/** Names one lease: no two leases of a message were claimed at the same delivery count. */
export interface Lease {
  readonly messageId: string
  /** The delivery count at which the lease was claimed; re-runs do not change it. */
  readonly claimedAtCount: number
}

/** A message under a lease. */
export interface Claimed {
  readonly lease: Lease
  readonly payload: WorkflowInvokePayload
  readonly meta: MessageMeta
}

/** A handler's answer, made explicit. */
export type Answer =
  | { readonly _tag: "Acknowledge" }
  | { readonly _tag: "AskRedelivery"; readonly timeoutSeconds: number }
  | { readonly _tag: "Reject"; readonly error: string }

/** What the queue did with an answer; a re-run says what its delivery is called. */
export type Answered =
  | { readonly accepted: "done" | "handoff" | "stale" }
  | { readonly accepted: "rerun"; readonly meta: MessageMeta }

/** The delay of a redelivery whose `timeoutSeconds` is not a number of seconds. (QUEUE-07) */
export const UNREADABLE_TIMEOUT_SECONDS = 900

/**
 * The answer that a handler's result stands for. Only the number 0 asks for a handoff. What cannot be read as seconds
 * waits the longest delay and counts as an attempt: no limit on attempts would ever stop a handler that keeps answering
 * nonsense if nonsense went uncounted. (QUEUE-07)
 */
export const answerOf = (result: HandlerResult): Answer => {
  if (result === undefined) return { _tag: "Acknowledge" }
  const seconds = result.timeoutSeconds
  return {
    _tag: "AskRedelivery",
    timeoutSeconds: Number.isFinite(seconds) && seconds >= 0 ? seconds : UNREADABLE_TIMEOUT_SECONDS
  }
}

/**
 * Sees every delivery that a World's `serve` makes and every answer that its queue takes, in order. A recorder sets
 * it; by default nothing looks.
 */
export const DeliveryObserver = Context.Reference<{
  readonly delivered: (payload: WorkflowInvokePayload, meta: MessageMeta) => Effect.Effect<void>
  readonly answered: (meta: MessageMeta, answer: Answer, answered: Answered) => Effect.Effect<void>
}>("onewriter/world/DeliveryObserver", {
  defaultValue: () => ({ delivered: () => Effect.void, answered: () => Effect.void })
})
