import { deepStrictEqual, ok, strictEqual } from "node:assert"
import { Result } from "effect"
import fc from "fast-check"
import { describe, test } from "vitest"
import {
  apply,
  claimabilityOf,
  defaultMemorySettings,
  emptyState,
  inOrder,
  type MemoryState,
  type Operation
} from "../../../../impl/worlds/memory/index.ts"
import {
  acknowledge,
  ask,
  hookCreated,
  inBand,
  reject,
  runCancelled,
  runCreated,
  runStarted,
  stepCompleted,
  stepMessage,
  wake
} from "../contract/Subject.ts"

const lease = fc.record({
  messageId: fc.constantFrom("msg_000000000001", "msg_000000000002", "msg_000000000003"),
  claimedAtCount: fc.integer({ min: 1, max: 4 })
})
const runId = fc.constantFrom("wrun_000001", "wrun_000002")

const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({
    _tag: fc.constant("Create" as const),
    runId: fc.option(runId, { nil: null }),
    data: fc.constantFrom(runCreated, runStarted, runCancelled, stepCompleted(1), hookCreated(1)),
    params: fc.constantFrom({}, inBand(1, 1), inBand(2, 1), inBand(3, 1), { inBand: true })
  }),
  fc.record({ _tag: fc.constant("List" as const), runId, params: fc.constant({ limit: 3 }) }),
  fc.record({
    _tag: fc.constant("Send" as const),
    payload: fc.constantFrom<Array<ReturnType<typeof wake>>>(wake(), wake("wrun_b"), stepMessage(1)),
    options: fc.constantFrom({}, { idempotencyKey: "k" }, { delaySeconds: 2 })
  }),
  fc.constant<Operation>({ _tag: "Claim" }),
  fc.record({ _tag: fc.constant("Claim" as const), messageId: lease.map((each) => each.messageId) }),
  fc.record({
    _tag: fc.constant("Answer" as const),
    lease,
    answer: fc.constantFrom(acknowledge, reject, ask(0), ask(3))
  }),
  fc.record({ _tag: fc.constantFrom("Renew" as const, "Lapse" as const), lease }),
  fc.record({ _tag: fc.constant("Advance" as const), now: fc.nat(100_000) })
)

const topologies = ["gated", "coalescing", "unserialized"] as const
const operations = fc.array(operation, { minLength: 10, maxLength: 60 })
const empty = (topology: (typeof topologies)[number]) => emptyState({ ...defaultMemorySettings, topology })

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** Freezes a value and everything in it, so that any mutation throws. A Map cannot be frozen, so its methods are. */
const freeze = <A>(value: A): A => {
  if (!isObject(value) || Object.isFrozen(value)) return value
  if (value instanceof Map) {
    const refuse = () => {
      throw new Error("a state was mutated")
    }
    Object.assign(value, { set: refuse, delete: refuse, clear: refuse })
    for (const each of value.values()) freeze(each)
  }
  for (const each of Object.values(value)) freeze(each)
  Object.freeze(value)
  return value
}

/** Every state on the way through some operations, and every outcome. */
const walk = (from: MemoryState, along: ReadonlyArray<Operation>) => {
  const states = [from]
  const outcomes = along.map((each) => {
    const { state, outcome } = apply(states.at(-1)!, each)
    states.push(state)
    return outcome
  })
  return { states, outcomes }
}

describe("the memory World's transition function", () => {
  test("any operations: are applied without touching the state they are applied to", () => {
    fc.assert(
      fc.property(fc.constantFrom(...topologies), operations, (topology, along) => {
        let state = freeze(empty(topology))
        for (const each of along) state = freeze(apply(state, freeze(each)).state)
      })
    )
  })

  test("the same operations: give the same states and outcomes, also from a state that was kept", () => {
    fc.assert(
      fc.property(fc.constantFrom(...topologies), operations, fc.nat(), (topology, along, where) => {
        const first = walk(empty(topology), along)
        deepStrictEqual(walk(empty(topology), along), first)
        const cut = where % along.length
        const again = walk(first.states[cut]!, along.slice(cut))
        deepStrictEqual(again.outcomes, first.outcomes.slice(cut))
      })
    )
  })

  test("a refused write: returns the very state that it was given (FENCE-08)", () => {
    const { states } = walk(empty("gated"), [{ _tag: "Create", runId: "wrun_1", data: runCreated, params: {} }])
    const before = states[1]!
    for (const params of [inBand(2, 1), { inBand: true }]) {
      const { state, outcome } = apply(before, { _tag: "Create", runId: "wrun_1", data: runStarted, params })
      ok(Result.isFailure(outcome))
      strictEqual(state, before)
    }
  })

  test("the states that operations reach: hold dense logs, counters that fit, and one lease per serialized run", () => {
    let leases = 0
    fc.assert(
      fc.property(fc.constantFrom("gated" as const, "coalescing" as const), operations, (topology, along) => {
        for (const state of walk(empty(topology), along).states) {
          for (const { events, seqInBand } of state.logs.values()) {
            deepStrictEqual(
              events.map(({ eventId }) => Number(eventId.slice(5))),
              events.map((_, index) => index + 1)
            )
            ok(seqInBand >= 1 && seqInBand <= events.length)
          }
          const held = [...state.queue.messages.values()].filter(
            ({ lease, payload }) => lease !== undefined && payload.stepId === undefined
          )
          leases += held.length
          strictEqual(new Set(held.map(({ payload }) => payload.runId)).size, held.length)
        }
      })
    )
    ok(leases > 0)
  })

  test("a claim by name: does to the message what claimabilityOf says, and nothing to any other", () => {
    const { states } = walk(empty("coalescing"), [
      { _tag: "Send", payload: wake(), options: {} },
      { _tag: "Send", payload: wake(), options: {} },
      { _tag: "Send", payload: wake("wrun_b"), options: { delaySeconds: 1 } },
      { _tag: "Send", payload: stepMessage(1), options: {} },
      { _tag: "Claim", messageId: "msg_000000000001" }
    ])
    const state = states.at(-1)!
    const expected = {
      leased: "Nothing",
      coalesce: "Coalesced",
      delayed: "Nothing",
      deliver: "Delivered",
      gated: "Nothing"
    }
    const messages = [...inOrder(state.queue)]
    deepStrictEqual(
      messages.map((message) => claimabilityOf(state.queue, message, "coalescing", 0)),
      ["leased", "coalesce", "deliver", "delayed"]
    )
    for (const message of messages) {
      const claim = apply<"Claim">(state, { _tag: "Claim", messageId: message.messageId })
      ok(Result.isSuccess(claim.outcome))
      const can = claimabilityOf(state.queue, message, "coalescing", 0)
      strictEqual(claim.outcome.success._tag, expected[can])
      strictEqual(claim.state === state, expected[can] === "Nothing")
    }
    strictEqual(claimabilityOf(state.queue, messages[1]!, "gated", 0), "gated")
    strictEqual(claimabilityOf(state.queue, messages[1]!, "unserialized", 0), "deliver")
  })
})
