/**
 * Records and families: reading their fields, and putting records together. Names for what is worked out once.
 *
 * @module
 */
import type { ts } from "ts-morph"
import { inCases, presentOf } from "./Choose.ts"
import { untranslatable } from "./Finding.ts"
import { fieldAt, isFieldName, isNumeral, keyExpr, lift, shapeOfValue } from "./Lift.ts"
import type { Run } from "./Run.ts"
import { anyKind, only, type Shape, shapeOf } from "./Shape.ts"
import { apply, type Change, call, type Expr, infix, isAtomic, name, number, record } from "./Tla.ts"
import {
  elementsOf,
  type Fields,
  fieldsOf,
  isConstant,
  isData,
  type Known,
  known,
  type StateView,
  type Symbolic,
  undefinedValue,
  type Value
} from "./Values.ts"

/** The shape that a node's type gives. */
export const shapeAt = (run: Run, node: ts.Node): Shape => shapeOf(run.checker, run.checker.getTypeAtLocation(node))

/** A field of a value. `shape` is what the type of the whole access gives. */
export const fieldOf = (run: Run, value: Value, key: string, node: ts.Node, shape: Shape): Value =>
  inCases(run, value, (one) => {
    switch (one.is) {
      case "known":
        // `a?.b.c`: what is missing at the question mark is missing to the end.
        if (one.value === undefined || one.value === null) return undefinedValue
        break
      case "fields": {
        const found = one.fields.get(key)
        if (one.computed.length > 0) {
          // A field whose name depends on the state may be this one.
          if (!isData(one)) break
          return symbolicField(run, { is: "symbolic", expr: lift(run, one), shape: only("record") }, key, shape)
        }
        if (found === undefined) return undefinedValue
        // A variable of a state that was spread: what it can be here, the type of the access says.
        if (found.is === "symbolic" && found.variable !== undefined && found.expr.is !== "apply") {
          return { ...found, shape: found.family === undefined ? everHeld(run, found.variable, shape) : shape }
        }
        return one.setting === true ? withName(found, key) : found
      }
      case "opaque":
        if (one.get !== undefined) return one.get(key)
        break
      case "state":
        return variableOf(run, key, one.primed, node, shape)
      case "sequence":
      case "elements":
      case "pairs":
        break
      case "symbolic":
        if (one.shape.kinds.has("record") || one.shape.kinds.size === 0) return symbolicField(run, one, key, shape)
    }
    throw untranslatable(node, `the field ${key} of ${describe(one)} is not known`, "Read fields of records.")
  })

/** What a value is, for a complaint about it. */
export const describe = (value: Value): string =>
  value.is === "known"
    ? `the constant ${String(value.value)}`
    : value.is === "fields"
      ? "a record"
      : `a ${value.is} value`

const symbolicField = (run: Run, value: Symbolic, key: string, shape: Shape): Symbolic => {
  const of = presentOf(value).expr
  if (!shape.undef) return { is: "symbolic", expr: fieldAt(of, key), shape }
  return { is: "symbolic", expr: call(run.library.use("Get"), [of, keyExpr(key)]), shape }
}

/** A state as the record of its variables. */
const stateFields = (run: Run, { primed }: StateView): Fields => {
  const anything: Shape = { undef: true, nul: true, kinds: anyKind }
  return fieldsOf(
    [...run.variables.values()].map(({ name: of, index }) => {
      const expr: Expr = primed ? { is: "prime", of: name(of) } : name(of)
      const family = index === undefined ? {} : { family: index }
      return [of, { is: "symbolic", expr, shape: anything, variable: of, ...family }]
    })
  )
}

const variableOf = (run: Run, key: string, primed: boolean, node: ts.Node, shape: Shape): Value => {
  const variable = run.variables.get(key)
  if (variable === undefined) throw untranslatable(node, `${key} is not a variable`, "Declare it in variables({ … }).")
  const expr: Expr = primed ? { is: "prime", of: name(key) } : name(key)
  return variable.index === undefined
    ? { is: "symbolic", expr, shape: everHeld(run, key, shape), variable: key }
    : { is: "symbolic", expr, shape, family: variable.index, variable: key }
}

