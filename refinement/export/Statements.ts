/**
 * Bodies of functions: declarations, conditions, early returns, loops, and variables that a function changes for itself.
 *
 * A statement is run together with what comes after it. So `if (…) return` is simply a value in one case and the rest of
 * the function in the other, and that is how conditions become `IF`s and guards.
 *
 * @module
 */
import { ts } from "ts-morph"
import { appended, asSequence } from "./Arrays.ts"
import { choose, equal, truth } from "./Choose.ts"
import { bound, describe } from "./Fields.ts"
import { untranslatable } from "./Finding.ts"
import { docOf, shapeOfValue } from "./Lift.ts"
import { foldLoop } from "./Loops.ts"
import { asElements, mapWith } from "./Methods.ts"
import { bindPattern } from "./Patterns.ts"
import type { Run } from "./Run.ts"
import { call, or, string } from "./Tla.ts"
import { elementsOf, isConstant, known, Scope, type Sequence, undefinedValue, type Value } from "./Values.ts"

/** What comes after: the rest of the block, and what `break` and `continue` lead to. */
export interface After {
  readonly rest: () => Value
  readonly breaks?: () => Value
  readonly continues?: () => Value
  /** What becomes of what the function answers, inside a loop. */
  readonly returns?: (value: Value) => Value
}

/** Runs statements from one on, and then what comes after them. */
export const runStatements = (
  run: Run,
  statements: ReadonlyArray<ts.Statement>,
  from: number,
  scope: Scope,
  after: After
): Value => {
  if (from === 0) hoist(statements, scope)
  const statement = statements[from]
  if (statement === undefined) return after.rest()
  const rest = () => runStatements(run, statements, from + 1, scope, after)
  return runStatement(run, statement, scope, { ...after, rest })
}

/** The functions that a block declares are there from its beginning. */
const hoist = (statements: ReadonlyArray<ts.Statement>, scope: Scope): void => {
  for (const node of statements) {
    if (ts.isFunctionDeclaration(node) && node.name !== undefined) {
      scope.declare(node.name.text, { is: "closure", node, scope })
    }
  }
}

const runStatement = (run: Run, node: ts.Statement, scope: Scope, after: After): Value => {
  if (ts.isReturnStatement(node)) {
    const value = node.expression === undefined ? undefinedValue : run.evaluate(node.expression, scope)
    return after.returns === undefined ? value : after.returns(value)
  }
  if (ts.isVariableStatement(node)) {
    const doc = docOf(node)
    for (const declaration of node.declarationList.declarations) {
      if (doc !== undefined && ts.isIdentifier(declaration.name)) run.docs.set(declaration.name.text, doc)
      const value =
        declaration.initializer === undefined ? undefinedValue : run.evaluate(declaration.initializer, scope)
      bindPattern(run, declaration.name, value, scope)
    }
    return after.rest()
  }
  if (ts.isIfStatement(node)) return runIf(run, node, scope, after)
  if (ts.isBlock(node)) return runStatements(run, node.statements, 0, new Scope(scope), after)
  if (ts.isExpressionStatement(node)) {
    runEffect(run, node.expression, scope)
    return after.rest()
  }
  if (ts.isForOfStatement(node)) return runLoop(run, node, scope, after)
  if (ts.isSwitchStatement(node)) return runSwitch(run, node, scope, after)
  if (ts.isThrowStatement(node)) return runThrow(run, node, scope)
  if (ts.isContinueStatement(node) && after.continues !== undefined) return after.continues()
  if (ts.isBreakStatement(node) && after.breaks !== undefined) return after.breaks()
  if (
    ts.isFunctionDeclaration(node) ||
    ts.isEmptyStatement(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node)
  )
    return after.rest()
  throw untranslatable(node, `${ts.SyntaxKind[node.kind]} is not part of the language`, "See docs/spec-language.md.")
}

