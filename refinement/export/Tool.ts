/**
 * The translation as one function: from the file of a spec to the files of a TLA+ module.
 *
 * @module
 */
import type { Wanted } from "./Exports.ts"
import { type TlaFiles, writeTla } from "./Module.ts"
import { readSources, type Sources } from "./Sources.ts"
import { named, translate } from "./Translate.ts"

/** A file that has been read, to translate what it exports. */
export interface Exportable {
  /** The names of the specs and models that the file exports. */
  readonly names: () => ReadonlyArray<string>
  /** Translates one of them, with some of its rules off. Throws `Untranslatable`. */
  readonly toTla: (wanted: Wanted) => TlaFiles
}

/** Reads a file of specs and models. Reading takes seconds, translating does not: read once to translate many. */
export const exportables = (path: string): Exportable => exportable(readSources([path])[0]!)

/** Reads several files, which takes little longer than to read one of them. In the order of the paths. */
export const exportablesOf = (paths: ReadonlyArray<string>): ReadonlyArray<Exportable> =>
  readSources(paths).map(exportable)

const exportable = (sources: Sources): Exportable => ({
  names: () => named(sources),
  toTla: (wanted) => writeTla(translate(sources, wanted))
})

/** Translates one spec or model that a file exports. Throws `Untranslatable` when its text is outside the subset. */
export const exportTla = (path: string, name: string, without: ReadonlyArray<string> = []): TlaFiles =>
  exportables(path).toTla({ name, without })
