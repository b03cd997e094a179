import { JSDOM } from "jsdom"
import { describe, expect, test } from "vitest"
import { type Judged, junit } from "../../../../model/checker/formats/index.ts"
import { HOSTILE, hostile, reportOf, round, unfenced } from "./Subjects.ts"

const { DOMParser } = new JSDOM("").window

/** The document, by an XML parser that is strict and not ours. */
const parse = (xml: string): Document => {
  const document = new DOMParser().parseFromString(xml, "application/xml")
  expect(document.querySelector("parsererror")?.textContent).toBeUndefined()
  return document
}

const judged = async (spec: Judged["spec"], more: Partial<Judged> = {}): Promise<Judged> => ({
  name: spec.name,
  spec,
  report: await reportOf(spec),
  expected: [],
  differences: [],
  ...more
})

const attributes = (element: Element | null): Record<string, string> =>
  Object.fromEntries([...(element?.attributes ?? [])].map(({ name, value }) => [name, value]))

describe("reports as JUnit XML", () => {
  test("a violation: a failed test case with the counterexample, and the counts", async () => {
    const document = parse(junit([await judged(unfenced)]))
    expect(attributes(document.documentElement)).toMatchObject({ tests: "2", failures: "1", errors: "0" })
    const suite = document.querySelector("testsuite")
    expect(attributes(suite)).toMatchObject({ name: "fence-2", tests: "2", failures: "1", skipped: "1" })
    const failed = document.querySelector('testcase[name="OneChainProp"] > failure')
    expect(attributes(failed)).toEqual({ message: "OneChainProp fails after 4 steps", type: "step" })
    expect(failed?.textContent).toContain("  3  Write(d = 2)\n       log: + 2 at the end")
    // The search stopped at the violation, so the other property is not decided.
    expect(document.querySelector('testcase[name="CountInv"] > skipped')).not.toBeNull()
  })

  test("a lasso: its text says where it goes back to, and why it is fair", async () => {
    const document = parse(junit([await judged(round)]))
    const text = document.querySelector("testcase[name=DoneProp] > failure")?.textContent ?? ""
    expect(text).toMatch(/Flip, back to state \d/)
    expect(text).toContain("It is fair to")
  })

  test("an expected violation: is no failure, and shows what was expected", async () => {
    const document = parse(junit([await judged(unfenced, { expected: ["OneChainProp"] })]))
    expect(document.querySelector("failure")).toBeNull()
    expect(document.querySelector("system-out")?.textContent).toContain("fails after 4 steps, as expected")
  })

  test("a manifest that differs, and a bound: each is a failed test case", async () => {
    const bounded = await judged({ ...unfenced, stepProperties: {} })
    const document = parse(
      junit([
        {
          ...bounded,
          differences: ["depth: 1 and not 2", "distinct: 3"],
          report: { ...bounded.report, result: "bounded", reasons: ["There are more states."] }
        }
      ])
    )
    expect(document.querySelector('testcase[name="manifest"] > failure')?.textContent).toBe(
      "depth: 1 and not 2\ndistinct: 3"
    )
    expect(attributes(document.querySelector('testcase[name="exhaustive"] > failure'))).toMatchObject({
      message: "There are more states.",
      type: "bounded"
    })
  })

  test("several models, and text that means something to XML: comes back as it was", async () => {
    const document = parse(junit([await judged(hostile), await judged({ ...unfenced, stepProperties: {} })]))
    const suites = [...document.querySelectorAll("testsuite")]
    expect(suites.map((suite) => suite.getAttribute("name"))).toEqual([hostile.name, "fence-2"])
    const failed = document.querySelector("failure")
    expect(failed?.parentElement?.getAttribute("name")).toBe("Odd;Inv<&>")
    expect(failed?.textContent).toContain(JSON.stringify(HOSTILE))
    const properties = [...(suites[1]?.querySelectorAll("properties > property") ?? [])]
    expect(properties.map((property) => property.getAttribute("name"))).toEqual(["distinct", "generated", "depth"])
  })

  test("characters that XML cannot hold: are replaced", async () => {
    const odd = await judged(unfenced, { name: "bell \u0007, half \uD800, nothing \u0000" })
    const document = parse(junit([odd]))
    expect(document.querySelector("testsuite")?.getAttribute("name")).toBe("bell \uFFFD, half \uFFFD, nothing \uFFFD")
  })

  test("the parser: a document that is cut off: is refused", async () => {
    const cut = junit([await judged(unfenced)]).slice(0, -20)
    expect(new DOMParser().parseFromString(cut, "application/xml").querySelector("parsererror")).not.toBeNull()
  })
})
