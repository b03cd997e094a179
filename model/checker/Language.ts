/**
 * The spec language: TypeScript that reads like TLA+.
 *
 * A spec has named variables (each an Effect Schema), initial states, named
 * actions with quantified parameters, and properties. An action is a pure,
 * total function of the current state and its parameters. It returns nothing
 * when it is not enabled, one update, or an array of updates when the step is
 * nondeterministic. An update names only the variables that change: all others
 * are UNCHANGED.
 *
 * | TLA+                                | here                                            |
 * | ----------------------------------- | ----------------------------------------------- |
 * | `VARIABLES log, count`              | `variables({ log: …, count: … })`               |
 * | a function `[Deliveries -> D]`      | `delivery: each(Deliveries, D)`                 |
 * | `\E d \in Deliveries : Load(d)`     | `action({ d: Deliveries }, (s, { d }) => …)`    |
 * | `delivery' = [delivery EXCEPT ![d] = x]` | `{ delivery: { [d]: x } }`                 |
 * | `UNCHANGED <<log>>`                 | leave `log` out of the update                   |
 * | `A \/ B` inside an action           | return an array of updates                      |
 * | `INVARIANT Inv`                     | `invariants: { Inv: (s) => … }`                 |
 * | `PROPERTY [][P]_vars`               | `stepProperties: { P: (s, t) => … }`            |
 * | `PROPERTY P ~> Q`                   | `temporal: { Name: leadsTo((s) => …, (s) => …) }` |
 * | `PROPERTY <>P`, `[]<>P`, `<>[]P`    | `eventually(…)`, `alwaysEventually(…)`, `eventuallyAlways(…)` |
 * | `WF_vars(A)`, `SF_vars(A)`          | `fairness: { A: "weak" }`, `{ A: "strong" }`    |
 * | `\A d \in Deliveries : WF_vars(A(d))` | `fairness: { A: { weak: ["d"] } }`           |
 * | `CONSTRAINT C`, `ACTION_CONSTRAINT C` | `constraint: (s) => …`, `actionConstraint: (s, t) => …` |
 * | `SYMMETRY Permutations(Clients)`    | `symmetry: [Clients]`                           |
 *
 * The finer the variables, the better the engine: it watches which variables
 * an action reads, and never evaluates it twice on the same values of them.
 *
 * @module
 */
import type { Schema } from "effect"

/** A value a variable may hold: plain data, compared by structure. Integers only, no `undefined`, no class instances. */
export type Value =
  | null
  | boolean
  | number
  | string
  | ReadonlyArray<Value>
  | ReadonlySet<Value>
  | { readonly [field: string]: Value }

/** An element that a family of variables may be indexed by. */
export type Index = string | number

/** A family of variables, one for each element of `index` (a TLA+ function, stored as separate variables). */
export interface Family<I extends Index, S extends Schema.Top> {
  readonly _tag: "Family"
  readonly index: ReadonlyArray<I>
  readonly schema: S
}

/** What a spec's variables are declared as: a schema, or a family of variables that share one. */
export type Declarations = { readonly [name: string]: Schema.Top | Family<Index, Schema.Top> }

/** The state that an action and a property read. */
export type StateOf<D extends Declarations> = {
  readonly [K in keyof D]: D[K] extends Family<infer I, infer S>
    ? { readonly [i in I]: S["Type"] }
    : D[K] extends Schema.Top
      ? D[K]["Type"]
      : never
}

/** What an action returns: the variables that change, and their next values. */
export type Update<D extends Declarations> = {
  readonly [K in keyof D]?: D[K] extends Family<infer I, infer S>
    ? { readonly [i in I]?: S["Type"] }
    : D[K] extends Schema.Top
      ? D[K]["Type"]
      : never
}

/** What a parameter ranges over: a constant set, or one that depends on the state. */
export type Domain<S> = ReadonlyArray<Value> | ((s: S) => ReadonlyArray<Value>)

/** The parameters of an action, by name. */
export type Domains<S> = { readonly [parameter: string]: Domain<S> }

/** The values that the parameters are bound to in one step. */
export type Bound<P> = {
  readonly [K in keyof P]: P[K] extends (...args: never) => ReadonlyArray<infer T>
    ? T
    : P[K] extends ReadonlyArray<infer T>
      ? T
      : never
}

/** One action of a spec. Made by {@link Vocabulary.action}. */
export interface Action {
  readonly _tag: "Action"
  readonly domains: Domains<unknown>
  readonly next: (s: unknown, parameters: unknown) => unknown
}

/** A predicate over one state, or several named conjuncts of one (the failing one is named in the counterexample). */
export type StatePredicate<S> = ((s: S) => boolean) | { readonly [conjunct: string]: (s: S) => boolean }

