/**
 * What a simulation found, for people and for machines.
 *
 * @module
 */
import { counterexampleJson, showCounterexample } from "./Report.ts"
import type { Brevity } from "./Shorten.ts"
import type { SimulationReport } from "./Simulate.ts"

const plural = (count: number, one: string): string => `${count.toLocaleString("en")} ${one}${count === 1 ? "" : "s"}`

const BREVITY: { readonly [brevity in Brevity]: string } = {
  shortest: "none is shorter",
  "shortest of its steps": "with these steps, none is shorter",
  unknown: "there may be shorter ones"
}

/** A simulation as text. `name` is the model with the rules that were off. */
export const showSimulation = (report: SimulationReport, name = report.spec): string => {
  const { counterexample, found, seed, walks, steps, longest, seconds, leftOut, actions, warnings } = report
  const size = `seed ${seed}: ${plural(walks, "walk")}, ${plural(steps, "step")}, the longest of ${longest}, ${seconds.toFixed(2)} s`
  const lines = [
    `${name}: ${counterexample === undefined ? "nothing fails in what was walked" : `violated: ${counterexample.property}`}`,
    `  ${size}`,
    ...(leftOut === 0
      ? []
      : [
          `  ${plural(leftOut, "step")} led out of the model, as its constraints say, and ${leftOut === 1 ? "was" : "were"} not taken`
        ])
  ]
  if (counterexample !== undefined && found !== undefined) {
    const length = counterexample.steps.length - 1
    lines.push(
      "",
      `${counterexample.property} fails after ${plural(length, "step")}; walk ${found.walk} found it after ${found.steps}, and ${BREVITY[found.brevity]}:`,
      "",
      showCounterexample(counterexample)
    )
  }
  lines.push("", "Actions: times taken")
  const width = Math.max(...Object.values(actions).map((taken) => taken.toLocaleString("en").length))
  for (const [action, taken] of Object.entries(actions)) {
    lines.push(`  ${taken.toLocaleString("en").padStart(width)}  ${action}`)
  }
  for (const warning of warnings) lines.push("", `Warning: ${warning}`)
  return lines.join("\n")
}

/** A simulation as plain data. */
export const simulationJson = ({ _tag, spec, counterexample, ...report }: SimulationReport) => ({
  model: spec,
  ...report,
  ...(counterexample === undefined ? {} : { counterexample: counterexampleJson(counterexample) })
})
