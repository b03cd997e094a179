/**
 * Fairness conditions, compiled: each is about a set of action instances, of which a step is a step of any of them that
 * changes something.
 *
 * @module
 */
import type { ActionUnit, ParameterValues } from "./ActionUnit.ts"
import type { Fairness, Spec } from "./Language.ts"
import { showParameters } from "./Show.ts"
import { InvalidSpec } from "./SpecError.ts"

/** One condition: behaviours are weakly or strongly fair to the steps of these units. */
export interface FairnessCondition {
  readonly strength: "weak" | "strong"
  /** As it is written in a counterexample: `Load(d = 1)`. */
  readonly label: string
  /** Numbers of units, among those of the spec. */
  readonly units: ReadonlyArray<number>
}

const NEXT = "the next-state relation"

/** The conditions that a spec states. Throws `InvalidSpec` for an unknown action or parameter. */
export const fairnessOf = (spec: Spec, units: ReadonlyArray<ActionUnit>): ReadonlyArray<FairnessCondition> => {
  const { fairness } = spec
  if (typeof fairness === "string") return [{ strength: fairness, label: NEXT, units: [...units.keys()] }]
  return Object.entries(fairness).flatMap(([action, stated]) => ofAction(spec, units, action, stated))
}

const ofAction = (
  spec: Spec,
  units: ReadonlyArray<ActionUnit>,
  action: string,
  stated: Fairness
): ReadonlyArray<FairnessCondition> => {
  const definition = spec.actions[action]
  const invalid = (problem: string, remedy: string): InvalidSpec =>
    new InvalidSpec({ spec: spec.name, site: "fairness", problem, remedy, state: "" })
  if (definition === undefined) {
    throw invalid(`${action} is not an action`, `The actions are ${Object.keys(spec.actions).join(", ")}.`)
  }
  const [strength, parameters] =
    typeof stated === "string"
      ? ([stated, []] as const)
      : "weak" in stated
        ? (["weak", stated.weak] as const)
        : (["strong", stated.strong] as const)
  for (const parameter of parameters) {
    const domain = definition.domains[parameter]
    if (domain === undefined) {
      const known = Object.keys(definition.domains)
      throw invalid(
        `${action} has no parameter ${parameter}`,
        known.length === 0 ? "It has no parameters." : `Its parameters are ${known.join(", ")}.`
      )
    }
    if (typeof domain === "function") {
      throw invalid(
        `the domain of ${action}'s parameter ${parameter} depends on the state`,
        "Fairness for each value of a parameter needs a constant domain."
      )
    }
  }
  const conditions = new Map<string, { label: string; units: Array<number> }>()
  for (const [number, unit] of units.entries()) {
    if (unit.name !== action) continue
    const bound: ParameterValues = Object.fromEntries(
      parameters.map((parameter) => [parameter, unit.constants[parameter]!])
    )
    const label = `${action}${showParameters(bound)}`
    const known = conditions.get(label)
    if (known === undefined) conditions.set(label, { label, units: [number] })
    else known.units.push(number)
  }
  return [...conditions.values()].map((condition) => ({ strength, ...condition }))
}

/** For each unit, the numbers of the conditions that its steps are steps of. */
export const conditionsByUnit = (
  conditions: ReadonlyArray<FairnessCondition>,
  units: number
): ReadonlyArray<ReadonlyArray<number>> => {
  const byUnit: Array<Array<number>> = Array.from({ length: units }, () => [])
  for (const [condition, { units: members }] of conditions.entries()) {
    for (const unit of members) byUnit[unit]!.push(condition)
  }
  return byUnit
}
