/**
 * The behaviour that shows a violation, step by step.
 *
 * The table keeps for each state only the one that it was first reached from. Which action led from one to the next is
 * worked out again here, without what was kept: so a counterexample also shows that the spec's functions are pure.
 *
 * @module
 */
import type { Bound } from "./ActionUnit.ts"
import { type Compiled, valuesOf } from "./Compile.ts"
import { impure } from "./Evaluation.ts"
import type { Exploration, Violation } from "./Exploration.ts"
import type { Value } from "./Language.ts"
import { showChange } from "./Show.ts"
import { type Failure, failureOf } from "./Verdict.ts"

/** One state of a counterexample, and how it was reached. */
export interface Step {
  /** 0 for the initial state. */
  readonly number: number
  /** Absent for the initial state. */
  readonly action?: string
  readonly parameters: Bound
  /** Every variable; a family is a record by index. */
  readonly state: { readonly [variable: string]: Value }
  /** What differs from the state before, a line for each difference; empty for the initial state. */
  readonly changes: ReadonlyArray<string>
}

/** A behaviour that ends where a property fails. None that is shorter makes that property fail. */
export interface Counterexample extends Failure {
  /** The initial state, and then one entry for each step. */
  readonly steps: readonly [Step, ...Array<Step>]
}

/** Works out the behaviour that leads to a violation. Throws `SpecError` for a spec that is not pure. */
export const counterexample = (exploration: Exploration, violation: Violation): Counterexample => {
  const { compiled, table } = exploration
  const rows: Array<Int32Array> = violation.next === undefined ? [] : [violation.next]
  for (let state = violation.state; state >= 0; state = table.parent(state)) rows.unshift(table.row(state))
  const [first, ...others] = rows
  if (first === undefined) throw new Error("a violation is always in some state")
  const { machine } = compiled
  const steps: [Step, ...Array<Step>] = [{ number: 0, parameters: {}, state: valuesOf(machine, first), changes: [] }]
  let before = first
  for (const row of others) {
    steps.push({
      number: steps.length,
      ...explain(compiled, before, row),
      state: valuesOf(machine, row),
      changes: machine.layout.columns.flatMap(({ at, label, domain }) =>
        showChange(label, domain.member(before[at]!), domain.member(row[at]!))
      )
    })
    before = row
  }
  return { ...failure(compiled, violation, rows), steps }
}

/** The first action, in the order of the spec, that leads from one row to the other. */
const explain = (
  { machine, units }: Compiled,
  from: Int32Array,
  to: Int32Array
): { readonly action: string; readonly parameters: Bound } => {
  machine.reader.rows.set(from, 0)
  for (const unit of units) {
    for (const { parameters, patches } of unit.evaluate()) {
      const next = from.slice()
      for (let i = 0; i < patches.length; i += 2) next[patches[i]!] = patches[i + 1]!
      if (next.every((id, column) => id === to[column])) {
        return { action: unit.name, parameters: unit.parameters(parameters) }
      }
    }
  }
  throw impure(machine, { text: () => "the actions", base: 0 })
}

const failure = (compiled: Compiled, violation: Violation, rows: ReadonlyArray<Int32Array>): Failure => {
  const { kind, property, predicate, next } = violation
  if (predicate === undefined) return { kind, property, reads: [] }
  const { reader } = compiled.machine
  const last = rows.at(-1)!
  reader.rows.set(next === undefined ? last : rows.at(-2)!, 0)
  reader.rows.set(last, reader.width)
  return failureOf(compiled, predicate)
}
