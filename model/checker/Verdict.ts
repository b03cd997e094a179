/**
 * Why a property fails: which conjunct, and the values of the variables that it looked at.
 *
 * @module
 */
import type { Compiled } from "./Compile.ts"
import type { Conjunct, PropertyKind } from "./Conjunct.ts"
import type { Value } from "./Language.ts"

/** A property that fails in a state or on a step. */
export interface Failure {
  readonly kind: PropertyKind | "deadlock"
  readonly property: string
  /** The conjunct that fails, when the property has named ones. */
  readonly conjunct?: string
  /**
   * The variables that the failing predicate read, with their values, in the order in which it read them. For a step
   * property a variable of the state that the step leads to carries a prime, as in TLA+: `log'`.
   */
  readonly reads: ReadonlyArray<readonly [variable: string, value: Value]>
}

/** What a failing predicate says of the rows in the reader: `s` at 0, and `t` behind it for a step. */
export const failureOf = ({ machine }: Compiled, predicate: Conjunct): Failure => {
  const { reader, layout } = machine
  reader.record()
  predicate.evaluate(0)
  const count = reader.stop()
  const reads = Array.from(reader.reads.subarray(0, count), (place): readonly [string, Value] => {
    const primed = place >= reader.width
    const column = layout.columns[primed ? place - reader.width : place]!
    return [primed ? `${column.label}'` : column.label, column.domain.shown(reader.rows[place]!)]
  })
  const { kind, property, name } = predicate
  return { kind, property, ...(name === undefined ? {} : { conjunct: name }), reads }
}
