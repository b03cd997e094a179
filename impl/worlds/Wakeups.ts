/**
 * In-process notification: a World rings after every change that somebody may wait for, and whoever waits looks again. A
 * ring that finds its hearer busy is kept, and several are one.
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
  const bells = makeBells()
  return { ring: bells.ring(""), subscribe: bells.subscribe("") }
}

/** Wakeups by name: who waits for one is not told of another. */
export interface Bells {
  readonly ring: (name: string) => Effect.Effect<void>
  readonly subscribe: (name: string) => Effect.Effect<Queue.Queue<void>, never, Scope.Scope>
}

/** Bells without subscribers. What nobody waits for takes no memory. */
export const makeBells = (): Bells => {
  const subscribers = new Map<string, Set<Queue.Queue<void>>>()
  const leave = (name: string, queue: Queue.Queue<void>): void => {
    const others = subscribers.get(name)
    others?.delete(queue)
    if (others?.size === 0) subscribers.delete(name)
  }
  return {
    ring: (name) =>
      Effect.sync(() => {
        for (const subscriber of subscribers.get(name) ?? []) Queue.offerUnsafe(subscriber, undefined)
      }),
    subscribe: (name) =>
      Effect.acquireRelease(
        Effect.map(Queue.sliding<void>(1), (queue) => {
          subscribers.set(name, (subscribers.get(name) ?? new Set()).add(queue))
          return queue
        }),
        (queue) => Effect.sync(() => leave(name, queue))
      )
  }
}
