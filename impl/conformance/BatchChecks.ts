/**
 * What a World owes who writes batches: one allocation, outcomes of its own for every item, an order per step and wait.
 *
 * @module
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert"
import { Effect } from "effect"
import { type CreateEventParams, type EventInput, slotOf } from "../world/index.ts"
import type { Check } from "./Check.ts"
import {
  attributesSet,
  hookCreated,
  inlineStarted,
  runCancelled,
  runStarted,
  stepCompleted,
  stepCreated,
  waitCompleted,
  waitCreated
} from "./SampleEvents.ts"
import type { Subject } from "./Subject.ts"
import { inBand, load, newRun, refused, snapshotOf, unchanged, write } from "./Vocabulary.ts"

const batch = (s: Subject, runId: string, data: ReadonlyArray<EventInput>, params?: CreateEventParams) =>
  Effect.suspend(() => {
    const { createBatch } = s.events
    ok(createBatch !== undefined, "the World has no createBatch")
    return createBatch(runId, data, params)
  })

const needs = ["createBatch"] as const

/** The checks of batches. */
export const batchChecks: ReadonlyArray<Check> = [
  {
    rules: "WORLD-46, WORLD-32, WORLD-24",
    area: "batches",
    needs,
    title: "a batch: lands in its order on consecutive slots, and moves both counters by what it allocated",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      const data = [inlineStarted(1), stepCreated(2), waitCreated(3)]
      const { results, allocated } = yield* batch(s, runId, data, inBand(1, 1))
      deepStrictEqual(
        results.map((each) => (each._tag === "Committed" ? [slotOf(each.event), each.event.eventType] : each)),
        [
          [2, "step_started"],
          [3, "step_created"],
          [4, "wait_created"]
        ]
      )
      strictEqual(allocated, 3)
      const { events, snapshot } = yield* load(s, runId)
      deepStrictEqual(
        events.slice(1),
        results.map((each) => each._tag === "Committed" && each.event)
      )
      deepStrictEqual(snapshot, { seq: 4, seqInBand: 4 })
      yield* write(s, runId, runStarted, inBand(4, 4))
    })
  },
  {
    rules: "WORLD-32, WORLD-33, WORLD-37, FENCE-01",
    area: "batches",
    needs,
    title: "a batch at a stale count, or without one: hears 412, or 400, and nothing of it is written",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      yield* write(s, runId, runStarted, inBand(1, 1))
      const data = [inlineStarted(1), stepCreated(2)]
      yield* unchanged(s, runId, refused(batch(s, runId, data, inBand(1, 1)), "InBandSupersededError"))
      const params = { inBand: true, eventCount: 2 }
      const error = yield* unchanged(s, runId, refused(batch(s, runId, data, params), "WorkflowWorldError"))
      strictEqual(error.status, 400)
    })
  },
  {
    rules: "WORLD-46, WORLD-40",
    area: "batches",
    needs,
    title: "a batch above other events: reports them once, for the block",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      const below = [yield* write(s, runId, stepCompleted(8)), yield* write(s, runId, stepCompleted(9))]
      const { results, events, hasMore } = yield* batch(s, runId, [inlineStarted(1), waitCreated(2)], inBand(1, 1))
      deepStrictEqual(
        events,
        below.map(({ event }) => event)
      )
      deepStrictEqual([results.length, hasMore], [2, false])
    })
  },
  {
    rules: "WORLD-46, LOG-18",
    area: "batches",
    needs,
    title: "a batch while others write: keeps its events together",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      const others = Array.from({ length: 8 }, (_, n) => write(s, runId, stepCompleted(20 + n)))
      const data = [1, 2, 3, 4].map((n) => stepCreated(n))
      const [{ results, events }] = yield* Effect.all(
        [batch(s, runId, data, inBand(1, 1)), Effect.all(others, { concurrency: "unbounded" })],
        { concurrency: "unbounded" }
      )
      const slots = results.map((each) => (each._tag === "Committed" ? slotOf(each.event) : 0))
      const first = slots[0] ?? 0
      deepStrictEqual(slots, [first, first + 1, first + 2, first + 3])
      deepStrictEqual(
        events.map(slotOf),
        Array.from({ length: first - 2 }, (_, index) => index + 2)
      )
      const { events: log } = yield* load(s, runId)
      deepStrictEqual(
        log.map(slotOf),
        log.map((_, index) => index + 1)
      )
    })
  },
  {
    rules: "WORLD-47, WORLD-12",
    area: "batches",
    needs,
    title: "a batch of which an item is refused: commits the others, says which, and counts what it allocated",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      yield* write(s, runId, runCancelled)
      const data = [stepCreated(1), stepCompleted(2), waitCreated(3), waitCompleted(4)]
      const { results, allocated } = yield* batch(s, runId, data, inBand(1, 2))
      deepStrictEqual(
        results.map((each) => (each._tag === "Committed" ? each.event.eventType : each.error._tag)),
        ["RunExpiredError", "step_completed", "RunExpiredError", "wait_completed"]
      )
      const { events, snapshot } = yield* load(s, runId)
      deepStrictEqual(snapshot, { seq: 2 + allocated, seqInBand: 1 + allocated })
      deepStrictEqual(
        events.slice(2).flatMap(({ eventType }) => (eventType === "noop" ? [] : [eventType])),
        ["step_completed", "wait_completed"]
      )
      strictEqual(events.length, snapshot.seq)
    })
  },
  {
    rules: "WORLD-48",
    area: "batches",
    needs,
    title: "an outcome behind its refused creation, in one batch: is refused as well",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      yield* write(s, runId, runCancelled)
      const data = [inlineStarted(1), stepCompleted(1), waitCreated(2), stepCompleted(3), waitCompleted(2)]
      const { results } = yield* batch(s, runId, data, inBand(1, 2))
      deepStrictEqual(
        results.map(({ _tag }) => _tag),
        ["Refused", "Refused", "Refused", "Committed", "Refused"]
      )
    })
  },
  {
    rules: "WORLD-49",
    area: "batches",
    needs,
    title: "a batch that holds anything but events of steps and waits: is refused whole",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      for (const stranger of [runStarted, runCancelled, hookCreated(1), attributesSet("a", "1")]) {
        const call = batch(s, runId, [inlineStarted(1), stranger], inBand(1, 1))
        const error = yield* unchanged(s, runId, Effect.flip(call))
        ok(error.status >= 400 && error.status < 500, `it was refused with ${error.status}`)
      }
      yield* refused(s.events.getHookByToken("t"), "HookNotFoundError")
    })
  },
  {
    rules: "WORLD-42, CONF-10",
    area: "batches",
    needs,
    title: "the time of a batch's events: is the in-band writer's own",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      yield* batch(s, runId, [inlineStarted(1), stepCreated(2)], { ...inBand(1, 1), occurredAt: 1_234 })
      const { events } = yield* load(s, runId)
      deepStrictEqual(
        events.slice(1).map(({ createdAt }) => createdAt),
        [1_234, 1_234]
      )
    })
  },
  {
    rules: "WORLD-38, WORLD-23",
    area: "batches",
    needs,
    title: "a batch from outside the orchestrator: moves seq alone",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      const { allocated, events } = yield* batch(s, runId, [stepCompleted(1), stepCompleted(2)])
      deepStrictEqual([allocated, events], [2, []])
      deepStrictEqual(yield* snapshotOf(s, runId), { seq: 3, seqInBand: 1 })
    })
  }
]
