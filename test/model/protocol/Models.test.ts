import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { check, type Expectation, type Model, type Report } from "../../../model/checker/index.ts"
import { everyRule, models, type Rule, switches } from "../../../model/protocol/index.ts"

/** What a check found, in the terms of an expectation. */
const found = (report: Report, expected: Expectation): Expectation => {
  const counterexample = report.counterexamples[0]
  if (counterexample === undefined) {
    const { distinct, generated, depth } = report
    return { result: report.result === "ok" ? "ok" : "violation", distinct, generated, depth }
  }
  return {
    result: "violation",
    property: counterexample.property,
    ...(expected.steps === undefined ? {} : { steps: counterexample.steps.length - 1 })
  }
}

const rulesOf = (model: Model<Rule>): ReadonlyArray<Rule> =>
  Object.keys(switches).filter((rule): rule is Rule => rule in model.without)

describe("the bounded models", () => {
  for (const model of models) {
    it.effect(`${model.name}: every rule is on: the checker finds what is pinned, and every action happens`, () =>
      Effect.gen(function* () {
        const report = yield* check(model.spec(everyRule))
        expect(found(report, model.expect)).toEqual(model.expect)
        if (model.expect.result === "ok") {
          const idle = Object.entries(report.actions).filter(([, { taken }]) => taken === 0)
          expect(idle).toEqual([])
          expect(report.warnings).toEqual([])
        }
      })
    )
    for (const rule of rulesOf(model)) {
      it.effect(`${model.name}: without ${rule}: the checker finds the shortest violation`, () =>
        Effect.gen(function* () {
          const report = yield* check(model.spec({ ...everyRule, [rule]: false }))
          expect(found(report, model.without[rule] ?? model.expect)).toEqual(model.without[rule])
        })
      )
    }
  }

  it("the switches: each of them: some model shows that its property fails without it", () => {
    const caught = models.flatMap((model) => rulesOf(model).map((rule) => `${rule} → ${model.without[rule]?.property}`))
    for (const [rule, { violates }] of Object.entries(switches)) expect(caught).toContain(`${rule} → ${violates}`)
  })

  it("the models: their names: no two are alike", () => {
    expect(new Set(models.map(({ name }) => name)).size).toBe(models.length)
  })

  it.effect(
    "refusal-allocates-nothing: off: the action property and the count fail in the same step as the slots",
    () =>
      Effect.gen(function* () {
        const model = models.find(({ name }) => name === "lease-stall-gated")
        if (model === undefined) throw new Error("there is no such model")
        const spec = model.spec({ ...everyRule, "refusal-allocates-nothing": false })
        const report = yield* check(spec, { continue: true, maxStates: 20_000 })
        expect(report.counterexamples.map(({ property, steps }) => [property, steps.length - 1])).toEqual([
          ["SlotsDenseInv", 9],
          ["CountInv", 9],
          ["RefusalAllocatesNothingProp", 9]
        ])
      })
  )

  it.effect("allocate-with-append: off: a slot is seen empty, and then something appears in it", () =>
    Effect.gen(function* () {
      const model = models.find(({ name }) => name === "checkout-gated")
      if (model === undefined) throw new Error("there is no such model")
      const spec = model.spec({ ...everyRule, "allocate-with-append": false })
      const report = yield* check(spec, { continue: true })
      const violated = report.counterexamples.map(({ property, steps }) => `${property} in ${steps.length - 1}`)
      expect(violated).toContain("SlotsDenseInv in 5")
      expect(violated).toContain("AppendOnlyProp in 6")
    })
  )
})
