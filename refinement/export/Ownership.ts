/**
 * What a function may change: the variables that it declares, and the arrays, maps and sets that it has made itself.
 *
 * @module
 */
import { ts } from "ts-morph"

/** The expression that a chain of property accesses, indices and calls starts from. */
export const rootOf = (node: ts.Expression): ts.Expression => {
  let root = node
  while (
    ts.isPropertyAccessExpression(root) ||
    ts.isElementAccessExpression(root) ||
    ts.isParenthesizedExpression(root) ||
    ts.isNonNullExpression(root)
  ) {
    root = root.expression
  }
  return root
}

const enclosing = (node: ts.Node): ts.Node => {
  let at = node.parent
  while (!ts.isFunctionLike(at) && !ts.isSourceFile(at)) at = at.parent
  return at
}

/** Whether an assignment target is a variable, or a destructuring of variables, of the function that assigns it. */
export const ownsVariable = (checker: ts.TypeChecker, target: ts.Expression): boolean => {
  if (ts.isArrayLiteralExpression(target)) {
    return target.elements.every((element) =>
      ownsVariable(checker, ts.isSpreadElement(element) ? element.expression : element)
    )
  }
  if (ts.isParenthesizedExpression(target)) return ownsVariable(checker, target.expression)
  if (!ts.isIdentifier(target)) return false
  const declaration = checker.getSymbolAtLocation(target)?.valueDeclaration
  return (
    declaration !== undefined &&
    (ts.isVariableDeclaration(declaration) || ts.isBindingElement(declaration)) &&
    ts.isFunctionLike(enclosing(target)) &&
    enclosing(declaration) === enclosing(target)
  )
}

/** Whether an expression is a variable of this function that was initialised with a new array, map or set. */
export const isLocal = (checker: ts.TypeChecker, node: ts.Expression): boolean => {
  if (!ts.isIdentifier(node)) return false
  const declaration = checker.getSymbolAtLocation(node)?.valueDeclaration
  if (declaration === undefined || !ts.isVariableDeclaration(declaration)) return false
  const made = declaration.initializer
  return (
    made !== undefined &&
    (ts.isArrayLiteralExpression(made) || ts.isNewExpression(made)) &&
    ts.isFunctionLike(enclosing(node)) &&
    enclosing(declaration) === enclosing(node)
  )
}
