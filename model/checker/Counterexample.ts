/**
 * The behaviour that shows a violation, step by step.
 *
 * The table keeps for each state only the one that it was first reached from. Which action led from one to the next is
 * worked out again here, without what was kept: so a counterexample also shows that the spec's functions are pure.
 *
 * @module
 */
import type { ParameterValues } from "./ActionUnit.ts"
import { type Compiled, shownOf } from "./Compile.ts"
import type { Conjunct } from "./Conjunct.ts"
import { impure } from "./Evaluation.ts"
import type { Exploration } from "./Exploration.ts"
import type { Explored } from "./Graph.ts"
import type { Value } from "./Language.ts"
import type { Cycles } from "./Lasso.ts"
import type { TemporalViolation } from "./Liveness.ts"
import { showChange } from "./Show.ts"
import { stepsFrom } from "./Steps.ts"
import type { Symmetry } from "./Symmetry.ts"
import type { TemporalForm } from "./Temporal.ts"
import { type Failure, failureOf } from "./Verdict.ts"
import type { Violation } from "./Violation.ts"

/** One state of a counterexample, and how it was reached. */
export interface Step {
  /** 0 for the initial state. */
  readonly number: number
  /** Absent for the initial state. */
  readonly action?: string
  readonly parameters: ParameterValues
  /** Every variable; a family is a record by index, and the fields of a record are in the order of its schema. */
  readonly state: { readonly [variable: string]: Value }
  /** What differs from the state before, a line for each difference; empty for the initial state. */
  readonly changes: ReadonlyArray<string>
}

/** How a lasso is fair to an action: by a step of it on the cycle, or because it is not enabled there. */
export interface FairnessShown {
  /** The condition, by its action: `Load(d = 1)`. */
  readonly condition: string
  readonly strength: "weak" | "strong"
  readonly how: "step" | "not enabled" | "never enabled"
  /** The number of the step of it, or of the state that does not enable it; absent when no state of the cycle does. */
  readonly number?: number
}

/** What makes a finite text a behaviour without end: after the last state it goes back, again and again. */
export interface Lasso {
  readonly form: TemporalForm
  /** The number of the state that it goes back to. */
  readonly backTo: number
  /** The step back; absent when the behaviour stutters in the last state for ever. */
  readonly step?: Pick<Step, "action" | "parameters" | "changes">
  /** For `leadsTo`: the number of the state from which what should follow does not. */
  readonly since?: number
  /** The number of the state in which the failing predicate read what it read. */
  readonly at: number
  /** Why the behaviour is fair: an entry for each condition. */
  readonly fairness: ReadonlyArray<FairnessShown>
}

/**
 * A behaviour that ends where a property fails. None that is shorter makes that property fail; only of a behaviour
 * without end, a lasso, there may be a shorter one.
 */
export interface Counterexample extends Failure {
  /** The initial state, and then one entry for each step. */
  readonly steps: readonly [Step, ...Array<Step>]
  /** Only for a property of whole behaviours. */
  readonly lasso?: Lasso
}

/** Works out the behaviour that leads to a violation. Throws `SpecError` for a spec that is not pure. */
export const counterexample = (exploration: Exploration, violation: Violation): Counterexample => {
  const { compiled, table } = exploration
  const rows: Array<Int32Array> = violation.next === undefined ? [] : [violation.next]
  for (let state = violation.state; state >= 0; state = table.parent(state)) rows.unshift(table.row(state))
  const behaviour = compiled.symmetry === undefined ? rows : unfold(compiled, compiled.symmetry, rows, violation)
  return { ...failureAt(compiled, violation, behaviour), steps: stepsOf(compiled, behaviour) }
}

/**
 * The behaviour that states stand for, each of them for one of its images: every step of it is one of the spec, and the
 * violation is in its last state or on its last step.
 */
const unfold = (
  compiled: Compiled,
  symmetry: Symmetry,
  rows: ReadonlyArray<Int32Array>,
  violation: Violation
): ReadonlyArray<Int32Array> => {
  const behaviour: Array<Int32Array> = []
  for (const [place, standing] of rows.entries()) {
    const key = symmetry.canonical(standing, 0).join()
    const before = behaviour.at(-1)
    const last = place === rows.length - 1
    const row = (before === undefined ? compiled.initial : stepsFrom(compiled, before).map(([, to]) => to)).find(
      (to) => symmetry.canonical(to, 0).join() === key && !(last && holdsAfterAll(compiled, violation, before, to))
    )
    if (row === undefined) {
      const what = last ? `${violation.property} differs` : "a step of one state is none of its image"
      throw symmetry.refuse(before ?? standing, what)
    }
    behaviour.push(row)
  }
  return behaviour
}

/** Whether the predicate that failed holds in a state, or on the step to it. */
const holdsAfterAll = (
  { machine: { reader } }: Compiled,
  { predicate }: Violation,
  before: Int32Array | undefined,
  row: Int32Array
): boolean => {
  if (predicate === undefined) return false
  reader.rows.set(predicate.kind === "step" && before !== undefined ? before : row, 0)
  reader.rows.set(row, reader.width)
  return predicate.evaluate(0)
}

