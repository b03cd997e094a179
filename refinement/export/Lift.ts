/**
 * From a value of the translation to the expression that stands for it.
 *
 * @module
 */
import { ts } from "ts-morph"
import type { Run } from "./Run.ts"
import { joined, only, type Shape } from "./Shape.ts"
import {
  apply,
  boolean,
  call,
  type Expr,
  field,
  infix,
  ite,
  lambda,
  letIn,
  NULL,
  name,
  number,
  record,
  set,
  string,
  tuple,
  UNDEFINED
} from "./Tla.ts"
import { type Each, elementsOf, type Fields, fingerprint, isConstant, type Part, type Value } from "./Values.ts"

/** Thrown when something has no expression: a function, a schema. The caller knows where. */
export class NoExpression extends Error {}

/** The expression of a value. */
export const lift = (run: Run, value: Value): Expr => {
  switch (value.is) {
    case "known": {
      if (value.name !== undefined && named(run, value.name, value)) return name(value.name)
      const of = value.value
      if (of === undefined) return UNDEFINED
      if (of === null) return NULL
      return typeof of === "boolean" ? boolean(of) : typeof of === "number" ? number(of) : string(of)
    }
    case "symbolic":
      return value.expr
    case "choice":
      return ite(value.test, lift(run, value.yes), lift(run, value.no))
    case "sequence":
      return value.parts
        .map((part) => liftPart(run, part))
        .reduce((left, right) => infix(left, "\\o", right), tuple([]))
    case "elements":
      if (value.name !== undefined && isConstant(value) && named(run, value.name, value)) return name(value.name)
      return value.elements
        .map((part) =>
          "all" in part
            ? part.all
            : part.when === undefined
              ? set([lift(run, part.one)])
              : ite(part.when, set([lift(run, part.one)]), set([]))
        )
        .reduce(union, set([]))
    case "pairs":
      return tuple(value.entries.map(([key, one]) => tuple([lift(run, key), lift(run, one)])))
    case "state":
      return record(
        [...run.variables.keys()].map((key) => [key, value.primed ? { is: "prime", of: name(key) } : name(key)])
      )
    case "fields":
      if (value.held !== undefined) return value.held
      if (value.name !== undefined && isConstant(value) && named(run, value.name, value)) return name(value.name)
      return liftFields(run, value)
    default:
      throw new NoExpression(value.is)
  }
}

/** The union of two sets. */
export const union = (left: Expr, right: Expr): Expr => {
  if (left.is === "set" && left.items.length === 0) return right
  if (right.is === "set" && right.items.length === 0) return left
  if (left.is === "set" && right.is === "set") return set([...left.items, ...right.items])
  return infix(left, "\\cup", right)
}

/** Gives a constant its name in the module, unless the name stands for another one already. */
const named = (run: Run, wanted: string, value: Value): boolean => {
  const there = run.constants.get(wanted)
  if (there !== undefined) return setPrint(there.value) === setPrint(value)
  if (run.variables.has(wanted) || run.reserved.has(wanted)) return false
  if ([...run.made.values()].some((one) => one.name === wanted)) return false
  run.constants.set(wanted, { value, doc: run.moduleDocs.get(wanted) })
  return true
}

/** Two constants are the same when their values are; an array and the set of its elements share one name. */
const setPrint = (value: Value): string | undefined =>
  value.is === "elements"
    ? fingerprint({
        is: "sequence",
        parts: value.elements.flatMap((part) => ("one" in part ? [{ one: part.one }] : []))
      })
    : fingerprint(value)

const liftPart = (run: Run, part: Part): Expr => {
  if ("many" in part) return part.many
  if ("each" in part) return liftEach(run, part)
  const one = tuple([lift(run, part.one)])
  return part.when === undefined ? one : ite(part.when, one, tuple([]))
}

const liftEach = (run: Run, { binder, set: over, defs, each }: Each): Expr => {
  const body = letIn(defs, lift(run, each))
  // Over the indices of a sequence whose element alone is asked for, which is what most comprehensions are.
  if (over.is === "prefix" && over.op === "DOMAIN ") {
    const element = apply(over.of, name(binder))
    const replaced = substitute(body, element, name(binder))
    if (replaced !== undefined) return call(run.library.use("MapSeq"), [lambda([binder], replaced), over.of])
  }
  return { is: "function", binder, set: over, body }
}

/**
 * An expression with one part of it replaced wherever it occurs, or undefined if a name that the part consists of occurs
 * elsewhere too.
 */
const substitute = (e: Expr, part: Expr, by: Expr): Expr | undefined => {
  const text = JSON.stringify(part)
  const marked = JSON.parse(JSON.stringify(e).replaceAll(text, '{"is":"name","name":"\\u0000"}')) as Expr
  const key = part.is === "apply" && part.to.is === "name" ? part.to.name : ""
  const rest = JSON.stringify(marked)
  if (rest.includes(`{"is":"name","name":${JSON.stringify(key)}}`)) return undefined
  return JSON.parse(rest.replaceAll('{"is":"name","name":"\\u0000"}', JSON.stringify(by))) as Expr
}

