/** Turbo, rotation and the inline deadline: manifests, that each property can fail, and the edge cases they are about. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { Behaviours, check, type Spec } from "../../../../model/checker/index.ts"
import { type TurboRule, type TurboRules, turboModels, turboSwitches } from "../../../../model/protocol/turbo/index.ts"
import { describeManifests } from "../Manifests.ts"

describeManifests("the bounded models of turbo", turboModels, turboSwitches)

const specOf = (name: string, off?: TurboRule): Spec => {
  const model = turboModels.find((one) => one.name === name)
  if (model === undefined) throw new Error(`there is no model ${name}`)
  return model.spec(Object.fromEntries(Object.keys(turboSwitches).map((rule) => [rule, rule !== off])) as TurboRules)
}

const verdict = Effect.fnUntraced(function* (spec: Spec, property: string) {
  const report = yield* check(spec, { continue: true })
  return report.properties[property]
})

describe("the properties of turbo", () => {
  it.effect("NoStrandInv: nothing is ever delivered: the run is stranded", () =>
    Effect.gen(function* () {
      const spec = specOf("turbo-start")
      const actions = Object.fromEntries(Object.entries(spec.actions).filter(([name]) => name !== "Deliver"))
      expect(yield* verdict({ ...spec, actions }, "NoStrandInv")).toBe("violated")
    })
  )

  it.effect("RunEventuallyEnds: nothing is owed a step: the run may stand still", () =>
    Effect.gen(function* () {
      expect(yield* verdict({ ...specOf("turbo-start"), fairness: {} }, "RunEventuallyEnds")).toBe("violated")
    })
  )

  it.effect("OneMessageInv: a message is sent beside the run's own: it is counted", () =>
    Effect.gen(function* () {
      const message = { input: false, hookInput: false, count: 0, old: false, spent: false }
      const astray: Spec["actions"][string] = {
        _tag: "Action",
        domains: {},
        next: () => ({ queue: [message, message] })
      }
      const spec = specOf("rotation")
      expect(yield* verdict({ ...spec, actions: { ...spec.actions, astray } }, "OneMessageInv")).toBe("violated")
    })
  )
})

type Walk = ReadonlyArray<readonly [action: string, parameters?: { readonly [name: string]: number | string }]>

/** Takes the steps, of the only delivery and the only message, and returns the last state. */
const walk = Effect.fnUntraced(function* (spec: Spec, steps: Walk) {
  const behaviours = yield* Behaviours.make(spec)
  let state: Behaviours.State = behaviours.initial[0]
  for (const [action, rest] of steps) {
    const queue = behaviours.read(state).queue
    const message = Array.isArray(queue) ? queue[0] : undefined
    const start = action === "CreateRun" || action === "SendStart"
    const parameters = {
      ...(start || action === "RunStep" ? {} : { delivery: "o1" }),
      ...(action === "Deliver" ? { message } : {}),
      ...(action === "CommitInBand" ? { write: 0 } : {}),
      ...rest
    }
    const [next] = yield* behaviours.apply(state, action, parameters)
    if (next === undefined) throw new Error(`${action} is not enabled`)
    state = next
  }
  return behaviours.read(state)
})

/** The first step has run, and time has passed beyond the deadline of the delivery. */
const toTheDeadline: Walk = [
  ["CreateRun"],
  ["SendStart"],
  ["Deliver"],
  ["Open"],
  ["CommitInBand"],
  ["CommitInBand"],
  ["PassTime"],
  ["PassTime"]
]

describe("Rotated start message re-entering turbo", () => {
  const rotated: Walk = [
    ...toTheDeadline,
    ["Age"],
    ["EndBody", { entity: 1 }],
    ["CommitInBand"],
    ["HandOff"],
    ["SendContinuation"],
    ["AcknowledgeRotated"],
    ["Deliver"],
    ["Open"]
  ]

  it.effect("the continuation's first delivery loads the log, and goes on with the second step", () =>
    Effect.gen(function* () {
      const state = yield* walk(specOf("rotation-documented"), rotated)
      expect(state).toMatchObject({
        delivery: { o1: { message: { input: false, count: 1 }, early: false, known: 4, bodies: [] } },
        bodies: { 1: { begun: 1 } }
      })
    })
  )

  it.effect("a copy of the message takes the run's first delivery over again, and the completed body with it", () =>
    Effect.gen(function* () {
      const state = yield* walk(specOf("rotation-documented", "continuation-without-input"), rotated)
      expect(state).toMatchObject({
        delivery: { o1: { message: { input: true, count: 1 }, early: true, known: 0 } },
        bodies: { 1: { begun: 2 } }
      })
      const refused = yield* walk(specOf("rotation-documented", "continuation-without-input"), [
        ...rotated,
        ["CommitInBand"]
      ])
      expect(refused).toMatchObject({ delivery: { o1: null }, bodies: { 1: { begun: 2, lost: 1 } } })
    })
  )
})

describe("Deadline handoff and the inline-start margin", () => {
  it.effect("a long step runs into the deadline: the message is handed off, and its next delivery goes on", () =>
    Effect.gen(function* () {
      const state = yield* walk(specOf("deadline-steps-documented"), [
        ...toTheDeadline,
        ["EndBody", { entity: 1 }],
        ["CommitInBand"],
        ["HandOff"],
        ["Deliver"],
        ["Open"]
      ])
      expect(state).toMatchObject({
        delivery: { o1: { message: { input: true, count: 2 }, early: false, known: 4, time: "early" } }
      })
    })
  )

  it.effect("a short step ends within the margin: the next one runs on its own message, which wakes the run", () =>
    Effect.gen(function* () {
      const inMargin: Walk = [
        ...toTheDeadline.slice(0, -1),
        ["EndBody", { entity: 1 }],
        ["CommitInBand"],
        ["CommitInBand"]
      ]
      const state = yield* walk(specOf("deadline-steps-documented"), inMargin)
      expect(state).toMatchObject({ delivery: { o1: { phase: "done" } }, steps: { 2: "queued" }, queue: [] })
    })
  )
})

describe("turbo's first message is not the only one", () => {
  it.effect("an early wake or a second start message: the first body runs twice only beside run_started", () =>
    Effect.gen(function* () {
      for (const name of ["turbo-early-wake", "turbo-second-start", "turbo-second-message"]) {
        const report = yield* check(specOf(name, "bodies-await-run-started"))
        expect(report.counterexamples[0]?.property).toBe("BodyOnceInv")
        expect((yield* check(specOf(name))).result).toBe("ok")
      }
    })
  )

  it.effect("its lease lapses: the redelivery runs the early body again, whose first start is refused", () =>
    Effect.gen(function* () {
      const state = yield* walk(specOf("turbo-overlap", "bodies-await-run-started"), [
        ...toTheDeadline.slice(0, 4),
        ["LapseLease"],
        ["Deliver", { delivery: "o2" }],
        ["Open", { delivery: "o2" }],
        ["CommitInBand", { delivery: "o2" }],
        ["CommitInBand", { delivery: "o2" }],
        ["CommitInBand"]
      ])
      expect(state).toMatchObject({ delivery: { o1: null }, bodies: { 1: { begun: 2, lost: 1 } } })
    })
  )
})
