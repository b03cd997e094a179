import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import fc from "fast-check"
import { expect } from "vitest"
import { check, type Report, showReport } from "../../../model/checker/index.ts"
import { each, type Spec, spec, variables } from "../../../model/checker/Language.ts"
import { broken } from "./Judge.ts"

const Names = ["a", "b", "c"] as const
type Name = (typeof Names)[number]

/** Where a client may be asked to be, or left: a number of its own, who holds the token, who has been seen. */
interface RandomStep {
  readonly own: number | undefined
  readonly holder: "me" | "nobody" | "not me" | undefined
  readonly seen: boolean | undefined
  readonly setOwn: number | undefined
  readonly takes: "me" | "nobody" | "other" | undefined
  readonly marks: boolean
  readonly copies: boolean
  /** Tells one client from the others. */
  readonly only: Name | undefined
}

interface RandomSpec {
  readonly steps: ReadonlyArray<RandomStep>
  readonly inv: { readonly own: number; readonly many: number }
  readonly odd: Name | undefined
}

const maybe = <A>(of: fc.Arbitrary<A>) => fc.option(of, { nil: undefined })
const rarely = fc.oneof(
  { weight: 8, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constantFrom(...Names) }
)
const randomSpec: fc.Arbitrary<RandomSpec> = fc.record({
  steps: fc.array(
    fc.record({
      own: maybe(fc.nat(2)),
      holder: maybe(fc.constantFrom("me", "nobody", "not me")),
      seen: maybe(fc.boolean()),
      setOwn: maybe(fc.nat(2)),
      takes: maybe(fc.constantFrom("me", "nobody", "other")),
      marks: fc.boolean(),
      copies: fc.boolean(),
      only: rarely
    }),
    { minLength: 1, maxLength: 4 }
  ),
  inv: fc.record({ own: fc.nat(2), many: fc.integer({ min: 1, max: 3 }) }),
  odd: rarely
})

const vars = variables({
  own: each(Names, Schema.Int),
  holder: Schema.String,
  seen: Schema.ReadonlySet(Schema.String),
  notes: Schema.Record(Schema.String, Schema.Int)
})

const toSpec = ({ steps, inv, odd }: RandomSpec): Spec =>
  spec({
    name: "clients",
    variables: vars,
    init: { own: { a: 0, b: 0, c: 0 }, holder: "nobody", seen: new Set<string>(), notes: {} },
    actions: Object.fromEntries(
      steps.map((step, i) => [
        `Step${i}`,
        vars.action({ me: Names, other: Names }, (s, { me, other }) => {
          if (step.only !== undefined && step.only !== me) return
          if (step.own !== undefined && s.own[me] !== step.own) return
          if (step.holder === "me" && s.holder !== me) return
          if (step.holder === "nobody" && s.holder !== "nobody") return
          if (step.holder === "not me" && s.holder === me) return
          if (step.seen !== undefined && s.seen.has(me) !== step.seen) return
          return {
            ...(step.setOwn === undefined ? {} : { own: { [me]: step.setOwn } }),
            ...(step.takes === undefined ? {} : { holder: { me, nobody: "nobody", other }[step.takes] }),
            ...(step.marks ? { seen: new Set([...s.seen, me]) } : {}),
            ...(step.copies ? { notes: { ...s.notes, [other]: s.own[other] } } : {})
          }
        })
      ])
    ),
    invariants: {
      FewInv: (s) => Names.filter((name) => s.own[name] === inv.own).length !== inv.many || s.holder === odd
    },
    stepProperties: { HandoverProp: (s, t) => !(s.holder !== t.holder && s.own.a + s.own.b + s.own.c === 3) },
    whenStuck: { StuckInv: (s) => s.seen.size !== 2 },
    symmetry: [Names]
  })

const lengths = (report: Report) =>
  Object.fromEntries(report.counterexamples.map(({ property, steps }) => [property, steps.length - 1]))

