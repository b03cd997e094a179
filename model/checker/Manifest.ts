/**
 * What a model is expected to give, compared with what the checker found.
 *
 * @module
 */
import type { Expectation } from "./Language.ts"
import type { Report } from "./Report.ts"

/** Every figure that differs from the expectation, as a sentence each; none when all is as expected. */
export const differences = (expected: Expectation, found: Report): ReadonlyArray<string> => {
  const first = found.counterexamples[0]
  const figures: ReadonlyArray<readonly [what: string, expected: unknown, found: unknown]> = [
    ["result", expected.result, found.result],
    ["violated property", expected.property, first?.property],
    ["length of the counterexample", expected.steps, first === undefined ? undefined : first.steps.length - 1],
    ["distinct states", expected.distinct, found.distinct],
    ["transitions", expected.generated, found.generated],
    ["depth", expected.depth, found.depth]
  ]
  return figures
    .filter(([, wanted, got]) => wanted !== undefined && wanted !== got)
    .map(([what, wanted, got]) => `${what}: the manifest says ${wanted}, the check found ${got ?? "none"}`)
}

/**
 * Whether a check has to go on after a violation to be compared: the manifest of a model whose violation is expected may
 * also give the size of its whole state space.
 */
export const needsAllStates = (expected: Expectation | undefined): boolean =>
  expected?.result === "violation" && expected.distinct !== undefined
