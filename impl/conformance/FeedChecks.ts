/**
 * What a World's live feed and its streams owe their readers.
 *
 * @module
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert"
import { Effect, Fiber, Stream } from "effect"
import { type FeedItem, type StreamStorage, slotOf } from "../world/index.ts"
import type { Check } from "./Check.ts"
import { hookCreated, inlineStarted, runStarted, stepCompleted } from "./SampleEvents.ts"
import type { Subject } from "./Subject.ts"
import { inBand, newRun, refused, write } from "./Vocabulary.ts"

/** The events of a feed, without its signs of life. */
const eventsOf = (s: Subject, runId: string, afterSlot: number) =>
  Stream.unwrap(
    Effect.sync(() => {
      const { subscribe } = s.events
      ok(subscribe !== undefined, "the World has no feed")
      return subscribe(runId, afterSlot)
    })
  ).pipe(Stream.flatMap((item: FeedItem) => (item._tag === "Committed" ? Stream.succeed(item.event) : Stream.empty)))

/** Lets a World that polls look again, as often as it takes. */
const eventually = <A, E>(s: Subject, fiber: Fiber.Fiber<A, E>) =>
  Effect.gen(function* () {
    for (let turns = 0; turns < 100 && fiber.pollUnsafe() === undefined; turns++) yield* s.pass(100)
    ok(fiber.pollUnsafe() !== undefined, "what was written has not come")
    return yield* Fiber.join(fiber)
  })

const streamsOf = (s: Subject): StreamStorage["Service"] => {
  ok(s.streams !== undefined, "the World has no streams")
  return s.streams
}

const text = (chunk: Uint8Array): string => new TextDecoder().decode(chunk)
const bytes = (value: string): Uint8Array => new TextEncoder().encode(value)

