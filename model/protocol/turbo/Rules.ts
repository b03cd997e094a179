/**
 * The switches of turbo, of rotation, and of the inline deadline.
 *
 * No variables: each switch names its rules (`ids`), and the property that fails without it (`violates`).
 *
 * @module
 */
import type { Switch } from "../../checker/Language.ts"

/** Every switch of the turbo spec, by name. */
export const switches = {
  "continuation-without-input": {
    rule: "A rotation sends a continuation without the run input, never a copy of the message.",
    ids: ["ROT-03", "ROT-08", "ROT-16", "ROT-18", "TURBO-04", "EDGE-15", "EDGE-46", "DEC-27"],
    violates: "BodyOnceInv"
  },
  "bodies-await-run-started": {
    rule: "Under turbo no body begins before run_started has committed; its own start may be on its way. (Not in the documents.)",
    ids: ["TURBO-01", "TURBO-03", "TURBO-08"],
    violates: "BodyOnceInv"
  },
  "redelivery-not-turbo": {
    rule: "A start message that was delivered before, or handed off, loads the log.",
    ids: ["TURBO-02", "TURBO-03", "RUN-05"],
    violates: "BodyOnceInv"
  },
  "re-run-not-turbo": {
    rule: "A coalesced re-run of the first delivery is counted as its second, and loads the log.",
    ids: ["TURBO-28", "RUN-11"],
    violates: "BodyOnceInv"
  },
  "behind-run-started": {
    rule: "Every in-band write of turbo's delivery is sent after run_started has been answered.",
    ids: ["TURBO-06", "TURBO-11", "POST-02"],
    violates: "StartedFirstInv"
  },
  "body-writes-wait": {
    rule: "What a body writes by itself waits until run_started has committed.",
    ids: ["TURBO-10", "TURBO-17"],
    violates: "StartedFirstInv"
  },
  "refused-run-started-stops": {
    rule: "When run_started is refused, nothing else of the delivery is written, and no body begins.",
    ids: ["TURBO-12", "TURBO-14", "TURBO-16"],
    violates: "StartedFirstInv"
  },
  "refused-start-drops-outcome": {
    rule: "When a step's start is refused, the outcome of its early body is not written.",
    ids: ["TURBO-18", "RUN-07"],
    violates: "OutcomeHasStartInv"
  },
  "resilient-start": {
    rule: "A run_started that carries the run input creates a run whose run_created never landed.",
    ids: ["TURBO-27", "RUN-35"],
    violates: "NoStrandInv"
  },
  "hook-ends-early-starts": {
    rule: "From a boundary with a hook on, bodies of turbo's delivery wait for their starts.",
    ids: ["TURBO-08", "TURBO-09"],
    violates: "NoLostBodyInv"
  },
  "background-ends-early-starts": {
    rule: "From a boundary with a background step on, bodies of turbo's delivery wait for their starts.",
    ids: ["TURBO-07", "TURBO-09"],
    violates: "NoLostBodyInv"
  },
  "at-most-once-awaits-start": {
    rule: "The body of a step that is never tried again waits for its start, under turbo too.",
    ids: ["STEP-57", "EDGE-51", "LIM-05"],
    violates: "AtMostOnceInv"
  },
  "wake-needs-run": {
    rule: "Nobody wakes a run that does not exist: only its start message can be its first.",
    ids: ["COAL-02", "TURBO-03", "OOB-04"],
    violates: "NoStrandInv"
  },
  "hook-input-not-coalesced": {
    rule: "A message that carries a payload which the log does not have is not coalesced.",
    ids: ["COAL-02", "HOOK-03"],
    violates: "NoStrandInv"
  },
  "continuation-carries-hook-input": {
    rule: "A continuation carries what its message is a wake for.",
    ids: ["ROT-06", "DEC-27"],
    violates: "NoStrandInv",
    uncaught:
      "A delivery writes the payload that its message carries before it can hand off, so what is rotated has nothing left to carry."
  },
  "rotate-near-expiry": {
    rule: "A message that is handed off near its expiry is continued by a new one.",
    ids: ["ROT-01", "DEC-27"],
    violates: "NoStrandInv"
  },
  "continuation-before-acknowledgment": {
    rule: "The continuation is sent before the old message is acknowledged.",
    ids: ["ROT-02"],
    violates: "NoStrandInv"
  },
  "overflow-rotates": {
    rule: "The last re-run that a delivery is allowed rotates its message before the acknowledgment that may be refused.",
    ids: ["ROT-15", "BUG-48", "BUG-49", "BUG-50"],
    violates: "NoStrandInv"
  },
  "step-message-not-rotated": {
    rule: "A step's message is handed off on itself, however old: its key would drop a copy.",
    ids: ["ROT-14", "EDGE-46"],
    violates: "NoStrandInv"
  },
  "inline-start-margin": {
    rule: "Within the margin of the inline deadline new steps are created in the background.",
    ids: ["RUN-43", "SET-34", "EDGE-21", "EDGE-56", "STEP-02", "LIM-30"],
    violates: "StartsInTimeInv"
  },
  "deadline-hand-off": {
    rule: "A pass that begins after the inline deadline hands the message off.",
    ids: ["RUN-18", "FAN-46", "EDGE-21", "EDGE-57", "HAND-01", "HAND-14"],
    violates: "DecidesInTimeProp"
  },
  "re-run-keeps-deadline": {
    rule: "Re-runs measure the inline deadline from the start of their invocation.",
    ids: ["RUN-19", "EDGE-58", "BUG-25"],
    violates: "StartsInTimeInv"
  }
} as const satisfies { readonly [rule: string]: Switch }

/** The name of a switch of turbo. */
export type Rule = keyof typeof switches

/** Which rules of turbo are on. */
export type Rules = { readonly [rule in Rule]: boolean }
