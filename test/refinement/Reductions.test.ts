import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fence } from "../../model/checker/examples/Fence.ts"
import { twoPhase } from "../../model/checker/examples/TwoPhase.ts"
import { check, type Report } from "../../model/checker/index.ts"
import { registry, specWithout } from "../../refinement/cli/Registry.ts"

/** Larger ones are left to those who run them by hand. */
const MOST_STATES = 20_000

const verdicts = ({ result, properties, sometimes, reasons }: Report) => ({ result, properties, sometimes, reasons })

describe("reductions on the shipped models", () => {
  const models = registry.filter(({ expect }) => expect.distinct !== undefined && expect.distinct <= MOST_STATES)

  it("most of the models are among them", () => {
    assert.isAbove(models.length, 30)
  })

  for (const model of models) {
    it.effect(`${model.name}: the verdicts with partial-order reduction are those without`, () =>
      Effect.gen(function* () {
        // Together with properties of behaviours the reduction is refused: it is compared on what else is asked.
        const spec = { ...specWithout(model, []), temporal: {}, fairness: {} }
        const all = yield* check(spec, { continue: true })
        const some = yield* check(spec, { continue: true, partialOrder: true })
        assert.deepStrictEqual(verdicts(some), verdicts(all))
        assert.isAtMost(some.distinct, all.distinct)
      })
    )
  }

  const managers = ["r1", "r2", "r3", "r4", "r5"]
  for (const count of [3, 5]) {
    it.effect(`two-phase commit of ${count}, its managers interchangeable: the same verdicts, and the same space`, () =>
      Effect.gen(function* () {
        for (const unanimity of [true, false]) {
          const spec = twoPhase("two-phase", managers.slice(0, count), { unanimity })
          const all = yield* check(spec, { continue: true })
          const some = yield* check({ ...spec, symmetry: [managers.slice(0, count)] }, { continue: true })
          assert.deepStrictEqual(verdicts(some), verdicts(all))
          assert.strictEqual(some.symmetry?.states, all.distinct)
          assert.isBelow(some.distinct * 3, all.distinct)
          const lengths = (report: Report) => report.counterexamples.map(({ steps }) => steps.length)
          assert.deepStrictEqual(lengths(some), lengths(all))
        }
      })
    )
  }

  it.effect("the fence, whose log names its writers by number: symmetry is refused", () =>
    Effect.gen(function* () {
      const spec = fence("fence-2", {
        deliveries: [1, 2],
        longestLog: 3,
        outsideWrites: 1,
        crashes: 1,
        redeliveries: 1
      })
      const error = yield* Effect.flip(check({ ...spec, symmetry: [[1, 2]] }))
      assert.include(error.message, "the spec tells the elements apart")
    })
  )
})
