/**
 * Small random specs, as data: the engine explores them, and a search that knows nothing of the engine does too.
 *
 * @module
 */
import { Schema } from "effect"
import fc from "fast-check"
import { each, type Spec, spec, type Value, variables } from "../../../model/checker/Language.ts"

/** A variable that is read or assigned: a number, an element of the family, or the size of the set. */
type Place = "x" | "y" | "f1" | "f2" | "set"

interface Assignment {
  readonly place: Place
  /** The next value is this, plus what the variable named in `plus` has, modulo the size of the domain. */
  readonly add: number
  readonly plus: Place | undefined
}

interface RandomAction {
  /** Each says that a variable has, or has not, some value. */
  readonly guards: ReadonlyArray<{ readonly place: Place; readonly value: number; readonly has: boolean }>
  /** Each is one update; several are nondeterminism. */
  readonly updates: ReadonlyArray<ReadonlyArray<Assignment>>
  /** The parameter ranges over this many values, added to every assignment; 0 is no parameter. */
  readonly range: number
  /** Whether the parameter's domain is a function of the state: the first numbers up to the value of `x`. */
  readonly dependent: boolean
  readonly environment: boolean
}

interface RandomSpec {
  readonly actions: ReadonlyArray<RandomAction>
  readonly inits: ReadonlyArray<number>
  readonly invariant: ReadonlyArray<{ readonly place: Place; readonly value: number }>
  readonly step: { readonly place: Place; readonly from: number; readonly to: number }
  readonly stuck: { readonly place: Place; readonly value: number }
  readonly deadlock: "error" | "allowed"
}

/** Values of a variable are the numbers below this. */
const SIZE = 3

const place = fc.constantFrom<Place>("x", "y", "f1", "f2", "set")
const condition = fc.record({ place, value: fc.nat(SIZE - 1) })

const action: fc.Arbitrary<RandomAction> = fc.record({
  guards: fc.array(fc.record({ place, value: fc.nat(SIZE - 1), has: fc.boolean() }), { maxLength: 2 }),
  updates: fc.array(
    fc.array(fc.record({ place, add: fc.nat(SIZE - 1), plus: fc.option(place, { nil: undefined }) }), { maxLength: 2 }),
    { maxLength: 3, size: "max" }
  ),
  range: fc.nat(2),
  dependent: fc.boolean(),
  environment: fc.boolean()
})

/** Random specs: two numbers, a family of two records, and a set; a few guarded actions; a property of each kind. */
export const randomSpec: fc.Arbitrary<RandomSpec> = fc.record({
  actions: fc.array(action, { minLength: 1, maxLength: 5, size: "max" }),
  inits: fc.array(fc.nat(SIZE - 1), { minLength: 1, maxLength: 3 }),
  invariant: fc.array(condition, { minLength: 1, maxLength: 3 }),
  step: fc.record({ place, from: fc.nat(SIZE - 1), to: fc.nat(SIZE - 1) }),
  stuck: condition,
  deadlock: fc.constantFrom("error" as const, "allowed" as const)
})

/** A state as actions are given it: by the engine's view, or plain. */
export interface RandomState {
  readonly x: number
  readonly y: number
  readonly f: { readonly 1: { readonly n: number }; readonly 2: { readonly n: number } }
  readonly set: ReadonlySet<number>
}

type RandomUpdate = { x?: number; y?: number; f?: { 1?: { n: number }; 2?: { n: number } }; set?: Set<number> }

const read = (s: RandomState, at: Place): number => {
  if (at === "x") return s.x
  if (at === "y") return s.y
  if (at === "f1") return s.f[1].n
  return at === "f2" ? s.f[2].n : s.set.size
}

const updateOf = (s: RandomState, assignments: ReadonlyArray<Assignment>, parameter: number): RandomUpdate => {
  const update: RandomUpdate = {}
  for (const { place: to, add, plus } of assignments) {
    const value = ((plus === undefined ? 0 : read(s, plus)) + add + parameter) % SIZE
    if (to === "x") update.x = value
    if (to === "y") update.y = value
    if (to === "f1") update.f = { ...update.f, 1: { n: value } }
    if (to === "f2") update.f = { ...update.f, 2: { n: value } }
    if (to === "set") update.set = new Set(Array.from({ length: value }, (_, i) => value - i))
  }
  return update
}

const next =
  ({ guards, updates }: RandomAction) =>
  (s: RandomState, parameter: number): ReadonlyArray<RandomUpdate> | undefined =>
    guards.every((guard) => (read(s, guard.place) === guard.value) === guard.has)
      ? updates.map((assignments) => updateOf(s, assignments, parameter))
      : undefined

