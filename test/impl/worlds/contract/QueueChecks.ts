/**
 * What a World's queue owes a runtime, one check for each thing that an outsider can observe.
 */
import { deepStrictEqual, notStrictEqual, ok, strictEqual } from "node:assert"
import { Effect } from "effect"
import { MAX_COALESCED_RERUNS, type WorkflowInvokePayload } from "../../../../impl/world/index.ts"
import {
  acknowledge,
  answered,
  ask,
  type Check,
  claimed,
  counted,
  LEASE_MS,
  newRun,
  nothing,
  pass,
  reject,
  runCreated,
  type Subject,
  stepMessage,
  wake
} from "./Subject.ts"

export const queueChecks: ReadonlyArray<Check> = [
  {
    rules: "QUEUE-15, QUEUE-19",
    title: "a sent message: is delivered once, as its first delivery and first attempt",
    run: Effect.fnUntraced(function* (s: Subject) {
      const { messageId, deduplicated } = yield* s.send(wake())
      strictEqual(deduplicated, false)
      yield* pass(10)
      const delivery = yield* claimed(s)
      counted(delivery, messageId, 1, 1)
      strictEqual(delivery.meta.invocationStartedAt, 10)
      yield* nothing(s)
    })
  },
  {
    rules: "DEDUPE-11",
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
    title: "an acknowledged message: is never delivered again",
    run: Effect.fnUntraced(function* (s: Subject) {
      yield* s.send(wake())
      yield* answered(s, yield* claimed(s), acknowledge, "done")
      yield* pass(10 * LEASE_MS)
      yield* nothing(s)
    })
  },
  {
    rules: "QUEUE-05",
    title: "a delayed message: is delivered after its delay and not before",
    run: Effect.fnUntraced(function* (s: Subject) {
      yield* s.send(wake(), { delaySeconds: 5 })
      yield* pass(4_999)
      yield* nothing(s)
      yield* pass(1)
      yield* claimed(s)
    })
  },
  {
    rules: "",
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
      yield* pass(5_000)
      const order = []
      for (let n = 0; n < 4; n++) order.push((yield* claimed(s)).meta.messageId)
      deepStrictEqual(order, [ids[1], ids[2], ids[3], ids[0]])
    })
  },
  {
    rules: "DEDUPE-03, DEDUPE-04",
    title: "a second send under a key: is dropped while the first message waits, is delivered, is delayed or backs off",
    run: Effect.fnUntraced(function* (s: Subject) {
      const key = { idempotencyKey: "step_1" }
      const again = Effect.fnUntraced(function* (messageId: string) {
        deepStrictEqual(yield* s.send(stepMessage(1), key), { messageId, deduplicated: true })
      })
      const { messageId } = yield* s.send(stepMessage(1), { ...key, delaySeconds: 2 })
      yield* again(messageId)
      yield* nothing(s)
      yield* pass(2_000)
      yield* again(messageId)
      const first = yield* claimed(s)
      yield* again(messageId)
      yield* nothing(s)
      yield* answered(s, first, ask(60), "done")
      yield* again(messageId)
      yield* nothing(s)
      yield* pass(60_000)
      const second = yield* claimed(s)
      counted(second, messageId, 2, 2)
      yield* answered(s, second, reject, "done")
      yield* again(messageId)
      yield* nothing(s)
      yield* pass(300_000)
      counted(yield* claimed(s), messageId, 3, 3)
    })
  },
  {
    rules: "DEDUPE-03, DEDUPE-12",
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
    rules: "DEDUPE-07, QUEUE-14, QUEUE-23",
    title: "a delivery that does not answer within its lease: is followed by one counted above 1, of the same message",
    run: Effect.fnUntraced(function* (s: Subject) {
      const { messageId } = yield* s.send(wake())
      yield* claimed(s)
      yield* pass(LEASE_MS - 1)
      yield* nothing(s)
      yield* pass(1)
      counted(yield* claimed(s), messageId, 2, 2)
    })
  },
  {
    rules: "DEDUPE-07",
    title: "a lease that is given up: brings its message back at once, counted",
    run: Effect.fnUntraced(function* (s: Subject) {
      const { messageId } = yield* s.send(wake())
      yield* s.deliveries.release((yield* claimed(s)).lease)
      counted(yield* claimed(s), messageId, 2, 2)
    })
  },
  {
    rules: "FENCE-04",
    title: "a renewed lease: lasts from the renewal, and one that has lapsed cannot be renewed",
    run: Effect.fnUntraced(function* (s: Subject) {
      yield* s.send(wake())
      const { lease } = yield* claimed(s)
      yield* pass(LEASE_MS - 1)
      strictEqual(yield* s.deliveries.renew(lease), true)
      yield* pass(LEASE_MS - 1)
      yield* nothing(s)
      yield* pass(1)
      strictEqual(yield* s.deliveries.renew(lease), false)
      yield* claimed(s)
      strictEqual(yield* s.deliveries.renew(lease), false)
    })
  },
  {
    rules: "",
    title: "an answer after the lease has lapsed: changes nothing, whatever it is",
    run: Effect.fnUntraced(function* (s: Subject) {
      const { messageId } = yield* s.send(wake())
      const old = yield* claimed(s)
      yield* pass(LEASE_MS)
      yield* answered(s, old, acknowledge, "stale")
      const current = yield* claimed(s)
      counted(current, messageId, 2, 2)
      for (const late of [acknowledge, ask(0), ask(5), reject]) yield* answered(s, old, late, "stale")
      yield* nothing(s)
      yield* answered(s, current, ask(5), "done")
      yield* answered(s, current, acknowledge, "stale")
      yield* pass(5_000)
      counted(yield* claimed(s), messageId, 3, 3)
    })
  },
  {
    rules: "QUEUE-02, QUEUE-14, QUEUE-43",
    title: "a delivery that asks for its message again: gets it after that time, as the next delivery and attempt",
    run: Effect.fnUntraced(function* (s: Subject) {
      const { messageId } = yield* s.send(wake())
      yield* answered(s, yield* claimed(s), ask(1), "done")
      yield* pass(999)
      yield* nothing(s)
      yield* pass(1)
      counted(yield* claimed(s), messageId, 2, 2)
    })
  },
  {
    rules: "HAND-01, HAND-12, QUEUE-06, QUEUE-22",
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
    rules: "LOCALPG-28",
    title: "a handoff next to waiting messages: keeps its place ahead of what was sent after it",
    topology: "gated",
    run: Effect.fnUntraced(function* (s: Subject) {
      const { messageId } = yield* s.send(wake())
      const first = yield* claimed(s)
      yield* pass(1)
      yield* s.send(wake())
      yield* answered(s, first, ask(0), "handoff")
      counted(yield* claimed(s), messageId, 2, 1)
    })
  },
  {
    rules: "QUEUE-12",
    title: "a failed delivery: comes back after a back-off that grows, as the next delivery and attempt",
    run: Effect.fnUntraced(function* (s: Subject) {
      const { messageId } = yield* s.send(wake())
      yield* answered(s, yield* claimed(s), reject, "done")
      yield* nothing(s)
      yield* pass(1_000)
      const second = yield* claimed(s)
      counted(second, messageId, 2, 2)
      yield* answered(s, second, reject, "done")
      yield* pass(1_000)
      yield* nothing(s)
      yield* pass(1_000)
      counted(yield* claimed(s), messageId, 3, 3)
    })
  },
  {
    rules: "QUEUE-17, QUEUE-19, QUEUE-20, QUEUE-21, QUEUE-22, QUEUE-23, QUEUE-24",
    title: "the attempt over a message's life: leaves out re-runs and handoffs, and counts lapses and redeliveries",
    run: Effect.fnUntraced(function* (s: Subject) {
      const { messageId } = yield* s.send(wake())
      const first = yield* claimed(s)
      counted(first, messageId, 1, 1)
      for (const rerun of [1, 2]) {
        yield* s.send(wake())
        yield* nothing(s)
        const again = yield* answered(s, first, acknowledge, "rerun")
        ok(again.accepted === "rerun")
        counted(again, messageId, 1 + rerun, 1)
      }
      yield* answered(s, first, ask(0), "handoff")
      counted(yield* claimed(s), messageId, 4, 1)
      yield* pass(LEASE_MS)
      const afterLapse = yield* claimed(s)
      counted(afterLapse, messageId, 5, 2)
      yield* answered(s, afterLapse, ask(1), "done")
      yield* pass(1_000)
      counted(yield* claimed(s), messageId, 6, 3)
    })
  },
  {
    rules: "QUEUE-29, LOCALPG-03",
    title: "a gated run: has one orchestrator delivery at a time, and the next waits for the answer",
    topology: "gated",
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
      title: `a ${topology} run that is held: holds back no step message, no other run, no hop and no run of spec 8`,
      topology,
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
    title: "a gated run whose message waits out a delay: is not held by it",
    topology: "gated",
    run: Effect.fnUntraced(function* (s: Subject) {
      yield* s.send(wake())
      yield* answered(s, yield* claimed(s), ask(60), "done")
      const { messageId } = yield* s.send(wake())
      counted(yield* claimed(s), messageId, 1, 1)
    })
  },
  {
    rules: "QUEUE-32, COAL-01",
    title: "a coalescing run whose message waits out a delay: is held by it, and its redelivery covers the others",
    run: Effect.fnUntraced(function* (s: Subject) {
      for (const [answer, seconds] of [
        [ask(60), 60],
        [reject, 1]
      ] as const) {
        const { messageId } = yield* s.send(wake())
        yield* answered(s, yield* claimed(s), answer, "done")
        yield* s.send(wake())
        yield* nothing(s)
        yield* pass(seconds * 1000)
        const again = yield* claimed(s)
        counted(again, messageId, 2, 2)
        yield* answered(s, again, acknowledge, "done")
        yield* pass(LEASE_MS)
        yield* nothing(s)
      }
    })
  },
  {
    rules: "NEXT-12, ROUTE-30",
    title: "an unstamped message: waits its turn when its run has one orchestrator, or does not exist yet",
    topology: "gated",
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
    rules: "COAL-22, LOCALPG-29",
    title: "a recovery beside a held run: is held back and delivered afterwards, never folded in",
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
    title: "a message that comes due while its run is held: runs the holder again and is never delivered",
    run: Effect.fnUntraced(function* (s: Subject) {
      const { messageId } = yield* s.send(wake())
      yield* pass(7)
      const first = yield* claimed(s)
      yield* s.send(wake())
      yield* s.send(wake())
      yield* nothing(s)
      yield* pass(20)
      const again = yield* answered(s, first, acknowledge, "rerun")
      ok(again.accepted === "rerun")
      counted(again, messageId, 2, 1)
      strictEqual(again.meta.invocationStartedAt, 7)
      yield* pass(LEASE_MS - 1)
      yield* nothing(s)
      yield* answered(s, first, acknowledge, "done")
      yield* pass(LEASE_MS)
      yield* nothing(s)
    })
  },
  {
    rules: "COAL-01",
    title: "a message that is not due yet: is not folded into the run's delivery",
    run: Effect.fnUntraced(function* (s: Subject) {
      yield* s.send(wake())
      const first = yield* claimed(s)
      const { messageId } = yield* s.send(wake(), { delaySeconds: 1 })
      yield* nothing(s)
      yield* answered(s, first, acknowledge, "done")
      yield* pass(1_000)
      counted(yield* claimed(s), messageId, 1, 1)
    })
  },
  {
    rules: "COAL-07, COAL-18",
    title: `a delivery that was run again ${MAX_COALESCED_RERUNS} times: is handed off at the next refused acknowledgment`,
    run: Effect.fnUntraced(function* (s: Subject) {
      const { messageId } = yield* s.send(wake())
      const first = yield* claimed(s)
      for (let rerun = 1; rerun <= MAX_COALESCED_RERUNS; rerun++) {
        yield* s.send(wake())
        yield* nothing(s)
        const again = yield* answered(s, first, acknowledge, "rerun")
        ok(again.accepted === "rerun")
        counted(again, messageId, 1 + rerun, 1)
      }
      yield* s.send(wake())
      yield* nothing(s)
      yield* answered(s, first, acknowledge, "handoff")
      const next = yield* claimed(s)
      counted(next, messageId, MAX_COALESCED_RERUNS + 2, 1)
      yield* answered(s, next, acknowledge, "done")
    })
  },
  {
    rules: "DEDUPE-07, COAL-02",
    title: "a holder that dies with messages folded in: is redelivered, counted above 1, and covers them",
    run: Effect.fnUntraced(function* (s: Subject) {
      const { messageId } = yield* s.send(wake())
      yield* claimed(s)
      yield* s.send(wake())
      yield* nothing(s)
      yield* pass(LEASE_MS)
      const second = yield* claimed(s)
      counted(second, messageId, 2, 2)
      yield* answered(s, second, acknowledge, "done")
      yield* pass(LEASE_MS)
      yield* nothing(s)
    })
  },
  {
    rules: "TOPO-02",
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
  }
]