describe("symmetry on random specs", () => {
  it("the verdicts, the lengths and, state for state, the size of the whole space; or refused", async () => {
    const seen = { refused: 0, compared: 0, odd: 0, fewer: 0 }
    await fc.assert(
      fc.asyncProperty(randomSpec, async (random) => {
        const of = toSpec(random)
        const odd = random.odd !== undefined || random.steps.some(({ only }) => only !== undefined)
        const full = await Effect.runPromise(check(of, { symmetry: false, continue: true }))
        const result = await Effect.runPromise(Effect.result(check(of, { continue: true })))
        if (odd) seen.odd++
        if (Result.isFailure(result)) {
          seen.refused++
          expect(odd).toBe(true)
          expect(result.failure.message).toContain("the spec tells the elements apart")
          return
        }
        const reduced = result.success
        seen.compared++
        if (reduced.distinct < full.distinct) seen.fewer++
        expect(reduced.properties).toEqual(full.properties)
        expect(lengths(reduced)).toEqual(lengths(full))
        expect(reduced.result).toBe(full.result)
        expect(reduced.depth).toBe(full.depth)
        expect(reduced.symmetry).toEqual({ permutations: 6, states: full.distinct })
        for (const found of reduced.counterexamples) expect(await Effect.runPromise(broken(of, found))).toEqual([])
      }),
      { numRuns: 300 }
    )
    expect(seen.refused).toBeGreaterThan(10)
    expect(seen.fewer).toBeGreaterThan(40)
  })
})

const clients = (names: ReadonlyArray<string | number>, more: Partial<Spec> = {}): Spec => {
  const of = variables({
    own: each(names, Schema.Int),
    last: Schema.Union([Schema.Int, Schema.String])
  })
  return {
    ...spec({
      name: "clients",
      variables: of,
      init: { own: Object.fromEntries(names.map((name) => [name, 0])), last: "nobody" },
      actions: {
        Count: of.action({ me: names }, (s, { me }) => (s.own[me]! < 2 ? { own: { [me]: s.own[me]! + 1 } } : undefined))
      },
      deadlock: "allowed",
      symmetry: [names]
    }),
    ...more
  }
}

const refusal = (of: Spec) => Effect.map(Effect.flip(check(of, { continue: true })), ({ message }) => message)

