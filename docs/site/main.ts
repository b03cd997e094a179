/**
 * `npm run docs`: builds the site into `docs/dist/site`, the explorer within it, and checks every link of it.
 *
 * The site is TypeDoc's: pages and API in one, with a search, and readable from a disk. A link to a declaration that there
 * is not, and a link to a page or place that there is not, end the build. That each export has a docstring is a test
 * (`test/Docs.test.ts`).
 *
 * @module
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { LinkChecker, LinkState } from "linkinator"
import { Application, LogLevel } from "typedoc"
import { build } from "vite"
import { writePages } from "./Pages.ts"

const root = resolve(import.meta.dirname, "../..")
const site = join(root, "docs/dist/site")

/** Stands for the explorer until it is known from where it is linked: TypeDoc takes the address as it is. */
const EXPLORER = "https://explorer.invalid/"

/** A check that does not get beyond the first page has checked nothing. */
const FEWEST_LINKS = 500

const fail = (what: string): never => {
  console.error(what)
  process.exit(1)
}

const documents = async (pages: ReadonlyArray<string>): Promise<void> => {
  const application = await Application.bootstrapWithPlugins({
    options: join(root, "typedoc.json"),
    name: "Onewriter",
    out: site,
    projectDocuments: [...pages],
    readme: "none",
    navigationLinks: { Explorer: EXPLORER },
    customCss: join(root, "docs/site/site.css"),
    sort: ["source-order"],
    includeVersion: true,
    validation: { invalidLink: true, invalidPath: true, notExported: false, notDocumented: false },
    treatValidationWarningsAsErrors: true,
    logLevel: "Warn"
  })
  const project = (await application.convert()) ?? fail("TypeDoc cannot read the sources.")
  application.validate(project)
  if (application.logger.hasErrors() || application.logger.warningCount > 0)
    fail("The documentation is not whole: see above.")
  // It does not see the places that the pages about the rules name inside of tables. Those are checked with all links.
  application.logger.level = LogLevel.Error
  await application.generateOutputs(project)
  if (application.logger.hasErrors()) fail("The documentation cannot be written: see above.")
}

const linkExplorer = (): void => {
  for (const name of readdirSync(site, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".html") || name.startsWith("explorer/")) continue
    const path = join(site, name)
    const text = readFileSync(path, "utf8")
    const target = relative(dirname(path), join(site, "explorer/index.html"))
    if (text.includes(EXPLORER)) writeFileSync(path, text.replaceAll(EXPLORER, target))
  }
}

const checkLinks = async (): Promise<void> => {
  const checker = new LinkChecker()
  const { links } = await checker.check({
    path: site,
    recurse: true,
    checkFragments: true,
    // Only what is in the site: an address elsewhere may be down today.
    linksToSkip: ["^https?://(?!localhost|127\\.0\\.0\\.1)"]
  })
  if (links.length < FEWEST_LINKS) fail(`Only ${links.length} links were found: the site is not whole.`)
  const broken = links.filter(({ state }) => state === LinkState.BROKEN)
  for (const { url, parent } of broken) console.error(`${parent ?? "?"} links to ${url}, which there is not.`)
  if (broken.length > 0) fail(`${broken.length} broken links.`)
  console.log(`${links.length.toLocaleString("en")} links, none broken.`)
}

rmSync(site, { recursive: true, force: true })
await documents(await writePages(root, join(root, "docs/dist/pages")))
await build({
  configFile: join(root, "docs/explorer/vite.config.ts"),
  logLevel: "warn",
  build: { outDir: join(site, "explorer") }
})
linkExplorer()
await checkLinks()
console.log(`The site is in ${relative(root, site)}: open ${relative(root, site)}/index.html.`)
