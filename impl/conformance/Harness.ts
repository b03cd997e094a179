/**
 * The suite inside a test runner that has `describe` and `test` (Vitest, and others of its kind).
 *
 * **Example**
 *
 * ```ts
 * import { describe, test } from "vitest"
 * import { checks, conformance } from "onewriter/conformance"
 *
 * conformance("my World", open, { describe, test }, checks)
 * ```
 *
 * @module
 */
import { Effect } from "effect"
import { type Check, runCheck } from "./Check.ts"

import type { Open } from "./Subject.ts"

/** What the suite uses of a test runner. A test is skipped, with a note, when its check could not be made. */
export interface Harness {
  readonly describe: (name: string, body: () => void) => void
  readonly test: (name: string, body: (context: { readonly skip: (note: string) => void }) => Promise<void>) => void
}

/** Declares one test for each check. */
export const conformance = (
  name: string,
  open: Open,
  { describe, test }: Harness,
  checks: ReadonlyArray<Check>
): void => {
  describe(`the World contract on ${name}`, () => {
    for (const check of checks) {
      test(`${check.title} (${check.rules})`, async ({ skip }) => {
        const outcome = await Effect.runPromise(runCheck(open, check))
        if (outcome._tag === "Failed") throw new Error(outcome.reason)
        if (outcome._tag === "NotMade") skip(`the World lacks ${outcome.lacking.join(", ")}`)
      })
    }
  })
}