describe("symmetry", () => {
  it.effect("four counters: the states that differ in order are one; the report says for how many they stand", () =>
    Effect.gen(function* () {
      const report = yield* check(clients(["a", "b", "c", "d"]))
      assert.deepStrictEqual([report.distinct, report.symmetry], [15, { permutations: 24, states: 81 }])
      assert.include(showReport(report), "standing for 81 states, 5.40 times as many (symmetry, 24 permutations)")
    })
  )

  it.effect("elements that are numbers: fine as indices, refused where a value would have to be permuted", () =>
    Effect.gen(function* () {
      const numbers = clients([1, 2, 3])
      assert.deepStrictEqual((yield* check(numbers)).symmetry, { permutations: 6, states: 27 })
      const of = variables({ own: each([1, 2], Schema.Int), last: Schema.Int })
      const mentioned = spec({
        name: "mentioned",
        variables: of,
        init: { own: { 1: 0, 2: 0 }, last: 0 },
        actions: { Take: of.action({ me: [1, 2] }, (_, { me }) => ({ own: { [me]: 1 }, last: me })) },
        symmetry: [[1, 2]]
      })
      assert.include(yield* refusal(mentioned), "the steps of Take differ, when 1 → 2, 2 → 1")
    })
  )

  it.effect("two sets: every combination of their permutations", () =>
    Effect.gen(function* () {
      const of = variables({ x: each(["a", "b"], Schema.Int), y: each(["p", "q", "r"], Schema.Int) })
      const flip = spec({
        name: "flip",
        variables: of,
        init: { x: { a: 0, b: 0 }, y: { p: 0, q: 0, r: 0 } },
        actions: {
          X: of.action({ i: ["a", "b"] }, (s, { i }) => ({ x: { [i]: 1 - s.x[i] } })),
          Y: of.action({ i: ["p", "q", "r"] }, (s, { i }) => ({ y: { [i]: 1 - s.y[i] } }))
        },
        symmetry: [
          ["a", "b"],
          ["p", "q", "r"]
        ]
      })
      const report = yield* check(flip)
      assert.deepStrictEqual([report.distinct, report.symmetry], [12, { permutations: 12, states: 32 }])
    })
  )

  const own = (s: unknown, name: string): unknown => Reflect.get(Object(Reflect.get(Object(s), "own")), name)
  const told: ReadonlyArray<readonly [about: string, more: Partial<Spec>, message: string]> = [
    [
      "an invariant",
      { invariants: { Inv: (s) => own(s, "a") !== 7 || own(s, "b") === 7, OddInv: (s) => own(s, "a") !== 1 } },
      "OddInv differs"
    ],
    ["a claim", { sometimes: { Odd: (s) => own(s, "b") === 2 } }, "Odd differs"],
    [
      "a step property",
      { stepProperties: { OddProp: (s, t) => own(s, "a") === own(t, "a") } },
      "what OddProp says of a step differs"
    ],
    [
      "a whenStuck property",
      { whenStuck: { OddInv: (s) => own(s, "c") === 2 }, environment: ["Count"] },
      "OddInv differs"
    ],
    ["a constraint", { constraint: (s) => own(s, "c") !== 2 }, "constraint differs"],
    ["an initial state", { init: [{ own: { a: 1, b: 0, c: 0 }, last: "nobody" }] }, "not an initial state"]
  ]
  for (const [about, more, message] of told) {
    it.effect(`${about} that tells the elements apart: refused`, () =>
      Effect.gen(function* () {
        assert.include(yield* refusal(clients(["a", "b", "c"], more)), message)
        assert.notStrictEqual((yield* check(clients(["a", "b", "c"], more), { symmetry: false })).result, "bounded")
      })
    )
  }

  // One of two is chosen and writes. Nothing reads what it writes, and of the states that follow only one is explored,
  // so what tells the elements apart is run on nothing new.
  const unread = (more: (name: string) => Partial<Spec>, name: string): Spec => {
    const names = ["a", "b"]
    const of = variables({ turn: Schema.String, left: Schema.Int, own: each(names, Schema.Int) })
    return {
      ...spec({
        name: "unread",
        variables: of,
        init: { turn: "", left: 1, own: { a: 0, b: 0 } },
        actions: {
          Choose: of.action({ me: names }, (s, { me }) => (s.left > 0 ? { turn: me, left: 0 } : undefined)),
          Skip: of.action(() => ({ turn: "", left: 0 })),
          Write: of.action({ me: names }, (s, { me }) => (s.turn === me ? { own: { [me]: 2 }, turn: "" } : undefined))
        },
        symmetry: [names]
      }),
      ...more(name)
    }
  }
  const hidden: ReadonlyArray<readonly [about: string, more: (name: string) => Partial<Spec>, message: string]> = [
    ["an invariant", (name) => ({ invariants: { OddInv: (s) => own(s, name) !== 2 } }), "OddInv differs"],
    [
      "an invariant of states outside the model",
      (name) => ({
        constraint: (s) => own(s, "a") === own(s, "b"),
        invariants: { OddInv: (s) => own(s, name) !== 2 }
      }),
      "OddInv differs"
    ],
    ["a step property", (name) => ({ stepProperties: { OddProp: (_, t) => own(t, name) !== 2 } }), "what OddProp says"],
    ["a constraint", (name) => ({ constraint: (s) => own(s, name) !== 2 }), "constraint differs"],
    [
      "an action constraint",
      (name) => ({ actionConstraint: (_, t) => own(t, name) !== 2 }),
      "what actionConstraint says"
    ]
  ]
  for (const [about, more, message] of hidden) {
    it.effect(`${about} that reads only what nothing else reads: refused, or what fails is found`, () =>
      Effect.gen(function* () {
        const [a, b] = yield* Effect.forEach(["a", "b"], (name) =>
          Effect.match(check(unread(more, name)), {
            onFailure: (error) => error.message,
            onSuccess: ({ result }) => result
          })
        )
        // Whichever of the two is explored, the other one is not.
        assert.isTrue(`${a} ${b}`.includes(message))
        for (const each of [a, b]) assert.isTrue(each === "violation" || each?.includes(message))
      })
    )
  }

  it.effect("a constraint that tells nothing apart: leaves out what it leaves out without symmetry", () =>
    Effect.gen(function* () {
      const fair = unread(() => ({ constraint: (s) => own(s, "a") !== 2 && own(s, "b") !== 2 }), "")
      const [report, full] = [yield* check(fair), yield* check(fair, { symmetry: false })]
      assert.deepStrictEqual(report.symmetry?.states, full.distinct)
      assert.isAbove(report.leftOut, 0)
    })
  )

  const senseless: ReadonlyArray<readonly [about: string, of: Spec, message: string]> = [
    ["an element twice", clients(["a", "b"], { symmetry: [["a", "b", "a"]] }), '"a" is listed twice'],
    ["a family that some of the elements do not index", clients(["a", "b"], { symmetry: [["a", "z"]] }), 'not by "z"'],
    ["too many permutations", clients([..."abcdefgh"], {}), "there are 40320 permutations"],
    [
      "properties of behaviours",
      clients(["a", "b"], { temporal: { Ends: { _tag: "Temporal", form: "eventually", holds: () => false } } }),
      "cannot be combined with properties of behaviours"
    ]
  ]
  for (const [about, of, message] of senseless) {
    it.effect(`${about}: refused, with what is wrong`, () =>
      Effect.gen(function* () {
        assert.include(yield* refusal(of), message)
      })
    )
  }
})

