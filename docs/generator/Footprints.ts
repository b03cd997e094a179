/**
 * Which variables each action of a spec reads, and which it changes, found by watching it.
 *
 * An action is a pure function of the state, and answers with the variables that change. So it is given a state that
 * notes what is read of it, and its answers are looked at, while the checker explores the models that the action is in.
 * What is read where the action turns out not to be enabled counts too: that is how it is told.
 *
 * @module
 */
import { Effect } from "effect"
import { check, type Model, type Spec } from "../../model/checker/index.ts"

/** The variables that an action was seen to read, and those that it was seen to change. */
export interface Footprint {
  readonly reads: ReadonlySet<string>
  readonly changes: ReadonlySet<string>
}

interface Watched {
  readonly reads: Set<string>
  readonly changes: Set<string>
}

/** Footprints by the name of the action. */
export type Footprints = ReadonlyMap<string, Footprint>

/** The states of each model that are looked at. With ten times as many no action was seen to read or change more. */
const STATES = 3_000

const watching = (spec: Spec, seen: Map<string, Watched>): Spec => {
  const names = new Set(Object.keys(spec.declarations))
  const actions = Object.entries(spec.actions).map(([name, action]) => {
    const watched = seen.get(name) ?? { reads: new Set(), changes: new Set() }
    seen.set(name, watched)
    const noting = (s: unknown): unknown =>
      typeof s !== "object" || s === null
        ? s
        : new Proxy(s, {
            get: (state, property) => {
              if (typeof property === "string" && names.has(property)) watched.reads.add(property)
              return Reflect.get(state, property)
            }
          })
    const domains = Object.entries(action.domains).map(([parameter, domain]) => [
      parameter,
      typeof domain === "function" ? (s: unknown) => domain(noting(s)) : domain
    ])
    const next = (s: unknown, parameters: unknown): unknown => {
      const answer = action.next(noting(s), parameters)
      for (const update of Array.isArray(answer) ? answer : [answer]) {
        for (const name of Object.keys(update ?? {})) watched.changes.add(name)
      }
      return answer
    }
    return [name, { ...action, domains: Object.fromEntries(domains), next }]
  })
  // What the properties read is not asked, and nothing is decided: a state that breaks one is a state all the same.
  return {
    ...spec,
    actions: Object.fromEntries(actions),
    invariants: {},
    stepProperties: {},
    whenStuck: {},
    temporal: {},
    sometimes: {},
    symmetry: [],
    deadlock: "allowed",
    neverFires: Object.keys(spec.actions)
  }
}

/** The specs of a model: with every rule on, and with one off where that brings actions that there are not otherwise. */
export const specsOf = (model: Model): ReadonlyArray<Spec> => {
  const every = Object.fromEntries(Object.keys(model.switches).map((rule) => [rule, true]))
  const whole = model.spec(every)
  const others = Object.keys(model.switches)
    .map((rule) => model.spec({ ...every, [rule]: false }))
    .filter(({ actions }) => Object.keys(actions).some((name) => !(name in whole.actions)))
  return [whole, ...others]
}

/** What the actions of some models were seen to read and to change. */
export const footprintsOf = (models: ReadonlyArray<Model>, states = STATES): Footprints => {
  const seen = new Map<string, Watched>()
  for (const model of models) {
    for (const spec of specsOf(model)) {
      Effect.runSync(Effect.orDie(check(watching(spec, seen), { maxStates: states })))
    }
  }
  return seen
}
