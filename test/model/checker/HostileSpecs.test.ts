/**
 * What passes for a spec, or for plain data, and is none: a typed error with its place, and nothing of it gets through.
 *
 * @module
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { check } from "../../../model/checker/index.ts"
import { each, type Spec, spec, variables } from "../../../model/checker/Language.ts"

const vars = variables({
  n: Schema.Int,
  list: Schema.Array(Schema.Int),
  set: Schema.ReadonlySet(Schema.Int),
  record: Schema.Struct({ a: Schema.Int }),
  f: each(["x", "y"], Schema.Int)
})
const init = { n: 0, list: [], set: new Set([1]), record: { a: 0 }, f: { x: 0, y: 0 } }

const sound = spec({
  name: "hostile",
  variables: vars,
  init,
  actions: { Up: vars.action((s) => (s.n < 3 ? { n: s.n + 1 } : undefined)) },
  deadlock: "allowed"
})

/** A part of a spec whose type was got around. */
const odd = (parts: { readonly [part: string]: unknown }): Partial<Spec> => parts as Partial<Spec>

/** An action in the first state alone, whose types were got around. */
const act = (next: () => unknown): Partial<Spec> => ({
  actions: {
    Act: { _tag: "Action", domains: {}, next: (s) => (Reflect.get(Object(s), "n") === 0 ? next() : undefined) }
  }
})

const thrower = (thrown: unknown) => (): never => {
  throw thrown
}

const mute = thrower("this speaks")
const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

const shapes: ReadonlyArray<readonly [what: string, parts: Partial<Spec>, site: RegExp, says: RegExp]> = [
  ["init: undefined", odd({ init: [undefined] }), /^init$/, /undefined/],
  ["init: the second of two states is null", odd({ init: [init, null] }), /^init, state 2$/, /null/],
  ["init: a function", odd({ init: [() => init] }), /^init$/, /a function/],
  ["init: a number", odd({ init: 3 }), /^init$/, /the number 3/],
  ["no name", odd({ name: undefined }), /^name$/, /undefined/],
  ["an action: a function", odd({ actions: { Act: () => ({ n: 1 }) } }), /^action Act$/, /a function, and no action/],
  ["an action: undefined", odd({ actions: { Act: undefined } }), /^action Act$/, /undefined, and no action/],
  ["actions: undefined", odd({ actions: undefined }), /^actions$/, /undefined/],
  [
    "an action: without a function",
    odd({ actions: { Act: { _tag: "Action", domains: {}, next: 3 } } }),
    /^action Act$/,
    /what it does is the number 3/
  ],
  [
    "an action: without parameters",
    odd({ actions: { Act: { _tag: "Action", domains: null, next: () => undefined } } }),
    /^action Act$/,
    /its parameters are null/
  ],
  ["a variable: a number", odd({ declarations: { n: 3 } }), /^variables n$/, /the number 3/],
  ["a variable: undefined", odd({ declarations: { n: undefined } }), /^variables n$/, /undefined/],
  [
    "a family: without a schema",
    odd({ declarations: { f: { _tag: "Family", index: [1], schema: 3 } } }),
    /^variables f$/,
    /its schema is the number 3/
  ],
  [
    "a family: an index that is none",
    odd({ declarations: { f: { _tag: "Family", index: [{}], schema: Schema.Int } } }),
    /^variables f, its index$/,
    /an object/
  ],
  ["an invariant: null", odd({ invariants: { P: null } }), /^invariants P$/, /null/],
  ["an invariant: a string", odd({ invariants: { P: "yes" } }), /^invariants P$/, /the string "yes"/],
  ["an invariant: a conjunct that is no function", odd({ invariants: { P: { a: 3 } } }), /P, conjunct a/, /number 3/],
  ["invariants: a function", odd({ invariants: () => true }), /^invariants$/, /a function/],
  ["temporal: null", odd({ temporal: { U: null } }), /^temporal U$/, /null, and no temporal property/],
  ["temporal: a function", odd({ temporal: { U: () => true } }), /^temporal U$/, /no temporal property/],
  [
    "temporal: an unknown form",
    odd({ temporal: { U: { _tag: "Temporal", form: "never", holds: () => true } } }),
    /^temporal U$/,
    /the string "never"/
  ],
  [
    "temporal: without a predicate",
    odd({ temporal: { U: { _tag: "Temporal", form: "eventually" } } }),
    /^temporal U$/,
    /undefined/
  ],
  [
    "temporal: nothing leads to it",
    odd({ temporal: { U: { _tag: "Temporal", form: "leadsTo", holds: () => true } } }),
    /^temporal U, what leads to it$/,
    /undefined/
  ],
  ["environment: a string", odd({ environment: "Up" }), /^environment$/, /the string "Up"/],
  ["fairness: misspelt", odd({ fairness: "weakly" }), /^fairness$/, /the string "weakly"/],
  ["fairness: of an action, misspelt", odd({ fairness: { Up: "weakly" } }), /^fairness Up$/, /the string "weakly"/],
  ["fairness: null", odd({ fairness: { Up: null } }), /^fairness Up$/, /null/],
  ["fairness: a parameter that is not in a list", odd({ fairness: { Up: { weak: "d" } } }), /^fairness Up$/, /not say/],
  ["symmetry: a list of elements", odd({ symmetry: ["x", "y"] }), /^symmetry, set 1$/, /the string "x"/],
  ["symmetry: an element that is none", odd({ symmetry: [[null]] }), /^symmetry, set 1$/, /null is no index/],
  ["a constraint: a number", odd({ constraint: 3 }), /^constraint$/, /the number 3/],
  ["an action constraint: a number", odd({ actionConstraint: 3 }), /^actionConstraint$/, /the number 3/],
  ["deadlock: misspelt", odd({ deadlock: "ignore" }), /^deadlock$/, /the string "ignore"/],
  ["a process: a number", odd({ processes: { Up: 3 } }), /^processes Up$/, /the number 3/],
  ["an owner: a number", odd({ owners: { n: 3 } }), /^owners n$/, /the number 3/],
  [
    "a part that throws when it is read",
    {
      get temporal(): never {
        return mute()
      }
    },
    /^the spec$/,
    /reading it throws this speaks/
  ]
]

