/**
 * Methods of arrays that look for something: `some`, `every`, `includes`, `find` and the like.
 *
 * @module
 */
import type { ts } from "ts-morph"
import { applied, arityOf, index, lambdaOf, overElements, overIndices, parameterOf, plainElements } from "./Callback.ts"
import { choose, equal, truth, truthValue } from "./Choose.ts"
import { shapeAt } from "./Fields.ts"
import { untranslatable } from "./Finding.ts"
import { lift, liftAsSet } from "./Lift.ts"
import type { Run } from "./Run.ts"
import { only, type Shape } from "./Shape.ts"
import { and, apply, call, type Expr, infix, isAtomic, letIn, name, not, number, or, quantified, TRUE } from "./Tla.ts"
import {
  type Each,
  elementsOf,
  isConstant,
  isData,
  known,
  type Sequence,
  undefinedValue,
  type Value
} from "./Values.ts"

/** An array with the arguments of a method that is called on it. */
export interface Call {
  readonly run: Run
  readonly array: Sequence
  readonly args: ReadonlyArray<Value>
  readonly node: ts.CallExpression
}

/** The error for an array of which too little is known. */
export const unknown = (node: ts.Node, problem: string): Error =>
  untranslatable(node, problem, "Build the array in one piece, or use a method without the index.")

/** The whole array as one expression; the elements must be data. */
export const whole = ({ run, array, node }: Call): Expr => {
  if (!isData(array)) throw unknown(node, "the elements of this array are not data")
  return lift(run, array)
}

/** An array and the sequence of its indices, which count from 1. */
export const numbered = (given: Call): { readonly items: Expr; readonly indices: Expr } => {
  const { run } = given
  const seq = whole(given)
  const items = isAtomic(seq) ? seq : run.locals.define("items", seq)
  const binder = run.locals.fresh("i")
  const set: Expr = { is: "prefix", op: "DOMAIN ", of: items }
  return { items, indices: { is: "function", binder, set, body: name(binder) } }
}

/** What a function with an index is given for an index that counts from 1. */
export const elementAndIndex = (items: Expr, at: Value, shape: Shape): readonly [element: Value, index: Value] => {
  const i = at.is === "symbolic" ? at.expr : number(0)
  return [
    { is: "symbolic", expr: apply(items, i), shape },
    { is: "symbolic", expr: infix(i, "-", number(1)), shape: only("number") }
  ]
}

/** `some`, `every` and `includes`, which ask for one element at a time. */
export const quantify =
  (op: "\\A" | "\\E", test: (call: Call, element: Value, at: Value) => Expr) =>
  (given: Call): Value => {
    const { run, array } = given
    const combine = op === "\\A" ? and : or
    if (array.over !== undefined) return truthValue(overEach(given, array.over, op, test))
    const f: Value = { is: "native", name: "test", call: () => undefinedValue }
    const found: Array<Expr> = []
    const elements = elementsOf(array)
    const plain = array.name === undefined ? undefined : plainElements(elements)
    if (plain !== undefined && run.symbolic > 0) {
      const probe = test(given, elements![0] ?? undefinedValue, index(0))
      if (probe.is !== "boolean" && (given.args[0] === undefined || arityOf(given.args[0]) <= 1)) {
        const callback = given.args[0] ?? f
        const { binder, defs, result } = overElements(run, elementOnly(callback, given, test), plain, (one) =>
          truth(run, one)
        )
        return truthValue(quantified(op, binder, liftAsSet(run, array), letIn(defs, result)))
      }
    }
    array.parts.forEach((part, at) => {
      if ("one" in part) {
        const one = run.locals.knowing(part.when ?? TRUE, () => test(given, part.one, index(at)))
        found.push(op === "\\A" ? or(not(part.when ?? TRUE), one) : and(part.when ?? TRUE, one))
      } else if ("many" in part) {
        const { binder, set, defs, result } = overIndices(
          run,
          elementOnly(given.args[0] ?? f, given, test),
          part.many,
          (one) => truth(run, one)
        )
        found.push(quantified(op, binder, set, letIn(defs, result)))
      } else found.push(overEach(given, part, op, test))
    })
    return truthValue(combine(...found))
  }