/** Gives a constant a name that the module can use for it. */
export const withName = (value: Value, wanted: string): Value => {
  if (!isFieldName(wanted)) return value
  if (value.is === "known") return typeof value.value === "number" ? { ...value, name: wanted } : value
  if (value.is === "sequence" && value.parts.length > 0) return { ...value, name: wanted }
  if (value.is === "elements" && value.elements.length > 0)
    return value.name === undefined ? { ...value, name: wanted } : value
  if (value.is === "fields" && value.fields.size > 0 && isConstant(value) && isData(value))
    return { ...value, name: wanted }
  return value
}

const familyOf = (value: Symbolic): ReadonlyArray<Value> | undefined => {
  return value.family === undefined ? undefined : elementsOf(value.family)
}

/** `value[key]`, in an array, a record or a family. `shape` is what the type of it gives. */
export const elementAt = (run: Run, value: Value, key: Value, node: ts.Node, shape: Shape): Value =>
  inCases(run, value, (one) =>
    inCases(run, key, (at) => {
      if (one.is === "known" && (one.value === undefined || one.value === null)) return undefinedValue
      if (one.is === "symbolic") return symbolicElement(run, one, checkedKey(at, node), shape)
      if (one.is === "sequence") {
        const elements = elementsOf(one)
        if (at.is === "known" && typeof at.value === "number") {
          if (elements !== undefined) return elements[at.value] ?? undefinedValue
          // The elements before the first symbolic stretch are where they seem to be.
          const first = one.parts.slice(0, at.value + 1)
          const last = first.at(-1)
          if (first.length === at.value + 1 && first.every((part) => "one" in part && part.when === undefined)) {
            return last !== undefined && "one" in last ? last.one : undefinedValue
          }
        }
        return symbolicElement(run, { is: "symbolic", expr: lift(run, one), shape: only("array") }, at, shape)
      }
      if (one.is === "fields" && at.is === "known") return fieldOf(run, one, String(at.value), node, shape)
      if (one.is === "fields" && isData(one)) {
        const whole: Symbolic = { is: "symbolic", expr: lift(run, one), shape: only("record") }
        return symbolicElement(run, whole, checkedKey(at, node), shape)
      }
      if (one.is === "state" && at.is === "known") return fieldOf(run, one, String(at.value), node, shape)
      if (one.is === "opaque" && one.get !== undefined && at.is === "known") return one.get(String(at.value))
      throw untranslatable(node, `an element of ${describe(one)} is not known`, "Index arrays, records and families.")
    })
  )

/**
 * A key that depends on the state. Under the name of a field that reads as a number the value is found by the number, and
 * so such a name can be no text.
 */
export const checkedKey = (key: Value, node: ts.Node): Value => {
  if (key.is !== "symbolic") return key
  const texts = [...(key.shape.kinds.has("string") ? (key.shape.strings ?? []) : []), ...(key.range ?? [])]
  if (texts.some((one) => typeof one === "string" && isNumeral(one))) {
    throw untranslatable(node, "some of these names are numbers, written as text", "Use numbers, or other names.")
  }
  return key
}

/** A shape without the kinds of values that a variable is never given, whatever its type allows. */
const everHeld = (run: Run, variable: string, shape: Shape): Shape => {
  const kinds = run.learnt.kinds.get(variable)
  if (kinds === undefined || shape.kinds.size < 2) return shape
  run.relied.add(variable)
  return { ...shape, kinds: shape.kinds.intersection(kinds) }
}

