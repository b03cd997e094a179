/**
 * The lint: what a spec may not use, and what to write instead.
 *
 * A spec is pure and total functions over plain data. What is outside the subset is either no function of the state (a
 * clock, randomness, I/O, mutation of what others see), or has no counterpart in TLA+ (classes, promises, text that is
 * taken apart). `docs/spec-language.md` defines the subset; a test holds the two together.
 *
 * @module
 */
import { type SourceFile, ts } from "ts-morph"
import { type Finding, findingAt, Untranslatable } from "./Finding.ts"
import { isLocal, ownsVariable, rootOf } from "./Ownership.ts"
import { readSources, type Sources, typeErrors } from "./Sources.ts"
import { arrayMethods, globals, mapMethods, mutators, rules, setMethods, stringMethods } from "./Subset.ts"

/** Lints a spec's file and all that it imports. Throws `Untranslatable` when the files do not compile. */
export const lint = (path: string): ReadonlyArray<Finding> => lintSources(readSources([path])[0]!)

const linted = new WeakMap<Sources, ReadonlyArray<Finding>>()

/** Lints files that have been read. */
export const lintSources = (sources: Sources): ReadonlyArray<Finding> => {
  const there = linted.get(sources)
  if (there !== undefined) return there
  const findings = findingsIn(sources)
  linted.set(sources, findings)
  return findings
}

const findingsIn = (sources: Sources): ReadonlyArray<Finding> => {
  const errors = typeErrors(sources)
  if (errors.length > 0) {
    throw new Untranslatable({
      findings: errors.map(({ node, text }) => ({
        ...findingAt(node, { rule: "types", problem: text, remedy: "Correct it; the lint and the export read types." }),
        text: ""
      }))
    })
  }
  return sources.files.flatMap((file) => lintFile(file, sources.checker))
}

const lintFile = (file: SourceFile, checker: ts.TypeChecker): ReadonlyArray<Finding> => {
  const found: Array<Finding> = []
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return
    const complaint = inspect(node, checker)
    if (complaint !== undefined) {
      const { rule, problem } = complaint
      found.push(findingAt(complaint.node, { rule, problem, remedy: rules[rule] }))
    }
    ts.forEachChild(node, visit)
  }
  ts.forEachChild(file.compilerNode, visit)
  return found
}

interface Complaint {
  readonly node: ts.Node
  readonly rule: keyof typeof rules
  readonly problem: string
}

const complain = (node: ts.Node, rule: keyof typeof rules, problem: string): Complaint => ({ node, rule, problem })

const inspect = (node: ts.Node, checker: ts.TypeChecker): Complaint | undefined => {
  const banned = bannedSyntax.get(node.kind)
  if (banned !== undefined) return complain(node, banned[0], banned[1])
  if (ts.isImportDeclaration(node)) return inspectImport(node)
  if (ts.isFunctionLike(node)) return inspectFunction(node)
  if (ts.isVariableDeclarationList(node)) return inspectVariables(node)
  if (ts.isNewExpression(node)) return inspectNew(node)
  if (ts.isCallExpression(node)) return inspectCall(node, checker)
  if (ts.isBinaryExpression(node)) return inspectOperator(node, checker)
  if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) return inspectUnary(node, checker)
  if (ts.isIdentifier(node)) return inspectGlobal(node, checker)
  if (ts.isNumericLiteral(node) && !Number.isSafeInteger(Number(node.text))) {
    return complain(node, "integers", `${node.text} is not an integer`)
  }
  if (ts.isForOfStatement(node) && node.awaitModifier !== undefined) return complain(node, "async", "for await waits")
  if (ts.isSpreadElement(node) && isSet(checker, node.expression) && !isLocal(checker, node.expression)) {
    return complain(node, "order", "the elements of a set are listed, and a set has no order")
  }
}

