/**
 * The switches of run-ahead: the rules that keep a delivery that decides ahead of its own commits from writing a log that
 * does not replay, or from running a body that nobody expects to run twice.
 *
 * No variables: each switch names its rules (`ids`), and the property that fails without it (`violates`).
 *
 * @module
 */
import type { Switch } from "../../checker/Language.ts"

/** Every switch of the run-ahead spec, by name. */
export const switches = {
  "awaited-hook-not-inert": {
    rule: "While the workflow awaits a hook, no outcome reaches it before its write commits.",
    ids: ["AHEAD-05", "AHEAD-17", "HOOK-17", "HOOK-20", "EDGE-53", "RUN-08"],
    violates: "ColdReplayInv"
  },
  "step-elsewhere-not-inert": {
    rule: "While a step of the run is open in another invocation, no outcome reaches the workflow before its write commits.",
    ids: ["AHEAD-05", "AHEAD-18", "HOOK-17", "RUN-09"],
    violates: "ColdReplayInv"
  },
  "due-wait-not-inert": {
    rule: "While a wait may come due in the delivery, no outcome reaches the workflow before its write commits.",
    ids: ["AHEAD-05", "HOOK-17"],
    violates: "ColdReplayInv"
  },
  "own-failure-first": {
    rule: "While a failure that the delivery itself writes has yet to commit, no outcome reaches the workflow before its write commits.",
    ids: ["AHEAD-05", "CAC-01", "ONCE-06"],
    violates: "ColdReplayInv"
  },
  "waits-complete-in-band": {
    rule: "The World refuses a wait_completed from anybody but the orchestrator.",
    ids: ["WAIT-92", "DEC-40", "AHEAD-19"],
    violates: "ColdReplayInv"
  },
  "unawaited-hook-buffered": {
    rule: "A payload of a hook that nobody awaits moves neither results nor the workflow's clock.",
    ids: ["AHEAD-06", "HOOK-18"],
    violates: "ColdReplayInv"
  },
  "writes-in-decision-order": {
    rule: "Speculative writes leave in the order in which the workflow made them.",
    ids: ["AHEAD-01", "POST-19", "POST-21"],
    violates: "ColdReplayInv"
  },
  "hazard-check": {
    rule: "Each event of somebody else below a speculative write is tested, and one that could change the path stops the delivery.",
    ids: ["AHEAD-13", "AHEAD-17", "AHEAD-18", "AHEAD-19", "AHEAD-22"],
    violates: "ColdReplayInv"
  },
  "stored-time-checked": {
    rule: "A speculative write that was stored at another time than it was sent with stops the delivery, and run-ahead for the process.",
    ids: ["AHEAD-03", "AHEAD-11", "AHEAD-14", "RUN-68", "EDGE-52"],
    violates: "ColdReplayInv"
  },
  "ended-step-no-hazard": {
    rule: "An event of a step that had its outcome already is no hazard: replay passes it over.",
    ids: ["AHEAD-18", "WORLD-10", "HOOK-21"],
    violates: "HazardNeverInv"
  },
  "repair-displaced": {
    rule: "A speculative write whose slot is not the predicted one makes the delivery rebuild its log from the answers and replay.",
    ids: ["AHEAD-15", "AHEAD-16"],
    violates: "LiveOrderInv"
  },
  "payload-cache-by-step": {
    rule: "A payload prepared for replay is kept under its event's slot and its step, not under the slot alone.",
    ids: ["BUG-08"],
    violates: "LiveOrderInv"
  },
  "drain-before-boundary": {
    rule: "At a boundary that is not inert nothing is written until every speculative write has been answered.",
    ids: ["AHEAD-07", "AHEAD-08", "RUN-09", "HOOK-23"],
    violates: "ColdReplayInv",
    uncaught:
      "The writer alone keeps the order: a write that is waited for joins no speculative group, is sent after all answers below it, and is dropped if one of those is a stop."
  },
  "refused-creation-stops": {
    rule: "A speculative write that the World refuses stops the writer before it sends anything else.",
    ids: ["AHEAD-23", "AHEAD-32", "FENCE-43"],
    violates: "CreatedFirstInv"
  },
  "batch-refuses-by-step": {
    rule: "After it refused one item of a batch the World refuses every later item of the same step.",
    ids: ["POST-13", "LIM-05", "AHEAD-21"],
    violates: "CreatedFirstInv"
  },
  "started-outcomes-survive": {
    rule: "A stop still writes the outcomes of steps whose start committed.",
    ids: ["AHEAD-23", "AHEAD-24", "AHEAD-29"],
    violates: "BodyOnceInv"
  },
  "one-restart-run-ahead-off": {
    rule: "A stop restarts the delivery in place once, with run-ahead off from then on; another stop would hand off.",
    ids: ["AHEAD-24", "AHEAD-25", "EDGE-49", "RUN-32"],
    violates: "RestartsBoundedInv"
  },
  "refusal-ends-delivery": {
    rule: "A delivery that the fence refuses while it runs ahead ends and is redelivered; it does not restart in place.",
    ids: ["AHEAD-33", "FENCE-15"],
    violates: "RefusedStopsProp"
  },
  "at-most-once-not-ahead": {
    rule: "A step that is never tried again does not begin before its start committed.",
    ids: ["AHEAD-09", "AHEAD-31", "STEP-57", "STEP-58", "EDGE-51"],
    violates: "AtMostOnceInv"
  },
  "run-ahead-depth": {
    rule: "At most so many outcomes, and so many starts, are unconfirmed at once.",
    ids: ["AHEAD-12", "HOOK-22", "EDGE-50", "EDGE-19", "LIM-05"],
    violates: "DepthInv"
  },
  "fresh-vm-on-divergence": {
    rule: "A replay that diverges from the log is tried again in a fresh VM, over a log that is loaded again.",
    ids: ["AHEAD-36", "RUN-33"],
    violates: "CorruptLogInv"
  }
} as const satisfies { readonly [rule: string]: Switch }

/** The name of a switch of run-ahead. */
export type Rule = keyof typeof switches

/** Which rules of run-ahead are on. */
export type Rules = { readonly [rule in Rule]: boolean }
