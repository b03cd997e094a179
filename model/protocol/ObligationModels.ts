/**
 * Bounded models that ask of every state, and not only of the last one, that somebody sees to what is owed, also with a
 * rule off. They find it one step sooner, or several: where the obligation is lost, and not where nothing is left to do.
 *
 * @module
 */
import type { Model } from "../checker/Language.ts"
import { programs, sleepingPrograms } from "../programs/index.ts"
import { fails, holds, inBoth } from "./Bounded.ts"
import type { Rule } from "./Rules.ts"

/** The bounded models of obligations. */
export const obligationModels: ReadonlyArray<Model<Rule>> = [
  ...inBoth({
    name: "obligations-of-a-fan-out",
    about: "Two steps at once, one inline and one in the background: each state has somebody for what is owed.",
    config: { program: programs["all-two"].program, maxInlineSteps: 1, obligations: true, budgets: { crashes: 1 } },
    gated: holds(1743, 2981, 34),
    coalescing: holds(2054, 3690, 33),
    without: { "re-send": fails("ObligationInv", 10), "terminal-wake": fails("ObligationInv", 20) },
    withoutCoalescing: { "re-run-coalesced": fails("ObligationInv", 19) }
  }),
  ...inBoth({
    name: "obligations-of-a-hook",
    about: "A suspended run is resumed, and a background step follows: each state has somebody for what is owed.",
    config: {
      program: programs["hook-then-step"].program,
      maxInlineSteps: 0,
      obligations: true,
      budgets: { crashes: 1, resumes: 1 }
    },
    gated: holds(392, 686, 34),
    coalescing: holds(569, 1137, 32),
    withoutGated: { "write-before-wake": fails("ObligationInv", 12) },
    withoutCoalescing: {
      "write-before-wake": fails("ObligationInv", 11),
      "re-run-coalesced": fails("ObligationInv", 9)
    }
  }),
  ...inBoth({
    name: "obligations-of-two-sleeps",
    about: "Two sleeps of one chain, a crash and a spare wake: each state has a timer, or somebody who will send it.",
    config: {
      program: sleepingPrograms["two-sleeps"].program,
      nearDueTicks: 0,
      obligations: true,
      budgets: { crashes: 1, spareWakes: 1 }
    },
    gated: holds(11272, 19231, 42),
    coalescing: holds(59840, 127355, 47),
    without: { "completer-owns-chain": fails("ObligationInv", 15) },
    withoutGated: { "next-timer-before-completion": fails("ObligationInv", 23) },
    withoutCoalescing: {
      "next-timer-before-completion": fails("ObligationInv", 18),
      "own-timer-sends-next-first": fails("ObligationInv", 22)
    }
  }),
  ...inBoth({
    name: "obligations-of-a-retry",
    about:
      "A step that a sleep races against is tried again in the background: each state has somebody for what is owed.",
    config: {
      program: sleepingPrograms["race-step-sleep"].program,
      obligations: true,
      budgets: { crashes: 1, retries: 1 }
    },
    gated: holds(23828, 47834, 53),
    coalescing: holds(55769, 130623, 48),
    withoutGated: { "re-send": fails("ObligationInv", 16) },
    withoutCoalescing: { "re-send": fails("ObligationInv", 15) }
  }),
  ...inBoth({
    name: "obligations-of-a-stall",
    about:
      "A delivery outlives its lease, and dies: whoever holds the lease comes again, or somebody loads what it left.",
    config: {
      program: programs["hook-then-step"].program,
      maxInlineSteps: 0,
      obligations: true,
      budgets: { crashes: 1, lapses: 1, resumes: 1 }
    },
    gated: holds(31882, 86052, 48),
    coalescing: holds(49365, 149306, 42),
    without: {
      "first-delivery-re-sends": fails("ObligationInv", 11),
      "redeliver-on-refusal": fails("ObligationInv", 9)
    },
    withoutGated: {
      "terminal-wake": fails("ObligationInv", 22),
      "refused-start-wakes": fails("ObligationInv", 24)
    },
    withoutCoalescing: {
      "terminal-wake": fails("ObligationInv", 21),
      "refused-start-wakes": fails("ObligationInv", 23)
    }
  })
]
