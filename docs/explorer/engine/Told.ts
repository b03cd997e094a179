/**
 * A behaviour as the page draws it: its processes, its steps, and the state after each of them.
 *
 * Counterexamples, walks by hand, and the behaviour that explains a recorded trace all come to the page in this form.
 *
 * @module
 */

import { failureSentence, narrative } from "../../../model/checker/formats/Narrative.ts"
import type { Behaviours, Counterexample, SpecError, Step } from "../../../model/checker/index.ts"
import { type Spec, showValue } from "../../../model/checker/index.ts"
import { processOf, receiversOf } from "../../../model/checker/Process.ts"
import { showParameters } from "../../../model/checker/Show.ts"

/** A step of a behaviour, and who takes it. */
export interface ToldStep {
  /** 1 for the first step. */
  readonly number: number
  readonly label: string
  readonly action: string
  readonly parameters: Step["parameters"]
  readonly process: string
  readonly receivers: ReadonlyArray<string>
  readonly changes: ReadonlyArray<string>
  readonly environment: boolean
  /** The state that it leads to. */
  readonly state: Step["state"]
}

/** What fails on a behaviour. */
export interface ToldFailure {
  readonly property: string
  readonly kind: string
  readonly conjunct?: string
  readonly sentence: string
  readonly reads: ReadonlyArray<readonly [variable: string, value: string]>
}

/** A behaviour, ready to be drawn. */
export interface Told {
  readonly initial: Step["state"]
  readonly steps: ReadonlyArray<ToldStep>
  readonly processes: ReadonlyArray<string>
  readonly owners: { readonly [variable: string]: string }
  readonly failure?: ToldFailure
  /** For a behaviour without end: the state that it goes back to, and the step that does; none when it stays there. */
  readonly loop?: { readonly backTo: number; readonly label?: string; readonly process?: string }
}

/** A counterexample as a story. */
export const toldOf = (spec: Spec, found: Counterexample): Told => {
  const { initial, steps, back, processes } = narrative(spec, found)
  return {
    initial,
    steps: steps.map(({ state, ...step }) => ({
      ...step,
      environment: spec.environment.includes(step.action),
      state: state ?? initial
    })),
    processes,
    owners: spec.owners,
    failure: {
      property: found.property,
      kind: found.kind,
      ...(found.conjunct === undefined ? {} : { conjunct: found.conjunct }),
      sentence: failureSentence(found),
      reads: found.reads.map(([variable, value]) => [variable, showValue(value)])
    },
    ...(found.lasso === undefined
      ? {}
      : {
          loop: {
            backTo: found.lasso.backTo,
            ...(back === undefined ? {} : { label: back.label, process: back.process })
          }
        })
  }
}

/** Every process that a spec has, as far as its constant parameters tell: lifelines keep their places while one walks. */
export const processesOf = (spec: Spec): ReadonlyArray<string> => {
  const found = new Set<string>()
  for (const [action, { domains }] of Object.entries(spec.actions)) {
    const [first] = Object.entries(domains)
    const domain = first?.[1]
    if (first === undefined || typeof domain === "function" || domain === undefined) {
      if (first === undefined || typeof spec.processes[action] === "string") found.add(processOf(spec, action, {}))
      continue
    }
    for (const value of domain) found.add(processOf(spec, action, { [first[0]]: value }))
  }
  for (const owner of Object.values(spec.owners)) found.add(owner)
  return [...found]
}

const changedBetween = (before: Step["state"], after: Step["state"]): ReadonlyArray<string> =>
  Object.keys(after).filter(
    (name) => before[name] !== after[name] && showValue(before[name] ?? null) !== showValue(after[name] ?? null)
  )

/** One transition of a walk as a step of a story. */
export const toldStep = (
  behaviours: Behaviours.Behaviours,
  number: number,
  from: Behaviours.State,
  transition: Behaviours.Transition
): ToldStep => {
  const { spec } = behaviours
  const { action, parameters, next } = transition
  const state = behaviours.show(next)
  return {
    number,
    label: `${action}${showParameters(parameters)}`,
    action,
    parameters,
    process: processOf(spec, action, parameters),
    receivers: receiversOf(spec, action, parameters, changedBetween(behaviours.show(from), state)),
    changes: behaviours.changes(from, next),
    environment: spec.environment.includes(action),
    state
  }
}

/** A walk as a story. */
export const toldWalk = (
  behaviours: Behaviours.Behaviours,
  first: Behaviours.State,
  steps: ReadonlyArray<ToldStep>,
  processes: ReadonlyArray<string> = []
): Told => ({
  initial: behaviours.show(first),
  steps,
  processes: [...new Set([...processes, ...steps.flatMap(({ process, receivers }) => [process, ...receivers])])],
  owners: behaviours.spec.owners
})

/** What a spec that makes no sense says of itself. */
export const specTrouble = (error: SpecError): string => error.message
