/** The headings under "Edge cases and failure handling" that are about slots, walked in the model. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { Behaviours, check } from "../../../../model/checker/index.ts"
import { type Rule, type Rules, slotsModels, slotsSwitches } from "../../../../model/protocol/slots/index.ts"

type Steps = ReadonlyArray<readonly [action: string, parameters: { readonly [name: string]: string }]>

const rules = (off?: Rule): Rules =>
  Object.fromEntries(Object.keys(slotsSwitches).map((name) => [name, name !== off])) as Rules

const specOf = (name: string, off?: Rule) => {
  const model = slotsModels.find((one) => one.name === name)
  if (model === undefined) throw new Error(`there is no model ${name}`)
  return model.spec(rules(off))
}

/** Takes the steps, each of which must lead to one state, and returns the states passed through. */
const walk = Effect.fnUntraced(function* (behaviours: Behaviours.Behaviours, steps: Steps) {
  let state: Behaviours.State = behaviours.initial[0]
  const states = [state]
  for (const [action, parameters] of steps) {
    const next = yield* behaviours.apply(state, action, parameters)
    const [only] = next
    expect([action, next.length]).toEqual([action, 1])
    if (only === undefined) throw new Error(`${action} is not enabled`)
    state = only
    states.push(state)
  }
  return states.map((one) => behaviours.read(one))
})

const of = (delivery: string) => ({ delivery })
const by = (writer: string) => ({ writer })

/** A write from its decision to its answer. */
const write = (d: string): Steps => [
  ["SendWrite", of(d)],
  ["Allocate", by(d)],
  ["Put", by(d)],
  ["AnswerInBand", of(d)]
]

/** From the claim of the message to the last page of the load. */
const load = (d: string): Steps => [
  ["Deliver", of(d)],
  ["ReadPage", of(d)]
]

describe("Lease stall overlap", () => {
  it.effect("the second delivery writes first: the stalled one is refused, and the second drives the run on", () =>
    Effect.gen(function* () {
      const behaviours = yield* Behaviours.make(specOf("slots-counters-forgotten"))
      const states = yield* walk(behaviours, [
        ...load("o1"),
        ["LapseLease", of("o1")],
        ...load("o2"),
        ...write("o2"),
        ["SendWrite", of("o1")],
        ["RefuseSuperseded", of("o1")],
        ["AnswerInBand", of("o1")],
        ["AskRedelivery", of("o1")],
        ...write("o2"),
        ...write("o2"),
        ["Acknowledge", of("o2")]
      ])
      const last = states.at(-1)
      expect(last?.log).toMatchObject([
        { type: "run_created" },
        { type: "run_started" },
        { type: "step_started", writer: "o2" },
        { type: "step_completed", writer: "o2" },
        { type: "run_completed", writer: "o2" }
      ])
      expect(last).toMatchObject({ seqInBand: 5, holder: "none", reported: "run_completed" })
    })
  )

  it.effect("check-with-allocation: off: both write, each without the other's decision", () =>
    Effect.gen(function* () {
      const report = yield* check(specOf("slots-overlap", "check-with-allocation"))
      const [found] = report.counterexamples
      expect([found?.property, (found?.steps.length ?? 0) - 1]).toEqual(["OneChainInv", 13])
    })
  )
})

describe("Self-superseded 412", () => {
  const sealedUnderWay: Steps = [
    ...load("o1"),
    ["SendWrite", of("o1")],
    ["Allocate", by("o1")],
    ["Read", {}],
    ["Read", {}],
    ["SealForReader", {}],
    ["Put", by("o1")],
    ["AnswerInBand", of("o1")]
  ]

  it.effect("a reader seals the only writer's slot: it asks for its message again, and writes at the new count", () =>
    Effect.gen(function* () {
      const behaviours = yield* Behaviours.make(specOf("slots-self-superseded"))
      const refused = yield* walk(behaviours, sealedUnderWay)
      expect(refused.at(-1)).toMatchObject({ seqInBand: 3, delivery: { o1: { at: "refused" } } })
      const states = yield* walk(behaviours, [
        ...sealedUnderWay,
        ["AskRedelivery", of("o1")],
        ...load("o1"),
        ...write("o1")
      ])
      expect(states.at(-1)).toMatchObject({
        seqInBand: 4,
        log: [{}, {}, { type: "noop" }, { type: "step_started", entity: "inline" }]
      })
    })
  )

  it.effect("self-refusal-redelivers: off: the delivery acknowledges, and the run stops with nothing queued", () =>
    Effect.gen(function* () {
      const behaviours = yield* Behaviours.make(specOf("slots-self-superseded", "self-refusal-redelivers"))
      const states = yield* walk(behaviours, [...sealedUnderWay, ["AskRedelivery", of("o1")]])
      expect(states.at(-1)).toMatchObject({ due: false, holder: "none", delivery: { o1: null } })
      const report = yield* check(specOf("slots-self-superseded", "self-refusal-redelivers"))
      expect(report.counterexamples[0]?.property).toBe("NoStrandInv")
    })
  )
})
