/**
 * The switches: rules of the protocol that were added to prevent something, each on by default. With one of them off
 * the checker must find what it prevents (`onewriter check MODEL --without RULE`); or the switch says why nothing fails
 * (`uncaught`: what else prevents it).
 *
 * Read them last: each is a sentence about what the other modules do. Those of waits and timers are in `WaitRules.ts`.
 *
 * A rule that the documents do not have, or have otherwise, says so in brackets. With all of the others on, and one of
 * these off, a run strands or a body runs too often: `docs/findings.md` tells of each, and `Findings.ts` and
 * `WaitModels.ts` show it.
 *
 * No variables: each switch names its rules (`ids`), and the property that fails without it (`violates`).
 *
 * @module
 */
import type { Switch } from "../checker/Language.ts"
import { everyWaitRule, waitSwitches } from "./WaitRules.ts"

/** Every switch of the protocol model, by name. */
export const switches = {
  fence: {
    rule: "An in-band write whose expected count is not the run's is refused.",
    ids: ["FENCE-01", "FENCE-08"],
    violates: "OneChainInv"
  },
  "refusal-allocates-nothing": {
    rule: "A refused in-band write moves neither counter and takes no slot.",
    ids: ["FENCE-08", "CONF-06"],
    violates: "SlotsDenseInv"
  },
  "allocate-with-append": {
    rule: "A slot is handed out and filled in one step.",
    ids: ["FENCE-08", "WORLD-29"],
    violates: "SlotsDenseInv"
  },
  "terminal-inert": {
    rule: "An entity's first terminal event decides it; every later event of the entity is inert.",
    ids: ["WORLD-10", "LOG-08", "STEP-66"],
    violates: "OneOutcomeInv"
  },
  "consume-after-commit": {
    rule: "A delivery replays its own outcome only once it committed, behind everything that landed below it.",
    ids: ["CAC-01", "CAC-02", "CAC-04", "RUN-69"],
    violates: "ColdReplayInv"
  },
  "re-send": {
    rule: "An orchestrator delivery counted above 1 sends again the messages of background steps that may have none.",
    ids: ["FENCE-24", "STEP-37", "STEP-38", "STEP-49"],
    violates: "NoStrandInv"
  },
  "first-delivery-re-sends": {
    rule: "A message's first delivery sends again what the last in-band event of its log created, if it may have no message. (Not in the documents.)",
    ids: ["STEP-36", "STEP-47", "QUEUE-16"],
    violates: "NoStrandInv"
  },
  "first-delivery-covers-batch": {
    rule: "What a message's first delivery sends again is all that the last in-band write may have created, where one write may create several. (Not in the documents.)",
    ids: ["STEP-36", "STEP-47", "POST-14"],
    violates: "ObligationInv"
  },
  "re-send-pass-once": {
    rule: "One invocation makes one re-send pass: a later re-run of it looks to the last in-band write, as a first delivery does.",
    ids: ["FENCE-24", "DEDUPE-20", "RUN-40", "COAL-19", "QUEUE-26"],
    violates: "ReSendOnceInv"
  },
  "redeliver-on-refusal": {
    rule: "A delivery that the fence refused asks for its own message again instead of acknowledging it.",
    ids: ["FENCE-15", "FENCE-22", "STEP-39", "RUN-30"],
    violates: "NoStrandInv"
  },
  "terminal-wake": {
    rule: "A step delivery that finds its step ended sends the orchestrator's wake again.",
    ids: ["STEP-22", "OOB-03"],
    violates: "NoStrandInv"
  },
  "re-run-coalesced": {
    rule: "A delivery that messages were coalesced into is run again before it is acknowledged.",
    ids: ["COAL-03", "COAL-05", "COAL-16"],
    violates: "NoStrandInv"
  },
  "write-before-wake": {
    rule: "resumeHook commits hook_received before it sends the wake.",
    ids: ["HOOK-03", "COAL-02", "OOB-04"],
    violates: "NoStrandInv"
  },
  "step-key": {
    rule: "Every send of a step's message carries the step's stable key, and is dropped while a message of the key lives.",
    ids: ["STEP-42", "DEDUPE-01", "DEDUPE-04"],
    violates: "OneMessageInv"
  },
  "resent-reads-log": {
    rule: "A step message sent again makes its first delivery read the log before it starts anything.",
    ids: ["STEP-21", "STEP-46", "DEDUPE-10"],
    violates: "BodyLimitInv"
  },
  "ended-step-refuses-start": {
    rule: "The World refuses a start from outside of a step that has its outcome. (In the documents a World may.)",
    ids: ["DEDUPE-12", "DEDUPE-13"],
    violates: "BodyLimitInv"
  },
  "refused-start-wakes": {
    rule: "A step delivery whose start is refused because the step has ended sends the wake again. (Not in the documents.)",
    ids: ["STEP-22", "OOB-03", "DEDUPE-13"],
    violates: "NoStrandInv"
  },
  "throttle-settles-siblings": {
    rule: "A delivery whose inline start is refused for load lets the bodies that it runs settle before it asks to come again.",
    ids: ["RUN-45"],
    violates: "BodyOnceInv"
  },
  "continuation-names-its-wait": {
    rule: "What a rotated timer goes on as names the timer's wait, as the timer did.",
    ids: ["WAIT-98", "ROT-06"],
    violates: "NoStrandInv"
  },
  "continuation-is-no-first": {
    rule: "The first delivery of what a message is rotated to counts as a later one: it sends again, and arms what is near due. (Not in the documents.)",
    ids: ["ROT-06", "WAIT-31", "WAIT-98"],
    violates: "NoStrandInv"
  },
  "attempt-limit": {
    rule: "An attempt above maxRetries + 1 fails the step without running its body.",
    ids: ["STEP-25", "STEP-61", "ONCE-05", "ONCE-06"],
    violates: "BodyLimitInv"
  },
  ...waitSwitches
} as const satisfies { readonly [rule: string]: Switch }

/** The name of a switch. */
export type Rule = keyof typeof switches

/** Which rules are on. */
export type Rules = { readonly [rule in Rule]: boolean }

/** The protocol as this project follows it: every rule is on. */
export const everyRule: Rules = {
  fence: true,
  "refusal-allocates-nothing": true,
  "allocate-with-append": true,
  "terminal-inert": true,
  "consume-after-commit": true,
  "re-send": true,
  "first-delivery-re-sends": true,
  "first-delivery-covers-batch": true,
  "re-send-pass-once": true,
  "redeliver-on-refusal": true,
  "terminal-wake": true,
  "re-run-coalesced": true,
  "write-before-wake": true,
  "step-key": true,
  "resent-reads-log": true,
  "ended-step-refuses-start": true,
  "refused-start-wakes": true,
  "throttle-settles-siblings": true,
  "continuation-names-its-wait": true,
  "continuation-is-no-first": true,
  "attempt-limit": true,
  ...everyWaitRule
}
