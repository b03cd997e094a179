/**
 * What the Worlds of this project keep beyond the contract: how they refuse what a World need not refuse.
 */
import { deepStrictEqual, notStrictEqual, ok, strictEqual } from "node:assert"
import { Effect } from "effect"
import type { Check, Subject } from "../../../../impl/conformance/index.ts"
import { MAX_COALESCED_RERUNS } from "../../../../impl/world/index.ts"
import {
  acknowledge,
  answered,
  ask,
  claimed,
  counted,
  hookCreated,
  hookReceived,
  inBand,
  LEASE_MS,
  newRun,
  nothing,
  refused,
  reject,
  rerun,
  runCancelled,
  runCompleted,
  runCreated,
  runFailed,
  runStarted,
  snapshotOf,
  stepCompleted,
  stepFailed,
  stepMessage,
  stepRetrying,
  stepStarted,
  unchanged,
  wake,
  write
} from "./Subject.ts"

const leasesOf = (s: Subject) => {
  ok(s.deliveries.leases !== undefined)
  return s.deliveries.leases
}

export const ownChecks: ReadonlyArray<Check> = [
  {
    rules: "WORLD-24",
    area: "log",
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
    rules: "HOOK-45",
    area: "log",
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
    area: "log",
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
    area: "log",
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
    rules: "",
    area: "log",
    title: "runs created without an id: have different ids",
    run: Effect.fnUntraced(function* (s: Subject) {
      const ids = [yield* newRun(s), yield* newRun(s), yield* newRun(s)]
      strictEqual(new Set(ids).size, 3)
    })
  },
  {
    rules: "",
    area: "log",
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
    rules: "",
    area: "log",
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
    rules: "",
    area: "queue",
    title: "a delay that is no number of seconds: hears 400 and sends nothing",
    run: Effect.fnUntraced(function* (s: Subject) {
      for (const delaySeconds of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
        const error = yield* Effect.flip(s.send(wake(), { delaySeconds }))
        strictEqual(error.status, 400)
      }
      yield* nothing(s)
    })
  },
  {
    rules: "",
    area: "queue",
    title: "messages that are due: are delivered in the order in which they became due",
    run: Effect.fnUntraced(function* (s: Subject) {
      const ids = []
      for (const [n, delaySeconds] of [
        [1, 3],
        [2, 0],
        [3, 1],
        [4, 1]
      ] as const) {
        ids.push((yield* s.send(stepMessage(n), { delaySeconds })).messageId)
      }
      yield* s.pass(5_000)
      const order = []
      for (let n = 0; n < 4; n++) order.push((yield* claimed(s)).meta.messageId)
      deepStrictEqual(order, [ids[1], ids[2], ids[3], ids[0]])
    })
  },
  {
    rules: "DEDUPE-07",
    area: "queue",
    title: "a lease that is given up: brings its message back at once, counted",
    run: Effect.fnUntraced(function* (s: Subject) {
      const { messageId } = yield* s.send(wake())
      yield* leasesOf(s).release((yield* claimed(s)).lease)
      counted(yield* claimed(s), messageId, 2, 2)
    })
  },
  {
    rules: "FENCE-04",
    area: "queue",
    title: "a renewed lease: lasts from the renewal, and one that has lapsed cannot be renewed",
    run: Effect.fnUntraced(function* (s: Subject) {
      yield* s.send(wake())
      const { lease } = yield* claimed(s)
      yield* s.pass(LEASE_MS - 1)
      strictEqual(yield* leasesOf(s).renew(lease), true)
      yield* s.pass(LEASE_MS - 1)
      yield* nothing(s)
      yield* s.pass(1)
      strictEqual(yield* leasesOf(s).renew(lease), false)
      yield* claimed(s)
      strictEqual(yield* leasesOf(s).renew(lease), false)
    })
  },
  {
    rules: "",
    area: "queue",
    title: "an answer after the lease has lapsed: changes nothing, whatever it is",
    run: Effect.fnUntraced(function* (s: Subject) {
      const { messageId } = yield* s.send(wake())
      const old = yield* claimed(s)
      yield* s.pass(LEASE_MS)
      yield* answered(s, old, acknowledge, "stale")
      const current = yield* claimed(s)
      counted(current, messageId, 2, 2)
      for (const late of [acknowledge, ask(0), ask(5), reject]) yield* answered(s, old, late, "stale")
      yield* nothing(s)
      yield* answered(s, current, ask(5), "done")
      yield* answered(s, current, acknowledge, "stale")
      yield* s.pass(5_000)
      counted(yield* claimed(s), messageId, 3, 3)
    })
  },
  {
    rules: "QUEUE-12",
    area: "queue",
    title: "a failed delivery: comes back after a back-off that grows, as the next delivery and attempt",
    run: Effect.fnUntraced(function* (s: Subject) {
      const { messageId } = yield* s.send(wake())
      yield* answered(s, yield* claimed(s), reject, "done")
      yield* nothing(s)
      yield* s.pass(1_000)
      const second = yield* claimed(s)
      counted(second, messageId, 2, 2)
      yield* answered(s, second, reject, "done")
      yield* s.pass(1_000)
      yield* nothing(s)
      yield* s.pass(1_000)
      counted(yield* claimed(s), messageId, 3, 3)
    })
  },
  {
    rules: "DEDUPE-03, DEDUPE-12",
    area: "queue",
    title: "a key: belongs to one message, and is free when that message is acknowledged",
    run: Effect.fnUntraced(function* (s: Subject) {
      const first = yield* s.send(stepMessage(1), { idempotencyKey: "a" })
      const other = yield* s.send(stepMessage(1), { idempotencyKey: "b" })
      deepStrictEqual([first.deduplicated, other.deduplicated], [false, false])
      yield* answered(s, yield* claimed(s), acknowledge, "done")
      const next = yield* s.send(stepMessage(1), { idempotencyKey: "a" })
      strictEqual(next.deduplicated, false)
      notStrictEqual(next.messageId, first.messageId)
      const plain = [yield* s.send(stepMessage(1)), yield* s.send(stepMessage(1))]
      notStrictEqual(plain[0]?.messageId, plain[1]?.messageId)
    })
  },
  {
    rules: "LOCALPG-28",
    area: "queue",
    title: "a handoff next to waiting messages: keeps its place ahead of what was sent after it",
    topology: "gated",
    needs: ["time that can be moved"],
    run: Effect.fnUntraced(function* (s: Subject) {
      const { messageId } = yield* s.send(wake())
      const first = yield* claimed(s)
      yield* s.pass(1)
      yield* s.send(wake())
      yield* answered(s, first, ask(0), "handoff")
      counted(yield* claimed(s), messageId, 2, 1)
    })
  },
  {
    rules: "QUEUE-32, COAL-01",
    area: "coalescing",
    title: "a coalescing run whose message waits out a delay: is held by it, and its redelivery covers the others",
    needs: ["time that can be moved"],
    topology: "coalescing",
    run: Effect.fnUntraced(function* (s: Subject) {
      for (const [answer, seconds] of [
        [ask(60), 60],
        [reject, 1]
      ] as const) {
        const { messageId } = yield* s.send(wake())
        yield* answered(s, yield* claimed(s), answer, "done")
        yield* s.send(wake())
        yield* nothing(s)
        yield* s.pass(seconds * 1000)
        const again = yield* claimed(s)
        counted(again, messageId, 2, 2)
        yield* answered(s, again, acknowledge, "done")
        yield* s.pass(LEASE_MS)
        yield* nothing(s)
      }
    })
  },
  {
    rules: "NEXT-12, ROUTE-30",
    area: "queue",
    title: "an unstamped message: waits its turn when its run has one orchestrator, or does not exist yet",
    topology: "gated",
    needs: ["capabilities.maxConcurrency"],
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      const old = yield* s.events.create(null, { ...runCreated, specVersion: 8 })
      for (const id of [runId, "wrun_unborn", old.event.runId]) {
        yield* s.send(wake(id))
        yield* claimed(s)
        yield* s.send({ runId: id })
      }
      strictEqual((yield* claimed(s)).payload.runId, old.event.runId)
      yield* nothing(s)
    })
  },
  {
    rules: "COAL-07, COAL-18",
    area: "coalescing",
    title: `a delivery that was run again ${MAX_COALESCED_RERUNS} times: is handed off at the next refused acknowledgment`,
    topology: "coalescing",
    run: Effect.fnUntraced(function* (s: Subject) {
      const { messageId } = yield* s.send(wake())
      const first = yield* claimed(s)
      for (let run = 1; run <= MAX_COALESCED_RERUNS; run++) {
        yield* s.send(wake())
        yield* nothing(s)
        const again = yield* rerun(s, first)
        counted(again, messageId, 1 + run, 1)
      }
      yield* s.send(wake())
      yield* nothing(s)
      yield* answered(s, first, acknowledge, "handoff")
      const next = yield* claimed(s)
      counted(next, messageId, MAX_COALESCED_RERUNS + 2, 1)
      yield* answered(s, next, acknowledge, "done")
    })
  }
]
