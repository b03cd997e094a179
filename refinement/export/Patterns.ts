/**
 * Binding names to values: parameters, declarations, and what they take apart.
 *
 * @module
 */
import { ts } from "ts-morph"
import { asSequence } from "./Arrays.ts"
import { choose, inCases, missing, presentOf } from "./Choose.ts"
import { bound, elementAt, fieldOf, omit, shapeAt } from "./Fields.ts"
import { untranslatable } from "./Finding.ts"
import type { Run } from "./Run.ts"
import { propertyShape } from "./Shape.ts"
import { call, type Expr } from "./Tla.ts"
import { elementsOf, known, type Scope, sequenceOf, undefinedValue, type Value } from "./Values.ts"

/** Declares every name of a pattern. */
export const bindPattern = (run: Run, pattern: ts.BindingName, value: Value, scope: Scope): void => {
  if (ts.isIdentifier(pattern)) {
    scope.declare(pattern.text, bound(run, pattern.text, value))
  } else if (ts.isObjectBindingPattern(pattern)) bindFields(run, pattern, value, scope)
  else bindElements(run, pattern, value, scope)
}

const bindFields = (run: Run, pattern: ts.ObjectBindingPattern, value: Value, scope: Scope): void => {
  const taken: Array<string> = []
  // What is taken apart more than once is worked out once.
  const whole = pattern.elements.length > 1 ? bound(run, "parts", value) : value
  for (const element of pattern.elements) {
    if (element.dotDotDotToken !== undefined) {
      bindPattern(run, element.name, omit(run, whole, taken), scope)
      continue
    }
    const key = keyOf(element)
    taken.push(key)
    // Before a default takes the place of what is missing.
    const owner = run.checker.getTypeAtLocation(pattern)
    const declared = propertyShape(run.checker, owner, key, element)
    const shape = declared ?? { ...shapeAt(run, element), undef: true }
    const found = fieldOf(run, whole, key, element, shape)
    bindPattern(run, element.name, withDefault(run, element, found, scope), scope)
  }
}

const keyOf = (element: ts.BindingElement): string => {
  const written = element.propertyName ?? element.name
  const key = ts.isComputedPropertyName(written) ? written.expression : written
  const isName = ts.isIdentifier(key) && key === written
  if (isName || ts.isStringLiteral(key) || ts.isNumericLiteral(key)) return key.text
  throw untranslatable(element, "which field this is depends on the state", "Name the field.")
}

/** A value, or the default that takes its place where it is undefined. */
export const withDefault = (
  run: Run,
  element: ts.BindingElement | ts.ParameterDeclaration,
  value: Value,
  scope: Scope
): Value => {
  const { initializer } = element
  if (initializer === undefined) return value
  return inCases(run, value, (one) => {
    if (one.is === "known") return one.value === undefined ? run.evaluate(initializer, scope) : one
    if (one.is !== "symbolic" || !one.shape.undef) return one
    const test = missing(run, { ...one, shape: { ...one.shape, nul: false } })
    return choose(
      run,
      test,
      () => run.evaluate(initializer, scope),
      () => ({ ...presentOf(one), shape: { ...one.shape, undef: false } })
    )
  })
}

const bindElements = (run: Run, pattern: ts.ArrayBindingPattern, value: Value, scope: Scope): void => {
  const whole = pattern.elements.length > 1 ? bound(run, "parts", value) : value
  pattern.elements.forEach((element, at) => {
    if (ts.isOmittedExpression(element)) return
    if (element.dotDotDotToken !== undefined) {
      bindPattern(run, element.name, restOf(run, whole, at, element), scope)
      return
    }
    const shape = shapeAt(run, element)
    const found = elementAt(
      run,
      whole,
      known(at),
      element,
      element.initializer === undefined ? shape : { ...shape, undef: true }
    )
    bindPattern(run, element.name, withDefault(run, element, found, scope), scope)
  })
}

/** The elements from an index on. */
const restOf = (run: Run, value: Value, from: number, node: ts.Node): Value =>
  inCases(run, value, (one) => {
    const elements = elementsOf(one)
    if (elements !== undefined) return sequenceOf(elements.slice(from))
    const array = asSequence(run, one)
    if (array === undefined) {
      if (one.is === "known") return undefinedValue
      throw untranslatable(node, "what is taken apart here is not an array", "Take arrays apart.")
    }
    const front = array.parts.slice(0, from)
    if (front.length === from && front.every((part) => "one" in part && part.when === undefined)) {
      return { is: "sequence", parts: array.parts.slice(from) }
    }
    const [only] = array.parts
    if (array.parts.length !== 1 || only === undefined || !("many" in only)) {
      throw untranslatable(node, "where the rest of this array begins depends on the state", "Use slice.")
    }
    const seq = only.many
    const of: Expr = seq.is === "name" || seq.is === "field" ? seq : run.locals.define("items", seq)
    return {
      is: "sequence",
      parts: [{ many: call("SubSeq", [of, { is: "number", value: from + 1 }, call("Len", [of])]), shape: only.shape }]
    }
  })
