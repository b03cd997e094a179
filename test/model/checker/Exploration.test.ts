import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option, Schema, Stream } from "effect"
import fc from "fast-check"
import { expect } from "vitest"
import { check, explore, type Report } from "../../../model/checker/index.ts"
import { each, type Spec, spec, variables } from "../../../model/checker/Language.ts"
import { type RandomState, randomSpec, sameState, search, toSpec, transitions } from "./Random.ts"

const lengths = (report: Report): { readonly [property: string]: number } =>
  Object.fromEntries(report.counterexamples.map(({ property, steps }) => [property, steps.length - 1]))

const stateOf = (step: Report["counterexamples"][number]["steps"][number]): RandomState =>
  step.state as unknown as RandomState

describe("exploration of random specs", () => {
  for (const caching of [true, false]) {
    it(`everything explored, ${caching ? "with" : "without"} footprints: the counts, verdicts and lengths of a plain search`, async () => {
      await fc.assert(
        fc.asyncProperty(randomSpec, async (random) => {
          const report = await Effect.runPromise(check(toSpec(random), { caching, continue: true }))
          const expected = search(random)
          expect({
            distinct: report.distinct,
            generated: report.generated,
            depth: report.depth,
            violated: lengths(report),
            unused: Object.values(report.actions).some(({ taken }) => taken === 0)
          }).toEqual(expected)
          const failing = Object.keys(expected.violated).length > 0
          expect(report.result).toBe(failing ? "violation" : expected.unused ? "vacuous" : "ok")
          for (const [name, verdict] of Object.entries(report.properties)) {
            expect(verdict).toBe(name in expected.violated ? "violated" : "holds")
          }
        }),
        { numRuns: 300 }
      )
    })
  }

  it("stopped at the first violation: a shortest behaviour of the property that fails, and every step of it is one", async () => {
    await fc.assert(
      fc.asyncProperty(randomSpec, fc.boolean(), async (random, caching) => {
        const report = await Effect.runPromise(check(toSpec(random), { caching }))
        const expected = search(random)
        const found = report.counterexamples
        expect(found.length).toBe(Object.keys(expected.violated).length === 0 ? 0 : 1)
        for (const { property, steps } of found) {
          expect(steps.length - 1).toBe(expected.violated[property])
          for (const [i, step] of steps.slice(1).entries()) {
            const taken = transitions(random, stateOf(steps[i]!)).some(
              ({ action, parameters, to }) =>
                action === step.action &&
                JSON.stringify(parameters) === JSON.stringify(step.parameters) &&
                sameState(to, stateOf(step))
            )
            expect(taken).toBe(true)
          }
        }
      }),
      { numRuns: 300 }
    )
  })
})

const counter = variables({ n: Schema.Int, dice: each(["a", "b"], Schema.Int) })
const start = { n: 0, dice: { a: 0, b: 0 } }

/** Counts up to `top`, one step at a time. */
const counting = (top: number, more: Partial<Spec> = {}): Spec => ({
  ...spec({
    name: "counting",
    variables: counter,
    init: start,
    actions: { Up: counter.action((s) => (s.n < top ? { n: s.n + 1 } : undefined)) },
    deadlock: "allowed"
  }),
  ...more
})

