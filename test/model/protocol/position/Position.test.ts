/** The quick exit: manifests, that each property can fail, and what the switches that nothing needs alone are for. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { check, type Spec } from "../../../../model/checker/index.ts"
import {
  type PositionConfig,
  type PositionRule,
  type PositionRules,
  position,
  positionModels,
  positionSwitches
} from "../../../../model/protocol/position/index.ts"
import { describeManifests } from "../Manifests.ts"

describeManifests("the bounded models of the quick exit", positionModels, positionSwitches)

const rulesWithout = (...off: ReadonlyArray<PositionRule>): PositionRules =>
  Object.fromEntries(
    Object.keys(positionSwitches).map((rule) => [rule, !off.some((each) => each === rule)])
  ) as PositionRules

const specOf = (name: string, ...off: ReadonlyArray<PositionRule>): Spec => {
  const model = positionModels.find((one) => one.name === name)
  if (model === undefined) throw new Error(`there is no model ${name}`)
  return model.spec(rulesWithout(...off))
}

const verdict = Effect.fnUntraced(function* (spec: Spec, property: string) {
  const report = yield* check(spec, { continue: true })
  return report.properties[property]
})

describe("the properties of the quick exit", () => {
  it.effect("NoStrandInv: nothing is ever delivered: the run is stranded", () =>
    Effect.gen(function* () {
      const spec = specOf("quick-exit-early-timer")
      const Deliver: Spec["actions"][string] = { _tag: "Action", domains: {}, next: () => undefined }
      expect(yield* verdict({ ...spec, actions: { ...spec.actions, Deliver } }, "NoStrandInv")).toBe("violated")
    })
  )

  it.effect("PositionInv: a process records what the log does not hold: it is seen", () =>
    Effect.gen(function* () {
      const spec = specOf("quick-exit-payload")
      const ahead: Spec["actions"][string] = { _tag: "Action", domains: {}, next: () => ({ position: { p1: 9 } }) }
      expect(yield* verdict({ ...spec, actions: { ...spec.actions, ahead } }, "PositionInv")).toBe("violated")
    })
  )

  it.effect("RunLeadsToEnd: nobody is owed a step: the run may stand still", () =>
    Effect.gen(function* () {
      expect(yield* verdict({ ...specOf("quick-exit-early-timer"), fairness: {} }, "RunLeadsToEnd")).toBe("violated")
    })
  )
})

describe("a delivery that may leave unread", () => {
  it.effect(
    "a failed send (CAC-17): the position was recorded before it, and redeliveries may leave too: the timer is lost",
    () =>
      Effect.gen(function* () {
        const off = ["record-after-sends", "quick-exit-after-re-sends", "timers-are-read"] as const
        const config: PositionConfig = { sleeps: true, budgets: { rejects: 1, earlies: 2, spareWakes: 1 } }
        expect(yield* verdict(position(config, rulesWithout("record-after-sends")), "NoStrandInv")).toBe("holds")
        expect(yield* verdict(position(config, rulesWithout(...off)), "NoStrandInv")).toBe("violated")
      })
  )

  it.effect(
    "open question 12: a wake-up of a run whose log has not moved: is acknowledged unread unless it is named",
    () =>
      Effect.gen(function* () {
        expect(yield* verdict(specOf("quick-exit-wake-up"), "WakeUpInv")).toBe("holds")
        expect(yield* verdict(specOf("quick-exit-wake-up", "wake-ups-are-read"), "WakeUpInv")).toBe("violated")
      })
  )
})
