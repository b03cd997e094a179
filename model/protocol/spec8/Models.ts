/**
 * The bounded models of spec 8: the three corruptions that the simulated World still finds, each in the log whose
 * positions are minted and in the one whose positions are taken when an event is stored; stale reads; and overlapping
 * orchestrators.
 *
 * @module
 */
import { type Expectation, type Model, model } from "../../checker/Language.ts"
import { hook, race, seq, sleep, step } from "../../programs/index.ts"
import { fails, holds } from "../Bounded.ts"
import type { Spec8Config } from "./Config.ts"
import { type Spec8Rule, spec8Switches } from "./Rules.ts"
import { spec8 } from "./Spec8.ts"

const spec8Model = (parts: {
  readonly name: string
  readonly about: string
  readonly set?: "ci" | "large"
  readonly config: Omit<Spec8Config, "rules">
  readonly expect: Expectation
  readonly without?: { readonly [rule in Spec8Rule]?: Expectation }
}): Model<Spec8Rule> =>
  model<Spec8Rule>({
    name: parts.name,
    about: parts.about,
    parts: ["spec 8", "log"],
    ...(parts.set === undefined ? {} : { set: parts.set }),
    switches: spec8Switches,
    spec: (rules) => spec8({ ...parts.config, rules }, parts.name),
    expect: parts.expect,
    without: parts.without ?? {}
  })

/** An approval against a timeout: which of the two comes first in the log decides which step is the run's third entity. */
export const approvalOrTimeout = race(seq(hook("approval"), step("approved")), seq(sleep(1), step("expired")))

/** Two steps that race: which of their outcomes comes first in the log decides which step is the run's third entity. */
export const stepAgainstStep = race(seq(step("slow"), step("afterSlow")), seq(step("fast"), step("afterFast")))

const raced = { program: approvalOrTimeout, deliveries: 1, ids: "slots" } as const

/** doc-29: a payload is accepted, the log is read around its slot, and it is stored before the decision is. */
const beforeDecision = {
  ...raced,
  guards: ["precondition"],
  hookLands: "before-decision",
  budgets: { crashes: 1 }
} as const

/** doc-30: the same tempo, with the count half of the guard. */
const beforeDecisionCounted = { ...beforeDecision, guards: ["precondition", "count"] } as const

/** doc-31: the payload is stored after the decision, while nobody writes. */
const afterDecision = { ...raced, guards: ["precondition", "count"], hookLands: "after-decision" } as const

/** A read misses an event that the log holds; which of two outcomes comes first decides what the run returns. */
const stale = { program: race(step("slow"), step("fast")), deliveries: 1, budgets: { withheld: 1 } } as const

/** The same, where it decides which step comes next (doc-26, doc-27). */
const staleFork = { ...stale, program: stepAgainstStep } as const

/** Two deliveries at once, of a run that does some work for as long as a timeout lets it. */
const overlapping = {
  program: race(step("work"), sleep(1)),

  deliveries: 2,
  ids: "slots",
  guards: []
} as const

