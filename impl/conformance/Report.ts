/**
 * What the checks came to, for people and for machines.
 *
 * @module
 */
import { Effect, Schema } from "effect"
import { XMLBuilder } from "fast-xml-parser"
import { type Check, Outcome, runCheck } from "./Check.ts"
import type { Format } from "./ReportFormat.ts"
import type { Open } from "./Subject.ts"

/** What one check came to. */
export const Result = Schema.Struct({
  area: Schema.String,
  title: Schema.String,
  rules: Schema.Array(Schema.String),
  outcome: Outcome
})
/** What one check came to. */
export interface Result extends Schema.Schema.Type<typeof Result> {}

/** What all checks came to, on one World. */
export const Report = Schema.Struct({ world: Schema.String, results: Schema.Array(Result) })
/** What all checks came to, on one World. */
export interface Report extends Schema.Schema.Type<typeof Report> {}

/** Makes every check, one after the other, each on a World of its own. */
export const report = (world: string, open: Open, checks: ReadonlyArray<Check>): Effect.Effect<Report> =>
  Effect.map(
    Effect.forEach(checks, (check) =>
      Effect.map(runCheck(open, check), (outcome) => ({
        area: check.area,
        title: check.title,
        rules: check.rules.split(", "),
        outcome
      }))
    ),
    (results) => ({ world, results })
  )

const count = ({ results }: Report, tag: Outcome["_tag"]): number =>
  results.filter(({ outcome }) => outcome._tag === tag).length

/** Whether the World keeps the contract, as far as it could be checked. */
export const verdictOf = (of: Report): "conforms" | "fails" => (count(of, "Failed") > 0 ? "fails" : "conforms")

const lineOf = ({ title, rules, outcome }: Result): string => {
  const about = `${title} (${rules.join(", ")})`
  switch (outcome._tag) {
    case "Passed":
      return `  passed    ${about}`
    case "Failed":
      return `  FAILED    ${about}\n            ${outcome.reason.split("\n").join("\n            ")}`
    case "NotMade":
      return `  not made  ${about}\n            the World lacks ${outcome.lacking.join(", ")}`
  }
}

const text = (of: Report): string => {
  const areas = [...new Set(of.results.map(({ area }) => area))]
  const parts = areas.map(
    (area) =>
      `${area}\n${of.results
        .filter((each) => each.area === area)
        .map(lineOf)
        .join("\n")}`
  )
  const [passed, failed, notMade] = [count(of, "Passed"), count(of, "Failed"), count(of, "NotMade")]
  const verdict = failed > 0 ? "does not keep the contract" : "keeps what was checked of the contract"
  return `${parts.join("\n\n")}\n\n${of.world} ${verdict}: ${passed} passed, ${failed} failed, ${notMade} not made.\n`
}

const encode = Schema.encodeSync(Report)

const junit = (of: Report): string =>
  new XMLBuilder({ ignoreAttributes: false, format: true, suppressEmptyNode: true }).build({
    "?xml": { "@_version": "1.0", "@_encoding": "UTF-8" },
    testsuites: {
      testsuite: {
        "@_name": `World contract: ${of.world}`,
        "@_tests": of.results.length,
        "@_failures": count(of, "Failed"),
        "@_skipped": count(of, "NotMade"),
        testcase: of.results.map(({ area, title, rules, outcome }) => ({
          "@_classname": area,
          "@_name": `${title} (${rules.join(", ")})`,
          ...(outcome._tag === "Failed"
            ? { failure: { "@_message": outcome.reason.split("\n")[0], "#text": outcome.reason } }
            : {}),
          ...(outcome._tag === "NotMade"
            ? { skipped: { "@_message": `the World lacks ${outcome.lacking.join(", ")}` } }
            : {})
        }))
      }
    }
  })

/** A report as text for people, as one JSON object, or as JUnit's XML. */
export const written = (of: Report, format: Format): string => {
  switch (format) {
    case "text":
      return text(of)
    case "json":
      return `${JSON.stringify(encode(of), null, 2)}\n`
    case "junit":
      return `${junit(of)}\n`
  }
}
