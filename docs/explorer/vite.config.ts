/**
 * How the explorer is built: into one folder that opens by a double click, without a server.
 *
 * A browser refuses modules and worker files to a page that comes from a disk. So the page is one classic script, and the
 * worker is inside of it.
 *
 * @module
 */
import { resolve } from "node:path"
import { defineConfig, type Plugin } from "vite"
import { guardPlugin } from "./build/GuardPlugin.ts"

const root = resolve(import.meta.dirname, "../..")

/** The page loads its script as a classic one, after the document. */
const classicScript: Plugin = {
  name: "onewriter-classic-script",
  enforce: "post",
  transformIndexHtml: (html) =>
    html
      .replace(/<script type="module" crossorigin/g, "<script defer")
      .replace(/<link rel="stylesheet" crossorigin/g, '<link rel="stylesheet"')
}

export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  plugins: [classicScript],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  worker: { format: "iife", plugins: () => [guardPlugin(root)] },
  build: {
    outDir: resolve(root, "dist/explorer"),
    emptyOutDir: true,
    modulePreload: false,
    cssCodeSplit: false,
    chunkSizeWarningLimit: 8_000,
    rolldownOptions: {
      output: { format: "iife", entryFileNames: "explorer.js", assetFileNames: "explorer[extname]" }
    }
  }
})
