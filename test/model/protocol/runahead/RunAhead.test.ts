/** Run-ahead: its manifests, that each property can fail, and the edge cases that it is about. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { Behaviours, check, type Spec } from "../../../../model/checker/index.ts"
import {
  type RunaheadRule,
  type RunaheadRules,
  runaheadModels,
  runaheadSwitches
} from "../../../../model/protocol/runahead/index.ts"
import { describeManifests } from "../Manifests.ts"

describeManifests("the bounded models of run-ahead", runaheadModels, runaheadSwitches)

const specOf = (name: string, off?: RunaheadRule): Spec => {
  const model = runaheadModels.find((one) => one.name === name)
  if (model === undefined) throw new Error(`there is no model ${name}`)
  const rules = Object.fromEntries(Object.keys(runaheadSwitches).map((rule) => [rule, rule !== off]))
  return model.spec(rules as RunaheadRules)
}

const without = (spec: Spec, action: string): Spec => ({
  ...spec,
  actions: Object.fromEntries(Object.entries(spec.actions).filter(([name]) => name !== action))
})

const verdict = Effect.fnUntraced(function* (spec: Spec, property: string) {
  const report = yield* check(spec, { continue: true })
  return report.properties[property]
})

describe("the properties of run-ahead", () => {
  it.effect("NoStrandInv: writes are never answered: the run is stranded", () =>
    Effect.gen(function* () {
      expect(yield* verdict(without(specOf("runahead-chain"), "Answer"), "NoStrandInv")).toBe("violated")
    })
  )

  it.effect("RunEventuallyEnds: nothing is owed a step: the run may stand still", () =>
    Effect.gen(function* () {
      expect(yield* verdict({ ...specOf("runahead-chain"), fairness: {} }, "RunEventuallyEnds")).toBe("violated")
    })
  )

  it.effect("BodyHasStartInv: a body begins that nobody started: it is counted", () =>
    Effect.gen(function* () {
      const spec = specOf("runahead-chain")
      const astray: Spec["actions"][string] = {
        _tag: "Action",
        domains: {},
        next: () => ({ bodies: { 3: { begun: 1, lost: 0 } } })
      }
      const found = yield* check({ ...spec, temporal: {}, actions: { ...spec.actions, astray } })
      expect(found.counterexamples[0]?.property).toBe("BodyHasStartInv")
    })
  )
})

type Walk = ReadonlyArray<readonly [action: string, entity?: number]>

/** Takes the steps, of the only delivery, and returns the last state. */
const walk = Effect.fnUntraced(function* (spec: Spec, steps: Walk) {
  const behaviours = yield* Behaviours.make(spec)
  let state: Behaviours.State = behaviours.initial[0]
  for (const [action, entity] of steps) {
    const parameters = action === "SlipVm" || entity === undefined ? { delivery: "o1" } : { delivery: "o1", entity }
    const [next] = yield* behaviours.apply(state, action, parameters)
    if (next === undefined) throw new Error(`${action} is not enabled`)
    state = next
  }
  return behaviours.read(state)
})

const toSpeculativeStarts: Walk = [
  ["Deliver"],
  ["Load"],
  ["CommitGroup"],
  ["Answer"],
  ["EndBody", 1],
  ["ThrottleStart", 2],
  ["Answer"]
]

const toTheEnd: Walk = [
  ["EndBody", 3],
  ["CommitGroup"],
  ["Answer"],
  ["Restart"],
  ["Load"],
  ["CommitGroup"],
  ["Answer"],
  ["EndBody", 2],
  ["CommitGroup"],
  ["Answer"],
  ["CommitGroup"],
  ["Answer"],
  ["Acknowledge"]
]

describe("Run-ahead stop re-runs step bodies", () => {
  it.effect(
    "a start is refused whose body runs already: the delivery stops, and keeps the body whose start committed",
    () =>
      Effect.gen(function* () {
        const state = yield* walk(specOf("runahead-throttled"), toSpeculativeStarts)
        expect(state).toMatchObject({
          delivery: { o1: { phase: "stopping", bodies: [{ entity: 3 }], lost: 1 } },
          bodies: { 2: { begun: 1, lost: 1 }, 3: { begun: 1, lost: 0 } }
        })
      })
  )

  it.effect(
    "it restarts in place with run-ahead off: the refused body runs again, the other does not, the run ends",
    () =>
      Effect.gen(function* () {
        const state = yield* walk(specOf("runahead-throttled"), [...toSpeculativeStarts, ...toTheEnd])
        expect(state).toMatchObject({
          delivery: { o1: null },
          message: false,
          bodies: { 2: { begun: 2, lost: 1 }, 3: { begun: 1, lost: 0 } }
        })
        expect(JSON.stringify(state)).toContain("run_completed")
      })
  )
})

describe("Replay divergence recovered in place", () => {
  const toSlip: Walk = [
    ["Deliver"],
    ["Load"],
    ["CommitGroup"],
    ["Answer"],
    ["EndBody", 1],
    ["CommitGroup"],
    ["Answer"],
    ["SlipVm"],
    ["EndBody", 2]
  ]

  it.effect("the retained VM holds less than the log: the log is loaded again, and a fresh VM gets past it", () =>
    Effect.gen(function* () {
      const before = yield* walk(specOf("runahead-divergence"), toSlip)
      expect(before).toMatchObject({ delivery: { o1: { phase: "loading", divergences: 1 } } })
      const after = yield* walk(specOf("runahead-divergence"), [...toSlip, ["Load"]])
      expect(after).toMatchObject({
        delivery: { o1: { phase: "running", divergences: 1, view: [{ id: 1 }, { id: 2 }] } }
      })
    })
  )

  it.effect("the VM is used again: it diverges again, and a run whose log replays is failed as corrupt", () =>
    Effect.gen(function* () {
      const state = yield* walk(specOf("runahead-divergence", "fresh-vm-on-divergence"), [...toSlip, ["Load"]])
      expect(JSON.stringify(state)).toContain("corrupt")
    })
  )
})
