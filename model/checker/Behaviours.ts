/**
 * The behaviours of a spec, walked by hand: for tools that do not search all of them but follow one, such as a trace
 * validator or a simulator.
 *
 * A state is a small integer that stands for it within one `Behaviours`: equal states have equal numbers, so states may
 * be kept in sets and maps. Successors and verdicts are kept by footprint, as in the exploration.
 *
 * @example
 * ```ts
 * const behaviours = yield* Behaviours.make(spec)
 * const [first] = behaviours.initial
 * for (const { action, parameters, next } of yield* behaviours.successors(first)) …
 * ```
 *
 * @module
 */
import type { Effect } from "effect"
import type { ActionUnit, ParameterValues } from "./ActionUnit.ts"
import { type Compiled, compile, DEADLOCK, rowOf, shownOf, valuesOf } from "./Compile.ts"
import type { Conjunct } from "./Conjunct.ts"
import type { Spec, Value } from "./Language.ts"
import { judgeLasso, type LassoVerdict } from "./LassoVerdict.ts"
import { showChange } from "./Show.ts"
import { attempt, InvalidSpec, type SpecError } from "./SpecError.ts"
import { FULL, hashRow, StateTable } from "./StateTable.ts"
import { NotAValue } from "./Values.ts"
import { type Failure, failureOf } from "./Verdict.ts"

declare const StateBrand: unique symbol

/** A state of one `Behaviours`. Equal states are equal numbers. */
export type State = number & { readonly [StateBrand]: never }

/** A step that an action allows. */
export interface Transition {
  readonly action: string
  /** What its parameters are bound to; `{}` for an action without parameters. */
  readonly parameters: ParameterValues
  readonly next: State
}

/** A state as plain values: families of variables are records by index. The values are deeply frozen. */
export type StateValues = { readonly [variable: string]: Value }

/** The behaviours of one spec. */
export interface Behaviours {
  readonly spec: Spec
  /** The initial states, without repetitions. */
  readonly initial: readonly [State, ...Array<State>]
  /** Every step that is enabled in a state, those that change nothing included, in the order of the spec's actions. */
  readonly successors: (state: State) => Effect.Effect<ReadonlyArray<Transition>, SpecError>
  /**
   * The states that one action leads to with these parameters; none when it is not enabled, or when a parameter is
   * outside its domain. Parameters that are left out match any value. Fails with `InvalidSpec` when there is no such
   * action, or no such parameter of it.
   */
  readonly apply: (
    state: State,
    action: string,
    parameters: { readonly [name: string]: unknown }
  ) => Effect.Effect<ReadonlyArray<State>, SpecError>
  /** The values of a state. */
  readonly read: (state: State) => StateValues
  /** The same values for people: the fields of records are in the order in which their schemas declare them. */
  readonly show: (state: State) => StateValues
  /** The state that has these values, whether it is reachable or not. Fails when a variable is missing or invalid. */
  readonly state: (values: { readonly [variable: string]: unknown }) => Effect.Effect<State, SpecError>
  /** The invariants that fail in a state. */
  readonly brokenInvariants: (state: State) => Effect.Effect<ReadonlyArray<Failure>, SpecError>
  /** The step properties that fail on a step; none fails on a step that changes nothing. */
  readonly brokenStepProperties: (from: State, to: State) => Effect.Effect<ReadonlyArray<Failure>, SpecError>
  /** Whether no action but the environment's is enabled. */
  readonly isStuck: (state: State) => Effect.Effect<boolean, SpecError>
  /** The `whenStuck` properties that fail in a state if it is stuck, and the deadlock if it is one and that matters. */
  readonly brokenWhenStuck: (state: State) => Effect.Effect<ReadonlyArray<Failure>, SpecError>
  /**
   * What is true of the behaviour without end that goes through a stem and then round a cycle of at least one state, for
   * ever; a cycle of one state stays in it. Whether its steps are steps of the spec is not looked at.
   */
  readonly lasso: (
    stem: ReadonlyArray<State>,
    cycle: readonly [State, ...Array<State>]
  ) => Effect.Effect<LassoVerdict, SpecError>
  /** What differs between two states, a line for each difference. */
  readonly changes: (from: State, to: State) => ReadonlyArray<string>
  /** How many different states were met so far. */
  readonly size: () => number
}

/** Compiles a spec, and gives its behaviours. Fails when the spec makes no sense. */
export const make = (spec: Spec): Effect.Effect<Behaviours, SpecError> =>
  attempt(() => walk(compile(spec, { caching: true })))

