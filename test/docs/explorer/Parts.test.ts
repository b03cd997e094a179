import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { Effect } from "effect"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { wrapGuards } from "../../../docs/explorer/build/GuardPlugin.ts"
import { fate } from "../../../docs/explorer/engine/Fate.ts"
import { guardOf, listen } from "../../../docs/explorer/engine/Guards.ts"
import { specOf } from "../../../docs/explorer/engine/Subjects.ts"
import { follow, pathOf, stand } from "../../../docs/explorer/engine/Walks.ts"
import { stories } from "../../../docs/explorer/page/gallery/Stories.ts"
import { readMatrix } from "../../../docs/explorer/page/matrix/Cells.ts"
import { check } from "../../../model/checker/index.ts"
import { registry } from "../../../refinement/cli/Registry.ts"

const root = resolve(import.meta.dirname, "../../..")

/** Runs a function that is written as text, with its conditions wrapped. */
const wrapped = (source: string): ((...given: ReadonlyArray<unknown>) => unknown) => {
  const code = wrapGuards(`const f = ${source}`, "a.ts")
  const made: unknown = new Function(`${code ?? `const f = ${source}`}; return f`)()
  if (typeof made !== "function") throw new Error("no function")
  return (...given) => made(...given)
}

describe("explorer, guards", () => {
  test("a condition of several parts: the one that is in the way is named, as what would have to be so", () => {
    listen()
    const f = wrapped("(a, b) => { if (a !== 1 || (b > 2 || !a)) return; return a }")
    expect(guardOf(() => f(1, 3))).toEqual({ needs: "b <= 2", where: "a.ts:1" })
    expect(guardOf(() => f(2, 0))).toEqual({ needs: "a === 1", where: "a.ts:1" })
    expect(guardOf(() => f(1, 0))).toBeUndefined()
    const g = wrapped("(a, b) => (a && b < 2 ? a : undefined)")
    expect(guardOf(() => g(true, 2))?.needs).toBe("b < 2")
  })

  test("wrapping: any conditions, nested and side by side: answers what it answered before", () => {
    const condition = fc.letrec((tie) => ({
      expression: fc.oneof(
        { depthSize: "small" },
        fc.constantFrom("a", "!b", "a === b", "c"),
        fc
          .tuple(tie("expression"), fc.constantFrom("||", "&&"), tie("expression"))
          .map((parts) => `(${parts.join(" ")})`),
        fc.tuple(tie("expression"), tie("expression")).map(([x, y]) => `(${x} ? ${y} : undefined)`)
      )
    })).expression
    fc.assert(
      fc.property(condition, condition, fc.boolean(), fc.boolean(), fc.boolean(), (x, y, a, b, c) => {
        const source = `(a, b, c) => { if (${x}) return; return ${y} ? [a, b, c] : undefined }`
        const plain: unknown = new Function(`return ${source}`)()
        if (typeof plain !== "function") throw new Error("no function")
        listen()
        expect(wrapped(source)(a, b, c)).toEqual(plain(a, b, c))
      }),
      { numRuns: 300 }
    )
  })
})

describe("explorer, engine", () => {
  test("a counterexample: as a path, and followed with the rule on: the same steps up to the one that is refused", async () => {
    const off = { model: "fence-3", off: ["fence"] }
    const report = await Effect.runPromise(check(specOf(off)))
    const steps = report.counterexamples[0]?.steps ?? []
    const path = await pathOf({ ...off, states: steps.map(({ state }) => state) })
    expect((await stand({ ...off, path })).broken).toEqual(["OneChainProp"])
    const taken = steps.slice(1).map(({ action = "", parameters }) => ({ action, parameters }))
    const followed = await follow({ model: "fence-3", off: [], steps: taken })
    expect(followed.path).toHaveLength(3)
    expect(followed.refused?.label).toBe("Write(d = 1)")
    await expect(pathOf({ model: "fence-3", off: [], states: steps.map(({ state }) => state) })).rejects.toThrow(
      "not one"
    )
  })

  test("fate: of a step that breaks a property at once: sealed by that step alone", async () => {
    const off = { model: "fence-3", off: ["fence"] }
    const report = await Effect.runPromise(check(specOf(off)))
    const states = (report.counterexamples[0]?.steps ?? []).map(({ state }) => state)
    expect((await fate({ ...off, states, property: "OneChainProp" })).at).toBe(4)
  })

  test("a model or a rule that there is not: is refused by name", () => {
    expect(() => specOf({ model: "nothing", off: [] })).toThrow("There is no model nothing.")
    expect(() => specOf({ model: "fence-3", off: ["moon"] })).toThrow("has no rule moon")
  })
})

describe("explorer, gallery and matrix", () => {
  test("stories: all 29, each with a model whose manifest pins what fails without its rule, or with a reason", () => {
    expect(stories).toHaveLength(29)
    for (const { id, shown, unshown } of stories) {
      if (shown === undefined) {
        expect(unshown?.why, id).not.toBe("")
        continue
      }
      const model = registry.find(({ name }) => name === shown.model)
      expect(model?.without[shown.without]?.result, `${id}: ${shown.model} without ${shown.without}`).toBe("violation")
    }
  })

  test("the matrix: every group of the page is read, and what manifests pin is among its cells", () => {
    const page = readFileSync(join(root, "docs/matrix.md"), "utf8")
    const groups = readMatrix(page)
    expect(groups).toHaveLength(page.match(/^## /gm)?.length ?? 0)
    const fence = groups.find(({ title }) => title.startsWith("fence-3"))
    expect(fence).toEqual({
      title: "fence-3, fence-3-longer, fence-4",
      properties: ["OneChainProp"],
      rows: [{ rule: "fence", cells: [{ is: "fails", steps: 4, pinned: true }] }]
    })
    expect(() => readMatrix("## a\n\n| without | `P` |\n| --- | --- |\n| `r` | soon |\n")).toThrow("soon")
  })
})