const values: ReadonlyArray<readonly [what: string, parts: Partial<Spec>, tag: string, says: RegExp]> = [
  [
    "a getter that throws",
    act(() => ({
      record: {
        get a(): number {
          return mute()
        }
      }
    })),
    "InvalidValue",
    /record\.a is given.*reading it throws this speaks/
  ],
  [
    "a getter",
    act(() => ({
      record: {
        get a() {
          return 7
        }
      }
    })),
    "InvalidValue",
    /a is a getter/
  ],
  [
    "a field that is hidden",
    act(() => ({ record: Object.defineProperty({ a: 5 }, "b", { value: 1 }) })),
    "InvalidValue",
    /b is not enumerable/
  ],
  [
    "a proxy that refuses",
    act(() => ({ record: new Proxy({}, { ownKeys: mute }) })),
    "InvalidValue",
    /reading it throws/
  ],
  ["a list that refuses", act(() => ({ list: new Proxy([1], { get: mute }) })), "InvalidValue", /reading it throws/],
  ["a value that is revoked", act(() => ({ record: revoked() })), "InvalidValue", /reading it throws TypeError/],
  [
    "an update with a getter that throws",
    act(() => ({
      get n(): number {
        return mute()
      }
    })),
    "InvalidUpdate",
    /reading it throws this speaks/
  ],
  ["an update that refuses", act(() => new Proxy({}, { ownKeys: mute })), "InvalidUpdate", /reading it throws/],
  ["an update that is revoked", act(revoked), "EvaluationFailed", /revoked/],
  [
    "an update of a family that refuses",
    act(() => ({ f: new Proxy({}, { ownKeys: mute }) })),
    "InvalidUpdate",
    /family f/
  ],
  ["updates in a list that refuses", act(() => new Proxy([{}], { get: mute })), "EvaluationFailed", /this speaks/],
  ["an update with a symbol", act(() => ({ n: 1, [Symbol("n")]: 2 })), "InvalidUpdate", /symbol/],
  ["a list with fields", act(() => ({ list: Object.assign([1], { extra: 2 }) })), "InvalidValue", /this one has extra/],
  ["a list with a hole", act(() => ({ list: Object.assign([1], { 2: 1 }) })), "InvalidValue", /list\[1\].*hole/],
  ["a list that is all hole", act(() => ({ list: new Array(2 ** 31) })), "InvalidValue", /list\[0\].*hole/],
  ["a set with fields", act(() => ({ set: Object.assign(new Set([1]), { extra: 2 }) })), "InvalidValue", /has extra/],
  ["a value with toJSON", act(() => ({ f: { x: { toJSON: mute } } })), "InvalidValue", /f\[x\]\.toJSON.*a function/],
  ["an object without words is thrown", act(thrower({ toString: mute })), "EvaluationFailed", /throws again/],
  ["an object without a prototype is thrown", act(thrower(Object.create(null))), "EvaluationFailed", /throws again/],
  [
    "an error without words is thrown",
    act(thrower(Object.defineProperty(new Error(), "message", { get: mute }))),
    "EvaluationFailed",
    /throws again/
  ],
  [
    "a proxy that refuses is thrown",
    act(thrower(new Proxy({}, { getPrototypeOf: mute, get: mute }))),
    "EvaluationFailed",
    /throws again/
  ],
  ["a symbol is thrown", act(thrower(Symbol("s"))), "EvaluationFailed", /Symbol\(s\)/],
  ["the answer has no words", act(() => Object.assign(() => 1, { toString: mute })), "InvalidUpdate", /a function/],
  [
    "an initial state with a getter that throws",
    odd({
      init: [
        {
          ...init,
          record: {
            get a(): number {
              return mute()
            }
          }
        }
      ]
    }),
    "InvalidValue",
    /record\.a is given/
  ],
  [
    "an initial state that refuses",
    odd({ init: [new Proxy({}, { ownKeys: mute })] }),
    "InvalidValue",
    /reading it throws/
  ]
]

