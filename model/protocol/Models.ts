/**
 * The bounded models: small configurations of the protocol, each named for what it shows, with what the checker finds in
 * it. Each is checked in seconds, but for the few that are marked `large`.
 *
 * `expect` is what it finds with every rule on, `without` what it finds with one rule off. Every model can be checked
 * without any of the switches; it lists those whose need it is there to show.
 *
 * @module
 */
import type { Model } from "../checker/Language.ts"
import { programs } from "../programs/index.ts"
import { batchModels } from "./BatchModels.ts"
import { bounded, fails, holds, inBoth } from "./Bounded.ts"
import { findings } from "./Findings.ts"
import { obligationModels } from "./ObligationModels.ts"
import type { Rule } from "./Rules.ts"
import { waitModels } from "./WaitModels.ts"

const documented: ReadonlyArray<Model<Rule>> = [
  ...inBoth({
    name: "checkout",
    about: "The documents' example: three inline steps, through a crash and a spare wake.",
    config: { program: programs.checkout.program, budgets: { crashes: 1, spareWakes: 1 } },
    gated: holds(506, 793, 29),
    coalescing: holds(599, 919, 28),
    without: { "allocate-with-append": fails("SlotsDenseInv", 5) }
  }),
  ...inBoth({
    name: "lease-stall",
    about: "A delivery outlives its lease, and two of them drive one run: the fence admits one.",
    config: { program: programs["two-steps"].program, budgets: { crashes: 1, lapses: 1, spareWakes: 1 } },
    gated: holds(31930, 75647, 40),
    coalescing: holds(36607, 90666, 39),
    without: {
      fence: fails("OneChainInv", 9),
      "refusal-allocates-nothing": fails("SlotsDenseInv", 9),
      "redeliver-on-refusal": fails("NoStrandInv", 11)
    }
  }),
  ...inBoth({
    name: "crash-before-dispatch",
    about: "A delivery commits a step_created and dies before it sends the step's message.",
    config: { program: programs["one-step"].program, maxInlineSteps: 0, progress: true, budgets: { crashes: 1 } },
    gated: holds(277, 466, 28),
    coalescing: holds(338, 621, 27),
    without: { "re-send": fails("NoStrandInv", 10), "step-key": fails("OneMessageInv", 11) }
  }),
  ...inBoth({
    name: "dies-owing-a-send",
    about: "Two deliveries of one message: one commits a step_created and dies, the other is refused.",
    config: {
      program: programs["one-step"].program,
      maxInlineSteps: 0,
      progress: true,
      budgets: { crashes: 1, lapses: 1 }
    },
    gated: holds(20345, 52347, 42),
    coalescing: holds(27078, 75438, 37),
    without: { "redeliver-on-refusal": fails("NoStrandInv", 11) }
  }),
  ...inBoth({
    name: "lost-completion-wake",
    about: "A step delivery commits an outcome and dies before its wake; nothing else would wake the run.",
    config: { program: programs["two-steps"].program, maxInlineSteps: 0, progress: true, budgets: { crashes: 1 } },
    gated: holds(1361, 3047, 49),
    coalescing: holds(2134, 5408, 45),
    without: { "terminal-wake": fails("NoStrandInv", 17) }
  }),
  ...inBoth({
    name: "at-most-once-background",
    about: "A background step with maxRetries 0, and two crashes.",
    config: { program: programs["one-step-at-most-once"].program, maxInlineSteps: 0, budgets: { crashes: 2 } },
    gated: holds(1169, 2361, 32),
    coalescing: holds(1399, 3190, 31),
    without: { "attempt-limit": fails("BodyLimitInv", 15) }
  }),
  ...inBoth({
    name: "at-most-once-re-sent",
    about: "The same on a World that starts a step which has ended: a message that was sent again reads the log first.",
    config: { program: programs["one-step-at-most-once"].program, maxInlineSteps: 0, budgets: { crashes: 2 } },
    lacks: ["ended-step-refuses-start"],
    gated: holds(1169, 2361, 32),
    coalescing: holds(1399, 3190, 31),
    without: { "resent-reads-log": fails("BodyLimitInv", 21) }
  }),
  ...inBoth({
    name: "at-most-once-inline",
    about: "An inline step with maxRetries 0, a crash and a lapsed lease.",
    config: { program: programs["one-step-at-most-once"].program, budgets: { crashes: 1, lapses: 1, spareWakes: 1 } },
    gated: holds(4418, 11062, 26),
    coalescing: holds(5001, 13423, 26),
    without: { "attempt-limit": fails("BodyLimitInv", 12) }
  }),
  ...inBoth({
    name: "inline-created-apart",
    about: "The same, with a step_created ahead of the step_started that would have created the step.",
    config: {
      program: programs["one-step-at-most-once"].program,
      inlineCreation: "apart",
      budgets: { crashes: 1, lapses: 1, spareWakes: 1 }
    },
    gated: holds(5474, 13841, 27),
    coalescing: holds(6217, 16880, 27),
    without: { "attempt-limit": fails("BodyLimitInv", 13) }
  }),
  ...inBoth({
    name: "late-outcome",
    about: "A stalled step delivery completes a step that another one has failed.",
    config: { program: programs["one-step"].program, maxInlineSteps: 0, budgets: { lapses: 1, fatals: 1 } },
    gated: holds(3822, 8557, 32),
    coalescing: holds(5606, 13371, 30),
    without: { "terminal-inert": fails("OneOutcomeInv", 19) }
  }),
  ...inBoth({
    name: "fan-out",
    about: "Two steps at once, one inline and one in the background.",
    config: { program: programs["all-two"].program, maxInlineSteps: 1, progress: true, budgets: { crashes: 1 } },
    gated: holds(1743, 2981, 34),
    coalescing: holds(2054, 3690, 33),
    without: { "re-send": fails("NoStrandInv", 15), "terminal-wake": fails("NoStrandInv", 21) },
    withoutCoalescing: { "re-run-coalesced": fails("NoStrandInv", 19) }
  }),
  ...inBoth({
    name: "fan-out-default",
    about: "Four steps at once with the default of three inline steps.",
    config: { program: programs["all-four"].program, budgets: { crashes: 1 } },
    gated: holds(194039, 428020, 46),
    coalescing: holds(217823, 479208, 45)
  }),
  ...inBoth({
    name: "retry-in-background",
    about: "An inline step's retry moves to its own message.",
    config: {
      program: programs["one-step"].program,
      maxInlineSteps: 1,
      budgets: { crashes: 1, retries: 1 }
    },
    gated: holds(568, 988, 32),
    coalescing: holds(649, 1196, 31),
    without: { "re-send": fails("NoStrandInv", 13) }
  }),
  ...inBoth({
    name: "retry-past-a-stall",
    about: "A step fails and is tried again, and one of its owners outlives its lease.",
    config: { program: programs["one-step"].program, maxInlineSteps: 1, budgets: { lapses: 1, retries: 1 } },
    gated: holds(5413, 12682, 41),
    coalescing: holds(6725, 16461, 40)
  }),
  ...inBoth({
    name: "hook-against-step",
    about: "A payload lands while an inline step runs: what comes next depends on the order of the log.",
    config: { program: programs["race-then-step"].program, progress: true, budgets: { crashes: 1, resumes: 1 } },
    gated: holds(4984, 9003, 31),
    coalescing: holds(6127, 11518, 30),
    without: { "consume-after-commit": fails("ColdReplayInv", 12) }
  }),
  ...inBoth({
    name: "hook-against-step-stalled",
    about: "A payload lands while an inline step runs, and a delivery outlives its lease.",
    config: { program: programs["race-hook-step"].program, budgets: { crashes: 1, lapses: 1, resumes: 1 } },
    gated: holds(21811, 54733, 38),
    coalescing: holds(23925, 63811, 37),
    without: { "consume-after-commit": fails("ColdReplayInv", 12) }
  }),
  ...inBoth({
    name: "hook-wake",
    about: "A suspended run is resumed, and a background step follows.",
    config: {
      program: programs["hook-then-step"].program,
      maxInlineSteps: 0,
      progress: true,
      budgets: { crashes: 1, resumes: 1 }
    },
    gated: holds(392, 686, 34),
    coalescing: holds(569, 1137, 32),
    withoutGated: { "write-before-wake": fails("NoStrandInv", 13) },
    withoutCoalescing: { "write-before-wake": fails("NoStrandInv", 12), "re-run-coalesced": fails("NoStrandInv", 9) }
  }),
  ...inBoth({
    name: "second-payload",
    about: "A hook is resumed twice: its first payload decides it.",
    config: {
      program: programs["step-then-hook"].program,
      maxInlineSteps: 0,
      progress: true,
      budgets: { crashes: 1, resumes: 2 }
    },
    gated: holds(1027, 2283, 37),
    coalescing: holds(1646, 4183, 34),
    withoutGated: { "write-before-wake": fails("NoStrandInv", 25) },
    withoutCoalescing: { "write-before-wake": fails("NoStrandInv", 23) }
  }),
  ...inBoth({
    name: "cancel-inline",
    about: "The run is cancelled while an inline step runs.",
    config: { program: programs["one-step"].program, budgets: { crashes: 1, cancels: 1, retries: 1 } },
    gated: holds(3182, 7002, 35),
    coalescing: holds(4048, 9894, 33),
    without: { "refusal-allocates-nothing": fails("SlotsDenseInv", 6) }
  }),
  ...inBoth({
    name: "cancel-background",
    about: "The run is cancelled while a background step is on its way.",
    config: {
      program: programs["one-step"].program,
      maxInlineSteps: 0,
      progress: true,
      budgets: { crashes: 1, cancels: 1 }
    },
    gated: holds(1574, 3436, 29),
    coalescing: holds(2094, 5203, 28),
    without: { "refusal-allocates-nothing": fails("SlotsDenseInv", 6) }
  }),
  ...inBoth({
    name: "start-twice",
    about: "start is called twice: run_created converges, and a second start message is a spare wake.",
    config: { program: programs["one-step"].program, budgets: { crashes: 1, restarts: 1 } },
    gated: holds(181, 290, 22),
    coalescing: holds(210, 336, 21)
  }),
  ...inBoth({
    name: "throttled-sibling",
    about: "An inline start is refused for load while the body of another step runs.",
    config: { program: programs["all-two"].program, progress: true, budgets: { throttles: 1, spareWakes: 1 } },
    gated: holds(264, 479, 24),
    coalescing: holds(298, 534, 23),
    without: { "throttle-settles-siblings": fails("BodyOnceInv", 13) }
  }),
  bounded({
    name: "unserialized-wakes",
    about: "A queue that holds nothing back: the fence alone keeps one writer.",
    config: {
      program: programs["one-step"].program,
      topology: "unserialized",
      maxInlineSteps: 0,
      budgets: { crashes: 1, spareWakes: 1 }
    },
    expect: holds(16768, 48351, 40),
    without: { fence: fails("OneChainInv", 9), "step-key": fails("OneMessageInv", 11) }
  }),
  bounded({
    name: "unserialized-hook",
    about: "A payload's wake is delivered beside the delivery that runs the step it races.",
    config: {
      program: programs["race-hook-step"].program,
      topology: "unserialized",
      budgets: { crashes: 1, resumes: 1 }
    },
    expect: holds(1679, 3477, 28),
    without: { fence: fails("OneChainInv", 12), "consume-after-commit": fails("ColdReplayInv", 12) }
  }),
  bounded({
    name: "re-runs-exhausted",
    about: "A coalescing delivery has used up its re-runs, and is handed off.",
    config: {
      program: programs["hook-then-step"].program,
      topology: "coalescing",
      maxReruns: 1,
      budgets: { crashes: 1, resumes: 1, spareWakes: 2 }
    },
    expect: holds(1799, 4203, 26),
    without: { "re-run-coalesced": fails("NoStrandInv", 9) }
  }),
  bounded({
    name: "re-runs-of-a-fan-out",
    about:
      "A delivery with two steps on their way is run again for each of two wakes, and sends their messages again once.",
    config: {
      program: programs["all-two"].program,
      topology: "coalescing",
      maxInlineSteps: 0,
      budgets: { spareWakes: 2 }
    },
    expect: holds(62413, 224744, 44),
    without: { "re-send-pass-once": fails("ReSendOnceInv", 17) }
  })
]

/** Every bounded model of the protocol: those in which everything holds, and the findings. */
export const models: ReadonlyArray<Model<Rule>> = [
  ...documented,
  ...waitModels,
  ...obligationModels,
  ...batchModels,
  ...findings
]
