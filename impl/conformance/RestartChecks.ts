/**
 * What a World owes its users over the end of its process.
 *
 * @module
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert"
import { Effect } from "effect"
import type { Check } from "./Check.ts"
import { hookCreated, runStarted, stepCompleted } from "./SampleEvents.ts"
import type { Subject } from "./Subject.ts"
import {
  acknowledge,
  answered,
  claimed,
  inBand,
  load,
  newRun,
  refused,
  stepMessage,
  wake,
  write
} from "./Vocabulary.ts"

const again = (s: Subject) =>
  Effect.suspend(() => {
    ok(s.restart !== undefined, "the World cannot be restarted")
    return s.restart
  })

const needs = ["a restart"] as const

/** The checks of restarts. */
export const restartChecks: ReadonlyArray<Check> = [
  {
    rules: "WORLD-26, WORLD-32, FENCE-05",
    area: "restart",
    needs,
    title: "a log after a restart: is what it was, with its counters, and the fence refuses who is behind",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      yield* write(s, runId, runStarted, inBand(1, 1))
      yield* write(s, runId, stepCompleted(1))
      yield* write(s, runId, hookCreated(2), inBand(2, 3))
      const before = yield* load(s, runId)
      const after = yield* again(s)
      deepStrictEqual(yield* load(after, runId), before)
      yield* refused(write(after, runId, stepCompleted(3), inBand(2, 4)), "InBandSupersededError")
      yield* write(after, runId, stepCompleted(3), inBand(3, 4))
      strictEqual((yield* after.events.getHookByToken("t")).runId, runId)
    })
  },
  {
    rules: "DEDUPE-07, QUEUE-16, DEDUPE-22, LOCALPG-30",
    area: "restart",
    needs: [...needs, "time that can be moved"],
    title:
      "messages after a restart: are delivered, and one that was under way is counted above 1; or the queue is lost, and every open run gets a recovery",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      yield* write(s, runId, runStarted, inBand(1, 1))
      yield* s.send(wake(runId))
      const first = yield* claimed(s)
      yield* s.send(stepMessage(1, runId), { idempotencyKey: "step_1" })
      const after = yield* again(s)
      yield* after.pass(60_000)
      const found = [yield* after.deliveries.claim, yield* after.deliveries.claim]
      const recovery = found.find((delivery) => delivery?.payload.recovery === true)
      if (recovery !== undefined) {
        deepStrictEqual([recovery.payload.runId, recovery.payload.runSpecVersion], [runId, 9])
        return
      }
      const orchestrator = found.find((delivery) => delivery?.payload.stepId === undefined)
      ok(orchestrator !== undefined, "the message that was under way is lost, and no recovery was sent")
      deepStrictEqual([orchestrator.meta.messageId, orchestrator.meta.deliveryCount > 1], [first.meta.messageId, true])
      const step = found.find((delivery) => delivery?.payload.stepId === "step_1")
      ok(step !== undefined, "the step's message is lost")
      deepStrictEqual(step.meta.deliveryCount, 1)
      yield* answered(after, step, acknowledge, "done")
    })
  },
  {
    rules: "DEDUPE-22, LOCALPG-30",
    area: "restart",
    needs,
    title: "a run that had ended before a restart: gets no recovery",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      yield* write(s, runId, { eventType: "run_cancelled", specVersion: 9, eventData: {} })
      const after = yield* again(s)
      strictEqual(yield* after.deliveries.claim, undefined)
    })
  }
]
