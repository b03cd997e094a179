/**
 * Calls of the spec's functions. A function of a module becomes an operator, with the parameters that are not the same
 * constant in every call; a function that makes functions, actions or updates is carried out where it is called.
 *
 * @module
 */
import { ts } from "ts-morph"
import { truthValue } from "./Choose.ts"
import { describe, shapeAt } from "./Fields.ts"
import { untranslatable } from "./Finding.ts"
import { docOf, isFieldName, lift } from "./Lift.ts"
import { bindPattern, withDefault } from "./Patterns.ts"
import { type Operator, type Run, StartAgain } from "./Run.ts"
import { type Shape, shapeOf } from "./Shape.ts"
import { runStatements } from "./Statements.ts"
import { call as apply, type Expr, isAtomic, letIn, name } from "./Tla.ts"
import {
  type Closure,
  type FunctionNode,
  fingerprint,
  isConstant,
  isData,
  known,
  Scope,
  sequenceOf,
  undefinedValue,
  type Value
} from "./Values.ts"

/** Calls something. */
export const callValue = (
  run: Run,
  callee: Value,
  args: ReadonlyArray<Value>,
  node: ts.CallExpression | ts.NewExpression | undefined
): Value => {
  if (callee.is === "native") return callee.call(args, node as ts.CallExpression)
  // A schema is only handed on, whatever is done with it.
  if (callee.is === "opaque" && callee.what === "schema") return callee
  if (callee.is === "closure") {
    if (callee.last !== undefined) {
      const { last, ...plain } = callee
      return callValue(run, plain, [...args, last], node)
    }
    const parameters = operatorParameters(run, callee, args)
    return parameters === undefined ? runBody(run, callee, args) : callOperator(run, callee, args, parameters, node)
  }
  const at = node ?? run.sources.entry.compilerNode
  throw untranslatable(at, `${describe(callee)} is called`, "Call functions.")
}

/** Runs the body of a function on arguments. */
export const runBody = (run: Run, { node, scope }: Closure, args: ReadonlyArray<Value>): Value => {
  const inner = new Scope(scope)
  node.parameters.forEach((parameter, at) => {
    if (parameter.dotDotDotToken !== undefined) {
      bindPattern(run, parameter.name, sequenceOf(args.slice(at)), inner)
      return
    }
    bindPattern(run, parameter.name, withDefault(run, parameter, args[at] ?? undefinedValue, inner), inner)
  })
  const { body } = node
  if (body === undefined) throw untranslatable(node, "a function without a body", "Give it one.")
  const depth = depths.get(node) ?? 0
  if (depth > DEEPEST) {
    const problem = "this calls itself without end, as long as the state is not known, and answers more than data"
    throw untranslatable(node, problem, "Let it answer data, or fold over an array.")
  }
  depths.set(node, depth + 1)
  try {
    if (!ts.isBlock(body)) return run.evaluate(body, inner)
    return runStatements(run, body.statements, 0, new Scope(inner), { rest: () => undefinedValue })
  } finally {
    depths.set(node, depth)
  }
}

/** How deep a function that is carried out where it is called may call itself. */
const DEEPEST = 60

/** How deep each function is in itself. */
const depths = new WeakMap<FunctionNode, number>()

/** The name of a function that is declared in a module. */
const declaredName = ({ node, scope }: Closure): string | undefined => {
  if (scope.module === undefined) return undefined
  if (ts.isFunctionDeclaration(node)) return node.name?.text
  return ts.isVariableDeclaration(node.parent) && ts.isIdentifier(node.parent.name) ? node.parent.name.text : undefined
}

/** What each argument is to an operator: passed, or part of what the operator is made for. Undefined: no operator. */
const operatorParameters = (
  run: Run,
  closure: Closure,
  args: ReadonlyArray<Value>
): ReadonlyArray<"passed" | string> | undefined => {
  const { node } = closure
  if (run.symbolic === 0 || declaredName(closure) === undefined) return undefined
  if (args.every(isConstant)) return undefined
  if (!args.every(isPassable)) return undefined
  if (node.parameters.some((parameter) => parameter.dotDotDotToken !== undefined)) return undefined
  if (makesMoreThanData(run, node)) return undefined
  const uses = run.learnt.uses.get(node) ?? node.parameters.map(() => undefined)
  run.learnt.uses.set(node, uses)
  return node.parameters.map((_, at) => {
    const arg = args[at] ?? undefinedValue
    if (arg.is === "state") return arg.primed ? "next state" : "state"
    const use = uses[at]
    if (use === "varies") return "passed"
    const print = fingerprint(arg)
    if (print !== undefined && (use === undefined || use.constant === print)) {
      uses[at] = { constant: print }
      return `constant ${print}`
    }
    uses[at] = "varies"
    if (use !== undefined) throw new StartAgain()
    return "passed"
  })
}

/** Whether an argument has an expression: data, a state, or one of several states. */
const isPassable = (value: Value): boolean =>
  value.is === "state" || isData(value) || (value.is === "choice" && isPassable(value.yes) && isPassable(value.no))

const results = new WeakMap<FunctionNode, boolean>()

/** Whether a function answers functions, updates of variables, or something that holds them. */
const makesMoreThanData = (run: Run, node: FunctionNode): boolean => {
  const there = results.get(node)
  if (there !== undefined) return there
  const signature = run.checker.getSignatureFromDeclaration(node)
  const found = signature === undefined || holdsMoreThanData(run, run.checker.getReturnTypeOfSignature(signature), 0)
  results.set(node, found)
  return found
}