/** The words of TLA+ that are no names. */
export const keywords: ReadonlySet<string> = new Set(
  "ACTION ASSUME ASSUMPTION AXIOM BOOLEAN BY CASE CHOOSE CONSTANT CONSTANTS COROLLARY DEF DEFINE DEFS DOMAIN ELSE ENABLED EXCEPT EXTENDS FALSE HAVE HIDE IF IN INSTANCE LAMBDA LEMMA LET LOCAL MODULE NEW OBVIOUS OMITTED ONLY OTHER PICK PROOF PROPOSITION PROVE QED RECURSIVE SF_ STATE STRING SUBSET SUFFICES TAKE TEMPORAL THEN THEOREM TRUE UNCHANGED UNION USE VARIABLE VARIABLES WF_ WITH WITNESS".split(
    " "
  )
)

const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Whether a name can be written as a field of a record. */
export const isFieldName = (text: string): boolean => identifier.test(text) && !keywords.has(text)

const liftFields = (run: Run, value: Fields): Expr => {
  const entries = [...value.fields].map(([key, one]) => [key, lift(run, one)] as const)
  if (value.computed.length === 0) {
    if (entries.length === 0) return tuple([])
    if (entries.every(([key]) => isFieldName(key))) return record(entries)
  }
  // TLC compares the fields of a record with each other, and no name with a number.
  const numerals = entries.filter(([key]) => isNumeral(key)).length
  if (numerals > 0 && numerals < entries.length) throw new NoExpression("record of names and numbers")
  const pairs = [
    ...entries.map(([key, one]) => infix(keyExpr(key), ":>", one)),
    ...value.computed.map(([key, one]) => infix(key, ":>", lift(run, one)))
  ]
  // Of two values for one key, @@ takes the left one, and JavaScript the later one.
  return pairs.toReversed().reduce((left, right) => infix(left, "@@", right))
}

/** What a value may be. */
export const shapeOfValue = (value: Value): Shape => {
  switch (value.is) {
    case "known":
      if (value.value === undefined) return { undef: true, nul: false, kinds: new Set() }
      if (value.value === null) return { undef: false, nul: true, kinds: new Set() }
      if (typeof value.value === "string") return { ...only("string"), strings: [value.value] }
      return only(typeof value.value === "number" ? "number" : "boolean")
    case "symbolic":
      return value.shape
    case "choice":
      return joined(shapeOfValue(value.yes), shapeOfValue(value.no))
    case "sequence":
      return only("array")
    case "elements":
      return only("set")
    case "pairs":
      return only("map")
    default:
      return only("record")
  }
}

/** Whether the name of a field is a number: what is looked up under such a name is looked up by the number. */
export const isNumeral = (text: string): boolean => String(Number(text)) === text && Number.isSafeInteger(Number(text))

/** The name of a field as the key of a function. */
export const keyExpr = (key: string): Expr => (isNumeral(key) ? number(Number(key)) : string(key))

/** A field of a record, whatever its name is. */
export const fieldAt = (of: Expr, key: string): Expr => (isFieldName(key) ? field(of, key) : apply(of, keyExpr(key)))

/** A constant array as a set: by its name, if it has one. */
export const liftAsSet = (run: Run, value: Value): Expr => {
  if (value.is === "sequence" && value.name !== undefined && isConstant(value) && named(run, value.name, value)) {
    return name(value.name)
  }
  if (value.is === "elements") return lift(run, value)
  const elements = elementsOf(value)
  if (elements !== undefined) return set(elements.map((one) => lift(run, one)))
  if (value.is === "sequence" && value.parts.length === 1 && "each" in value.parts[0]!) {
    const { binder, set: over, defs, each } = value.parts[0]
    return { is: "collect", binder, set: over, body: letIn(defs, lift(run, each)) }
  }
  if (value.is === "sequence" && value.parts.every((part) => "one" in part)) {
    return value.parts
      .map((part) => lift(run, { is: "elements", elements: ["one" in part ? part : { all: set([]) }] }))
      .reduce(union, set([]))
  }
  return call(run.library.use("Range"), [lift(run, value)])
}

/** The comment above a declaration, without its stars. */
export const docOf = (node: ts.Node): string | undefined => {
  const text = node.getSourceFile().text
  const ranges = ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []
  const last = ranges.at(-1)
  if (last === undefined || !text.startsWith("/**", last.pos)) return undefined
  return text
    .slice(last.pos + 3, last.end - 2)
    .split("\n")
    .map((line) => line.replace(/^\s*\*? ?/, "").trimEnd())
    .join("\n")
    .trim()
    .replaceAll(/\{@link ([^}]+)\}/g, "$1")
}
