/**
 * Making a counterexample shorter, before anybody reads it.
 *
 *     as found ──cut loops──▶ ──leave out steps──▶ ──search with the same steps──▶ ──search with all steps──▶ shown
 *
 * A random walk wanders. First its detours are cut: from a state back to itself, and then (delta debugging) every part
 * without which what is left still leads to the violation. Then a breadth-first search that may take only the steps that
 * are left, in any order and number, finds a shortest behaviour of those; and one that may take all finds a shortest of
 * all, as far as its limit on states goes.
 *
 * @module
 */
import { type Compiled, DEADLOCK } from "./Compile.ts"
import { failing, type Move, movesOf, type Path, sameRow, type Target, withinModel } from "./Path.ts"
import { FULL, hashRow, StateTable } from "./StateTable.ts"
import type { Caught } from "./Walk.ts"

/**
 * How short a counterexample is known to be: no behaviour shows the violation in fewer steps; none that takes only the
 * steps in it does; or it is only known to be shorter than, or as long as, it was when it was found.
 */
export type Brevity = "shortest" | "shortest of its steps" | "unknown"

/** A counterexample that was made shorter. */
export interface Shortened {
  readonly caught: Caught
  readonly brevity: Brevity
}

/** Work between two points at which it may be interrupted. */
const PAUSE = 256

/** Shortens a counterexample; no search goes beyond `states` states. Yields now and then. Throws `SpecError`. */
export function* shorten(compiled: Compiled, found: Caught, states: number): Generator<void, Shortened> {
  let caught = yield* leaveOut(compiled, withoutLoops(compiled, found))
  let brevity: Brevity = "unknown"
  const own = [...new Set(caught.path.moves.map(({ unit }) => unit))]
  for (const [units, known] of [
    [own, "shortest of its steps"],
    [compiled.units, "shortest"]
  ] as const) {
    const search = yield* searchShorter(compiled, caught.target, units, caught.path.moves.length, states)
    if (search.caught !== undefined) caught = search.caught
    if (search.complete) brevity = known
  }
  return { caught, brevity }
}

/** The path without the parts that lead from a state back to it. */
const withoutLoops = (compiled: Compiled, found: Caught): Caught => {
  const { start } = found.path
  const moves: Array<Move> = []
  const at = new Map([[start.join(), 0]])
  for (const move of found.path.moves) {
    const back = at.get(move.row.join())
    if (back === undefined) {
      moves.push(move)
      at.set(move.row.join(), moves.length)
      continue
    }
    // The last step of a step property's violation may lead back to an earlier state, and must stay.
    if (move === found.path.moves.at(-1)) moves.push(move)
    else for (const cut of moves.splice(back)) at.delete(cut.row.join())
  }
  return replayed(compiled, found, moves) ?? found
}

/** The shortest beginning of a sequence of steps that leads to the violation; steps that are not enabled are left out. */
const replayed = (compiled: Compiled, { path, target }: Caught, wanted: ReadonlyArray<Move>): Caught | undefined => {
  const { start } = path
  const moves: Array<Move> = []
  const atStart = failing(compiled, target, undefined, start)
  if (atStart !== undefined) return { path: { start, moves }, target, failed: atStart }
  let row = start
  for (const each of wanted) {
    const ways = movesOf(compiled, each.unit, row).filter(({ parameters }) => parameters === each.parameters)
    const move = ways.find((way) => sameRow(way.row, each.row)) ?? ways[0]
    if (move === undefined) continue
    const failed = failing(compiled, target, row, move.row)
    if (failed !== undefined && (target.kind === "invariant" || target.kind === "step")) {
      return { path: { start, moves: [...moves, move] }, target, failed }
    }
    if (!withinModel(compiled, row, move.row)) continue
    moves.push(move)
    row = move.row
    if (failed !== undefined) return { path: { start, moves }, target, failed }
  }
  return undefined
}

/** Leaves out parts of the path, large ones first, as long as the rest leads to the violation (delta debugging). */
function* leaveOut(compiled: Compiled, found: Caught): Generator<void, Caught> {
  let best = found
  for (let size = Math.ceil(best.path.moves.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let again = true; again; ) {
      again = false
      for (let from = best.path.moves.length - size; from >= 0; from -= size) {
        const shorter = replayed(compiled, best, best.path.moves.toSpliced(from, size))
        if (shorter !== undefined && shorter.path.moves.length < best.path.moves.length) {
          best = shorter
          again = size === 1
        }
        yield
      }
    }
  }
  return best
}

interface Searched {
  /** A violation of the target in fewer steps. */
  readonly caught?: Caught
  /** Whether there is none in fewer steps than what was found, or than was asked for. */
  readonly complete: boolean
}

/** Searches breadth first for a violation in fewer steps than `length`, with these units only. */
function* searchShorter(
  compiled: Compiled,
  target: Target,
  units: Compiled["units"],
  length: number,
  states: number
): Generator<void, Searched> {
  const { width } = compiled.machine.reader
  const table = new StateTable(width, states)
  /** By state, the step that it was first reached by, and the number of steps. */
  const reached: Array<{ readonly from: number; readonly move?: Move; readonly depth: number }> = []
  const pathTo = (state: number, last: ReadonlyArray<Move> = []): Path => {
    const moves = [...last]
    let at = state
    for (; reached[at]?.move !== undefined; at = reached[at]!.from) moves.unshift(reached[at]!.move!)
    return { start: table.row(at), moves }
  }
  const ends = target.kind === "stuck" || target.kind === DEADLOCK
  let complete = true
  const enter = (row: Int32Array, from: number, move: Move | undefined, depth: number): number => {
    const state = table.add(row, 0, hashRow(row, 0, width), from)
    if (state === FULL) complete = false
    if (state >= 0) reached.push(move === undefined ? { from, depth } : { from, move, depth })
    return state
  }
  for (const row of compiled.initial) {
    const failed = failing(compiled, target, undefined, row)
    if (failed !== undefined && length > 0) {
      return { caught: { path: { start: row, moves: [] }, target, failed }, complete: true }
    }
    if (withinModel(compiled, undefined, row)) enter(row, -1, undefined, 0)
  }
  for (let state = 0; state < table.size; state++) {
    const depth = reached[state]!.depth + 1
    if (depth >= length) break
    if (state % PAUSE === 0) yield
    const row = table.row(state)
    for (const unit of units) {
      for (const move of movesOf(compiled, unit, row)) {
        const failed = ends ? undefined : failing(compiled, target, row, move.row)
        if (failed !== undefined) return { caught: { path: pathTo(state, [move]), target, failed }, complete }
        if (!withinModel(compiled, row, move.row)) continue
        const next = enter(move.row, state, move, depth)
        if (next < 0 || !ends) continue
        const stuck = failing(compiled, target, row, move.row)
        if (stuck !== undefined) return { caught: { path: pathTo(next), target, failed: stuck }, complete }
      }
    }
  }
  return { complete }
}