const walk = (compiled: Compiled): Behaviours => {
  const { machine, spec } = compiled
  const { rows, width } = machine.reader
  const table = new StateTable(width, 2 ** 31 - 2)

  /** The number of the state whose row is at `base`. */
  const enter = (base: number): State => {
    const number = table.add(rows, base, hashRow(rows, base, width), -1)
    if (number === FULL) throw new RangeError(`no memory for more than ${table.size} states of ${spec.name}`)
    return (number >= 0 ? number : ~number) as State
  }
  const enterRow = (row: Int32Array): State => {
    rows.set(row, width)
    return enter(width)
  }

  const [first, ...others] = compiled.initial.map(enterRow)
  if (first === undefined) throw new Error(`compiling ${spec.name} let it pass without an initial state`)

  /** The transitions of one unit from the state in the reader. */
  const take = (unit: ActionUnit): ReadonlyArray<Transition> => {
    const place = unit.answer()
    if (place === 0) return []
    const { data } = machine.successors
    const transitions: Array<Transition> = []
    let at = place + 1
    for (let successor = data[place]!; successor > 0; successor--) {
      const parameters = unit.parameters(data[at]!)
      const end = at + 2 + 2 * data[at + 1]!
      rows.copyWithin(width, 0, width)
      for (at += 2; at < end; at += 2) rows[width + data[at]!] = data[at + 1]!
      transitions.push({ action: unit.name, parameters, next: enter(width) })
    }
    return transitions
  }

  const broken = (predicates: ReadonlyArray<Conjunct>): ReadonlyArray<Failure> =>
    predicates.filter((predicate) => !predicate.answer(0)).map((predicate) => failureOf(compiled, predicate))

  const parameterValue = (action: string, name: string, raw: unknown): Value => {
    try {
      return machine.values.canonical(raw)
    } catch (error) {
      if (!(error instanceof NotAValue)) throw error
      throw new InvalidSpec({
        spec: spec.name,
        site: `action ${action}`,
        problem: `its parameter ${name}${error.path} is not a value: ${error.problem}`,
        remedy: "Give plain data.",
        state: ""
      })
    }
  }

  const enabled = (unit: ActionUnit): boolean => unit.answer() !== 0

  const unitsOf = (action: string, parameters: ParameterValues): ReadonlyArray<ActionUnit> => {
    const definition = spec.actions[action]
    const complain = (problem: string, remedy: string): InvalidSpec =>
      new InvalidSpec({ spec: spec.name, site: `action ${action}`, problem, remedy, state: "" })
    if (definition === undefined) {
      throw complain("there is no such action", `The actions are ${compiled.actions.join(", ")}.`)
    }
    for (const name of Object.keys(parameters)) {
      if (!(name in definition.domains)) {
        const names = Object.keys(definition.domains)
        throw complain(
          `it has no parameter ${name}`,
          names.length === 0 ? "It has no parameters." : `Its parameters are ${names.join(", ")}.`
        )
      }
    }
    return compiled.units.filter(
      (unit) =>
        unit.name === action &&
        Object.entries(unit.constants).every(([name, value]) => !(name in parameters) || parameters[name] === value)
    )
  }

  return {
    spec,
    initial: [first, ...others],
    successors: (state) =>
      attempt(() => {
        table.load(state, rows, 0)
        return compiled.units.flatMap(take)
      }),
    apply: (state, action, parameters) =>
      attempt(() => {
        const wanted = Object.fromEntries(
          Object.entries(parameters).map(([name, value]) => [name, parameterValue(action, name, value)])
        )
        table.load(state, rows, 0)
        const found = unitsOf(action, wanted)
          .flatMap(take)
          .filter((transition) =>
            Object.entries(wanted).every(([name, value]) => transition.parameters[name] === value)
          )
        return [...new Set(found.map(({ next }) => next))]
      }),
    read: (state) => valuesOf(machine, table.row(state)),
    show: (state) => shownOf(machine, table.row(state)),
    state: (values) => attempt(() => enterRow(rowOf(machine, values, "the state given"))),
    brokenInvariants: (state) =>
      attempt(() => {
        table.load(state, rows, 0)
        return broken(compiled.invariants)
      }),
    brokenStepProperties: (from, to) =>
      attempt(() => {
        if (from === to) return []
        table.load(from, rows, 0)
        table.load(to, rows, width)
        return broken(compiled.stepProperties)
      }),
    isStuck: (state) =>
      attempt(() => {
        table.load(state, rows, 0)
        return !compiled.units.some((unit) => !unit.environment && enabled(unit))
      }),
    brokenWhenStuck: (state) =>
      attempt(() => {
        table.load(state, rows, 0)
        if (compiled.units.some((unit) => !unit.environment && enabled(unit))) return []
        const failures = broken(compiled.whenStuck)
        if (spec.deadlock === "allowed" || compiled.units.some(enabled)) return failures
        return [...failures, { kind: "deadlock", property: DEADLOCK, reads: [] }]
      }),
    lasso: (stem, cycle) =>
      attempt(() => {
        const row = (state: State): Int32Array => table.row(state)
        return judgeLasso(compiled, stem.map(row), cycle.map(row))
      }),
    changes: (from, to) => {
      const [before, after] = [table.row(from), table.row(to)]
      return machine.layout.columns.flatMap(({ at, label, domain }) =>
        showChange(label, domain.member(before[at]!), domain.member(after[at]!), domain.order)
      )
    },
    size: () => table.size
  }
}
