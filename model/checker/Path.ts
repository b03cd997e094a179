/**
 * A single behaviour, step by step: what a random walk takes, what is shortened, and what a counterexample shows.
 *
 * @module
 */
import type { ActionUnit } from "./ActionUnit.ts"
import { type Compiled, DEADLOCK, shownOf } from "./Compile.ts"
import type { Conjunct, PropertyKind } from "./Conjunct.ts"
import { type Counterexample, failureAt, type Step } from "./Counterexample.ts"
import { showChange } from "./Show.ts"

/** A step that an action allows: the unit, the id of its parameters, and the row that it leads to. */
export interface Move {
  readonly unit: ActionUnit
  readonly parameters: number
  readonly row: Int32Array
}

/** A behaviour: its first row, and its steps. */
export interface Path {
  readonly start: Int32Array
  readonly moves: ReadonlyArray<Move>
}

/** A property that can fail in a state or on a step, with all its conjuncts. */
export interface Target {
  readonly kind: Exclude<PropertyKind, "temporal"> | "deadlock"
  readonly property: string
  /** None for a deadlock. */
  readonly predicates: ReadonlyArray<Conjunct>
}

/** The last row of a path. */
export const lastRow = ({ start, moves }: Path): Int32Array => moves.at(-1)?.row ?? start

/** Whether two rows are the same state. */
export const sameRow = (a: Int32Array, b: Int32Array): boolean => a.every((id, column) => id === b[column])

/** Every property of a spec that can fail in a state or on a step. */
export const targetsOf = ({ invariants, stepProperties, whenStuck, spec }: Compiled): ReadonlyArray<Target> => {
  const grouped = (["invariant", "step", "stuck"] as const).flatMap((kind) => {
    const all = { invariant: invariants, step: stepProperties, stuck: whenStuck }[kind]
    const properties = Map.groupBy(all, ({ property }) => property)
    return [...properties].map(([property, predicates]): Target => ({ kind, property, predicates }))
  })
  return spec.deadlock === "error" ? [...grouped, { kind: DEADLOCK, property: DEADLOCK, predicates: [] }] : grouped
}

/** The steps that one unit allows from a row; those that change nothing are left out. */
export const movesOf = ({ machine }: Compiled, unit: ActionUnit, row: Int32Array): ReadonlyArray<Move> => {
  machine.reader.rows.set(row, 0)
  const place = unit.answer()
  if (place === 0) return []
  const { data } = machine.successors
  const moves: Array<Move> = []
  let at = place + 1
  for (let successor = data[place]!; successor > 0; successor--) {
    const next = row.slice()
    const parameters = data[at]!
    const end = at + 2 + 2 * data[at + 1]!
    for (at += 2; at < end; at += 2) next[data[at]!] = data[at + 1]!
    if (!sameRow(next, row)) moves.push({ unit, parameters, row: next })
  }
  return moves
}

/** What of a target fails at the end of a step to `row`, or in it as an initial state when there is no `from`. */
export const failing = (
  { machine, units }: Compiled,
  { kind, predicates }: Target,
  from: Int32Array | undefined,
  row: Int32Array
): Conjunct | typeof DEADLOCK | undefined => {
  const { rows, width } = machine.reader
  if (kind === "invariant") {
    rows.set(row, width)
    return predicates.find((predicate) => !predicate.answer(width))
  }
  if (kind === "step") {
    if (from === undefined) return undefined
    rows.set(from, 0)
    rows.set(row, width)
    return predicates.find((predicate) => !predicate.answer(0))
  }
  rows.set(row, 0)
  if (units.some((unit) => (kind === DEADLOCK || !unit.environment) && unit.answer() !== 0)) return undefined
  return kind === DEADLOCK ? DEADLOCK : predicates.find((predicate) => !predicate.answer(0))
}

/** Whether a step stays inside the model's constraints. */
export const withinModel = (
  { machine, constraint, actionConstraint }: Compiled,
  from: Int32Array | undefined,
  row: Int32Array
): boolean => {
  if (constraint.length + actionConstraint.length === 0) return true
  const { rows, width } = machine.reader
  rows.set(from ?? row, 0)
  rows.set(row, width)
  return (
    constraint.every((conjunct) => conjunct.answer(width)) &&
    (from === undefined || actionConstraint.every((conjunct) => conjunct.answer(0)))
  )
}

/** The counterexample that a path is, given what fails at its end. */
export const pathCounterexample = (
  compiled: Compiled,
  path: Path,
  target: Target,
  failed: Conjunct | typeof DEADLOCK
): Counterexample => {
  const rows = [path.start, ...path.moves.map(({ row }) => row)]
  const { machine } = compiled
  const steps = path.moves.map(({ unit, parameters, row }, i): Step => {
    const before = rows[i]!
    return {
      number: i + 1,
      action: unit.name,
      parameters: unit.parameters(parameters),
      state: shownOf(machine, row),
      changes: machine.layout.columns.flatMap(({ at, label, domain }) =>
        showChange(label, domain.member(before[at]!), domain.member(row[at]!), domain.order)
      )
    }
  })
  const where = { kind: target.kind, property: target.property, state: -1, next: rows.at(-1)! }
  return {
    ...failureAt(compiled, failed === DEADLOCK ? where : { ...where, predicate: failed }, rows),
    steps: [{ number: 0, parameters: {}, state: shownOf(machine, path.start), changes: [] }, ...steps]
  }
}
