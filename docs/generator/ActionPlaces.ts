/**
 * Where the sources declare an action, and which switches it consults: itself, or a function of the protocol's modules
 * that it calls. Names are resolved as they are written, by imports and by the functions of a module.
 *
 * @module
 */
import { join } from "node:path"
import { Node, type Project, type SourceFile, SyntaxKind } from "ts-morph"

/** The folder of the protocol's modules, from the root of the repository. */
export const PROTOCOL = "model/protocol"

const imported = (source: SourceFile, from: string): SourceFile | undefined =>
  from.startsWith(".") ? source.getProject().getSourceFile(join(source.getDirectoryPath(), from)) : undefined

/** The modules of a spec: the one that puts it together, and those that it imports from its own folder. */
export const modulesOf = (project: Project, root: string, entry: string): ReadonlyArray<SourceFile> => {
  const whole = project.getSourceFileOrThrow(join(root, PROTOCOL, entry))
  const parts = whole.getImportDeclarations().flatMap((each) => {
    const from = each.getModuleSpecifierValue()
    const part = from.startsWith("./") ? imported(whole, from) : undefined
    return part === undefined ? [] : [part]
  })
  return [whole, ...parts]
}

/** Whether an expression makes an action: it calls `action`, or a function that does, with a budget beside it or not. */
const makesAction = (node: Node | undefined): boolean =>
  Node.isArrayLiteralExpression(node)
    ? node.getElements().some(makesAction)
    : Node.isCallExpression(node) && /^(?:action|on|fault)$/.test(node.getExpression().getText())

/** What was found in a node before: the sources do not change while they are read. */
const remembering = <K extends Node, V>(find: (node: K) => V): ((node: K) => V) => {
  const known = new WeakMap<K, V>()
  return (node) => {
    const value = known.get(node) ?? find(node)
    known.set(node, value)
    return value
  }
}

const candidates = remembering(
  (source: SourceFile): ReadonlyArray<Node> => [
    ...source.getDescendantsOfKind(SyntaxKind.VariableDeclaration),
    ...source.getDescendantsOfKind(SyntaxKind.PropertyAssignment)
  ]
)

/** Whether a node declares an action of this name: as a constant, a property, or a record with its name beside it. */
const declares = (node: Node, name: string): boolean => {
  if (Node.isVariableDeclaration(node)) return node.getName() === name && makesAction(node.getInitializer())
  if (!Node.isPropertyAssignment(node) || !makesAction(node.getInitializer())) return false
  if (node.getName() === name) return true
  const record = node.getParent()
  const beside = Node.isObjectLiteralExpression(record) ? record.getProperty("name") : undefined
  return (
    node.getName() === "action" &&
    Node.isPropertyAssignment(beside) &&
    beside.getInitializer()?.getText() === JSON.stringify(name)
  )
}

/** The declaration of an action in some modules. Throws when there is none, or more than one. */
export const declarationOf = (modules: ReadonlyArray<SourceFile>, name: string): Node => {
  const found = modules.flatMap((source) => candidates(source).filter((node) => declares(node, name)))
  const [only] = found
  if (only === undefined || found.length > 1) {
    throw new Error(`the action ${name} is declared ${found.length} times in ${modules[0]?.getFilePath()}`)
  }
  return only
}

const isFunction = (node: Node | undefined): boolean =>
  Node.isArrowFunction(node) || Node.isFunctionExpression(node) || Node.isFunctionDeclaration(node)

/** The functions that a module declares, at any depth, by name. */
const functionsOf = remembering((source: SourceFile): ReadonlyMap<string, Node> => {
  const named = source.getDescendants().flatMap((node): ReadonlyArray<readonly [string, Node]> => {
    if (Node.isFunctionDeclaration(node)) return [[node.getName() ?? "", node]]
    if (!Node.isVariableDeclaration(node)) return []
    return isFunction(node.getInitializer()) ? [[node.getName(), node]] : []
  })
  return new Map(named)
})

/** What a name in a module calls: a function of the module, or one that it imports from another of the protocol. */
const functionCalled = (source: SourceFile, name: string): Node | undefined => {
  const own = functionsOf(source).get(name)
  if (own !== undefined) return own
  for (const each of source.getImportDeclarations()) {
    if (each.isTypeOnly() || !each.getNamedImports().some((one) => one.getName() === name)) continue
    const from = imported(source, each.getModuleSpecifierValue())
    return from?.getFilePath().includes(`/${PROTOCOL}/`) === true ? functionsOf(from).get(name) : undefined
  }
  return undefined
}

/** The functions that a node calls or hands on, but for those that it is itself in. */
const callees = remembering((node: Node): ReadonlyArray<Node> => {
  const names = node
    .getDescendantsOfKind(SyntaxKind.Identifier)
    .filter((each) => {
      const parent = each.getParent()
      const isField = Node.isPropertyAccessExpression(parent) && parent.getNameNode() === each
      return !isField && !(Node.isPropertyAssignment(parent) && parent.getNameNode() === each)
    })
    .map((each) => each.getText())
  return [...new Set(names)].flatMap((name) => {
    const called = functionCalled(node.getSourceFile(), name)
    return called === undefined || called === node || node.getAncestors().includes(called) ? [] : [called]
  })
})

/** Everything that a node reaches by calls, itself included. */
const reached = (node: Node): ReadonlySet<Node> => {
  const seen = new Set([node])
  for (const each of seen) for (const callee of callees(each)) seen.add(callee)
  return seen
}

/** Switches that a declaration reaches, by the module whose code asks for them. */
export type Consulted = ReadonlyMap<SourceFile, ReadonlyArray<string>>

/**
 * Which of some switches a declaration consults, by the module that asks: its own, where it does so itself or in a function
 * beside it, and the others that it reaches by calls. Switches are in the order given.
 */
export const consulted = (declaration: Node, switches: ReadonlyArray<string>): Consulted => {
  const texts = new Map<SourceFile, string>()
  for (const node of reached(declaration)) {
    texts.set(node.getSourceFile(), `${texts.get(node.getSourceFile()) ?? ""}\n${node.getText()}`)
  }
  const asked = [...texts].map(([source, text]) => {
    const asks = (name: string) => text.includes(`rules["${name}"]`) || new RegExp(`\\brules\\.${name}\\b`).test(text)
    return [source, switches.filter(asks)] as const
  })
  return new Map(asked.filter(([, names]) => names.length > 0))
}

/** The names of the actions that some modules declare. */
export const actionsDeclared = (modules: ReadonlyArray<SourceFile>): ReadonlyArray<string> =>
  modules.flatMap(candidates).flatMap((node) => {
    const name = Node.isVariableDeclaration(node) || Node.isPropertyAssignment(node) ? node.getName() : ""
    return /^[A-Z]/.test(name) && declares(node, name) ? [name] : []
  })
