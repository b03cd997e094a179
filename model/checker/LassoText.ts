/**
 * Lassos for people and for machines: where a behaviour goes back to, what it fails to do, and why it is fair.
 *
 * @module
 */
import type { Counterexample, FairnessShown, Lasso } from "./Counterexample.ts"
import { showParameters, toJson } from "./Show.ts"

/** The end of a counterexample as text, after its last state. */
export const showLasso = (found: Counterexample, lasso: Lasso): ReadonlyArray<string> => {
  const { step, backTo } = lasso
  const lines =
    step === undefined
      ? ["  …  and then nothing changes any more, for ever"]
      : [
          `  ${found.steps.length}  ${step.action}${showParameters(step.parameters)}, back to state ${backTo}`,
          ...step.changes.map((change) => `       ${change}`)
        ]
  lines.push("", `The temporal property ${found.property} fails on this behaviour: ${whatIsMissing(found, lasso)}.`)
  if (lasso.fairness.length > 0) lines.push("It is fair to", ...grouped(lasso.fairness))
  return lines
}

export const whatIsMissing = ({ conjunct }: Counterexample, { form, since, at, backTo, step }: Lasso): string => {
  const what = conjunct === undefined ? "what it asks for" : `its conjunct ${conjunct}`
  const round = step === undefined ? `in state ${backTo}, where it stays` : `on the way round from state ${backTo}`
  switch (form) {
    case "eventually":
      return `${what} is false ${round}, and never true as a whole before`
    case "alwaysEventually":
      return `${what} is false ${round}`
    case "eventuallyAlways":
      return `${what} is false in state ${at}, ${step === undefined ? "where it stays" : "again and again"}`
    case "leadsTo":
      return `what leads to it holds in state ${since}, and ${what} is false ${round}, and not true as a whole between`
  }
}

/** One line for each way of being fair, with the conditions that are met in it. */
const grouped = (fairness: ReadonlyArray<FairnessShown>): ReadonlyArray<string> => {
  const groups = new Map<string, Array<string>>()
  for (const { condition, strength, how, number } of fairness) {
    const why = {
      step: `taken in step ${number}`,
      "not enabled": `not enabled in state ${number}`,
      "never enabled": "not enabled on the way round"
    }[how]
    const line = `${strength === "weak" ? "weakly" : "strongly"}, ${why}`
    const group = groups.get(line)
    if (group === undefined) groups.set(line, [condition])
    else group.push(condition)
  }
  return [...groups].map(([line, conditions]) => `       ${conditions.join(", ")} (${line})`)
}

/** What makes a lasso of a counterexample, as plain data. The step back is `step`, absent when it stutters. */
export const lassoJson = ({ step, ...lasso }: Lasso): { readonly [field: string]: unknown } => ({
  ...lasso,
  ...(step === undefined ? {} : { step: { ...step, parameters: toJson(step.parameters) } })
})