/**
 * A behaviour with its actions, from the rows of its states. Throws `SpecError` for a spec that is not pure. `prefer`
 * answers the units to be named when several lead from the row with that number to the next.
 */
export const stepsOf = (
  compiled: Compiled,
  rows: ReadonlyArray<Int32Array>,
  prefer: (row: number) => ReadonlyArray<number> = () => []
): readonly [Step, ...Array<Step>] => {
  const [first, ...others] = rows
  if (first === undefined) throw new Error("a violation is always in some state")
  const state = shownOf(compiled.machine, first)
  const steps: [Step, ...Array<Step>] = [{ number: 0, parameters: {}, state, changes: [] }]
  let before = first
  for (const [i, row] of others.entries()) {
    steps.push({
      number: i + 1,
      ...explain(compiled, before, row, prefer(i)),
      state: shownOf(compiled.machine, row)
    })
    before = row
  }
  return steps
}

/** The first action, in the order of the spec or of those preferred, that leads from one row to the other. */
export const explain = (
  { machine, units }: Compiled,
  from: Int32Array,
  to: Int32Array,
  preferred: ReadonlyArray<number>
): { readonly action: string } & Pick<Step, "parameters" | "changes"> => {
  machine.reader.rows.set(from, 0)
  for (const unit of [...preferred.map((number) => units[number]!), ...units]) {
    for (const { parameters, patches } of unit.evaluate()) {
      const next = from.slice()
      for (let i = 0; i < patches.length; i += 2) next[patches[i]!] = patches[i + 1]!
      if (next.every((id, column) => id === to[column])) {
        const changes = machine.layout.columns.flatMap(({ at, label, domain }) =>
          showChange(label, domain.member(from[at]!), domain.member(to[at]!), domain.order)
        )
        return { action: unit.name, parameters: unit.parameters(parameters), changes }
      }
    }
  }
  throw impure(machine, { text: () => "the actions", base: 0 })
}

/** The lasso that violates a property of behaviours. Throws `SpecError` for a spec that is not pure. */
export const lassoOf = (
  { compiled, table }: Explored,
  cycles: Cycles,
  { property, stem, cycle, since }: TemporalViolation
): Counterexample => {
  const { reader } = compiled.machine
  const start = stem.at(-1)!
  const backTo = stem.length - 1
  const met = cycles.met(start, cycle)
  const rows = [...stem, ...cycle.states].map((state) => table.row(state))
  // A step that fairness asks for is shown by the action that it asks for.
  const prefer = (row: number): ReadonlyArray<number> =>
    met.flatMap((how, i) => (how?.how === "step" && how.step === row - backTo + 1 ? compiled.fairness[i]!.units : []))
  const last = rows.length - 1
  const back = cycle.edges.length === 0 ? undefined : explain(compiled, rows[last - 1]!, rows[last]!, prefer(last - 1))
  const shown = back === undefined ? rows : rows.slice(0, -1)

  const fails = (conjunct: Conjunct, row: number): boolean => {
    reader.rows.set(rows[row]!, 0)
    return !conjunct.evaluate(0)
  }
  const round = shown.map((_, row) => row).slice(backTo)
  const { holds, form } = property
  const always = holds.find((conjunct) => round.every((row) => fails(conjunct, row)))
  const at = round.find((row) => holds.some((conjunct) => fails(conjunct, row)))
  const predicate = always ?? holds.find((conjunct) => at !== undefined && fails(conjunct, at))
  if (at === undefined || predicate === undefined)
    throw impure(compiled.machine, { text: () => property.name, base: 0 })
  reader.rows.set(rows[at]!, 0)
  return {
    ...failureOf(compiled, predicate),
    steps: stepsOf(compiled, shown, prefer),
    lasso: {
      form,
      backTo,
      ...(back === undefined ? {} : { step: back }),
      ...(since === undefined ? {} : { since }),
      at,
      fairness: compiled.fairness.map(({ label, strength }, i): FairnessShown => {
        const how = met[i]
        if (how === undefined) throw new Error(`the lasso for ${property.name} is not fair to ${label}`)
        const number =
          how.how === "step" ? how.step + backTo : how.how === "not enabled" ? how.state + backTo : undefined
        return { condition: label, strength, how: how.how, ...(number === undefined ? {} : { number }) }
      })
    }
  }
}

/** What fails at the end of a behaviour, from the rows of its states. */
export const failureAt = (compiled: Compiled, violation: Violation, rows: ReadonlyArray<Int32Array>): Failure => {
  const { kind, property, predicate, next } = violation
  if (predicate === undefined) return { kind, property, reads: [] }
  const { reader } = compiled.machine
  const last = rows.at(-1)!
  reader.rows.set(kind === "step" && next !== undefined ? rows.at(-2)! : last, 0)
  reader.rows.set(last, reader.width)
  return failureOf(compiled, predicate)
}
