/**
 * The named programs: small runs that between them show every way in which a step or a hook can be called. The bounded
 * models, the implementation's tests and `onewriter` name them.
 *
 * @module
 */
import { all, hook, type Program, race, seq, step } from "./Program.ts"

/** A program with a name, and what it is there to show. */
export interface NamedProgram {
  readonly name: string
  readonly about: string
  readonly program: Program
}

const named = (name: string, about: string, program: Program): NamedProgram => ({ name, about, program })

/** Every named program, by name. */
export const programs = {
  checkout: named(
    "checkout",
    "Load an order, charge the card, send the receipt: three steps in sequence.",
    seq(step("loadOrder"), step("chargeCard"), step("sendReceipt"))
  ),
  "one-step": named("one-step", "One step, and its value is the run's.", step("work")),
  "one-step-at-most-once": named(
    "one-step-at-most-once",
    "One step that is never tried again.",
    step("charge", { maxRetries: 0 })
  ),
  "two-steps": named("two-steps", "Two steps in sequence.", seq(step("first"), step("second"))),
  "all-two": named("all-two", "Two steps at once.", all(step("left"), step("right"))),
  "all-two-at-most-once": named(
    "all-two-at-most-once",
    "Two steps at once, one of which is never tried again.",
    all(step("left"), step("charge", { maxRetries: 0 }))
  ),
  "all-four": named(
    "all-four",
    "Four steps at once: with the default of three inline steps, the last one runs in the background.",
    all(step("first"), step("second"), step("third"), step("fourth"))
  ),
  "one-hook": named("one-hook", "Wait for one payload.", hook("approval")),
  "hook-then-step": named(
    "hook-then-step",
    "Wait for an approval, then do the work.",
    seq(hook("approval"), step("work"))
  ),
  "step-then-hook": named(
    "step-then-hook",
    "Do the work, then wait for an approval.",
    seq(step("work"), hook("approval"))
  ),
  "race-hook-step": named(
    "race-hook-step",
    "Whichever comes first, an approval or the work.",
    race(hook("approval"), step("work"))
  ),
  "race-then-step": named(
    "race-then-step",
    "The first of an approval and the work decides which step comes next: its id depends on the order of the log.",
    race(seq(hook("approval"), step("approved")), seq(step("work"), step("unattended")))
  ),
  "all-hook-step": named("all-hook-step", "Both an approval and the work.", all(hook("approval"), step("work")))
} as const satisfies { readonly [name: string]: NamedProgram }
