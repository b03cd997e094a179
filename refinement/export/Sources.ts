/**
 * The text of a spec: its file, and the files that it imports, with their types.
 *
 * A spec is read with its own compiler options, so that what it means does not depend on whose project it lies in.
 *
 * @module
 */
import { dirname, resolve } from "node:path"
import { Project, type SourceFile, ts } from "ts-morph"

/** The files of a spec. */
export interface Sources {
  readonly entry: SourceFile
  /** The entry, and every file of a spec that it imports, directly or not. The engine's own are not among them. */
  readonly files: ReadonlyArray<SourceFile>
  readonly checker: ts.TypeChecker
  readonly program: ts.Program
}

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2024,
  lib: ["lib.es2024.d.ts", "lib.esnext.collection.d.ts", "lib.esnext.iterator.d.ts"],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: [],
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  noEmit: true
}

/** Whether a file is part of the engine, which a spec is written in and which is not itself a spec. */
export const isEngine = (path: string): boolean =>
  /[\\/]checker[\\/](?!examples[\\/])[^\\/]+$/.test(path) || /[\\/]onewriter[\\/]dist[\\/]/.test(path)

/** Reads the files of specs, and all that they import: what they share, once. In the order of the paths. */
export const readSources = (paths: ReadonlyArray<string>): ReadonlyArray<Sources> => {
  const project = new Project({ compilerOptions: options, skipAddingFilesFromTsConfig: true })
  const read = paths.map((path) => {
    const entry = project.addSourceFileAtPath(resolve(path))
    return { entry, files: reachable(project, entry) }
  })
  const program = project.getProgram().compilerObject
  return read.map((one) => ({ ...one, checker: program.getTypeChecker(), program }))
}

const reachable = (project: Project, entry: SourceFile): ReadonlyArray<SourceFile> => {
  const found = new Map<string, SourceFile>()
  const visit = (file: SourceFile): void => {
    const path = file.getFilePath()
    if (found.has(path) || isEngine(path)) return
    found.set(path, file)
    for (const declaration of [...file.getImportDeclarations(), ...file.getExportDeclarations()]) {
      const specifier = declaration.getModuleSpecifierValue()
      if (specifier === undefined || !specifier.startsWith(".")) continue
      const next = project.addSourceFileAtPathIfExists(resolve(dirname(path), specifier))
      if (next !== undefined) visit(next)
    }
  }
  visit(entry)
  return [...found.values()]
}

/** What the compiler itself has against the files: without their types they can be neither linted nor translated. */
export const typeErrors = ({ files, program }: Sources): ReadonlyArray<{ node: SourceFile; text: string }> =>
  files.flatMap((file) => {
    const own = file.compilerNode
    return [...program.getSyntacticDiagnostics(own), ...program.getSemanticDiagnostics(own)].map((diagnostic) => {
      const { line, character } = ts.getLineAndCharacterOfPosition(own, diagnostic.start ?? 0)
      const text = ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n")
      return { node: file, text: `${file.getFilePath()}:${line + 1}:${character + 1}: ${text}` }
    })
  })
