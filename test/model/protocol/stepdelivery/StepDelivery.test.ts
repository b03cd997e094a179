/** One background step's deliveries: manifests, that each property can fail, and the edge cases that they are about. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { Behaviours, check, type Spec } from "../../../../model/checker/index.ts"
import {
  type StepDeliveryRule,
  type StepDeliveryRules,
  stepDeliveryModels,
  stepDeliverySwitches
} from "../../../../model/protocol/stepdelivery/index.ts"
import { describeManifests } from "../Manifests.ts"

describeManifests("the bounded models of a step's deliveries", stepDeliveryModels, stepDeliverySwitches)

const specOf = (name: string, off?: StepDeliveryRule): Spec => {
  const model = stepDeliveryModels.find((one) => one.name === name)
  if (model === undefined) throw new Error(`there is no model ${name}`)
  const rules = Object.fromEntries(Object.keys(stepDeliverySwitches).map((rule) => [rule, rule !== off]))
  return model.spec(rules as StepDeliveryRules)
}

const verdict = Effect.fnUntraced(function* (spec: Spec, property: string) {
  const report = yield* check(spec, { continue: true })
  return report.properties[property]
})

const astray = (next: Spec["actions"][string]["next"]): Spec["actions"][string] => ({
  _tag: "Action",
  domains: {},
  next
})

describe("the properties of a step's deliveries", () => {
  it.effect("LostBodiesInv: a body begins that neither a start nor a fault accounts for: it is counted", () =>
    Effect.gen(function* () {
      const spec = specOf("optimistic-background-start")
      const actions = { ...spec.actions, astray: astray(() => ({ begun: 2 })) }
      expect(yield* verdict({ ...spec, actions }, "LostBodiesInv")).toBe("violated")
    })
  )

  it.effect("EarlyDeliveriesInv: a message comes again at once, whatever delay it asked for: it is counted", () =>
    Effect.gen(function* () {
      const spec = specOf("long-retry")
      const actions = { ...spec.actions, astray: astray(() => ({ early: 6 })) }
      expect(yield* verdict({ ...spec, actions }, "EarlyDeliveriesInv")).toBe("violated")
    })
  )

  it.effect("NoStrandInv: no wake follows the outcome: the run is stranded", () =>
    Effect.gen(function* () {
      const spec = specOf("background-start")
      const actions = { ...spec.actions, SendWake: astray(() => undefined) }
      expect(yield* verdict({ ...spec, actions }, "NoStrandInv")).toBe("violated")
    })
  )

  it.effect("StepEventuallyEnds: nothing is owed a step: it may stand still", () =>
    Effect.gen(function* () {
      const spec = specOf("background-start")
      expect(yield* verdict({ ...spec, fairness: {} }, "StepEventuallyEnds")).toBe("violated")
    })
  )
})

/** Takes the steps, each of which leads to one state or, named with a number, to that one of several. */
const walk = Effect.fnUntraced(function* (spec: Spec, steps: ReadonlyArray<string | readonly [string, number]>) {
  const behaviours = yield* Behaviours.make(spec)
  let state: Behaviours.State = behaviours.initial[0]
  for (const step of steps) {
    const [action, at] = typeof step === "string" ? [step, 0] : step
    const next = (yield* behaviours.apply(state, action, {}))[at]
    if (next === undefined) throw new Error(`${action} is not enabled`)
    state = next
  }
  return behaviours.read(state)
})

/** Whether an action can happen after these steps. */
const isEnabled = Effect.fnUntraced(function* (spec: Spec, steps: ReadonlyArray<string>, action: string) {
  const behaviours = yield* Behaviours.make(spec)
  let state: Behaviours.State = behaviours.initial[0]
  for (const one of steps) {
    const [next] = yield* behaviours.apply(state, one, {})
    if (next === undefined) throw new Error(`${one} is not enabled`)
    state = next
  }
  return (yield* behaviours.apply(state, action, {})).length > 0
})

describe("Background body before a refused start", () => {
  const inFlight = ["Deliver", "StartPlainFirst"]

  it.effect("by default: while the start is in flight no body begins, and a cancelled run refuses it first", () =>
    Effect.gen(function* () {
      const spec = specOf("background-start")
      expect(yield* isEnabled(spec, inFlight, "BeginBody")).toBe(false)
      const state = yield* walk(spec, [...inFlight, "Cancel", "RefuseStart", "Acknowledge"])
      expect(state).toMatchObject({ message: { at: "gone" }, begun: 0, starts: 0, ended: false })
    })
  )

  it.effect("with the setting, the run is cancelled: the body has run, its outcome is discarded", () =>
    Effect.gen(function* () {
      const cancelled = [...inFlight, "BeginBody", "EndBody", "Cancel", "RefuseStart"]
      const state = yield* walk(specOf("optimistic-background-start"), [...cancelled, "Acknowledge"])
      expect(state).toMatchObject({ message: { at: "gone" }, begun: 1, starts: 0, ended: false })
      expect(yield* isEnabled(specOf("optimistic-background-start"), cancelled, "CommitOutcome")).toBe(false)
    })
  )

  it.effect("with the setting, the start is throttled: the redelivery reads the log, and runs the body again", () =>
    Effect.gen(function* () {
      const throttled = [...inFlight, "BeginBody", "EndBody", "ThrottleStart", "AskRedelivery", "Deliver", "ReadLog"]
      const spec = specOf("optimistic-background-start")
      expect(yield* isEnabled(spec, throttled, "BeginBody")).toBe(false)
      const state = yield* walk(spec, [
        ...throttled,
        "CommitStart",
        "BeginBody",
        "EndBody",
        "CommitOutcome",
        "SendWake"
      ])
      expect(state).toMatchObject({ begun: 2, starts: 1, ended: true, told: true, message: { deliveryCount: 2 } })
    })
  )

  it.effect("with the setting, a step with maxRetries 0: its body waits for the start all the same", () =>
    Effect.gen(function* () {
      const spec = specOf("optimistic-background-start-at-most-once")
      expect(yield* isEnabled(spec, inFlight, "BeginBody")).toBe(false)
      expect(yield* isEnabled(spec, [...inFlight, "CommitStart"], "BeginBody")).toBe(true)
    })
  )
})

describe("Long step retries on Vercel", () => {
  const early = ["Tick", "Tick", "Deliver", "ReadLog", "AskRedelivery"]

  it.effect(
    "a back-off of seven ticks, delays of at most two: three deliveries come early, and the fourth starts it",
    () =>
      Effect.gen(function* () {
        const failed = ["Deliver", "StartPlainFirst", "CommitStart", "BeginBody"] as const
        const waiting = [
          ...failed,
          ["EndBody", 1],
          "CommitRetry",
          "AskRedelivery",
          ...early,
          ...early,
          ...early
        ] as const
        const asked = yield* walk(specOf("long-retry"), waiting)
        expect(asked).toMatchObject({ early: 3, starts: 1, retryIn: 1, message: { at: "queued", dueIn: 1 } })
        const state = yield* walk(specOf("long-retry"), [
          ...waiting,
          "Tick",
          "Deliver",
          "ReadLog",
          "CommitStart",
          "BeginBody"
        ])
        expect(state).toMatchObject({ attempt: 2, starts: 2, begun: 2, retryIn: 0 })
      })
  )

  it.effect("early-redelivery-asks-again: off: the step is tried again before its time", () =>
    Effect.gen(function* () {
      const report = yield* check(specOf("long-retry", "early-redelivery-asks-again"))
      expect(report.counterexamples[0]?.property).toBe("RetryNotEarlyProp")
    })
  )
})
