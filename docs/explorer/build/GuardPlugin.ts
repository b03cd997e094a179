/**
 * A Vite plugin that makes the actions of the models say why they are not enabled.
 *
 * An action returns nothing when it is not enabled, and mostly says so as `if (a || b) return`, or as `a ? update :
 * undefined`. Each such condition is wrapped, so that `engine/Guards.ts` hears which was met, and is told what would have
 * to be so instead, in the words of the source. What the conditions answer stays the same.
 *
 * @module
 */
import { relative } from "node:path"
import { ts } from "ts-morph"
import type { Plugin } from "vite"

interface Insertion {
  readonly at: number
  readonly text: string
  readonly closes: boolean
}

const { SyntaxKind } = ts

const OPPOSITE: { readonly [operator: number]: string } = {
  [SyntaxKind.EqualsEqualsEqualsToken]: "!==",
  [SyntaxKind.ExclamationEqualsEqualsToken]: "===",
  [SyntaxKind.LessThanToken]: ">=",
  [SyntaxKind.LessThanEqualsToken]: ">",
  [SyntaxKind.GreaterThanToken]: "<=",
  [SyntaxKind.GreaterThanEqualsToken]: "<"
}

const bare = (node: ts.Expression): ts.Expression => (ts.isParenthesizedExpression(node) ? bare(node.expression) : node)

const textOf = (node: ts.Node): string => node.getText().replaceAll(/\s+/g, " ")

/** The negation of a condition, as a reader would write it. */
const negation = (raw: ts.Expression): string => {
  const node = bare(raw)
  if (ts.isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken) {
    return textOf(bare(node.operand))
  }
  if (ts.isBinaryExpression(node)) {
    const operator = OPPOSITE[node.operatorToken.kind]
    if (operator !== undefined) return `${textOf(node.left)} ${operator} ${textOf(node.right)}`
    const kind = node.operatorToken.kind
    if (kind === SyntaxKind.AmpersandAmpersandToken) return `${negation(node.left)} || ${negation(node.right)}`
    if (kind === SyntaxKind.BarBarToken) return `${negation(node.left)} && ${negation(node.right)}`
  }
  return ts.isIdentifier(node) || ts.isCallExpression(node) || ts.isPropertyAccessExpression(node)
    ? `!${textOf(node)}`
    : `!(${textOf(node)})`
}

const isNothing = (node: ts.Expression | undefined): boolean =>
  node === undefined || (ts.isIdentifier(node) && node.text === "undefined")

/** Whether a statement does nothing but return nothing. */
const returnsNothing = (statement: ts.Statement): boolean => {
  if (ts.isReturnStatement(statement)) return isNothing(statement.expression)
  return ts.isBlock(statement) && statement.statements.length === 1 && returnsNothing(statement.statements[0]!)
}

/** The parts of a condition of which each is enough: those of an `||`. */
const alternatives = (raw: ts.Expression): ReadonlyArray<ts.Expression> => {
  const node = bare(raw)
  return ts.isBinaryExpression(node) && node.operatorToken.kind === SyntaxKind.BarBarToken
    ? [...alternatives(node.left), ...alternatives(node.right)]
    : [node]
}

/** The parts of a condition of which each is needed: those of an `&&`. */
const parts = (raw: ts.Expression): ReadonlyArray<ts.Expression> => {
  const node = bare(raw)
  return ts.isBinaryExpression(node) && node.operatorToken.kind === SyntaxKind.AmpersandAmpersandToken
    ? [...parts(node.left), ...parts(node.right)]
    : [node]
}

/** The source with its conditions wrapped; undefined when it has none. */
export const wrapGuards = (source: string, file: string): string | undefined => {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true)
  const insertions: Array<Insertion> = []
  const wrap = (node: ts.Expression, inTheWay: (text: string) => readonly [string, string], needs: string): void => {
    const line = tree.getLineAndCharacterOfPosition(node.getStart()).line + 1
    const [before, after] = inTheWay(`${JSON.stringify(needs)}, ${JSON.stringify(`${file}:${line}`)}`)
    insertions.push(
      { at: node.getStart(), text: before, closes: false },
      { at: node.getEnd(), text: after, closes: true }
    )
  }
  const stops = (condition: ts.Expression): void => {
    // A condition that narrows a type is no less one when it is wrapped: types are gone by then.
    for (const one of alternatives(condition)) {
      wrap(one, (rest) => ["globalThis.onewriterGuard(Boolean(", `), ${rest})`], negation(one))
    }
  }
  const allows = (condition: ts.Expression): void => {
    for (const one of parts(condition)) {
      wrap(one, (rest) => ["!globalThis.onewriterGuard(!(", `), ${rest})`], textOf(one))
    }
  }
  const visit = (node: ts.Node): void => {
    if (ts.isIfStatement(node) && node.elseStatement === undefined && returnsNothing(node.thenStatement)) {
      stops(node.expression)
    }
    if (ts.isConditionalExpression(node)) {
      if (isNothing(node.whenFalse)) allows(node.condition)
      else if (isNothing(node.whenTrue)) stops(node.condition)
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
  if (insertions.length === 0) return undefined
  let wrapped = source
  // From the end on. Of those at one place, what is found first is around the others: it opens first, and closes last.
  const inOrder = insertions
    .map((one, order) => ({ ...one, order: one.closes ? order : -order }))
    .toSorted((a, b) => b.at - a.at || Number(a.closes) - Number(b.closes) || a.order - b.order)
  for (const { at, text } of inOrder) wrapped = wrapped.slice(0, at) + text + wrapped.slice(at)
  return wrapped
}

/** The plugin: only what is a model is wrapped, not the engine that explores it. */
export const guardPlugin = (root: string): Plugin => ({
  name: "onewriter-guards",
  enforce: "pre",
  transform(source, id) {
    const file = relative(root, id.replace(/\?.*$/, ""))
    if (!/^model\/(?:protocol|checker\/examples)\/.*\.ts$/.test(file)) return undefined
    const code = wrapGuards(source, file)
    return code === undefined ? undefined : { code, map: null }
  }
})
