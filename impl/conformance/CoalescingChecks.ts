/**
 * What a queue owes a runtime when it folds a run's messages into the delivery that holds the run.
 *
 * @module
 */
import { strictEqual } from "node:assert"
import { Effect } from "effect"
import type { Check } from "./Check.ts"
import type { Subject } from "./Subject.ts"
import { acknowledge, answered, ask, claimed, counted, leaseMsOf, nothing, rerun, wake } from "./Vocabulary.ts"

/** The checks of queues that coalesce. */
export const coalescingChecks: ReadonlyArray<Check> = [
  {
    rules: "QUEUE-17, QUEUE-19, QUEUE-20, QUEUE-21, QUEUE-22, QUEUE-23, QUEUE-24",
    area: "coalescing",
    title: "the attempt over a message's life: leaves out re-runs and handoffs, and counts lapses and redeliveries",
    needs: ["time that can be moved", "leases that can be held"],
    topology: "coalescing",
    run: Effect.fnUntraced(function* (s: Subject) {
      const { messageId } = yield* s.send(wake())
      const first = yield* claimed(s)
      counted(first, messageId, 1, 1)
      for (const run of [1, 2]) {
        yield* s.send(wake())
        yield* nothing(s)
        const again = yield* rerun(s, first)
        counted(again, messageId, 1 + run, 1)
      }
      yield* answered(s, first, ask(0), "handoff")
      counted(yield* claimed(s), messageId, 4, 1)
      yield* s.pass(leaseMsOf(s))
      const afterLapse = yield* claimed(s)
      counted(afterLapse, messageId, 5, 2)
      yield* answered(s, afterLapse, ask(1), "done")
      yield* s.pass(1_000)
      counted(yield* claimed(s), messageId, 6, 3)
    })
  },
  {
    rules: "COAL-22, LOCALPG-29",
    area: "coalescing",
    title: "a recovery beside a held run: is held back and delivered afterwards, never folded in",
    needs: ["capabilities.maxConcurrency"],
    topology: "coalescing",
    run: Effect.fnUntraced(function* (s: Subject) {
      yield* s.send(wake())
      const first = yield* claimed(s)
      const { messageId } = yield* s.send({ ...wake(), recovery: true })
      yield* nothing(s)
      yield* answered(s, first, acknowledge, "done")
      const recovery = yield* claimed(s)
      counted(recovery, messageId, 1, 1)
      strictEqual(recovery.payload.recovery, true)
    })
  },
  {
    rules: "COAL-01, COAL-03, COAL-04, COAL-06, COAL-16, COAL-27, QUEUE-20",
    area: "coalescing",
    title: "a message that comes due while its run is held: runs the holder again and is never delivered",
    needs: ["time that can be moved"],
    topology: "coalescing",
    run: Effect.fnUntraced(function* (s: Subject) {
      const { messageId } = yield* s.send(wake())
      yield* s.pass(7)
      const first = yield* claimed(s)
      yield* s.send(wake())
      yield* s.send(wake())
      yield* nothing(s)
      yield* s.pass(20)
      const again = yield* rerun(s, first)
      counted(again, messageId, 2, 1)
      strictEqual(again.meta.invocationStartedAt, 7)
      yield* s.pass(leaseMsOf(s) - 1)
      yield* nothing(s)
      yield* answered(s, first, acknowledge, "done")
      yield* s.pass(leaseMsOf(s))
      yield* nothing(s)
    })
  },
  {
    rules: "COAL-01",
    area: "coalescing",
    title: "a message that is not due yet: is not folded into the run's delivery",
    needs: ["time that can be moved"],
    topology: "coalescing",
    run: Effect.fnUntraced(function* (s: Subject) {
      yield* s.send(wake())
      const first = yield* claimed(s)
      const { messageId } = yield* s.send(wake(), { delaySeconds: 1 })
      yield* nothing(s)
      yield* answered(s, first, acknowledge, "done")
      yield* s.pass(1_000)
      counted(yield* claimed(s), messageId, 1, 1)
    })
  },
  {
    rules: "DEDUPE-07, COAL-02",
    area: "coalescing",
    title: "a holder that dies with messages folded in: is redelivered, counted above 1, and covers them",
    needs: ["time that can be moved", "leases that can be held"],
    topology: "coalescing",
    run: Effect.fnUntraced(function* (s: Subject) {
      const { messageId } = yield* s.send(wake())
      yield* claimed(s)
      yield* s.send(wake())
      yield* nothing(s)
      yield* s.pass(leaseMsOf(s))
      const second = yield* claimed(s)
      counted(second, messageId, 2, 2)
      yield* answered(s, second, acknowledge, "done")
      yield* s.pass(leaseMsOf(s))
      yield* nothing(s)
    })
  }
]
