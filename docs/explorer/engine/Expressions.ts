/**
 * Expressions over a state: the names that a spec gives to its properties and claims, and what somebody types.
 *
 * What is typed is JavaScript over `s`, the state. It runs in a worker that the page ends when it takes too long, and the
 * page's policy lets nothing be loaded or sent.
 *
 * @module
 */
import type { Spec, Step } from "../../../model/checker/index.ts"
import type { Evaluated, Subject } from "./Messages.ts"
import { specOf } from "./Subjects.ts"

type Values = Step["state"]
type Predicate = (s: Values, t?: Values) => unknown

const conjunction = (predicate: Predicate | { readonly [conjunct: string]: Predicate }): Predicate =>
  typeof predicate === "function"
    ? predicate
    : (s, t) => Object.values(predicate).every((conjunct) => conjunct(s, t) === true)

interface Named {
  readonly step: boolean
  readonly holds: Predicate
}

/** What a spec names that can be asked of one state. A step property is asked of the step that leads to it. */
const named = (spec: Spec): ReadonlyMap<string, Named> => {
  const states = { ...spec.invariants, ...spec.whenStuck, ...spec.sometimes }
  const temporal = Object.entries(spec.temporal).map(([name, { holds }]) => [name, holds] as const)
  return new Map<string, Named>([
    ...[...Object.entries(states), ...temporal].map(([name, holds]): [string, Named] => [
      name,
      { step: false, holds: conjunction(holds) }
    ]),
    ...Object.entries(spec.stepProperties).map(([name, holds]): [string, Named] => [
      name,
      { step: true, holds: conjunction(holds) }
    ])
  ])
}

const typed = (expression: string): Predicate => {
  const made: unknown = new Function("s", `"use strict"; return (${expression})`)
  if (typeof made !== "function") throw new Error("it is no expression")
  return (s) => made(s) as unknown
}

/** A predicate by its name in the spec, or as typed. Throws for what cannot be read. */
export const predicateOf = (spec: Spec, expression: string): ((values: Values) => boolean) => {
  const known = named(spec).get(expression.trim())
  if (known?.step === true) throw new Error(`${expression} is about steps: look for a violation of it instead.`)
  const holds = known?.holds ?? typed(expression)
  return (values) => holds(values) === true
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** An expression in each of some states of a behaviour. */
export const evaluate = (
  ask: Subject & { readonly states: ReadonlyArray<Values>; readonly expression: string }
): ReadonlyArray<Evaluated> => {
  const known = named(specOf(ask)).get(ask.expression.trim())
  let holds: Predicate
  try {
    holds = known?.holds ?? typed(ask.expression)
  } catch (error) {
    return ask.states.map(() => ({ error: reasonOf(error) }))
  }
  return ask.states.map((state, at): Evaluated => {
    const before = ask.states[at - 1]
    if (known?.step === true && before === undefined) return { value: null }
    try {
      const value = known?.step === true && before !== undefined ? holds(before, state) : holds(state)
      // A function cannot leave the worker.
      return typeof value === "function" ? { error: "the value is a function" } : { value }
    } catch (error) {
      return { error: reasonOf(error) }
    }
  })
}
