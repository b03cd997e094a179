import { readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { type JSDocableNode, Node, Project, type SourceFile } from "ts-morph"
import { describe, expect, test } from "vitest"

const root = resolve(import.meta.dirname, "..")

const project = new Project({ tsConfigFilePath: join(root, "tsconfig.json"), skipAddingFilesFromTsConfig: true })
const shipped = project.addSourceFilesAtPaths(
  ["model", "impl", "refinement"].map((folder) => join(root, folder, "**/*.ts"))
)
const entryPoints: ReadonlyArray<string> = JSON.parse(readFileSync(join(root, "typedoc.json"), "utf8")).entryPoints

const planted = (source: string): SourceFile =>
  new Project({ useInMemoryFileSystem: true }).createSourceFile(join(root, "impl/Planted.ts"), source)

const nameOf = (file: SourceFile): string => relative(root, file.getFilePath())

/** The comment that a file opens with. */
const headOf = (file: SourceFile): string => /^(?:#!.*\n)?\s*(\/\*\*[\s\S]*?\*\/)/.exec(file.getFullText())?.[1] ?? ""

/** The files whose head does not say what the module is for, as `@module`. */
const withoutModule = (files: ReadonlyArray<SourceFile>): ReadonlyArray<string> =>
  files.filter((file) => !/\n \* @module\n/.test(headOf(file))).map(nameOf)

/** Rule ids that a reader cannot look up one by one: a range, or the name of an area with a remark in place of an id. */
const vagueRules = (files: ReadonlyArray<SourceFile>): ReadonlyArray<string> => {
  const area =
    "(?:AHEAD|CAC|COAL|CONF|DEC|DEDUPE|EDGE|FENCE|HAND|HOOK|LIM|LOCALPG|LOG|ONCE|OOB|POST|QUEUE|RUN|STEP|TOPO)"
  const vague = new RegExp(
    [
      `\\b[A-Z]+-\\d+ to [A-Z]+-\\d+`,
      `\\b[A-Z]+-\\d+, -\\d+`,
      `[Rr]ules:.*\\b${area}\\b(?!-\\d)`,
      `(?<!\\w)\\(${area}\\)`
    ].join("|")
  )
  return files.flatMap((file) =>
    file
      .getFullText()
      .split("\n")
      .flatMap((line, at) => (vague.test(line) ? [`${nameOf(file)}:${at + 1}: ${line.trim()}`] : []))
  )
}

interface Declared {
  readonly name: string
  readonly node: JSDocableNode & Node
}

/** What `file` itself declares and exports: each declaration with its name. A schema and the type of its name are two. */
const declaredIn = (file: SourceFile): ReadonlyArray<Declared> =>
  file.getStatements().flatMap((statement): ReadonlyArray<Declared> => {
    if (!Node.isExportable(statement) || !statement.hasExportKeyword()) return []
    if (Node.isVariableStatement(statement)) {
      return statement.getDeclarations().map((one) => ({ name: one.getName(), node: statement }))
    }
    return Node.isJSDocable(statement) && Node.hasName(statement)
      ? [{ name: statement.getName(), node: statement }]
      : []
  })

/** What a module exports, its own and what it passes on, without saying what it is. */
const undocumented = (file: SourceFile): ReadonlyArray<string> => {
  const missing = (from: SourceFile, isMeant: (name: string) => boolean) =>
    declaredIn(from)
      .filter(({ name, node }) => isMeant(name) && node.getJsDocs().length === 0)
      .map(({ name, node }) => `${nameOf(from)}: ${name} (${node.getKindName()})`)
  return [
    ...missing(file, () => true),
    ...file.getExportDeclarations().flatMap((passed) => {
      const from = project.getSourceFile(resolve(dirname(file.getFilePath()), passed.getModuleSpecifierValue() ?? ""))
      if (from === undefined) return []
      const names = passed.getNamedExports().map((one) => one.getName())
      if (passed.isNamespaceExport() && passed.getNamespaceExport() === undefined) return undocumented(from)
      return missing(from, (name) => names.includes(name))
    })
  ]
}

describe("documentation", () => {
  test("modules: every shipped file: opens with what it is for", () => {
    expect(shipped.length).toBeGreaterThan(100)
    expect(withoutModule(shipped)).toEqual([])
  })

  test("modules: a file without a head, or one without the tag: is reported", () => {
    expect(withoutModule([planted("export const a = 1")])).toEqual(["impl/Planted.ts"])
    expect(withoutModule([planted("/**\n * About.\n */\nexport const a = 1")])).toEqual(["impl/Planted.ts"])
    expect(withoutModule([planted("/**\n * About.\n *\n * @module\n */\nexport const a = 1")])).toEqual([])
  })

  test("rules: every one that is cited: is cited by its own id", () => {
    const tests = project.addSourceFilesAtPaths(
      ["impl", "model", "refinement"].map((of) => join(root, "test", of, "**/*.ts"))
    )
    expect(vagueRules([...shipped, ...tests])).toEqual([])
  })

  test("rules: a range, or an area in place of an id: is reported", () => {
    const lines = ["// FENCE-01 to FENCE-09", "// WORLD-28, -29", "// Rules: HOOK (creation).", "// Ends once. (RUN)"]
    expect(vagueRules([planted(lines.join("\n"))])).toHaveLength(4)
    expect(vagueRules([planted("// Rules: HOOK-01, STEP-02. (RUN-21)")])).toEqual([])
  })

  test("exports: everything that the package exports: has a docstring", () => {
    expect(entryPoints.length).toBeGreaterThan(5)
    const entries = entryPoints.map((path) => project.getSourceFileOrThrow(join(root, path)))
    expect(new Set(entries.flatMap(undocumented))).toEqual(new Set())
  })

  test("exports: a constant or a type without a docstring: is reported", () => {
    const source = "/** Said. */\nexport const a = 1\nexport type a = number\nexport interface B {}\nexport const c = 2"
    expect(undocumented(planted(source))).toHaveLength(3)
  })
})
