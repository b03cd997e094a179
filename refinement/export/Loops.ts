/**
 * A loop over a symbolic array: a fold, whose accumulator holds the variables that the loop changes.
 *
 * @module
 */
import { ts } from "ts-morph"
import { untranslatable } from "./Finding.ts"
import { lift, shapeOfValue } from "./Lift.ts"
import { bindPattern } from "./Patterns.ts"
import type { Run } from "./Run.ts"
import { joined, type Shape, shapeOf } from "./Shape.ts"
import { boolean, call, type Expr, field, ite, lambda, letIn, name, record, UNDEFINED } from "./Tla.ts"
import { Scope, type Sequence, type Symbolic, type Value } from "./Values.ts"

/** What one turn leads to. */
interface Turn {
  readonly rest: () => Value
  readonly continues: () => Value
  readonly breaks: () => Value
  readonly returns: (value: Value) => Value
}

/** A loop that may have returned: when it has, and what. */
export interface Early {
  readonly test: Expr
  readonly value: Value
}

/** Runs a loop as a fold, and gives the variables that it changes the values that they have after it. */
export const foldLoop = (
  run: Run,
  node: ts.ForOfStatement,
  pattern: ts.BindingName,
  array: Sequence,
  scope: Scope,
  assigned: ReadonlySet<string>,
  body: (inner: Scope, turn: Turn) => Value
): Early | undefined => {
  const names = [...assigned].filter((one) => scope.get(one) !== undefined)
  const start = names.map((one) => ({ name: one, value: scope.get(one)!, shape: declaredShape(run, node, one) }))
  const leaves = returns(node.statement)
  const stops = leaves || breaks(node.statement)
  const alone = names.length === 1 && !stops
  const accumulator = run.locals.fresh(alone ? names[0]! : "acc")
  const x = run.locals.fresh(ts.isIdentifier(pattern) ? pattern.text : "x")

  const packed = (values: ReadonlyArray<Expr>, stopped: boolean, returned?: Expr): Expr =>
    alone
      ? values[0]!
      : record([
          ...names.map((one, i) => [one, values[i]!] as const),
          ...(stops ? [["done", boolean(stopped)] as const] : []),
          ...(leaves ? [["left", boolean(returned !== undefined)] as const] : []),
          ...(leaves ? [["answer", returned ?? UNDEFINED] as const] : [])
        ])
  const unpacked = (from: Expr, at: number): Expr => (alone ? from : field(from, names[at]!))
  const asValue = (expr: Expr): Value => ({
    is: "symbolic",
    expr,
    shape: shapeOfValue(start[0]?.value ?? { is: "known", value: 0 })
  })

  const { result, defs } = run.locals.inside(() => {
    const inner = new Scope(scope)
    start.forEach((one, at) => {
      const value: Symbolic = { is: "symbolic", expr: unpacked(name(accumulator), at), shape: one.shape }
      scope.assign(one.name, value)
    })
    const element: Symbolic = { is: "symbolic", expr: name(x), shape: elementShape(run, node) }
    bindPattern(run, pattern, element, inner)
    const here = () => names.map((one) => lift(run, scope.get(one)!))
    const end = (stopped: boolean) => (): Value => asValue(packed(here(), stopped))
    const turn = {
      rest: end(false),
      continues: end(false),
      breaks: end(true),
      returns: (value: Value) => asValue(packed(here(), true, lift(run, value)))
    }
    return lift(run, body(inner, turn))
  })
  const guarded = stops
    ? ite(field(name(accumulator), "done"), name(accumulator), letIn(defs, result))
    : letIn(defs, result)
  const first = packed(
    start.map(({ value }) => lift(run, value)),
    false
  )
  const expr = call(run.library.use("FoldSeq"), [lambda([accumulator, x], guarded), first, lift(run, array)])
  const after = run.locals.define(alone ? names[0]! : "loop", expr)
  start.forEach(({ name: one, shape }, at) => {
    scope.assign(one, { is: "symbolic", expr: unpacked(after, at), shape })
  })
  if (!leaves) return undefined
  return {
    test: field(after, "left"),
    value: { is: "symbolic", expr: field(after, "answer"), shape: answerShape(run, node) }
  }
}

/** The shape of what the function around a loop answers. */
const answerShape = (run: Run, node: ts.Node): Shape => {
  const around = ts.findAncestor(node, (one) => ts.isFunctionLike(one))
  const signature =
    around === undefined ? undefined : run.checker.getSignatureFromDeclaration(around as ts.SignatureDeclaration)
  if (signature === undefined) throw untranslatable(node, "this loop is in no function", "Write it in one.")
  return shapeOf(run.checker, run.checker.getReturnTypeOfSignature(signature))
}

const contains = (node: ts.Node, test: (node: ts.Node) => boolean, into: (node: ts.Node) => boolean): boolean =>
  test(node) || (ts.forEachChild(node, (child) => (into(child) && contains(child, test, into)) || undefined) ?? false)

const returns = (node: ts.Node): boolean => contains(node, ts.isReturnStatement, (child) => !ts.isFunctionLike(child))

/** Whether a loop's own body breaks out of it; inner loops and switches have breaks of their own. */
const breaks = (node: ts.Node): boolean =>
  contains(
    node,
    ts.isBreakStatement,
    (child) => !ts.isFunctionLike(child) && !ts.isForOfStatement(child) && !ts.isSwitchStatement(child)
  )

const elementShape = (run: Run, node: ts.ForOfStatement): Shape => {
  const { initializer } = node
  const declaration = ts.isVariableDeclarationList(initializer) ? initializer.declarations[0] : undefined
  return shapeOf(run.checker, run.checker.getTypeAtLocation(declaration ?? node))
}

/** The shape that a variable's declaration gives, whatever it has been narrowed to. */
const declaredShape = (run: Run, node: ts.ForOfStatement, wanted: string): Shape => {
  const symbol = run.checker.getSymbolsInScope(node, ts.SymbolFlags.Variable).find((one) => one.name === wanted)
  if (symbol === undefined) throw untranslatable(node, `${wanted} is not in scope`, "Declare it above the loop.")
  const shape = shapeOf(run.checker, run.checker.getTypeOfSymbol(symbol))
  return joined(shape, shape)
}
