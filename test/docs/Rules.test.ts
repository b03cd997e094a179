import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Schema } from "effect"
import { Project } from "ts-morph"
import { describe, expect, test } from "vitest"
import { Family, idFaults, restatementFaults } from "../../docs/generator/Catalogue.ts"
import { type Citation, citationsIn } from "../../docs/generator/Citations.ts"
import { coverage, needlessReasons, unknownRules } from "../../docs/generator/Coverage.ts"
import { pages, tally } from "../../docs/generator/Pages.ts"
import { reasonFaults } from "../../docs/generator/Reasons.ts"
import { CITING, rulesTable, stalePages, writePages } from "../../docs/generator/RulesTable.ts"
import { type Model, model, spec, variables } from "../../model/checker/index.ts"

const root = resolve(import.meta.dirname, "../..")
const table = rulesTable(root)

/** How many rules of the kinds safety, liveness and step nothing expresses, without a reason. It may only go down. */
const MISSING = 0

const A: Family = {
  family: "AA",
  title: "the rules of a test",
  about: "Rules of a test.",
  rules: [
    { id: "AA-01", rule: "Says | one.", kinds: ["safety"], without: "Do not: <b>", sources: ["Here > There"] },
    { id: "AA-02", rule: "Says two.", kinds: ["step"], sources: [] },
    { id: "AA-03", rule: "Says three.", kinds: ["cost"], sources: [] },
    { id: "AA-04", rule: "Says four.", kinds: ["liveness", "default"], sources: [] }
  ]
}

const counter = variables({ n: Schema.Int })

const counting: Model = model({
  name: "counting",
  about: "Counts.",
  switches: { "count-once": { rule: "Counts once.", ids: ["AA-02"], violates: "OnceInv" } },
  spec: spec({
    name: "counting",
    variables: counter,
    init: { n: 0 },
    actions: { Count: counter.action((s) => (s.n < 1 ? { n: s.n + 1 } : undefined)) },
    invariants: { OnceInv: (s) => s.n < 2 }
  }),
  expect: { result: "ok" },
  without: { "count-once": { result: "violation", property: "OnceInv", steps: 2 } }
})

const cited = (path: string, source: string): ReadonlyArray<Citation> =>
  citationsIn(
    new Project({ useInMemoryFileSystem: true }).createSourceFile(join(root, path), source),
    root,
    table.families.map(({ family }) => family).concat("AA")
  )

const coveredBy = (citations: ReadonlyArray<Citation>, models: ReadonlyArray<Model> = []) =>
  coverage({ families: [A], citations, models, reasons: [{ reason: "It is about time.", rules: ["AA-04"] }] })

describe("the catalogue of rules", () => {
  test("ids: all of them: are well formed, in their family's file, and given once", () => {
    expect(table.families.length).toBeGreaterThan(30)
    expect(table.families.flatMap(({ rules }) => rules).length).toBeGreaterThan(1500)
    expect(idFaults(table.families)).toEqual([])
  })

  test("ids: one that is given twice, or in the file of another family: is reported", () => {
    const other: Family = { ...A, rules: [A.rules[0], { ...A.rules[0], id: "BB-01" }] }
    expect(idFaults([A, other])).toEqual(["AA-01 is given twice", "BB-01 is among the rules of AA"])
  })

  test("a family: a field that is misspelled, a kind that there is not, or an id that is none: is refused", () => {
    const decode = Schema.decodeUnknownSync(Family, { onExcessProperty: "error" })
    const withRule = (rule: object) => ({ ...A, rules: [{ ...A.rules[0], ...rule }] })
    expect(decode(withRule({})).rules).toHaveLength(1)
    for (const rule of [{ witout: "x" }, { kinds: ["safe"] }, { kinds: [] }, { id: "AA-1" }, { rule: "" }]) {
      expect(() => decode(withRule(rule))).toThrow()
    }
  })

  test("restatements: all of them: are of rules that there are, and come to an end", () => {
    expect(restatementFaults(table.families)).toEqual([])
  })

  test("restatements: of a rule that there is not, or of itself through another: are reported", () => {
    const [one, two, three] = A.rules as unknown as [object, object, object]
    const restating = Schema.decodeUnknownSync(Family)({
      ...A,
      rules: [
        { ...one, restates: ["AA-02"] },
        { ...two, restates: ["AA-01"] },
        { ...three, restates: ["AA-09"] }
      ]
    })
    expect(restatementFaults([restating])).toEqual([
      "AA-01 says again AA-02 says again AA-01",
      "AA-02 says again AA-01 says again AA-02",
      "AA-03 says again what AA-09 says, which there is not"
    ])
  })

  test("rows: what they say: names no file outside the repository", () => {
    const text = table.families.flatMap(({ rules }) => rules.map(({ rule }) => rule)).join("\n")
    expect(text).not.toMatch(/\.\.\/|packages\/|\.test\.ts/)
  })
})

