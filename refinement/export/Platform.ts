/**
 * What of the platform a spec may use: `Math.max`, `Object.entries`, `new Set` and so on.
 *
 * @module
 */
import type { ts } from "ts-morph"
import { applied } from "./Callback.ts"
import { inCases, truth, truthValue } from "./Choose.ts"
import { hasField, knownNumber } from "./Fields.ts"
import { untranslatable } from "./Finding.ts"
import { lift, liftAsSet, shapeOfValue } from "./Lift.ts"
import { asElements } from "./Methods.ts"
import type { Run } from "./Run.ts"
import { only } from "./Shape.ts"
import { call, boolean as constant, infix, ite, name, number } from "./Tla.ts"
import {
  elementsOf,
  fieldsOf,
  isData,
  known,
  type Native,
  type Opaque,
  sequenceOf,
  undefinedValue,
  type Value
} from "./Values.ts"

type Body = (args: ReadonlyArray<Value>, node: ts.CallExpression | ts.NewExpression) => Value

const native = (of: string, body: Body): Native => ({ is: "native", name: of, call: body })

const object = (of: string, members: { readonly [name: string]: Body }): Opaque => ({
  is: "opaque",
  what: of,
  get: (property) => {
    const body = members[property]
    return body === undefined ? undefinedValue : native(`${of}.${property}`, body)
  }
})

/** Something of the platform by its name. */
export const platform = (run: Run, wanted: string): Value | undefined => {
  switch (wanted) {
    case "Math":
      return object("Math", {
        max: extreme(run, "Max", "MaxOf", Math.max),
        min: extreme(run, "Min", "MinOf", Math.min),
        abs: ([one]) => {
          const value = knownNumber(one)
          if (value !== undefined) return known(Math.abs(value))
          const expr = lift(run, one!)
          const negative: typeof expr = { is: "prefix", op: "-", of: expr }
          return { is: "symbolic", expr: ite(infix(expr, "<", number(0)), negative, expr), shape: only("number") }
        }
      })
    case "Number":
      return native("Number", ([one]) =>
        one?.is === "known" ? known(Number(one.value)) : numberOf(run, one ?? known(0))
      )
    case "Boolean":
      return native("Boolean", ([one]) => truthValue(one === undefined ? constant(false) : truth(run, one)))
    case "String":
      return native("String", ([one]) => (one?.is === "known" ? known(String(one.value)) : (one ?? known(""))))
    case "JSON":
      // Two texts are equal when what they were made of is.
      return object("JSON", {
        stringify: ([one]) => (one?.is === "known" ? known(JSON.stringify(one.value)) : (one ?? undefinedValue))
      })
    case "Array":
      return object("Array", {
        isArray: ([one]) => isArray(run, one!),
        from: (args, node) => arrayFrom(run, args, node)
      })
    case "Object":
      return object("Object", objectMembers(run))
    case "Set":
      return native("Set", ([one], node) => newSet(run, one, node))
    case "Map":
      return native("Map", ([one], node) => newMap(one, node))
    case "Error":
      return native("Error", ([one]) => ({ is: "opaque", what: "error", content: one }))
    case "Infinity":
      return known(Number.POSITIVE_INFINITY)
  }
  return undefined
}

const numberOf = (run: Run, value: Value): Value => {
  const { kinds, undef, nul } = shapeOfValue(value)
  if (kinds.size === 1 && kinds.has("number") && !undef && !nul) return value
  return { is: "symbolic", expr: ite(truth(run, value), number(1), number(0)), shape: only("number") }
}

const extreme =
  (
    run: Run,
    two: "Max" | "Min",
    several: "MaxOf" | "MinOf",
    work: (...numbers: ReadonlyArray<number>) => number
  ): Body =>
  (args) => {
    const numbers = args.map(knownNumber)
    const certain = numbers.filter((one) => one !== undefined)
    if (certain.length === args.length) return known(work(...certain))
    const expr =
      args.length === 1
        ? lift(run, args[0]!)
        : args.length === 2
          ? call(
              run.library.use(two),
              args.map((arg) => lift(run, arg))
            )
          : call(run.library.use(several), [{ is: "set", items: args.map((arg) => lift(run, arg)) }])
    return { is: "symbolic", expr, shape: only("number") }
  }

