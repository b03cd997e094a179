/**
 * The models that the page can choose, and their specs and behaviours, made once for each choice of rules.
 *
 * @module
 */
import { Effect } from "effect"
import { largeOracles, oracles } from "../../../model/checker/examples/index.ts"
import { Behaviours, type Model, type Spec } from "../../../model/checker/index.ts"
import { allModels } from "../../../model/protocol/index.ts"
import type { ModelCard, Subject } from "./Messages.ts"

/** Every model, the engine's own examples first. */
export const models: ReadonlyArray<Model> = [...oracles, ...largeOracles, ...allModels]

const byName = new Map(models.map((model) => [model.name, model]))

/** The models as the page lists them. */
export const cards = (): ReadonlyArray<ModelCard> =>
  models.map(({ name, about, parts, set, switches, expect, without }) => ({
    name,
    about,
    parts,
    set,
    switches,
    expect,
    without: Object.fromEntries(
      Object.entries(without).flatMap(([rule, given]) => (given === undefined ? [] : [[rule, given]]))
    )
  }))

/** The spec of a model with some rules off. Throws for a model or a rule that there is not: a link may name anything. */
export const specOf = ({ model: name, off }: Subject): Spec => {
  const model = byName.get(name)
  if (model === undefined) throw new Error(`There is no model ${name}.`)
  const stranger = off.find((rule) => !(rule in model.switches))
  if (stranger !== undefined) throw new Error(`The model ${name} has no rule ${stranger}.`)
  return model.spec(Object.fromEntries(Object.keys(model.switches).map((rule) => [rule, !off.includes(rule)])))
}

const keyOf = ({ model, off }: Subject): string => [model, ...off.toSorted()].join(" ")

let last: { readonly key: string; readonly behaviours: Behaviours.Behaviours } | undefined

/** The behaviours of a subject. Those of the last one are kept, since one walks one model for a while. */
export const behavioursOf = async (subject: Subject): Promise<Behaviours.Behaviours> => {
  const key = keyOf(subject)
  if (last?.key !== key) last = { key, behaviours: await Effect.runPromise(Behaviours.make(specOf(subject))) }
  return last.behaviours
}
