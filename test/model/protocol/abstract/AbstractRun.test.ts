import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { check } from "../../../../model/checker/index.ts"
import { programs } from "../../../../model/programs/index.ts"
import {
  abstractModels,
  abstractSwitches,
  historyOf,
  isAbstractStep
} from "../../../../model/protocol/abstract/index.ts"
import type { Event, Log } from "../../../../model/protocol/index.ts"
import { everyRule, models, type Rule } from "../../../../model/protocol/index.ts"
import { describeManifests } from "../Manifests.ts"

describeManifests("the abstract level", abstractModels, abstractSwitches)

const log = (...events: ReadonlyArray<Event>): Log => events

const created: Event = { type: "run_created", after: 0 }
const start = (entity: number, name: string, attempt = 1): Event => ({
  type: "step_started",
  entity,
  attempt,
  after: entity,
  ...(attempt === 1 ? { inline: true, name } : {})
})
const completed = (entity: number): Event => ({ type: "step_completed", entity })

describe("the refinement mapping", () => {
  it("starts, retries, second outcomes and what follows the end: leave no trace (LOG-08, LOG-33)", () => {
    const told = historyOf(
      log(
        created,
        { type: "run_started", after: 1 },
        start(1, "first"),
        { type: "step_retrying", entity: 1, attempt: 1, after: 3 },
        start(1, "first", 2),
        completed(1),
        { type: "step_failed", entity: 1, attempt: 2 },
        { type: "run_cancelled" },
        completed(1),
        { type: "run_failed", result: 1, after: 5 }
      )
    )
    expect(told).toEqual([
      { type: "created" },
      { type: "called", id: 1, kind: "step", name: "first" },
      { type: "resolved", id: 1, as: "completed" },
      { type: "ended", as: "cancelled", result: null }
    ])
  })

  const isStep = isAbstractStep(programs["two-steps"].program)
  const before: ReadonlyArray<Event> = [created, start(1, "first")]
  it.each<[string, Log, Log, boolean]>([
    ["an outcome", before, log(...before, completed(1)), true],
    ["nothing that a history tells", before, log(...before, { type: "run_started", after: 2 }), true],
    ["a call that the workflow has not come to", before, log(...before, start(2, "second")), false],
    ["a call by another name", log(created), log(created, start(1, "second")), false],
    ["an end that the workflow has not come to", before, log(...before, { type: "run_completed", result: 1 }), false],
    ["an event that is gone", before, log(created), false],
    ["an event that has changed", before, log(created, start(1, "other")), false],
    ["a call made twice", before, log(...before, start(1, "first")), false],
    ["two at once", before, log(...before, completed(1), start(2, "second")), false]
  ])("%s: is a step, or is none", (_, from, to, expected) => {
    expect(isStep(from, to)).toBe(expected)
  })

  const isStepOfTwo = isAbstractStep(programs["all-two"].program)
  it.each<[string, Log, boolean]>([
    ["both calls", log(created, start(1, "left"), start(2, "right")), true],
    ["one of them by another name", log(created, start(1, "left"), start(2, "other")), false],
    ["one of them twice", log(created, start(1, "left"), start(1, "left")), false]
  ])("%s in one write (WORLD-46): is a step, or is none", (_, to, expected) => {
    expect(isStepOfTwo([created], to)).toBe(expected)
  })
})

describe("the protocol refines the abstract run", () => {
  it.effect.each<[string, Rule, number]>([
    ["lease-stall-gated", "fence", 10],
    ["late-outcome-gated", "terminal-inert", 24],
    ["hook-against-step-gated", "consume-after-commit", 12],
    ["unserialized-hook", "consume-after-commit", 12]
  ])("%s without %s: it does not, in %i steps", ([name, rule, steps]) =>
    Effect.gen(function* () {
      const model = models.find((one) => one.name === name)
      if (model === undefined) throw new Error(`there is no model ${name}`)
      expect(model.expect.result).toBe("ok")
      const report = yield* check(model.spec({ ...everyRule, [rule]: false }), { continue: true, maxStates: 60_000 })
      const broken = report.counterexamples.find(({ property }) => property === "RefinesRunProp")
      expect(broken?.steps.length).toBe(steps + 1)
    })
  )
})