/** The bounded models of spec 8. */
export const spec8Models: ReadonlyArray<Model<Spec8Rule>> = [
  spec8Model({
    name: "in-flight-before-decision-minted",
    about: "A payload's slot is empty when the log is read, and filled before the decision: the run cannot be read.",
    config: { ...beforeDecision, positions: "minted" },
    expect: fails("ReadableLogInv", 8),
    without: { "refuse-holes": fails("ColdReplayInv", 11) }
  }),
  spec8Model({
    name: "in-flight-before-decision-appended",
    about: "The same, where a payload has no slot before it is stored: there is nothing to read around.",
    config: { ...beforeDecision, positions: "appended" },
    expect: holds(14214, 26744, 36),
    without: { "position-at-commit": fails("AppendOnlyProp", 6) }
  }),
  spec8Model({
    name: "in-flight-before-decision-sealed",
    about: "The same in a minted log whose readers seal what they find empty: the payload is moved to the tail.",
    config: { ...beforeDecision, positions: "minted", sealing: true },
    expect: holds(32288, 60180, 46)
  }),
  spec8Model({
    name: "in-flight-before-decision-counted-minted",
    about: "With the count half armed as well: the empty slot stops the reader before any guard is asked.",
    config: { ...beforeDecisionCounted, positions: "minted" },
    expect: fails("ReadableLogInv", 8),
    without: { "refuse-holes": holds(16589, 31787, 35) }
  }),
  spec8Model({
    name: "in-flight-before-decision-counted-appended",
    about: "The same in an appended log: the guard refuses a write that nothing was wrong with, and the run goes on.",
    config: { ...beforeDecisionCounted, positions: "appended" },
    expect: holds(14214, 26744, 36)
  }),
  spec8Model({
    name: "in-flight-after-decision-minted",
    about: "A payload is stored below a decision that was made without it, while nobody writes.",
    config: { ...afterDecision, positions: "minted" },
    expect: fails("ColdReplayInv", 13)
  }),
  spec8Model({
    name: "in-flight-after-decision-appended",
    about: "The same in an appended log: the payload is above the decision, as it was in time.",
    config: { ...afterDecision, positions: "appended" },
    expect: holds(1266, 1876, 33)
  }),
  spec8Model({
    name: "in-flight-after-decision-sealed",
    about: "The same in a minted log whose readers seal: no reader met the empty slot, so nobody sealed it.",
    config: { ...afterDecision, positions: "minted", sealing: true },
    expect: fails("ColdReplayInv", 13)
  }),
  spec8Model({
    name: "in-flight-after-decision-tail-fenced",
    about: "The same in a minted log that stores nothing below what it has stored, and whose readers seal.",
    config: { ...afterDecision, positions: "minted", sealing: true, tailFence: true },
    expect: holds(5632, 8523, 36)
  }),
  spec8Model({
    name: "in-flight-anytime-tail-fenced",
    about: "A payload is stored at any time, readers seal, and the log stores nothing below what it has stored.",
    config: { ...raced, guards: [], positions: "minted", sealing: true, tailFence: true, budgets: { crashes: 1 } },
    expect: holds(88201, 167124, 41)
  }),
  spec8Model({
    name: "hook-against-sleep-appended",
    about: "A payload lands beneath the completion of the sleep, and the answer to that write tells of it.",
    config: { ...raced, guards: [], positions: "appended", budgets: { crashes: 1 } },
    expect: holds(20998, 38884, 35),
    without: { "skipped-report": fails("ColdReplayInv", 10) }
  }),
  spec8Model({
    name: "hook-against-sleep-sparse",
    about: "The same where ids only order the events: the guard finds what no reader can see is missing.",
    config: { ...raced, ids: "sparse", guards: ["precondition", "count"], positions: "appended" },
    expect: holds(7541, 11512, 34),
    without: { "precondition-guard": fails("ColdReplayInv", 10) }
  }),
  spec8Model({
    name: "stale-read-slots",
    about: "A read misses one of two outcomes: the missing slot is seen, and the log read again.",
    config: { ...stale, ids: "slots", guards: [], positions: "minted" },
    expect: holds(1867, 3328, 19),
    without: { "gap-audit": fails("ColdReplayInv", 10) }
  }),
  spec8Model({
    name: "stale-read-sparse",
    about: "The same where ids only order the events: the count half of the guard refuses the write.",
    config: { ...stale, ids: "sparse", guards: ["precondition", "count"], positions: "minted" },
    expect: holds(1723, 3095, 19),
    without: { "count-guard": fails("ColdReplayInv", 10), "reload-on-precondition": fails("NoStrandInv", 9) }
  }),
  spec8Model({
    name: "stale-read-sparse-precondition",
    about: "The same with the other half alone: the reader has read the newest event, and is let through.",
    config: { ...staleFork, ids: "sparse", guards: ["precondition"], positions: "minted" },
    expect: fails("ColdReplayInv", 10)
  }),
  spec8Model({
    name: "two-orchestrators-appended",
    about:
      "Two deliveries write one run without a fence, and a step's message is delivered twice: rows refuse the rest.",
    config: { ...overlapping, positions: "appended", budgets: { duplicates: 1 } },
    expect: holds(20418, 50177, 23),
    without: {
      "step-rows": fails("LifecycleInv", 7),
      "wait-rows": fails("LifecycleInv", 10),
      "ended-run-row": fails("LifecycleInv", 9)
    }
  }),
  spec8Model({
    name: "two-orchestrators-hook-appended",
    about: "Two deliveries write one run without a fence or a guard, and a payload comes at any time.",
    set: "large",
    config: { ...raced, deliveries: 2, guards: [], positions: "appended" },
    expect: holds(413853, 1001270, 35)
  })
]
