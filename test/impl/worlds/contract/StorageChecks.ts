/**
 * What a World's storage owes a runtime, one check for each thing that an outsider can observe.
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert"
import { Effect, Exit } from "effect"
import { slotOf } from "../../../../impl/world/index.ts"
import {
  type Check,
  hookCreated,
  hookReceived,
  inBand,
  inlineStarted,
  load,
  newRun,
  PAGE_SIZE,
  pass,
  refused,
  runCancelled,
  runCompleted,
  runCreated,
  runFailed,
  runStarted,
  type Subject,
  snapshotOf,
  stepCompleted,
  stepCreated,
  stepFailed,
  stepRetrying,
  stepStarted,
  unchanged,
  write
} from "./Subject.ts"

export const storageChecks: ReadonlyArray<Check> = [
  {
    rules: "WORLD-27, WORLD-28",
    title: "a new run: holds one slot, counted in-band",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      deepStrictEqual(yield* snapshotOf(s, runId), { seq: 1, seqInBand: 1 })
    })
  },
  {
    rules: "WORLD-32, FENCE-07, FENCE-08",
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
    rules: "WORLD-24",
    title: "an in-band write without the slot it was decided at: hears 400 and changes nothing",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      for (const eventCount of [undefined, -1, 2]) {
        const params = { inBand: true, expectedSeqInBand: 1, ...(eventCount === undefined ? {} : { eventCount }) }
        const error = yield* unchanged(s, runId, refused(write(s, runId, runStarted, params), "WorkflowWorldError"))
        strictEqual(error.status, 400)
      }
    })
  },
  {
    rules: "WORLD-38, FENCE-09",
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
    title: "a report larger than a page: is a gapless beginning that says it is incomplete",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      for (let n = 1; n <= PAGE_SIZE + 1; n++) yield* write(s, runId, stepCompleted(n))
      const cut = yield* write(s, runId, runStarted, inBand(1, 1))
      strictEqual(cut.hasMore, true)
      deepStrictEqual(
        cut.events.map(slotOf),
        cut.events.map((_, index) => index + 2)
      )
      const whole = yield* write(s, runId, inlineStarted(99), inBand(2, 4))
      deepStrictEqual([whole.hasMore, whole.events.length], [false, PAGE_SIZE - 1])
    })
  },
  {
    rules: "WORLD-42, CONF-10",
    title: "the time of an event: is an in-band writer's own when it gives one, and otherwise the World's",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      yield* pass(5_000)
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
    rules: "WORLD-11",
    title: "a run that has ended: takes no start and no creation, hears 410, and changes nothing",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      yield* write(s, runId, runCancelled)
      for (const data of [stepCreated(1), stepStarted(1), stepRetrying(1), runStarted]) {
        const error = yield* unchanged(s, runId, refused(write(s, runId, data, inBand(1, 2)), "RunExpiredError"))
        strictEqual(error.status, 410)
        yield* unchanged(s, runId, refused(write(s, runId, data), "RunExpiredError"))
      }
    })
  },
  {
    rules: "WORLD-12",
    title: "a run that has ended: still takes the outcomes of its bodies",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      yield* write(s, runId, runCancelled)
      yield* write(s, runId, stepCompleted(1))
      yield* write(s, runId, stepFailed(2))
      deepStrictEqual(yield* snapshotOf(s, runId), { seq: 4, seqInBand: 1 })
    })
  },
  {
    rules: "HOOK-45",
    title: "a run that has ended: takes no second end and no hook event, hears 409, and allocates nothing",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      yield* write(s, runId, hookCreated(1), inBand(1, 1))
      yield* write(s, runId, runCompleted, inBand(2, 2))
      for (const data of [runCompleted, runFailed, runCancelled, hookCreated(2, "u"), hookReceived(1)]) {
        for (const params of [{}, inBand(3, 3)]) {
          const error = yield* unchanged(s, runId, refused(write(s, runId, data, params), "EntityConflictError"))
          ok(error._tag === "EntityConflictError")
          deepStrictEqual([error.status, error.conflict], [409, "run-ended"])
        }
      }
    })
  },
  {
    rules: "DEDUPE-13",
    title: "a start from outside of a step that has its outcome: hears 409 and changes nothing",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      for (const [step, outcome] of [stepCompleted, stepFailed].entries()) {
        yield* write(s, runId, stepStarted(step))
        yield* write(s, runId, outcome(step))
        const error = yield* unchanged(s, runId, refused(write(s, runId, stepStarted(step)), "EntityConflictError"))
        ok(error._tag === "EntityConflictError")
        deepStrictEqual([error.status, error.conflict], [409, "step-ended"])
      }
    })
  },
  {
    rules: "DEDUPE-13, STEP-10",
    title: "a start from outside of a step that has none: is taken, whatever became of other steps and other runs",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      const other = yield* newRun(s)
      yield* write(s, other, stepCompleted(1))
      yield* write(s, runId, stepCompleted(2))
      yield* write(s, runId, stepStarted(1))
      yield* write(s, runId, stepRetrying(1))
      yield* write(s, runId, stepStarted(1))
      deepStrictEqual(yield* snapshotOf(s, runId), { seq: 5, seqInBand: 1 })
    })
  },
  {
    rules: "WORLD-08, WORLD-09",
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
    title: "run_created for a run that exists: converges on its event and allocates nothing",
    run: Effect.fnUntraced(function* (s: Subject) {
      const first = yield* s.events.create("wrun_given", runCreated)
      deepStrictEqual([first.event.runId, first.allocated], ["wrun_given", 1])
      yield* write(s, "wrun_given", runStarted, inBand(1, 1))
      yield* pass(1_000)
      const again = yield* unchanged(s, "wrun_given", s.events.create("wrun_given", runCreated))
      deepStrictEqual([again.event, again.allocated], [first.event, 0])
    })
  },
  {
    rules: "",
    title: "runs created without an id: have different ids",
    run: Effect.fnUntraced(function* (s: Subject) {
      const ids = [yield* newRun(s), yield* newRun(s), yield* newRun(s)]
      strictEqual(new Set(ids).size, 3)
    })
  },
  {
    rules: "LOG-18, FENCE-08",
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
    title: "a log of several pages: is listed whole, in slot order, every page with the counters",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      for (let n = 1; n < 2 * PAGE_SIZE + 3; n++) yield* write(s, runId, stepCompleted(n))
      const slots: Array<number> = []
      let cursor: string | undefined
      for (;;) {
        const page = yield* s.events.list(runId, cursor === undefined ? { limit: 7 } : { cursor, limit: 7 })
        deepStrictEqual(page.snapshot, { seq: 2 * PAGE_SIZE + 3, seqInBand: 1 })
        ok(page.data.length <= 7)
        slots.push(...page.data.map(slotOf))
        ok(page.cursor !== null)
        cursor = page.cursor
        if (!page.hasMore) break
      }
      deepStrictEqual(
        slots,
        Array.from({ length: 2 * PAGE_SIZE + 3 }, (_, index) => index + 1)
      )
      const tail = yield* s.events.list(runId, { cursor })
      deepStrictEqual([tail.data, tail.cursor, tail.hasMore], [[], cursor, false])
      yield* write(s, runId, stepCompleted(1))
      const grown = yield* s.events.list(runId, { cursor })
      deepStrictEqual(grown.data.map(slotOf), [2 * PAGE_SIZE + 4])
      const whole = yield* s.events.list(runId, { limit: 1_000 })
      strictEqual(whole.data.length, PAGE_SIZE)
    })
  },
  {
    rules: "",
    title: "a page that cannot be: a limit below one or a cursor of another kind hears 400",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      for (const params of [{ limit: 0 }, { limit: 1.5 }, { cursor: "2" }]) {
        const error = yield* refused(s.events.list(runId, params), "WorkflowWorldError")
        strictEqual(error.status, 400)
      }
    })
  },
  {
    rules: "WORLD-14, WORLD-18, WORLD-19, CONF-11",
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
    rules: "HOOK-45",
    title: "a hook's token: finds the hook while its run lives, and nothing before or after",
    run: Effect.fnUntraced(function* (s: Subject) {
      yield* refused(s.events.getHookByToken("t"), "HookNotFoundError")
      const runId = yield* newRun(s)
      yield* write(s, runId, hookCreated(1), inBand(1, 1))
      deepStrictEqual(yield* s.events.getHookByToken("t"), { runId, hookId: "hook_1", token: "t", createdAt: 0 })
      yield* write(s, runId, hookReceived(1))
      yield* s.events.getHookByToken("t")
      yield* write(s, runId, runCancelled)
      yield* refused(s.events.getHookByToken("t"), "HookNotFoundError")
    })
  },
  {
    rules: "HOOK-24, SIM-108",
    title: "a token in use: becomes a conflict in the second creator's log, and is free again when its run has ended",
    run: Effect.fnUntraced(function* (s: Subject) {
      const [first, second] = [yield* newRun(s), yield* newRun(s)]
      yield* write(s, first, hookCreated(1), inBand(1, 1))
      const { event, allocated } = yield* write(s, second, hookCreated(1), inBand(1, 1))
      ok(event.eventType === "hook_conflict")
      deepStrictEqual(
        [event.correlationId, event.eventData, allocated],
        ["hook_1", { token: "t", conflictingRunId: first }, 1]
      )
      deepStrictEqual((yield* load(s, second)).events.at(-1), event)
      deepStrictEqual(yield* snapshotOf(s, second), { seq: 2, seqInBand: 2 })
      yield* refused(write(s, second, hookReceived(1)), "HookNotFoundError")
      yield* write(s, first, runCancelled)
      yield* write(s, second, hookCreated(2), inBand(2, 2))
      strictEqual((yield* s.events.getHookByToken("t")).runId, second)
    })
  },
  {
    rules: "",
    title: "a payload for a hook that its run does not have: hears 404 and changes nothing",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      yield* unchanged(s, runId, refused(write(s, runId, hookReceived(1)), "HookNotFoundError"))
    })
  },
  {
    rules: "",
    title: "a run that does not exist: hears 404 from every call",
    run: Effect.fnUntraced(function* (s: Subject) {
      yield* refused(s.events.list("wrun_none"), "RunNotFoundError")
      yield* refused(s.events.getRun("wrun_none"), "RunNotFoundError")
      yield* refused(write(s, "wrun_none", runStarted, inBand(0, 0)), "RunNotFoundError")
      yield* refused(write(s, "wrun_none", stepCompleted(1)), "RunNotFoundError")
      yield* refused(s.events.list("wrun_none"), "RunNotFoundError")
    })
  },
  {
    rules: "LOG-33",
    title: "a run's status: follows its start and its end",
    run: Effect.fnUntraced(function* (s: Subject) {
      const status = (runId: string) => Effect.map(s.events.getRun(runId), (run) => run.status)
      const ends = [
        [runCompleted, "completed"],
        [runFailed, "failed"],
        [runCancelled, "cancelled"]
      ] as const
      for (const [end, expected] of ends) {
        const runId = yield* newRun(s)
        strictEqual(yield* status(runId), "pending")
        yield* write(s, runId, runStarted, inBand(1, 1))
        yield* write(s, runId, stepCompleted(1))
        strictEqual(yield* status(runId), "running")
        const { event } = yield* write(s, runId, end)
        yield* write(s, runId, stepCompleted(2))
        const run = yield* s.events.getRun(runId)
        deepStrictEqual([run.status, run.terminal, run.workflowName], [expected, event, "checkout"])
      }
    })
  }
]
