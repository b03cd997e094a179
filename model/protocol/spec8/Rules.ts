/**
 * The switches of the spec 8 part: what keeps several orchestrators of one run, which write without a fence, on one
 * history; and what lets a long chain of retries live.
 *
 * No variables: each switch names its rules (`ids`), and the property that fails without it (`violates`).
 *
 * @module
 */
import type { Switch } from "../../checker/Language.ts"

/** Every switch of the spec 8 models, by name. */
export const spec8Switches = {
  "position-at-commit": {
    rule: "An event takes its position when it is committed: nothing lands below what a reader has passed.",
    ids: ["SIM-65", "SIM-132", "SIM-135"],
    violates: "AppendOnlyProp"
  },
  "gap-audit": {
    rule: "A reader that finds a slot missing below one that it has read reads the log again before it replays.",
    ids: ["SIM-63", "SIM-130"],
    violates: "ColdReplayInv"
  },
  "refuse-holes": {
    rule: "A reader that still finds a slot empty after it has read again does not replay past it.",
    ids: ["SIM-127", "SIM-131"],
    violates: "ColdReplayInv"
  },
  "skipped-report": {
    rule: "The answer to a write reports the events in the slots that it skipped.",
    ids: ["SIM-51"],
    violates: "ColdReplayInv"
  },
  "precondition-guard": {
    rule: "The World refuses a write whose reader has not read the newest event from outside.",
    ids: ["SIM-47", "SIM-48"],
    violates: "ColdReplayInv"
  },
  "count-guard": {
    rule: "The World refuses a write whose reader loaded fewer events than the log holds up to where it has read.",
    ids: ["SIM-49"],
    violates: "ColdReplayInv"
  },
  "reload-on-precondition": {
    rule: "A delivery whose write a guard refused reads the log from its start, and goes on.",
    ids: ["SIM-48", "SIM-51"],
    violates: "NoStrandInv"
  },
  "step-rows": {
    rule: "The World's step rows refuse a second creation and a second outcome of a step, and a start past its outcome.",
    ids: ["TOPO-02", "ROUTE-46", "SIM-45"],
    violates: "LifecycleInv"
  },
  "wait-rows": {
    rule: "The World's wait rows refuse a second creation and a second completion of a sleep.",
    ids: ["TOPO-02", "ROUTE-46", "SIM-45"],
    violates: "LifecycleInv"
  },
  "ended-run-row": {
    rule: "The World's run row refuses every event of a run that has ended.",
    ids: ["SIM-45", "SIM-95"],
    violates: "LifecycleInv"
  }
} as const satisfies { readonly [rule: string]: Switch }

/** The name of a switch of the spec 8 models. */
export type Spec8Rule = keyof typeof spec8Switches

/** Which rules are on. */
export type Spec8Rules = { readonly [rule in Spec8Rule]: boolean }
