/**
 * Bounded models of writes that create several steps and sleeps at once, where the World takes batches. (POST-12,
 * POST-14, POST-16, STEP-36, STEP-37, WORLD-45, WORLD-46)
 *
 * Between such a write and the messages that it owes its delivery may die, or stall, as behind a write of one event; and
 * then it is several steps that have no message.
 *
 * @module
 */
import type { Model } from "../checker/Language.ts"
import { all, hook, programs, seq, sleep, step } from "../programs/index.ts"
import { bounded, fails, holds, inBoth } from "./Bounded.ts"
import type { Rule } from "./Rules.ts"

/** The bounded models of batches. */
export const batchModels: ReadonlyArray<Model<Rule>> = [
  ...inBoth({
    name: "batch",
    about: "Two steps are created in one write, and their delivery dies before it sends the messages.",
    config: {
      program: programs["all-two"].program,
      maxInlineSteps: 0,
      maxBatch: 2,
      progress: true,
      budgets: { crashes: 1 }
    },
    gated: holds(20983, 52518, 43),
    coalescing: holds(32075, 90426, 42),
    without: { "re-send": fails("NoStrandInv", 10) }
  }),
  bounded({
    name: "batch-stalled-claim-gated",
    about:
      "A delivery stalls between its claim and its load, creates two steps at once, and dies: its redelivery is over.",
    set: "large",
    config: {
      program: seq(hook("approval"), all(step("left"), step("right"))),
      topology: "gated",
      maxInlineSteps: 0,
      maxBatch: 2,
      obligations: true,
      budgets: { crashes: 1, lapses: 1, resumes: 1 }
    },
    expect: holds(5731789, 19485125, 66),
    without: {
      "first-delivery-re-sends": fails("ObligationInv", 11),
      "first-delivery-covers-batch": fails("ObligationInv", 11)
    }
  }),
  ...inBoth({
    name: "batches-overlap",
    about: "Two steps in one write, one of them inline, while a second delivery of the message does the same.",
    config: { program: programs["all-two"].program, maxInlineSteps: 1, maxBatch: 2, budgets: { lapses: 1 } },
    gated: holds(24487, 60763, 46),
    coalescing: holds(29446, 78163, 44),
    without: { fence: fails("OneChainInv", 9) }
  }),
  bounded({
    name: "batch-sleep",
    about: "A step and a sleep in one write: the timer goes out before it, the step's message after it.",
    config: {
      program: all(step("work"), sleep(1)),
      topology: "gated",
      maxInlineSteps: 0,
      maxBatch: 2,
      nearDueTicks: 0,
      budgets: { crashes: 1 }
    },
    expect: holds(11669, 23077, 48),
    without: { "re-send": fails("NoStrandInv", 18) }
  })
]
