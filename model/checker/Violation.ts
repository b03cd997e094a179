/**
 * What a search notes of a property that fails, and which of two violations at the same distance it meets first.
 *
 * @module
 */
import { type Compiled, DEADLOCK } from "./Compile.ts"
import type { Conjunct, PropertyKind } from "./Conjunct.ts"
import type { StateTable } from "./StateTable.ts"

/** A property that fails, and the state (or step) in which it does. */
export interface Violation {
  readonly kind: PropertyKind | "deadlock"
  readonly property: string
  /** The conjunct that fails, when the property has named ones. */
  readonly conjunct?: string
  /** The failing predicate; absent for a deadlock. */
  readonly predicate?: Conjunct
  /** The number of the state it fails in, or of the one that the failing step leaves. */
  readonly state: number
  /** The row that the failing step leads to. */
  readonly next?: Int32Array
}

/** The violation of a predicate. */
export const violationOf = (predicate: Conjunct, where: Pick<Violation, "state" | "next">): Violation => {
  const { kind, property, name } = predicate
  return { kind, property, ...(name === undefined ? {} : { conjunct: name }), predicate, ...where }
}

/**
 * The first stuck state that violates something, among the states from one number up to another, exclusive. That a state
 * is stuck is noticed only when it is expanded itself: by then a step from a state before it may have led to another
 * violation, which takes one step more.
 */
export const stuckAmong = (
  { machine, units, whenStuck, spec }: Compiled,
  table: StateTable,
  from: number,
  to: number
): Violation | undefined => {
  if (whenStuck.length === 0 && spec.deadlock === "allowed") return undefined
  for (let state = from; state < to; state++) {
    table.load(state, machine.reader.rows, 0)
    const enabled = units.filter((unit) => unit.answer() !== 0)
    if (enabled.some(({ environment }) => !environment)) continue
    const predicate = whenStuck.find((conjunct) => !conjunct.answer(0))
    if (predicate !== undefined) return violationOf(predicate, { state })
    if (enabled.length === 0 && spec.deadlock === "error") return { kind: "deadlock", property: DEADLOCK, state }
  }
  return undefined
}
