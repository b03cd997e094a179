/**
 * One random behaviour of a spec, and what fails on the way.
 *
 * A walk that chooses among everything that is enabled sees mostly what the environment does: there are so many faults,
 * everywhere. So each walk has a *swarm*: some of the environment's actions, how often they may happen, and how much each
 * action is preferred. Among actions the choice is by preference, then among the ways to take the chosen one; so a rare
 * action is not drowned by one with many parameters. A step that a constraint leaves out is not taken, but looked at: it
 * is a step of the spec, and what fails on it fails.
 *
 * @module
 */
import { type Compiled, DEADLOCK } from "./Compile.ts"
import type { Conjunct } from "./Conjunct.ts"
import { failing, lastRow, type Move, movesOf, type Path, type Target, withinModel } from "./Path.ts"
import type { RandomSource } from "./RandomSource.ts"

/** What a walk is inclined to do. */
export interface Swarm {
  /** By action, how much it is preferred; 0 for one that the walk does not take. */
  readonly preference: ReadonlyArray<number>
  /** How many steps of the environment it takes at most. */
  readonly budget: number
}

/** A walk that ended at a violation. */
export interface Caught {
  readonly path: Path
  readonly target: Target
  readonly failed: Conjunct | typeof DEADLOCK
}

/** Where a walk got to. */
export interface Walked {
  readonly path: Path
  /** Steps that were chosen and not taken, as a constraint leaves them out. */
  readonly leftOut: number
  readonly caught?: Caught
}

const BUDGETS = [0, 1, 2, 3, 5, 8, Number.POSITIVE_INFINITY] as const

/** The swarm of one walk. One in four may do everything, so that nothing is ever out of reach. */
export const swarmOf = ({ spec, actions }: Compiled, random: RandomSource): Swarm => {
  if (random.oneIn(4)) return { preference: actions.map(() => 1), budget: Number.POSITIVE_INFINITY }
  return {
    preference: actions.map((name) => {
      if (spec.environment.includes(name)) return random.oneIn(2) ? 0 : 1
      return random.oneIn(4) ? 4 : 1
    }),
    budget: random.pick(BUDGETS)
  }
}

/** Walks up to `depth` steps from a random initial state. `taken` counts the steps of each action. Throws `SpecError`. */
export const walk = (
  compiled: Compiled,
  targets: ReadonlyArray<Target>,
  random: RandomSource,
  options: { readonly depth: number; readonly swarm: Swarm; readonly taken: Float64Array }
): Walked => {
  const starts = compiled.initial.filter((row) => withinModel(compiled, undefined, row))
  const strays = compiled.initial.filter((row) => !starts.includes(row))
  const caughtAt = (from: Int32Array | undefined, row: Int32Array): Omit<Caught, "path"> | undefined => {
    for (const target of targets) {
      const failed = failing(compiled, target, from, row)
      if (failed !== undefined) return { target, failed }
    }
    return undefined
  }
  let leftOut = 0
  if (strays.length > 0) {
    // An initial state that is not of the model is an initial state of the spec: it is looked at, and left alone.
    const path: Path = { start: random.pick(strays), moves: [] }
    const found = caughtAt(undefined, path.start)
    leftOut++
    if (found?.target.kind === "invariant") return { path, leftOut, caught: { path, ...found } }
    if (starts.length === 0) return { path, leftOut }
  }
  const start = random.pick(starts)
  const moves: Array<Move> = []
  const path: Path = { start, moves }
  const atStart = caughtAt(undefined, start)
  if (atStart !== undefined) return { path, leftOut, caught: { path, ...atStart } }
  let budget = options.swarm.budget
  while (moves.length < options.depth) {
    const row = lastRow(path)
    const { move, outside } = choose(compiled, row, random, options.swarm, budget > 0)
    // A step out of the model is a step of the spec: what it violates is violated, but the walk does not go there.
    for (const beyond of outside) {
      leftOut++
      const found = caughtAt(row, beyond.row)
      if (found !== undefined && found.target.kind !== "stuck" && found.target.kind !== DEADLOCK) {
        return { path, leftOut, caught: { path: { start, moves: [...moves, beyond] }, ...found } }
      }
    }
    if (move === undefined) break
    options.taken[move.unit.action]!++
    if (move.unit.environment) budget--
    moves.push(move)
    const found = caughtAt(row, move.row)
    if (found !== undefined) return { path, leftOut, caught: { path, ...found } }
  }
  return { path, leftOut }
}

/** A step to take, if there is one, and those that were chosen before it and lead out of the model. */
const choose = (
  compiled: Compiled,
  row: Int32Array,
  random: RandomSource,
  { preference }: Swarm,
  environment: boolean
): { readonly move?: Move; readonly outside: ReadonlyArray<Move> } => {
  const outside: Array<Move> = []
  const open = new Map<number, Array<(typeof compiled.units)[number]>>()
  compiled.machine.reader.rows.set(row, 0)
  for (const unit of compiled.units) {
    if (preference[unit.action] === 0 || (unit.environment && !environment) || unit.answer() === 0) continue
    const units = open.get(unit.action)
    if (units === undefined) open.set(unit.action, [unit])
    else units.push(unit)
  }
  while (open.size > 0) {
    let rest = random.below([...open.keys()].reduce((sum, action) => sum + preference[action]!, 0))
    let chosen = open.keys().next().value!
    for (const action of open.keys()) {
      rest -= preference[action]!
      if (rest < 0) {
        chosen = action
        break
      }
    }
    const ways = open.get(chosen)!.flatMap((unit) => movesOf(compiled, unit, row))
    while (ways.length > 0) {
      const [move] = ways.splice(random.below(ways.length), 1)
      if (move === undefined) break
      if (withinModel(compiled, row, move.row)) return { move, outside }
      outside.push(move)
    }
    open.delete(chosen)
  }
  return { outside }
}