describe("citations", () => {
  test("sources: every rule that they name: is in the catalogue", () => {
    expect(table.citations.length).toBeGreaterThan(500)
    expect(unknownRules(table.citations, table.families)).toEqual([])
  })

  test("sources: what looks like a rule's id: is of a family of the catalogue, or of a standard's name", () => {
    const families = new Set(table.families.map(({ family }) => family))
    const project = new Project({ skipAddingFilesFromTsConfig: true, skipFileDependencyResolution: true })
    const foreign = project
      .addSourceFilesAtPaths(CITING.filter((each) => each !== "test").map((each) => join(root, each, "**/*.ts")))
      .flatMap((source) => [...source.getFullText().matchAll(/\b([A-Z]{2,})-\d{2,3}\b/g)])
      .filter(([, family]) => !families.has(family!))
      .map(([id]) => id)
    expect(foreign.filter((id) => !/^(?:UTF|CRC|SHA|ADR|ISO|MD)-/.test(id))).toEqual([])
  })

  test("a rule that there is not: is reported with its file", () => {
    expect(unknownRules(cited("impl/P.ts", "/** X. (AA-99) */\nexport const x = 1"), [A])).toEqual(["impl/P.ts: AA-99"])
  })

  test("a citation: in the module's comment, a docstring, a remark, a list, a test: belongs to what is around it", () => {
    const source = [
      "/**",
      " * About. (AA-01)",
      " *",
      " * @module",
      " */",
      "/** One. (AA-02) */",
      "export const one = {",
      "  /** Two. (AA-03) */",
      "  Two: () => {",
      "    // Three. (AA-04)",
      "    return 3",
      "  }",
      "}",
      "/** Four. (AA-01) */",
      'export function four() { return { rules: ["AA-02"] } }',
      "// Five. (AA-03)",
      "class Five { six = 6 /* AA-04 */ }"
    ].join("\n")
    expect(cited("model/P.ts", source).map(({ id, names }) => [id, names.join(" ")])).toEqual([
      ["AA-01", ""],
      ["AA-02", "one"],
      ["AA-03", "one Two"],
      ["AA-04", "one Two"],
      ["AA-01", "four"],
      ["AA-02", "four rules"],
      ["AA-03", "Five"],
      ["AA-04", "Five"]
    ])
    const tests = [
      'describe("all", () => { it.effect("one (AA-01): holds", () => { check("AA-02") }) })',
      'const checks = [{ rules: "AA-03", title: "three" }]',
      "test(`four of $" + "{what} (AA-04)`, () => {})"
    ].join("\n")
    expect(cited("test/P.test.ts", tests).map(({ id, title }) => [id, title])).toEqual([
      ["AA-01", "one (AA-01): holds"],
      ["AA-02", "one (AA-01): holds"],
      ["AA-03", "three"],
      ["AA-04", "four of $" + "{what} (AA-04)"]
    ])
  })

  test("a range: over the end of a line too: is every rule of it", () => {
    const source =
      "/**\n * (AA-01 to AA-04, AA-09, AA-10 to\n * AA-12)\n *\n * @module\n */\n// From AA-03 on to AA-05.\n"
    expect(cited("model/P.ts", source).map(({ id }) => id.slice(3))).toEqual([
      "01",
      "02",
      "03",
      "04",
      "09",
      "10",
      "11",
      "12",
      "03",
      "05"
    ])
  })

  test("a file without a comment of its own: its first comment: is not taken for one", () => {
    expect(cited("model/P.ts", "/** One. (AA-01) */\nexport const one = 1")).toEqual([
      { id: "AA-01", file: "model/P.ts", names: ["one"] }
    ])
  })
})

