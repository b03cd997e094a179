import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { check, reportJson, showReport } from "../../../model/checker/index.ts"
import type { Spec } from "../../../model/checker/Language.ts"
import { among, type GraphParts, graph, where } from "./Graphs.ts"

const go: GraphParts = { edges: { Go: ["0>1", "1>2", "2>0"] }, fairness: "weak", temporal: {} }
const idle = { edges: { ...go.edges, Idle: ["7>8"] as const }, temporal: {} }
const at = (node: string) => (s: unknown) => Reflect.get(Object(s), "at") === node

const of = (parts: GraphParts, more: Partial<Spec> = {}) => check({ ...graph(parts), ...more })

describe("verdicts", () => {
  it.effect("nothing is missing: ok, for no reason", () =>
    Effect.gen(function* () {
      const report = yield* of(go, { sometimes: { AtTwo: at("2"), Both: { two: at("2"), true: () => true } } })
      assert.deepStrictEqual([report.result, report.reasons, report.warnings], ["ok", [], []])
      assert.deepStrictEqual(report.sometimes, { AtTwo: "met", Both: "met" })
    })
  )

  it.effect("an action that never happens: vacuous, unless it is declared not to", () =>
    Effect.gen(function* () {
      const report = yield* of(idle)
      assert.deepStrictEqual([report.result, report.reasons], ["vacuous", ["Idle never happens: no state enables it."]])
      const declared = yield* of(idle, { neverFires: ["Idle"] })
      assert.deepStrictEqual([declared.result, declared.warnings], ["ok", []])
    })
  )

  it.effect("an action that is declared not to happen, and does: a warning", () =>
    Effect.gen(function* () {
      const report = yield* of(go, { neverFires: ["Go"] })
      assert.deepStrictEqual(report.warnings, ["Go happens, and is declared never to."])
    })
  )

  it.effect("what leads to something never holds: vacuous", () =>
    Effect.gen(function* () {
      const report = yield* of({ ...go, temporal: { NeverLeadsTo: where.leadsTo(among("7"), among("0")) } })
      assert.deepStrictEqual(report.properties, { NeverLeadsTo: "holds" })
      assert.deepStrictEqual(
        [report.result, report.reasons],
        ["vacuous", ["NeverLeadsTo says nothing: what leads to it never holds."]]
      )
    })
  )

  it.effect("a claim of some state: no state satisfies all of it: vacuous", () =>
    Effect.gen(function* () {
      const report = yield* of(go, { sometimes: { Both: { two: at("2"), one: at("1") } } })
      assert.deepStrictEqual(
        [report.result, report.reasons, report.sometimes],
        ["vacuous", ["Both is claimed of some state, and no state satisfies it."], { Both: "unmet" }]
      )
      assert.include(showReport(report), "unmet     Both")
      assert.deepInclude(reportJson(report), { result: "vacuous", sometimes: { Both: "unmet" } })
    })
  )

  it.effect("a violation and vacuity: a violation", () =>
    Effect.gen(function* () {
      const report = yield* of(idle, { invariants: { Inv: (s) => !at("1")(s) } })
      assert.deepStrictEqual([report.result, report.reasons], ["violation", []])
    })
  )

  it.effect("states are left: bounded, with the limit, and claims that are open", () =>
    Effect.gen(function* () {
      const report = yield* check({ ...graph(idle), sometimes: { AtTwo: at("2") } }, { maxStates: 2 })
      assert.deepStrictEqual(
        [report.result, report.reasons, report.sometimes],
        ["bounded", ["There are more states than the limit of 2."], { AtTwo: "unknown" }]
      )
    })
  )

  const refused: ReadonlyArray<readonly [about: string, more: Partial<Spec>, message: string]> = [
    ["fairness to no action", { fairness: { Gone: "weak" } }, "Gone is not an action"],
    ["fairness by no parameter", { fairness: { Go: { weak: ["d"] } } }, "Go has no parameter d"],
    ["an unknown action that never fires", { neverFires: ["Gone"] }, "Gone is not an action"],
    ["a claim with the name of a property", { sometimes: { P: () => true } }, "the name P is used twice"],
    [
      "fairness by a parameter that depends on the state",
      {
        actions: { Go: where.action({ to: (s) => [s.at] }, () => undefined) },
        fairness: { Go: { strong: ["to"] } }
      },
      "depends on the state"
    ],
    ["a property without a conjunct", { temporal: { Q: where.eventually({}) } as Spec["temporal"] }, "it says nothing"]
  ]
  for (const [about, more, message] of refused) {
    it.effect(`${about}: refused, with what is wrong`, () =>
      Effect.gen(function* () {
        const result = yield* Effect.result(of({ ...go, temporal: { P: where.eventually(among("1")) } }, more))
        assert.isTrue(Result.isFailure(result) && result.failure._tag === "InvalidSpec")
        if (Result.isFailure(result)) assert.include(result.failure.message, message)
      })
    )
  }

  it.effect("always: an invariant by another name", () =>
    Effect.gen(function* () {
      const report = yield* of({ ...go, temporal: { Small: where.always(among("0", "1")) } })
      assert.deepStrictEqual(report.properties, { Small: "violated" })
      assert.deepStrictEqual(
        [report.counterexamples[0]?.kind, report.counterexamples[0]?.steps.length],
        ["invariant", 3]
      )
    })
  )
})