const runIf = (run: Run, node: ts.IfStatement, scope: Scope, after: After): Value => {
  const test = truth(run, run.evaluate(node.expression, scope))
  const { thenStatement: yes, elseStatement: no } = node
  const branch = (statement: ts.Statement | undefined, then: After): Value =>
    statement === undefined ? then.rest() : runStatement(run, statement, new Scope(scope), then)
  if (test.is === "boolean" || run.locals.settled(test) !== undefined) {
    return branch((test.is === "boolean" ? test.value : run.locals.settled(test)) ? yes : no, after)
  }
  if (leaves(yes) || (no !== undefined && leaves(no))) {
    const names = assignedIn(functionOf(node))
    return choose(
      run,
      test,
      () => restoring(names, scope, () => branch(yes, after)),
      () => restoring(names, scope, () => branch(no, after))
    )
  }
  // Neither branch leaves: they meet again, and differ in the variables that they change.
  const names = [...assignedIn(node)].filter((name) => scope.get(name) !== undefined)
  const changed = (statement: ts.Statement | undefined): ReadonlyMap<string, Value> => {
    let values = new Map<string, Value>()
    restoring(names, scope, () =>
      branch(statement, {
        rest: () => {
          values = new Map(names.map((name) => [name, scope.get(name) ?? undefinedValue]))
          return undefinedValue
        }
      })
    )
    return values
  }
  const before = new Map(names.map((name) => [name, scope.get(name) ?? undefinedValue]))
  const [whenTrue, whenFalse] = [changed(yes), changed(no)]
  for (const name of names) {
    const old = before.get(name) ?? undefinedValue
    const value = choose(
      run,
      test,
      () => whenTrue.get(name) ?? old,
      () => whenFalse.get(name) ?? old
    )
    scope.assign(name, bound(run, name, value))
  }
  return after.rest()
}

/** The body of the function that a node is in. */
const functionOf = (node: ts.Node): ts.Node => {
  let at = node
  while (at.parent !== undefined && !ts.isFunctionLike(at.parent)) at = at.parent
  return at
}

/** Whether a statement can leave the block it is in. */
const leaves = (node: ts.Node): boolean => {
  if (ts.isFunctionLike(node)) return false
  if (ts.isReturnStatement(node) || ts.isThrowStatement(node)) return true
  if (ts.isBreakStatement(node) || ts.isContinueStatement(node)) return true
  return ts.forEachChild(node, (child) => leaves(child) || undefined) ?? false
}

const mutators = new Set(["push", "set", "add"])

/** The variables that a piece of a function gives another value. */
export const assignedIn = (node: ts.Node): ReadonlySet<string> => {
  const found = new Set<string>()
  const targets = (target: ts.Expression): void => {
    if (ts.isIdentifier(target)) found.add(target.text)
    else if (ts.isArrayLiteralExpression(target)) target.elements.forEach(targets)
    else if (ts.isParenthesizedExpression(target)) targets(target.expression)
  }
  const visit = (one: ts.Node): void => {
    if (ts.isFunctionLike(one)) return
    if (ts.isBinaryExpression(one) && isAssignment(one)) targets(one.left)
    if (ts.isPostfixUnaryExpression(one) || (ts.isPrefixUnaryExpression(one) && isStep(one.operator)))
      targets(one.operand)
    if (
      ts.isCallExpression(one) &&
      ts.isExpressionStatement(one.parent) &&
      ts.isPropertyAccessExpression(one.expression) &&
      mutators.has(one.expression.name.text)
    ) {
      targets(one.expression.expression)
    }
    ts.forEachChild(one, visit)
  }
  visit(node)
  return found
}

const isAssignment = (node: ts.BinaryExpression): boolean =>
  node.operatorToken.kind >= ts.SyntaxKind.FirstAssignment && node.operatorToken.kind <= ts.SyntaxKind.LastAssignment

const isStep = (operator: ts.SyntaxKind): boolean =>
  operator === ts.SyntaxKind.PlusPlusToken || operator === ts.SyntaxKind.MinusMinusToken

/** Runs something, and gives variables back the values that they had before. */
const restoring = (names: Iterable<string>, scope: Scope, work: () => Value): Value => {
  const before = [...names].flatMap((name) => {
    const value = scope.get(name)
    return value === undefined ? [] : [[name, value] as const]
  })
  const result = work()
  for (const [name, value] of before) scope.assign(name, value)
  return result
}