/** A predicate over a step, from `s` to `t`. Steps that change nothing satisfy it by definition, as `[P]_vars` does. */
export type StepPredicate<S> = ((s: S, t: S) => boolean) | { readonly [conjunct: string]: (s: S, t: S) => boolean }

/** A property of whole behaviours. Made by the constructors of {@link Vocabulary}. */
export type Temporal<S> =
  | {
      readonly _tag: "Temporal"
      readonly form: "always" | "eventually" | "alwaysEventually" | "eventuallyAlways"
      readonly holds: StatePredicate<S>
    }
  | {
      readonly _tag: "Temporal"
      readonly form: "leadsTo"
      readonly when: StatePredicate<S>
      readonly holds: StatePredicate<S>
    }

/**
 * What may be relied on of an action A: that behaviours are fair to ⟨A⟩_v, the steps of A that change something.
 *
 * `"weak"`: A is not enabled for ever without being taken. `"strong"`: A is not enabled again and again without being
 * taken again and again. Both are about the action with any parameters, `WF_v(\E d : A(d))`. `{ weak: ["d"] }` is about
 * it separately for each value of the parameter d, `\A d : WF_v(A(d))`; the domain of d must be constant.
 */
export type Fairness =
  | "weak"
  | "strong"
  | { readonly weak: ReadonlyArray<string> }
  | { readonly strong: ReadonlyArray<string> }

/** The declared variables, and the typed constructors that go with them. */
export interface Vocabulary<D extends Declarations> {
  readonly declarations: D
  /** An action without parameters, or with parameters that range over the domains given. */
  readonly action: {
    (next: (s: StateOf<D>) => Update<D> | ReadonlyArray<Update<D>> | undefined): Action
    <const P extends Domains<StateOf<D>>>(
      domains: P,
      next: (s: StateOf<D>, parameters: Bound<P>) => Update<D> | ReadonlyArray<Update<D>> | undefined
    ): Action
  }
  /** An invariant, written apart from the spec that lists it. */
  readonly invariant: (predicate: StatePredicate<StateOf<D>>) => StatePredicate<StateOf<D>>
  /** An action property, written apart from the spec that lists it. */
  readonly stepProperty: (predicate: StepPredicate<StateOf<D>>) => StepPredicate<StateOf<D>>
  /** □P: P holds in every state. The same as an invariant. */
  readonly always: (holds: StatePredicate<StateOf<D>>) => Temporal<StateOf<D>>
  /** ◇P: P holds in some state of every behaviour. */
  readonly eventually: (holds: StatePredicate<StateOf<D>>) => Temporal<StateOf<D>>
  /** □◇P: P holds again and again, for ever. */
  readonly alwaysEventually: (holds: StatePredicate<StateOf<D>>) => Temporal<StateOf<D>>
  /** ◇□P: from some state on, P holds for ever. */
  readonly eventuallyAlways: (holds: StatePredicate<StateOf<D>>) => Temporal<StateOf<D>>
  /** P ⇝ Q: whenever P holds, Q holds then or later. */
  readonly leadsTo: (when: StatePredicate<StateOf<D>>, holds: StatePredicate<StateOf<D>>) => Temporal<StateOf<D>>
}

