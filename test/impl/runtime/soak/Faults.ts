/**
 * A World that fails as Worlds do: now and then a call is refused before it takes effect (5xx, 429), or its answer is lost
 * after it has; a wake is sent twice; and the answer of a delivery is lost, so that its message is delivered again.
 *
 * What a queue promises it keeps: a step's message still has its key, and each delivery its count.
 */
import { Effect } from "effect"
import { WorkflowWorldError, type World } from "../../../../impl/world/index.ts"

/** How many of each were injected. */
export interface Injected {
  refused: number
  throttled: number
  lostAnswers: number
  duplicates: number
  redeliveries: number
}

/** Nothing injected yet. */
export const noneInjected = (): Injected => ({
  refused: 0,
  throttled: 0,
  lostAnswers: 0,
  duplicates: 0,
  redeliveries: 0
})

const unavailable = new WorkflowWorldError({ status: 503, code: "injected", message: "The World is not there." })
const throttled = new WorkflowWorldError({ status: 429, code: "injected", message: "The World has too much to do." })

/** One call in so many fails in each of its ways. */
const ONE_IN = 40

/** The World with its faults. `random` gives fractions in [0, 1). */
export const faulty = (world: World["Service"], random: () => number, injected: Injected): World["Service"] => {
  const happens = (): boolean => random() * ONE_IN < 1
  const failing = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E | WorkflowWorldError, R> =>
    Effect.suspend((): Effect.Effect<A, E | WorkflowWorldError, R> => {
      if (happens()) {
        injected.refused++
        return Effect.fail(unavailable)
      }
      if (happens()) {
        injected.throttled++
        return Effect.fail(throttled)
      }
      return Effect.tap(call, () => {
        if (!happens()) return Effect.void
        injected.lostAnswers++
        return Effect.fail(unavailable)
      })
    })
  // What is not wrapped, the runtime does not get: it would have a way around the faults.
  const { createBatch: _createBatch, subscribe: _subscribe, ...events } = world.events
  return {
    ...world,
    events: {
      ...events,
      create: (...args) => failing(world.events.create(...args)),
      list: (...args) => failing(world.events.list(...args))
    },
    queue: {
      send: (payload, options) =>
        failing(world.queue.send(payload, options)).pipe(
          Effect.flatMap((sent) => {
            if (options?.idempotencyKey !== undefined || payload.stepId !== undefined || !happens()) {
              return Effect.succeed(sent)
            }
            injected.duplicates++
            return world.queue.send(payload, options)
          })
        ),
      serve: (handler) =>
        world.queue.serve((payload, meta) =>
          Effect.flatMap(handler(payload, meta), (answer) => {
            if (!happens()) return Effect.succeed(answer)
            injected.redeliveries++
            return Effect.fail(unavailable)
          })
        )
    }
  }
}