/** An expression that is there for what it changes. */
const runEffect = (run: Run, node: ts.Expression, scope: Scope): void => {
  if (ts.isParenthesizedExpression(node)) {
    runEffect(run, node.expression, scope)
    return
  }
  if (ts.isBinaryExpression(node) && isAssignment(node)) {
    runAssignment(run, node, scope)
    return
  }
  if (ts.isPostfixUnaryExpression(node) || (ts.isPrefixUnaryExpression(node) && isStep(node.operator))) {
    const operator = node.operator === ts.SyntaxKind.PlusPlusToken ? ts.SyntaxKind.PlusToken : ts.SyntaxKind.MinusToken
    if (!ts.isIdentifier(node.operand))
      throw untranslatable(node, "this changes something in place", "Change a variable.")
    const sum = computed(run, node.operand, operator, ts.factory.createNumericLiteral(1), scope)
    scope.assign(node.operand.text, bound(run, node.operand.text, sum))
    return
  }
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    const { expression: owner, name: method } = node.expression
    if (ts.isIdentifier(owner) && mutators.has(method.text)) {
      const changed = mutated(run, owner, method.text, node, scope)
      if (changed !== undefined) {
        scope.assign(owner.text, changed)
        return
      }
    }
  }
  run.evaluate(node, scope)
}

const computed = (
  run: Run,
  left: ts.Identifier,
  operator: ts.BinaryOperator,
  right: ts.Expression,
  scope: Scope
): Value => run.evaluate(ts.factory.createBinaryExpression(left, operator, right), scope)

/** An array, map or set of the function's own, after a method changed it. */
const mutated = (
  run: Run,
  owner: ts.Identifier,
  method: string,
  node: ts.CallExpression,
  scope: Scope
): Value | undefined => {
  const value = scope.get(owner.text)
  if (value === undefined) return undefined
  const args = run.evaluate(ts.factory.createArrayLiteralExpression(node.arguments), scope)
  const parts = args.is === "sequence" ? args.parts : []
  if (method === "push") {
    const array = asSequence(run, value)
    return array === undefined ? undefined : appended(array, parts)
  }
  const given = elementsOf(args) ?? []
  if (method === "set" && (value.is === "pairs" || shapeOfValue(value).kinds.has("map"))) {
    return mapWith(run, value, given[0] ?? undefinedValue, given[1] ?? undefinedValue)
  }
  const set = method === "add" ? asElements(value) : undefined
  return set === undefined
    ? undefined
    : { is: "elements", elements: [...set.elements, { one: given[0] ?? undefinedValue }] }
}

const compound = new Map<ts.SyntaxKind, ts.BinaryOperator>([
  [ts.SyntaxKind.PlusEqualsToken, ts.SyntaxKind.PlusToken],
  [ts.SyntaxKind.MinusEqualsToken, ts.SyntaxKind.MinusToken],
  [ts.SyntaxKind.AsteriskEqualsToken, ts.SyntaxKind.AsteriskToken],
  [ts.SyntaxKind.BarBarEqualsToken, ts.SyntaxKind.BarBarToken],
  [ts.SyntaxKind.AmpersandAmpersandEqualsToken, ts.SyntaxKind.AmpersandAmpersandToken],
  [ts.SyntaxKind.QuestionQuestionEqualsToken, ts.SyntaxKind.QuestionQuestionToken]
])

const runAssignment = (run: Run, node: ts.BinaryExpression, scope: Scope): void => {
  const operator = compound.get(node.operatorToken.kind)
  if (!ts.isIdentifier(node.left)) {
    throw untranslatable(
      node,
      `${node.left.getText()} is changed in place`,
      "Give a variable of the function another value."
    )
  }
  const value =
    operator === undefined ? run.evaluate(node.right, scope) : computed(run, node.left, operator, node.right, scope)
  scope.assign(node.left.text, bound(run, node.left.text, value))
}

