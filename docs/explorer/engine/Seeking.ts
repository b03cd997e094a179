/**
 * Finding a shortest behaviour from a state to one that somebody is looking for.
 *
 * @module
 */
import { Effect } from "effect"
import type { Behaviours } from "../../../model/checker/index.ts"
import { predicateOf } from "./Expressions.ts"
import type { Goal, Sought, Subject } from "./Messages.ts"
import { statesOn } from "./Walks.ts"

/** How often progress is told, in states. */
const EVERY_STATES = 2_000

type Reached = (from: Behaviours.State, step: Behaviours.Transition) => boolean

const run = Effect.runSync

/** Whether a step is what is looked for. */
const goalOf = (behaviours: Behaviours.Behaviours, goal: Goal): Reached => {
  switch (goal.kind) {
    case "action":
      return (_, { action }) => action === goal.action
    case "stuck":
      return (_, { next }) => run(behaviours.isStuck(next))
    case "expression": {
      const holds = predicateOf(behaviours.spec, goal.expression)
      return (_, { next }) => holds(behaviours.read(next))
    }
    case "violation":
      return (from, { next }) =>
        [
          ...run(behaviours.brokenStepProperties(from, next)),
          ...run(behaviours.brokenInvariants(next)),
          ...run(behaviours.brokenWhenStuck(next))
        ].some(({ property }) => goal.property === "" || property === goal.property)
  }
}

/** Looks breadth first, so what is found is a shortest one. */
export const seek = async (
  ask: Subject & { readonly path: ReadonlyArray<number>; readonly goal: Goal; readonly maxStates: number },
  tell: (states: number) => void
): Promise<Sought> => {
  const { behaviours, here } = await statesOn(ask, ask.path)
  const reached = goalOf(behaviours, ask.goal)
  const cameBy = new Map<Behaviours.State, { readonly from: Behaviours.State; readonly index: number } | undefined>([
    [here, undefined]
  ])
  const queue: Array<Behaviours.State> = [here]
  const pathTo = (state: Behaviours.State): ReadonlyArray<number> => {
    const path: Array<number> = []
    for (let by = cameBy.get(state); by !== undefined; by = cameBy.get(by.from)) path.unshift(by.index)
    return path
  }
  // The list grows while it is gone through.
  for (const [done, from] of queue.entries()) {
    if (done % EVERY_STATES === 0) tell(cameBy.size)
    for (const [index, step] of run(behaviours.successors(from)).entries()) {
      if (reached(from, step)) return { path: [...pathTo(from), index], states: cameBy.size, exhausted: false }
      if (cameBy.has(step.next)) continue
      if (cameBy.size >= ask.maxStates) return { states: cameBy.size, exhausted: false }
      cameBy.set(step.next, { from, index })
      queue.push(step.next)
    }
  }
  return { states: cameBy.size, exhausted: true }
}
