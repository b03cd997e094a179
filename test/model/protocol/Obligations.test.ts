/** What is owed has somebody who sees to it: each conjunct of the invariant fails without a rule that it rests on. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { check } from "../../../model/checker/index.ts"
import { programs } from "../../../model/programs/index.ts"
import { everyRule, models, protocol, type Rule } from "../../../model/protocol/index.ts"

const lost: ReadonlyArray<readonly [model: string, rule: Rule, conjunct: string]> = [
  ["obligations-of-a-fan-out-gated", "terminal-wake", "run"],
  ["obligations-of-a-fan-out-gated", "re-send", "steps"],
  ["obligations-of-a-retry-gated", "re-send", "steps"],
  ["obligations-of-two-sleeps-gated", "completer-owns-chain", "waits"]
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

  it.effect(
    "a lapsed lease (STEP-47): every rule is on: a stalled delivery is alone with the step it has created",
    () =>
      Effect.gen(function* () {
        const spec = protocol({
          program: programs["hook-then-step"].program,
          topology: "gated",
          maxInlineSteps: 0,
          obligations: true,
          budgets: { lapses: 1, resumes: 1 }
        })
        const report = yield* check(spec)
        expect(report.counterexamples.map((found) => [found.property, found.conjunct])).toEqual([
          ["ObligationInv", expect.any(String)]
        ])
      })
  )
})