const familyElement = (run: Run, value: Symbolic, index: ReadonlyArray<Value>, key: Value, shape: Shape): Value => {
  const of = presentOf(value).expr
  const definite: Shape = { ...shape, undef: false }
  if (key.is === "known") {
    const found = index.find((one) => one.is === "known" && String(one.value) === String(key.value))
    if (found === undefined) return undefinedValue
    return { is: "symbolic", expr: apply(of, lift(run, bare(found))), shape: definite }
  }
  const isIndex = (one: string | number) => index.some((at) => at.is === "known" && at.value === one)
  if (!shape.undef || (key.is === "symbolic" && key.range?.every(isIndex))) {
    return { is: "symbolic", expr: apply(of, lift(run, key)), shape: definite }
  }
  return { is: "symbolic", expr: call(run.library.use("Get"), [of, lift(run, key)]), shape }
}

const symbolicElement = (run: Run, value: Symbolic, key: Value, shape: Shape): Value => {
  const of = presentOf(value).expr
  const index = familyOf(value)
  if (index !== undefined && value.variable !== undefined) {
    return familyElement(run, value, index, key, everHeld(run, value.variable, shape))
  }
  if (value.shape.kinds.has("array")) {
    const at = lift(run, key)
    const expr = shape.undef ? call(run.library.use("At"), [of, at]) : apply(of, infix(at, "+", number(1)))
    return { is: "symbolic", expr, shape }
  }
  if (key.is === "known") return symbolicField(run, value, String(key.value), shape)
  const at = lift(run, key)
  return { is: "symbolic", expr: shape.undef ? call(run.library.use("Get"), [of, at]) : apply(of, at), shape }
}

const bare = (value: Value): Value => (value.is === "known" ? known(value.value) : value)

/** When a record has a field. */
export const hasField = (run: Run, value: Value, key: Value, node: ts.Node): Expr => {
  const at = key.is === "known" ? keyExpr(String(key.value)) : lift(run, checkedKey(key, node))
  return infix(at, "\\in", { is: "prefix", op: "DOMAIN ", of: lift(run, value) })
}

/** A record with the fields of another put over it. */
export const merge = (
  run: Run,
  under: Value,
  over: Value,
  requiredFields: (value: Symbolic) => ReadonlySet<string>
): Value =>
  inCases(run, over, (top) =>
    inCases(run, under, (bottom) => {
      if (isNothing(top)) return bottom
      if (isNothing(bottom)) return top
      if (bottom.is === "fields" && bottom.fields.size === 0 && bottom.computed.length === 0) return top
      if (bottom.is === "state" || top.is === "state") {
        return merge(run, asRecord(run, bottom), asRecord(run, top), requiredFields)
      }
      if (bottom.is === "fields" && top.is === "fields") {
        const fields = new Map(bottom.fields)
        const computed = [...bottom.computed]
        for (const [key, one] of top.fields) {
          // A field that comes after one whose name depends on the state takes its place, if it is the same.
          if (bottom.computed.length > 0) computed.push([keyExpr(key), one])
          else fields.set(key, one)
        }
        return { is: "fields", fields, computed: [...computed, ...top.computed] } satisfies Fields
      }
      if (bottom.is === "symbolic" && top.is === "fields") {
        if (top.fields.size === 0 && top.computed.length === 0) return bottom
        return { is: "symbolic", expr: override(run, bottom, top, requiredFields(bottom)), shape: only("record") }
      }
      const expr = call(run.library.use("Merged"), [lift(run, bottom), lift(run, top)])
      return { is: "symbolic", expr, shape: only("record") }
    })
  )

const asRecord = (run: Run, value: Exclude<Value, { is: "choice" }>): Value =>
  value.is === "state" ? stateFields(run, value) : value

const isNothing = (value: Value): boolean => value.is === "known" && !value.value

/** `[o EXCEPT …]` for fields that are there for sure, `Merged` for others. */
const override = (run: Run, under: Symbolic, over: Fields, required: ReadonlySet<string>): Expr => {
  const of = presentOf(under).expr
  const keys = [...over.fields.keys()]
  const surely = over.computed.length === 0 && keys.every((key) => required.has(key) && isFieldName(key))
  if (!surely) return call(run.library.use("Merged"), [of, lift(run, over)])
  const updates = [...over.fields].map(([key, one]): Change => ({ path: [{ field: key }], value: lift(run, one) }))
  return of.is === "except" ? { ...of, updates: [...of.updates, ...updates] } : { is: "except", of, updates }
}

