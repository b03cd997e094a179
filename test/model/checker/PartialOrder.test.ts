import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import fc from "fast-check"
import { expect } from "vitest"
import { check, type Report, showReport } from "../../../model/checker/index.ts"
import { each, type Spec, spec, variables } from "../../../model/checker/Language.ts"
import { broken } from "./Judge.ts"
import { randomSpec, toSpec } from "./Random.ts"

const full = (of: Spec) => check(of, { continue: true, symmetry: false })
const reduced = (of: Spec) => check(of, { continue: true, symmetry: false, partialOrder: true })

/** What a reduction must not change. */
const verdicts = ({ result, properties, sometimes, actions, reasons }: Report) => ({
  result,
  properties,
  sometimes,
  reasons,
  happened: Object.entries(actions).flatMap(([name, { taken }]) => (taken > 0 ? [name] : []))
})

interface Move {
  readonly process: "p" | "q" | "r"
  readonly from: number
  readonly to: number
  readonly when: number | undefined
  readonly set: number | undefined
  readonly environment: boolean
}

interface Loose {
  readonly moves: ReadonlyArray<Move>
  readonly bad: readonly [number, number]
  readonly stuck: readonly [number, number]
  readonly shared: number
  readonly look: "p" | "shared" | "both"
  /** A constraint: where r does not go. */
  readonly without: number | undefined
}

const small = fc.nat(2)
const loose: fc.Arbitrary<Loose> = fc.record({
  moves: fc.array(
    fc.record({
      process: fc.constantFrom("p", "q", "r"),
      from: small,
      to: small,
      when: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: small }),
      set: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: small }),
      environment: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) })
    }),
    { minLength: 4, maxLength: 10 }
  ),
  bad: fc.tuple(small, small),
  stuck: fc.tuple(small, small),
  shared: small,
  look: fc.constantFrom("p", "shared", "both"),
  without: fc.option(fc.integer({ min: 1, max: 2 }), { nil: undefined, freq: 2 })
})

/** Three processes that mostly keep to themselves: what partial-order reduction is for. */
const looseSpec = ({ moves, bad, stuck, shared, look, without }: Loose): Spec => {
  const vars = variables({ at: each(["p", "q", "r"], Schema.Int), shared: Schema.Int })
  return spec({
    name: "loose",
    variables: vars,
    init: { at: { p: 0, q: 0, r: 0 }, shared: 0 },
    actions: Object.fromEntries(
      moves.map(({ process, from, to, when, set }, i) => [
        `Move${i}`,
        vars.action((s) =>
          s.at[process] === from && (when === undefined || s.shared === when)
            ? { at: { [process]: to }, ...(set === undefined ? {} : { shared: set }) }
            : undefined
        )
      ])
    ),
    environment: moves.flatMap(({ environment }, i) => (environment ? [`Move${i}`] : [])),
    invariants: {
      BadInv: (s) =>
        (look !== "shared" && s.at.p !== bad[0]) ||
        (look !== "p" && s.shared !== bad[1]) ||
        (s.at.p === 0 && s.shared === 0)
    },
    stepProperties: { SharedProp: (s, t) => !(s.shared === shared && t.shared === (shared + 1) % 3) },
    whenStuck: { StuckInv: (s) => s.at.q !== stuck[0] || s.at.r !== stuck[1] },
    ...(without === undefined
      ? {}
      : { constraint: (s: { readonly at: { readonly r: number } }) => s.at.r !== without }),
    sometimes: { Both: (s) => s.at.p === 1 && s.shared === shared }
  })
}

describe("partial-order reduction on random specs", () => {
  it("processes that are loosely coupled: every verdict is kept, and states are saved", async () => {
    const seen = { saved: 0 }
    await fc.assert(
      fc.asyncProperty(loose, async (random) => {
        const of = looseSpec(random)
        const [all, some] = [await Effect.runPromise(full(of)), await Effect.runPromise(reduced(of))]
        expect(some.partialOrder?.refused).toBeUndefined()
        expect(verdicts(some)).toEqual(verdicts(all))
        if (some.distinct < all.distinct) seen.saved++
        for (const found of some.counterexamples) expect(await Effect.runPromise(broken(of, found))).toEqual([])
      }),
      { numRuns: 600 }
    )
    expect(seen.saved).toBeGreaterThan(50)
  })

  it("specs in which everything hangs together: every verdict is kept", async () => {
    await fc.assert(
      fc.asyncProperty(randomSpec, async (random) => {
        const of = toSpec(random)
        const [all, some] = [await Effect.runPromise(full(of)), await Effect.runPromise(reduced(of))]
        expect(verdicts(some)).toEqual(verdicts(all))
      }),
      { numRuns: 300 }
    )
  })
})

