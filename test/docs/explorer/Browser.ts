/**
 * A browser for the tests of the explorer: Debian's Chromium, and the explorer as it is built.
 *
 * @module
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core"
import { build } from "vite"

const root = resolve(import.meta.dirname, "../../..")

const CANDIDATES = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

/** The browser's path. Throws where there is none: tests that are left out show nothing. */
const executable = (): string => {
  const found = CANDIDATES.find((path) => path !== undefined && existsSync(path))
  if (found === undefined) throw new Error("There is no Chromium: install Debian's package chromium, or set CHROMIUM.")
  return found
}

/** Others may use the machine too: nothing here is about time. */
const PATIENCE = 90_000

/** The explorer in a browser. */
export interface Explorer {
  /** A page in a fresh profile, at a place in the explorer. What goes wrong in the page is an error of the test. */
  readonly open: (hash: string, size?: { readonly width: number; readonly height: number }) => Promise<Page>
  /** What went wrong in some page: errors, and what its policy forbade. */
  readonly troubles: ReadonlyArray<string>
  readonly folder: string
  /** Closes the pages that are open. */
  readonly leave: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Builds the explorer, and starts a browser. */
export const startExplorer = async (): Promise<Explorer> => {
  const folder = mkdtempSync(join(tmpdir(), "onewriter-explorer-"))
  await build({
    configFile: join(root, "docs/explorer/vite.config.ts"),
    logLevel: "silent",
    build: { outDir: folder, emptyOutDir: true }
  })
  const browser: Browser = await chromium.launch({ executablePath: executable(), args: ["--no-sandbox"] })
  const troubles: Array<string> = []
  const contexts: Array<BrowserContext> = []
  return {
    folder,
    troubles,
    open: async (hash, size = { width: 1440, height: 900 }) => {
      const context = await browser.newContext({ viewport: size })
      contexts.push(context)
      context.setDefaultTimeout(PATIENCE)
      const page = await context.newPage()
      page.on("pageerror", (error) => troubles.push(error.message))
      page.on("console", (message) => {
        if (message.type() === "error") troubles.push(message.text())
      })
      await page.goto(`${pathToFileURL(join(folder, "index.html"))}${hash}`)
      return page
    },
    leave: async () => {
      for (const context of contexts.splice(0)) await context.close()
    },
    close: async () => {
      await browser.close()
      rmSync(folder, { recursive: true })
    }
  }
}
