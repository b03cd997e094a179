/**
 * The switches of the queue of a run's orchestrator messages.
 *
 * No variables: each switch names its rules (`ids`), and the property that fails without it (`violates`).
 *
 * @module
 */
import type { Switch } from "../../checker/Language.ts"

/** Every switch of the wake queue, by name. */
export const wakeQueueSwitches = {
  "key-is-sent": {
    rule: "An orchestrator message of a spec 9 run carries its run's concurrency key to the queue.",
    ids: ["TOPO-01", "COAL-15", "BUG-01"],
    violates: "OneHolderInv"
  },
  "no-unkeyed-replacement": {
    rule: "A delivery that is refused asks for its own message again, and sends no other one in its place.",
    ids: ["COAL-23", "QUEUE-40", "DEC-21", "BUG-18"],
    violates: "WakesBoundedInv"
  },
  "renew-before-re-run": {
    rule: "The lease is renewed as a re-run begins.",
    ids: ["COAL-17", "BUG-04"],
    violates: "OneHolderInv"
  },
  "re-run-reads-log": {
    rule: "A re-run looks at the log before it answers.",
    ids: ["COAL-05", "COAL-27"],
    violates: "NoLostWakeInv"
  },
  "acknowledgment-covers": {
    rule: "An acknowledgment says how many coalesced messages it covers, and is refused when there are more.",
    ids: ["COAL-03", "COAL-16"],
    violates: "NoLostWakeInv"
  },
  "delay-keeps-key": {
    rule: "Where messages are coalesced, one that waits out a delay keeps its run's key. (The documents have it both ways.)",
    ids: ["QUEUE-32"],
    violates: "RunEventuallyEnds"
  },
  "wakes-without-identity": {
    rule: "Wakes carry no idempotency key: each is a message of its own.",
    ids: ["DEDUPE-25", "QUEUE-37"],
    violates: "NoLostWakeInv"
  },
  "re-run-is-counted": {
    rule: "A re-run is told the next delivery count.",
    ids: ["COAL-04", "QUEUE-20"],
    violates: "FirstCountInv"
  },
  "no-op-after-re-send": {
    rule: "A delivery that is counted above one ends without a replay only once its invocation has sent again what is owed.",
    ids: ["STEP-55", "QUEUE-26"],
    violates: "NoLostStepInv"
  },
  "re-send-once": {
    rule: "One invocation makes one re-send pass, however often it runs its handler again.",
    ids: ["COAL-19", "QUEUE-21", "QUEUE-26", "STEP-40"],
    violates: "ResendOnceInv"
  },
  "re-send-by-anybody": {
    rule: "Whatever message a delivery is of, it sends again what any other one owes.",
    ids: ["DEDUPE-20", "STEP-38", "DEC-11", "DEC-13", "EDGE-05", "BUG-30"],
    violates: "NoLostStepInv"
  },
  "re-runs-are-bounded": {
    rule: "A delivery is run again a bounded number of times.",
    ids: ["COAL-07", "COAL-17"],
    violates: "RerunsInv"
  },
  "overflow-is-handed-off": {
    rule: "A delivery that has used up its re-runs is handed off, and that is no attempt.",
    ids: ["COAL-07", "COAL-18", "HAND-17", "EDGE-23"],
    violates: "AttemptInv"
  },
  "handoff-is-no-attempt": {
    rule: "A delivery that follows a handoff is not counted as an attempt.",
    ids: ["HAND-01", "HAND-02", "HAND-03", "QUEUE-06", "QUEUE-22", "EDGE-57"],
    violates: "AttemptInv"
  },
  "handoffs-are-bounded": {
    rule: "The queue takes so many handoffs of a message, and counts the next one as an attempt.",
    ids: ["HAND-08", "HAND-10", "HAND-11"],
    violates: "RunEventuallyEnds"
  },
  "non-finite-is-counted": {
    rule: "A delay that is no number is a counted redelivery, never a handoff.",
    ids: ["QUEUE-07"],
    violates: "AttemptInv"
  },
  "refusal-is-counted": {
    rule: "A delivery that is refused asks for a counted redelivery, not for a handoff.",
    ids: ["HAND-21", "QUEUE-24", "QUEUE-43"],
    violates: "AttemptInv"
  },
  "delay-carries-attempts": {
    rule: "An orchestrator message that comes again after a delay keeps its attempts, whatever the World keeps it in.",
    ids: ["NEXT-18", "QUEUE-47", "LIM-23", "LIM-24", "EDGE-27"],
    violates: "AttemptInv"
  },
  "continue-by-handoff": {
    rule: "A delivery that must end before its work hands its message off, and sends itself none.",
    ids: ["COAL-13", "HAND-13"],
    violates: "WakesBoundedInv"
  },
  "owed-before-the-end": {
    rule: "A delivery that ends early has first sent every message that its writes owe.",
    ids: ["HAND-07"],
    violates: "NoLostStepInv"
  },
  "continuation-comes-later": {
    rule: "The message that continues an expiring one is delayed until that one has been acknowledged.",
    ids: ["ROT-02"],
    violates: "OwnMessageInv"
  },
  "recovery-is-marked": {
    rule: "The message that stands for a lost queue says so, and its delivery also sends again what has started.",
    ids: ["DEDUPE-22", "DEDUPE-23", "LOCALPG-30", "EDGE-09", "EDGE-39", "STEP-53", "DEC-22", "LIM-04"],
    violates: "NoLostStepInv"
  },
  "recovery-not-coalesced": {
    rule: "A message that stands for a lost queue is not coalesced into another delivery.",
    ids: ["COAL-22", "LOCALPG-29", "LIM-17"],
    violates: "NoLostStepInv"
  }
} as const satisfies { readonly [rule: string]: Switch }

/** The name of a switch of the wake queue. */
export type WakeQueueRule = keyof typeof wakeQueueSwitches

/** Which rules are on. */
export type WakeQueueRules = { readonly [rule in WakeQueueRule]: boolean }
