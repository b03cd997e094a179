/**
 * The table of rules of a repository: read the catalogue, the reasons and the sources, and work out the pages.
 *
 * @module
 */
import { readdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Project } from "ts-morph"
import { allModels } from "../../model/protocol/index.ts"
import { type Family, readCatalogue } from "./Catalogue.ts"
import { type Citation, citationsIn } from "./Citations.ts"
import { type Covered, coverage } from "./Coverage.ts"
import { type Page, pages } from "./Pages.ts"
import { type Reason, readReasons } from "./Reasons.ts"

/** The folders whose sources name rules. */
export const CITING = ["model", "impl", "refinement", "test"] as const

/** What there is to say of the rules of a repository. */
export interface RulesTable {
  readonly families: ReadonlyArray<Family>
  readonly reasons: ReadonlyArray<Reason>
  readonly citations: ReadonlyArray<Citation>
  readonly rules: ReadonlyArray<Covered>
  readonly pages: ReadonlyArray<Page>
}

/** Works out the table of the repository at `root`. */
export const rulesTable = (root: string): RulesTable => {
  const families = readCatalogue(root)
  const reasons = readReasons(root)
  const project = new Project({ skipAddingFilesFromTsConfig: true, skipFileDependencyResolution: true })
  project.addSourceFilesAtPaths([
    ...CITING.map((folder) => join(root, folder, "**/*.ts")),
    // The tests of the documentation speak of rules without testing them.
    ...["test/docs/**/*.ts", "test/Docs.test.ts"].map((path) => `!${join(root, path)}`)
  ])
  const names = families.map(({ family }) => family)
  const citations = project.getSourceFiles().flatMap((source) => citationsIn(source, root, names))
  const rules = coverage({ families, citations, models: allModels, reasons })
  return { families, reasons, citations, rules, pages: pages(families, rules) }
}

const pageNames = (folder: string): ReadonlyArray<string> => readdirSync(folder).filter((name) => name.endsWith(".md"))

/** The committed pages that are not what the generator writes: changed, absent, or of no family. */
export const stalePages = (root: string, expected: ReadonlyArray<Page>): ReadonlyArray<string> => {
  const folder = join(root, "docs/rules")
  const there = pageNames(folder)
  return [
    ...expected
      .filter(({ name, text }) => !there.includes(name) || readFileSync(join(folder, name), "utf8") !== text)
      .map(({ name }) => name),
    ...there.filter((name) => !expected.some((page) => page.name === name))
  ]
}

/** Writes the pages that are stale, removes those of no family, and says which. */
export const writePages = (root: string, expected: ReadonlyArray<Page>): ReadonlyArray<string> => {
  const folder = join(root, "docs/rules")
  const stale = stalePages(root, expected)
  for (const name of stale) {
    const page = expected.find((each) => each.name === name)
    if (page === undefined) unlinkSync(join(folder, name))
    else writeFileSync(join(folder, name), page.text)
  }
  return stale
}