const counters = (count: number, top: number, more: Partial<Spec> = {}): Spec => {
  const names = Array.from({ length: count }, (_, i) => `c${i}`)
  const vars = variables({ n: each(names, Schema.Int) })
  return {
    ...spec({
      name: "counters",
      variables: vars,
      init: { n: Object.fromEntries(names.map((name) => [name, 0])) },
      actions: {
        Up: vars.action({ name: names }, (s, { name }) =>
          s.n[name]! < top ? { n: { [name]: s.n[name]! + 1 } } : undefined
        )
      },
      deadlock: "allowed"
    }),
    ...more
  }
}
const n = (s: unknown, name: string) => Number(Reflect.get(Object(Reflect.get(Object(s), "n")), name))

describe("partial-order reduction", () => {
  it.effect("independent counters: one order instead of all; the report says what was left out", () =>
    Effect.gen(function* () {
      const report = yield* reduced(counters(4, 3))
      assert.deepStrictEqual([report.distinct, report.result], [13, "ok"])
      assert.deepStrictEqual(report.partialOrder, { states: 9, skipped: 18 })
      assert.include(showReport(report), "18 enabled actions left out in 9 states (partial order)")
      assert.strictEqual((yield* full(counters(4, 3))).distinct, 256)
    })
  )

  it.effect("what an invariant looks at: its steps are taken in every order, the others in one", () =>
    Effect.gen(function* () {
      const looks = counters(4, 3, { invariants: { Inv: (s) => n(s, "c0") + n(s, "c1") < 6 } })
      const report = yield* reduced(looks)
      assert.deepStrictEqual([report.distinct, report.properties.Inv], [22, "violated"])
    })
  )

  it.effect("a step property that is false of a step of others: nothing is left out, and it fails as before", () =>
    Effect.gen(function* () {
      const report = yield* reduced(
        counters(3, 2, { stepProperties: { MovesProp: (s, t) => n(s, "c0") !== n(t, "c0") } })
      )
      assert.strictEqual(report.properties.MovesProp, "violated")
      assert.strictEqual(
        report.partialOrder?.refused,
        "MovesProp is false of steps that change nothing of what it looks at"
      )
      assert.include(showReport(report), "nothing left out by partial order: MovesProp is false of steps")
    })
  )

  it.effect("a variable that only another one bounds: said to be out of reach, and everything is explored", () =>
    Effect.gen(function* () {
      const vars = variables({ left: Schema.Int, sum: Schema.Int })
      const unbounded = spec({
        name: "unbounded",
        variables: vars,
        init: { left: 3, sum: 0 },
        actions: { Add: vars.action((s) => (s.left > 0 ? { left: s.left - 1, sum: s.sum + 1 } : undefined)) },
        deadlock: "allowed"
      })
      const report = yield* reduced(unbounded)
      assert.deepStrictEqual([report.distinct, report.result], [4, "ok"])
      assert.match(report.partialOrder?.refused ?? "", /^the action Add meets too many values/)
    })
  )

  const refused: ReadonlyArray<readonly [about: string, of: Spec]> = [
    [
      "properties of behaviours",
      counters(2, 2, { temporal: { Ends: { _tag: "Temporal", form: "eventually", holds: () => true } } })
    ],
    ["an action constraint", counters(2, 2, { actionConstraint: () => true })],
    ["symmetry", counters(2, 2, { symmetry: [["c0", "c1"]] })]
  ]
  for (const [about, of] of refused) {
    it.effect(`${about}: not combined with it, and said so`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(check(of, { partialOrder: true }))
        assert.include(error.message, `it cannot be combined with ${about}`)
      })
    )
  }
})
