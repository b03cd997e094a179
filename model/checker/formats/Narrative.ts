/**
 * A counterexample as a sequence of events with somebody who takes each: what every format for people is written from.
 *
 * @module
 */
import type { Counterexample, Step } from "../Counterexample.ts"
import type { Spec, Value } from "../Language.ts"
import { whatIsMissing } from "../LassoText.ts"
import { processOf, receiversOf } from "../Process.ts"
import { whatFails } from "../Report.ts"
import { showParameters, showValue } from "../Show.ts"

/** One step, and who takes it. */
export interface Happening {
  /** 1 for the first step. */
  readonly number: number
  /** The action with its parameters: `Load(d = 1)`. */
  readonly label: string
  readonly action: string
  readonly parameters: Step["parameters"]
  readonly process: string
  /** The other processes that it reaches. */
  readonly receivers: ReadonlyArray<string>
  readonly changes: ReadonlyArray<string>
  /** The state that it leads to; absent for the step that closes a lasso, which leads to a state that was shown. */
  readonly state?: Step["state"]
}

/** A counterexample as people read it. */
export interface Narrative {
  readonly initial: Step["state"]
  readonly steps: ReadonlyArray<Happening>
  /** For a lasso that goes round: the step back, and the number of the state that it leads to. */
  readonly back?: Happening & { readonly to: number }
  /** For a behaviour that ends by changing nothing for ever. */
  readonly stutters: boolean
  /** Every process that takes a step or is reached by one, in order of appearance. */
  readonly processes: ReadonlyArray<string>
  /** What fails, in one sentence. */
  readonly failure: string
}

/** The variables that differ between two states. */
const changedBetween = (before: Step["state"], after: Step["state"]): ReadonlyArray<string> =>
  Object.keys(after).filter((name) => showValue(before[name] ?? null) !== showValue(after[name] ?? null))

/** What fails in a counterexample, and where, in one sentence. */
export const failureSentence = (found: Counterexample): string =>
  found.lasso === undefined
    ? whatFails(found)
    : `The temporal property ${found.property} fails on this behaviour: ${whatIsMissing(found, found.lasso)}.`

/** The narrative of a counterexample to a property of a spec. */
export const narrative = (spec: Spec, found: Counterexample): Narrative => {
  const happening = (
    number: number,
    step: { readonly action?: string } & Pick<Step, "parameters" | "changes">,
    before: Step["state"],
    after: Step["state"]
  ): Happening => {
    const action = step.action ?? "stutter"
    return {
      number,
      label: `${action}${showParameters(step.parameters)}`,
      action,
      parameters: step.parameters,
      process: processOf(spec, action, step.parameters),
      receivers: receiversOf(spec, action, step.parameters, changedBetween(before, after)),
      changes: step.changes
    }
  }
  const [first, ...others] = found.steps
  const steps = others.map((step, i): Happening => {
    const before = found.steps[i]!.state
    return { ...happening(step.number, step, before, step.state), state: step.state }
  })
  const { lasso } = found
  const last = found.steps.at(-1)!.state
  const target = lasso === undefined ? last : found.steps[lasso.backTo]!.state
  const back =
    lasso?.step === undefined
      ? undefined
      : { ...happening(found.steps.length, lasso.step, last, target), to: lasso.backTo }
  const all = back === undefined ? steps : [...steps, back]
  return {
    initial: first.state,
    steps,
    ...(back === undefined ? {} : { back }),
    stutters: lasso !== undefined && lasso.step === undefined,
    processes: [...new Set(all.flatMap(({ process, receivers }) => [process, ...receivers]))],
    failure: failureSentence(found)
  }
}

/** A state as lines: `log = [1]`. */
export const stateLines = (state: { readonly [variable: string]: Value }): ReadonlyArray<string> =>
  Object.entries(state).map(([variable, value]) => `${variable} = ${showValue(value)}`)
