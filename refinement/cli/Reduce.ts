/**
 * The flags about exploring less: which reductions a check makes use of, and what of a manifest they leave to compare.
 *
 * @module
 */
import { Flag } from "effect/cli"
import type { Expectation } from "../../model/checker/Language.ts"

/** What the flags say. */
export interface ReduceInput {
  readonly symmetry: boolean
  readonly partialOrder: boolean
}

/** `--no-symmetry` and `--partial-order`. */
export const reduceFlags = {
  symmetry: Flag.Boolean("symmetry").pipe(
    Flag.withDescription("Make use of the symmetry that a spec declares (--no-symmetry explores every state)"),
    Flag.withDefault(true)
  ),
  partialOrder: Flag.Boolean("partial-order").pipe(
    Flag.withDescription(
      "Explore one order of steps that commute: verdicts of safety are kept, counts and shortest lengths are not"
    ),
    Flag.withDefault(false)
  )
}

/** What can be compared: a manifest's figures are those of a check without these flags, its verdict is that of any. */
export const comparableExpectation = (
  expect: Expectation,
  { symmetry, partialOrder }: ReduceInput,
  hasSymmetry: boolean
): Expectation => {
  if (!partialOrder && (symmetry || !hasSymmetry)) return expect
  const { result, property } = expect
  return { result, ...(property === undefined ? {} : { property }) }
}
