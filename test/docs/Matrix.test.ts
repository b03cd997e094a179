import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { describe, expect, test } from "vitest"
import { allModels } from "../../model/protocol/index.ts"
import { groupsOf } from "../../refinement/ablation/Matrix.ts"
import { pinnedMarkdown } from "../../refinement/ablation/MatrixText.ts"
import { registry } from "../../refinement/cli/Registry.ts"

const root = resolve(import.meta.dirname, "../..")
const page = readFileSync(join(root, "docs/matrix.md"), "utf8")
const groups = groupsOf(registry)

/** The cells of the lines of a table, without the head and the line below it. */
const rowsOf = (lines: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> =>
  lines.map((line) =>
    line
      .slice(2, -2)
      .split(/ \| /)
      .map((cell) => cell.trim())
  )

interface Section {
  readonly title: string
  /** By rule and property, what the cell says. */
  readonly steps: (rule: string, property: string) => string | undefined
  readonly pinned: string
}

const sections = (text: string): ReadonlyArray<Section> =>
  text
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title = "", matrix = "", pinned = ""] = section.trim().split("\n\n")
      const [head = [], , ...rows] = rowsOf(matrix.split("\n"))
      return {
        title,
        pinned,
        steps: (rule, property) => rows.find(([name]) => name === `\`${rule}\``)?.[head.indexOf(`\`${property}\``)]
      }
    })

/** What a page says of rules in another way than the manifests do: a missing section or cell, a longer counterexample. */
const differences = (text: string): ReadonlyArray<string> => {
  const there = sections(text)
  const found = groups.flatMap((group) => {
    const section = there.find(({ title }) => title === group.title)
    if (section === undefined) return [`there is no section ${group.title}`]
    const missing = group.rules.flatMap(({ name, witnesses }) =>
      witnesses.flatMap(({ without }) => {
        const { property, steps } = without[name] ?? { result: "ok" }
        if (property === undefined || steps === undefined) return []
        const said = section.steps(name, property)
        const shortest = Number(said?.replaceAll("*", "") || Number.NaN)
        return shortest <= steps ? [] : [`${name}, ${property}: ${said ?? "nothing"} instead of ${steps}`]
      })
    )
    const stale = section.pinned === pinnedMarkdown(group) ? [] : [`what is pinned of ${group.title} has changed`]
    return [...missing, ...stale]
  })
  return [...new Set(found)]
}

describe("the matrix of rules against properties", () => {
  test("rules: every one of every model: is shown by a model, or says why nothing fails without it", () => {
    const unshown = groups.flatMap(({ rules }) =>
      rules.filter(
        ({ name, definition, witnesses }) =>
          definition.uncaught === undefined && !witnesses.some(({ without }) => without[name]?.result === "violation")
      )
    )
    expect(unshown.map(({ name }) => name)).toEqual([])
  })

  test("names: of the protocol's rules, and of all models: no two are alike", () => {
    const twice = (names: ReadonlyArray<string>) => names.filter((name, at) => names.indexOf(name) !== at)
    expect(twice(groupsOf(allModels).flatMap(({ rules }) => rules.map(({ name }) => name)))).toEqual([])
    expect(twice(registry.map(({ name }) => name))).toEqual([])
  })

  test("the page: says of every rule what the manifests pin, and nothing of rules that there are not", () => {
    expect(differences(page)).toEqual([])
    expect(sections(page).map(({ title }) => title)).toEqual(groups.map(({ title }) => title))
  })

  test("a page with a longer counterexample, another manifest, or without a section: is told apart", () => {
    const [{ title } = { title: "" }] = groups
    const added = (changed: string) => {
      const before = differences(page)
      return differences(changed).filter((each) => !before.includes(each))
    }
    expect(added(page.replace("| `unanimity` | **3** |", "| `unanimity` | **4** |"))).toEqual([
      "unanimity, AgreementInv: **4** instead of 3"
    ])
    expect(added(page.replace("`AgreementInv` after 3", "`AgreementInv` after 4"))).toHaveLength(1)
    expect(added(page.replace(`## ${title}\n`, "## Something\n"))).toEqual([`there is no section ${title}`])
  })
})
