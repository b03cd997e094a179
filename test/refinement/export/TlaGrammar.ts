/** TLA+ as a tree, by the grammar that editors use. */
import { createRequire } from "node:module"
import { Language, type Node, Parser } from "web-tree-sitter"

const require = createRequire(import.meta.url)

const PIECE = 256

let parser: Promise<Parser> | undefined

const makeParser = async (): Promise<Parser> => {
  await Parser.init()
  const grammar = await Language.load(require.resolve("@tlaplus/tree-sitter-tlaplus/tree-sitter-tlaplus.wasm"))
  const made = new Parser()
  made.setLanguage(grammar)
  return made
}

/** Parses a module. Fails with the places that are not TLA+. */
export const parseTla = async (text: string): Promise<Node> => {
  parser ??= makeParser()
  // The scanner for lists of conjuncts looks ahead and comes back often; small pieces are quick to read again.
  const tree = (await parser).parse((index) => text.slice(index, index + PIECE))
  if (tree === null) throw new Error("the parser gave up")
  const wrong: Array<string> = []
  const visit = (node: Node): void => {
    if (node.isError || node.isMissing) wrong.push(`${node.startPosition.row + 1}: ${node.text.slice(0, 60)}`)
    for (const child of node.children) if (child !== null) visit(child)
  }
  visit(tree.rootNode)
  if (wrong.length > 0) throw new Error(`not TLA+ at line ${wrong.join(", line ")}`)
  return tree.rootNode
}

/** The children of a node that are not punctuation. */
export const namedChildren = (node: Node): ReadonlyArray<Node> =>
  node.namedChildren.filter((child): child is Node => child !== null && !child.type.includes("comment"))

export const field = (node: Node, name: string): Node => {
  const found = node.childForFieldName(name)
  if (found === null) throw new Error(`a ${node.type} without ${name}: ${node.text}`)
  return found
}

export const fields = (node: Node, name: string): ReadonlyArray<Node> =>
  node.childrenForFieldName(name).filter((child): child is Node => child?.isNamed === true)
