import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { check } from "../../../model/checker/index.ts"
import { type Action, each, type Spec, spec, variables } from "../../../model/checker/Language.ts"

const vars = variables({
  n: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 })),
  list: Schema.Array(Schema.Int),
  record: Schema.Struct({ at: Schema.Literals(["a", "b"]) }),
  f: each(["x", "y"], Schema.Int)
})
const init = { n: 0, list: [], record: { at: "a" as const }, f: { x: 0, y: 0 } }

const sound = spec({
  name: "faulty",
  variables: vars,
  init,
  actions: { Up: vars.action((s) => (s.n < 3 ? { n: s.n + 1 } : undefined)) },
  deadlock: "allowed"
})

/** An action whose types were got around, as a caller in JavaScript could. */
const loose = (next: (s: typeof init) => unknown, domains: Action["domains"] = {}): Action => ({
  _tag: "Action",
  domains,
  next: (s) => next(s as typeof init)
})

const act = (next: (s: typeof init) => unknown): Partial<Spec> => ({ actions: { Act: loose(next) } })

/** Fields of the state are read-only to the type checker as well; this is what a careless cast does. */
const mutable = (value: unknown): { [field: string]: unknown } & Array<unknown> =>
  value as { [field: string]: unknown } & Array<unknown>

/** Fields that a variable carries past the check for excess properties, as a spread does. */
const misspelt = { invariant: { NeverInv: () => false } }

