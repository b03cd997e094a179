import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { check } from "../../../model/checker/index.ts"
import { everyRule, models, switches } from "../../../model/protocol/index.ts"
import { describeManifests } from "./Manifests.ts"

describeManifests("the bounded models", models, switches)

describe("rules of the log, off", () => {
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