/** A record without some of its fields. */
export const omit = (run: Run, value: Value, keys: ReadonlyArray<string>): Value =>
  inCases(run, value, (given) => {
    const one = given.is === "state" ? stateFields(run, given) : given
    if (one.is === "fields" && one.computed.length === 0) {
      return fieldsOf([...one.fields].filter(([key]) => !keys.includes(key)))
    }
    if (one.is !== "symbolic" && one.is !== "fields") return one
    const of = one.is === "symbolic" ? presentOf(one).expr : lift(run, one)
    const expr = call(run.library.use("Omit"), [of, { is: "set", items: keys.map(keyExpr) }])
    return { is: "symbolic", expr, shape: only("record") }
  })

/** Whether a value is, or holds, an update of variables: those stay apart, for each variable to get its own value. */
export const holdsUpdate = (run: Run, value: Value): boolean => {
  switch (value.is) {
    case "fields":
      return (
        value.computed.some(([, one]) => holdsUpdate(run, one)) ||
        (value.fields.size > 0 && [...value.fields.keys()].every((key) => run.variables.has(key))) ||
        [...value.fields.values()].some((one) => holdsUpdate(run, one))
      )
    case "choice":
      return [value.yes, value.no].some((one) => mayBeUpdate(run, one))
    case "sequence":
      return value.parts.some((part) =>
        "one" in part ? mayBeUpdate(run, part.one) : "each" in part && mayBeUpdate(run, part.each)
      )
    default:
      return false
  }
}

/** No change is an update too, among others. */
const mayBeUpdate = (run: Run, value: Value): boolean =>
  (value.is === "fields" && value.fields.size === 0 && value.computed.length === 0) || holdsUpdate(run, value)

/** Gives a value a local name, where it is big enough to deserve one. */
export const bound = (run: Run, wanted: string, value: Value): Value => {
  if (isConstant(value)) return run.symbolic === 0 && value.is !== "known" ? withName(value, wanted) : value
  if (!isData(value) || holdsUpdate(run, value) || run.symbolic === 0) return value
  switch (value.is) {
    case "symbolic":
      return isAtomic(value.expr) ? value : { ...value, expr: run.locals.define(wanted, value.expr) }
    case "fields": {
      if (value.held !== undefined || value.computed.length > 0) return value
      const lifted = [...value.fields].map(([key, one]) => [key, one, lift(run, one)] as const)
      if (lifted.every(([, , expr]) => isAtomic(expr)) || !lifted.every(([key]) => isFieldName(key))) return value
      const held = run.locals.define(wanted, record(lifted.map(([key, , expr]) => [key, expr] as const)))
      const fields = lifted.map(([key, one, expr]): readonly [string, Value] => {
        const simple = isConstant(one) || isAtomic(expr)
        return [key, simple ? one : { is: "symbolic", expr: fieldAt(held, key), shape: shapeOfValue(one) }]
      })
      return { ...fieldsOf(fields), held }
    }
    case "sequence": {
      if (elementsOf(value)?.every((one) => isAtomic(lift(run, one))) || value.over !== undefined) return value
      return { is: "symbolic", expr: run.locals.define(wanted, lift(run, value)), shape: only("array") }
    }
    case "choice":
    case "elements":
    case "pairs": {
      const expr = lift(run, value)
      return {
        is: "symbolic",
        expr: isAtomic(expr) ? expr : run.locals.define(wanted, expr),
        shape: shapeOfValue(value)
      }
    }
    default:
      return value
  }
}

/** A known number, or nothing. */
export const knownNumber = (value: Value | undefined): number | undefined =>
  value?.is === "known" && typeof value.value === "number" ? value.value : undefined

export type { Known }
