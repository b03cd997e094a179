/**
 * Timers: the messages that bring a run back when a wait is over.
 *
 * A wait that is further away than one delay is reached in hops, which are anchored on its deadline: the last is due with
 * the wait, each one before it a hop earlier, and whoever sends one sends the earliest that is still ahead of its clock.
 * So every sender of a hop names the same time, and the queue keeps one message of it.
 *
 * ```
 * key of a hop                         wait:<run>/<wait>:<deadline>:<hop's time>
 * …armed again by an early timer       wait:<run>/<wait>:<deadline>:<hop's time>:a<attempt>
 * a last hop that stands in for one
 * that may have been coalesced         wait:<run>/<wait>:<deadline>:s<sender's second>
 * ```
 *
 * The run is part of the key because a wait's id is counted within its run; the documents' ids are unique by themselves.
 *
 * Rules: WAIT-02, WAIT-03, WAIT-04, WAIT-05, WAIT-06, WAIT-32, WAIT-33, WAIT-34, WAIT-35, WAIT-53, WAIT-54, WAIT-64,
 * WAIT-65, WAIT-66, WAIT-67, WAIT-68, WAIT-71, WAIT-73, DEDUPE-29, DEC-66, DEC-67.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import {
  type MessageQueue,
  type MessageQueueError,
  type SendResult,
  SPEC_VERSION_SINGLE_ORCHESTRATOR,
  type WaitContinuation
} from "../world/index.ts"
import type { WaitFacts } from "./OpenWaits.ts"

/** Which key a timer is sent under. `second` is for last hops alone: an intermediate hop is never coalesced. (WAIT-73) */
export type TimerSlot = "hop" | "second" | { readonly attempt: number }

/** The least delay of a timer that stands in for another: its key must be of a later second than the next one's. */
const LEAST_STAND_IN_MS = 1_000

/** When the earliest hop to a deadline is due that is still ahead of a clock. All in epoch milliseconds. */
export const hopAhead = (resumeAt: number, now: number, hopMs: number): number => {
  const hops = Math.ceil((resumeAt - now) / hopMs) - 1
  return hops <= 0 ? resumeAt : resumeAt - hops * hopMs
}

/** The key of a timer. */
export const timerKey = (runId: string, timer: WaitContinuation): string => {
  const { correlationId, deadlineMs, hopAtMs = deadlineMs, attempt, second } = timer
  const slot = second !== undefined ? `s${second}` : attempt === undefined ? hopAtMs : `${hopAtMs}:a${attempt}`
  return `wait:${runId}/${correlationId}:${deadlineMs}:${slot}`
}

/** The timer of a wait that is due at a hop's time. */
const continuationOf = (
  waitId: string,
  deadlineMs: number,
  hopAtMs: number,
  slot: TimerSlot,
  now: number
): WaitContinuation => ({
  correlationId: waitId,
  deadlineMs,
  ...(typeof slot === "object" ? { attempt: slot.attempt } : {}),
  ...(hopAtMs === deadlineMs
    ? slot === "second"
      ? { second: Math.floor(now / 1_000) }
      : {}
    : { resumeAtMs: deadlineMs, hopAtMs })
})

type Queue = MessageQueue["Service"]
type Sent = Effect.Effect<SendResult, MessageQueueError>

const send = (queue: Queue, runId: string, timer: WaitContinuation, delayMs: number): Sent =>
  queue.send(
    { runId, runSpecVersion: SPEC_VERSION_SINGLE_ORCHESTRATOR, waitContinuation: timer },
    { idempotencyKey: timerKey(runId, timer), ...(delayMs > 0 ? { delaySeconds: delayMs / 1_000 } : {}) }
  )

/** Sends the timer of a wait: the hop that is next on this process's clock. */
export const SendTimer = Effect.fnUntraced(function* (
  queue: Queue,
  runId: string,
  { waitId, resumeAt }: Pick<WaitFacts, "waitId" | "resumeAt">,
  slot: TimerSlot,
  hopMs: number
): Effect.fn.Return<SendResult, MessageQueueError> {
  const now = yield* Clock.currentTimeMillis
  const hopAt = hopAhead(resumeAt, now, hopMs)
  const timer = continuationOf(waitId, resumeAt, hopAt, slot, now)
  const delayMs = Math.max(hopAt - now, timer.second === undefined ? 0 : LEAST_STAND_IN_MS)
  return yield* send(queue, runId, timer, delayMs)
})

/** Sends the hop after an intermediate hop's own, whatever the clock says: the hop may have come early. (WAIT-57) */
export const SendNextHop = Effect.fnUntraced(function* (
  queue: Queue,
  runId: string,
  { correlationId, attempt }: WaitContinuation,
  hop: { readonly resumeAtMs: number; readonly hopAtMs: number },
  hopMs: number
): Effect.fn.Return<SendResult, MessageQueueError> {
  const now = yield* Clock.currentTimeMillis
  const { resumeAtMs, hopAtMs } = hop
  const next = Math.min(resumeAtMs, hopAtMs + hopMs)
  const slot: TimerSlot = attempt === undefined ? "hop" : { attempt }
  return yield* send(queue, runId, continuationOf(correlationId, resumeAtMs, next, slot, now), next - now)
})
