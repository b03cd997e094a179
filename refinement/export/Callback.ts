/**
 * Functions that are handed to methods of arrays: run on a known element, or written as a LAMBDA or under a binder.
 *
 * @module
 */
import { ts } from "ts-morph"
import { isFieldName } from "./Lift.ts"
import type { Run } from "./Run.ts"
import { anyKind, only, type Shape, shapeOf } from "./Shape.ts"
import { apply, type Def, type Expr, infix, isAtomic, lambda, letIn, name, number } from "./Tla.ts"
import { known, type Symbolic, type Value } from "./Values.ts"

/** How many arguments a function looks at. */
export const arityOf = (f: Value): number => (f.is === "closure" ? f.node.parameters.length : 1)

/** The shape of what no type is known of. */
const anything = only(...anyKind)

/** A name for an argument of a function, and the shape that its type gives. */
export const parameterOf = (run: Run, f: Value, at: number, otherwise: string): { name: string; shape: Shape } => {
  const parameter = f.is === "closure" ? f.node.parameters[at] : undefined
  if (parameter === undefined) return { name: otherwise, shape: anything }
  const shape = shapeOf(run.checker, run.checker.getTypeAtLocation(parameter))
  const written = ts.isIdentifier(parameter.name) ? parameter.name.text : ""
  return { name: isFieldName(written) && written !== "_" ? written : otherwise, shape }
}

/** Calls a function with arguments that are values. */
export const applied = (run: Run, f: Value, args: ReadonlyArray<Value>): Value => run.call(f, args, undefined)

/** A symbolic value that is a name. */
export const variable = (of: string, shape: Shape): Symbolic => ({ is: "symbolic", expr: name(of), shape })

/** A function as a LAMBDA of its first arguments, the result lifted by `work`. */
export const lambdaOf = (
  run: Run,
  f: Value,
  wanted: ReadonlyArray<string>,
  work: (result: Value) => Expr,
  argument: (at: number, param: Symbolic) => Value = (_, param) => param
): Expr => {
  const params = wanted.map((otherwise, at) => {
    const { name: found, shape } = parameterOf(run, f, at, otherwise)
    return variable(run.locals.fresh(found), shape)
  })
  const { result, defs } = run.locals.inside(() =>
    work(
      applied(
        run,
        f,
        params.map((param, at) => argument(at, param))
      )
    )
  )
  return lambda(
    params.map(({ expr }) => (expr.is === "name" ? expr.name : "")),
    letIn(defs, result)
  )
}

/** A function on the elements of a symbolic sequence, under a binder that ranges over the indices. */
export const overIndices = <A>(
  run: Run,
  f: Value,
  sequence: Expr,
  work: (result: Value) => A
): { readonly binder: string; readonly set: Expr; readonly defs: ReadonlyArray<Def>; readonly result: A } => {
  const of = isAtomic(sequence) ? sequence : run.locals.define("items", sequence)
  const binder = run.locals.fresh("i")
  const { shape } = parameterOf(run, f, 0, "x")
  const element: Symbolic = { is: "symbolic", expr: apply(of, name(binder)), shape }
  const index: Symbolic = { is: "symbolic", expr: infix(name(binder), "-", number(1)), shape: only("number") }
  const { result, defs } = run.locals.inside(() => work(applied(run, f, [element, index])))
  return { binder, set: { is: "prefix", op: "DOMAIN ", of }, defs, result }
}

/** A function on the elements of a constant set, under a binder that ranges over them. */
export const overElements = <A>(
  run: Run,
  f: Value,
  elements: ReadonlyArray<string | number>,
  work: (result: Value) => A
): { readonly binder: string; readonly defs: ReadonlyArray<Def>; readonly result: A } => {
  const { name: wanted, shape } = parameterOf(run, f, 0, "x")
  const binder = run.locals.fresh(wanted)
  const element: Symbolic = { is: "symbolic", expr: name(binder), shape, range: elements }
  const { result, defs } = run.locals.inside(() => work(applied(run, f, [element])))
  return { binder, defs, result }
}

/** The elements of an array, if all of them are constant strings or numbers. */
export const plainElements = (values: ReadonlyArray<Value> | undefined): ReadonlyArray<string | number> | undefined => {
  const found = values?.flatMap((one) =>
    one.is === "known" && (typeof one.value === "string" || typeof one.value === "number") ? [one.value] : []
  )
  return found !== undefined && found.length === values?.length ? found : undefined
}

/** An index that is known. */
export const index = (at: number): Value => known(at)
