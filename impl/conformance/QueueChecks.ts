/**
 * What a World's queue owes a runtime: which message is delivered when, as which of its deliveries, and beside which.
 *
 * @module
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert"
import { Effect } from "effect"
import { answerOf, type WorkflowInvokePayload } from "../world/index.ts"
import type { Check } from "./Check.ts"
import type { Subject } from "./Subject.ts"
import {
  acknowledge,
  answered,
  ask,
  claimed,
  counted,
  leaseMsOf,
  nothing,
  reject,
  stepMessage,
  wake
} from "./Vocabulary.ts"

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** The checks of queues. */
export const queueChecks: ReadonlyArray<Check> = [
  {
    rules: "QUEUE-15, QUEUE-19",
    area: "queue",
    title: "a sent message: is delivered once, as its first delivery and first attempt",
    needs: ["time that can be moved"],
    run: Effect.fnUntraced(function* (s: Subject) {
      const { messageId, deduplicated } = yield* s.send(wake())
      strictEqual(deduplicated, false)
      yield* s.pass(10)
      const delivery = yield* claimed(s)
      counted(delivery, messageId, 1, 1)
      strictEqual(delivery.meta.invocationStartedAt, 10)
      yield* nothing(s)
    })
  },
  {
    rules: "DEDUPE-11",
    area: "queue",
    title: "a payload: is delivered with every field that was sent",
    run: Effect.fnUntraced(function* (s: Subject) {
      const payload: WorkflowInvokePayload = {
        runId: "wrun_a",
        runSpecVersion: 9,
        runContext: { workflowName: "checkout", specVersion: 9 },
        stepId: "step_1",
        stepName: "charge",
        stepAttempt: 2,
        stepInput: "[1]",
        stepCreatedEventId: "evnt_1",
        stepCreatedAt: 7,
        stepResent: true
      }
      yield* s.send(payload)
      deepStrictEqual((yield* claimed(s)).payload, payload)
    })
  },
  {
    rules: "QUEUE-11",
    area: "queue",
    title: "an acknowledged message: is never delivered again",
    needs: ["time that can be moved"],
    run: Effect.fnUntraced(function* (s: Subject) {
      yield* s.send(wake())
      yield* answered(s, yield* claimed(s), acknowledge, "done")
      yield* s.pass(10 * leaseMsOf(s))
      yield* nothing(s)
    })
  },
  {
    rules: "QUEUE-05",
    area: "queue",
    title: "a delayed message: is delivered after its delay and not before",
    needs: ["time that can be moved"],
    run: Effect.fnUntraced(function* (s: Subject) {
      yield* s.send(wake(), { delaySeconds: 5 })
      yield* s.pass(4_999)
      yield* nothing(s)
      yield* s.pass(1)
      yield* claimed(s)
    })
  },
  {
    rules: "DEDUPE-03, DEDUPE-04",
    area: "queue",
    title: "a second send under a key: is dropped while the first message waits, is delivered, is delayed or backs off",
    needs: ["time that can be moved"],
    run: Effect.fnUntraced(function* (s: Subject) {
      const key = { idempotencyKey: "step_1" }
      const again = Effect.fnUntraced(function* (messageId: string) {
        deepStrictEqual(yield* s.send(stepMessage(1), key), { messageId, deduplicated: true })
      })
      const { messageId } = yield* s.send(stepMessage(1), { ...key, delaySeconds: 2 })
      yield* again(messageId)
      yield* nothing(s)
      yield* s.pass(2_000)
      yield* again(messageId)
      const first = yield* claimed(s)
      yield* again(messageId)
      yield* nothing(s)
      yield* answered(s, first, ask(60), "done")
      yield* again(messageId)
      yield* nothing(s)
      yield* s.pass(60_000)
      const second = yield* claimed(s)
      counted(second, messageId, 2, 2)
      yield* answered(s, second, reject, "done")
      yield* again(messageId)
      yield* nothing(s)
      yield* s.pass(300_000)
      counted(yield* claimed(s), messageId, 3, 3)
    })
  },
  {
    rules: "DEDUPE-03, DEDUPE-25",
    area: "queue",
    title: "messages under different keys, or under none: are messages of their own",
    run: Effect.fnUntraced(function* (s: Subject) {
      const sent = [
        yield* s.send(stepMessage(1), { idempotencyKey: "a" }),
        yield* s.send(stepMessage(1), { idempotencyKey: "b" }),
        yield* s.send(stepMessage(1)),
        yield* s.send(stepMessage(1))
      ]
      strictEqual(new Set(sent.map(({ messageId }) => messageId)).size, 4)
      strictEqual(
        sent.some(({ deduplicated }) => deduplicated),
        false
      )
    })
  },
  {
    rules: "DEDUPE-07, QUEUE-14, QUEUE-23",
    area: "queue",
    title: "a delivery that does not answer within its lease: is followed by one counted above 1, of the same message",
    needs: ["time that can be moved", "leases that can be held"],
    run: Effect.fnUntraced(function* (s: Subject) {
      const { messageId } = yield* s.send(wake())
      yield* claimed(s)
      yield* s.pass(leaseMsOf(s) - 1)
      yield* nothing(s)
      yield* s.pass(1)
      counted(yield* claimed(s), messageId, 2, 2)
    })
  },
  {
    rules: "QUEUE-02, QUEUE-14, QUEUE-43",
    area: "queue",
    title: "a delivery that asks for its message again: gets it after that time, as the next delivery and attempt",
    needs: ["time that can be moved"],
    run: Effect.fnUntraced(function* (s: Subject) {
      const { messageId } = yield* s.send(wake())
      yield* answered(s, yield* claimed(s), ask(1), "done")
      yield* s.pass(999)
      yield* nothing(s)
      yield* s.pass(1)
      counted(yield* claimed(s), messageId, 2, 2)
    })
  },
  {
    rules: "HAND-01, HAND-12, QUEUE-06, QUEUE-22",
    area: "queue",
    title: "a handoff: delivers the same message at once and is not an attempt",
    run: Effect.fnUntraced(function* (s: Subject) {
      const { messageId } = yield* s.send(wake())
      yield* answered(s, yield* claimed(s), ask(0), "handoff")
      const second = yield* claimed(s)
      counted(second, messageId, 2, 1)
      yield* answered(s, second, ask(0), "handoff")
      counted(yield* claimed(s), messageId, 3, 1)
    })
  },
  {
    rules: "QUEUE-29, LOCALPG-03",
    area: "queue",
    title: "a gated run: has one orchestrator delivery at a time, and the next waits for the answer",
    topology: "gated",
    needs: ["capabilities.maxConcurrency"],
    run: Effect.fnUntraced(function* (s: Subject) {
      yield* s.send(wake())
      const { messageId } = yield* s.send(wake())
      const first = yield* claimed(s)
      yield* nothing(s)
      yield* answered(s, first, acknowledge, "done")
      counted(yield* claimed(s), messageId, 1, 1)
    })
  },
  ...(["gated", "coalescing"] as const).map(
    (topology): Check => ({
      rules: "QUEUE-30, QUEUE-31",
      area: "queue",
      title: `a ${topology} run that is held: holds back no step message, no other run, no hop and no run of spec 8`,
      topology,
      needs: ["capabilities.maxConcurrency"],
      run: Effect.fnUntraced(function* (s: Subject) {
        yield* s.send(wake())
        yield* claimed(s)
        const hop = { correlationId: "wait_1", deadlineMs: 9, resumeAtMs: 9, hopAtMs: 8 }
        const sent = [
          yield* s.send(stepMessage(1)),
          yield* s.send(wake("wrun_b")),
          yield* s.send({ ...wake(), waitContinuation: hop }),
          yield* s.send({ runId: "wrun_a", runSpecVersion: 8 }),
          yield* s.send(stepMessage(2))
        ]
        const got = []
        for (let n = 0; n < 5; n++) got.push((yield* claimed(s)).meta.messageId)
        deepStrictEqual(
          got,
          sent.map(({ messageId }) => messageId)
        )
      })
    })
  ),
  {
    rules: "QUEUE-32",
    area: "queue",
    title: "a gated run whose message waits out a delay: is not held by it",
    topology: "gated",
    needs: ["capabilities.maxConcurrency"],
    run: Effect.fnUntraced(function* (s: Subject) {
      yield* s.send(wake())
      yield* answered(s, yield* claimed(s), ask(60), "done")
      const { messageId } = yield* s.send(wake())
      counted(yield* claimed(s), messageId, 1, 1)
    })
  },
  {
    rules: "TOPO-02",
    area: "queue",
    title: "an unserialized run: has its orchestrator messages delivered side by side",
    topology: "unserialized",
    run: Effect.fnUntraced(function* (s: Subject) {
      const sent = [yield* s.send(wake()), yield* s.send(wake())]
      const deliveries = [yield* claimed(s), yield* claimed(s)]
      deepStrictEqual(
        deliveries.map(({ meta }) => meta.messageId),
        sent.map(({ messageId }) => messageId)
      )
      for (const delivery of deliveries) yield* answered(s, delivery, acknowledge, "done")
    })
  },
  {
    rules: "QUEUE-12, DEDUPE-07, QUEUE-16",
    area: "queue",
    title: "a failed delivery: is followed by one of the same message, counted above 1, as a further attempt",
    needs: ["time that can be moved"],
    run: Effect.fnUntraced(function* (s: Subject) {
      const { messageId } = yield* s.send(wake())
      yield* answered(s, yield* claimed(s), reject, "done")
      yield* s.pass(HOUR_MS)
      counted(yield* claimed(s), messageId, 2, 2)
    })
  },
  {
    rules: "DEDUPE-05",
    area: "queue",
    title: "a step message whose deliveries fail for an hour: is still delivered",
    needs: ["time that can be moved"],
    run: Effect.fnUntraced(function* (s: Subject) {
      const { messageId } = yield* s.send(stepMessage(1))
      let last = 0
      for (let passed = 0; passed <= HOUR_MS; passed += 60_000) {
        const delivery = yield* s.deliveries.claim
        if (delivery !== undefined) {
          strictEqual(delivery.meta.messageId, messageId)
          ok(delivery.meta.deliveryCount > last, "a redelivery was counted as the one before")
          last = delivery.meta.deliveryCount
          yield* answered(s, delivery, reject, "done")
        }
        yield* s.pass(60_000)
      }
      ok(last > 2, `there were ${last} deliveries in an hour`)
      yield* s.pass(DAY_MS)
      counted(yield* claimed(s), messageId, last + 1, last + 1)
    })
  },
  {
    rules: "DEDUPE-03, DEDUPE-04",
    area: "queue",
    title: "a key: is kept for a day while its message lives, and the second send brings no second message",
    needs: ["time that can be moved"],
    run: Effect.fnUntraced(function* (s: Subject) {
      const key = { idempotencyKey: "step_1" }
      const { messageId } = yield* s.send(stepMessage(1), {
        ...key,
        delaySeconds: DAY_MS / 1000,
        retentionSeconds: 7 * DAY_MS
      })
      for (let hours = 1; hours < 24; hours++) {
        yield* s.pass(HOUR_MS)
        strictEqual((yield* s.send(stepMessage(1), key)).messageId, messageId)
      }
      yield* nothing(s)
      yield* s.pass(HOUR_MS)
      counted(yield* claimed(s), messageId, 1, 1)
      yield* nothing(s)
    })
  },
  {
    rules: "QUEUE-07",
    area: "queue",
    title: "a time that is no number of seconds: is a counted redelivery and never a handoff",
    needs: ["time that can be moved"],
    run: Effect.fnUntraced(function* (s: Subject) {
      for (const seconds of [Number.NaN, Number.POSITIVE_INFINITY, -1]) {
        const answer = answerOf({ timeoutSeconds: seconds })
        const { messageId } = yield* s.send(wake())
        yield* answered(s, yield* claimed(s), answer, "done")
        yield* nothing(s)
        yield* s.pass(HOUR_MS)
        const again = yield* claimed(s)
        counted(again, messageId, 2, 2)
        yield* answered(s, again, acknowledge, "done")
      }
    })
  }
]
