/**
 * A report with what makes it good or bad news: what formats for continuous integration are written from.
 *
 * @module
 */
import type { Spec } from "../Language.ts"
import type { Report } from "../Report.ts"

/** What was checked, what was found, and how it is to be taken. */
export interface Judged {
  /** The model, with the rules that were off: `fence-3 without fence`. */
  readonly name: string
  readonly spec: Spec
  readonly report: Report
  /** The properties whose violation is expected, and so no bad news. */
  readonly expected: ReadonlyArray<string>
  /** How the report differs from the model's manifest, a sentence each. */
  readonly differences: ReadonlyArray<string>
  /** Where the model was exported: the file, as the user gave it, and its text. */
  readonly file?: { readonly path: string; readonly text: string }
}

/** A result that is no violation, and yet not that every property holds: with the reasons. */
export const shortfall = ({ report }: Judged): string | undefined =>
  report.result === "ok" || report.result === "violation" ? undefined : [...report.reasons].join(" ")
