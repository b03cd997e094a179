import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fence } from "../../../../model/checker/examples/Fence.ts"
import { largeOracles, oracles } from "../../../../model/checker/examples/index.ts"
import { twoJugs } from "../../../../model/checker/examples/TwoJugs.ts"
import { check } from "../../../../model/checker/index.ts"
import type { Expectation, Model } from "../../../../model/checker/Language.ts"

/** The figures known from elsewhere: two published puzzles, and TLC on the fence. A change here is a mistake. */
const known: { readonly [model: string]: Expectation } = {
  "two-jugs": { result: "violation", property: "NotFourInv", steps: 6, distinct: 16 },
  "two-phase-3": { result: "ok", distinct: 288 },
  "two-phase-5": { result: "ok", distinct: 8_832 },
  "fence-3": { result: "ok", distinct: 1_927_191, generated: 6_375_951, depth: 22 }
}

const specWith = (model: Model, off: string | undefined) =>
  model.spec(Object.fromEntries(Object.keys(model.switches).map((rule) => [rule, rule !== off])))

describe("oracles", () => {
  it.effect.each(oracles.map((model) => [model.name, model] as const))(
    "$0: everything explored: exactly the known figures",
    ([name, model]) =>
      Effect.gen(function* () {
        const expected = known[name]
        assert.isDefined(expected)
        assert.deepInclude(model.expect, expected)
        const report = yield* check(specWith(model, undefined), { continue: true })
        const [first] = report.counterexamples
        const found = {
          result: report.result,
          distinct: report.distinct,
          generated: report.generated,
          depth: report.depth,
          ...(first === undefined ? {} : { property: first.property, steps: first.steps.length - 1 })
        }
        assert.deepInclude(found, model.expect)
        assert.deepStrictEqual(report.warnings, [])
      })
  )

  // Violations of the large ones are near: what takes long is that there are none.
  const ablations = [...oracles, ...largeOracles].flatMap((model) =>
    Object.keys(model.switches).map((rule) => [model.name, rule, model] as const)
  )

  it.effect.each(ablations)(
    "$0 without $1: checked: the property that the rule is for fails, in as few steps as expected",
    ([, rule, model]) =>
      Effect.gen(function* () {
        const report = yield* check(specWith(model, rule))
        const [first] = report.counterexamples
        assert.strictEqual(first?.property, model.switches[rule]?.violates)
        assert.deepStrictEqual(
          { result: report.result, property: first?.property, steps: (first?.steps.length ?? 0) - 1 },
          { ...model.without[rule], result: "violation" }
        )
      })
  )

  it.effect("two jugs: without the wish: nothing fails", () =>
    Effect.gen(function* () {
      const report = yield* check(twoJugs({ wish: false }))
      assert.deepStrictEqual([report.result, report.distinct], ["ok", 16])
    })
  )

  it.effect("the fence: a writer that miscounts: its count no longer fits the log", () =>
    Effect.gen(function* () {
      const sound = fence("miscounted", {
        deliveries: [1, 2],
        longestLog: 3,
        outsideWrites: 1,
        crashes: 0,
        redeliveries: 0
      })
      assert.strictEqual((yield* check({ ...sound, neverFires: ["Crash", "Redeliver"] })).result, "ok")
      const [init] = sound.init
      const report = yield* check({ ...sound, init: [{ ...init, fenced: 1 }] })
      assert.strictEqual(report.counterexamples[0]?.property, "CountInv")
    })
  )

  it.effect("the fence: small: the same figures with and without footprints", () =>
    Effect.gen(function* () {
      const small = fence("fence-2", {
        deliveries: [1, 2],
        longestLog: 4,
        outsideWrites: 1,
        crashes: 1,
        redeliveries: 1
      })
      const [cached, plain] = [yield* check(small), yield* check(small, { caching: false })]
      for (const figure of ["distinct", "generated", "depth", "actions"] as const) {
        assert.deepStrictEqual(cached[figure], plain[figure])
      }
      assert.isBelow(cached.evaluations, plain.evaluations / 5)
    })
  )
})