const bannedSyntax = new Map<ts.SyntaxKind, readonly [rule: keyof typeof rules, problem: string]>([
  [ts.SyntaxKind.AwaitExpression, ["async", "a spec does not wait"]],
  [ts.SyntaxKind.YieldExpression, ["async", "a spec has no generators"]],
  [ts.SyntaxKind.WhileStatement, ["loops", "a while loop need not end"]],
  [ts.SyntaxKind.DoStatement, ["loops", "a do loop need not end"]],
  [ts.SyntaxKind.ForStatement, ["loops", "a counting loop runs on mutation"]],
  [ts.SyntaxKind.ForInStatement, ["loops", "for-in lists inherited fields too"]],
  [ts.SyntaxKind.LabeledStatement, ["loops", "a label breaks out of more than one loop"]],
  [ts.SyntaxKind.TryStatement, ["total", "actions and properties are total: nothing is thrown that could be caught"]],
  [ts.SyntaxKind.ClassDeclaration, ["plain-data", "a class instance is not a value"]],
  [ts.SyntaxKind.ClassExpression, ["plain-data", "a class instance is not a value"]],
  [ts.SyntaxKind.ThisKeyword, ["plain-data", "a value has no methods, so there is no this"]],
  [ts.SyntaxKind.EnumDeclaration, ["plain-data", "an enum is not plain data"]],
  [ts.SyntaxKind.GetAccessor, ["plain-data", "a field is data, not a function"]],
  [ts.SyntaxKind.SetAccessor, ["plain-data", "a field is data, not a function"]],
  [ts.SyntaxKind.DeleteExpression, ["mutation", "a value is changed in place"]],
  [ts.SyntaxKind.RegularExpressionLiteral, ["text", "text is taken apart"]],
  [ts.SyntaxKind.TaggedTemplateExpression, ["text", "a tagged template is not text"]],
  [ts.SyntaxKind.BigIntLiteral, ["integers", "a bigint is not a value"]],
  [ts.SyntaxKind.VoidExpression, ["plain-data", "void throws a result away"]]
])

const inspectImport = (node: ts.ImportDeclaration): Complaint | undefined => {
  const from = ts.isStringLiteral(node.moduleSpecifier) ? node.moduleSpecifier.text : ""
  if (node.importClause?.isTypeOnly || /^(\.{1,2}\/|effect$|onewriter\/)/.test(from)) return
  return complain(node, "imports", `a spec cannot use ${from}`)
}

const inspectFunction = (node: ts.SignatureDeclaration): Complaint | undefined => {
  const modifiers = ts.canHaveModifiers(node) ? (ts.getModifiers(node) ?? []) : []
  if (modifiers.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword))
    return complain(node, "async", "a spec does not wait")
  if ("asteriskToken" in node && node.asteriskToken !== undefined)
    return complain(node, "async", "a spec has no generators")
}

const inspectVariables = (node: ts.VariableDeclarationList): Complaint | undefined => {
  if ((node.flags & ts.NodeFlags.BlockScoped) === 0)
    return complain(node, "mutation", "var is visible before it is declared")
  if ((node.flags & ts.NodeFlags.Let) !== 0 && ts.isSourceFile(node.parent.parent)) {
    return complain(node, "mutation", "a variable of the module is not part of the state")
  }
}

const inspectNew = (node: ts.NewExpression): Complaint | undefined => {
  const name = node.expression.getText()
  if (!["Set", "Map", "Error"].includes(name))
    return complain(node, "plain-data", `an instance of ${name} is not a value`)
}

const inspectCall = (node: ts.CallExpression, checker: ts.TypeChecker): Complaint | undefined => {
  const callee = node.expression
  if (!ts.isPropertyAccessExpression(callee)) return
  const method = callee.name.text
  const kind = kindOf(checker, callee.expression)
  if (kind === undefined) return
  const { allowed, mutating }: { readonly [of in "allowed" | "mutating"]: ReadonlyArray<string> } = methods[kind]
  if (mutating.includes(method)) {
    // Adding to a copy that was made for it is the one way to write a bigger set.
    const copied = method === "add" && ts.isNewExpression(callee.expression)
    if (!copied && !isLocal(checker, callee.expression)) {
      return complain(
        node,
        "mutation",
        `${method} changes ${rootOf(callee.expression).getText()}, which others may see`
      )
    }
    return
  }
  if (!allowed.includes(method)) {
    return complain(
      node,
      kind === "string" ? "text" : "methods",
      `${method} is not a method that a spec may call on a ${kind}`
    )
  }
  if (method === "toSorted" && node.arguments.length === 0) {
    return complain(node, "order", "without a comparison, toSorted compares elements as text")
  }
}

