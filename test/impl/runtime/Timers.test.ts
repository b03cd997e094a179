import { Effect } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { hopAhead, SendNextHop, SendTimer, type TimerSlot, timerKey } from "../../../impl/runtime/Timers.ts"
import type { MessageQueue, SendOptions, WorkflowInvokePayload } from "../../../impl/world/index.ts"
import { isIntermediateWaitHop, singleOrchestratorRunIdOf } from "../../../impl/world/index.ts"
import { clockAt } from "./Clocks.ts"

const HOUR = 3_600_000
const HOP = 23 * HOUR
const DEADLINE = 1_800_000_000_000

interface Sent {
  readonly payload: WorkflowInvokePayload
  readonly options: SendOptions | undefined
}

/** What is sent by an effect that is given a queue, at a moment. */
const sentAt = (now: number, use: (queue: MessageQueue["Service"]) => Effect.Effect<unknown, unknown>): Sent => {
  const sent: Array<Sent> = []
  const queue: MessageQueue["Service"] = {
    send: (payload, options) =>
      Effect.sync(() => {
        sent.push({ payload, options })
        return { messageId: "m", deduplicated: false }
      }),
    serve: () => Effect.void
  }
  Effect.runSync(use(queue).pipe(clockAt(() => now)))
  expect(sent).toHaveLength(1)
  return sent[0]!
}

const timer = (now: number, slot: TimerSlot = "hop"): Sent =>
  sentAt(now, (queue) => SendTimer(queue, "run_1", { waitId: "wait_0001", resumeAt: DEADLINE }, slot, HOP))

describe("timers", () => {
  it("hops: anchored on the deadline: every sender within a hop names the same one, ahead of its clock (WAIT-53)", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 * HOP }), fc.integer({ min: 1, max: HOP }), (left, within) => {
        const now = DEADLINE - left
        const hop = hopAhead(DEADLINE, now, HOP)
        expect(hop).toBeGreaterThan(now)
        expect(hop - now).toBeLessThanOrEqual(HOP)
        expect((DEADLINE - hop) % HOP).toBe(0)
        const later = Math.min(hop - 1, now + within)
        expect(hopAhead(DEADLINE, later, HOP)).toBe(hop)
      })
    )
  })

  it("hops: a deadline that has passed: is its own (WAIT-25)", () => {
    expect(hopAhead(DEADLINE, DEADLINE, HOP)).toBe(DEADLINE)
    expect(hopAhead(DEADLINE, DEADLINE + 5 * HOP, HOP)).toBe(DEADLINE)
  })

  it("keys: each timer that a wait may need has one, told apart by deadline, hop, attempt and second (WAIT-64, WAIT-65, WAIT-66, WAIT-67, WAIT-68)", () => {
    const wait = { correlationId: "wait_0001", deadlineMs: 9_000 }
    const keys = [
      timerKey("r", wait),
      timerKey("r", { ...wait, deadlineMs: 9_001 }),
      timerKey("r", { ...wait, resumeAtMs: 9_000, hopAtMs: 8_000 }),
      timerKey("r", { ...wait, attempt: 2 }),
      timerKey("r", { ...wait, attempt: 3 }),
      timerKey("r", { ...wait, resumeAtMs: 9_000, hopAtMs: 8_000, attempt: 2 }),
      timerKey("r", { ...wait, second: 9 }),
      timerKey("r", { ...wait, second: 8 }),
      timerKey("r", { ...wait, correlationId: "wait_0002" }),
      timerKey("q", wait)
    ]
    expect(new Set(keys).size).toBe(keys.length)
    expect(keys.slice(0, 4)).toEqual([
      "wait:r/wait_0001:9000:9000",
      "wait:r/wait_0001:9001:9001",
      "wait:r/wait_0001:9000:8000",
      "wait:r/wait_0001:9000:9000:a2"
    ])
    expect(keys[6]).toBe("wait:r/wait_0001:9000:s9")
  })

  it("the last hop: is an orchestrator message without a hop's fields, delayed to the deadline (WAIT-54)", () => {
    const { payload, options } = timer(DEADLINE - 1_500)
    expect(payload.waitContinuation).toEqual({ correlationId: "wait_0001", deadlineMs: DEADLINE })
    expect(options).toEqual({ idempotencyKey: `wait:run_1/wait_0001:${DEADLINE}:${DEADLINE}`, delaySeconds: 1.5 })
    expect(isIntermediateWaitHop(payload)).toBe(false)
    expect(singleOrchestratorRunIdOf(payload)).toBe("run_1")
  })

  it("an intermediate hop: is no orchestrator message: it is neither gated nor coalesced (WAIT-55, TOPO-11)", () => {
    const { payload, options } = timer(DEADLINE - 3 * HOP - 3 * HOUR)
    expect(options?.delaySeconds).toBe(3 * 3_600)
    expect(payload.waitContinuation).toMatchObject({ resumeAtMs: DEADLINE, hopAtMs: DEADLINE - 3 * HOP })
    expect(singleOrchestratorRunIdOf(payload)).toBeUndefined()
  })

  it("a timer that stands in for another: has the sender's second, and a delay of a second at least (WAIT-35, WAIT-66)", () => {
    const { payload, options } = timer(DEADLINE - 10, "second")
    const second = Math.floor((DEADLINE - 10) / 1_000)
    expect(payload.waitContinuation).toEqual({ correlationId: "wait_0001", deadlineMs: DEADLINE, second })
    expect(options).toEqual({ idempotencyKey: `wait:run_1/wait_0001:${DEADLINE}:s${second}`, delaySeconds: 1 })
  })

  it("a timer that stands in for an intermediate hop: has the hop's own key (WAIT-73)", () => {
    const now = DEADLINE - 2 * HOP
    expect(timer(now, "second").options?.idempotencyKey).toBe(timer(now).options?.idempotencyKey)
  })

  it("an early hop: sends the hop after its own, not itself again (WAIT-57)", () => {
    const hopAtMs = DEADLINE - 2 * HOP
    const next = (attempt?: number) =>
      sentAt(hopAtMs - 5_000, (queue) =>
        SendNextHop(
          queue,
          "run_1",
          { correlationId: "wait_0001", deadlineMs: DEADLINE, ...(attempt === undefined ? {} : { attempt }) },
          { resumeAtMs: DEADLINE, hopAtMs },
          HOP
        )
      )
    expect(next().payload.waitContinuation).toMatchObject({ hopAtMs: DEADLINE - HOP })
    // What an early timer armed again stays told apart from the first chain of hops. (WAIT-71)
    expect(next(2).payload.waitContinuation).toMatchObject({ attempt: 2 })
    expect(next(2).options?.idempotencyKey).not.toBe(next().options?.idempotencyKey)
  })

  it("the hop before the last: sends the last one (WAIT-54)", () => {
    const hopAtMs = DEADLINE - HOP
    const { payload } = sentAt(hopAtMs, (queue) =>
      SendNextHop(
        queue,
        "run_1",
        { correlationId: "wait_0001", deadlineMs: DEADLINE },
        { resumeAtMs: DEADLINE, hopAtMs },
        HOP
      )
    )
    expect(payload.waitContinuation).toEqual({ correlationId: "wait_0001", deadlineMs: DEADLINE })
  })
})
