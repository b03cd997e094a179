/** Walks in the models of the queue: steps by name, each of which leads to one state. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { Behaviours, type Model } from "../../../../model/checker/index.ts"

/** Steps of a behaviour. */
export type Steps = ReadonlyArray<readonly [action: string, parameters?: { readonly [name: string]: string }]>

/** The spec of a model, with one rule off. */
export const specOf = <R extends string>(models: ReadonlyArray<Model<R>>, name: string, off?: R) => {
  const model = models.find((one) => one.name === name)
  if (model === undefined) throw new Error(`there is no model ${name}`)
  const rules = Object.fromEntries(Object.keys(model.switches).map((rule) => [rule, rule !== off]))
  return model.spec(rules as { readonly [rule in R]: boolean })
}

/** Takes the steps, and says what the last state is, which properties it breaks, and which actions are enabled in it. */
export const walk = Effect.fnUntraced(function* (spec: ReturnType<typeof specOf>, steps: Steps) {
  const behaviours = yield* Behaviours.make(spec)
  let state: Behaviours.State = behaviours.initial[0]
  for (const [action, parameters = {}] of steps) {
    const next: ReadonlyArray<Behaviours.State> = yield* behaviours.apply(state, action, parameters)
    expect([action, next.length]).toEqual([action, 1])
    const [only] = next
    if (only === undefined) throw new Error(`${action} is not enabled`)
    state = only
  }
  const invariants = yield* behaviours.brokenInvariants(state)
  const stuck = yield* behaviours.brokenWhenStuck(state)
  const successors = yield* behaviours.successors(state)
  return {
    state: behaviours.read(state),
    broken: [...invariants, ...stuck].map(({ property }) => property),
    enabled: [...new Set(successors.map(({ action }) => action))]
  }
})
