import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import AjvDraft04 from "ajv-draft-04"
import addFormats from "ajv-formats"
import { describe, expect, test } from "vitest"
import { type Judged, sarif } from "../../../../model/checker/formats/index.ts"
import { counterexampleOf, HOSTILE, hostile, reportOf, round, unfenced } from "./Subjects.ts"

const schema: object = JSON.parse(
  readFileSync(
    createRequire(import.meta.url).resolve("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json"),
    "utf8"
  )
)
const ajv = new AjvDraft04.default({ strict: false, unicodeRegExp: false, allErrors: true })
addFormats.default(ajv)
const valid = ajv.compile(schema)

const judged = async (spec: Judged["spec"], more: Partial<Judged> = {}): Promise<Judged> => ({
  name: spec.name,
  spec,
  report: await reportOf(spec),
  expected: [],
  differences: [],
  ...more
})

/** The log as a consumer reads it, once the published schema accepts it. */
const logOf = (results: ReadonlyArray<Judged>): ReturnType<typeof sarif> => {
  const text = JSON.stringify(sarif(results, "1.2.3"))
  const log: ReturnType<typeof sarif> = JSON.parse(text)
  valid(log)
  expect(valid.errors ?? []).toEqual([])
  return log
}

describe("reports as SARIF", () => {
  test("a violation: an error at the line that defines the property, with a thread flow for each process", async () => {
    const text = "const x = 1\nexport const Unrelated = OneChainProp\n  OneChainProp: stepProperty((s, t) => true)\n"
    const log = logOf([await judged(unfenced, { file: { path: "specs/my spec.ts", text } })])
    const [run] = log.runs
    expect(run?.tool.driver).toMatchObject({ name: "onewriter", semanticVersion: "1.2.3" })
    expect(run?.tool.driver.rules?.map(({ id }) => id)).toEqual(["CountInv", "OneChainProp"])
    const [result] = run?.results ?? []
    expect(result).toMatchObject({ ruleId: "OneChainProp", kind: "fail", level: "error" })
    expect(result?.locations?.[0]?.physicalLocation).toEqual({
      artifactLocation: { uri: "specs/my%20spec.ts" },
      region: { startLine: 3 }
    })
    const flows = result?.codeFlows?.[0]?.threadFlows ?? []
    expect(flows.map(({ id }) => id)).toEqual(["d 1", "d 2"])
    const order = flows.flatMap(({ id, locations }) =>
      locations.map((at) => [at.executionOrder, id, at.state?.log?.text])
    )
    expect(order.toSorted((a, b) => Number(a[0]) - Number(b[0]))).toEqual([
      [1, "d 1", "[]"],
      [2, "d 2", "[]"],
      [3, "d 2", "[2]"],
      [4, "d 1", "[2, 1]"]
    ])
  })

  test("hostile text, a lasso, an expected violation, a manifest, a bound: are all valid", async () => {
    const bounded = await judged(unfenced)
    const log = logOf([
      await judged(hostile, { file: { path: 'a?"#.ts', text: "" } }),
      await judged(round, { expected: ["DoneProp"] }),
      {
        ...bounded,
        differences: ["depth: the manifest says 1, the check found 2"],
        report: { ...bounded.report, result: "bounded", reasons: ["There are more."], counterexamples: [] }
      }
    ])
    const results = log.runs[0]?.results ?? []
    expect(results.map(({ ruleId, kind, level }) => [ruleId, kind, level])).toEqual([
      ["Odd;Inv<&>", "fail", "error"],
      ["DoneProp", "informational", "none"],
      ["manifest", "fail", "error"],
      ["exhaustive", "fail", "warning"]
    ])
    expect(JSON.stringify(results[0])).toContain(JSON.stringify(JSON.stringify(HOSTILE)).slice(1, -1))
    const ids = new Set(log.runs[0]?.tool.driver.rules?.map(({ id }) => id))
    for (const { ruleId } of results) expect(ids.has(ruleId ?? "")).toBe(true)
  })

  test("a lasso: the last step of its flow goes back, to the state that it names", async () => {
    const subject = await judged(round)
    const lasso = subject.report.counterexamples[0]?.lasso
    const flows = logOf([subject]).runs[0]?.results?.[0]?.codeFlows?.[0]?.threadFlows ?? []
    const last = flows.flatMap(({ locations }) => locations).at(-1)
    expect(lasso?.step?.action).toBe("Flip")
    expect(last?.location?.message?.text).toMatch(new RegExp(`^Flip, back to state ${lasso?.backTo}\n`))
    expect(last?.executionOrder).toBe(subject.report.counterexamples[0]?.steps.length)
  })

  test("nothing fails: no result, and the properties all the same", async () => {
    const fine = await judged({ ...unfenced, stepProperties: {} })
    expect(logOf([fine]).runs[0]?.results).toEqual([])
  })

  test("a counterexample of no steps: shows the initial state in its message", async () => {
    const wrong = { ...unfenced, stepProperties: {}, invariants: { NeverInv: () => false } }
    const found = await counterexampleOf(wrong)
    expect(found.steps).toHaveLength(1)
    expect(logOf([await judged(wrong)]).runs[0]?.results?.[0]?.message.text).toContain("log = []")
  })

  test("the schema: a log without a version: is refused", () => {
    expect(valid({ runs: [] })).toBe(false)
  })
})
