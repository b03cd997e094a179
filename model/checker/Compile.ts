/**
 * From a spec as it is written to what the engine runs: columns, units and initial rows, with everything checked that
 * can be checked before the first state.
 *
 * @module
 */
import { ActionUnit, type ParameterValues } from "./ActionUnit.ts"
import { type Column, type Layout, layout, Reader } from "./Columns.ts"
import { type Conjunct, conjunctsOf, type PredicateKind } from "./Conjunct.ts"
import { Dispatch } from "./Dispatch.ts"
import { internFor, kindOf, Machine } from "./Evaluation.ts"
import { type FairnessCondition, fairnessOf } from "./Fairness.ts"
import { type Action, partNames, type Spec, type StatePredicate, type StepPredicate, type Value } from "./Language.ts"
import { entriesOf, NotAValue } from "./PlainData.ts"
import { processMistake } from "./Process.ts"
import { InvalidSpec, InvalidValue } from "./SpecError.ts"
import { checkShape } from "./SpecShape.ts"
import { Successors } from "./Successors.ts"
import { Symmetry } from "./Symmetry.ts"
import { always, type TemporalProperty, temporalOf } from "./Temporal.ts"
import { Values } from "./Values.ts"

/** The name under which a deadlock is reported; no property may be called so. */
export const DEADLOCK = "deadlock"

/** A spec, ready to run. It owns mutable tables: make one for each exploration. */
export interface Compiled {
  readonly spec: Spec
  readonly machine: Machine
  readonly actions: ReadonlyArray<string>
  readonly units: ReadonlyArray<ActionUnit>
  /** Those, to be looked up together. */
  readonly dispatch: Dispatch
  readonly invariants: ReadonlyArray<Conjunct>
  readonly stepProperties: ReadonlyArray<Conjunct>
  readonly whenStuck: ReadonlyArray<Conjunct>
  /** The properties of behaviours, without those that are invariants by another name. */
  readonly temporal: ReadonlyArray<TemporalProperty>
  readonly fairness: ReadonlyArray<FairnessCondition>
  readonly sometimes: ReadonlyArray<Conjunct<"sometimes">>
  readonly constraint: ReadonlyArray<Conjunct<"constraint">>
  readonly actionConstraint: ReadonlyArray<Conjunct<"actionConstraint">>
  /** The initial states, each a row of ids, without repetitions. */
  readonly initial: ReadonlyArray<Int32Array>
  /** Absent when no elements are interchangeable, or when that is not to be made use of. */
  readonly symmetry?: Symmetry
}

/** How to compile a spec. */
export interface CompileOptions {
  /** Keep answers by footprint. */
  readonly caching: boolean
  /** Make use of the symmetry that the spec declares. Default: false. */
  readonly symmetry?: boolean
}

/** Compiles a spec. Throws `SpecError`. */
export const compile = (spec: Spec, options: CompileOptions): Compiled => {
  checkShape(spec)
  checkNames(spec)
  const values = new Values()
  const shape = makeLayout(spec, values)
  const machine = new Machine({
    spec: spec.name,
    layout: shape,
    reader: new Reader(shape),
    values,
    successors: new Successors()
  })
  const { caching } = options
  const initial = initialRows(machine, spec)
  const actions = Object.keys(spec.actions)
  const units = actions.flatMap((name, action) => {
    const definition = spec.actions[name]!
    const environment = spec.environment.includes(name)
    return bindings(spec, values, name, definition).map(
      (constants) => new ActionUnit(machine, { action, name, definition, constants, environment, caching })
    )
  })
  return {
    spec,
    machine,
    actions,
    units,
    dispatch: new Dispatch(units),
    invariants: conjuncts(machine, "invariant", { ...spec.invariants, ...always(spec) }, caching),
    stepProperties: conjuncts(machine, "step", spec.stepProperties, caching),
    whenStuck: conjuncts(machine, "stuck", spec.whenStuck, caching),
    temporal: temporalOf(machine, spec, caching),
    fairness: fairnessOf(spec, units),
    sometimes: conjuncts(machine, "sometimes", spec.sometimes, caching),
    constraint: bounds(machine, "constraint", spec.constraint, caching),
    actionConstraint: bounds(machine, "actionConstraint", spec.actionConstraint, caching),
    initial,
    ...(options.symmetry === true && spec.symmetry.length > 0 ? { symmetry: new Symmetry(machine, spec, initial) } : {})
  }
}

