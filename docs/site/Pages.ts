/**
 * The pages of the site: those that are written by hand, taken from where they are, and those that are generated, each
 * with its title and its place in the navigation.
 *
 * Pages keep their places among each other, so links between them stay as they are; a link to anything else, a source for
 * instance, is turned to where that is.
 *
 * @module
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { Project } from "ts-morph"
import { registry } from "../../refinement/cli/Registry.ts"
import { architecturePicture } from "./Architecture.ts"
import { modelsPage } from "./ModelsPage.ts"
import { referencePage } from "./Reference.ts"

/** A page in the navigation: its path under `docs`, and the pages below it. */
export interface Entry {
  readonly path: string
  readonly children?: ReadonlyArray<string>
}

const pagesIn = (root: string, folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, "docs", folder))
    .filter((name) => name.endsWith(".md") && name !== "README.md")
    .toSorted()
    .map((name) => `${folder}/${name}`)

/** The navigation, in its order. */
export const navigation = (root: string): ReadonlyArray<Entry> => [
  { path: "guides/start.md" },
  { path: "guides/reviewers.md" },
  { path: "guides/ci.md" },
  { path: "guides/maintainers.md" },
  { path: "worlds.md" },
  { path: "operating.md" },
  { path: "checker.md", children: ["spec-language.md"] },
  { path: "protocol.md", children: ["reference.md", "models.md"] },
  { path: "rules/README.md", children: pagesIn(root, "rules") },
  { path: "matrix.md" },
  { path: "findings.md" },
  { path: "architecture.md", children: pagesIn(root, "decisions") },
  { path: "guides/adding.md" },
  { path: "benchmarks.md" }
]

const LINK = /(\[[^\]]*\]\()([^)\s#]+)((?:#[^)\s]*)?(?:\s+"[^"]*")?\))/g

/** A page with its links turned: those to other pages stay, and those to anything else lead to where that is. */
export const turned = (text: string, from: string, to: string, isPage: (path: string) => boolean): string =>
  text.replace(LINK, (whole, open: string, target: string, rest: string) => {
    if (/^[a-z]+:/.test(target)) return whole
    const path = resolve(dirname(from), target)
    // A folder is nowhere to go to: its name stays.
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return open.slice(1, -2)
    return isPage(path) ? whole : `${open}${relative(dirname(to), path)}${rest}`
  })

const titleOf = (text: string): string => /^# (.+)$/m.exec(text)?.[1]?.replaceAll("`", "") ?? "Untitled"

/** A page as TypeDoc takes it: the title is said beforehand, and not again as a heading. */
const withFront = (text: string, from: string, children: ReadonlyArray<string> = []): string => {
  const below =
    children.length === 0
      ? []
      : ["children:", ...children.map((path) => `  - ${relative(dirname(from), path) || path}`)]
  return ["---", `title: ${JSON.stringify(titleOf(text))}`, ...below, "---", "", text.replace(/^# .+$/m, "")].join("\n")
}

const INTRODUCTION = `# Architecture

Dependencies point one way, and a test holds them to it: the checker knows nothing of the protocol, the implementation nothing of the model but its programs, and only the refinement knows all of them. The picture is drawn from the imports; a thicker line stands for more of them.

![The folders and what they import](architecture.svg)

Why things are as they are is written down as decisions.`

/** Writes all pages into a folder. Answers the paths of those at the top of the navigation. */
export const writePages = async (root: string, folder: string): Promise<ReadonlyArray<string>> => {
  const project = new Project({ tsConfigFilePath: join(root, "tsconfig.json"), skipAddingFilesFromTsConfig: true })
  project.addSourceFilesAtPaths(["model", "impl", "refinement"].map((part) => join(root, part, "**/*.ts")))
  const generated = new Map([
    ["reference.md", referencePage(project, root, registry, (file) => `../${file}`)],
    ["models.md", modelsPage(registry)],
    ["architecture.md", INTRODUCTION]
  ])
  rmSync(folder, { recursive: true, force: true })
  const entries = navigation(root)
  const all = new Set(entries.flatMap(({ path, children = [] }) => [path, ...children]))
  const docs = join(root, "docs")
  const isPage = (path: string): boolean => all.has(relative(docs, path)) || path === join(docs, "architecture.svg")
  const write = (path: string, children?: ReadonlyArray<string>): void => {
    const [from, to] = [join(docs, path), join(folder, path)]
    const text = generated.get(path) ?? readFileSync(from, "utf8")
    mkdirSync(dirname(to), { recursive: true })
    writeFileSync(to, withFront(turned(text, from, to, isPage), path, children))
  }
  for (const { path, children } of entries) {
    write(path, children)
    for (const child of children ?? []) write(child)
  }
  writeFileSync(join(folder, "architecture.svg"), await architecturePicture(project, root))
  return entries.map(({ path }) => join(folder, path))
}
