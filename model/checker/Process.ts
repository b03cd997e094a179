/**
 * Whose step a step is.
 *
 * A spec has no processes, only actions; but people read a behaviour as several of them at work. The spec may say whose
 * steps an action's are. When it does not, they belong to the value of the action's first parameter; those of an action
 * without parameters to the environment when it is one of the environment's, and to the spec as a whole otherwise.
 *
 * @module
 */
import type { Spec, Value } from "./Language.ts"
import { showValue } from "./Show.ts"

/** The process of the environment's actions that have no parameters. */
export const ENVIRONMENT = "environment"

const ofValue = (kind: string, value: Value | undefined): string =>
  `${kind} ${typeof value === "string" ? value : value === undefined ? "?" : showValue(value)}`

/** The process that takes a step: `delivery D1`, `Queue`. */
export const processOf = (spec: Spec, action: string, parameters: { readonly [parameter: string]: Value }): string => {
  const declared = spec.processes[action]
  if (typeof declared === "string") return declared
  if (declared !== undefined) return ofValue(declared.as ?? declared.by, parameters[declared.by])
  const [first] = Object.keys(spec.actions[action]?.domains ?? {})
  if (first !== undefined) return ofValue(first, parameters[first])
  return spec.environment.includes(action) ? ENVIRONMENT : spec.name
}

/**
 * The processes other than its own that a step is shown as a message to: those in which variables live that it changes,
 * by the names of these variables. When it changes no such variable, but its process is one that the spec names and the
 * action has a parameter, then the process of that parameter.
 */
export const receiversOf = (
  spec: Spec,
  action: string,
  parameters: { readonly [parameter: string]: Value },
  changed: Iterable<string>
): ReadonlyArray<string> => {
  const own = processOf(spec, action, parameters)
  const owners = [...changed].map((variable) => spec.owners[variable]).filter((owner) => owner !== undefined)
  const others = [...new Set(owners)].filter((owner) => owner !== own)
  if (others.length > 0) return others
  const [first] = Object.keys(spec.actions[action]?.domains ?? {})
  return typeof spec.processes[action] === "string" && first !== undefined ? [ofValue(first, parameters[first])] : []
}

/** What is wrong with the processes that a spec declares; nothing when they make sense. */
export const processMistake = (
  spec: Spec
): { readonly site: string; readonly problem: string; readonly remedy: string } | undefined => {
  for (const [action, declared] of Object.entries(spec.processes)) {
    const definition = spec.actions[action]
    if (definition === undefined) {
      const remedy = `The actions are ${Object.keys(spec.actions).join(", ")}.`
      return { site: "processes", problem: `${action} is not an action`, remedy }
    }
    if (typeof declared === "string" || declared.by in definition.domains) continue
    const names = Object.keys(definition.domains)
    return {
      site: `processes ${action}`,
      problem: `the action has no parameter ${declared.by}`,
      remedy: names.length === 0 ? "It has no parameters: name the process." : `Its parameters are ${names.join(", ")}.`
    }
  }
  const stranger = Object.keys(spec.owners).find((variable) => !(variable in spec.declarations))
  if (stranger === undefined) return undefined
  const remedy = `The variables are ${Object.keys(spec.declarations).join(", ")}.`
  return { site: "owners", problem: `${stranger} is not a variable`, remedy }
}