/** What a spec consists of. */
export interface SpecParts<D extends Declarations> {
  readonly name: string
  readonly variables: Vocabulary<D>
  /** The initial states: each assigns every variable (every element of a family). */
  readonly init: StateOf<D> | ReadonlyArray<StateOf<D>>
  /** The next-state relation is the disjunction of these. */
  readonly actions: { readonly [name: string]: Action }
  /**
   * The actions that are the environment's (faults, outside clients). They may happen, but nobody may wait for them:
   * a state in which only they are enabled is *stuck*.
   */
  readonly environment?: ReadonlyArray<string>
  /** Predicates that hold in every reachable state. */
  readonly invariants?: { readonly [name: string]: StatePredicate<StateOf<D>> }
  /** Predicates that hold on every step that changes something. */
  readonly stepProperties?: { readonly [name: string]: StepPredicate<StateOf<D>> }
  /** Predicates that hold in every stuck state: one in which no action but the environment's is enabled. */
  readonly whenStuck?: { readonly [name: string]: StatePredicate<StateOf<D>> }
  /** Whether a state in which nothing at all is enabled is an error. Default: `"error"`. */
  readonly deadlock?: "error" | "allowed"
  /**
   * Properties of whole behaviours that are fair. A behaviour may stutter for ever wherever fairness lets it, and must
   * where nothing is enabled.
   */
  readonly temporal?: { readonly [name: string]: Temporal<StateOf<D>> }
  /** By action, what behaviours are fair to; `"weak"` or `"strong"` alone is about the whole next-state relation. */
  readonly fairness?: "weak" | "strong" | { readonly [action: string]: Fairness }
  /** Predicates that some reachable state satisfies. When none does, the model shows less than it is meant to. */
  readonly sometimes?: { readonly [name: string]: StatePredicate<StateOf<D>> }
  /** The actions that are not meant to happen in this model. Any other that never happens makes the result vacuous. */
  readonly neverFires?: ReadonlyArray<string>
  /**
   * The states that belong to the model. A step to any other is left out; invariants and step properties are asked of it
   * all the same, since it is a step of the spec.
   */
  readonly constraint?: StatePredicate<StateOf<D>>
  /** The steps that belong to the model; the others are left out in the same way. */
  readonly actionConstraint?: StepPredicate<StateOf<D>>
  /**
   * Sets of interchangeable elements: of the states that differ only by a permutation of one, a single one is explored.
   * The families that are indexed by the elements are permuted, and strings that are elements wherever they are in a
   * value. Numbers inside values are not, as they may count something. It is refused where the spec is seen to tell the
   * elements apart, and together with temporal properties.
   */
  readonly symmetry?: ReadonlyArray<ReadonlyArray<Index>>
  /** By action, whose steps its steps are, for counterexamples. Default: its first parameter's (see {@link Process}). */
  readonly processes?: { readonly [action: string]: Process }
  /** By variable, the process that it lives in: a step of another one that changes it is shown as a message to it. */
  readonly owners?: { readonly [variable: string]: string }
}

/**
 * Whose steps the steps of an action are: a process by name, or one for each value of the parameter named in `by`, called
 * by that value and what `as` says (the parameter's name, when it says nothing).
 */
export type Process = string | { readonly by: string; readonly as?: string }

/** A spec, with the types of its state forgotten: what the engine works on. Made by {@link spec}. */
export interface Spec {
  readonly _tag: "Spec"
  readonly name: string
  readonly declarations: Declarations
  readonly init: ReadonlyArray<{ readonly [name: string]: unknown }>
  readonly actions: { readonly [name: string]: Action }
  readonly environment: ReadonlyArray<string>
  readonly invariants: { readonly [name: string]: StatePredicate<unknown> }
  readonly stepProperties: { readonly [name: string]: StepPredicate<unknown> }
  readonly whenStuck: { readonly [name: string]: StatePredicate<unknown> }
  readonly deadlock: "error" | "allowed"
  readonly temporal: { readonly [name: string]: Temporal<unknown> }
  readonly fairness: "weak" | "strong" | { readonly [action: string]: Fairness }
  readonly sometimes: { readonly [name: string]: StatePredicate<unknown> }
  readonly neverFires: ReadonlyArray<string>
  readonly constraint: StatePredicate<unknown>
  readonly actionConstraint: StepPredicate<unknown>
  readonly symmetry: ReadonlyArray<ReadonlyArray<Index>>
  readonly processes: { readonly [action: string]: Process }
  readonly owners: { readonly [variable: string]: string }
  /** What {@link spec} was given that is no part of a spec: a misspelt part would otherwise go unchecked. */
  readonly unknownParts?: ReadonlyArray<string>
}

const PARTS: { readonly [part in keyof SpecParts<Declarations>]-?: true } = {
  name: true,
  variables: true,
  init: true,
  actions: true,
  environment: true,
  invariants: true,
  stepProperties: true,
  whenStuck: true,
  deadlock: true,
  temporal: true,
  fairness: true,
  sometimes: true,
  neverFires: true,
  constraint: true,
  actionConstraint: true,
  symmetry: true,
  processes: true,
  owners: true
}

/** The names of the parts that a spec may have. */
export const partNames: ReadonlyArray<string> = Object.keys(PARTS)

/** A family of variables: one variable of this schema for each element of `index`. */
export const each = <const I extends Index, S extends Schema.Top>(
  index: ReadonlyArray<I>,
  schema: S
): Family<I, S> => ({ _tag: "Family", index, schema })

/** Declares a spec's variables, and returns the constructors for actions and properties over them. */
export const variables = <const D extends Declarations>(declarations: D): Vocabulary<D> => ({
  declarations,
  action: (
    ...args: [next: (s: never) => unknown] | [domains: Domains<never>, next: (s: never, parameters: never) => unknown]
  ): Action => {
    const [domains, next] = args.length === 1 ? [{}, args[0]] : args
    return { _tag: "Action", domains: domains as Action["domains"], next: next as Action["next"] }
  },
  invariant: (predicate) => predicate,
  stepProperty: (predicate) => predicate,
  always: (holds) => ({ _tag: "Temporal", form: "always", holds }),
  eventually: (holds) => ({ _tag: "Temporal", form: "eventually", holds }),
  alwaysEventually: (holds) => ({ _tag: "Temporal", form: "alwaysEventually", holds }),
  eventuallyAlways: (holds) => ({ _tag: "Temporal", form: "eventuallyAlways", holds }),
  leadsTo: (when, holds) => ({ _tag: "Temporal", form: "leadsTo", when, holds })
})