const cases: ReadonlyArray<readonly [what: string, more: Partial<Spec>, tag: string, site: RegExp, says: RegExp]> = [
  [
    "a part that no spec has, as when one is misspelt",
    spec({ ...misspelt, name: "faulty", variables: vars, init, actions: sound.actions }),
    "InvalidSpec",
    /spec/,
    /invariant is not a part of a spec/
  ],
  ["no actions", { actions: {} }, "InvalidSpec", /actions/, /there are none/],
  ["no initial state", { init: [] }, "InvalidSpec", /init/, /no initial state/],
  ...(
    [
      ["a variable", { declarations: { ...sound.declarations, "n\nm": Schema.Int } }],
      ["an element of an index", { declarations: { ...sound.declarations, f: each(["x\ny"], Schema.Int) } }],
      ["an action", { actions: { "Up\nnothing fails": sound.actions.Up! } }],
      ["a parameter", { actions: { Up: loose(() => undefined, { "p\rq": [1] }) } }],
      ["an invariant", { invariants: { "P\u2028": () => true } }],
      ["a conjunct", { invariants: { P: { "c\n": () => true } } }]
    ] as const
  ).map(([what, more]) => [`a line break in the name of ${what}`, more, "InvalidSpec", /\\u/, /line break/] as const),
  ["no variables", { declarations: {} }, "InvalidSpec", /variables/, /no variable/],
  ["an unknown action in environment", { environment: ["Upp"] }, "InvalidSpec", /environment/, /Upp is not an action/],
  [
    "a property named twice",
    { invariants: { P: () => true }, stepProperties: { P: () => true } },
    "InvalidSpec",
    /stepProperties/,
    /P is used twice: by invariants/
  ],
  [
    "a property named deadlock",
    { whenStuck: { deadlock: () => true } },
    "InvalidSpec",
    /whenStuck/,
    /deadlock is used/
  ],
  ["a property without conjuncts", { invariants: { P: {} } }, "InvalidSpec", /property P/, /no conjunct/],
  [
    "an empty constant domain",
    { actions: { Act: loose(() => undefined, { d: [] }) } },
    "InvalidSpec",
    /action Act, the domain of d/,
    /empty/
  ],
  [
    "a constant domain with something that is no value",
    { actions: { Act: loose(() => undefined, { d: [1, { at: 0.5 }] }) } },
    "InvalidSpec",
    /the domain of d/,
    /\[1\]\.at.*0\.5/
  ],
  ["an index listed twice", { declarations: { f: each([1, "1"], Schema.Int) } }, "InvalidSpec", /variables f/, /twice/],
  ["a family without index", { declarations: { f: each([], Schema.Int) } }, "InvalidSpec", /variables f/, /no index/],
  [
    "an initial state that misses a variable",
    { init: [{ ...init, n: undefined }] },
    "InvalidValue",
    /initial state/,
    /n is given.*undefined/
  ],
  [
    "an initial state without a variable",
    { init: [{ list: [], record: init.record, f: init.f }] },
    "InvalidValue",
    /initial state/,
    /does not assign n/
  ],
  [
    "an initial state without an element",
    { init: [{ ...init, f: { x: 0 } }] },
    "InvalidValue",
    /initial state/,
    /f\[y\]/
  ],
  [
    "an initial state with an unknown element",
    { init: [{ ...init, f: { ...init.f, z: 0 } }] },
    "InvalidValue",
    /initial/,
    /z is not an index/
  ],
  [
    "an initial state with an unknown variable",
    { init: [{ ...init, m: 0 }] },
    "InvalidValue",
    /initial/,
    /m, which is not a variable/
  ],
  [
    "an initial state with no record for a family",
    { init: [{ ...init, f: 3 }] },
    "InvalidValue",
    /initial/,
    /the family f/
  ],
  [
    "the second of two initial states",
    { init: [init, { ...init, n: 9 }] },
    "InvalidValue",
    /initial state 2/,
    /n is given/
  ],
  ["a value that its schema refuses", act(() => ({ n: 4 })), "InvalidValue", /action Act/, /schema refuses/],
  ["a literal that its schema refuses", act(() => ({ record: { at: "c" } })), "InvalidValue", /action Act/, /record/],
  ["a field that its schema does not name", act(() => ({ record: { at: "a", att: 1 } })), "InvalidValue", /Act/, /att/],
  ["a fraction", act(() => ({ list: [0, 0.5] })), "InvalidValue", /action Act/, /list\[1\].*0\.5 is not an integer/],
  ["undefined", act(() => ({ record: { at: undefined } })), "InvalidValue", /action Act/, /record\.at.*undefined/],
  ["a class instance", act(() => ({ list: new Map() })), "InvalidValue", /action Act/, /instance of Map/],
  ["a function as a value", act(() => ({ list: [() => 1] })), "InvalidValue", /action Act/, /function/],
  [
    "an update of an unknown variable",
    act(() => ({ m: 1 })),
    "InvalidUpdate",
    /action Act/,
    /m, which is not a variable/
  ],
  ["an update of an unknown index", act(() => ({ f: { z: 1 } })), "InvalidUpdate", /action Act/, /f\[z\]/],
  ["an update that puts no record for a family", act(() => ({ f: 1 })), "InvalidUpdate", /action Act/, /family f/],
  ["an update that is a boolean", act(() => false), "InvalidUpdate", /action Act/, /the boolean false/],
  ["an update that is null", act(() => null), "InvalidUpdate", /action Act/, /null/],
  ["an update that is a promise", act(() => Promise.resolve({})), "InvalidUpdate", /action Act/, /a promise/],
  [
    "an array with something that is no update",
    act(() => [{ n: 1 }, undefined]),
    "InvalidUpdate",
    /update 2 of 2/,
    /undefined/
  ],
  [
    "an action that throws",
    act(() => {
      throw new RangeError("too far")
    }),
    "EvaluationFailed",
    /action Act/,
    /RangeError: too far/
  ],
  [
    "an action that reads an unknown variable",
    act((s) => Reflect.get(s, "m")),
    "EvaluationFailed",
    /action Act/,
    /m, which is not a variable/
  ],
  [
    "an action that reads an unknown index",
    act((s) => Reflect.get(s.f, "z")),
    "EvaluationFailed",
    /Act/,
    /z, which is not an index of the variables f/
  ],
  [
    "a domain that throws",
    { actions: { Act: loose(() => undefined, { d: () => Reflect.get(Object.freeze([]).at(0) as never, "x") }) } },
    "EvaluationFailed",
    /the domain of d/,
    /TypeError/
  ],
  [
    "a domain that is no array",
    { actions: { Act: loose(() => undefined, { d: () => new Set() as never }) } },
    "EvaluationFailed",
    /the domain of d/,
    /an object/
  ],
  [
    "a domain with something that is no value",
    { actions: { Act: loose(() => undefined, { d: () => [0.5] }) } },
    "EvaluationFailed",
    /domain of d/,
    /0\.5/
  ],
  [
    "an invariant that throws",
    {
      invariants: {
        P: {
          part: () => {
            throw "a string"
          }
        }
      }
    },
    "EvaluationFailed",
    /invariant P, conjunct part/,
    /not an error: a string/
  ],
  [
    "an invariant that answers no boolean",
    { invariants: { P: () => 1 as never } },
    "EvaluationFailed",
    /invariant P/,
    /the number 1/
  ],
  [
    "a step property that answers no boolean",
    { stepProperties: { P: () => undefined as never } },
    "EvaluationFailed",
    /step property P/,
    /undefined/
  ],
  [
    "a whenStuck property that throws",
    { whenStuck: { P: () => Reflect.get(Object.freeze([]).at(0) as never, "x") } },
    "EvaluationFailed",
    /whenStuck property P/,
    /TypeError/
  ],
  [
    "a push to an array of the state",
    act((s) => ({ list: mutable(s.list).push(1) })),
    "StateMutated",
    /action Act/,
    /not extensible/
  ],
  [
    "an assignment to a field of the state",
    act((s) => {
      mutable(s.record).at = "b" as never
    }),
    "StateMutated",
    /action Act/,
    /read only/
  ],
  [
    "an assignment to a variable",
    act((s) => {
      mutable(s).n = 2
    }),
    "StateMutated",
    /action Act/,
    /n/
  ],
  [
    "an assignment to an element of a family",
    act((s) => {
      mutable(s.f).x = 2
    }),
    "StateMutated",
    /action Act/,
    /x/
  ],
  [
    "a new field on a record of the state",
    act((s) => {
      mutable(s.record).more = 2
    }),
    "StateMutated",
    /action Act/,
    /not extensible/
  ],
  [
    "a deleted field of the state",
    act((s) => {
      delete (s.record as { at?: string }).at
    }),
    "StateMutated",
    /action Act/,
    /Cannot delete/
  ],
  [
    "a mutation in an invariant",
    { invariants: { P: (s) => mutable(Reflect.get(Object(s), "list")).push(1) > 0 } },
    "StateMutated",
    /invariant P/,
    /not extensible/
  ]
]

