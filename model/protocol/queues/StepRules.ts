/**
 * The switches of a background step's message and its key.
 *
 * No variables: each switch names its rules (`ids`), and the property that fails without it (`violates`).
 *
 * @module
 */
import type { Switch } from "../../checker/Language.ts"

/** Every switch of the step's message, by name. */
export const stepMessageSwitches = {
  "locked-job-keeps-its-key": {
    rule: "A send under a key that a job holds changes nothing: neither beside a job that is being delivered nor beside one that backs off.",
    ids: ["LOCALPG-11", "LOCALPG-12", "LOCALPG-13", "LOCALPG-20", "EDGE-17", "EDGE-47", "DEDUPE-04", "DEDUPE-17"],
    violates: "OneLiveMessageInv"
  },
  "key-holds-through-delay": {
    rule: "A key is held also while its message waits out a delay.",
    ids: ["DEDUPE-04", "DEDUPE-16"],
    violates: "OneLiveMessageInv"
  },
  "re-send-age-bound": {
    rule: "A step's message is sent again only while what it is owed for is young.",
    ids: ["DEDUPE-08", "STEP-43", "STEP-50", "EDGE-28", "EDGE-61", "BUG-16", "DEC-15"],
    violates: "OneLiveMessageInv"
  },
  "re-send-margin": {
    rule: "The bound is shorter than the time for which the queue knows the key, by more than a delivery takes.",
    ids: ["DEDUPE-08", "STEP-43", "EDGE-61"],
    violates: "OneLiveMessageInv"
  },
  "re-sent-copy-reads": {
    rule: "A message that was sent again says so, and its delivery reads the log before the body.",
    ids: ["DEDUPE-10", "DEDUPE-11", "DEDUPE-12", "STEP-46"],
    violates: "NoBodyAfterOutcomeProp"
  },
  "terminal-start-refused": {
    rule: "The World refuses to start a step that has its outcome.",
    ids: ["DEDUPE-13"],
    violates: "NoBodyAfterOutcomeProp",
    uncaught: "the copy of a message reads the log before it starts the step, and needs no World that refuses"
  },
  "delivery-is-counted": {
    rule: "A delivery that follows a dead one is told that it is not the first.",
    ids: ["DEDUPE-07", "DEDUPE-30", "QUEUE-15"],
    violates: "AttemptsInv"
  },
  "early-delivery-asks-again": {
    rule: "A delivery that comes before its retry is due reads that in the log, and asks for the rest.",
    ids: ["QUEUE-04", "EDGE-29", "EDGE-62", "LIM-22"],
    violates: "NotEarlyProp"
  },
  "retry-in-place": {
    rule: "A step's message that is to be tried again is delivered again itself.",
    ids: ["QUEUE-02", "QUEUE-03", "LOCALPG-16"],
    violates: "NoStrandInv"
  },
  "keep-redelivering": {
    rule: "The queue does not give up on a step's message before the runtime may fail its step.",
    ids: ["DEDUPE-05", "DEDUPE-06", "DEDUPE-32", "BUG-39"],
    violates: "NoStrandInv"
  },
  "moved-retry-names-its-creator": {
    rule: "The log keeps that it was an orchestrator who moved a retry to the background: such a retry is sent again.",
    ids: ["DEDUPE-21", "EDGE-06", "DEC-19", "BUG-33"],
    violates: "NoStrandInv"
  },
  "throttled-start-drops-outcome": {
    rule: "When a start is refused for load, what the body did ahead of it is dropped, and the message comes again.",
    ids: ["STEP-33"],
    violates: "OutcomeHasStartInv"
  }
} as const satisfies { readonly [rule: string]: Switch }

/** The name of a switch of the step's message. */
export type StepMessageRule = keyof typeof stepMessageSwitches

/** Which rules are on. */
export type StepMessageRules = { readonly [rule in StepMessageRule]: boolean }
