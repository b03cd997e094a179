/**
 * What a World's logs owe a runtime: the fence, the counters, the report, the pages, and every field.
 *
 * @module
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert"
import { Effect, Exit } from "effect"
import { type EventInput, slotOf } from "../world/index.ts"
import type { Check } from "./Check.ts"
import {
  creatingStart,
  hookCreated,
  hookReceived,
  inlineStarted,
  runCancelled,
  runCompleted,
  runCreated,
  runStarted,
  stepCompleted,
  stepCreated,
  stepFailed,
  stepRetrying,
  stepStarted
} from "./SampleEvents.ts"
import type { Subject } from "./Subject.ts"
import { inBand, load, newRun, refused, snapshotOf, unchanged, write } from "./Vocabulary.ts"

/** The checks of a World's logs. */
export const storageChecks: ReadonlyArray<Check> = [
  {
    rules: "WORLD-27, WORLD-28",
    area: "log",
    title: "a new run: holds one slot, counted in-band",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      deepStrictEqual(yield* snapshotOf(s, runId), { seq: 1, seqInBand: 1 })
    })
  },
  {
    rules: "WORLD-32, FENCE-07, FENCE-08",
    area: "log",
    title: "an in-band write at the current count: is accepted and moves both counters by what it allocated",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      const first = yield* write(s, runId, runStarted, inBand(1, 1))
      deepStrictEqual([first.allocated, slotOf(first.event)], [1, 2])
      const second = yield* write(s, runId, inlineStarted(1), inBand(2, 2))
      deepStrictEqual([second.allocated, slotOf(second.event)], [1, 3])
      deepStrictEqual(yield* snapshotOf(s, runId), { seq: 3, seqInBand: 3 })
    })
  },
  {
    rules: "FENCE-01, FENCE-08, WORLD-33, WORLD-34",
    area: "log",
    title: "an in-band write at a stale count: hears 412 with both counts and changes nothing",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      yield* write(s, runId, runStarted, inBand(1, 1))
      const error = yield* unchanged(
        s,
        runId,
        refused(write(s, runId, inlineStarted(1), inBand(1, 1)), "InBandSupersededError")
      )
      ok(error._tag === "InBandSupersededError")
      deepStrictEqual([error.status, error.code], [412, "in-band-superseded"])
      deepStrictEqual([error.expectedSeqInBand, error.seqInBand], [1, 2])
      yield* unchanged(s, runId, refused(write(s, runId, inlineStarted(1), inBand(3, 2)), "InBandSupersededError"))
    })
  },
  {
    rules: "WORLD-35",
    area: "log",
    title: "a stale in-band write that would also conflict: hears 412 and never 409, 410 or 404",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      yield* write(s, runId, hookCreated(1), inBand(1, 1))
      yield* refused(write(s, runId, hookCreated(1), inBand(1, 1)), "InBandSupersededError")
      yield* write(s, runId, runCancelled)
      for (const data of [stepCreated(2), runCompleted, hookCreated(1), hookReceived(9)]) {
        yield* unchanged(s, runId, refused(write(s, runId, data, inBand(1, 1)), "InBandSupersededError"))
      }
    })
  },
  {
    rules: "WORLD-37",
    area: "log",
    title: "an in-band write without its count: hears 400 and changes nothing",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      const error = yield* unchanged(
        s,
        runId,
        refused(write(s, runId, runStarted, { inBand: true, eventCount: 1 }), "WorkflowWorldError")
      )
      strictEqual(error.status, 400)
    })
  },
  {
    rules: "WORLD-38, FENCE-09",
    area: "log",
    title: "an out-of-band write: moves seq alone, and does not supersede the in-band writer",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      const result = yield* write(s, runId, stepCompleted(1))
      deepStrictEqual([result.allocated, slotOf(result.event), result.events], [1, 2, []])
      yield* write(s, runId, stepFailed(1), { inBand: false })
      deepStrictEqual(yield* snapshotOf(s, runId), { seq: 3, seqInBand: 1 })
      yield* write(s, runId, runStarted, inBand(1, 1))
    })
  },
  {
    rules: "CONF-08, WORLD-32",
    area: "log",
    title: "several in-band writers that hold one count: exactly one is accepted",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      for (const round of [1, 2, 3]) {
        const exits = yield* Effect.all(
          [1, 2, 3, 4, 5, 6].map((n) =>
            Effect.exit(write(s, runId, inlineStarted(10 * round + n), inBand(round, round)))
          ),
          { concurrency: "unbounded" }
        )
        strictEqual(exits.filter(Exit.isSuccess).length, 1)
        deepStrictEqual(yield* snapshotOf(s, runId), { seq: round + 1, seqInBand: round + 1 })
      }
    })
  },
  {
    rules: "WORLD-40, POST-05",
    area: "log",
    title: "an in-band write above other events: reports exactly the events between its position and its slot",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      yield* write(s, runId, runStarted, inBand(1, 1))
      const below = [yield* write(s, runId, stepCompleted(1)), yield* write(s, runId, stepCompleted(2))]
      const result = yield* write(s, runId, inlineStarted(3), inBand(2, 2))
      deepStrictEqual(
        result.events,
        below.map(({ event }) => event)
      )
      deepStrictEqual([slotOf(result.event), result.hasMore], [5, false])
      const next = yield* write(s, runId, stepCompleted(3), inBand(3, 5))
      deepStrictEqual([next.events, next.hasMore], [[], false])
    })
  },
  {
    rules: "WORLD-41",
    area: "log",
    title: "a report larger than a page: is a gapless beginning that says it is incomplete",
    needs: ["a page that can be filled"],
    run: Effect.fnUntraced(function* (s: Subject) {
      const { pageSize = 0 } = s
      const runId = yield* newRun(s)
      for (let n = 1; n <= pageSize + 1; n++) yield* write(s, runId, stepCompleted(n))
      const cut = yield* write(s, runId, runStarted, inBand(1, 1))
      strictEqual(cut.hasMore, true)
      deepStrictEqual(
        cut.events.map(slotOf),
        cut.events.map((_, index) => index + 2)
      )
      const whole = yield* write(s, runId, inlineStarted(99), inBand(2, 4))
      deepStrictEqual([whole.hasMore, whole.events.length], [false, pageSize - 1])
    })
  },
  {
    rules: "WORLD-42, CONF-10",
    area: "log",
    title: "the time of an event: is an in-band writer's own when it gives one, and otherwise the World's",
    needs: ["time that can be moved"],
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      yield* s.pass(5_000)
      yield* write(s, runId, runStarted, { ...inBand(1, 1), occurredAt: 1_234 })
      yield* write(s, runId, inlineStarted(1), inBand(2, 2))
      yield* write(s, runId, stepCompleted(1), { occurredAt: 1_234 })
      const { events } = yield* load(s, runId)
      deepStrictEqual(
        events.map(({ createdAt }) => createdAt),
        [0, 1_234, 5_000, 5_000]
      )
    })
  },
  {
    rules: "WORLD-08, WORLD-09",
    area: "log",
    title: "step events without a fitting lifecycle: are appended all the same",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      const inputs = [stepStarted(1), stepStarted(1), stepFailed(1), stepRetrying(1), stepCreated(1), stepCompleted(1)]
      for (const data of inputs) yield* write(s, runId, data)
      const { events } = yield* load(s, runId)
      deepStrictEqual(
        events.slice(1).map(({ eventType }) => eventType),
        inputs.map(({ eventType }) => eventType)
      )
    })
  },
  {
    rules: "WORLD-39",
    area: "log",
    title: "run_created for a run that exists: converges on its event and allocates nothing",
    run: Effect.fnUntraced(function* (s: Subject) {
      const first = yield* s.events.create("wrun_given", runCreated)
      deepStrictEqual([first.event.runId, first.allocated], ["wrun_given", 1])
      yield* write(s, "wrun_given", runStarted, inBand(1, 1))
      yield* s.pass(1_000)
      const again = yield* unchanged(s, "wrun_given", s.events.create("wrun_given", runCreated))
      deepStrictEqual([again.event, again.allocated], [first.event, 0])
    })
  },
  {
    rules: "LOG-18, FENCE-08",
    area: "log",
    title: "writers of every kind at once: fill slots 1 to n without a gap, each answered with its own slot",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      const outOfBand = Array.from({ length: 12 }, (_, n) => write(s, runId, stepCompleted(n)))
      const stale = Array.from({ length: 6 }, (_, n) => write(s, runId, stepCreated(n), inBand(1, 1)))
      const exits = yield* Effect.all([...outOfBand, ...stale].map(Effect.exit), { concurrency: "unbounded" })
      const slots = exits.filter(Exit.isSuccess).map(({ value }) => slotOf(value.event))
      const { events, snapshot } = yield* load(s, runId)
      const dense = events.map((_, index) => index + 1)
      deepStrictEqual(events.map(slotOf), dense)
      deepStrictEqual(
        [1, ...slots].sort((a, b) => a - b),
        dense
      )
      deepStrictEqual(snapshot, { seq: 14, seqInBand: 2 })
    })
  },
  {
    rules: "WORLD-28, WORLD-29",
    area: "log",
    title: "a log of several pages: is listed whole, in slot order, every page with the counters",
    needs: ["a page that can be filled"],
    run: Effect.fnUntraced(function* (s: Subject) {
      const { pageSize = 0 } = s
      const runId = yield* newRun(s)
      for (let n = 1; n < 2 * pageSize + 3; n++) yield* write(s, runId, stepCompleted(n))
      const slots: Array<number> = []
      let cursor: string | undefined
      for (;;) {
        const page = yield* s.events.list(runId, cursor === undefined ? { limit: 7 } : { cursor, limit: 7 })
        deepStrictEqual(page.snapshot, { seq: 2 * pageSize + 3, seqInBand: 1 })
        ok(page.data.length <= 7)
        slots.push(...page.data.map(slotOf))
        ok(page.cursor !== null)
        cursor = page.cursor
        if (!page.hasMore) break
      }
      deepStrictEqual(
        slots,
        Array.from({ length: 2 * pageSize + 3 }, (_, index) => index + 1)
      )
      const tail = yield* s.events.list(runId, { cursor })
      deepStrictEqual([tail.data, tail.cursor, tail.hasMore], [[], cursor, false])
      yield* write(s, runId, stepCompleted(1))
      const grown = yield* s.events.list(runId, { cursor })
      deepStrictEqual(grown.data.map(slotOf), [2 * pageSize + 4])
      const whole = yield* s.events.list(runId, { limit: 1_000 })
      strictEqual(whole.data.length, pageSize)
    })
  },
  {
    rules: "WORLD-14, WORLD-18, WORLD-19, CONF-11",
    area: "log",
    title: "every field that a writer sends: is listed as it was sent",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      const sent = [
        runStarted,
        inlineStarted(1),
        stepCreated(2),
        stepStarted(2),
        stepRetrying(2),
        stepStarted(2, 2),
        stepFailed(2),
        hookCreated(3),
        hookReceived(3, "t")
      ]
      for (const data of sent) yield* write(s, runId, data)
      const { events } = yield* load(s, runId)
      deepStrictEqual(
        events.map(({ eventId: _id, runId: _run, createdAt: _at, ...data }) => data),
        [runCreated, ...sent]
      )
    })
  },
  {
    rules: "WORLD-29, POST-05, LOG-17",
    area: "log",
    title: "a log that is read while others write: is a gapless beginning that covers every slot of its snapshot",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      const writing = Effect.forEach([1, 2, 3, 4, 5, 6], (n) => write(s, runId, stepCompleted(n)), {
        concurrency: "unbounded"
      })
      const reading = Effect.forEach(
        [1, 2, 3, 4, 5, 6],
        () =>
          Effect.map(load(s, runId), ({ events, snapshot }) => {
            deepStrictEqual(
              events.map(slotOf),
              events.map((_, index) => index + 1)
            )
            ok(events.length >= snapshot.seq, `slot ${snapshot.seq} of the snapshot is not in the load`)
          }),
        { concurrency: "unbounded" }
      )
      yield* Effect.all([writing, reading], { concurrency: "unbounded" })
    })
  },
  {
    rules: "RUN-35",
    area: "log",
    title: "a start that carries a creation: creates a run that was never created, with the counts of one that was",
    run: Effect.fnUntraced(function* (s: Subject) {
      const { event, allocated } = yield* write(s, "wrun_unborn", creatingStart, inBand(1, 1))
      deepStrictEqual([event.eventType, slotOf(event), allocated], ["run_started", 2, 1])
      const { events, snapshot } = yield* load(s, "wrun_unborn")
      deepStrictEqual(
        events.map(({ eventType }) => eventType),
        ["run_created", "run_started"]
      )
      deepStrictEqual(snapshot, { seq: 2, seqInBand: 2 })
      yield* unchanged(
        s,
        "wrun_unborn",
        refused(write(s, "wrun_unborn", creatingStart, inBand(1, 1)), "InBandSupersededError")
      )
    })
  },
  {
    rules: "WORLD-18, LOG-18",
    area: "log",
    title: "ids, names and texts of any kind: are kept to the letter, and apart from each other",
    run: Effect.fnUntraced(function* (s: Subject) {
      const odd = ["__proto__", "a'b", 'a"b', "a\\b", "a/b", "%", " ", "ü \u{1F600}", "constructor", "x".repeat(500)]
      const runIds = yield* Effect.forEach(odd, (name) =>
        Effect.as(s.events.create(`wrun_${name}`, runCreated), `wrun_${name}`)
      )
      for (const [n, runId] of runIds.entries()) {
        const name = odd[n] ?? ""
        const data: EventInput = {
          eventType: "step_created",
          specVersion: 9,
          correlationId: name,
          eventData: {
            stepName: name,
            input: JSON.stringify([name, "\u0000\n"]),
            inline: false,
            creatorMessageId: name
          }
        }
        yield* write(s, runId, data, inBand(1, 1))
        const { events } = yield* load(s, runId)
        const { eventId: _id, runId: found, createdAt: _at, ...kept } = events[1] ?? events[0]!
        deepStrictEqual([events.length, found, kept], [2, runId, data])
      }
    })
  },
  {
    rules: "WORLD-18",
    area: "log",
    title: "an event of a megabyte: is kept to the letter, or refused and leaves nothing behind",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      const result = JSON.stringify("é".repeat(512 * 1024))
      const data: EventInput = {
        eventType: "step_completed",
        specVersion: 9,
        correlationId: "step_1",
        eventData: { stepName: "charge", result }
      }
      const before = yield* snapshotOf(s, runId)
      const exit = yield* Effect.exit(write(s, runId, data))
      const { events, snapshot } = yield* load(s, runId)
      if (Exit.isFailure(exit)) return deepStrictEqual(snapshot, before)
      const last = events.at(-1)
      ok(last?.eventType === "step_completed" && last.eventData.result === result, "the text was changed")
    })
  }
]
