/** Properties that no model lists as the first to fail: each is violated by a rule that is off, or by a log written by hand. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { check } from "../../../../model/checker/index.ts"
import {
  type Cell,
  followsCreation,
  isOneChain,
  type Log,
  type Rule,
  type Rules,
  sawWhatIsThere,
  slotsModels,
  slotsSwitches
} from "../../../../model/protocol/slots/index.ts"

const without = (rule: Rule): Rules =>
  Object.fromEntries(Object.keys(slotsSwitches).map((name) => [name, name !== rule])) as Rules

const violations = Effect.fnUntraced(function* (name: string, rule: Rule) {
  const model = slotsModels.find((one) => one.name === name)
  if (model === undefined) throw new Error(`there is no model ${name}`)
  const report = yield* check(model.spec(without(rule)), { continue: true, maxStates: 20_000 })
  return report.counterexamples.map(({ property }) => property)
})

const event = (type: Cell["type"], more: Partial<Cell> = {}): Cell => ({ type, writer: "o1", inBand: true, ...more })

/** A start and a creation by one batch, an outcome from outside between them and the inline step's own. */
const good: Log = [
  event("run_created"),
  event("run_started"),
  event("step_started", { entity: "inline", decided: { first: 3, seen: 2 } }),
  event("step_created", { entity: "background", decided: { first: 3, seen: 2 } }),
  event("step_completed", { entity: "background", value: "x1", writer: "x1", inBand: false }),
  event("step_completed", { entity: "inline", decided: { first: 6, seen: 4 } })
]

describe("the properties of the slots", () => {
  it.effect.each([
    ["slots-overlap", "first-page-snapshot", "OneChainInv"],
    ["slots-overlap", "refused-for-good", "OneChainInv"],
    ["slots-lost-answer", "unknown-outcome-stops", "ViewInv"],
    ["slots-self-superseded", "self-refusal-redelivers", "RunEndsEventually"]
  ] as const)("%s without %s: %s fails too, behind what fails first", ([name, rule, property]) =>
    Effect.gen(function* () {
      expect(yield* violations(name, rule)).toContain(property)
    })
  )

  it("a log that the World may come to: every property of it: holds", () => {
    expect([isOneChain(good), followsCreation(good)]).toEqual([true, true])
    const view = good.map(({ type, entity, value }) => ({
      type: type as Exclude<Cell["type"], "empty">,
      ...(entity === undefined ? {} : { entity }),
      ...(value === undefined ? {} : { value })
    }))
    expect(sawWhatIsThere(good, view)).toBe(true)
  })

  it("isOneChain (FENCE-01): a write of another delivery was decided two slots earlier: fails", () => {
    const late = event("step_completed", { entity: "inline", writer: "o2", decided: { first: 6, seen: 2 } })
    expect(isOneChain(good.with(5, late))).toBe(false)
  })

  it("isOneChain (FENCE-13): what its writer did not know was lost: holds", () => {
    const late = event("step_completed", { entity: "inline", writer: "o2", decided: { first: 6, seen: 3 } })
    expect(isOneChain(good.with(5, late).with(3, event("noop")))).toBe(true)
  })

  it("followsCreation (WORLD-48): the creation's slot is lost, or a step starts twice: fails", () => {
    expect(followsCreation(good.with(2, event("noop")))).toBe(false)
    expect(followsCreation(good.with(3, event("noop")))).toBe(false)
    expect(followsCreation([...good, event("step_started", { entity: "inline" })])).toBe(false)
  })

  it("sawWhatIsThere (WORLD-29): a hole is filled, a noop holds an event, or a view is longer than the log: fails", () => {
    const start = { type: "run_created" } as const
    expect(sawWhatIsThere(good, [start, { type: "hole" }])).toBe(false)
    expect(sawWhatIsThere(good, [start, { type: "noop" }])).toBe(false)
    expect(sawWhatIsThere(good.slice(0, 1), [start, { type: "hole" }])).toBe(false)
    expect(sawWhatIsThere(good.with(1, event("empty")), [start, { type: "hole" }])).toBe(true)
  })
})
