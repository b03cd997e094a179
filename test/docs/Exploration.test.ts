import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { describe, expect, test } from "vitest"
import { configurations } from "../../refinement/product/Configurations.ts"
import { explorationMarkdown } from "../../refinement/product/ExploreText.ts"
import { beyond, faults } from "../../refinement/product/Mutants.ts"

const page = readFileSync(join(resolve(import.meta.dirname, "../.."), "docs/exploration.md"), "utf8")

/** The first cells of the rows of the tables of a page. */
const firstCells = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^\| `([^`|]+)` \|/gm)].flatMap(([, name]) => (name === undefined ? [] : [name]))

const expected = (): ReadonlyArray<string> => [
  ...configurations.filter(({ set }) => set === "ci").map(({ name }) => name),
  ...faults.map(({ rule }) => rule),
  ...Object.keys(beyond)
]

describe("docs/exploration.md", () => {
  test("its rows: they are the configurations that CI explores, the faults, and the switches that are none", () => {
    expect(firstCells(page)).toEqual(expected())
  })

  test("its text: it is the one that the command writes", () => {
    const prose = (text: string): ReadonlyArray<string> =>
      text.split("\n").filter((line) => line !== "" && !line.startsWith("|"))
    expect(prose(page)).toEqual(prose(explorationMarkdown([], [])))
  })

  test("every configuration holds, and every fault is caught", () => {
    const rows = [...page.matchAll(/^\| `([^`|]+)` \| (.*) \|$/gm)].map(([, name = "", rest = ""]) => ({
      name,
      cells: rest.split(" | ")
    }))
    for (const { name } of configurations.filter(({ set }) => set === "ci")) {
      expect(rows.find((row) => row.name === name)?.cells[1], name).toBe("holds")
    }
    for (const { rule } of faults)
      expect(rows.find((row) => row.name === rule)?.cells[2], rule).toMatch(/^`\w+(Inv|Prop)`$/)
  })

  test("a page without a row: it is noticed", () => {
    expect(firstCells(page.replace(/^\| `fence` .*\n/m, ""))).not.toEqual(expected())
  })
})
