/**
 * The top level of each file of a spec: what it declares and imports, worked out when it is first asked for.
 *
 * @module
 */
import { ts } from "ts-morph"
import { withName } from "./Fields.ts"
import { untranslatable } from "./Finding.ts"
import { docOf } from "./Lift.ts"
import { bindPattern } from "./Patterns.ts"
import type { Run } from "./Run.ts"
import { isEngine } from "./Sources.ts"
import { fieldsOf, type Opaque, Scope, type Value } from "./Values.ts"

/** A schema: only handed on, whatever is done with it. */
export const schema: Opaque = { is: "opaque", what: "schema", get: () => schema }

/** The files of one translation. */
export interface Modules {
  /** What a file exports under a name. */
  readonly exported: (file: ts.SourceFile, wanted: string) => Value
}

/** The files of a translation. `language` is what the engine's own modules export. */
export const makeModules = (run: Run, language: (wanted: string) => Value | undefined): Modules => {
  const scopes = new Map<string, Scope>()

  const scopeOf = (file: ts.SourceFile): Scope => {
    const there = scopes.get(file.fileName)
    if (there !== undefined) return there
    const scope = new Scope(undefined, file.fileName)
    scopes.set(file.fileName, scope)
    for (const statement of file.statements) declare(statement, scope)
    return scope
  }

  /** What is worked out at the top level does not depend on the state, whoever asks for it. */
  const apart =
    (work: () => Value): (() => Value) =>
    () => {
      const { symbolic } = run
      run.symbolic = 0
      try {
        return run.locals.apart(work)
      } finally {
        run.symbolic = symbolic
      }
    }

  const declare = (statement: ts.Statement, scope: Scope): void => {
    if (ts.isFunctionDeclaration(statement) && statement.name !== undefined) {
      scope.declare(statement.name.text, { is: "closure", node: statement, scope })
    } else if (ts.isVariableStatement(statement)) {
      for (const declaration of statement.declarationList.declarations) declareVariable(statement, declaration, scope)
    } else if (ts.isImportDeclaration(statement)) declareImport(statement, scope)
  }

  const declareVariable = (
    statement: ts.VariableStatement,
    { name: pattern, initializer }: ts.VariableDeclaration,
    scope: Scope
  ): void => {
    if (initializer === undefined) return
    const doc = docOf(statement)
    if (ts.isIdentifier(pattern)) {
      if (doc !== undefined) run.moduleDocs.set(pattern.text, doc)
      scope.declare(
        pattern.text,
        apart(() => withName(run.evaluate(initializer, scope), pattern.text))
      )
      return
    }
    const whole = apart(() => run.evaluate(initializer, scope))
    const inner = new Scope(scope)
    let taken = false
    for (const wanted of namesIn(pattern)) {
      scope.declare(
        wanted,
        apart(() => {
          if (!taken) bindPattern(run, pattern, whole(), inner)
          taken = true
          return inner.get(wanted)!
        })
      )
    }
  }

  const declareImport = (statement: ts.ImportDeclaration, scope: Scope): void => {
    const clause = statement.importClause
    if (clause === undefined || clause.isTypeOnly) return
    const from = ts.isStringLiteral(statement.moduleSpecifier) ? statement.moduleSpecifier.text : ""
    const bindings = clause.namedBindings
    if (bindings === undefined) return
    if (ts.isNamespaceImport(bindings)) {
      scope.declare(
        bindings.name.text,
        apart(() => namespace(statement))
      )
      return
    }
    for (const element of bindings.elements) {
      if (element.isTypeOnly) continue
      const wanted = (element.propertyName ?? element.name).text
      scope.declare(
        element.name.text,
        apart(() => imported(from, wanted, element))
      )
    }
  }

  const namespace = (statement: ts.ImportDeclaration): Value => {
    const symbol = run.checker.getSymbolAtLocation(statement.moduleSpecifier)
    const file = symbol?.valueDeclaration
    if (file === undefined || !ts.isSourceFile(file)) return schema
    const names = run.checker.getExportsOfModule(symbol!).map((one) => one.name)
    return fieldsOf(names.map((one) => [one, exported(file, one)] as const))
  }

  const imported = (from: string, wanted: string, node: ts.ImportSpecifier): Value => {
    if (from === "effect" || from.startsWith("effect/")) return schema
    const symbol = run.checker.getSymbolAtLocation(node.name)
    const aliased = symbol === undefined ? undefined : run.checker.getAliasedSymbol(symbol)
    const declaration = aliased?.declarations?.[0]
    const file = declaration?.getSourceFile()
    if (file === undefined || isEngine(file.fileName)) {
      const value = language(wanted)
      if (value === undefined)
        throw untranslatable(node, `${wanted} is not part of the spec language`, "See docs/spec-language.md.")
      return value
    }
    return scopeOf(file).get(aliased?.name ?? wanted) ?? fail(node, wanted)
  }

  const fail = (node: ts.Node, wanted: string): never => {
    throw untranslatable(
      node,
      `${wanted} is not a value that the file declares`,
      "Import values that are declared with const or function."
    )
  }

  const exported = (file: ts.SourceFile, wanted: string): Value => {
    const module = run.checker.getSymbolAtLocation(file)
    const symbol =
      module === undefined ? undefined : run.checker.getExportsOfModule(module).find((one) => one.name === wanted)
    const actual =
      symbol !== undefined && symbol.flags & ts.SymbolFlags.Alias ? run.checker.getAliasedSymbol(symbol) : symbol
    const declaration = actual?.declarations?.[0]
    if (actual === undefined || declaration === undefined) return fail(file, wanted)
    return scopeOf(declaration.getSourceFile()).get(actual.name) ?? fail(file, wanted)
  }

  return { exported }
}

const namesIn = (pattern: ts.BindingName): ReadonlyArray<string> =>
  ts.isIdentifier(pattern)
    ? [pattern.text]
    : pattern.elements.flatMap((element) => (ts.isOmittedExpression(element) ? [] : namesIn(element.name)))
