import { readdirSync } from "node:fs"
import { basename, dirname, join, relative, resolve } from "node:path"
import { Project, type SourceFile } from "ts-morph"
import { describe, expect, test } from "vitest"

const root = resolve(import.meta.dirname, "..")

/** Which of our own folders each folder may import from. `docs` and `test` may read everything. */
const mayImport: Record<string, ReadonlyArray<string>> = {
  "model/checker": ["model/checker"],
  "model/programs": ["model/programs"],
  "model/protocol": ["model/protocol", "model/programs", "model/checker"],
  impl: ["impl", "model/programs"],
  refinement: ["refinement", "impl", "model/protocol", "model/programs", "model/checker"]
}

/** Folders that must also run in a browser, so nothing of Node may be imported there. */
const nodeFree = ["model/checker", "model/programs", "model/protocol"]

const folderOf = (path: string): string => {
  const parts = relative(root, path).split("/")
  return parts[0] === "model" ? parts.slice(0, 2).join("/") : parts[0]!
}

const project = new Project({ tsConfigFilePath: join(root, "tsconfig.json"), skipAddingFilesFromTsConfig: true })
project.addSourceFilesAtPaths(["model", "impl", "refinement"].map((folder) => join(root, folder, "**/*.ts")))

const importsOf = (
  file: SourceFile
): ReadonlyArray<{ readonly specifier: string; readonly path: string | undefined }> =>
  [...file.getImportDeclarations(), ...file.getExportDeclarations()].flatMap((declaration) => {
    const specifier = declaration.getModuleSpecifierValue()
    if (specifier === undefined) return []
    return [
      { specifier, path: specifier.startsWith(".") ? resolve(dirname(file.getFilePath()), specifier) : undefined }
    ]
  })

/** The forbidden imports among `files`, one line each. */
const violations = (files: ReadonlyArray<SourceFile>): ReadonlyArray<string> =>
  files.flatMap((file) => {
    const from = folderOf(file.getFilePath())
    return importsOf(file).flatMap(({ specifier, path }) => {
      const place = `${relative(root, file.getFilePath())} imports ${specifier}`
      if (path === undefined) {
        return specifier.startsWith("node:") && nodeFree.includes(from)
          ? [`${place}: ${from} must run in a browser`]
          : []
      }
      const to = folderOf(path)
      return mayImport[from]?.includes(to) ? [] : [`${place}: ${from} may not know ${to}`]
    })
  })

/** The files on import cycles, each cycle as a path that returns to its start. Imports of types alone do not count. */
const cycles = (files: ReadonlyArray<SourceFile>): ReadonlyArray<string> => {
  const edges = new Map(
    files.map((file) => [
      file.getFilePath() as string,
      file
        .getImportDeclarations()
        .filter((declaration) => !declaration.isTypeOnly())
        .map((declaration) => declaration.getModuleSpecifierValue())
        .filter((specifier) => specifier.startsWith("."))
        .map((specifier) => resolve(dirname(file.getFilePath()), specifier))
    ])
  )
  const found: Array<string> = []
  const done = new Set<string>()
  const visit = (path: string, trail: ReadonlyArray<string>): void => {
    const at = trail.indexOf(path)
    if (at >= 0) {
      found.push([...trail.slice(at), path].map((p) => relative(root, p)).join(" -> "))
      return
    }
    if (done.has(path)) return
    for (const next of edges.get(path) ?? []) visit(next, [...trail, path])
    done.add(path)
  }
  for (const path of edges.keys()) visit(path, [])
  return found
}

describe("dependencies", () => {
  test("folders: every import of the shipped sources: points the way that the design allows", () => {
    const files = project.getSourceFiles()
    expect(files.length).toBeGreaterThan(20)
    expect(violations(files)).toEqual([])
  })

  test("folders: a forbidden import: is reported", () => {
    const planted = new Project({ useInMemoryFileSystem: true }).createSourceFile(
      join(root, "model/checker/Planted.ts"),
      `import { something } from "../protocol/Log.ts"\nimport { readFileSync } from "node:fs"`
    )
    expect(violations([planted])).toEqual([
      "model/checker/Planted.ts imports ../protocol/Log.ts: model/checker may not know model/protocol",
      "model/checker/Planted.ts imports node:fs: model/checker must run in a browser"
    ])
  })

  test("files: imports: have no cycle", () => {
    expect(cycles(project.getSourceFiles())).toEqual([])
  })

  test("files: an import cycle: is reported", () => {
    const memory = new Project({ useInMemoryFileSystem: true })
    const a = memory.createSourceFile(join(root, "impl/A.ts"), `import { b } from "./B.ts"\nexport const a = b`)
    const b = memory.createSourceFile(join(root, "impl/B.ts"), `import { a } from "./A.ts"\nexport const b = a`)
    expect(cycles([a, b])).toEqual(["impl/A.ts -> impl/B.ts -> impl/A.ts"])
  })

  test("files: names: say the concept", () => {
    const vague = project
      .getSourceFiles()
      .map((file) => basename(file.getFilePath(), ".ts").toLowerCase())
      .filter((name) => ["utils", "util", "helpers", "helper", "common", "misc", "shared"].includes(name))
    expect(vague).toEqual([])
  })

  test("top level: folders: are those of the design", () => {
    const generated = ["node_modules", "dist", "coverage"]
    const folders = readdirSync(root, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && !generated.includes(entry.name))
      .map((entry) => entry.name)
    expect(folders.toSorted()).toEqual(["docs", "impl", "model", "refinement", "test"])
  })
})
