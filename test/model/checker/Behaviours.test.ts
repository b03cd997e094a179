import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import fc from "fast-check"
import { expect } from "vitest"
import { Behaviours, check } from "../../../model/checker/index.ts"
import { each, spec, variables } from "../../../model/checker/Language.ts"
import { randomSpec, toSpec } from "./Random.ts"

const vars = variables({ n: Schema.Int, f: each([1, 2], Schema.Struct({ on: Schema.Boolean })) })
const init = { n: 0, f: { 1: { on: false }, 2: { on: false } } }

const switches = spec({
  name: "switches",
  variables: vars,
  init,
  actions: {
    Flip: vars.action({ d: [1, 2] }, (s, { d }) => ({ f: { [d]: { on: !s.f[d]!.on } } })),
    Set: vars.action({ to: (s) => [s.n, s.n + 1] }, (s, { to }) => (s.n < 2 ? { n: to } : undefined)),
    Fault: vars.action((s) => (s.n === 2 ? { n: 3 } : undefined))
  },
  environment: ["Fault", "Flip"],
  invariants: { LowInv: { low: (s) => s.n < 3, high: () => true } },
  stepProperties: { UpProp: (s, t) => t.n >= s.n },
  whenStuck: { BothOffInv: (s) => !s.f[1].on && !s.f[2].on }
})

describe("behaviours", () => {
  it.effect(
    "successors: of the initial state: every step, with its parameters, those that change nothing included",
    () =>
      Effect.gen(function* () {
        const behaviours = yield* Behaviours.make(switches)
        const [first] = behaviours.initial
        const steps = yield* behaviours.successors(first)
        assert.deepStrictEqual(
          steps.map(({ action, parameters }) => [action, parameters]),
          [
            ["Flip", { d: 1 }],
            ["Flip", { d: 2 }],
            ["Set", { to: 0 }],
            ["Set", { to: 1 }]
          ]
        )
        assert.strictEqual(steps[2]?.next, first)
        assert.deepStrictEqual(behaviours.read(steps[0]!.next), { n: 0, f: { 1: { on: true }, 2: { on: false } } })
        assert.deepStrictEqual(behaviours.changes(first, steps[0]!.next), ["f[1].on: false → true"])
      })
  )

  it.effect("apply: with all, some or none of the parameters: the states that match", () =>
    Effect.gen(function* () {
      const behaviours = yield* Behaviours.make(switches)
      const [first] = behaviours.initial
      const [flipped] = yield* behaviours.apply(first, "Flip", { d: 2 })
      assert.deepStrictEqual(behaviours.read(flipped!), { n: 0, f: { 1: { on: false }, 2: { on: true } } })
      assert.strictEqual((yield* behaviours.apply(first, "Flip", {})).length, 2)
      assert.deepStrictEqual(yield* behaviours.apply(first, "Set", { to: 0 }), [first])
      assert.deepStrictEqual(yield* behaviours.apply(first, "Set", { to: 5 }), [])
      assert.deepStrictEqual(yield* behaviours.apply(first, "Fault", {}), [])
    })
  )

  it.effect("apply: an unknown action, an unknown parameter, something that is no value: a typed error", () =>
    Effect.gen(function* () {
      const behaviours = yield* Behaviours.make(switches)
      const [first] = behaviours.initial
      const fails = (action: string, parameters: { [name: string]: unknown }) =>
        Effect.map(Effect.flip(behaviours.apply(first, action, parameters)), (error) => error.message)
      assert.match(yield* fails("Flop", {}), /no such action[\s\S]*Flip, Set, Fault/)
      assert.match(yield* fails("Flip", { e: 1 }), /no parameter e[\s\S]*d\./)
      assert.match(yield* fails("Flip", { d: 0.5 }), /0\.5/)
    })
  )

  it.effect("state: from plain values: the same number as the state reached, and an error when it is no state", () =>
    Effect.gen(function* () {
      const behaviours = yield* Behaviours.make(switches)
      assert.strictEqual(
        yield* behaviours.state({ ...init, f: { 2: { on: false }, 1: { on: false } } }),
        behaviours.initial[0]
      )
      assert.strictEqual((yield* Effect.flip(behaviours.state({ n: 0 })))._tag, "InvalidValue")
    })
  )

  it.effect("properties: in a state and on a step: which fail, where, and on what values", () =>
    Effect.gen(function* () {
      const behaviours = yield* Behaviours.make(switches)
      const [first] = behaviours.initial
      const high = yield* behaviours.state({ ...init, n: 3 })
      assert.deepStrictEqual(yield* behaviours.brokenInvariants(first), [])
      assert.deepStrictEqual(yield* behaviours.brokenInvariants(high), [
        { kind: "invariant", property: "LowInv", conjunct: "low", reads: [["n", 3]] }
      ])
      assert.deepStrictEqual(yield* behaviours.brokenStepProperties(first, high), [])
      assert.deepStrictEqual(yield* behaviours.brokenStepProperties(high, high), [])
      assert.deepStrictEqual(yield* behaviours.brokenStepProperties(high, first), [
        {
          kind: "step",
          property: "UpProp",
          reads: [
            ["n'", 0],
            ["n", 3]
          ]
        }
      ])
    })
  )

  it.effect("stuck: when only the environment can act: and only then whenStuck is asked", () =>
    Effect.gen(function* () {
      const behaviours = yield* Behaviours.make(switches)
      const on = { ...init, f: { 1: { on: true }, 2: { on: false } } }
      const moving = yield* behaviours.state(on)
      const stuck = yield* behaviours.state({ ...on, n: 2 })
      assert.deepStrictEqual([yield* behaviours.isStuck(moving), yield* behaviours.isStuck(stuck)], [false, true])
      assert.deepStrictEqual(yield* behaviours.brokenWhenStuck(moving), [])
      const [failure] = yield* behaviours.brokenWhenStuck(stuck)
      assert.strictEqual(failure?.property, "BothOffInv")
    })
  )

  it.effect("deadlock: when nothing can act: reported with what is broken when stuck, unless it is allowed", () =>
    Effect.gen(function* () {
      const { Set: set } = switches.actions
      const dead = { ...switches, actions: { Set: set! }, environment: [] }
      for (const deadlock of ["error", "allowed"] as const) {
        const behaviours = yield* Behaviours.make({ ...dead, deadlock })
        const broken = yield* behaviours.brokenWhenStuck(yield* behaviours.state({ ...init, n: 2 }))
        assert.deepStrictEqual(
          broken.map(({ property }) => property),
          deadlock === "error" ? ["deadlock"] : []
        )
      }
    })
  )

  it.effect("a spec that makes no sense: fails to compile", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        (yield* Effect.flip(Behaviours.make({ ...switches, actions: {}, environment: [] })))._tag,
        "InvalidSpec"
      )
    })
  )

  it("walked from every state: random specs: the states and transitions that the exploration counts", async () => {
    await fc.assert(
      fc.asyncProperty(randomSpec, async (random) => {
        const walked = Effect.gen(function* () {
          const behaviours = yield* Behaviours.make(toSpec(random))
          const seen = new Set(behaviours.initial)
          let generated = 0
          for (const state of seen) {
            for (const { action, parameters, next } of yield* behaviours.successors(state)) {
              generated++
              seen.add(next)
              expect(yield* behaviours.apply(state, action, parameters)).toContain(next)
            }
          }
          const report = yield* check(toSpec(random), { continue: true })
          expect([seen.size, generated]).toEqual([report.distinct, report.generated])
          expect(behaviours.size()).toBe(seen.size)
        })
        await Effect.runPromise(walked)
      }),
      { numRuns: 100 }
    )
  })
})
