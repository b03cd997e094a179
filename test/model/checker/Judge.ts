/**
 * Judges a lasso from the outside: that it is a behaviour of the spec, that it is fair, and that it violates what it is
 * said to violate. It knows the definitions, walks the spec step by step, and nothing of how lassos are found.
 *
 * @module
 */
import { Effect } from "effect"
import { type Counterexample, Behaviours as Walk } from "../../../model/checker/index.ts"
import type { Fairness, Spec, StatePredicate } from "../../../model/checker/Language.ts"

type State = Walk.State

const holdsIn = (predicate: StatePredicate<unknown>, state: unknown): boolean =>
  typeof predicate === "function" ? predicate(state) : Object.values(predicate).every((conjunct) => conjunct(state))

const stated = (spec: Spec, action: string): Fairness | undefined =>
  typeof spec.fairness === "string" ? undefined : spec.fairness[action]

/**
 * The conditions that a transition is a step of: the whole relation, the action, or the action with the values of the
 * parameters that the condition is separate for.
 */
const conditionOf = (spec: Spec, { action, parameters }: Walk.Transition): string | undefined => {
  if (typeof spec.fairness === "string") return `${spec.fairness} next`
  const fairness = stated(spec, action)
  if (fairness === undefined) return undefined
  if (typeof fairness === "string") return `${fairness} ${action}`
  const [strength, names] = "weak" in fairness ? ["weak", fairness.weak] : ["strong", fairness.strong]
  return `${strength} ${action} ${JSON.stringify(names.map((name) => parameters[name]))}`
}

/** Everything that is wrong with a lasso, a sentence each; nothing for one that shows what it is meant to show. */
export const judge = Effect.fn("judge")(function* (spec: Spec, found: Counterexample) {
  const wrong: Array<string> = []
  const { lasso, steps } = found
  const property = spec.temporal[found.property]
  if (lasso === undefined || property === undefined) return ["it is no lasso"]
  const walk = yield* Walk.make(spec)
  const states: Array<State> = []
  for (const step of steps) states.push(yield* walk.state(step.state))
  if (!walk.initial.includes(states[0]!)) wrong.push("it does not start in an initial state")
  const moves = steps.slice(1).map(({ action, parameters }) => ({ action, parameters }))
  if (lasso.step !== undefined) {
    const { action, parameters } = lasso.step
    moves.push({ action, parameters })
    states.push(states[lasso.backTo]!)
  } else if (lasso.backTo !== steps.length - 1) wrong.push("it stutters, but not in its last state")
  for (const [i, { action, parameters }] of moves.entries()) {
    const next = yield* walk.apply(states[i]!, action!, parameters)
    if (!next.includes(states[i + 1]!)) wrong.push(`step ${i + 1} is not a step of ${action}`)
    if (states[i] === states[i + 1]) wrong.push(`step ${i + 1} changes nothing`)
  }

  const cycle = states.slice(lasso.backTo, lasso.step === undefined ? undefined : -1)
  const enabledIn: Array<ReadonlySet<string>> = []
  const taken = new Set<string>()
  for (const [i, state] of cycle.entries()) {
    const next = lasso.step === undefined ? undefined : states[lasso.backTo + i + 1]
    const enabled = new Set<string>()
    for (const transition of yield* walk.successors(state)) {
      const condition = conditionOf(spec, transition)
      if (condition === undefined || transition.next === state) continue
      enabled.add(condition)
      if (transition.next === next) taken.add(condition)
    }
    enabledIn.push(enabled)
  }
  for (const condition of new Set(enabledIn.flatMap((each) => [...each]))) {
    if (taken.has(condition)) continue
    if (condition.startsWith("strong")) wrong.push(`it is not fair: ${condition}`)
    else if (enabledIn.every((enabled) => enabled.has(condition))) wrong.push(`it is not fair: ${condition}`)
  }

  const truth = states.map((state) => holdsIn(property.holds, walk.read(state)))
  const round = truth.slice(lasso.backTo, lasso.backTo + cycle.length)
  const satisfied = {
    always: () => truth.every(Boolean),
    eventually: () => truth.some(Boolean),
    alwaysEventually: () => round.some(Boolean),
    eventuallyAlways: () => round.every(Boolean),
    leadsTo: () => {
      if (property.form !== "leadsTo") return true
      return states.every((state, i) => {
        const later = [...truth.slice(i), ...round]
        return !holdsIn(property.when, walk.read(state)) || later.some(Boolean)
      })
    }
  }[property.form]()
  if (satisfied) wrong.push(`${property.form} holds on it`)
  return wrong
})

/** What is wrong with a finite counterexample as a behaviour of the spec: the actions that do not lead where it says. */
export const broken = Effect.fnUntraced(function* (of: Spec, { steps }: Counterexample) {
  const walk = yield* Walk.make(of)
  const wrong: Array<string> = []
  let at = yield* walk.state(steps[0].state)
  if (!walk.initial.includes(at)) wrong.push("initial")
  for (const { action, parameters, state } of steps.slice(1)) {
    const next = yield* walk.state(state)
    if (!(yield* walk.apply(at, action!, parameters)).includes(next)) wrong.push(action!)
    at = next
  }
  return wrong
})