/** The checks of live feeds and of streams. */
export const feedChecks: ReadonlyArray<Check> = [
  {
    rules: "WORLD-56, FEED-11",
    area: "feed",
    needs: ["subscribe"],
    title: "a feed: pushes what is there above its slot and what commits later, in slot order without a gap",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      yield* write(s, runId, runStarted, inBand(1, 1))
      yield* write(s, runId, stepCompleted(1))
      const fiber = yield* Effect.forkChild(Stream.runCollect(Stream.take(eventsOf(s, runId, 1), 5)))
      yield* s.pass(10)
      yield* write(s, runId, inlineStarted(2), inBand(2, 3))
      yield* write(s, runId, stepCompleted(2))
      yield* write(s, runId, stepCompleted(3))
      const events = yield* eventually(s, fiber)
      deepStrictEqual(events.map(slotOf), [2, 3, 4, 5, 6])
      const { data } = yield* s.events.list(runId)
      deepStrictEqual(events, data.slice(1))
    })
  },
  {
    rules: "WORLD-56",
    area: "feed",
    needs: ["subscribe"],
    title: "a feed: is of one run, and pushes no event of another",
    run: Effect.fnUntraced(function* (s: Subject) {
      const [runId, other] = [yield* newRun(s), yield* newRun(s)]
      const fiber = yield* Effect.forkChild(Stream.runCollect(Stream.take(eventsOf(s, runId, 1), 1)))
      yield* write(s, other, stepCompleted(1))
      yield* s.pass(10)
      yield* write(s, runId, stepCompleted(2))
      const [event] = yield* eventually(s, fiber)
      deepStrictEqual([event?.runId, event && slotOf(event)], [runId, 2])
    })
  },
  {
    rules: "HOOK-02, WORLD-56",
    area: "feed",
    needs: ["subscribe", "capabilities.hookForceClaim"],
    title: "a feed of a run whose token is taken by force: pushes the disposal",
    run: Effect.fnUntraced(function* (s: Subject) {
      const [victim, claimer] = [yield* newRun(s), yield* newRun(s)]
      yield* write(s, victim, hookCreated(1), inBand(1, 1))
      const fiber = yield* Effect.forkChild(Stream.runCollect(Stream.take(eventsOf(s, victim, 2), 1)))
      yield* s.pass(10)
      yield* write(s, claimer, hookCreated(1, "t", { force: true }), inBand(1, 1))
      const [event] = yield* eventually(s, fiber)
      strictEqual(event?.eventType, "hook_disposed")
    })
  },
  {
    rules: "STEP-02",
    area: "streams",
    needs: ["streams"],
    title: "a stream: is read in the order of its writes, byte by byte, while it is written and until it is closed",
    run: Effect.fnUntraced(function* (s: Subject) {
      const streams = streamsOf(s)
      const runId = yield* newRun(s)
      const every = Uint8Array.from({ length: 256 }, (_, byte) => byte)
      yield* streams.write(runId, "out", [bytes("one"), every])
      const fiber = yield* Effect.forkChild(Stream.runCollect(streams.read(runId, "out")))
      yield* s.pass(10)
      yield* streams.write(runId, "out", [bytes("three")])
      yield* streams.write(runId, "out", [new Uint8Array()])
      yield* streams.close(runId, "out")
      const chunks = yield* eventually(s, fiber)
      deepStrictEqual([chunks.length, text(chunks[0] ?? every), text(chunks[2] ?? every)], [4, "one", "three"])
      deepStrictEqual(Uint8Array.from(chunks[1] ?? []), every)
      strictEqual(chunks[3]?.length, 0)
    })
  },
  {
    rules: "STEP-02",
    area: "streams",
    needs: ["streams"],
    title: "a stream that is closed: takes nothing more, can be closed again, and is read from any place",
    run: Effect.fnUntraced(function* (s: Subject) {
      const streams = streamsOf(s)
      const runId = yield* newRun(s)
      deepStrictEqual(yield* streams.info(runId, "out"), { tailIndex: -1, done: false })
      yield* streams.write(runId, "out", ["a", "b", "c"].map(bytes))
      yield* streams.close(runId, "out")
      yield* streams.close(runId, "out")
      const error = yield* Effect.flip(streams.write(runId, "out", [bytes("d")]))
      strictEqual(error.status, 409)
      const from = (index: number) =>
        Effect.map(Stream.runCollect(streams.read(runId, "out", index)), (chunks) => chunks.map(text).join(""))
      deepStrictEqual(
        [yield* from(0), yield* from(1), yield* from(-1), yield* from(-9), yield* from(3)],
        ["abc", "bc", "c", "abc", ""]
      )
      deepStrictEqual(yield* streams.info(runId, "out"), { tailIndex: 2, done: true })
      const page = yield* streams.chunks(runId, "out", { limit: 2 })
      deepStrictEqual(
        [page.data.map(({ index, chunk }) => [index, text(chunk)]), page.hasMore, page.done],
        [
          [
            [0, "a"],
            [1, "b"]
          ],
          true,
          false
        ]
      )
      ok(page.cursor !== null)
      const rest = yield* streams.chunks(runId, "out", { cursor: page.cursor })
      deepStrictEqual([rest.data.map(({ chunk }) => text(chunk)), rest.hasMore, rest.done], [["c"], false, true])
    })
  },
  {
    rules: "STEP-02",
    area: "streams",
    needs: ["streams"],
    title: "the streams of a run: are its own, listed by name, and there is none of a run that does not exist",
    run: Effect.fnUntraced(function* (s: Subject) {
      const streams = streamsOf(s)
      const [first, second] = [yield* newRun(s), yield* newRun(s)]
      yield* streams.write(first, "b", [bytes("1")])
      yield* streams.close(first, "a")
      yield* streams.write(second, "b", [bytes("2")])
      deepStrictEqual([yield* streams.list(first), yield* streams.list(second)], [["b", "a"], ["b"]])
      const { data } = yield* streams.chunks(second, "b")
      deepStrictEqual(
        data.map(({ chunk }) => text(chunk)),
        ["2"]
      )
      const error = yield* Effect.flip(streams.write("wrun_none", "b", [bytes("3")]))
      strictEqual(error._tag, "RunNotFoundError")
      yield* refused(s.events.getRun("wrun_none"), "RunNotFoundError")
    })
  }
]
