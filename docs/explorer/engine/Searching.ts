/**
 * Running the checker: progress while it runs, and in the end the report with its counterexamples told.
 *
 * @module
 */
import { Effect, Stream } from "effect"
import { explore, type Progress, type Report } from "../../../model/checker/index.ts"
import type { Found, SearchLimits, Subject } from "./Messages.ts"
import { specOf } from "./Subjects.ts"
import { toldOf } from "./Told.ts"

/** Progress is told this often: a page that is drawn more often slows the search down. */
const EVERY_MILLIS = 120

/** Checks a model. */
export const search = async (ask: Subject & SearchLimits, tell: (progress: Progress) => void): Promise<Found> => {
  const spec = specOf(ask)
  let told = 0
  let report: Report | undefined
  const stream = explore(spec, {
    continue: ask.all,
    ...(ask.maxStates === undefined ? {} : { maxStates: ask.maxStates })
  })
  await Effect.runPromise(
    Stream.runForEach(stream, (one) =>
      Effect.sync(() => {
        if (one._tag === "Report") report = one
        else if (performance.now() - told > EVERY_MILLIS) {
          told = performance.now()
          tell(one)
        }
      })
    )
  )
  if (report === undefined) throw new Error("the search ended without a report")
  const { counterexamples, ...rest } = report
  return { report: rest, stories: counterexamples.map((found) => toldOf(spec, found)) }
}
