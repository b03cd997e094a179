/**
 * What the constructors of the spec language answer in a translation: the parts of the spec, to be written out.
 *
 * @module
 */
import type { ts } from "ts-morph"
import { untranslatable } from "./Finding.ts"
import type { Run, Variable } from "./Run.ts"
import { type Closure, type Fields, fieldsOf, type Native, type Opaque, undefinedValue, type Value } from "./Values.ts"

/** An action: what its parameters range over, and what it does. */
export interface ActionParts {
  readonly domains: Fields
  readonly next: Closure
}

/** A temporal property. */
export interface TemporalParts {
  readonly form: "always" | "eventually" | "alwaysEventually" | "eventuallyAlways" | "leadsTo"
  readonly predicates: ReadonlyArray<Value>
}

const actions = new WeakMap<Opaque, ActionParts>()
const temporals = new WeakMap<Opaque, TemporalParts>()
const families = new WeakMap<Opaque, Value>()
const declarations = new WeakMap<Opaque, ReadonlyArray<Variable>>()
const specs = new WeakMap<Opaque, Fields>()
const models = new WeakMap<Opaque, Fields>()

const part =
  <A>(parts: WeakMap<Opaque, A>) =>
  (value: Value | undefined): A | undefined =>
    value?.is === "opaque" ? parts.get(value) : undefined

/** What an action consists of. */
export const actionOf = part(actions)
/** What a temporal property consists of. */
export const temporalOf = part(temporals)
/** The parts of a spec. */
export const specOf = part(specs)
/** The parts of a bounded model. */
export const modelOf = part(models)

const kept = <A>(parts: WeakMap<Opaque, A>, what: string, content: A): Opaque => {
  const value: Opaque = { is: "opaque", what }
  parts.set(value, content)
  return value
}

type Body = (args: ReadonlyArray<Value>, node: ts.CallExpression | ts.NewExpression) => Value

const native = (name: string, call: Body): Native => ({ is: "native", name, call })

const fields = (value: Value | undefined, node: ts.Node, what: string): Fields => {
  if (value?.is === "fields") return value
  throw untranslatable(node, `${what} are not a record`, "Give a record.")
}

/** What the spec language exports under a name. */
export const language =
  (run: Run) =>
  (wanted: string): Value | undefined => {
    switch (wanted) {
      case "each":
        return native("each", ([index]) => kept(families, "family", index ?? undefinedValue))
      case "variables":
        return native("variables", ([declared], node) => vocabulary(run, fields(declared, node, "the variables")))
      case "spec":
        return native("spec", ([given], node) => kept(specs, "spec", fields(given, node, "the parts of a spec")))
      case "model":
        return native("model", ([given], node) => kept(models, "model", fields(given, node, "the parts of a model")))
    }
    return undefined
  }

const vocabulary = (run: Run, declared: Fields): Value => {
  const found = [...declared.fields].map(([name, of]): Variable => {
    const index = part(families)(of)
    return { name, doc: run.docs.get(name), ...(index === undefined ? {} : { index }) }
  })
  const same = (name: string) => native(name, ([predicate]) => predicate ?? undefinedValue)
  const temporal = (form: TemporalParts["form"]) =>
    native(form, (predicates) => kept(temporals, "temporal property", { form, predicates }))
  return fieldsOf([
    ["declarations", kept(declarations, "declarations", found)],
    [
      "action",
      native("action", (args, node) => {
        const next = args.at(-1)
        if (next?.is !== "closure")
          throw untranslatable(node, "what an action does is not a function", "Give a function.")
        const domains = args.length > 1 ? fields(args[0], node, "the domains of an action") : fieldsOf([])
        return kept(actions, "action", { domains, next })
      })
    ],
    ["invariant", same("invariant")],
    ["stepProperty", same("stepProperty")],
    ["always", temporal("always")],
    ["eventually", temporal("eventually")],
    ["alwaysEventually", temporal("alwaysEventually")],
    ["eventuallyAlways", temporal("eventuallyAlways")],
    ["leadsTo", temporal("leadsTo")]
  ])
}

/** The variables that a vocabulary declares. */
export const variablesOf = (vocabulary: Value | undefined): ReadonlyArray<Variable> | undefined =>
  vocabulary?.is === "fields" ? part(declarations)(vocabulary.fields.get("declarations")) : undefined

/** A field of a record that may be absent. */
export const optional = (of: Fields, key: string): Value | undefined => {
  const value = of.fields.get(key)
  return value === undefined || (value.is === "known" && value.value === undefined) ? undefined : value
}

/** The text of a constant. */
export const textOf = (value: Value | undefined): string | undefined =>
  value?.is === "known" && typeof value.value === "string" ? value.value : undefined
