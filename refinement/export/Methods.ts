/**
 * Methods of arrays, sets, maps and strings.
 *
 * @module
 */
import type { ts } from "ts-morph"
import { arrayMethod, asSequence } from "./Arrays.ts"
import { equal, inCases, presentOf, truthValue } from "./Choose.ts"
import { shapeAt } from "./Fields.ts"
import { untranslatable } from "./Finding.ts"
import { lift, shapeOfValue, union } from "./Lift.ts"
import type { Run } from "./Run.ts"
import { only } from "./Shape.ts"
import { textParts } from "./Text.ts"
import { and, apply, call, type Expr, infix, lambda, name, number, or, set } from "./Tla.ts"
import {
  type Elements,
  fingerprint,
  known,
  type Pairs,
  type Part,
  sequenceOf,
  undefinedValue,
  type Value
} from "./Values.ts"

/** Carries out a method; undefined when the value has no such method, and so it is a field that holds a function. */
export const memberCall = (
  run: Run,
  value: Value,
  method: string,
  parts: () => ReadonlyArray<Part>,
  node: ts.CallExpression
): Value | undefined => {
  if (value.is === "known" && (value.value === undefined || value.value === null)) return undefinedValue
  const args = () =>
    parts().map((part) => {
      if ("one" in part && part.when === undefined) return part.one
      throw untranslatable(node, "how many arguments there are depends on the state", "Pass an array.")
    })
  const array = asSequence(run, value)
  if (array !== undefined) return arrayMethod(run, array, method, args, node)
  if (value.is === "choice") {
    const results = inCases(
      run,
      value,
      (one) => memberCall(run, one, method, parts, node) ?? unknownMethod(method, node)
    )
    return results
  }
  const kinds = shapeOfValue(value).kinds
  if (value.is === "elements" || (value.is === "symbolic" && kinds.has("set"))) {
    return setMethod(run, value, method, args(), node)
  }
  if (value.is === "pairs" || (value.is === "symbolic" && kinds.has("map")))
    return mapMethod(run, value, method, args(), node)
  if (kinds.has("string") && kinds.size === 1) return stringMethod(run, value, method, args(), node)
  return undefined
}

const unknownMethod = (method: string, node: ts.Node): never => {
  throw untranslatable(node, `${method} is not a method that a spec may call`, "See docs/spec-language.md.")
}

/** A set as a value with elements. */
export const asElements = (value: Value): Elements | undefined =>
  value.is === "elements"
    ? value
    : value.is === "symbolic" && value.shape.kinds.has("set")
      ? { is: "elements", elements: [{ all: presentOf(value).expr }] }
      : undefined

const symbolicSet = (expr: Expr): Value => ({ is: "symbolic", expr, shape: only("set") })

const setMethod = (
  run: Run,
  value: Value,
  method: string,
  args: ReadonlyArray<Value>,
  node: ts.CallExpression
): Value => {
  const given = asElements(value)!
  const [first] = args
  if (first === undefined) return unknownMethod(method, node)
  if (method === "has") return truthValue(or(...given.elements.map((part) => holds(run, part, first))))
  if (method === "add") return { is: "elements", elements: [...given.elements, { one: first }] }
  const other = asElements(first)
  if (other === undefined) throw untranslatable(node, "what is given here is not a set", "Give a set.")
  const [left, right] = [lift(run, given), lift(run, other)]
  switch (method) {
    case "isSubsetOf":
      return truthValue(infix(left, "\\subseteq", right))
    case "isSupersetOf":
      return truthValue(infix(right, "\\subseteq", left))
    case "isDisjointFrom":
      return truthValue(infix(infix(left, "\\cap", right), "=", set([])))
    case "union":
      return symbolicSet(union(left, right))
    case "intersection":
      return symbolicSet(infix(left, "\\cap", right))
    case "difference":
      return symbolicSet(infix(left, "\\", right))
  }
  return unknownMethod(method, node)
}

const holds = (run: Run, part: Elements["elements"][number], element: Value): Expr => {
  if ("all" in part) return infix(lift(run, element), "\\in", part.all)
  const same = equal(run, element, part.one)
  return part.when === undefined ? same : and(part.when, same)
}

/** The place of a key among known pairs, if all of them and it are constants. */
const placeOf = (map: Pairs, key: Value): number | undefined => {
  const wanted = fingerprint(key)
  const prints = map.entries.map(([one]) => fingerprint(one))
  if (wanted === undefined || prints.includes(undefined)) return undefined
  return prints.indexOf(wanted)
}

const mapMethod = (
  run: Run,
  value: Value,
  method: string,
  args: ReadonlyArray<Value>,
  node: ts.CallExpression
): Value => {
  const pairs = value.is === "pairs" ? value : undefined
  const place = pairs !== undefined && args[0] !== undefined ? placeOf(pairs, args[0]) : undefined
  const map = () => (value.is === "symbolic" ? presentOf(value).expr : lift(run, value))
  const list = (at: number): Value => ({
    is: "symbolic",
    expr: call(run.library.use("MapSeq"), [pairLambda(run, at), map()]),
    shape: only("array")
  })
  switch (method) {
    case "get": {
      if (place !== undefined) return place < 0 ? undefinedValue : pairs!.entries[place]![1]
      const expr = call(run.library.use("MapGet"), [map(), lift(run, args[0]!)])
      return { is: "symbolic", expr, shape: shapeAt(run, node) }
    }
    case "has":
      if (place !== undefined) return known(place >= 0)
      return truthValue(call(run.library.use("MapHas"), [map(), lift(run, args[0]!)]))
    case "set":
      return mapWith(run, value, args[0]!, args[1]!)
    case "keys":
      return pairs !== undefined ? sequenceOf(pairs.entries.map(([key]) => key)) : list(1)
    case "values":
      return pairs !== undefined ? sequenceOf(pairs.entries.map(([, one]) => one)) : list(2)
    case "entries":
      return pairs !== undefined
        ? sequenceOf(pairs.entries.map((entry) => sequenceOf(entry)))
        : { is: "symbolic", expr: map(), shape: only("array") }
  }
  return unknownMethod(method, node)
}

const pairLambda = (run: Run, at: number): Expr => {
  const pair = run.locals.fresh("pair")
  return lambda([pair], apply(name(pair), number(at)))
}

/** A map with one more entry, or another value in the place of the one it has. */
export const mapWith = (run: Run, map: Value, key: Value, value: Value): Value => {
  if (map.is === "pairs") {
    const place = placeOf(map, key)
    const entry = [key, value] as const
    if (place !== undefined) {
      return { is: "pairs", entries: place < 0 ? [...map.entries, entry] : map.entries.with(place, entry) }
    }
  }
  const of = map.is === "symbolic" ? presentOf(map).expr : lift(run, map)
  return {
    is: "symbolic",
    expr: call(run.library.use("MapSet"), [of, lift(run, key), lift(run, value)]),
    shape: only("map")
  }
}

const stringMethod = (
  run: Run,
  value: Value,
  method: string,
  args: ReadonlyArray<Value>,
  node: ts.CallExpression
): Value => {
  const [other] = args
  if (method !== "localeCompare" || other === undefined) return unknownMethod(method, node)
  if (value.is === "known" && other.is === "known") return known(String(value.value).localeCompare(String(other.value)))
  const expr = call(run.library.use("CompareText"), [
    textParts(run, value, node.expression),
    textParts(run, other, node.arguments[0]!)
  ])
  return { is: "symbolic", expr, shape: only("number") }
}
