import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { expect } from "vitest"
import { itf } from "../../../model/checker/formats/index.ts"
import { check, readSavedTrace, replay, reportJson, showReport } from "../../../model/checker/index.ts"
import { among, type Edge, type GraphParts, graph, where } from "./Graphs.ts"
import { judge } from "./Judge.ts"
import { cases } from "./LivenessCases.ts"

describe("properties of behaviours with known answers", () => {
  for (const { about, spec, answers } of cases) {
    it.effect(about, () =>
      Effect.gen(function* () {
        const report = yield* check(spec, { continue: true })
        const found = Object.fromEntries(
          Object.keys(spec.temporal).map((name) => {
            const counterexample = report.counterexamples.find(({ property }) => property === name)
            const lasso = counterexample?.lasso
            if (counterexample === undefined || lasso === undefined) return [name, report.properties[name]]
            const cycle = counterexample.steps.length - 1 - lasso.backTo + (lasso.step === undefined ? 0 : 1)
            return [name, { stem: lasso.backTo, cycle }]
          })
        )
        assert.deepStrictEqual(found, answers)
        for (const counterexample of report.counterexamples) {
          assert.deepStrictEqual(yield* judge(spec, counterexample), [])
          const trace = yield* readSavedTrace(JSON.stringify(itf(spec, counterexample)))
          const again = yield* replay(spec, trace)
          assert.isUndefined(again.stop)
          assert.include(
            again.failures.map(({ property }) => property),
            counterexample.property
          )
        }
      })
    )
  }
})

type Form = "eventually" | "alwaysEventually" | "eventuallyAlways" | "leadsTo"

interface RandomGraph {
  readonly edges: ReadonlyArray<ReadonlyArray<readonly [from: number, to: number]>>
  readonly fairness: ReadonlyArray<"none" | "weak" | "strong">
  readonly init: ReadonlyArray<number>
  readonly form: Form
  readonly holds: ReadonlyArray<number>
  readonly when: ReadonlyArray<number>
}

const NODES = 6
const node = fc.nat(NODES - 1)
const randomGraph: fc.Arbitrary<RandomGraph> = fc
  .record({
    actions: fc.array(
      fc.tuple(fc.array(fc.tuple(node, node), { maxLength: 6 }), fc.constantFrom("none", "weak", "strong")),
      { minLength: 1, maxLength: 4 }
    ),
    init: fc.uniqueArray(node, { minLength: 1, maxLength: 2 }),
    form: fc.constantFrom<Form>("eventually", "alwaysEventually", "eventuallyAlways", "leadsTo"),
    holds: fc.uniqueArray(node, { maxLength: 3 }),
    when: fc.uniqueArray(node, { maxLength: 4 })
  })
  .map(({ actions, ...rest }) => ({
    ...rest,
    edges: actions.map(([edges]) => edges),
    fairness: actions.map(([, fairness]) => fairness as RandomGraph["fairness"][number])
  }))

const specOf = ({ edges, fairness, init, form, holds, when }: RandomGraph) => {
  const p = among(...holds.map(String))
  const parts: GraphParts = {
    init: init.map(String),
    edges: Object.fromEntries(edges.map((list, i) => [`A${i}`, list.map(([from, to]): Edge => `${from}>${to}`)])),
    fairness: Object.fromEntries(fairness.flatMap((each, i) => (each === "none" ? [] : [[`A${i}`, each]]))),
    temporal: { P: form === "leadsTo" ? where.leadsTo(among(...when.map(String)), p) : where[form](p) }
  }
  return graph(parts)
}

/**
 * Whether the property fails, by trying every set of nodes as the one that a behaviour visits for ever. Nothing is
 * shared with the engine: no components, no decomposition.
 */
const fails = ({ edges, fairness, init, form, holds, when }: RandomGraph): boolean => {
  const steps = edges.flatMap((list, action) =>
    list.flatMap(([from, to]) => (from === to ? [] : [{ action, from, to }]))
  )
  const closure = (from: ReadonlyArray<number>, allowed: (n: number) => boolean): Set<number> => {
    const seen = new Set(from.filter(allowed))
    for (const at of seen) for (const step of steps) if (step.from === at && allowed(step.to)) seen.add(step.to)
    return seen
  }
  const not = (n: number): boolean => !holds.includes(n)
  const all = closure(init, () => true)
  const begin = {
    eventually: () => closure(init, not),
    alwaysEventually: () => new Set([...all].filter(not)),
    eventuallyAlways: () => all,
    leadsTo: () =>
      closure(
        [...all].filter((n) => when.includes(n)),
        not
      )
  }[form]()
  return Array.from({ length: 2 ** NODES - 1 }, (_, i) => i + 1).some((bits) => {
    const set = Array.from({ length: NODES }, (_, n) => n).filter((n) => (bits & (1 << n)) !== 0)
    const inside = (n: number): boolean => set.includes(n)
    if (!set.every((n) => begin.has(n))) return false
    if (form === "eventuallyAlways" ? !set.some(not) : !set.every(not)) return false
    if (!set.every((n) => set.every((other) => closure([n], inside).has(other)))) return false
    return fairness.every((strength, action) => {
      const mine = steps.filter((step) => step.action === action)
      if (strength === "none" || mine.some(({ from, to }) => inside(from) && inside(to))) return true
      const enabled = set.filter((n) => mine.some(({ from }) => from === n))
      return strength === "weak" ? enabled.length < set.length : enabled.length === 0
    })
  })
}