const holdsMoreThanData = (run: Run, type: ts.Type, depth: number): boolean => {
  const { checker } = run
  if (depth > 3) return false
  if (type.isUnion()) return type.types.some((part) => holdsMoreThanData(run, part, depth))
  if (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return true
  if ((type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) === 0) return false
  if (type.getCallSignatures().length > 0) return true
  if (checker.isArrayType(type) || checker.isTupleType(type)) {
    return checker.getTypeArguments(type as ts.TypeReference).some((part) => holdsMoreThanData(run, part, depth + 1))
  }
  const symbol = type.getSymbol()?.name
  if (symbol !== undefined && ["Set", "ReadonlySet", "Map", "ReadonlyMap"].includes(symbol)) return false
  const properties = checker.getPropertiesOfType(type)
  // A whole state is an update as well, if that is what becomes of it.
  if (run.variables.size > 1 && [...run.variables.keys()].every((key) => type.getProperty(key) !== undefined))
    return true
  if (
    properties.length > 1 &&
    properties.every((one) => run.variables.has(one.name) && (one.flags & ts.SymbolFlags.Optional) !== 0)
  ) {
    return true
  }
  return properties.some((one) => holdsMoreThanData(run, checker.getTypeOfSymbol(one), depth + 1))
}

const callOperator = (
  run: Run,
  closure: Closure,
  args: ReadonlyArray<Value>,
  kinds: ReadonlyArray<"passed" | string>,
  node: ts.Node | undefined
): Value => {
  const passed = kinds.flatMap((kind, at) => (kind === "passed" ? [lift(run, args[at] ?? undefinedValue)] : []))
  const key = `${closure.node.getSourceFile().fileName}:${closure.node.pos} ${JSON.stringify(kinds)}`
  const shape = node === undefined ? resultShape(run, closure.node) : shapeAt(run, node)
  const there = run.made.get(key)
  if (there !== undefined) {
    if (there.operator === undefined) there.called = true
    else if (there.operator.params.length === 0 && isAtomic(there.operator.body))
      return asValue(there.operator.body, shape)
    return asValue(apply(there.name, passed), shape)
  }
  const entry: { name: string; operator?: Operator; called: boolean } = {
    name: operatorName(run, closure),
    called: false
  }
  run.made.set(key, entry)
  const operator = makeOperator(run, closure, args, kinds, entry.name)
  // What turns out to be the same constant always needs no operator.
  const isConstantBody =
    operator.body.is === "boolean" || operator.body.is === "number" || operator.body.is === "string"
  if (isConstantBody && !entry.called) {
    run.made.set(key, { ...entry, operator: { ...operator, params: [] } })
    return asValue(operator.body, shape)
  }
  operator.recursive = entry.called
  entry.operator = operator
  run.operators.push(operator)
  return asValue(apply(entry.name, passed), shape)
}

const asValue = (expr: Expr, shape: Shape): Value => {
  if (expr.is === "boolean") return truthValue(expr)
  if (expr.is === "number" || expr.is === "string") return known(expr.value)
  return { is: "symbolic", expr, shape }
}

const resultShape = (run: Run, node: FunctionNode): Shape => {
  const signature = run.checker.getSignatureFromDeclaration(node)
  return shapeOf(
    run.checker,
    signature === undefined ? run.checker.getTypeAtLocation(node) : run.checker.getReturnTypeOfSignature(signature)
  )
}

const operatorName = (run: Run, closure: Closure): string => {
  const wanted = declaredName(closure) ?? "f"
  const used = new Set([
    ...run.variables.keys(),
    ...[...run.made.values()].map((one) => one.name),
    ...run.reserved,
    ...run.constants.keys()
  ])
  for (let i = 1; ; i++) {
    const found = i === 1 ? wanted : `${wanted}_${i}`
    if (!used.has(found)) return found
  }
}

const makeOperator = (
  run: Run,
  closure: Closure,
  args: ReadonlyArray<Value>,
  kinds: ReadonlyArray<"passed" | string>,
  operator: string
): Operator =>
  run.locals.apart(() => {
    const params: Array<string> = []
    const bodyArgs = closure.node.parameters.map((parameter, at): Value => {
      if (kinds[at] !== "passed") return args[at] ?? undefinedValue
      const fresh = run.locals.fresh(parameterName(run, parameter))
      params.push(fresh)
      const shape = shapeOf(run.checker, run.checker.getTypeAtLocation(parameter))
      const isOptional = parameter.questionToken !== undefined || parameter.initializer !== undefined
      return { is: "symbolic", expr: name(fresh), shape: isOptional ? { ...shape, undef: true } : shape }
    })
    const { result, defs } = run.locals.inside(() => lift(run, runBody(run, closure, bodyArgs)))
    const { node } = closure
    const documented = ts.isVariableDeclaration(node.parent) ? node.parent.parent.parent : node
    return { name: operator, params, body: letIn(defs, result), doc: docOf(documented), recursive: false }
  })

/** A parameter that is taken apart at once is named after its type. */
const parameterName = (run: Run, parameter: ts.ParameterDeclaration): string => {
  if (ts.isIdentifier(parameter.name)) return parameter.name.text
  const type = run.checker.getTypeAtLocation(parameter)
  const of = type.aliasSymbol?.name ?? type.getSymbol()?.name ?? "it"
  return isFieldName(of) && !of.startsWith("__") ? `${of[0]!.toLowerCase()}${of.slice(1)}` : "it"
}