const methods = {
  array: { allowed: arrayMethods, mutating: mutators.array },
  set: { allowed: setMethods, mutating: mutators.set },
  map: { allowed: mapMethods, mutating: mutators.map },
  string: { allowed: stringMethods, mutating: [] as ReadonlyArray<string> }
}

const kindOf = (checker: ts.TypeChecker, node: ts.Expression): keyof typeof methods | undefined => {
  const type = checker.getNonNullableType(checker.getApparentType(checker.getTypeAtLocation(node)))
  const one = type.isUnion() ? type.types[0]! : type
  if (checker.isArrayType(one) || checker.isTupleType(one)) return "array"
  const name = one.getSymbol()?.name
  if (name === "Set" || name === "ReadonlySet") return "set"
  if (name === "Map" || name === "ReadonlyMap") return "map"
  return (one.flags & ts.TypeFlags.StringLike) !== 0 || name === "String" ? "string" : undefined
}

const isSet = (checker: ts.TypeChecker, node: ts.Expression): boolean => kindOf(checker, node) === "set"

const inspectOperator = (node: ts.BinaryExpression, checker: ts.TypeChecker): Complaint | undefined => {
  const operator = node.operatorToken.kind
  if (operator >= ts.SyntaxKind.FirstAssignment && operator <= ts.SyntaxKind.LastAssignment) {
    if (!ownsVariable(checker, node.left))
      return complain(node, "mutation", `${node.left.getText()} is changed in place`)
    return
  }
  if (operator === ts.SyntaxKind.EqualsEqualsToken || operator === ts.SyntaxKind.ExclamationEqualsToken) {
    return complain(node, "equality", `${node.operatorToken.getText()} converts what it compares`)
  }
  if (operator === ts.SyntaxKind.CommaToken) return complain(node, "mutation", "a comma throws a result away")
  if (!operators.has(operator))
    return complain(node, "integers", `${node.operatorToken.getText()} is not an operator of a spec`)
}

const operators = new Set<ts.SyntaxKind>([
  ts.SyntaxKind.PlusToken,
  ts.SyntaxKind.MinusToken,
  ts.SyntaxKind.AsteriskToken,
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
  ts.SyntaxKind.LessThanToken,
  ts.SyntaxKind.LessThanEqualsToken,
  ts.SyntaxKind.GreaterThanToken,
  ts.SyntaxKind.GreaterThanEqualsToken,
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.QuestionQuestionToken,
  ts.SyntaxKind.InKeyword
])

const inspectUnary = (
  node: ts.PrefixUnaryExpression | ts.PostfixUnaryExpression,
  checker: ts.TypeChecker
): Complaint | undefined => {
  const operator = node.operator
  if (operator === ts.SyntaxKind.PlusPlusToken || operator === ts.SyntaxKind.MinusMinusToken) {
    if (!ownsVariable(checker, node.operand))
      return complain(node, "mutation", `${node.operand.getText()} is changed in place`)
  } else if (operator === ts.SyntaxKind.TildeToken) return complain(node, "integers", "~ is not an operator of a spec")
}

/** A name that neither the spec nor its imports declare is the platform's: most of those are no functions of the state. */
const inspectGlobal = (node: ts.Identifier, checker: ts.TypeChecker): Complaint | undefined => {
  if (ts.isPropertyAccessExpression(node.parent) && node.parent.name === node) return
  if (ts.isPropertyAssignment(node.parent) && node.parent.name === node) return
  const symbol = checker.getSymbolAtLocation(node)
  const declared = symbol?.declarations ?? []
  if (symbol === undefined || declared.length === 0 || node.text === "undefined") return
  const foreign = declared.every((one) =>
    /[\\/]typescript[\\/]lib[\\/]|[\\/]@types[\\/]|^\/node_modules\/typescript\//.test(one.getSourceFile().fileName)
  )
  if (!foreign) return
  const member = ts.isPropertyAccessExpression(node.parent) ? node.parent.name.text : undefined
  const allowed = globals[node.text]
  if (allowed === undefined) return complain(node, "pure", `${node.text} is not a function of the state`)
  if (allowed !== "any" && member !== undefined && !allowed.includes(member)) {
    return complain(node.parent, "pure", `${node.text}.${member} is not a function that a spec may call`)
  }
}
