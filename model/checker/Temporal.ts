/**
 * Properties of whole behaviours, compiled: what they say as conjuncts that are evaluated state by state.
 *
 * A behaviour that violates one is a lasso whose cycle is fair:
 *
 * | property              | violated by                                                                    |
 * | --------------------- | ------------------------------------------------------------------------------ |
 * | `eventually P`        | P false in every state                                                         |
 * | `always eventually P` | P false in every state of the cycle                                            |
 * | `eventually always P` | P false in some state of the cycle                                             |
 * | `P leads to Q`        | a state where P holds and Q does not, and Q false from there on, cycle included |
 *
 * `always P` is an invariant, and is compiled as one.
 *
 * @module
 */
import { type Conjunct, conjunctsOf } from "./Conjunct.ts"
import type { Machine } from "./Evaluation.ts"
import type { Spec, StatePredicate, Temporal } from "./Language.ts"

/** The forms of properties that need whole behaviours to be violated. */
export type TemporalForm = Exclude<Temporal<unknown>["form"], "always">

/** A property of behaviours. */
export interface TemporalProperty {
  readonly name: string
  readonly form: TemporalForm
  /** What has to hold first; only `leadsTo` has any. */
  readonly when: ReadonlyArray<Conjunct>
  readonly holds: ReadonlyArray<Conjunct>
}

/** The properties that are invariants under a temporal name. */
export const always = (spec: Spec): { readonly [name: string]: StatePredicate<unknown> } =>
  Object.fromEntries(
    Object.entries(spec.temporal).flatMap(([name, property]) =>
      property.form === "always" ? [[name, property.holds]] : []
    )
  )

/** The properties of behaviours. Throws `InvalidSpec` for one that says nothing. */
export const temporalOf = (machine: Machine, spec: Spec, caching: boolean): ReadonlyArray<TemporalProperty> =>
  Object.entries(spec.temporal).flatMap(([name, property]) => {
    if (property.form === "always") return []
    const compiled = (predicate: StatePredicate<unknown>) => conjunctsOf(machine, "temporal", name, predicate, caching)
    const when = property.form === "leadsTo" ? compiled(property.when) : []
    return [{ name, form: property.form, when, holds: compiled(property.holds) }]
  })
