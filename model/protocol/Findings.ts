/**
 * The first two findings: with every documented rule on, and within two faults, a run strands, and a body runs too often.
 * Each is a bounded model in which everything holds as this project has it, and which fails without the rule that closes it.
 *
 * `docs/findings.md` tells their stories, and a test holds the page to these models. (STEP-47, DEDUPE-12, DEDUPE-13)
 *
 * @module
 */
import type { Model } from "../checker/Language.ts"
import { programs } from "../programs/index.ts"
import { bounded, fails, holds, inBoth } from "./Bounded.ts"
import type { Rule } from "./Rules.ts"

/** The bounded models of what the documented protocol promises and does not keep. */
export const findings: ReadonlyArray<Model<Rule>> = [
  bounded({
    name: "stalled-claim",
    about:
      "A delivery stalls between its claim and its load, commits a step_created, and dies: its redelivery is over.",
    config: {
      program: programs["two-steps"].program,
      topology: "gated",
      maxInlineSteps: 0,
      budgets: { crashes: 1, lapses: 1 }
    },
    expect: holds(271852, 856752, 61),
    without: { "first-delivery-re-sends": fails("NoStrandInv", 23) }
  }),
  ...inBoth({
    name: "stalled-claim-hook",
    about: "The same, seen sooner: a payload lets the stalled delivery decide.",
    config: {
      program: programs["hook-then-step"].program,
      maxInlineSteps: 0,
      budgets: { crashes: 1, lapses: 1, resumes: 1 }
    },
    gated: holds(31882, 86052, 48),
    coalescing: holds(49365, 149306, 42),
    withoutGated: { "first-delivery-re-sends": fails("NoStrandInv", 17) },
    withoutCoalescing: { "first-delivery-re-sends": fails("NoStrandInv", 16) }
  }),
  ...inBoth({
    name: "stalled-first-send",
    about: "A delivery stalls between a step_created and its send: by then, a re-sent message has run the step.",
    config: {
      program: programs["one-step-at-most-once"].program,
      maxInlineSteps: 0,
      budgets: { crashes: 1, lapses: 1 }
    },
    gated: holds(18580, 47838, 42),
    coalescing: holds(25169, 70936, 37),
    without: {
      "ended-step-refuses-start": fails("BodyLimitInv", 22),
      "refused-start-wakes": fails("NoStrandInv", 19),
      "terminal-wake": fails("NoStrandInv", 17)
    }
  })
]
