/**
 * The final Worlds of a configuration, found in two ways that share nothing but the runtime and the World: by walking the
 * product, and by running every schedule again from the beginning.
 *
 * @module
 */
import { Effect } from "effect"
import { Behaviours, type SpecError } from "../../../model/checker/index.ts"
import { search } from "../../../refinement/explore/Search.ts"
import { type Scenario, simulate } from "../../../refinement/explore/Simulation.ts"
import type { Prepared } from "../../../refinement/product/Explore.ts"
import type { State } from "../../../refinement/product/Variables.ts"

/** Final Worlds, and how many states, or executions, it took to find them. */
export interface Found {
  readonly worlds: ReadonlyArray<string>
  readonly count: number
}

const finalWorld = (log: unknown, messages: unknown, stalled: number): string =>
  JSON.stringify([log, messages, stalled])

/** By the product: its states in which nothing more can happen, not even a fault. */
export const byProduct = ({ product, spec }: Prepared): Effect.Effect<Found, SpecError> =>
  Effect.gen(function* () {
    const behaviours = yield* Behaviours.make(spec)
    const seen = new Set<Behaviours.State>(behaviours.initial)
    const worlds = new Set<string>()
    for (const state of seen) {
      const next = yield* behaviours.successors(state)
      for (const transition of next) seen.add(transition.next)
      if (next.length > 0) continue
      const s = behaviours.read(state) as unknown as State
      const messages = Object.values(s.message).flatMap((name) =>
        name === null ? [] : [product.grants.world.messageOf(name)]
      )
      const stalled = Object.values(s.delivery).filter((name) => name !== null).length
      worlds.add(finalWorld(product.grants.world.eventsOf(s.log), messages, stalled))
    }
    return { worlds: [...worlds].sort(), count: seen.size }
  })

/** By running every schedule: all of them, or one of each class that differs only in the order of independent grants. */
export const byExecution = (scenario: Scenario, reduce: boolean): Found => {
  const worlds = new Set<string>()
  let count = 0
  for (const { outcome } of search(simulate(scenario), { reduce })) {
    count += 1
    worlds.add(finalWorld(outcome.log, outcome.messages, outcome.stalled.length))
  }
  return { worlds: [...worlds].sort(), count }
}