describe("coverage", () => {
  test("a rule: nothing names it: is missing, has a reason, or is the implementation's", () => {
    expect(coveredBy([]).map(({ standing }) => standing)).toEqual(["missing", "missing", "implementation", "reason"])
    expect(tally(coveredBy([]))).toEqual({ model: 0, reason: 1, missing: 2, implementation: 1 })
  })

  test("a rule: an implementation and a test name it, and no model: is missing all the same", () => {
    const citations = [
      ...cited("impl/P.ts", "/** X. (AA-01) */\nexport const x = 1"),
      ...cited("test/P.test.ts", 'test("x (AA-01): y", () => {})')
    ]
    const [one] = coveredBy(citations)
    expect(one).toMatchObject({
      standing: "missing",
      implementation: [{ file: "impl/P.ts", symbol: "x", is: "declaration" }],
      tests: [{ file: "test/P.test.ts", titles: ["x (AA-01): y"] }]
    })
  })

  test("a rule: an action, a property and a module name it: is expressed by them, the action first", () => {
    const citations = [
      ...cited("model/B.ts", "/**\n * Head. (AA-01)\n *\n * @module\n */\nexport const b = 1"),
      ...cited("model/C.ts", "export const c = {\n  /** Once. (AA-01) */\n  OnceInv: 1,\n  /** (AA-01) */ Count: 2 }")
    ]
    expect(coveredBy(citations, [counting])[0]).toMatchObject({
      standing: "model",
      model: [
        { file: "model/C.ts", symbol: "Count", is: "action" },
        { file: "model/C.ts", symbol: "OnceInv", is: "property" },
        { file: "model/B.ts", is: "module" }
      ]
    })
  })

  test("a rule: a switch of a model removes it: is expressed, and the model that shows it is named", () => {
    expect(coveredBy([], [counting])[1]).toMatchObject({
      standing: "model",
      model: [],
      switches: [{ name: "count-once", violates: "OnceInv", model: "counting" }]
    })
  })

  test("a rule: says again what others say: is expressed when all of them are", () => {
    const family = (restates: readonly [string, ...Array<string>]): Family => ({
      ...A,
      rules: [{ id: "AA-05", rule: "Says one again.", kinds: ["safety"], restates, sources: [] }, ...A.rules]
    })
    const standing = (restates: readonly [string, ...Array<string>]) =>
      coverage({ families: [family(restates)], citations: [], models: [counting], reasons: [] })[0]?.standing
    expect(standing(["AA-02"])).toBe("model")
    expect(standing(["AA-02", "AA-01"])).toBe("missing")
    const reasoned = coverage({
      families: [family(["AA-02", "AA-04"])],
      citations: [],
      models: [counting],
      reasons: [{ reason: "It is about time.", rules: ["AA-04"] }]
    })
    expect(reasoned[0]).toMatchObject({ standing: "reason", reason: "It is about time." })
    const [, page] = pages(
      [family(["AA-02"])],
      coverage({ families: [family(["AA-02"])], citations: [], models: [counting], reasons: [] })
    )
    expect(page?.text).toContain("| says again [AA-02](aa.md#aa-02) |")
  })

  test("rules of the kinds safety, liveness and step: without an action, property, module or reason: no more than there were", () => {
    const missing = table.rules.filter(({ standing }) => standing === "missing").map(({ rule }) => rule.id)
    expect(missing.length, `missing: ${missing.join(" ")}`).toBeLessThanOrEqual(MISSING)
  })

  test("reasons: all of them: are of rules that there are, one for each", () => {
    expect(reasonFaults(table.reasons, table.families)).toEqual([])
  })

  test("reasons: of a rule that a model expresses: are said to be needless", () => {
    const reasons = [{ reason: "x", rules: ["AA-02", "AA-04"] as const }]
    expect(needlessReasons(coverage({ families: [A], citations: [], models: [counting], reasons }))).toEqual(["AA-02"])
  })

  test("reasons: of a rule that there is not, or two of one rule: are reported", () => {
    const reasons = [
      { reason: "x", rules: ["AA-01", "AA-09"] as const },
      { reason: "y", rules: ["AA-01"] as const }
    ]
    expect(reasonFaults(reasons, [A])).toEqual(["AA-09 is not in the catalogue", "AA-01 has two reasons"])
  })
})

describe("the pages about the rules", () => {
  test("what is committed: is what `npm run rules` writes", () => {
    expect(stalePages(root, table.pages)).toEqual([])
  })

  test("a page: a rule of it: has an anchor, its kind, how it stands, and nothing that ends a cell", () => {
    const [overview, page] = pages([A], coveredBy(cited("impl/P.ts", "/** X. (AA-01) */\nexport const x = 1")))
    expect(page?.name).toBe("aa.md")
    const row = page?.text.split("\n").find((line) => line.includes("AA-01"))
    expect(row?.split(/(?<!\\)\|/)).toHaveLength(8)
    expect(row).toContain('<a id="aa-01"></a>**AA-01** Says \\| one.')
    expect(row).toContain("Do not: &lt;b>")
    expect(row).toContain("| safety | **missing** |  | [`x`](../../impl/P.ts")
    expect(page?.text).toContain("| liveness, default | none: It is about time. |")
    expect(overview?.text).toContain("[AA-01](aa.md#aa-01), [AA-02](aa.md#aa-02)")
  })

  test("pages: one that is changed, absent or of no family: is stale, and is written or removed", () => {
    const scratch = mkdtempSync(join(tmpdir(), "onewriter-rules-"))
    try {
      const folder = join(scratch, "docs/rules")
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, "aa.md"), "old")
      writeFileSync(join(folder, "zz.md"), "of no family")
      const expected = pages([A], coveredBy([]))
      expect(stalePages(scratch, expected)).toEqual(["README.md", "aa.md", "zz.md"])
      expect(writePages(scratch, expected)).toEqual(["README.md", "aa.md", "zz.md"])
      expect(stalePages(scratch, expected)).toEqual([])
      expect(readFileSync(join(folder, "aa.md"), "utf8")).toBe(expected[1]?.text)
    } finally {
      rmSync(scratch, { recursive: true })
    }
  })
})
