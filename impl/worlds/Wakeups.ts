/**
 * In-process notification: a World rings after every change that may make a message deliverable, and every loop that
 * serves from it looks again. A ring that finds a loop busy is kept, and several are one.
 *
 * @module
 */
import { Effect, Queue, type Scope } from "effect"

export interface Wakeups {
  /** Tells every subscriber. */
  readonly ring: Effect.Effect<void>
  /** A queue of at most one pending ring, until the scope closes. */
  readonly subscribe: Effect.Effect<Queue.Queue<void>, never, Scope.Scope>
}

/** Wakeups without subscribers. */
export const makeWakeups = (): Wakeups => {
  const subscribers = new Set<Queue.Queue<void>>()
  return {
    ring: Effect.sync(() => {
      for (const subscriber of subscribers) Queue.offerUnsafe(subscriber, undefined)
    }),
    subscribe: Effect.acquireRelease(
      Effect.map(Queue.sliding<void>(1), (queue) => {
        subscribers.add(queue)
        return queue
      }),
      (queue) => Effect.sync(() => subscribers.delete(queue))
    )
  }
}
