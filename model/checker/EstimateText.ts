/**
 * An estimate for people and for machines.
 *
 * @module
 */
import type { Estimate } from "./Estimate.ts"

/** Two figures: there is nothing behind the others. */
const rounded = (count: number): number => Number(count.toPrecision(2))

const number = (count: number): string => count.toLocaleString("en")

const memory = (bytes: number): string =>
  bytes < 2 ** 30 ? `${number(Math.max(1, rounded(bytes / 2 ** 20)))} MiB` : `${number(rounded(bytes / 2 ** 30))} GiB`

/** How large a space is said to be, in a few words: for a line that has other things to say. */
export const sizeOf = (found: Estimate): string => {
  switch (found.kind) {
    case "exact":
      return found.states === 1 ? "1 state" : `${number(found.states)} states`
    case "range":
      return `${number(rounded(found.low))} to ${number(rounded(found.high))} states`
    case "unknown":
      return `at least ${number(found.low)} states`
  }
}

/** An estimate as a line of text. `name` is the model with the rules that were off. */
export const showEstimate = (found: Estimate, name = found.spec): string => {
  const { sampled, depth, bytesPerState } = found
  switch (found.kind) {
    case "exact":
      return `${name}: exactly ${sizeOf(found)}, depth ${depth}: the sample found them all`
    case "range":
      return `${name}: an estimated ${sizeOf(found)}, most likely about ${number(rounded(found.likely))}; depth about ${depth}; ${memory(found.low * bytesPerState)} to ${memory(found.high * bytesPerState)} for the states (a sample found ${number(sampled)})`
    case "unknown":
      return `${name}: ${sizeOf(found)}, and it cannot be told how many: ${found.reason}`
  }
}

/** An estimate as plain data: `low`, `likely` and `high` are rounded to two figures. */
export const estimateJson = ({ spec, ...found }: Estimate): { readonly [field: string]: unknown } => ({
  model: spec,
  ...found,
  ...(found.kind === "range"
    ? { low: rounded(found.low), likely: rounded(found.likely), high: rounded(found.high) }
    : {}),
  bytesPerState: Number(found.bytesPerState.toFixed(1))
})
