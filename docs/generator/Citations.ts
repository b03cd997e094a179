/**
 * Where the sources name a rule: in a docstring or comment, in a list of rules, in the title of a test.
 *
 * A citation belongs to the innermost declaration around it, and is known by the names on the way to it
 * (`orchestratorActions`, `LoadLog`). One in the comment that a module opens with belongs to the module.
 *
 * @module
 */
import { relative } from "node:path"
import { Node, type SourceFile, SyntaxKind } from "ts-morph"

/** One place that names a rule. */
export interface Citation {
  readonly id: string
  /** The file, from the root of the repository. */
  readonly file: string
  /** The declarations around it, outermost first; empty for the module's own comment. */
  readonly names: ReadonlyArray<string>
  /** The title of the test, or of the check, that it is in. */
  readonly title?: string
}

const HEAD = /^(?:#!.*\n)?\s*\/\*\*[\s\S]*?\*\//
const TESTS = /^(?:describe|test|it)(?:\.|$)/

/** Where the module's own comment ends; 0 when there is none. */
const headEnd = (text: string): number => {
  const head = HEAD.exec(text)?.[0] ?? ""
  return head.includes("@module") ? head.length : 0
}

/** What an entry of a table says that it is about: the line of a trace. */
const lineOf = (node: Node): string | undefined => {
  if (!Node.isObjectLiteralExpression(node)) return undefined
  const line = node.getProperty("line")
  return Node.isPropertyAssignment(line) ? textOf(line.getInitializer()) : undefined
}

const ownName = (node: Node): string | undefined => {
  if (Node.isVariableStatement(node)) return node.getDeclarations()[0]?.getName()
  if (
    Node.isVariableDeclaration(node) ||
    Node.isFunctionDeclaration(node) ||
    Node.isClassDeclaration(node) ||
    Node.isInterfaceDeclaration(node) ||
    Node.isTypeAliasDeclaration(node) ||
    Node.isMethodDeclaration(node) ||
    Node.isPropertyDeclaration(node) ||
    Node.isPropertySignature(node) ||
    Node.isPropertyAssignment(node) ||
    Node.isShorthandPropertyAssignment(node)
  ) {
    return node.getName()?.replaceAll(/^["']|["']$/g, "")
  }
  return undefined
}

/** The text of a string or template without its quotes. */
const textOf = (node: Node | undefined): string | undefined =>
  Node.isStringLiteral(node) || Node.isNoSubstitutionTemplateLiteral(node)
    ? node.getLiteralText()
    : Node.isTemplateExpression(node)
      ? node.getText().slice(1, -1)
      : undefined

/** The title of the test that a node is, or of the check: a record with a title and what to run. */
const titleOf = (node: Node): string | undefined => {
  if (Node.isCallExpression(node) && TESTS.test(node.getExpression().getText())) return textOf(node.getArguments()[0])
  if (Node.isObjectLiteralExpression(node)) {
    const title = node.getProperty("title")
    if (Node.isPropertyAssignment(title)) return textOf(title.getInitializer())
  }
  return undefined
}

/** The declarations around a node, and the title of the innermost test around it. */
const around = (node: Node): Pick<Citation, "names" | "title"> => {
  const names: Array<string> = []
  let title: string | undefined
  for (const each of [node, ...node.getAncestors()]) {
    const name = ownName(each) ?? lineOf(each)
    // A statement of variables and the variable that it declares are one.
    if (name !== undefined && !(each.isKind(SyntaxKind.VariableStatement) && names[0] === name)) names.unshift(name)
    title ??= titleOf(each)
  }
  return title === undefined ? { names } : { names, title }
}

/** What a position belongs to: a comment on lines of its own is about the declaration that follows it. */
const nodeAt = (source: SourceFile, position: number): Node | undefined => {
  const node = source.getDescendantAtPos(position)
  const isComment =
    Node.isCommentStatement(node) || Node.isCommentObjectLiteralElement(node) || Node.isCommentClassElement(node)
  return isComment ? (node.getNextSiblings().find((next) => !next.getKindName().includes("Trivia")) ?? node) : node
}

/** What stands between the two ends of a range of rules, over the end of a comment's line too. */
const RANGE = /^\s+(?:\*\s+)?to\s+(?:\*\s+)?$/

/** The rules that lie between two that are cited, when a text cites them as a range. */
const between = (from: string, to: string, text: string): ReadonlyArray<string> => {
  const [family, first = ""] = from.split("-")
  const [other, last] = to.split("-")
  if (family !== other || !RANGE.test(text)) return []
  const count = Number(last) - Number(first) - 1
  return Array.from({ length: Math.max(0, count) }, (_, at) => {
    const number = String(Number(first) + at + 1).padStart(first.length, "0")
    return `${family}-${number}`
  })
}

/** Every place in a file that names a rule of one of these families. */
export const citationsIn = (
  source: SourceFile,
  root: string,
  families: ReadonlyArray<string>
): ReadonlyArray<Citation> => {
  const text = source.getFullText()
  const file = relative(root, source.getFilePath())
  const end = headEnd(text)
  const found = [...text.matchAll(new RegExp(`\\b(?:${families.join("|")})-\\d{2,3}\\b`, "g"))]
  return found.flatMap(({ 0: id, index }, at) => {
    const node = index < end ? undefined : nodeAt(source, index)
    const place = { file, ...(node === undefined ? { names: [] } : around(node)) }
    const next = found[at + 1]
    const range = next === undefined ? [] : between(id, next[0], text.slice(index + id.length, next.index))
    return [id, ...range].map((each) => ({ id: each, ...place }))
  })
}
