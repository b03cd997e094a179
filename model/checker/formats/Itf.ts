/**
 * A counterexample in the Informal Trace Format (Apalache's ADR-015), which is also the format of saved traces.
 *
 * | here                   | in the trace                                                  |
 * | ---------------------- | ------------------------------------------------------------- |
 * | a variable             | a variable                                                    |
 * | a family of variables  | a variable whose value is a `#map` from its index             |
 * | an integer             | `{ "#bigint": "…" }`, as Apalache and Quint write every one   |
 * | a set                  | `{ "#set": […] }`                                             |
 * | an array               | a list                                                        |
 * | a record               | a record; a `#map` when a field's name begins with `#`        |
 * | `null`                 | `{ "#unserializable": "null" }`: the format has none          |
 * | a lasso                | `loop`, the state that the last one goes back to              |
 *
 * The action and the parameters of each step are in the `#meta` of the state that it leads to, which other tools ignore.
 *
 * @module
 */
import type { Counterexample } from "../Counterexample.ts"
import type { Spec, Value } from "../Language.ts"
import { failureSentence } from "./Narrative.ts"

/** Where the format is described. */
export const ITF_DESCRIPTION = "https://apalache-mc.org/docs/adr/015adr-trace.html"

/** A value as the format writes it. */
export type ItfValue = boolean | string | ReadonlyArray<ItfValue> | { readonly [field: string]: ItfValue }

const isArray = (value: Value): value is ReadonlyArray<Value> => Array.isArray(value)
const isSet = (value: Value): value is ReadonlySet<Value> => value instanceof Set

/** A value in the format. */
export const itfValue = (value: Value): ItfValue => {
  if (value === null) return { "#unserializable": "null" }
  if (typeof value === "boolean" || typeof value === "string") return value
  if (typeof value === "number") return { "#bigint": String(value) }
  if (isArray(value)) return value.map(itfValue)
  if (isSet(value)) return { "#set": [...value].map(itfValue) }
  const fields = Object.entries(value)
  return fields.some(([name]) => name.startsWith("#"))
    ? itfMap(fields)
    : Object.fromEntries(fields.map(([name, part]) => [name, itfValue(part)]))
}

const itfMap = (entries: ReadonlyArray<readonly [key: Value, value: Value]>): ItfValue => ({
  "#map": entries.map(([key, value]) => [itfValue(key), itfValue(value)])
})

/** The state of a spec in the format; a family is a map from its index, in the order of declaration. */
export const itfState = (
  spec: Spec,
  state: { readonly [variable: string]: Value }
): { readonly [variable: string]: ItfValue } =>
  Object.fromEntries(
    Object.entries(spec.declarations).map(([name, declared]) => {
      const value = state[name] ?? null
      if (!("_tag" in declared && declared._tag === "Family" && "index" in declared)) return [name, itfValue(value)]
      const elements = Object(value)
      return [name, itfMap(declared.index.map((index) => [index, Reflect.get(elements, String(index))]))]
    })
  )

/** What a saved trace says about itself. */
export interface Provenance {
  /** The model, or the spec, that it is a behaviour of. */
  readonly model: string
  /** The file that the model was exported by, when it was one. */
  readonly file?: string
  /** The rules that were off. */
  readonly without?: ReadonlyArray<string>
}

/** The trace of a counterexample. Printed as JSON it is a file of the format. */
export const itf = (spec: Spec, found: Counterexample, provenance: Provenance = { model: spec.name }) => ({
  "#meta": {
    format: "ITF",
    "format-description": ITF_DESCRIPTION,
    source: provenance.file ?? provenance.model,
    description: failureSentence(found),
    "onewriter/trace": 1,
    ...provenance,
    kind: found.kind,
    property: found.property,
    ...(found.conjunct === undefined ? {} : { conjunct: found.conjunct }),
    ...(found.lasso?.step === undefined ? {} : { back: stepMeta(found.lasso.step) })
  },
  vars: Object.keys(spec.declarations),
  states: found.steps.map((step) => ({
    "#meta": { index: step.number, ...(step.action === undefined ? {} : stepMeta(step)) },
    ...itfState(spec, step.state)
  })),
  ...(found.lasso === undefined ? {} : { loop: found.lasso.backTo })
})

const stepMeta = ({
  action = "",
  parameters
}: {
  readonly action?: string
  readonly parameters: { readonly [name: string]: Value }
}) => ({
  action,
  parameters: Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, itfValue(value)]))
})
