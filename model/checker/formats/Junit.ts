/**
 * Reports as JUnit XML, for continuous integration: a test suite for each model, a test case for each property.
 *
 * A property that fails is a failure, with the counterexample as its text, unless its violation is expected. One that is
 * not decided is skipped. Two further test cases appear when they have something to say: `manifest`, that the figures
 * are those that the model's manifest gives, and `exhaustive`, that everything was explored and nothing is vacuous.
 *
 * @module
 */
import { XMLBuilder } from "fast-xml-parser"
import { showCounterexample, type Verdict } from "../Report.ts"
import { type Judged, shortfall } from "./Judged.ts"

interface Case {
  readonly "@name": string
  readonly "@classname": string
  readonly "@time": string
  readonly failure?: { readonly "@message": string; readonly "@type": string; readonly "#text": string }
  readonly skipped?: { readonly "@message": string }
  readonly "system-out"?: string
}

/** Characters that no XML document may contain, however they are written. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to find
const FORBIDDEN = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\p{Surrogate}/gu

const plain = (text: string): string => text.replace(FORBIDDEN, "\uFFFD")

const failing = (name: string, of: string, type: string, message: string, text: string): Case => ({
  "@name": plain(name),
  "@classname": plain(of),
  "@time": "0",
  failure: { "@message": plain(message), "@type": type, "#text": plain(text) }
})

const caseOf = (judged: Judged, property: string, verdict: Verdict): Case => {
  const { name, report, expected } = judged
  const base = { "@name": plain(property), "@classname": plain(name), "@time": "0" }
  if (verdict === "unknown") return { ...base, skipped: { "@message": "not decided in what was explored" } }
  if (verdict === "holds") return base
  const found = report.counterexamples.find((each) => each.property === property)
  const text = found === undefined ? "" : showCounterexample(found)
  const steps = found === undefined ? "" : ` after ${found.steps.length - 1} steps`
  if (expected.includes(property)) return { ...base, "system-out": plain(`fails${steps}, as expected\n\n${text}`) }
  return failing(property, name, found?.kind ?? "violation", `${property} fails${steps}`, text)
}

const suiteOf = (judged: Judged) => {
  const { name, report, differences } = judged
  const missing = shortfall(judged)
  const cases = [
    ...Object.entries(report.properties).map(([property, verdict]) => caseOf(judged, property, verdict)),
    ...(differences.length === 0
      ? []
      : [failing("manifest", name, "manifest", "not as its manifest says", differences.join("\n"))]),
    ...(missing === undefined ? [] : [failing("exhaustive", name, report.result, missing, missing)])
  ]
  // Consumers expect at least one test case: a spec without any property is explored all the same.
  const all: ReadonlyArray<Case> =
    cases.length > 0 ? cases : [{ "@name": "explored", "@classname": plain(name), "@time": "0" }]
  return {
    "@name": plain(name),
    "@tests": all.length,
    "@failures": all.filter(({ failure }) => failure !== undefined).length,
    "@errors": 0,
    "@skipped": all.filter(({ skipped }) => skipped !== undefined).length,
    "@time": report.seconds.toFixed(3),
    properties: {
      property: [
        { "@name": "distinct", "@value": report.distinct },
        { "@name": "generated", "@value": report.generated },
        { "@name": "depth", "@value": report.depth },
        ...report.warnings.map((warning) => ({ "@name": "warning", "@value": plain(warning) }))
      ]
    },
    testcase: all
  }
}

/** The XML document for these reports. */
export const junit = (results: ReadonlyArray<Judged>): string => {
  const suites = results.map(suiteOf)
  const sum = (count: (suite: (typeof suites)[number]) => number): number =>
    suites.reduce((total, suite) => total + count(suite), 0)
  const builder = new XMLBuilder({
    ignoreAttributes: false,
    attributeNamePrefix: "@",
    format: true,
    indentBy: "  ",
    suppressEmptyNode: true,
    suppressBooleanAttributes: false
  })
  return builder.build({
    "?xml": { "@version": "1.0", "@encoding": "UTF-8" },
    testsuites: {
      "@name": "onewriter check",
      "@tests": sum((suite) => suite["@tests"]),
      "@failures": sum((suite) => suite["@failures"]),
      "@errors": 0,
      "@time": results.reduce((total, { report }) => total + report.seconds, 0).toFixed(3),
      testsuite: suites
    }
  })
}
