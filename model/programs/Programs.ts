/**
 * The named programs: small runs that between them show every way in which a step or a hook can be called. The bounded
 * models, the implementation's tests and `onewriter` name them.
 *
 * @module
 */
import { all, hook, type Program, race, seq, sleep, step } from "./Program.ts"

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

/**
 * The named programs that sleep. They stand apart, since not everything that runs programs can let them sleep: a runtime
 * or a trace names those of {@link programs}.
 */
export const sleepingPrograms = {
  "one-sleep": named("one-sleep", "Sleep for a tick.", sleep(1)),
  "long-sleep": named("long-sleep", "Sleep for two ticks.", sleep(2)),
  "sleep-then-step": named("sleep-then-step", "Sleep, then do the work.", seq(sleep(1), step("work"))),
  "race-hook-sleep": named("race-hook-sleep", "An approval, or the end of its time.", race(hook("approval"), sleep(1))),
  "race-step-sleep": named("race-step-sleep", "The work, or the end of its time.", race(step("work"), sleep(1))),
  "all-hook-sleep": named(
    "all-hook-sleep",
    "Both an approval and a sleep of two ticks.",
    all(hook("approval"), sleep(2))
  ),
  "all-step-sleep": named("all-step-sleep", "Both the work and a sleep of two ticks.", all(step("work"), sleep(2))),
  "two-sleeps": named("two-sleeps", "Two sleeps at once: one chain, one timer at a time.", all(sleep(1), sleep(2))),
  "three-sleeps": named("three-sleeps", "Three sleeps at once.", all(sleep(1), sleep(2), sleep(3))),
  "two-sleeps-and-hook": named(
    "two-sleeps-and-hook",
    "Two sleeps of one chain beside an approval.",
    all(sleep(1), sleep(2), hook("approval"))
  ),
  "steps-then-sleeps": named(
    "steps-then-sleeps",
    "Two branches that each do some work and then sleep.",
    all(seq(step("left"), sleep(2)), seq(step("right"), sleep(2)))
  )
} as const satisfies { readonly [name: string]: NamedProgram }
