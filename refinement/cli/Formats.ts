/**
 * The formats that what a check found is printed in, other than text and JSON.
 *
 * Their writers are loaded when they are asked for: most runs of the command need none of them.
 *
 * @module
 */
import { readFileSync, writeFileSync } from "node:fs"
import { Console, Effect } from "effect"
import type { Judged } from "../../model/checker/formats/index.ts"
import { type Counterexample, check, type Report } from "../../model/checker/index.ts"
import { Ended } from "./Outcome.ts"
import { type Target, title, usage } from "./Targets.ts"
import { version } from "./Version.ts"

/** What shows one counterexample, or the report of one model. */
const SINGLE = ["mermaid", "itf", "html"] as const
/** What holds the reports of any number of models. */
const REPORTS = ["junit", "sarif"] as const

/** Every format of `check`. */
export const FORMATS = ["text", "json", ...SINGLE, ...REPORTS, "dot"] as const

/** A format of `check`. */
export type Format = (typeof FORMATS)[number]

const isSingle = (format: Format): format is (typeof SINGLE)[number] => SINGLE.some((each) => each === format)
const isReports = (format: Format): format is (typeof REPORTS)[number] => REPORTS.some((each) => each === format)

/** A format that this module prints reports in. */
export type ReportFormat = (typeof SINGLE)[number] | (typeof REPORTS)[number]

/** Whether a format is one that this module prints reports in. */
export const isReportFormat = (format: Format): format is ReportFormat => isSingle(format) || isReports(format)

/** A drawing of more states than this helps nobody, unless they ask for it. */
const DRAWN_STATES = 200

const writers = Effect.promise(() => import("../../model/checker/formats/index.ts"))

/** The only target there is; some formats, and saving a trace, are about one. */
export const onlyTarget = (all: ReadonlyArray<Target>, what: string): Effect.Effect<Target, Ended> => {
  const [only] = all
  return only !== undefined && all.length === 1
    ? Effect.succeed(only)
    : Effect.fail(usage(`${what} is about one model, and there are ${all.length} to check: name one.`))
}

/** One report, and how it is to be taken. */
export interface Finding {
  readonly target: Target
  readonly report: Report
  readonly expected: ReadonlyArray<string>
  readonly differences: ReadonlyArray<string>
}

const judgedOf = ({ target, ...found }: Finding): Judged => ({
  name: title(target),
  spec: target.spec,
  ...found,
  ...(target.file === undefined ? {} : { file: { path: target.file, text: readFileSync(target.file, "utf8") } })
})

const provenanceOf = ({ name, file, without }: Target) => ({
  model: name,
  ...(file === undefined ? {} : { file }),
  without
})

/** The reports in a format. Nothing, when it shows a counterexample and there is none. */
const written = Effect.fnUntraced(function* (format: ReportFormat, findings: ReadonlyArray<Finding>) {
  const { html, junit, sarif } = yield* writers
  if (format === "junit") return junit(findings.map(judgedOf))
  if (format === "sarif") return JSON.stringify(sarif(findings.map(judgedOf), version()), null, 2)
  const [finding] = findings
  if (finding === undefined) return undefined
  const { target, report } = finding
  if (format === "html") return html(target.spec, report, title(target))
  return yield* writtenCounterexample(format, target, report.counterexamples[0])
})

const writtenCounterexample = Effect.fnUntraced(function* (
  format: "mermaid" | "itf",
  target: Target,
  found: Counterexample | undefined
) {
  if (found === undefined) return undefined
  const { itf, mermaid } = yield* writers
  return format === "mermaid"
    ? mermaid(target.spec, found)
    : JSON.stringify(itf(target.spec, found, provenanceOf(target)), null, 2)
})

/** Prints a counterexample, or says on standard error that there is none. */
export const printCounterexample = Effect.fn("printCounterexample")(function* (
  format: "mermaid" | "itf",
  target: Target,
  found: Counterexample | undefined
) {
  yield* print(format, [target], yield* writtenCounterexample(format, target, found))
})

/** Prints the reports in a format. When it shows a counterexample and there is none, that is said on standard error. */
export const printFindings = Effect.fn("printFindings")(function* (
  format: ReportFormat,
  findings: ReadonlyArray<Finding>
) {
  const about = findings.map(({ target }) => target)
  yield* print(format, about, yield* written(format, findings))
})

const print = (format: Format, about: ReadonlyArray<Target>, text: string | undefined): Effect.Effect<void> =>
  text === undefined
    ? Console.error(`${about.map(title).join(", ")}: there is no counterexample to show as ${format}.`)
    : Console.log(text.trimEnd())

/** Prints the states of a spec as a DOT graph: all of them, unless there are too many to look at, or up to `limit`. */
export const printDot = Effect.fn("printDot")(function* (target: Target, limit: number | undefined) {
  const { dot } = yield* writers
  const most = limit ?? DRAWN_STATES
  const failed = (error: { readonly message: string }) => new Ended({ why: "spec", message: error.message })
  // What fails in a state or on a step is seen where it does; what fails on a way round has to be looked for.
  const { counterexamples } =
    Object.keys(target.spec.temporal).length === 0
      ? { counterexamples: [] }
      : yield* Effect.mapError(check(target.spec, { maxStates: most, continue: true, symmetry: false }), failed)
  const lasso = counterexamples.find((found) => found.lasso !== undefined)
  const { dot: source, cut } = yield* Effect.mapError(dot(target.spec, most, lasso), failed)
  if (cut && limit === undefined) {
    return yield* usage(
      `${title(target)} has more than ${DRAWN_STATES} states, too many to look at. --max-states N draws the first N all the same.`
    )
  }
  yield* Console.log(source)
})

/** Writes a counterexample to a file, for `onewriter replay`. */
export const saveTrace = Effect.fn("saveTrace")(function* (file: string, target: Target, found: Counterexample) {
  const { itf } = yield* writers
  const text = `${JSON.stringify(itf(target.spec, found, provenanceOf(target)), null, 2)}\n`
  yield* Effect.try({
    try: () => writeFileSync(file, text),
    catch: (error) => usage(`${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`)
  })
  yield* Console.error(`The counterexample is in ${file}.`)
})