/** The test as a function of an element, with the parameters of the function that it was made of. */
const elementOnly = (f: Value, given: Call, test: (call: Call, element: Value, at: Value) => Expr): Value =>
  f.is === "closure"
    ? f
    : { is: "native", name: "test", call: ([one, at]) => truthValue(test(given, one!, at ?? undefinedValue)) }

const overEach = (
  given: Call,
  each: Each,
  op: "\\A" | "\\E",
  test: (call: Call, element: Value, at: Value) => Expr
): Expr => {
  const at: Value = { is: "symbolic", expr: infix(name(each.binder), "-", number(1)), shape: only("number") }
  const { result, defs } = given.run.locals.inside(() => test(given, each.each, at))
  return quantified(op, each.binder, each.set, letIn([...each.defs, ...defs], result))
}

/** The test that a method was given. */
export const passes = ({ run, args }: Call, element: Value, at: Value): Expr =>
  truth(run, applied(run, args[0]!, arityOf(args[0]!) > 1 ? [element, at] : [element]))

export const find = (given: Call): Value => {
  const { run, array, args, node } = given
  if (array.parts.every((part) => "one" in part)) {
    const search = (at: number): Value => {
      const part = array.parts[at]
      if (part === undefined || !("one" in part)) return undefinedValue
      const test = and(part.when ?? TRUE, truth(run, applied(run, args[0]!, [part.one, index(at)])))
      return choose(
        run,
        test,
        () => part.one,
        () => search(at + 1)
      )
    }
    return search(0)
  }
  if (arityOf(args[0]!) > 1) return elementOf(given, "FindIndex", shapeAt(run, node))
  const test = lambdaOf(run, args[0]!, ["x"], (one) => truth(run, one))
  return { is: "symbolic", expr: call(run.library.use("Find"), [test, whole(given)]), shape: shapeAt(run, node) }
}

/** The index that a test of elements and their indices finds. */
const indexFound = (given: Call, operator: "FindIndex" | "FindLastIndex"): { readonly items: Expr; found: Expr } => {
  const { run, args } = given
  const { items, indices } = numbered(given)
  const { shape } = parameterOf(run, args[0]!, 0, "x")
  const f: Value = {
    is: "native",
    name: "test",
    call: ([i]) => applied(run, args[0]!, elementAndIndex(items, i!, shape))
  }
  const test = lambdaOf(run, f, ["i"], (one) => truth(run, one))
  return { items, found: call(run.library.use(operator), [test, indices]) }
}

const elementOf = (given: Call, operator: "FindIndex" | "FindLastIndex", shape: Shape): Value => {
  const { items, found } = indexFound(given, operator)
  return { is: "symbolic", expr: call(given.run.library.use("At"), [items, found]), shape }
}

export const search =
  (operator: "FindIndex" | "FindLastIndex" | "FindLast") =>
  (given: Call): Value => {
    const { run, array, args, node } = given
    const elements = elementsOf(array)
    if (elements !== undefined && isConstant(array)) {
      const tests = elements.map((one, at) => truth(run, applied(run, args[0]!, [one, index(at)])))
      if (tests.every((one) => one.is === "boolean")) {
        const passing = tests.map((one) => one.is === "boolean" && one.value)
        if (operator === "FindIndex") return known(passing.indexOf(true))
        const last = passing.lastIndexOf(true)
        return operator === "FindLastIndex" ? known(last) : (elements[last] ?? undefinedValue)
      }
    }
    if (arityOf(args[0]!) > 1) {
      if (operator === "FindLast") return elementOf(given, "FindLastIndex", shapeAt(run, node))
      return { is: "symbolic", expr: indexFound(given, operator).found, shape: only("number") }
    }
    const test = lambdaOf(run, args[0]!, ["x"], (one) => truth(run, one))
    const shape = operator === "FindLast" ? shapeAt(run, node) : only("number")
    return { is: "symbolic", expr: call(run.library.use(operator), [test, whole(given)]), shape }
  }

export const indexOf = (given: Call): Value => {
  const { run, array, args } = given
  const elements = elementsOf(array)
  const tests = elements?.map((one) => equal(run, one, args[0]!))
  if (tests?.every((one) => one.is === "boolean"))
    return known(tests.findIndex((one) => one.is === "boolean" && one.value))
  const f: Value = { is: "native", name: "is", call: ([one]) => truthValue(equal(run, one!, args[0]!)) }
  return search("FindIndex")({ ...given, args: [f] })
}
