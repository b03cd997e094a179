/**
 * The switches of hooks, each on by default.
 *
 * No variables: each switch names its rules (`ids`), and the property that fails without it (`violates`).
 *
 * @module
 */
import type { Switch } from "../../checker/Language.ts"

/** Every switch of hooks, by name. */
export const switches = {
  "payload-written-before-wake": {
    rule: "A resume sends its wake after its payload is in the log.",
    ids: ["HOOK-03"],
    violates: "NoStrandInv"
  },
  "resume-wake-without-key": {
    rule: "The wake of a resume has no idempotency key, so that none is dropped.",
    ids: ["HOOK-06", "OOB-06"],
    violates: "NoStrandInv"
  },
  "coalesced-wake-reads-again": {
    rule: "A delivery that a wake was folded into is not acknowledged: it reads the log again.",
    ids: ["HOOK-10", "HOOK-11"],
    violates: "NoStrandInv"
  },
  "claim-disposes-victim": {
    rule: "Who takes a token by force disposes the hook of the run that had it.",
    ids: ["HOOK-02", "HOOK-29"],
    violates: "OneOwnerInv"
  },
  "claimer-wakes-victim": {
    rule: "The runtime of the claimer wakes the victim.",
    ids: ["HOOK-29", "HOOK-30"],
    violates: "NoStrandInv"
  },
  "claimer-repays-wake": {
    rule: "Deliveries of the claimer send the victim's wake again, in case an earlier delivery died before it did.",
    ids: ["HOOK-32"],
    violates: "NoStrandInv"
  },
  "redelivery-repays": {
    rule: "Only deliveries that are counted above one send it again, once in an invocation, and not every replay. (In the documents every replay does.)",
    ids: ["HOOK-32"],
    violates: "QuietEventually"
  },
  "ended-claimer-repays": {
    rule: "A delivery that finds its run ended repays the victim's wake too, before it acknowledges.",
    ids: ["HOOK-32"],
    violates: "NoStrandInv"
  },
  "ended-run-takes-no-token": {
    rule: "A creation that is written behind its run's end takes no token, and disposes nobody's hook.",
    ids: ["LOG-35", "HOOK-24", "HOOK-29", "HOOK-38"],
    violates: "RegistryInv"
  },
  "follow-claimed-token": {
    rule: "A resume whose hook was taken by force looks the token up again, and resumes its new owner.",
    ids: ["HOOK-34"],
    violates: "RefusedForCauseProp"
  },
  "refuse-claimed-hook": {
    rule: "The World refuses a payload for a hook that was taken by force.",
    ids: ["HOOK-35"],
    violates: "PayloadReachableInv"
  },
  "refuse-resume-of-ended": {
    rule: "The World refuses a payload for a run that has ended.",
    ids: ["HOOK-45"],
    violates: "PayloadReachableInv"
  },
  "hook-is-disposed-once": {
    rule: "The World takes one disposal of a hook: one that comes after a claim took the token writes nothing.",
    ids: ["SIM-110", "HOOK-29"],
    violates: "DisposedOnceInv"
  },
  "conflict-is-retryable": {
    rule: "A payload that the World answers with a 409 was not written, and is sent again: nobody says that there is no hook.",
    ids: ["HOOK-44"],
    violates: "RefusedForCauseProp"
  },
  "conflict-before-inline-steps": {
    rule: "While a suspension creates a hook whose conflict the workflow waits to be told of, new steps go to the background.",
    ids: ["HOOK-26", "STEP-02"],
    violates: "ConflictFirstProp"
  },
  "conflict-in-log": {
    rule: "A creation on another run's token is answered with an event in the creator's log.",
    ids: ["HOOK-02", "HOOK-24", "HOOK-25"],
    violates: "NoStrandInv"
  },
  "end-frees-token": {
    rule: "A run's terminal event frees its token.",
    ids: ["HOOK-38", "HOOK-41"],
    violates: "RegistryInv"
  },
  "end-keeps-retained-token": {
    rule: "A run's terminal event does not free a token that is retained.",
    ids: ["HOOK-38", "HOOK-41"],
    violates: "RegistryInv"
  },
  "drain-releases-retained-token": {
    rule: "The drain at a run's end still disposes a hook that the workflow gave up and whose token is retained.",
    ids: ["HOOK-39"],
    violates: "GivenUpInv"
  },
  "drain-disposes-before-creation": {
    rule: "The drain at a run's end still disposes a hook that a later creation in it needs the token of.",
    ids: ["HOOK-28", "HOOK-40"],
    violates: "NoSelfConflictInv"
  }
} as const satisfies { readonly [rule: string]: Switch }

/** The name of a switch. */
export type Rule = keyof typeof switches

/** Which rules are on. */
export type Rules = { readonly [rule in Rule]: boolean }