const invalid = (spec: Spec, site: string, problem: string, remedy: string): InvalidSpec =>
  new InvalidSpec({ spec: spec.name, site, problem, remedy, state: "" })

const checkNames = (spec: Spec): void => {
  const [stray] = spec.unknownParts ?? []
  if (stray !== undefined) {
    throw invalid(spec, "spec", `${stray} is not a part of a spec`, `The parts are ${partNames.join(", ")}.`)
  }
  const actions = Object.keys(spec.actions)
  if (Object.keys(spec.declarations).length === 0) {
    throw invalid(spec, "variables", "no variable is declared", "Declare at least one variable in variables({ … }).")
  }
  if (actions.length === 0) {
    throw invalid(
      spec,
      "actions",
      "there are none",
      "A spec needs at least one action, or it has no behaviour to check."
    )
  }
  if (spec.init.length === 0) {
    throw invalid(spec, "init", "there is no initial state", "Give one state, or a list of at least one.")
  }
  for (const list of ["environment", "neverFires"] as const) {
    for (const name of spec[list]) {
      if (!actions.includes(name)) {
        throw invalid(spec, list, `${name} is not an action`, `The actions are ${actions.join(", ")}.`)
      }
    }
  }
  const mistake = processMistake(spec)
  if (mistake !== undefined) throw invalid(spec, mistake.site, mistake.problem, mistake.remedy)
  const taken = new Map<string, string>([[DEADLOCK, "the engine's own check for deadlock"]])
  for (const kind of ["invariants", "stepProperties", "whenStuck", "temporal", "sometimes"] as const) {
    for (const name of Object.keys(spec[kind])) {
      const other = taken.get(name)
      if (other !== undefined) {
        throw invalid(
          spec,
          kind,
          `the name ${name} is used twice: by ${other} as well`,
          "Give each property its own name."
        )
      }
      taken.set(name, kind)
    }
  }
}

const makeLayout = (spec: Spec, values: Values): Layout => {
  for (const [name, declared] of Object.entries(spec.declarations)) {
    if (!("index" in declared) || !("_tag" in declared)) continue
    const seen = new Set<string>()
    if (declared.index.length === 0) {
      throw invalid(
        spec,
        `variables ${name}`,
        "the family has no index",
        "Give each(…) at least one element to index by."
      )
    }
    for (const index of declared.index) {
      if (seen.has(String(index))) {
        throw invalid(spec, `variables ${name}`, `the index ${index} is listed twice`, "List each index once.")
      }
      seen.add(String(index))
    }
  }
  return layout(spec.declarations, values)
}

/** Every binding of the parameters that range over constant sets; those that depend on the state are left out. */
const bindings = (spec: Spec, values: Values, name: string, action: Action): ReadonlyArray<ParameterValues> => {
  let bound: ReadonlyArray<ParameterValues> = [{}]
  for (const [parameter, domain] of Object.entries(action.domains)) {
    if (typeof domain === "function") continue
    const site = `action ${name}, the domain of ${parameter}`
    if (!Array.isArray(domain)) {
      throw invalid(
        spec,
        site,
        `it is ${kindOf(domain)}`,
        "A domain is an array of values, or a function of the state."
      )
    }
    if (domain.length === 0) {
      throw invalid(spec, site, "it is empty, so the action can never happen", "Give it a value, or remove the action.")
    }
    const range = new Set<Value>()
    for (const [i, raw] of domain.entries()) {
      try {
        range.add(values.canonical(raw))
      } catch (error) {
        if (!(error instanceof NotAValue)) throw error
        throw invalid(spec, site, `its element [${i}]${error.path} is not a value: ${error.problem}`, "Use plain data.")
      }
    }
    bound = bound.flatMap((outer) => [...range].map((value) => ({ ...outer, [parameter]: value })))
  }
  return bound
}

const conjuncts = <K extends PredicateKind>(
  machine: Machine,
  kind: K,
  properties: { readonly [name: string]: StatePredicate<unknown> | StepPredicate<unknown> },
  caching: boolean
): ReadonlyArray<Conjunct<K>> =>
  Object.entries(properties).flatMap(([property, predicate]) =>
    conjunctsOf(machine, kind, property, predicate, caching)
  )