const runLoop = (run: Run, node: ts.ForOfStatement, scope: Scope, after: After): Value => {
  const source = run.evaluate(node.expression, scope)
  const { initializer } = node
  if (!ts.isVariableDeclarationList(initializer)) {
    throw untranslatable(initializer, "the loop's variable is declared elsewhere", "Declare it in the loop.")
  }
  const pattern = initializer.declarations[0]!.name
  const elements =
    elementsOf(source) ??
    (source.is === "elements" && isConstant(source)
      ? source.elements.flatMap((part) => ("one" in part ? [part.one] : []))
      : undefined)
  if (elements?.every(isConstant)) {
    const turn = (at: number): Value => {
      const element = elements[at]
      if (element === undefined) return after.rest()
      const inner = new Scope(scope)
      bindPattern(run, pattern, element, inner)
      const next = () => turn(at + 1)
      return runStatement(run, node.statement, inner, { ...after, rest: next, continues: next, breaks: after.rest })
    }
    return turn(0)
  }
  const array: Sequence | undefined = asSequence(run, source)
  if (array === undefined) {
    throw untranslatable(node.expression, `this loop runs over ${describe(source)}`, "Run over an array.")
  }
  const early = foldLoop(run, node, pattern, array, scope, assignedIn(node.statement), (inner, turn) =>
    runStatement(run, node.statement, inner, turn)
  )
  if (early === undefined) return after.rest()
  const { returns = (value) => value } = after
  return choose(run, early.test, () => returns(early.value), after.rest)
}

const runSwitch = (run: Run, node: ts.SwitchStatement, scope: Scope, after: After): Value => {
  const subject = bound(run, "subject", run.evaluate(node.expression, scope))
  const clauses = node.caseBlock.clauses
  const names = assignedIn(functionOf(node))
  const inner = new Scope(scope)
  const listed = clauses.flatMap((clause) =>
    ts.isCaseClause(clause) && ts.isStringLiteral(clause.expression) ? [clause.expression.text] : []
  )
  const { strings, undef, nul } = shapeOfValue(subject)
  const exhaustive = strings !== undefined && !undef && !nul && strings.every((one) => listed.includes(one))
  const body = (at: number): Value => {
    // A clause without statements shares those of the next one.
    const statements = clauses.slice(at).flatMap((clause) => [...clause.statements])
    return runStatements(run, statements, 0, inner, { ...after, breaks: after.rest })
  }
  const from = (at: number): Value => {
    const clause = clauses[at]
    if (clause === undefined) {
      const otherwise = clauses.findIndex(ts.isDefaultClause)
      return otherwise < 0 ? after.rest() : body(otherwise)
    }
    if (ts.isDefaultClause(clause)) return from(at + 1)
    // Empty clauses above this one lead here too.
    let first = at
    while (first > 0 && clauses[first - 1]!.statements.length === 0) first--
    if (clause.statements.length === 0 && at < clauses.length - 1) return from(at + 1)
    if (exhaustive && at === clauses.length - 1) return body(at)
    const tests = clauses
      .slice(first, at + 1)
      .flatMap((one) => (ts.isCaseClause(one) ? [equal(run, subject, run.evaluate(one.expression, inner))] : []))
    return choose(
      run,
      or(...tests),
      () => restoring(names, scope, () => body(at)),
      () => restoring(names, scope, () => from(at + 1))
    )
  }
  return from(0)
}

/** What cannot be is an assertion that fails, should it be all the same. */
const runThrow = (run: Run, node: ts.ThrowStatement, scope: Scope): Value => {
  if (run.symbolic === 0) {
    throw untranslatable(node, "the spec throws while it is put together", "Correct what it is put together from.")
  }
  const text =
    node.expression === undefined
      ? ""
      : node.expression
          .getText()
          .replace(/^new Error\(/, "")
          .replace(/\)$/, "")
  void scope
  return {
    is: "symbolic",
    expr: call("Assert", [{ is: "boolean", value: false }, string(text.replaceAll(/[`"\\]/g, "'"))]),
    shape: shapeOfValue(known(undefined))
  }
}