const domain =
  ({ range, dependent }: RandomAction) =>
  (s: RandomState): ReadonlyArray<number> => {
    const all = Array.from({ length: range }, (_, i) => i)
    return dependent ? [...all, ...all].filter((i) => i <= s.x) : all
  }

const initial = (n: number): RandomState => ({ x: n, y: 0, f: { 1: { n: 0 }, 2: { n: 1 } }, set: new Set() })

const holds = ({ invariant, step, stuck }: RandomSpec) => ({
  invariant: (s: RandomState) => !invariant.every((each) => read(s, each.place) === each.value),
  step: (s: RandomState, t: RandomState) => !(read(s, step.place) === step.from && read(t, step.place) === step.to),
  stuck: (s: RandomState) => read(s, stuck.place) !== stuck.value
})

const nameOf = (i: number): string => `Action${i}`

/** The random spec in the spec language. */
export const toSpec = (random: RandomSpec): Spec => {
  const Small = Schema.Int
  const vars = variables({
    x: Small,
    y: Small,
    f: each([1, 2], Schema.Struct({ n: Small })),
    set: Schema.ReadonlySet(Small)
  })
  const properties = holds(random)
  return spec({
    name: "random",
    variables: vars,
    init: random.inits.map(initial),
    actions: Object.fromEntries(
      random.actions.map((each, i) => {
        if (each.range === 0) return [nameOf(i), vars.action((s) => next(each)(s, 0))]
        const range = each.dependent ? domain(each) : domain(each)(initial(0))
        return [nameOf(i), vars.action({ p: range }, (s, { p }) => next(each)(s, Number(p)))]
      })
    ),
    environment: random.actions.flatMap((each, i) => (each.environment ? [nameOf(i)] : [])),
    invariants: { Inv: properties.invariant },
    stepProperties: { Prop: properties.step },
    whenStuck: { Stuck: properties.stuck },
    deadlock: random.deadlock
  })
}

/** What a search finds. */
export interface Findings {
  readonly distinct: number
  readonly generated: number
  readonly depth: number
  /** For each property that fails, the steps of a shortest behaviour that shows it. */
  readonly violated: { readonly [property: string]: number }
  /** Whether there is an action that no state enables. */
  readonly unused: boolean
}

const keyOf = (s: RandomState): string => JSON.stringify([s.x, s.y, s.f[1], s.f[2], [...s.set].sort()])

/** One transition of the random spec. */
export interface Taken {
  readonly action: string
  readonly parameters: { readonly [name: string]: Value }
  readonly to: RandomState
}

/** Every transition from a state, without the engine. */
export const transitions = (random: RandomSpec, s: RandomState): ReadonlyArray<Taken> =>
  random.actions.flatMap((each, i) => {
    const parameters = each.range === 0 ? [undefined] : [...new Set(domain(each)(s))]
    return parameters.flatMap((p) =>
      (next(each)(s, p ?? 0) ?? []).map(
        (update): Taken => ({
          action: nameOf(i),
          parameters: p === undefined ? {} : { p },
          to: { ...s, ...update, f: { ...s.f, ...update.f } }
        })
      )
    )
  })

/** Explores a random spec with a map from JSON to distance, and nothing else. */
export const search = (random: RandomSpec): Findings => {
  const properties = holds(random)
  const distance = new Map<string, number>()
  const queue: Array<RandomState> = []
  const violated: { [property: string]: number } = {}
  const fired = new Set<string>()
  let generated = 0
  const note = (property: string, steps: number): void => {
    violated[property] = Math.min(violated[property] ?? Number.POSITIVE_INFINITY, steps)
  }
  const reach = (s: RandomState, steps: number): void => {
    if (distance.has(keyOf(s))) return
    distance.set(keyOf(s), steps)
    queue.push(s)
    if (!properties.invariant(s)) note("Inv", steps)
  }
  for (const n of random.inits) reach(initial(n), 0)
  for (const s of queue) {
    const steps = distance.get(keyOf(s))!
    const taken = transitions(random, s)
    for (const { action: name, to } of taken) {
      fired.add(name)
      generated++
      if (keyOf(to) !== keyOf(s) && !properties.step(s, to)) note("Prop", steps + 1)
      reach(to, steps + 1)
    }
    if (taken.every(({ action: name }) => random.actions[Number(name.slice("Action".length))]!.environment)) {
      if (!properties.stuck(s)) note("Stuck", steps)
      if (taken.length === 0 && random.deadlock === "error") note("deadlock", steps)
    }
  }
  const unused = fired.size < random.actions.length
  return { distinct: distance.size, generated, depth: Math.max(...distance.values()) + 1, violated, unused }
}

/** Whether two states, however they are represented, are the same. */
export const sameState = (a: RandomState, b: RandomState): boolean => keyOf(a) === keyOf(b)
