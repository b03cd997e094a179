/** Properties that no model lists as the first to fail, each violated; and what the documents describe, walked. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { Behaviours, check } from "../../../../model/checker/index.ts"
import { outboxModels, outboxSwitches, type Rule, type Rules } from "../../../../model/protocol/outbox/index.ts"

const rules = (off?: Rule): Rules =>
  Object.fromEntries(Object.keys(outboxSwitches).map((name) => [name, name !== off])) as Rules

const specOf = (name: string, off?: Rule) => {
  const model = outboxModels.find((one) => one.name === name)
  if (model === undefined) throw new Error(`there is no model ${name}`)
  return model.spec(rules(off))
}

/** A step, and what its parameters are. */
type Taken = readonly [action: string, parameters?: { readonly [name: string]: string }]

/** Takes the steps, each of which must lead to one state, and returns the last. */
const walk = Effect.fnUntraced(function* (behaviours: Behaviours.Behaviours, steps: ReadonlyArray<Taken>) {
  let state: Behaviours.State = behaviours.initial[0]
  for (const [action, parameters = {}] of steps) {
    const [only, ...others] = yield* behaviours.apply(state, action, parameters)
    expect([action, only === undefined, others.length]).toEqual([action, false, 0])
    if (only === undefined) throw new Error(`${action} is not enabled`)
    state = only
  }
  return state
})

const dispatch = { intent: "dispatch-x" }
const step = { step: "x" }
const b = { run: "b" }

describe("the properties of the outbox", () => {
  it.effect.each([
    ["outbox-crash", "intent-committed", "RunEndsEventually"],
    ["outbox-poisoned", "core-limit-first", "RunEndsEventually"],
    ["outbox-redrive", "redrive-under-new-key", "EndedInv"],
    ["claim-crossed", "callbacks-outside-gates", "ClaimSettlesEventually"],
    ["claim-forced", "admission-persisted", "FreedEventually"],
    ["claim-third", "pending-takeover-blocks", "OneHolderInv"],
    ["claim-free-token", "disposal-may-precede-hook", "OneHolderInv"]
  ] as const)("%s without %s: %s fails too", ([name, rule, property]) =>
    Effect.gen(function* () {
      const report = yield* check(specOf(name, rule), { continue: true })
      expect(report.counterexamples.map((found) => found.property)).toContain(property)
    })
  )
})

describe("what the documents describe", () => {
  it.effect("OUTBOX-02: a reset between commit and publication: the stored debt is published afterwards", () =>
    Effect.gen(function* () {
      const behaviours = yield* Behaviours.make(specOf("outbox-crash"))
      const committed: ReadonlyArray<Taken> = [["AcceptCreation", step], ["BeginPublication", dispatch], ["ResetStore"]]
      const reset = behaviours.read(yield* walk(behaviours, committed))
      expect(reset).toMatchObject({ publisher: null, intent: { "dispatch-x": { at: "owed" } } })
      expect(reset).toMatchObject({ queue: { "dispatch-x": [] } })
      const sent = yield* walk(behaviours, [
        ...committed,
        ["BeginPublication", dispatch],
        ["Publish"],
        ["MarkDelivered"]
      ])
      expect(behaviours.read(sent)).toMatchObject({
        intent: { "dispatch-x": { at: "delivered" } },
        queue: { "dispatch-x": [{ key: 0, attempt: 1, held: false }] }
      })
    })
  )

  it.effect("OUTBOX-07: the acknowledgment of a publication is lost: it is published again, and accepted once", () =>
    Effect.gen(function* () {
      const behaviours = yield* Behaviours.make(specOf("outbox-crash"))
      const twice = yield* walk(behaviours, [
        ["AcceptCreation", step],
        ["BeginPublication", dispatch],
        ["LoseAnswer"],
        ["BeginPublication", dispatch],
        ["Publish"]
      ])
      expect(behaviours.read(twice)).toMatchObject({
        accepted: { "dispatch-x": [0] },
        queue: { "dispatch-x": [{ key: 0, attempt: 1, held: false }] }
      })
    })
  )

  it.effect(
    "OUTBOX-14: the acknowledgment is lost before the outcome is stored: the body runs again, its effect does not",
    () =>
      Effect.gen(function* () {
        const behaviours = yield* Behaviours.make(specOf("outbox-deliveries"))
        const again = yield* walk(behaviours, [
          ["AcceptCreation", step],
          ["BeginPublication", dispatch],
          ["Publish"],
          ["Deliver", dispatch],
          ["RunBody", step],
          ["LoseDelivery", dispatch],
          ["Deliver", dispatch],
          ["RunBody", step]
        ])
        expect(behaviours.read(again)).toMatchObject({ bodies: { x: 2 }, charges: { x: 1 } })
      })
  )

  it.effect("OUTBOX-29: a message is buried and redriven: it lives again under a new key", () =>
    Effect.gen(function* () {
      const behaviours = yield* Behaviours.make(specOf("outbox-redrive"))
      const redriven = yield* walk(behaviours, [
        ["AcceptCreation", step],
        ["BeginPublication", dispatch],
        ["Publish"],
        ["MarkDelivered"],
        ["Deliver", dispatch],
        ["LoseDelivery", dispatch],
        ["Deliver", dispatch],
        ["LoseDelivery", dispatch],
        ["Redrive", dispatch],
        ["BeginPublication", dispatch],
        ["Publish"]
      ])
      expect(behaviours.read(redriven)).toMatchObject({
        letters: { "dispatch-x": 0 },
        accepted: { "dispatch-x": [0, 1] },
        queue: { "dispatch-x": [{ key: 1, attempt: 1, held: false }] }
      })
    })
  )

  it.effect(
    "OUTBOX-11: a reset after the registry has decided: the claim goes on, and is given the same decision",
    () =>
      Effect.gen(function* () {
        const behaviours = yield* Behaviours.make(specOf("claim-forced"))
        const claimed = yield* walk(behaviours, [
          ["Admit", b],
          ["Decide", b],
          ["ResetClaim", b],
          ["ResumeClaim", b],
          ["Decide", b],
          ["RecordDecision", b],
          ["DisposePrevious", b],
          ["RecordDisposal", b],
          ["ReleaseToken", b],
          ["TransferToken", b],
          ["RecordTransfer", b],
          ["CommitHook", b]
        ])
        expect(behaviours.read(claimed)).toMatchObject({
          token: { t: { owner: "b", pending: null } },
          hook: { "a-t": { takenBy: "b" }, "b-t": { created: true, takenBy: null } },
          claim: { b: { at: "committed", from: "a" } }
        })
      })
  )

  it.effect("OUTBOX-12: a takeover is pending: a third claim is not decided", () =>
    Effect.gen(function* () {
      const behaviours = yield* Behaviours.make(specOf("claim-third"))
      const pending = yield* walk(behaviours, [
        ["Admit", b],
        ["Admit", { run: "c" }],
        ["Decide", b]
      ])
      expect(yield* behaviours.apply(pending, "Decide", { run: "c" })).toEqual([])
    })
  )
})
