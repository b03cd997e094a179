/**
 * The steps from one state, as rows: for what looks at single states, outside of the search.
 *
 * @module
 */
import type { Compiled } from "./Compile.ts"

/** Every step from the state whose row is given, those that change nothing included: the action's name, and the row. */
export const stepsFrom = (
  { machine, units }: Pick<Compiled, "machine" | "units">,
  row: Int32Array
): ReadonlyArray<readonly [action: string, row: Int32Array]> => {
  machine.reader.rows.set(row, 0)
  return units.flatMap((unit) => {
    const place = unit.answer()
    const { data } = machine.successors
    const steps: Array<readonly [string, Int32Array]> = []
    let at = place + 1
    for (let successor = place === 0 ? 0 : data[place]!; successor > 0; successor--) {
      const end = at + 2 + 2 * data[at + 1]!
      const next = row.slice()
      for (at += 2; at < end; at += 2) next[data[at]!] = data[at + 1]!
      steps.push([unit.name, next])
    }
    return steps
  })
}
