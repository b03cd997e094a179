/**
 * How often a message was delivered, and how many of those deliveries are attempts: what each World keeps of a message,
 * and what its handler is told. (QUEUE-02, QUEUE-06, QUEUE-07, QUEUE-13, QUEUE-15, QUEUE-16, QUEUE-17, QUEUE-18,
 * QUEUE-25, QUEUE-27, QUEUE-47, HAND-01, HAND-11, HAND-12, HAND-19, LOCALPG-05, LOCALPG-06, LOCALPG-07, LIM-23)
 *
 * | World      | keeps                                   | `deliveryCount`           | `attempt`                   |
 * | ---------- | --------------------------------------- | ------------------------- | --------------------------- |
 * | `vercel`   | deliveries, handoffs                     | deliveries + re-run        | deliveries − handoffs       |
 * | `local`    | deliveries, handoffs                     | deliveries                 | deliveries − handoffs       |
 * | `postgres` | tries of the job that stands for it, and two offsets that every new job carries on | tries + offset | tries + offset |
 *
 * A re-run is no delivery of the queue: it adds to what the handler is told, and is forgotten with the invocation.
 *
 * No variables: functions of what a World keeps of a message.
 *
 * @module
 */
import { Schema } from "effect"

/** Whose queue it is. */
export type World = "vercel" | "local" | "postgres"

/** What a World keeps of a message's deliveries (LOCALPG-05, LOCALPG-07). */
export const Count = Schema.Struct({
  /** Deliveries by the queue; on `postgres`, tries of the present job. */
  deliveries: Schema.Int,
  /** Handoffs that the queue took as such. `vercel`, `local`. */
  handoffs: Schema.Int,
  /** Attempts and deliveries before the present job. `postgres`. */
  attemptOffset: Schema.Int,
  deliveryOffset: Schema.Int
})

/** What a World keeps of a message's deliveries. */
export type Count = typeof Count.Type

/** A message that was never delivered. */
export const NEVER: Count = { deliveries: 0, handoffs: 0, attemptOffset: 0, deliveryOffset: 0 }

// All that any rule asks of a delivery count is whether it is one; the offset is counted so far and no further.
const OFFSET_LIMIT = 3

// Where nobody bounds handoffs, they are counted so far: with one delivery less instead, the attempt is the same.
const HANDOFF_LIMIT = 3

/** The message is delivered: for the first time, or once more. */
export const delivered = (count: Count): Count => ({ ...count, deliveries: count.deliveries + 1 })

/** `meta.attempt` of the present delivery: at least 1 (QUEUE-18, QUEUE-17). */
export const attemptOf = (count: Count): number => Math.max(1, count.deliveries - count.handoffs + count.attemptOffset)

/**
 * `meta.deliveryCount` of a run of the handler within the present delivery: 1 for a message's very first alone
 * (QUEUE-15, QUEUE-13, QUEUE-16).
 */
export const deliveryCountOf = (count: Count, rerun: number): number => count.deliveries + count.deliveryOffset + rerun

const nextJob = (count: Count, attemptOffset: number): Count => ({
  deliveries: 0,
  handoffs: 0,
  attemptOffset,
  deliveryOffset: Math.min(OFFSET_LIMIT, deliveryCountOf(count, 0))
})

/**
 * Whether a delivery of a timer is taken for a redelivery, which owns the timer's chain: both counts have to say so, since a
 * re-run raises the one alone, and so does a handoff (QUEUE-27).
 */
export const ownsChain = (count: Count, rerun: number): boolean =>
  Math.min(deliveryCountOf(count, rerun), attemptOf(count)) > 1

/** The message is handed off: its next delivery is no attempt (HAND-01, HAND-12, HAND-19, LOCALPG-06, QUEUE-25). */
export const handedOff = (world: World, count: Count): Count =>
  world === "postgres"
    ? nextJob(count, attemptOf(count) - 1)
    : count.handoffs === HANDOFF_LIMIT
      ? { ...count, deliveries: count.deliveries - 1 }
      : { ...count, handoffs: count.handoffs + 1 }

/**
 * The message is to come again after a delay, which is an attempt. On `postgres` that is a new job: unless its attempts are
 * carried over (`carries`), it counts from one again (QUEUE-47, LIM-23).
 */
export const rescheduled = (world: World, count: Count, carries: boolean): Count =>
  world === "postgres" ? nextJob(count, carries ? attemptOf(count) : count.attemptOffset) : count

/** Whether the queue takes one more handoff of a message as such, given how many it allows (HAND-11). */
export const takesHandoff = (count: Count, limit: number | "none"): boolean =>
  limit === "none" || count.handoffs < limit

/** What a handler's `{ timeoutSeconds }` asks for on a spec 9 run (QUEUE-02, QUEUE-06, QUEUE-07). */
export type Asked = "handoff" | "redelivery"

/** What a `timeoutSeconds` asks for: `null` stands for one that is not finite (QUEUE-07). */
export const askedFor = (timeoutSeconds: number | null): Asked => (timeoutSeconds === 0 ? "handoff" : "redelivery")

/** After how many seconds world-vercel delivers a message again: between 5 and 900, 900 when no number is given (QUEUE-02). */
export const delayOf = (timeoutSeconds: number | null): number =>
  timeoutSeconds === null ? 900 : Math.max(5, Math.min(900, timeoutSeconds))
