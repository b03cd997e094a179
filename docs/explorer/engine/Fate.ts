/**
 * When the fate of a property was sealed: the first state of a counterexample from which every behaviour breaks it.
 *
 * From a state there is a way out when some behaviour from it never breaks the property: one that comes to an end, or
 * that goes round for ever, and keeps it. Once there is none there is none later, so the state is found by halving. For a
 * property that asks for something to happen, a way out is a state in which it has.
 *
 * @module
 */
import { Effect } from "effect"
import type { Behaviours, Spec, Step } from "../../../model/checker/index.ts"
import type { Fate, Subject } from "./Messages.ts"
import { behavioursOf } from "./Subjects.ts"

/** The most states that are looked at from one state of the counterexample. */
const MOST = 60_000

const run = Effect.runSync

type WayOut = "yes" | "no" | "unknown"

interface Asked {
  readonly behaviours: Behaviours.Behaviours
  readonly property: string
  looked: number
}

/** Whether the property fails on a step or in the state that it leads to. */
const breaks = ({ behaviours, property }: Asked, from: Behaviours.State, to: Behaviours.State): boolean =>
  [
    ...run(behaviours.brokenStepProperties(from, to)),
    ...run(behaviours.brokenInvariants(to)),
    ...run(behaviours.brokenWhenStuck(to))
  ].some((failure) => failure.property === property)

/** Whether some behaviour from a state keeps the property: depth first, up to an end or to a state that it comes back to. */
const keeps = (asked: Asked, start: Behaviours.State): WayOut => {
  const { behaviours } = asked
  const open = new Set<Behaviours.State>([start])
  const seen = new Set<Behaviours.State>([start])
  const stack: Array<{ readonly state: Behaviours.State; readonly next: Iterator<Behaviours.Transition> }> = []
  const enter = (state: Behaviours.State): boolean => {
    asked.looked++
    const steps = run(behaviours.successors(state))
    if (run(behaviours.isStuck(state))) return true
    stack.push({ state, next: steps.filter(({ next }) => next !== state)[Symbol.iterator]() })
    open.add(state)
    return false
  }
  if (enter(start)) return "yes"
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const { done, value } = top.next.next()
    if (done === true) {
      open.delete(top.state)
      stack.pop()
      continue
    }
    if (breaks(asked, top.state, value.next)) continue
    if (open.has(value.next)) return "yes"
    if (seen.has(value.next)) continue
    if (seen.size >= MOST) return "unknown"
    seen.add(value.next)
    if (enter(value.next)) return "yes"
  }
  return "no"
}

/** Whether what a property asks for can still happen from a state on. */
const mayHappen = (asked: Asked, start: Behaviours.State, holds: (values: Step["state"]) => boolean): WayOut => {
  const { behaviours } = asked
  const seen = new Set<Behaviours.State>([start])
  // The set grows while it is gone through.
  for (const state of seen) {
    asked.looked++
    if (holds(behaviours.read(state))) return "yes"
    if (seen.size >= MOST) return "unknown"
    for (const { next } of run(behaviours.successors(state))) seen.add(next)
  }
  return "no"
}

/** What has to happen for a property of whole behaviours, and undefined for any other property. */
const awaited = (spec: Spec, property: string): ((values: Step["state"]) => boolean) | undefined => {
  const holds = spec.temporal[property]?.holds
  if (holds === undefined) return undefined
  return typeof holds === "function" ? holds : (values) => Object.values(holds).every((conjunct) => conjunct(values))
}

/** The first state of a behaviour from which the property cannot be kept. */
export const fate = async (
  ask: Subject & { readonly states: ReadonlyArray<Step["state"]>; readonly property: string }
): Promise<Fate> => {
  const behaviours = await behavioursOf(ask)
  const states = ask.states.map((values) => run(behaviours.state(values)))
  const asked: Asked = { behaviours, property: ask.property, looked: 0 }
  const happens = awaited(behaviours.spec, ask.property)
  const wayOut = (at: number): WayOut => {
    const state = states[at]!
    return happens === undefined ? keeps(asked, state) : mayHappen(asked, state, happens)
  }
  // A property of one state or step has failed at the end; one of behaviours may have had a way out all along.
  let sealed = happens === undefined ? states.length - 1 : states.length
  let free = -1
  while (sealed - free > 1) {
    const middle = Math.floor((sealed + free) / 2)
    const answer = wayOut(middle)
    if (answer === "unknown") return { states: asked.looked, undecided: true }
    if (answer === "yes") free = middle
    else sealed = middle
  }
  return { states: asked.looked, ...(sealed < states.length ? { at: sealed } : {}) }
}