/** Makes a spec of its parts. The engine checks it when it is first used, not here. */
export const spec = <D extends Declarations>(parts: SpecParts<D>): Spec => ({
  _tag: "Spec",
  unknownParts: Object.keys(parts).filter((part) => !Object.hasOwn(PARTS, part)),
  name: parts.name,
  declarations: parts.variables.declarations,
  init: (Array.isArray(parts.init) ? parts.init : [parts.init]) as Spec["init"],
  actions: parts.actions,
  environment: parts.environment ?? [],
  invariants: (parts.invariants ?? {}) as Spec["invariants"],
  stepProperties: (parts.stepProperties ?? {}) as Spec["stepProperties"],
  whenStuck: (parts.whenStuck ?? {}) as Spec["whenStuck"],
  deadlock: parts.deadlock ?? "error",
  temporal: (parts.temporal ?? {}) as Spec["temporal"],
  fairness: parts.fairness ?? {},
  sometimes: (parts.sometimes ?? {}) as Spec["sometimes"],
  neverFires: parts.neverFires ?? [],
  constraint: (parts.constraint ?? {}) as Spec["constraint"],
  actionConstraint: (parts.actionConstraint ?? {}) as Spec["actionConstraint"],
  symmetry: parts.symmetry ?? [],
  processes: parts.processes ?? {},
  owners: parts.owners ?? {}
})

/** What a bounded model is expected to give, compared with what the checker finds. */
export interface Expectation {
  readonly result: "ok" | "violation" | "vacuous"
  /** The property that is violated, when the result is a violation. */
  readonly property?: string
  /** Distinct reachable states. */
  readonly distinct?: number
  /** Transitions taken, from every distinct state. */
  readonly generated?: number
  /** States on the longest of the shortest paths, counting the initial state. */
  readonly depth?: number
  /** Steps of the shortest counterexample. */
  readonly steps?: number
}

/** What one switch is for, as `onewriter rules` lists it. */
export interface Switch {
  /** What the rule says, in one sentence. */
  readonly rule: string
  /** The ids of the rules in the catalogue that it stands for. */
  readonly ids: ReadonlyArray<string>
  /** The property that fails when it is off. */
  readonly violates: string
  /** Why nothing fails when it is off, where that is so: what else prevents it. No model may then show a violation. */
  readonly uncaught?: string
}

/**
 * A small named configuration of a spec: what `onewriter models` lists, and `onewriter check NAME` checks. A rule is a
 * switch, on by default; `--without RULE` turns it off.
 */
export interface Model<R extends string = string> {
  readonly _tag: "Model"
  readonly name: string
  /** What the model shows, in one line. */
  readonly about: string
  /** The parts of what is modelled that it is about, as the modules call them. */
  readonly parts: ReadonlyArray<string>
  /** `ci`: checked on every change. `large`: goes deeper, and is checked by name. */
  readonly set: "ci" | "large"
  readonly switches: { readonly [rule in R]: Switch }
  // A method, so that models of different rules fit one list.
  spec(rules: { readonly [rule in R]: boolean }): Spec
  readonly expect: Expectation
  /** What the checker finds with one rule off, for each rule that this model shows the need of. */
  readonly without: { readonly [rule in R]?: Expectation }
}

/** Makes a bounded model. Without switches, `spec` may be a spec instead of a function. */
export const model = <const R extends string = never>(parts: {
  readonly name: string
  readonly about: string
  /** Default: none are named. */
  readonly parts?: ReadonlyArray<string>
  /** Default: `"ci"`. */
  readonly set?: "ci" | "large"
  readonly switches?: { readonly [rule in R]: Switch }
  readonly spec: Spec | ((rules: { readonly [rule in R]: boolean }) => Spec)
  readonly expect: Expectation
  readonly without?: { readonly [rule in R]?: Expectation }
}): Model<R> => {
  const given = parts.spec
  return {
    _tag: "Model",
    name: parts.name,
    about: parts.about,
    parts: parts.parts ?? [],
    set: parts.set ?? "ci",
    switches: parts.switches ?? ({} as Model<R>["switches"]),
    spec: (rules) => (typeof given === "function" ? given(rules) : given),
    expect: parts.expect,
    without: parts.without ?? {}
  }
}
