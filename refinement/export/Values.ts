/**
 * What the translation computes with.
 *
 * A spec is run, once, with everything that is constant in it: the rules that are on, the bounds, the functions that
 * make its actions. What depends on the state or on a parameter is not known then; it is *symbolic*, an expression of
 * TLA+, and whatever is done with it becomes a bigger expression. Most values are mixtures: an update is a record whose
 * fields are known and whose values are symbolic.
 *
 * @module
 */
import type { ts } from "ts-morph"
import type { Shape } from "./Shape.ts"
import type { Def, Expr } from "./Tla.ts"

/** A value of the translation. */
export type Value =
  | Known
  | Sequence
  | Fields
  | Closure
  | Native
  | Symbolic
  | StateView
  | Choice
  | Elements
  | Pairs
  | Opaque

/** `undefined`, null, a boolean, a number or a string. */
export interface Known {
  readonly is: "known"
  readonly value: undefined | null | boolean | number | string
  /** The name that the module gives it, if it has one: see `Constants.ts`. */
  readonly name?: string
}

/** An array: known elements, perhaps present under a condition only, and symbolic stretches. */
export interface Sequence {
  readonly is: "sequence"
  readonly parts: ReadonlyArray<Part>
  readonly name?: string
  /** For an array that was mapped out of a named constant one: the same as a comprehension over that. */
  readonly over?: Each
}

/** A stretch of an array. */
export type Part =
  | { readonly one: Value; readonly when?: Expr }
  /** A symbolic sequence. */
  | { readonly many: Expr; readonly shape: Shape }
  | Each

/** One element for each of a symbolic sequence's, or of a set's. */
export interface Each {
  readonly binder: string
  /** What the binder ranges over: the indices of a sequence, or a set of elements. */
  readonly set: Expr
  readonly defs: ReadonlyArray<Def>
  readonly each: Value
}

/** A record: fields with known names in the order of insertion, and fields with symbolic ones. */
export interface Fields {
  readonly is: "fields"
  readonly fields: ReadonlyMap<string, Value>
  readonly computed: ReadonlyArray<readonly [key: Expr, value: Value]>
  readonly name?: string
  /** It was made before any action was looked at: its fields are bounds and settings, which have names. */
  readonly setting?: boolean
  /** The local definition that holds all of it, if there is one. */
  readonly held?: Expr
}

/** A function of the spec, with what it closes over. */
export interface Closure {
  readonly is: "closure"
  readonly node: FunctionNode
  readonly scope: Scope
  /** What every call passes last: the array, to a function that a method of it was given. */
  readonly last?: Value
}

/** A node that is a function. */
export type FunctionNode = ts.ArrowFunction | ts.FunctionExpression | ts.FunctionDeclaration | ts.MethodDeclaration

/** A function of the platform or of the spec language. */
export interface Native {
  readonly is: "native"
  readonly name: string
  readonly call: (args: ReadonlyArray<Value>, node: ts.CallExpression | ts.NewExpression) => Value
}

/** An expression that depends on the state or on parameters, and what it may be. */
export interface Symbolic {
  readonly is: "symbolic"
  readonly expr: Expr
  readonly shape: Shape
  /** Every value that it can have, for a parameter of an action that ranges over a constant set. */
  readonly range?: ReadonlyArray<string | number>
  /** The indices of the family of variables that this is. */
  readonly family?: Value
  /** The variable that this is, or is an element of. */
  readonly variable?: string
}

/** The state as an action sees it, or the next one. */
export interface StateView {
  readonly is: "state"
  readonly primed: boolean
}

/** One of two values, which of them depends on the state. */
export interface Choice {
  readonly is: "choice"
  readonly test: Expr
  readonly yes: Value
  readonly no: Value
}

/** A set: known elements, and symbolic sets. */
export interface Elements {
  readonly is: "elements"
  readonly elements: ReadonlyArray<{ readonly one: Value; readonly when?: Expr } | { readonly all: Expr }>
  readonly name?: string
}

/** A map whose entries are all known. A symbolic one is {@link Symbolic}. */
export interface Pairs {
  readonly is: "pairs"
  readonly entries: ReadonlyArray<readonly [key: Value, value: Value]>
}