describe("what passes for a spec", () => {
  it.effect.each(shapes)("$0: refused, with the place", ([, parts, site, says]) =>
    Effect.gen(function* () {
      const parted = Object.create(Object.prototype, {
        ...Object.getOwnPropertyDescriptors(sound),
        ...Object.getOwnPropertyDescriptors(parts)
      })
      const error = yield* Effect.flip(check(parted))
      assert.strictEqual(error._tag, "InvalidSpec")
      assert.match(error.site, site)
      assert.match(error.problem, says)
      assert.isAbove(error.remedy.length, 5)
    })
  )

  it.effect("no spec at all: refused", () =>
    Effect.gen(function* () {
      for (const raw of [undefined, null, 3, "spec", []]) {
        const error = yield* Effect.flip(check(raw as unknown as Spec))
        assert.strictEqual(error._tag, "InvalidSpec")
        assert.strictEqual(error.site, "the spec")
      }
    })
  )
})

describe("what passes for plain data", () => {
  it.effect.each(values)("$0: refused, with the place", ([, parts, tag, says]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(check({ ...sound, ...parts }))
      assert.strictEqual(error._tag, tag)
      assert.match(error.site, /^action Act$|^initial state$/)
      assert.match(error.problem, says)
      assert.include(error.message, error.remedy)
    })
  )

  it.effect.each(["add", "delete", "clear"] as const)(
    "a set of the state, changed with Set.prototype.%s: refused, in an action and in an invariant",
    (method) =>
      Effect.gen(function* () {
        const change = (s: unknown): unknown => Reflect.apply(Set.prototype[method], Reflect.get(Object(s), "set"), [1])
        const changing = vars.action((s) => {
          change(s)
          return s.n < 3 ? { n: s.n + 1 } : undefined
        })
        for (const parts of [
          { actions: { Act: changing } },
          { invariants: { P: (s: unknown) => change(s) !== undefined } }
        ]) {
          const error = yield* Effect.flip(check({ ...sound, ...parts }))
          assert.strictEqual(error._tag, "StateMutated")
          assert.match(error.site, /^action Act$|^invariant P$/)
        }
      })
  )

  it.effect("what has no words: is not kept in the error either, so that whoever prints it is safe", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(check({ ...sound, ...act(thrower(new Proxy({}, { get: mute }))) }))
      assert.instanceOf(error, Error)
      assert.match(String(Reflect.get(error, "cause")), /throws again/)
    })
  )
})

const People = Schema.ReadonlySet(Schema.Struct({ name: Schema.String }))

describe("a set of the state", () => {
  const people = variables({ all: People, seen: Schema.Boolean })
  const ask = (holds: (all: ReadonlySet<{ readonly name: string }>) => boolean): Spec =>
    spec({
      name: "people",
      variables: people,
      init: { all: new Set([{ name: "a" }, { name: "b" }]), seen: false },
      actions: { See: people.action((s) => (s.seen ? undefined : { seen: true })) },
      invariants: { HoldsInv: (s) => holds(s.all) },
      deadlock: "allowed"
    })
  const a = { name: "a" }
  const c = { name: "c" }

  it.effect.each<readonly [string, (all: ReadonlySet<{ readonly name: string }>) => boolean]>([
    ["has", (all) => all.has(a) && !all.has(c)],
    ["size", (all) => all.size === 2],
    ["isSupersetOf", (all) => all.isSupersetOf(new Set([a])) && !all.isSupersetOf(new Set([a, c]))],
    ["isSubsetOf", (all) => all.isSubsetOf(new Set([a, { name: "b" }, c])) && !all.isSubsetOf(new Set([a]))],
    ["isDisjointFrom", (all) => all.isDisjointFrom(new Set([c])) && !all.isDisjointFrom(new Set([a]))],
    ["union", (all) => all.union(new Set([a, c])).size === 3],
    ["intersection", (all) => all.intersection(new Set([a, c])).size === 1],
    ["difference", (all) => all.difference(new Set([a])).size === 1],
    ["symmetricDifference", (all) => all.symmetricDifference(new Set([a, c])).size === 2],
    ["spread", (all) => [...all].map(({ name }) => name).join() === "a,b"],
    ["entries", (all) => [...all.entries()].every(([key, value]) => key === value)],
    [
      "forEach",
      (all) => {
        let names = ""
        all.forEach(({ name }, _, set) => {
          names += set === all ? name : "?"
        })
        return names === "ab"
      }
    ],
    ["copied, and added to", (all) => new Set(all).add(c).size === 3],
    ["instanceof", (all) => all instanceof Set && Object.prototype.toString.call(all) === "[object Set]"]
  ])("%s: is by structure, as in TLA+", ([, holds]) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* check(ask(holds))).result, "ok")
      assert.strictEqual((yield* check(ask((all) => !holds(all)))).result, "violation")
    })
  )
})