describe("exploration", () => {
  it.effect("a deadlock: an error by default: found, with the shortest way to it", () =>
    Effect.gen(function* () {
      const report = yield* check(counting(3, { deadlock: "error" }))
      assert.strictEqual(report.result, "violation")
      assert.deepStrictEqual(lengths(report), { deadlock: 3 })
      assert.strictEqual(report.counterexamples[0]?.kind, "deadlock")
      assert.deepStrictEqual(report.properties, { deadlock: "violated" })
    })
  )

  it.effect("a deadlock: allowed: no error, and not among the properties", () =>
    Effect.gen(function* () {
      const report = yield* check(counting(3))
      assert.strictEqual(report.result, "ok")
      assert.deepStrictEqual(report.properties, {})
      assert.deepStrictEqual([report.distinct, report.generated, report.depth], [4, 3, 4])
    })
  )

  it.effect("a step that changes nothing: enabled: no deadlock, a transition, and true of every step property", () =>
    Effect.gen(function* () {
      const report = yield* check(
        spec({
          name: "stuttering",
          variables: counter,
          init: start,
          actions: { Stay: counter.action((s) => ({ n: s.n })), Rest: counter.action(() => ({})) },
          stepProperties: { NeverProp: () => false }
        })
      )
      assert.strictEqual(report.result, "ok")
      assert.deepStrictEqual([report.distinct, report.generated, report.depth], [1, 2, 1])
    })
  )

  it.effect("an empty array of updates: like nothing: not enabled", () =>
    Effect.gen(function* () {
      const report = yield* check(counting(0, { actions: { Never: counter.action(() => []) }, deadlock: "error" }))
      assert.deepStrictEqual(lengths(report), { deadlock: 0 })
    })
  )

  it.effect("only the environment's actions enabled: stuck: whenStuck is asked there, and nowhere else", () =>
    Effect.gen(function* () {
      const parts = (ends: number) =>
        spec({
          name: "stuck",
          variables: counter,
          init: start,
          actions: {
            Up: counter.action((s) => (s.n < ends ? { n: s.n + 1 } : undefined)),
            Fault: counter.action((s) => ({ dice: { a: 1 - s.dice.a } }))
          },
          environment: ["Fault"],
          whenStuck: { EndedInv: { counted: (s) => s.n >= 2, odd: () => true } }
        })
      assert.strictEqual((yield* check(parts(2))).result, "ok")
      const report = yield* check(parts(1))
      assert.deepStrictEqual(lengths(report), { EndedInv: 1 })
      assert.strictEqual(report.counterexamples[0]?.kind, "stuck")
      assert.strictEqual(report.counterexamples[0]?.conjunct, "counted")
    })
  )

  it.effect("a conjunct that fails: named, with the variables that it read", () =>
    Effect.gen(function* () {
      const report = yield* check(
        counting(5, {
          invariants: {
            BothInv: { small: (s) => Reflect.get(Object(s), "n") < 9, two: (s) => Reflect.get(Object(s), "n") !== 2 }
          }
        })
      )
      const [found] = report.counterexamples
      assert.strictEqual(found?.conjunct, "two")
      assert.deepStrictEqual(found?.reads, [["n", 2]])
      assert.deepStrictEqual(
        found?.steps.map(({ action }) => action),
        [undefined, "Up", "Up"]
      )
      assert.deepStrictEqual(found?.steps[2]?.changes, ["n: 1 → 2"])
    })
  )

  it.effect("a step property that fails: on the last step: with primes on what the step led to", () =>
    Effect.gen(function* () {
      const report = yield* check(
        spec({
          name: "steps",
          variables: counter,
          init: start,
          actions: { Up: counter.action((s) => ({ n: (s.n + 1) % 3 })) },
          stepProperties: { GrowsProp: (s, t) => t.n >= s.n }
        })
      )
      assert.deepStrictEqual(lengths(report), { GrowsProp: 3 })
      assert.deepStrictEqual(report.counterexamples[0]?.reads, [
        ["n'", 0],
        ["n", 2]
      ])
    })
  )

  it.effect("several initial states, one of them twice: each is explored once", () =>
    Effect.gen(function* () {
      const report = yield* check(
        spec({
          name: "inits",
          variables: counter,
          init: [start, { ...start, n: 2 }, { n: 0, dice: { b: 0, a: 0 } }],
          actions: { Up: counter.action((s) => (s.n < 2 ? { n: s.n + 1 } : undefined)) },
          deadlock: "allowed"
        })
      )
      assert.deepStrictEqual([report.distinct, report.generated, report.depth], [3, 2, 2])
    })
  )

  it.effect("an initial state that breaks an invariant: a counterexample without a step", () =>
    Effect.gen(function* () {
      const report = yield* check(counting(2, { invariants: { FalseInv: () => false } }))
      assert.deepStrictEqual(lengths(report), { FalseInv: 0 })
    })
  )

  it.effect("parameters: constant and dependent ones mixed: every combination, in the order of declaration", () =>
    Effect.gen(function* () {
      const report = yield* check(
        spec({
          name: "parameters",
          variables: counter,
          init: start,
          actions: {
            Put: counter.action(
              { which: ["a", "b"], value: (s) => [s.n, s.n + 1, s.n], extra: [10, 20] },
              (s, { which, value, extra }) => (s.n === 0 ? { n: value + extra, dice: { [which]: value } } : undefined)
            )
          },
          invariants: { FewInv: (s) => s.n !== 21 || s.dice.b !== 1 },
          deadlock: "allowed"
        }),
        { continue: true }
      )
      assert.strictEqual(report.generated, 8)
      assert.deepStrictEqual(Object.entries(report.counterexamples[0]?.steps[1]?.parameters ?? {}), [
        ["which", "b"],
        ["value", 1],
        ["extra", 20]
      ])
    })
  )

  it.effect("a whole family copied into another variable: allowed, as a record", () =>
    Effect.gen(function* () {
      const vars = variables({ f: each(["a", "b"], Schema.Int), copy: Schema.Record(Schema.String, Schema.Int) })
      const report = yield* check(
        spec({
          name: "copy",
          variables: vars,
          init: { f: { a: 1, b: 2 }, copy: {} },
          actions: { Copy: vars.action((s) => ({ copy: s.f })) },
          invariants: { CopiedInv: (s) => Object.keys(s.copy).length === 0 || s.copy.b === 2 }
        })
      )
      assert.deepStrictEqual([report.result, report.distinct], ["ok", 2])
    })
  )

  it.effect("coverage: how often taken and how often new; an action that never fires is a warning", () =>
    Effect.gen(function* () {
      const never = counter.action((s) => (s.n > 99 ? { n: 0 } : undefined))
      const both = counting(3)
      const report = yield* check({
        ...both,
        actions: { ...both.actions, Never: never, Back: counter.action(() => ({ n: 0 })) }
      })
      assert.deepStrictEqual(report.actions, {
        Up: { taken: 3, fresh: 3 },
        Never: { taken: 0, fresh: 0 },
        Back: { taken: 4, fresh: 0 }
      })
      assert.deepStrictEqual(report.warnings, ["Never never happens: no state enables it."])
    })
  )

  it.effect("stopped at a violation: an action not reached yet: no warning, and other properties are unknown", () =>
    Effect.gen(function* () {
      const report = yield* check(
        counting(9, {
          actions: { ...counting(9).actions, Late: counter.action((s) => (s.n === 9 ? { n: 0 } : undefined)) },
          invariants: { OneInv: (s) => Reflect.get(Object(s), "n") !== 1, TrueInv: () => true }
        })
      )
      assert.deepStrictEqual(report.warnings, [])
      assert.deepStrictEqual(report.properties, { OneInv: "violated", TrueInv: "unknown" })
    })
  )

  it.effect("a limit on states: reached with more to come: bounded, and never more than the limit", () =>
    Effect.gen(function* () {
      const bounded = yield* check(counting(9, { invariants: { TrueInv: () => true } }), { maxStates: 4 })
      assert.deepStrictEqual([bounded.result, bounded.distinct], ["bounded", 4])
      assert.deepStrictEqual(bounded.properties, { TrueInv: "unknown" })
      const exact = yield* check(counting(9), { maxStates: 10 })
      assert.deepStrictEqual([exact.result, exact.distinct], ["ok", 10])
    })
  )

  it.effect("footprints: a variable that is not read: costs no evaluation", () =>
    Effect.gen(function* () {
      const vars = variables({ a: Schema.Int, b: Schema.Int })
      const grid = spec({
        name: "grid",
        variables: vars,
        init: { a: 0, b: 0 },
        actions: {
          A: vars.action((s) => (s.a < 29 ? { a: s.a + 1 } : undefined)),
          B: vars.action((s) => (s.b < 29 ? { b: s.b + 1 } : undefined))
        },
        deadlock: "allowed"
      })
      const [cached, plain] = [yield* check(grid), yield* check(grid, { caching: false })]
      assert.deepStrictEqual([cached.distinct, plain.distinct], [900, 900])
      assert.deepStrictEqual([cached.evaluations, plain.evaluations], [60, 1800])
    })
  )

  it.effect("progress: a search of many slices: grows to the report, which comes last", () =>
    Effect.gen(function* () {
      const elements = yield* Stream.runCollect(explore(counting(20_000)))
      const last = elements.at(-1)
      assert.strictEqual(last?._tag, "Report")
      assert.isAbove(elements.length, 2)
      const sizes = elements.map(({ distinct }) => distinct)
      assert.deepStrictEqual(
        sizes,
        [...sizes].sort((a, b) => a - b)
      )
      for (const element of elements.slice(0, -1)) assert.strictEqual(element._tag, "Progress")
    })
  )

  it.effect("progress: taken only in part: the rest is not explored", () =>
    Effect.gen(function* () {
      let evaluations = 0
      const watched = counting(Number.MAX_SAFE_INTEGER, {
        actions: {
          Up: counter.action((s) => {
            evaluations++
            return { n: s.n + 1 }
          })
        }
      })
      const first = yield* Stream.runHead(explore(watched))
      assert.isTrue(Option.isSome(first) && first.value._tag === "Progress")
      const seen = evaluations
      yield* Effect.yieldNow
      assert.strictEqual(evaluations, seen)
    })
  )

  it.live("interruption: of a search without end: ends it", () =>
    Effect.gen(function* () {
      const endless = counting(Number.MAX_SAFE_INTEGER)
      const fiber = yield* Effect.forkChild(check(endless), { startImmediately: true })
      yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
      const exit = yield* Fiber.await(fiber)
      assert.strictEqual(exit._tag, "Failure")
    })
  )
})
