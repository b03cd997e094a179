import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import {
  check,
  differences,
  type Expectation,
  type Model,
  needsAllStates,
  type Switch
} from "../../../model/checker/index.ts"

const everyRule = (model: Model): { [rule: string]: boolean } =>
  Object.fromEntries(Object.keys(model.switches).map((rule) => [rule, true]))

/**
 * The tests of bounded models: each one's manifest with every rule on (and that every action happens), what each lists
 * as found with a rule off, and that each of the switches is caught by one of them on the property that it names, or is
 * said to be caught by none and is not.
 */
export const describeManifests = (
  title: string,
  models: ReadonlyArray<Model>,
  switches: { readonly [rule: string]: Switch }
): void => {
  describe(title, () => {
    for (const model of models.filter(({ set }) => set === "ci")) {
      it.effect(`${model.name}: every rule is on: the checker finds what is pinned, and every action happens`, () =>
        Effect.gen(function* () {
          const report = yield* check(model.spec(everyRule(model)), { continue: needsAllStates(model.expect) })
          expect(differences(model.expect, report)).toEqual([])
          if (model.expect.result === "ok") expect(report.warnings).toEqual([])
        })
      )
      for (const [rule, expected] of Object.entries<Expectation | undefined>(model.without)) {
        if (expected === undefined) continue
        it.effect(`${model.name}: without ${rule}: the checker finds the shortest violation`, () =>
          Effect.gen(function* () {
            const report = yield* check(model.spec({ ...everyRule(model), [rule]: false }))
            expect(differences(expected, report)).toEqual([])
          })
        )
      }
    }

    it("the switches: each of them: some model shows that its property fails without it", () => {
      const caught = models.flatMap(({ without }) =>
        Object.entries<Expectation | undefined>(without).map(([rule, expected]) => `${rule} → ${expected?.property}`)
      )
      for (const [rule, { violates, uncaught }] of Object.entries(switches)) {
        if (uncaught === undefined) expect(caught).toContain(`${rule} → ${violates}`)
        else expect(caught.filter((each) => each.startsWith(`${rule} → `) && !each.endsWith("undefined"))).toEqual([])
      }
    })

    it("the models: their names: no two are alike", () => {
      expect(new Set(models.map(({ name }) => name)).size).toBe(models.length)
    })
  })
}