describe("constraints", () => {
  const of = variables({ n: Schema.Int, turn: Schema.Int })
  const counting = (more: Partial<Spec>): Spec => ({
    ...spec({
      name: "counting",
      variables: of,
      init: { n: 0, turn: 0 },
      actions: {
        Up: of.action((s) => ({ n: s.n + 1 })),
        Turn: of.action((s) => ({ turn: 1 - s.turn }))
      }
    }),
    ...more
  })
  const n = (s: unknown): number => Number(Reflect.get(Object(s), "n"))

  it.effect("a state constraint: bounds what has no end; what it leaves out is counted, and is no deadlock", () =>
    Effect.gen(function* () {
      const report = yield* check(counting({ constraint: { small: (s) => n(s) <= 3 } }))
      assert.deepStrictEqual([report.result, report.distinct, report.leftOut], ["ok", 8, 2])
      assert.include(showReport(report), "2 steps left out by a constraint")
    })
  )

  it.effect("an action constraint: leaves out steps, not states", () =>
    Effect.gen(function* () {
      const report = yield* check(
        counting({
          constraint: (s) => n(s) <= 2,
          actionConstraint: (s, t) => n(t) <= n(s) || Reflect.get(Object(s), "turn") === 0
        })
      )
      assert.deepStrictEqual([report.result, report.distinct, report.leftOut], ["ok", 6, 4])
    })
  )

  it.effect("an invariant that fails outside: fails all the same, on a step of the spec", () =>
    Effect.gen(function* () {
      const report = yield* check(counting({ constraint: (s) => n(s) <= 3, invariants: { SmallInv: (s) => n(s) < 4 } }))
      assert.deepStrictEqual(lengths(report), { SmallInv: 4 })
      assert.deepStrictEqual(report.counterexamples[0]?.reads, [["n", 4]])
      const outside = yield* check(counting({ constraint: (s) => n(s) > 0, invariants: { SomeInv: (s) => n(s) > 0 } }))
      assert.deepStrictEqual([outside.distinct, lengths(outside)], [0, { SomeInv: 0 }])
      const none = yield* check(counting({ constraint: () => false, neverFires: ["Up", "Turn"] }))
      assert.deepStrictEqual(none.result, "vacuous")
      assert.deepStrictEqual(none.reasons, ["There is no state: the constraint leaves out every initial one."])
    })
  )

  it.effect("a step that is left out: enables its action, but is on no cycle", () =>
    Effect.gen(function* () {
      const temporal: Spec["temporal"] = { Ends: of.eventually((s) => s.n > 3) as Spec["temporal"][string] }
      const parts = {
        constraint: (s: unknown) => n(s) <= 3,
        temporal,
        fairness: { Up: "strong", Turn: "strong" } as const
      }
      assert.deepStrictEqual((yield* check(counting(parts))).properties.Ends, "holds")
      const weak = yield* check(counting({ ...parts, fairness: { Turn: "weak" } }))
      assert.deepStrictEqual(weak.properties.Ends, "violated")
    })
  )
})
