/**
 * A search with a helper, both in one thread: the helper looks at ranges whenever the test lets it.
 *
 * @module
 */
import { type Compiled, compile, valuesOf } from "../../../../model/checker/Compile.ts"
import { Exploration } from "../../../../model/checker/Exploration.ts"
import type { Spec } from "../../../../model/checker/Language.ts"
import { GIVEN_UP, Plan } from "../../../../model/checker/parallel/Plan.ts"
import { Helper, Team, type TeamMessage } from "../../../../model/checker/parallel/Team.ts"
import { toJson } from "../../../../model/checker/Show.ts"

export interface SearchOptions {
  readonly maxStates?: number
  readonly stopAtFirst?: boolean
  readonly caching?: boolean
}

const begin = (compiled: Compiled, { maxStates = 2 ** 30, stopAtFirst = true }: SearchOptions) =>
  new Exploration(compiled, { maxStates, stopAtFirst, shared: true })

/** A search that somebody may help. */
export const helpedSearch = (spec: Spec, options: SearchOptions = {}, smallestRange = 1) => {
  const caching = options.caching ?? true
  const exploration = begin(compile(spec, { caching }), options)
  const messages: Array<TeamMessage> = []
  const team = new Team(exploration.compiled, exploration.table, (message) => messages.push(message), { smallestRange })
  exploration.join(team)
  // A thread has its own copy of the spec, and the one that joins late has missed nothing.
  const join = () => new Helper(compile(spec, { caching }), team.memory, () => messages.shift())
  return { exploration, team, join }
}

/** Everything that a search has found, in plain values: ids may be numbered in another order. */
export const found = (exploration: Exploration) => {
  const { table, compiled, violations, claims, taken, fresh, generated, leftOut, depth, bounded, queue } = exploration
  const shown = (row: Int32Array) => JSON.stringify(toJson(valuesOf(compiled.machine, row)))
  return {
    states: Array.from({ length: table.size }, (_, state) => [table.parent(state), shown(table.row(state))]),
    violations: violations.map(({ kind, property, conjunct, state, next }) => [
      kind,
      property,
      conjunct,
      state,
      next === undefined ? undefined : shown(next)
    ]),
    claims: [...claims.keys()],
    taken: [...taken],
    fresh: [...fresh],
    generated,
    leftOut,
    depth,
    bounded,
    queue
  }
}

/** What happened: what was found, or what was thrown. */
export type Outcome = ReturnType<typeof found> | { readonly thrown: string }

const outcome = (exploration: Exploration, run: () => void): Outcome => {
  try {
    run()
  } catch (error) {
    return { thrown: String(error) }
  }
  return found(exploration)
}

/** The outcome of one thread. */
export const alone = (spec: Spec, options: SearchOptions = {}): Outcome => {
  const exploration = begin(compile(spec, { caching: options.caching ?? true }), options)
  return outcome(exploration, () => exploration.advance(Number.POSITIVE_INFINITY))
}

/**
 * The outcome with a helper that looks at so many ranges before each slice of the search; the numbers are used again and
 * again. Before a slice with the number -1 another helper claims the next range, and is never heard of until that is
 * given up. Answers how many ranges were looked at as well.
 */
export const together = (
  spec: Spec,
  turns: ReadonlyArray<number>,
  options: SearchOptions = {},
  smallestRange = 1
): { readonly outcome: Outcome; readonly helped: number } => {
  const { exploration, team, join } = helpedSearch(spec, options, smallestRange)
  const helper = join()
  const late = new Plan(team.memory.plan, exploration.compiled)
  let claimed = -1
  let helped = 0
  const result = outcome(exploration, () => {
    for (let slice = 0; !exploration.done; slice++) {
      const turn = turns[slice % turns.length]!
      if (claimed < 0 && turn < 0) claimed = late.claim()
      for (let i = turn; i > 0 && helper.help(); i--) helped++
      exploration.advance(1)
      if (claimed < 0 || late.state(claimed) !== GIVEN_UP) continue
      late.finish(claimed)
      claimed = -1
    }
  })
  return { outcome: result, helped }
}
