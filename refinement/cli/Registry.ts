/**
 * The models that are checked by name.
 *
 * @module
 */
import { largeOracles, oracles } from "../../model/checker/examples/index.ts"
import type { Model, Switch } from "../../model/checker/Language.ts"
import { allModels } from "../../model/protocol/index.ts"

/** Every model, in the order in which `onewriter models` lists them: the engine's oracles, then the protocol's. */
export const registry: ReadonlyArray<Model> = [...oracles, ...largeOracles, ...allModels]

/** The models of a set. */
export const setOf = (set: Model["set"]): ReadonlyArray<Model> => registry.filter((model) => model.set === set)

/** The models that are checked when none is named. */
export const smallModels: ReadonlyArray<Model> = setOf("ci")

/** A rule that can be switched off, and the models that have it. */
export interface Rule {
  readonly name: string
  readonly definition: Switch
  readonly models: ReadonlyArray<Model>
}

/**
 * The rules of these models, in order of first appearance. Models that mean different things by one name each have
 * their own.
 */
export const rulesOf = (models: ReadonlyArray<Model>): ReadonlyArray<Rule> => {
  const rules = new Map<string, { name: string; definition: Switch; models: Array<Model> }>()
  for (const model of models) {
    for (const [name, definition] of Object.entries(model.switches)) {
      const key = JSON.stringify([name, definition])
      const rule = rules.get(key)
      if (rule === undefined) rules.set(key, { name, definition, models: [model] })
      else rule.models.push(model)
    }
  }
  return [...rules.values()]
}

/** A model's spec with some of its rules off. */
export const specWithout = (model: Model, off: ReadonlyArray<string>) =>
  model.spec(Object.fromEntries(Object.keys(model.switches).map((rule) => [rule, !off.includes(rule)])))