describe("what is wrong with a spec", () => {
  it.effect.each(cases)(
    "$0: a typed error that names the spec and the place, and says what to do",
    ([, more, tag, site, says]) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(check({ ...sound, ...more }))
        assert.strictEqual(error._tag, tag)
        assert.strictEqual(error.spec, "faulty")
        assert.match(error.site, site)
        assert.match(error.problem, says)
        assert.isAbove(error.remedy.length, 10)
        assert.include(error.message, error.problem)
        assert.include(error.message, error.remedy)
      })
  )

  it.effect("nothing: no error", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* check(sound)).result, "ok")
    })
  )

  it.effect("a fault in a later state: with that state, and the parameters of the action", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        check({
          ...sound,
          actions: {
            Up: vars.action({ by: [1, 2] }, (s, { by }) => {
              if (s.n + by > 3) throw new Error("too far")
              return { n: s.n + by }
            })
          }
        })
      )
      assert.strictEqual(error.site, "action Up(by = 2)")
      assert.strictEqual(error.state, 'n = 2, list = [], record = { at: "a" }, f[x] = 0, f[y] = 0')
      assert.include(error.message, error.state)
    })
  )

  it.effect("an invalid value: names the variable with its index", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(check({ ...sound, ...act(() => ({ f: { y: "one" } })) }))
      assert.strictEqual(error._tag === "InvalidValue" ? error.variable : "", "f[y]")
    })
  )

  it.effect("an action that is not a function of the state: found out when its counterexample is worked out", () =>
    Effect.gen(function* () {
      let calls = 0
      const error = yield* Effect.flip(
        check({
          ...sound,
          actions: { Up: vars.action(() => ({ n: calls++ === 0 ? 1 : 0 })) },
          invariants: { ZeroInv: (s) => Reflect.get(Object(s), "n") === 0 }
        })
      )
      assert.strictEqual(error._tag, "EvaluationFailed")
      assert.match(error.problem, /asked twice/)
    })
  )

  it.effect("an action that reads other variables the second time: found out by its footprint", () =>
    Effect.gen(function* () {
      let calls = 0
      const error = yield* Effect.flip(
        check({
          ...sound,
          actions: {
            Up: sound.actions.Up!,
            Odd: vars.action((s) => {
              calls++
              return calls % 2 === 0 ? { n: Math.min(s.n, s.list.length) } : { n: Math.min(s.f.x, s.n) }
            })
          }
        })
      )
      assert.strictEqual(error._tag, "EvaluationFailed")
      assert.match(error.problem, /asked twice/)
    })
  )

  it.effect("something thrown by the engine itself: a defect, and not an error of the spec", () =>
    Effect.gen(function* () {
      const broken = {
        get caching(): boolean {
          throw new Error("broken")
        }
      }
      const exit = yield* Effect.exit(check(sound, broken))
      assert.isTrue(exit._tag === "Failure" && exit.cause.reasons.every((reason) => reason._tag === "Die"))
    })
  )
})
