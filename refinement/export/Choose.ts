/**
 * Decisions over values that may be symbolic: what is true, what is equal, what is missing, and one of two values.
 *
 * @module
 */
import { isFieldName, lift, shapeOfValue } from "./Lift.ts"
import type { Run } from "./Run.ts"
import { mayEqual, only, present } from "./Shape.ts"
import {
  and,
  apply,
  boolean,
  type Expr,
  eq,
  FALSE,
  field,
  infix,
  isAtomic,
  ite,
  NULL,
  not,
  number,
  or,
  string,
  TRUE,
  tuple,
  UNDEFINED
} from "./Tla.ts"
import { isConstant, isData, type Known, known, type Symbolic, undefinedValue, type Value } from "./Values.ts"

/** A symbolic truth value, or a known one. */
export const truthValue = (e: Expr): Value =>
  e.is === "boolean" ? known(e.value) : { is: "symbolic", expr: e, shape: only("boolean") }

const isBoolean = (value: Value): boolean =>
  (value.is === "known" && typeof value.value === "boolean") ||
  (value.is === "symbolic" && !value.shape.undef && !value.shape.nul && [...value.shape.kinds].join() === "boolean")

/** One of two values. What is known to hold here decides it, if it can. */
export const choose = (run: Run, test: Expr, yes: () => Value, no: () => Value): Value => {
  const settled = run.locals.settled(test)
  if (settled !== undefined) return settled ? yes() : no()
  const then = run.locals.knowing(test, yes)
  const otherwise = run.locals.knowing(not(test), no)
  if (then.is === "known" && otherwise.is === "known" && then.value === otherwise.value) return then
  if (isBoolean(then) && isBoolean(otherwise)) {
    return truthValue(ite(test, lift(run, then), lift(run, otherwise)))
  }
  return { is: "choice", test, yes: then, no: otherwise }
}

/** Does something with a value, in each of the cases it may be. */
export const inCases = (run: Run, value: Value, work: (value: Exclude<Value, { is: "choice" }>) => Value): Value =>
  value.is === "choice"
    ? choose(
        run,
        value.test,
        () => inCases(run, value.yes, work),
        () => inCases(run, value.no, work)
      )
    : work(value)

/** The same for something that is a condition. */
export const conditionInCases = (
  run: Run,
  value: Value,
  work: (value: Exclude<Value, { is: "choice" }>) => Expr
): Expr => {
  if (value.is !== "choice") return work(value)
  const settled = run.locals.settled(value.test)
  if (settled !== undefined) return conditionInCases(run, settled ? value.yes : value.no, work)
  return ite(
    value.test,
    run.locals.knowing(value.test, () => conditionInCases(run, value.yes, work)),
    run.locals.knowing(not(value.test), () => conditionInCases(run, value.no, work))
  )
}

/** When a value counts as true. */
export const truth = (run: Run, value: Value): Expr =>
  conditionInCases(run, value, (one) => {
    if (one.is === "known") return boolean(Boolean(one.value))
    if (one.is !== "symbolic") return TRUE
    const { kinds } = one.shape
    if (kinds.size === 1 && kinds.has("boolean")) {
      return one.shape.undef || one.shape.nul ? and(not(missing(run, one)), presentOf(one).expr) : one.expr
    }
    const there = not(missing(run, one))
    const value = presentOf(one).expr
    return and(
      there,
      ...(kinds.has("number") ? [infix(value, "#", number(0))] : []),
      ...(kinds.has("string") && (one.shape.strings?.includes("") ?? true) ? [infix(value, "#", string(""))] : [])
    )
  })

const callTo = (e: Expr, name: string): readonly [Expr, Expr] | undefined =>
  e.is === "call" && e.name === name && e.args[0] !== undefined && e.args[1] !== undefined
    ? [e.args[0], e.args[1]]
    : undefined

/** When an expression is undefined. */
const isUndefined = (e: Expr): Expr => {
  const got = callTo(e, "Get")
  if (got !== undefined) return infix(got[1], "\\notin", { is: "prefix", op: "DOMAIN ", of: got[0] })
  const indexed = callTo(e, "At")
  if (indexed === undefined) return infix(e, "=", UNDEFINED)
  const [seq, at] = indexed
  return at.is === "number" && at.value === 0
    ? infix(seq, "=", tuple([]))
    : infix(infix(at, "+", number(1)), "\\notin", { is: "prefix", op: "DOMAIN ", of: seq })
}

/** When a value is null or undefined. */
export const missing = (run: Run, value: Value): Expr =>
  conditionInCases(run, value, (one) => {
    if (one.is === "known") return boolean(one.value === undefined || one.value === null)
    if (one.is !== "symbolic") return FALSE
    const undef = one.shape.undef ? isUndefined(one.expr) : FALSE
    return or(undef, one.shape.nul ? infix(one.expr, "=", NULL) : FALSE)
  })

