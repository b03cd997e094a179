import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { Project } from "ts-morph"
import { describe, expect, test } from "vitest"
import { importsBetween } from "../../docs/site/Architecture.ts"
import { navigation, turned } from "../../docs/site/Pages.ts"

const root = resolve(import.meta.dirname, "../..")

describe("site", () => {
  test("links of a page: to pages they stay, to sources they are turned, and folders are only named", () => {
    const isPage = (path: string) => path.endsWith(".md")
    const text = "[a](rules/x.md#y) [b](../model/checker/index.ts) [c](../model/checker) [d](https://e.org/f)"
    expect(turned(text, join(root, "docs/a.md"), join(root, "docs/dist/pages/a.md"), isPage)).toBe(
      "[a](rules/x.md#y) [b](../../../model/checker/index.ts) c [d](https://e.org/f)"
    )
  })

  test("navigation: every page of it that is not generated: is there, and is named once", () => {
    const paths = navigation(root).flatMap(({ path, children = [] }) => [path, ...children])
    expect(new Set(paths).size).toBe(paths.length)
    const generated = ["reference.md", "models.md", "architecture.md"]
    const missing = paths.filter((path) => !generated.includes(path) && !existsSync(join(root, "docs", path)))
    expect(missing).toEqual([])
  })

  test("the picture: imports between folders: are those of the sources, in their direction", () => {
    const memory = new Project({ useInMemoryFileSystem: true })
    memory.createSourceFile("/model/protocol/A.ts", 'import { b } from "../checker/B.ts"\nexport const a = b')
    memory.createSourceFile("/model/checker/B.ts", "export const b = 1")
    const found = importsBetween(memory, "/")
    expect(found.get("model/protocol")?.get("model/checker")).toBe(1)
    expect(found.get("model/checker")?.size).toBe(0)
  })
})
