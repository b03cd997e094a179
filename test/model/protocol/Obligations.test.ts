/** What is owed has somebody who sees to it: each conjunct of the invariant fails without a rule that it rests on. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { check } from "../../../model/checker/index.ts"
import { everyRule, models, type Rule } from "../../../model/protocol/index.ts"

const lost: ReadonlyArray<readonly [model: string, rule: Rule, conjunct: string]> = [
  ["obligations-of-a-fan-out-gated", "terminal-wake", "run"],
  ["obligations-of-a-fan-out-gated", "re-send", "steps"],
  ["obligations-of-a-retry-gated", "re-send", "steps"],
  ["obligations-of-two-sleeps-gated", "completer-owns-chain", "waits"],
  // A stalled delivery is alone with the step that it has created (STEP-47).
  ["obligations-of-a-stall-gated", "first-delivery-re-sends", "steps"],
  ["obligations-of-a-stall-gated", "refused-start-wakes", "run"]
]

describe("ObligationInv", () => {
  for (const [name, rule, conjunct] of lost) {
    it.effect(`${name}: without ${rule}: nobody sees to what is owed to: ${conjunct}`, () =>
      Effect.gen(function* () {
        const model = models.find((one) => one.name === name)
        if (model === undefined) throw new Error(`there is no model ${name}`)
        const report = yield* check(model.spec({ ...everyRule, [rule]: false }))
        expect(report.counterexamples.map((found) => [found.property, found.conjunct])).toEqual([
          ["ObligationInv", conjunct]
        ])
      })
    )
  }

  it("the models: every one in which everything holds with every rule on: is asked of", () => {
    const holding = models.filter(({ expect: { result } }) => result === "ok")
    const unasked = holding.filter(({ spec }) => !("ObligationInv" in spec(everyRule).invariants))
    expect(holding.length).toBeGreaterThan(80)
    // Their World lacks a rule, whatever is switched.
    expect(unasked.map(({ name }) => name)).toEqual(["at-most-once-re-sent-gated", "at-most-once-re-sent-coalescing"])
  })
})
