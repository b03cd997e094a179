import { Deferred, Effect, Fiber, Queue, Schedule, Stream } from "effect"
import { describe, expect, it } from "vitest"
import { LogState } from "../../../impl/runtime/LogState.ts"
import { LogWatch, type Ring } from "../../../impl/runtime/LogWatch.ts"
import { eventIdOf, type FeedItem } from "../../../impl/world/index.ts"
import { make } from "../../../impl/worlds/memory/index.ts"
import { hook, race, step } from "../../../model/programs/Program.ts"
import { bodiesOf, linesOf, serving, withoutFeed, worlds } from "./Harness.ts"

const soon = { times: 500 }
const every = Schedule.spaced(10)

/** A watch over an empty log of a World whose feed is the given one. */
const watching = <A>(
  feed: Stream.Stream<FeedItem, never> | undefined,
  intervals: { readonly short: number; readonly long: number },
  use: (watch: LogWatch) => Effect.Effect<A>
): Promise<A> =>
  Effect.gen(function* () {
    const { subscribe: _, ...events } = make().world.events
    const log = new LogState({ data: [], snapshot: { seq: 0, seqInBand: 0 }, cursor: null })
    const world = feed === undefined ? events : { ...events, subscribe: () => feed }
    const watch = new LogWatch(
      world,
      "r",
      log,
      { orchestratorPollIntervalMs: intervals.short, orchestratorFeedPollIntervalMs: intervals.long },
      yield* Queue.sliding<Ring>(1)
    )
    return yield* Effect.ensuring(use(watch), watch.close)
  }).pipe(Effect.runPromise)

const committed = (slot: number): FeedItem => ({
  _tag: "Committed",
  event: {
    eventType: "run_started",
    specVersion: 9,
    eventData: {},
    eventId: eventIdOf(slot),
    runId: "r",
    createdAt: 0
  }
})

describe("the watch of a log", () => {
  it("a feed: tells of an event that the delivery does not hold, and of no sign of life (SET-18, RUN-67)", async () => {
    const told = await watching(
      Stream.concat(
        Stream.make<[FeedItem]>({ _tag: "Heartbeat", slot: 9 }),
        Stream.concat(Stream.make(committed(1)), Stream.never)
      ),
      { short: 0, long: 0 },
      (watch) => watch.next
    )
    expect(told).toBe("told")
    const silent = await watching(
      Stream.concat(Stream.make<[FeedItem]>({ _tag: "Heartbeat", slot: 9 }), Stream.never),
      { short: 200, long: 400 },
      (watch) => watch.next
    )
    expect(silent).toBe("time")
  })

  it("no feed, or one that has ended: a look at the short interval; with 0 there is none at all (SET-16, SET-17)", async () => {
    for (const feed of [undefined, Stream.empty]) {
      expect(await watching(feed, { short: 20, long: 60_000 }, (watch) => watch.next)).toBe("time")
    }
    const never = await watching(undefined, { short: 0, long: 60_000 }, (watch) =>
      Effect.gen(function* () {
        expect(watch.isOn).toBe(false)
        const waiting = yield* Effect.forkChild(watch.next, { startImmediately: true })
        yield* Effect.sleep(50)
        const isDone = waiting.pollUnsafe() !== undefined
        yield* Fiber.interrupt(waiting)
        return isDone
      })
    )
    expect(never).toBe(false)
  })

  it("while the feed keeps up: the interval doubles, to twice the long one; what only a look finds resets it (SET-19, SET-20, SET-21, SET-22)", async () => {
    const pauses = await watching(Stream.never, { short: 10, long: 30 }, (watch) =>
      Effect.gen(function* () {
        const seen: Array<number> = [watch.pauseMs]
        yield* watch.next
        for (const found of [false, false, false, false, true, false]) {
          watch.looked("time", found)
          seen.push(watch.pauseMs)
        }
        // What the feed told says nothing about the interval.
        watch.looked("told", true)
        return [...seen, watch.pauseMs]
      })
    )
    expect(pauses).toEqual([10, 20, 40, 60, 60, 10, 20, 20])
    const below = await watching(Stream.never, { short: 10, long: 0 }, (watch) =>
      Effect.gen(function* () {
        yield* watch.next
        watch.looked("time", false)
        return watch.pauseMs
      })
    )
    expect(below).toBe(10)
  })
})

for (const [name, world] of Object.entries(worlds)) {
  for (const [how, without] of [
    ["over the live feed", false],
    ["by looking", true]
  ] as const) {
    /** The World as it is, or without its feed. */
    const given = () => (without ? withoutFeed(world()) : world())
    const environment = { WORKFLOW_ORCHESTRATOR_POLL_INTERVAL_MS: without ? "20" : "0" }

    describe(`a delivery that waits for its bodies on the ${name} World, ${how}`, () => {
      it("a payload: reaches the workflow while a long inline step runs (SET-18, RUN-26, SET-44)", async () => {
        const program = race(step("long"), hook("h"))
        const released = Deferred.makeUnsafe<void>()
        const bodies = bodiesOf(program, { long: () => Effect.as(Deferred.await(released), "long") })
        const { value, lines } = await serving(given(), { bodies, environment }, (client) =>
          Effect.gen(function* () {
            const runId = yield* client.start("interpret", [program])
            yield* Effect.retry(client.resumeHook("h", "payload"), { ...soon, schedule: every })
            const value = yield* client.result(runId)
            const lines = linesOf(yield* client.log(runId))
            yield* Deferred.succeed(released, undefined)
            return { value, lines }
          })
        )
        expect(value).toBe("payload")
        expect(lines.at(-1)).toMatch(/run_completed/)
        expect(lines.some((line) => line.includes("step_completed"))).toBe(false)
      })

      it("a cancellation: ends the delivery, and tells the body to stop, while it runs (SET-18)", async () => {
        const program = step("long")
        const stopped = Deferred.makeUnsafe<void>()
        const bodies = bodiesOf(program, {
          long: ({ signal }) =>
            Effect.callback<string>((resume) => {
              signal.addEventListener("abort", () => {
                Deferred.doneUnsafe(stopped, Effect.void)
                resume(Effect.succeed("stopped"))
              })
            })
        })
        await serving(given(), { bodies, environment }, (client) =>
          Effect.gen(function* () {
            const runId = yield* client.start("interpret", [program])
            yield* Effect.retry(
              Effect.flatMap(client.log(runId), (log) =>
                log.some(({ eventType }) => eventType === "step_started") ? Effect.void : Effect.fail("not yet")
              ),
              { ...soon, schedule: every }
            )
            yield* client.cancel(runId)
            yield* Deferred.await(stopped)
          })
        )
      })
    })
  }
}
