/** Rotation: manifests, what the numbers rest on, and that each property can fail. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, test } from "vitest"
import { check, type Spec } from "../../../../model/checker/index.ts"
import {
  DELIVERY_CAP,
  EXPIRY_MARGIN,
  LONGEST_DELAY,
  LONGEST_REDELIVERY,
  RETENTION
} from "../../../../model/protocol/rotation/Config.ts"
import {
  type RotationConfig,
  type RotationRule,
  type RotationRules,
  rotation,
  rotationModels,
  rotationSwitches
} from "../../../../model/protocol/rotation/index.ts"
import { describeManifests } from "../Manifests.ts"

describeManifests("the bounded models of rotation", rotationModels, rotationSwitches)

const rules = (...off: ReadonlyArray<RotationRule>): RotationRules =>
  Object.fromEntries(
    Object.keys(rotationSwitches).map((rule) => [rule, !off.some((each) => each === rule)])
  ) as RotationRules

const verdict = Effect.fnUntraced(function* (spec: Spec, property: string) {
  const report = yield* check(spec, { continue: true })
  return report.properties[property]
})

const throttled = (left: number, throttles: number): RotationConfig => ({
  program: ["step"],
  left,
  budgets: { throttles }
})

describe("the numbers of rotation (ROT-01, QUEUE-02, QUEUE-43)", () => {
  test("attempts of one message, each delayed as long as one may be: outlast the margin, and not what is kept beyond it", () => {
    const longest = DELIVERY_CAP * LONGEST_REDELIVERY
    expect(longest).toBeGreaterThan(EXPIRY_MARGIN)
    expect(longest).toBeGreaterThan(RETENTION - LONGEST_DELAY)
    expect(longest).toBeLessThan(RETENTION - EXPIRY_MARGIN)
  })

  it.effect(
    "a message outside the margin: as documented, as many redeliveries as quarters of an hour are left lose it",
    () =>
      Effect.gen(function* () {
        const left = EXPIRY_MARGIN + 1
        const documented = rules("redelivery-rotates")
        expect(yield* verdict(rotation(throttled(left, left - 1), documented), "NoStrandInv")).toBe("holds")
        expect(yield* verdict(rotation(throttled(left, left), documented), "NoStrandInv")).toBe("violated")
        expect(yield* verdict(rotation(throttled(left, left), rules()), "NoStrandInv")).toBe("holds")
      })
  )

  it.effect("a message that the cap fails before it expires: is failed, whether redeliveries rotate or not", () =>
    Effect.gen(function* () {
      for (const given of [rules(), rules("redelivery-rotates")]) {
        const spec = rotation({ program: ["step"], alwaysThrottled: true }, given)
        expect(yield* verdict(spec, "NoStrandInv")).toBe("holds")
        expect(yield* verdict(spec, "RunEventuallyEnds")).toBe("holds")
      }
    })
  )
})

describe("the properties of rotation", () => {
  it.effect("RunEventuallyEnds: the timer of a wait expires with its run's only message: the run never ends", () =>
    Effect.gen(function* () {
      const spec = rotation(
        { program: ["sleep", "step"], sleep: LONGEST_DELAY, budgets: { throttles: 5 } },
        rules("redelivery-rotates")
      )
      expect(yield* verdict(spec, "RunEventuallyEnds")).toBe("violated")
    })
  )
})
