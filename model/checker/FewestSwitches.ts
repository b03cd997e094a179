/**
 * Among the shortest counterexamples, one with the fewest context switches: the easiest to follow.
 *
 * The table of the search keeps one way to each state. Here all shortest ways to the violation are found again, from its
 * end: the states at each distance that lead to it in time are a narrow cone. On that cone the fewest switches from each
 * state on, by the process that takes its next step, follow from those of the states behind it.
 *
 * @module
 */
import { type Compiled, DEADLOCK } from "./Compile.ts"
import type { Counterexample } from "./Counterexample.ts"
import type { Exploration } from "./Exploration.ts"
import {
  failing,
  type Move,
  movesOf,
  pathCounterexample,
  sameRow,
  type Target,
  targetsOf,
  withinModel
} from "./Path.ts"
import { processOf } from "./Process.ts"
import { hashRow, type StateTable } from "./StateTable.ts"
import type { Violation } from "./Violation.ts"

/** More states than this are not looked at again. */
const MOST_STATES = 100_000

/** The best way on from a state by a step of one process. */
interface Way {
  readonly switches: number
  readonly move: Move
  /** The state that the step leads to; absent when it is the last. */
  readonly next?: number
}

/** By process, the best way on. Empty for a state that is itself the end. */
type Ways = ReadonlyMap<string, Way>

/**
 * A counterexample with as few steps as the one that the search found, and fewer switches from one process to another.
 * Nothing when there is none, when too many states would have to be looked at again, or when the search left some out.
 * Throws `SpecError`.
 */
export const fewestSwitches = (exploration: Exploration, violation: Violation): Counterexample | undefined => {
  const { compiled, table } = exploration
  const target = targetsOf(compiled).find(({ property }) => property === violation.property)
  if (target === undefined || compiled.symmetry !== undefined || exploration.partialOrder !== undefined)
    return undefined

  const found = rowsTo(table, violation)
  const length = found.length - 1
  const levels = levelsOf(table, length)
  if (length < 2 || levels[length]! > MOST_STATES) return undefined

  const cone = coneOf(compiled, table, target, levels, length)
  const best = bestStart(cone[0]!)
  if (best === undefined || best.way.switches >= switchesOf(compiled, found)) return undefined
  const moves: Array<Move> = []
  for (let level = 0, way: Way | undefined = best.way; way !== undefined; level++) {
    moves.push(way.move)
    way = way.next === undefined ? undefined : follow(cone[level + 1]!.get(way.next)!, way.move, compiled)
  }
  const path = { start: table.row(best.state), moves }
  const failed = failing(compiled, target, moves.at(-2)?.row ?? path.start, moves.at(-1)!.row)
  return failed === undefined ? undefined : pathCounterexample(compiled, path, target, failed)
}

/** The rows of the behaviour that the search found. */
const rowsTo = (table: StateTable, { state, next }: Violation): ReadonlyArray<Int32Array> => {
  const rows = next === undefined ? [] : [next]
  for (let at = state; at >= 0; at = table.parent(at)) rows.unshift(table.row(at))
  return rows
}

/**
 * The number of the first state at each distance up to `length`, and one behind the last. States are numbered by
 * distance, and so are the states that they were reached from.
 */
const levelsOf = (table: StateTable, length: number): ReadonlyArray<number> => {
  const firstFrom = (state: number): number => {
    let [low, high] = [state, table.size]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (table.parent(middle) >= state) high = middle
      else low = middle + 1
    }
    return low
  }
  let initial = 0
  while (initial < table.size && table.parent(initial) < 0) initial++
  const levels = [0, initial]
  while (levels.length <= length + 1) levels.push(firstFrom(levels.at(-1)!))
  return levels
}

const processOfMove = ({ spec }: Compiled, { unit, parameters }: Move): string =>
  processOf(spec, unit.name, unit.parameters(parameters))

/** By distance, the states that lead to the violation in the steps that are left, with the best ways on. */
const coneOf = (
  compiled: Compiled,
  table: StateTable,
  target: Target,
  levels: ReadonlyArray<number>,
  length: number
): ReadonlyArray<ReadonlyMap<number, Ways>> => {
  const { width } = compiled.machine.reader
  const atEnd = target.kind === "stuck" || target.kind === DEADLOCK
  const cone: Array<Map<number, Ways>> = Array.from({ length: length + 1 }, () => new Map())
  if (atEnd) {
    for (let state = levels[length]!; state < levels[length + 1]!; state++) {
      if (failing(compiled, target, undefined, table.row(state)) !== undefined) cone[length]!.set(state, new Map())
    }
  }
  for (let level = length - 1; level >= 0; level--) {
    for (let state = levels[level]!; state < levels[level + 1]!; state++) {
      const row = table.row(state)
      const ways = new Map<string, Way>()
      for (const unit of compiled.units) {
        for (const move of movesOf(compiled, unit, row)) {
          const last = level === length - 1 && !atEnd
          const next = last ? undefined : table.find(move.row, 0, hashRow(move.row, 0, width))
          const after = next === undefined ? undefined : cone[level + 1]!.get(next)
          if (last) {
            if (failing(compiled, target, row, move.row) === undefined) continue
          } else if (after === undefined || !withinModel(compiled, row, move.row)) continue
          const process = processOfMove(compiled, move)
          const switches = after === undefined ? 0 : fewest(after, process)
          const known = ways.get(process)
          if (known !== undefined && known.switches <= switches) continue
          ways.set(process, next === undefined ? { switches, move } : { switches, move, next })
        }
      }
      if (ways.size > 0) cone[level]!.set(state, ways)
    }
  }
  return cone
}

/** The fewest switches from a state on, when a step of this process led to it. */
const fewest = (ways: Ways, process: string): number =>
  ways.size === 0 ? 0 : Math.min(...[...ways].map(([other, { switches }]) => switches + (other === process ? 0 : 1)))

/** The way on with the fewest switches after a step. */
const follow = (ways: Ways, before: Move, compiled: Compiled): Way | undefined => {
  const process = processOfMove(compiled, before)
  const least = fewest(ways, process)
  return [...ways].find(([other, { switches }]) => switches + (other === process ? 0 : 1) === least)?.[1]
}

const bestStart = (starts: ReadonlyMap<number, Ways>): { readonly state: number; readonly way: Way } | undefined =>
  [...starts]
    .flatMap(([state, ways]) => [...ways.values()].map((way) => ({ state, way })))
    .toSorted((a, b) => a.way.switches - b.way.switches)[0]

/** The switches of the behaviour that the search found; of the actions that take a step, the first one counts. */
const switchesOf = (compiled: Compiled, rows: ReadonlyArray<Int32Array>): number => {
  let switches = 0
  let before: string | undefined
  for (const [i, row] of rows.slice(1).entries()) {
    const move = compiled.units
      .flatMap((unit) => movesOf(compiled, unit, rows[i]!))
      .find((each) => sameRow(each.row, row))
    if (move === undefined) return Number.POSITIVE_INFINITY
    const process = processOfMove(compiled, move)
    if (before !== undefined && process !== before) switches++
    before = process
  }
  return switches
}
