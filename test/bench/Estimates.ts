/**
 * How good estimates are: of each shipped model with a known number of states, several samples, each a part of what an
 * estimate looks at by default, so that small models are to it what large ones are to the whole.
 *
 *     node test/bench/Estimates.ts
 *
 * Prints a table, and the ranges that do not hold the true number. It takes some minutes.
 *
 * @module
 */
import { Effect } from "effect"
import { table } from "../../docs/generator/MarkdownTable.ts"
import { type Estimate, estimate } from "../../model/checker/index.ts"
import { registry, specWithout } from "../../refinement/cli/Registry.ts"

const PARTS = [0.003, 0.01, 0.03, 0.1, 0.3]
/** Smaller ones have too few levels for a sample to mean anything. */
const LEAST_STATES = 4_000
/** Of larger ones, only samples that are small. */
const MOST_STATES = 1_000_000
const LARGEST_PART = 0.01
const BEAM = 60

interface Judged {
  readonly model: string
  readonly truth: number
  readonly found: Estimate
}

const quantile = (values: ReadonlyArray<number>, at: number): string => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(at * sorted.length))]?.toFixed(1) ?? ""
}

const holds = ({ truth, found }: Judged): boolean =>
  found.kind === "exact"
    ? found.states === truth
    : found.kind === "range"
      ? found.low <= truth && truth <= found.high
      : found.low <= truth

const row = (part: number, judged: ReadonlyArray<Judged>): ReadonlyArray<string> => {
  const ranges = judged.flatMap(({ truth, found }) => (found.kind === "range" ? [{ truth, ...found }] : []))
  const widths = ranges.map(({ low, high }) => high / low)
  const ratios = ranges.map(({ likely, truth }) => likely / truth)
  return [
    `${100 * part} %`,
    String(judged.length),
    String(judged.filter(holds).length),
    String(judged.filter(({ found }) => found.kind === "unknown").length),
    quantile(widths, 0.5),
    quantile(widths, 0.9),
    [0.1, 0.5, 0.9].map((at) => quantile(ratios, at)).join(", ")
  ]
}

const rows: Array<ReadonlyArray<string>> = []
for (const part of PARTS) {
  const judged: Array<Judged> = []
  for (const model of registry) {
    const truth = model.expect.distinct ?? 0
    if (truth < LEAST_STATES || (truth > MOST_STATES && part > LARGEST_PART)) continue
    const options = { states: Math.ceil(truth * part), beam: BEAM }
    judged.push({
      model: model.name,
      truth,
      found: await Effect.runPromise(estimate(specWithout(model, []), options))
    })
  }
  rows.push(row(part, judged))
  for (const each of judged) if (!holds(each)) console.log(part, each.model, each.truth, JSON.stringify(each.found))
}
console.log(
  table(["sample", "models", "it holds", "cannot tell", "high/low, median", "90 %", "likely/true, 10, 50, 90 %"], rows)
)