/** Something that is only handed on: a schema, an action, a spec. */
export interface Opaque {
  readonly is: "opaque"
  readonly what: string
  readonly content?: unknown
  /** What its properties are; for a schema, whatever is asked. */
  readonly get?: (property: string) => Value
}

/** Names and their values, one inside the other. Those of a module are worked out when they are first asked for. */
export class Scope {
  readonly #values = new Map<string, Value | (() => Value)>()
  readonly parent: Scope | undefined
  /** The file whose top level this is. */
  readonly module: string | undefined

  constructor(parent: Scope | undefined, module?: string) {
    this.parent = parent
    this.module = module
  }

  declare(name: string, value: Value | (() => Value)): void {
    this.#values.set(name, value)
  }

  get(name: string): Value | undefined {
    const found = this.#values.get(name)
    if (found === undefined) return this.parent?.get(name)
    if (typeof found !== "function") return found
    this.#values.set(name, () => {
      throw new Error(`${name} depends on itself`)
    })
    const value = found()
    this.#values.set(name, value)
    return value
  }

  /** Gives a variable another value, where it was declared. */
  assign(name: string, value: Value): void {
    if (this.#values.has(name)) this.#values.set(name, value)
    else if (this.parent === undefined) throw new Error(`${name} is assigned and was never declared`)
    else this.parent.assign(name, value)
  }
}

export const known = (value: Known["value"]): Known => ({ is: "known", value })
export const undefinedValue: Known = known(undefined)

/** Fields with known names. */
export const fieldsOf = (entries: Iterable<readonly [string, Value]>): Fields => ({
  is: "fields",
  fields: new Map(entries),
  computed: []
})

/** An array of known elements. */
export const sequenceOf = (values: ReadonlyArray<Value>): Sequence => ({
  is: "sequence",
  parts: values.map((one) => ({ one }))
})

/** The elements of an array when all of them are known to be there; undefined otherwise. */
export const elementsOf = (value: Value): ReadonlyArray<Value> | undefined => {
  if (value.is !== "sequence") return undefined
  const found: Array<Value> = []
  for (const part of value.parts) {
    if (!("one" in part) || part.when !== undefined) return undefined
    found.push(part.one)
  }
  return found
}

/** Whether nothing symbolic is in a value. */
export const isConstant = (value: Value): boolean => {
  switch (value.is) {
    case "known":
    case "opaque":
    case "native":
    case "closure":
      return true
    case "symbolic":
    case "state":
    case "choice":
      return false
    case "sequence":
      return value.parts.every((part) => "one" in part && part.when === undefined && isConstant(part.one))
    case "fields":
      return value.computed.length === 0 && [...value.fields.values()].every(isConstant)
    case "elements":
      return value.elements.every((part) => "one" in part && part.when === undefined && isConstant(part.one))
    case "pairs":
      return value.entries.every(([key, one]) => isConstant(key) && isConstant(one))
  }
}

/** Whether a value is data all the way down: no function, schema or state in it. */
export const isData = (value: Value): boolean => {
  switch (value.is) {
    case "known":
    case "symbolic":
      return true
    case "choice":
      return isData(value.yes) && isData(value.no)
    case "sequence":
      return value.parts.every((part) => "many" in part || isData("one" in part ? part.one : part.each))
    case "fields":
      return value.computed.every(([, one]) => isData(one)) && [...value.fields.values()].every(isData)
    case "elements":
      return value.elements.every((part) => "all" in part || isData(part.one))
    case "pairs":
      return value.entries.every(([key, one]) => isData(key) && isData(one))
    default:
      return false
  }
}

/** A constant as text, equal for equal constants; undefined when it holds something that is not data. */
export const fingerprint = (value: Value): string | undefined => {
  if (!isConstant(value) || !isData(value)) return undefined
  return JSON.stringify(value, (key, inner: unknown) => {
    if (key === "name" || key === "over" || key === "held" || key === "setting") return undefined
    if (inner instanceof Map) return [...inner].sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))
    return inner === undefined ? "undefined" : inner
  })
}
