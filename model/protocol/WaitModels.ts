/**
 * The bounded models of waits and timers. A near-due window of no ticks stands for sleeps that are much longer than it; a
 * timer is early by a tick unless the model says otherwise.
 *
 * @module
 */
import type { Model } from "../checker/Language.ts"
import { all, sleep, sleepingPrograms, step } from "../programs/index.ts"
import { bounded, fails, holds, inBoth } from "./Bounded.ts"
import type { Rule } from "./Rules.ts"

/** The bounded models of waits and timers. */
export const waitModels: ReadonlyArray<Model<Rule>> = [
  ...inBoth({
    name: "sleep-created-by-a-crash",
    about:
      "The delivery that creates a sleep dies at any point, and its redelivery may be coalesced into a spare wake.",
    config: {
      program: sleepingPrograms["one-sleep"].program,
      nearDueTicks: 0,
      progress: true,
      budgets: { crashes: 1, spareWakes: 1 }
    },
    gated: holds(1456, 2423, 34),
    coalescing: holds(4318, 7987, 35),
    withoutCoalescing: { "timer-before-creation": fails("NoStrandInv", 15) }
  }),
  ...inBoth({
    name: "two-sleeps",
    about: "Two sleeps of one chain, a crash and a spare wake: whoever completes one arms the next, and first.",
    config: {
      program: sleepingPrograms["two-sleeps"].program,
      nearDueTicks: 0,
      progress: true,
      budgets: { crashes: 1, spareWakes: 1 }
    },
    gated: holds(11272, 19231, 42),
    coalescing: holds(59840, 127355, 47),
    without: { "completer-owns-chain": fails("NoStrandInv", 16) },
    withoutGated: {
      "next-timer-before-completion": fails("NoStrandInv", 24),
      "redelivered-timer-owns-chain": holds(11268, 19221, 42),
      "chain-by-message": holds(12274, 21088, 42)
    },
    withoutCoalescing: {
      "next-timer-before-completion": fails("NoStrandInv", 19),
      "redelivered-timer-owns-chain": holds(58769, 125150, 47),
      "chain-by-message": holds(63777, 136864, 43),
      "own-timer-sends-next-first": fails("NoStrandInv", 23)
    }
  }),
  ...inBoth({
    name: "sleeps-cancelled",
    about:
      "The run is cancelled at any point of two sleeps: what completes a wait is still taken, and inert; a wait's creation is refused.",
    config: {
      program: sleepingPrograms["two-sleeps"].program,
      nearDueTicks: 0,
      progress: true,
      budgets: { crashes: 1, cancels: 1 }
    },
    gated: holds(15714, 23926, 43),
    coalescing: holds(55246, 119180, 44)
  }),
  ...inBoth({
    name: "three-sleeps",
    about: "Three sleeps of one chain, and a timer that is early.",
    config: { program: sleepingPrograms["three-sleeps"].program, progress: true, budgets: { earlies: 1 } },
    gated: holds(854, 1273, 33),
    coalescing: holds(11510, 18506, 43),
    without: { "completer-owns-chain": fails("NoStrandInv", 17), "early-timer-re-arms": fails("NoStrandInv", 16) }
  }),
  ...inBoth({
    name: "early-timer",
    about: "A timer comes before its wait is due, alone or coalesced into a spare wake.",
    config: { program: sleepingPrograms["long-sleep"].program, progress: true, budgets: { spareWakes: 1, earlies: 1 } },
    gated: holds(231, 410, 27),
    coalescing: holds(882, 1438, 30),
    without: { "complete-when-due": fails("NotEarlyProp", 14), "early-timer-re-arms": fails("NoStrandInv", 15) },
    withoutGated: {
      "early-timer-attempt": fails("NoStrandInv", 16),
      "near-due-overdue": fails("NoStrandInv", 16)
    },
    withoutCoalescing: {
      "early-timer-attempt": fails("NoStrandInv", 16),
      "near-due-overdue": fails("NoStrandInv", 15),
      "near-due-re-arm": fails("NoStrandInv", 19),
      "near-due-key": fails("NoStrandInv", 15)
    }
  }),
  bounded({
    name: "early-again-coalescing",
    about: "A timer is early and coalesced, and so is the near-due one that stood in for it.",
    config: {
      program: sleepingPrograms["long-sleep"].program,
      topology: "coalescing",
      skewTicks: 2,
      nearDueTicks: 2,
      progress: true,
      budgets: { spareWakes: 2, earlies: 2 }
    },
    expect: holds(9899, 21380, 43),
    without: { "near-due-second": fails("NoStrandInv", 19) }
  }),
  bounded({
    name: "early-near-due-coalescing",
    about: "Every timer is early: the one armed again by attempt is coalesced, and then the near-due one comes alone.",
    config: {
      program: sleepingPrograms["long-sleep"].program,
      topology: "coalescing",
      skewTicks: 2,
      nearDueTicks: 2,
      budgets: { earlies: 3 }
    },
    expect: holds(383, 522, 34),
    without: { "early-second-arms-by-second": fails("NoStrandInv", 27) }
  }),
  bounded({
    name: "early-into-its-creator-coalescing",
    about: "A timer comes early into the delivery that created its wait, a long time before the wait is due.",
    config: {
      program: sleepingPrograms["one-sleep"].program,
      topology: "coalescing",
      nearDueTicks: 0,
      budgets: { earlies: 1 }
    },
    expect: holds(91, 113, 21),
    without: { "re-run-arms-afresh": fails("NoStrandInv", 14) }
  }),
  bounded({
    name: "clamped-timer-coalescing",
    about:
      "A timer comes early by more than the near-due window, into a spare wake: the documents admit that it is lost.",
    config: {
      program: sleepingPrograms["long-sleep"].program,
      topology: "coalescing",
      nearDueTicks: 0,
      // How it ends is what is told of it; that nobody will see to the wait is so a step before.
      obligations: false,
      budgets: { spareWakes: 1, earlies: 1 }
    },
    expect: fails("NoStrandInv", 19)
  }),
  bounded({
    name: "stray-timer-coalescing",
    about: "A creation that does not commit leaves a timer behind, and the wait is created with another deadline.",
    config: { program: sleepingPrograms["long-sleep"].program, topology: "coalescing", budgets: { crashes: 1 } },
    expect: holds(971, 1374, 29),
    without: { "deadline-in-key": fails("NoStrandInv", 19) }
  }),
  ...inBoth({
    name: "race-hook-sleep",
    about:
      "An approval against a sleep: the winner is the first in the log, and the timer of the loser finds the run over.",
    config: {
      program: sleepingPrograms["race-hook-sleep"].program,
      progress: true,
      budgets: { crashes: 1, resumes: 1 }
    },
    gated: holds(2521, 3845, 36),
    coalescing: holds(5225, 9512, 32),
    withoutCoalescing: { "re-run-coalesced": fails("NoStrandInv", 11) }
  }),
  ...inBoth({
    name: "sleep-then-step",
    about: "A sleep, and then a step in the background.",
    config: {
      program: sleepingPrograms["sleep-then-step"].program,
      maxInlineSteps: 0,
      progress: true,
      budgets: { crashes: 1 }
    },
    gated: holds(4643, 8798, 51),
    coalescing: holds(11315, 24543, 46),
    withoutGated: { "re-send": fails("NoStrandInv", 19) },
    withoutCoalescing: { "re-send": fails("NoStrandInv", 15) }
  }),
  ...inBoth({
    name: "step-beside-sleep",
    about: "A wait comes due while an inline body runs: the delivery notices, and completes it.",
    config: {
      program: sleepingPrograms["all-step-sleep"].program,
      progress: true,
      budgets: { crashes: 1, earlies: 1 }
    },
    gated: holds(3184, 4400, 41),
    coalescing: holds(6641, 9887, 39)
  }),
  ...inBoth({
    name: "sleep-stalled",
    about: "A delivery of a run that sleeps outlives its lease, and a timer may be early.",
    config: { program: sleepingPrograms["one-sleep"].program, progress: true, budgets: { lapses: 1, earlies: 1 } },
    gated: holds(12427, 22899, 42),
    coalescing: holds(23831, 52319, 41),
    without: { "redeliver-on-refusal": fails("NoStrandInv", 20) }
  }),
  ...inBoth({
    name: "wake-up",
    about: "run.wakeUp() ends a sleep, whatever else is going on.",
    config: { program: sleepingPrograms["one-sleep"].program, progress: true, budgets: { crashes: 1, wakeUps: 1 } },
    gated: holds(1188, 1889, 35),
    coalescing: holds(2696, 4899, 31),
    withoutCoalescing: { "durable-wake-up": fails("WakeUpInv", 14) }
  }),
  bounded({
    name: "timer-rotated-gated",
    about: "A message is handed off near its expiry and goes on as a new one, an early timer's as well.",
    config: {
      program: sleepingPrograms["two-sleeps"].program,
      topology: "gated",
      nearDueTicks: 0,
      progress: true,
      budgets: { rotations: 2, earlies: 1 }
    },
    expect: holds(5246, 7253, 41),
    without: { "continuation-names-its-wait": fails("NoStrandInv", 18) }
  }),
  bounded({
    name: "timer-rotated-re-run",
    about: "A timer comes early into the delivery that created its wait, and the re-run that it causes is rotated.",
    config: {
      program: sleepingPrograms["one-sleep"].program,
      topology: "coalescing",
      progress: true,
      budgets: { rotations: 1, earlies: 1 }
    },
    expect: holds(535, 733, 27),
    without: { "continuation-is-no-first": fails("NoStrandInv", 16) }
  }),
  bounded({
    name: "long-sleep-in-hops-gated",
    about: "A sleep in hops, and a crash of whoever sends them: one chain of hops, wherever it stands.",
    config: { program: sleep(4), topology: "gated", hopTicks: 2, progress: true, budgets: { crashes: 1 } },
    expect: holds(3360, 7935, 41),
    without: { "hops-anchored": fails("OneHopInv", 11) }
  }),
  bounded({
    name: "long-sleep-in-hops-coalescing",
    about: "A creation that does not commit leaves a chain of hops behind, and the wait gets another deadline.",
    config: { program: sleep(3), topology: "coalescing", hopTicks: 1, progress: true, budgets: { crashes: 1 } },
    expect: holds(26249, 86545, 43),
    without: { "stray-timer-arms-by-hop": fails("OneHopInv", 23), "timer-key": fails("OneHopInv", 10) }
  }),
  bounded({
    name: "early-hop-coalescing",
    about: "A hop comes early: its delivery sends the next one, and not itself again.",
    config: { program: sleep(3), topology: "coalescing", hopTicks: 1, progress: true, budgets: { earlies: 1 } },
    expect: holds(560, 1315, 29),
    without: { "next-hop-from-own": fails("NoStrandInv", 13) }
  }),
  bounded({
    name: "hop-beside-a-wake-coalescing",
    about: "A hop comes due while a spare wake's delivery is in flight.",
    config: { program: sleep(3), topology: "coalescing", hopTicks: 1, progress: true, budgets: { spareWakes: 1 } },
    expect: holds(1367, 3581, 31),
    without: { "hops-stand-apart": fails("NoStrandInv", 18) }
  }),
  bounded({
    name: "sleep-armed-again-coalescing",
    about:
      "A sleep beside an inline body, two crashes, a spare wake and an early timer: who holds it dies, or swallows it.",
    set: "large",
    config: {
      program: all(step("work"), sleep(1)),
      topology: "coalescing",
      budgets: { crashes: 2, spareWakes: 1, earlies: 1 }
    },
    expect: holds(467637, 1079767, 52)
  }),
  bounded({
    name: "sleep-crashed-and-stalled-coalescing",
    about: "A sleep, a crash, a lapsed lease and an early timer.",
    set: "large",
    config: {
      program: sleepingPrograms["one-sleep"].program,
      topology: "coalescing",
      budgets: { crashes: 1, lapses: 1, earlies: 1 }
    },
    expect: holds(877510, 2413293, 48)
  }),
  bounded({
    name: "race-hook-sleep-stalled-gated",
    about: "An approval against a sleep, a crash and a lapsed lease.",
    set: "large",
    config: {
      program: sleepingPrograms["race-hook-sleep"].program,
      topology: "gated",
      budgets: { crashes: 1, lapses: 1, resumes: 1 }
    },
    expect: holds(2418632, 5188607, 52)
  }),
  bounded({
    name: "timers-in-a-fan-out-gated",
    about: "Two branches that work and then sleep, each outcome in a delivery of its own: one timer for each sleep.",
    config: {
      program: sleepingPrograms["steps-then-sleeps"].program,
      topology: "gated",
      maxInlineSteps: 0,
      countsTimers: true
    },
    expect: holds(72585, 180181, 59),
    without: { "near-due-gate": fails("TimerCostInv", 24) }
  }),
  bounded({
    name: "timers-of-re-runs-coalescing",
    about: "A delivery is run again and again while its wait is near due: one more timer in a second, and no more.",
    config: {
      program: sleepingPrograms["one-sleep"].program,
      topology: "coalescing",
      countsTimers: true,
      budgets: { spareWakes: 4 }
    },
    expect: holds(5705, 15386, 35),
    without: { "timer-key": fails("TimerCostInv", 23) }
  })
]