/** A symbolic value where it is known not to be missing. */
export const presentOf = (value: Symbolic): Symbolic => {
  const { expr } = value
  const shape = present(value.shape)
  const got = callTo(expr, "Get")
  if (got !== undefined) {
    const [of, key] = got
    const isField = key.is === "string" && isFieldName(key.value)
    return { ...value, shape, expr: isField ? field(of, key.value) : apply(of, key) }
  }
  const indexed = callTo(expr, "At")
  if (indexed !== undefined) return { ...value, shape, expr: apply(indexed[0], infix(indexed[1], "+", number(1))) }
  return { ...value, shape }
}

/** When two values are the same. */
export const equal = (run: Run, a: Value, b: Value): Expr => {
  if (a.is === "known" && b.is === "known") return boolean(a.value === b.value)
  if (b.is === "choice" && a.is !== "choice") return equal(run, b, a)
  if (a.is === "choice" && (b.is === "known" || hasConstant(a))) {
    return conditionInCases(run, a, (one) => equal(run, one, b))
  }
  if (a.is === "known" && b.is !== "known") return equal(run, b, a)
  if (!isData(a) || !isData(b)) {
    throw new Error("functions, schemas and states cannot be compared")
  }
  if (b.is === "known") return equalToKnown(run, a, b)
  if (!mayEqual(shapeOfValue(a), shapeOfValue(b))) return FALSE
  return eq(lift(run, a), lift(run, b))
}

const hasConstant = (value: Value): boolean =>
  value.is === "choice" ? hasConstant(value.yes) || hasConstant(value.no) : isConstant(value)

const equalToKnown = (run: Run, a: Value, b: Known): Expr => {
  const shape = shapeOfValue(a)
  if (b.value === undefined) return a.is === "symbolic" && shape.undef ? isUndefined(a.expr) : FALSE
  if (b.value === null) return shape.nul ? infix(lift(run, a), "=", NULL) : FALSE
  if (!mayEqual(shape, shapeOfValue(b))) return FALSE
  if (typeof b.value === "string" && shape.strings !== undefined && !shape.strings.includes(b.value)) return FALSE
  if (a.is === "symbolic" && a.range !== undefined && !a.range.some((one) => one === b.value)) return FALSE
  if (a.is === "symbolic" && a.range?.every((one) => one === b.value)) return TRUE
  if (a.is === "symbolic" && typeof b.value === "boolean" && (shape.undef || shape.nul)) {
    // TRUE and a model value may be compared; the value itself may stand for a condition only where it is one.
    return infix(a.expr, "=", boolean(b.value))
  }
  return eq(lift(run, a), lift(run, b))
}

/** `a ?? b`. */
export const orElse = (run: Run, value: Value, other: () => Value): Value => {
  const got = value.is === "symbolic" && !value.shape.nul ? callTo(value.expr, "Get") : undefined
  if (value.is === "symbolic" && got !== undefined) {
    const instead = other()
    if (isData(instead) && instead.is !== "choice" && !(instead.is === "known" && instead.value === undefined)) {
      const expr: Expr = {
        is: "call",
        name: run.library.use("GetOr"),
        args: [...got, lift(run, instead)]
      }
      const shape = shapeOfValue(instead)
      return { is: "symbolic", expr, shape: { ...present(value.shape), undef: shape.undef, nul: shape.nul } }
    }
  }
  return inCases(run, value, (given) => {
    const one = once(run, given)
    return choose(run, missing(run, one), other, () => (one.is === "symbolic" ? presentOf(one) : one))
  })
}

/** What is asked about before it is used is worked out once. */
const once = (run: Run, value: Exclude<Value, { is: "choice" }>): Exclude<Value, { is: "choice" }> => {
  if (value.is !== "symbolic" || run.symbolic === 0 || isAtomic(value.expr)) return value
  if (callTo(value.expr, "Get") !== undefined || callTo(value.expr, "At") !== undefined) return value
  return { ...value, expr: run.locals.define("found", value.expr) }
}

/** `a && b`. */
export const both = (run: Run, value: Value, other: () => Value): Value =>
  inCases(run, value, (one) => choose(run, truth(run, one), other, () => whenFalse(one)))

/** `a || b`. */
export const either = (run: Run, value: Value, other: () => Value): Value =>
  inCases(run, value, (given) => {
    const one = isBoolean(given) ? given : once(run, given)
    return choose(run, truth(run, one), () => whenTrue(one), other)
  })

/** What a value is when it counts as true. */
const whenTrue = (value: Exclude<Value, { is: "choice" }>): Value =>
  isBoolean(value) ? known(true) : value.is === "symbolic" ? presentOf(value) : value

/** What a value is when it counts as false. */
const whenFalse = (value: Exclude<Value, { is: "choice" }>): Value => {
  if (value.is !== "symbolic") return value
  const { undef, nul, kinds } = value.shape
  const composite = ![...kinds].some((kind) => kind === "boolean" || kind === "number" || kind === "string")
  if (composite && undef && !nul) return undefinedValue
  if (composite && nul && !undef) return known(null)
  if (isBoolean(value)) return known(false)
  return value
}
