/**
 * The flags of `check` about what is to come: an estimate of how many states there are, before they are explored.
 *
 * @module
 */
import { Console, Effect } from "effect"
import { Flag } from "effect/cli"
import { estimate } from "../../model/checker/Estimate.ts"
import { estimateJson, showEstimate, sizeOf } from "../../model/checker/EstimateText.ts"
import type { Format } from "./Formats.ts"
import { Ended } from "./Outcome.ts"
import { type Target, title, usage } from "./Targets.ts"

/** `--estimate` and `--estimate-only`. */
export const foreseeFlags = {
  estimate: Flag.Boolean("estimate").pipe(
    Flag.withDescription("Say first, on standard error, how many states there may be: sampling takes some seconds"),
    Flag.withDefault(false)
  ),
  estimateOnly: Flag.Boolean("estimate-only").pipe(
    Flag.withDescription("Say how many states there may be, and check nothing"),
    Flag.withDefault(false)
  )
}

/** What the flags say, and those of the others that an estimate needs. */
export interface ForeseeInput {
  readonly estimate: boolean
  readonly estimateOnly: boolean
  readonly symmetry: boolean
}

const estimated = ({ spec }: Target, { symmetry }: ForeseeInput) =>
  Effect.mapError(estimate(spec, { symmetry }), ({ message }) => new Ended({ why: "spec", message }))

/** Says how large the space may be, when that is asked for; answers it in a few words for the progress line. */
export const foresee = Effect.fn("foresee")(function* (target: Target, input: ForeseeInput) {
  if (!input.estimate) return undefined
  const found = yield* estimated(target, input)
  yield* Console.error(showEstimate(found, title(target)))
  return sizeOf(found)
})

/** Says how large the spaces may be: a line for each, or one JSON object. */
export const foreseeOnly = Effect.fn("foreseeOnly")(function* (
  all: ReadonlyArray<Target>,
  input: ForeseeInput & { readonly format: Format }
) {
  if (input.format !== "text" && input.format !== "json") {
    return yield* usage("An estimate is printed as text or as JSON.")
  }
  const json: Array<{ readonly [field: string]: unknown }> = []
  for (const target of all) {
    const found = yield* estimated(target, input)
    if (input.format === "text") yield* Console.log(showEstimate(found, title(target)))
    else json.push({ ...estimateJson(found), model: target.name, without: target.without })
  }
  if (input.format === "json") {
    const [only] = json
    yield* Console.log(JSON.stringify(json.length === 1 ? only : { models: json }, null, 2))
  }
})