const isArray = (run: Run, value: Value): Value =>
  inCases(run, value, (one) => {
    const { kinds } = shapeOfValue(one)
    if (!kinds.has("array")) return known(false)
    if (kinds.size === 1) return known(true)
    return truthValue(
      infix(
        { is: "prefix", op: "DOMAIN ", of: lift(run, one) },
        "=",
        infix(number(1), "..", call("Len", [lift(run, one)]))
      )
    )
  })

const arrayFrom = (run: Run, [source, f]: ReadonlyArray<Value>, node: ts.CallExpression | ts.NewExpression): Value => {
  const elements = elementsOf(source!)
  if (elements !== undefined) {
    return sequenceOf(f === undefined ? elements : elements.map((one, at) => applied(run, f, [one, known(at)])))
  }
  if (source?.is === "fields" && f !== undefined) {
    const length = source.fields.get("length") ?? known(0)
    const count = knownNumber(length)
    if (count !== undefined) {
      return sequenceOf(Array.from({ length: count }, (_, at) => applied(run, f, [undefinedValue, known(at)])))
    }
    const binder = run.locals.fresh("i")
    const at: Value = { is: "symbolic", expr: infix(name(binder), "-", number(1)), shape: only("number") }
    const { result, defs } = run.locals.inside(() => applied(run, f, [undefinedValue, at]))
    const set = infix(number(1), "..", lift(run, length))
    return { is: "sequence", parts: [{ binder, set, defs, each: result }] }
  }
  throw untranslatable(node, "an array of something whose elements are not known", "Give an array or a length.")
}

const objectMembers = (run: Run): { readonly [name: string]: Body } => {
  const entriesOf = (value: Value, node: ts.Node): ReadonlyArray<readonly [string, Value]> => {
    if (value.is === "fields" && value.computed.length === 0) return [...value.fields]
    throw untranslatable(node, "the fields of this record depend on the state", "Name the fields, or keep an array.")
  }
  return {
    entries: ([one], node) => sequenceOf(entriesOf(one!, node).map(([key, value]) => sequenceOf([known(key), value]))),
    keys: ([one], node) => sequenceOf(entriesOf(one!, node).map(([key]) => known(key))),
    values: ([one], node) => sequenceOf(entriesOf(one!, node).map(([, value]) => value)),
    hasOwn: ([one, key], node) =>
      one?.is === "fields" && one.computed.length === 0 && key?.is === "known"
        ? known(one.fields.has(String(key.value)))
        : truthValue(hasField(run, one!, key!, node)),
    fromEntries: ([one], node) => {
      const elements = elementsOf(one!)
      const entries = elements?.map((entry) => {
        const pair = elementsOf(entry)
        const key = pair?.[0]
        return key?.is === "known" ? ([String(key.value), pair![1] ?? undefinedValue] as const) : undefined
      })
      if (entries === undefined || entries.includes(undefined)) {
        throw untranslatable(
          node,
          "the fields of this record depend on the state",
          "Name the fields, or keep an array."
        )
      }
      return fieldsOf(entries.filter((entry) => entry !== undefined))
    }
  }
}

const newSet = (run: Run, source: Value | undefined, node: ts.Node): Value => {
  if (source === undefined) return { is: "elements", elements: [] }
  const set = asElements(source)
  if (set !== undefined) return set
  if (source.is === "sequence" && source.parts.every((part) => "one" in part)) {
    return {
      is: "elements",
      elements: source.parts.flatMap((part) => ("one" in part ? [part] : [])),
      ...(source.name === undefined ? {} : { name: source.name })
    }
  }
  if (source.is === "sequence" && isData(source)) {
    return { is: "symbolic", expr: liftAsSet(run, source), shape: only("set") }
  }
  if (source.is === "symbolic") {
    return { is: "symbolic", expr: call(run.library.use("Range"), [source.expr]), shape: only("set") }
  }
  throw untranslatable(node, "a set of something whose elements are not known", "Give an array or a set.")
}

const newMap = (source: Value | undefined, node: ts.Node): Value => {
  const entries = source === undefined ? [] : elementsOf(source)
  if (entries === undefined)
    throw untranslatable(node, "a map of entries that are not known", "Start from an empty map.")
  return {
    is: "pairs",
    entries: entries.map((entry) => {
      const [key, value] = elementsOf(entry) ?? []
      return [key ?? undefinedValue, value ?? undefinedValue] as const
    })
  }
}