/** A bound without conjuncts leaves nothing out. */
const bounds = <K extends "constraint" | "actionConstraint">(
  machine: Machine,
  kind: K,
  predicate: StatePredicate<unknown> | StepPredicate<unknown>,
  caching: boolean
): ReadonlyArray<Conjunct<K>> =>
  typeof predicate !== "function" && Object.keys(predicate).length === 0
    ? []
    : conjunctsOf(machine, kind, kind, predicate, caching)

const initialRows = (machine: Machine, spec: Spec): ReadonlyArray<Int32Array> => {
  const rows = spec.init.map((state, i) =>
    rowOf(machine, state, `initial state${spec.init.length === 1 ? "" : ` ${i + 1}`}`)
  )
  return [...new Map(rows.map((row) => [row.join(), row])).values()]
}

/** The row of a state given as plain values. Every variable must be there, and nothing else. Throws `SpecError`. */
export const rowOf = (machine: Machine, state: { readonly [name: string]: unknown }, site: string): Int32Array => {
  const row = new Int32Array(machine.layout.columns.length)
  const wrong = (variable: string, problem: string, remedy: string): InvalidValue =>
    new InvalidValue({ spec: machine.spec, site, variable, problem, remedy, state: "" })
  const known = [...machine.layout.variables.keys()]
  const read = (raw: unknown, variable: string, remedy: string): Map<string, unknown> => {
    const what = variable === "" ? "" : ` to the family ${variable}`
    try {
      const entries = entriesOf(raw)
      if (entries !== undefined) return new Map(entries)
    } catch (error) {
      if (!(error instanceof NotAValue)) throw error
      throw wrong(variable, `what it assigns${what} is not plain data: ${error.problem}`, remedy)
    }
    throw wrong(variable, variable === "" ? `it is ${kindOf(raw)}` : `it assigns ${kindOf(raw)}${what}`, remedy)
  }
  const given = read(state, "", "A state assigns every variable: { [variable]: value }.")
  for (const name of given.keys()) {
    if (!machine.layout.variables.has(name)) {
      throw wrong(name, `it assigns ${name}, which is not a variable`, `The variables are ${known.join(", ")}.`)
    }
  }
  for (const [name, variable] of machine.layout.variables) {
    if (!given.has(name)) {
      throw wrong(name, `it does not assign ${name}`, "A state assigns every variable.")
    }
    const assigned = given.get(name)
    if (variable._tag === "Single") {
      row[variable.column.at] = internFor(
        machine,
        variable.column,
        assigned,
        () => site,
        () => ""
      )
      continue
    }
    const elements = read(assigned, name, "Assign each element: { [index]: value }.")
    for (const index of elements.keys()) {
      if (!variable.columns.has(index)) {
        const indices = [...variable.columns.keys()].join(", ")
        throw wrong(`${name}[${index}]`, `${index} is not an index of ${name}`, `The indices are ${indices}.`)
      }
    }
    for (const [index, column] of variable.columns) {
      if (!elements.has(index)) {
        throw wrong(column.label, `it does not assign ${column.label}`, "A state assigns every element of a family.")
      }
      row[column.at] = internFor(
        machine,
        column,
        elements.get(index),
        () => site,
        () => ""
      )
    }
  }
  return row
}

/** The state in a row as plain values: what an action would be given. */
export const valuesOf = (machine: Machine, row: Int32Array): { readonly [variable: string]: Value } =>
  stateOf(machine, ({ at, domain }) => domain.member(row[at]!))

/** The state in a row for people: the fields of its records are in the order in which their schemas declare them. */
export const shownOf = (machine: Machine, row: Int32Array): { readonly [variable: string]: Value } =>
  stateOf(machine, ({ at, domain }) => domain.shown(row[at]!))

const stateOf = (machine: Machine, read: (column: Column) => Value): { readonly [variable: string]: Value } => {
  const state: { [variable: string]: Value } = {}
  for (const [name, variable] of machine.layout.variables) {
    state[name] =
      variable._tag === "Single"
        ? read(variable.column)
        : Object.fromEntries([...variable.columns].map(([index, column]) => [index, read(column)]))
  }
  return state
}