describe("properties of behaviours on random graphs", () => {
  it("the verdict is that of trying every set of states; each lasso is a fair behaviour that violates", async () => {
    const seen = { violated: 0, holds: 0 }
    await fc.assert(
      fc.asyncProperty(randomGraph, async (random) => {
        const spec = specOf(random)
        const report = await Effect.runPromise(check(spec))
        const expected = fails(random) ? "violated" : "holds"
        seen[expected]++
        expect(report.properties).toEqual({ P: expected })
        for (const found of report.counterexamples) expect(await Effect.runPromise(judge(spec, found))).toEqual([])
      }),
      { numRuns: 1500 }
    )
    expect(Math.min(seen.violated, seen.holds)).toBeGreaterThan(100)
  })
})

describe("the judge of lassos", () => {
  const spec = graph({
    edges: { Turn: ["0>1", "1>0"], Go: ["0>9"] },
    fairness: { Turn: "weak", Go: "weak" },
    temporal: { Ends: where.eventually(among("9")) }
  })

  it.effect("a lasso that is wrong: each way of being wrong is noticed", () =>
    Effect.gen(function* () {
      const [found] = (yield* check(spec)).counterexamples
      const lasso = found?.lasso
      if (found === undefined || lasso === undefined) return assert.fail("there is a lasso")
      assert.deepStrictEqual(yield* judge(spec, found), [])
      const { step: _, ...stopping } = lasso
      const stops = { ...found, steps: [found.steps[0]] as const, lasso: { ...stopping, backTo: 0 } }
      assert.deepStrictEqual(yield* judge(spec, stops), ["it is not fair: weak Turn", "it is not fair: weak Go"])
      const strong = { ...spec, fairness: { Go: "strong" as const } }
      assert.deepStrictEqual(yield* judge(strong, found), ["it is not fair: strong Go"])
      const leap = { ...found, steps: [found.steps[0], { ...found.steps[1]!, action: "Go" }] as const }
      assert.deepStrictEqual(yield* judge(spec, leap), ["step 1 is not a step of Go"])
      const satisfied = { ...spec, temporal: { Ends: where.eventually(among("1")) } as typeof spec.temporal }
      assert.deepStrictEqual(yield* judge(satisfied, found), ["eventually holds on it"])
    })
  )
})

describe("lassos in reports", () => {
  const spec = graph({
    edges: { Ask: ["0>1"], Wait: ["1>2", "2>1"], Answer: ["1>3"] },
    fairness: { Wait: "weak", Answer: "weak" },
    temporal: { AnswerLeadsTo: where.leadsTo(among("1"), { answered: among("3"), true: () => true }) }
  })

  it.effect("as text: the step back, what is missing, why it is fair, and what was looked at", () =>
    Effect.gen(function* () {
      const text = showReport(yield* check(spec))
      assert.include(
        text,
        [
          "  2  Wait",
          '       at: "1" → "2"',
          "  3  Wait, back to state 1",
          '       at: "2" → "1"',
          "",
          "The temporal property AnswerLeadsTo fails on this behaviour: what leads to it holds in state 1, and its conjunct answered is false on the way round from state 1, and not true as a whole between.",
          "It is fair to",
          "       Wait (weakly, taken in step 2)",
          "       Answer (weakly, not enabled in state 2)",
          "In state 1 it looked at",
          '       at = "1"'
        ].join("\n")
      )
    })
  )

  it.effect("as JSON: the step back, and the state that it leads back to", () =>
    Effect.gen(function* () {
      const { counterexample } = reportJson(yield* check(spec))
      assert.deepInclude(counterexample, {
        kind: "temporal",
        property: "AnswerLeadsTo",
        conjunct: "answered",
        lasso: {
          form: "leadsTo",
          backTo: 1,
          since: 1,
          at: 1,
          step: { action: "Wait", parameters: {}, changes: ['at: "2" → "1"'] },
          fairness: [
            { condition: "Wait", strength: "weak", how: "step", number: 2 },
            { condition: "Answer", strength: "weak", how: "not enabled", number: 2 }
          ]
        }
      })
    })
  )

  it.effect("a violated invariant: ends the search before properties of behaviours are decided", () =>
    Effect.gen(function* () {
      const both = { ...spec, invariants: { NotTwoInv: (s: unknown) => Reflect.get(Object(s), "at") !== "2" } }
      const first = yield* check(both)
      assert.deepStrictEqual(first.properties, { NotTwoInv: "violated", AnswerLeadsTo: "unknown" })
      const all = yield* check(both, { continue: true })
      assert.deepStrictEqual(all.properties, { NotTwoInv: "violated", AnswerLeadsTo: "violated" })
    })
  )

  it.effect("a limit on states: a lasso within what was explored is shown, and otherwise nothing is claimed", () =>
    Effect.gen(function* () {
      const chain = (to: string) =>
        graph({
          edges: { Go: ["0>1", "1>2", "2>3", "3>4"], Back: ["1>0"] },
          fairness: "weak",
          temporal: { P: where.alwaysEventually(among(to, "0", "1")) }
        })
      const shown = yield* check(
        graph({ edges: { Go: ["0>1", "1>0", "1>2"] }, temporal: { P: where.eventually(among("2")) } }),
        { maxStates: 2 }
      )
      assert.strictEqual(shown.properties.P, "violated")
      const open = yield* check(chain("2"), { maxStates: 3 })
      assert.deepStrictEqual([open.result, open.properties], ["bounded", { P: "unknown" }])
    })
  )
})
