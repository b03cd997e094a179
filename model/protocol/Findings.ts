/**
 * Findings: with every documented rule on, and within two faults, two things that the protocol promises do not hold. Each
 * is a bounded model whose expected result is the violation, beside one that shows what closes it.
 *
 * `docs/findings.md` tells their stories, and a test holds the page to these models. (STEP-47, DEDUPE-12, DEDUPE-13)
 *
 * @module
 */
import type { Model } from "../checker/Language.ts"
import { programs } from "../programs/index.ts"
import { bounded, fails, holds } from "./Bounded.ts"
import type { Rule } from "./Rules.ts"

/** The bounded models of what the protocol promises and does not keep, and of what would. */
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
    expect: fails("NoStrandInv", 23)
  }),
  bounded({
    name: "stalled-claim-hook",
    about: "The same, seen sooner: a payload lets the stalled delivery decide.",
    config: {
      program: programs["hook-then-step"].program,
      topology: "gated",
      maxInlineSteps: 0,
      budgets: { crashes: 1, lapses: 1, resumes: 1 }
    },
    expect: fails("NoStrandInv", 17)
  }),
  bounded({
    name: "stalled-claim-hook-repaired",
    about: "The same, where every orchestrator delivery re-sends.",
    config: {
      program: programs["hook-then-step"].program,
      topology: "gated",
      maxInlineSteps: 0,
      budgets: { crashes: 1, lapses: 1, resumes: 1 },
      repairs: { everyDeliveryResends: true }
    },
    expect: holds(42491, 112144, 52)
  }),
  bounded({
    name: "stalled-first-send",
    about: "A delivery stalls between a step_created and its send: by then, a re-sent message has run the step.",
    config: {
      program: programs["one-step-at-most-once"].program,
      topology: "gated",
      maxInlineSteps: 0,
      budgets: { lapses: 1 }
    },
    expect: fails("BodyLimitInv", 22)
  }),
  bounded({
    name: "stalled-first-send-repaired",
    about: "The same, where the World refuses to start a step that has its outcome.",
    config: {
      program: programs["one-step-at-most-once"].program,
      topology: "gated",
      maxInlineSteps: 0,
      budgets: { crashes: 1, lapses: 1 },
      repairs: { endedStepRefusesStart: true }
    },
    expect: holds(18243, 46875, 42),
    without: { "terminal-wake": fails("NoStrandInv", 17) }
  }),
  bounded({
    name: "stalled-first-send-unwoken",
    about: "The same, where a delivery whose start is so refused acknowledges without a wake.",
    config: {
      program: programs["one-step-at-most-once"].program,
      topology: "gated",
      maxInlineSteps: 0,
      budgets: { crashes: 1, lapses: 1 },
      repairs: { endedStepRefusesStart: true, refusedStartIsSilent: true }
    },
    expect: fails("NoStrandInv", 19)
  })
]
