/**
 * The switches of the outbox and of hook claims, each on by default.
 *
 * No variables: each switch names its rules (`ids`), and the property that fails without it (`violates`).
 *
 * @module
 */
import type { Switch } from "../../checker/Language.ts"

/** Every switch of the outbox, by name. */
export const switches = {
  "one-transaction": {
    rule: "An event, the rows that it changes and what it owes the queue are committed together.",
    ids: ["OUTBOX-01", "OUTBOX-03", "OUTBOX-04"],
    violates: "RowsFoldLogInv"
  },
  "intent-committed": {
    rule: "What an event owes the queue is stored with it, so that a reset does not forget it.",
    ids: ["OUTBOX-02"],
    violates: "ObligationInv"
  },
  "commit-before-publish": {
    rule: "Nothing is published before its event is committed.",
    ids: ["OUTBOX-02", "OUTBOX-05"],
    violates: "PublishedCommittedInv"
  },
  "mark-after-publish": {
    rule: "A debt is marked as paid after the queue has accepted its message.",
    ids: ["OUTBOX-06"],
    violates: "ObligationInv"
  },
  "mark-names-key": {
    rule: "What marks a debt as paid names the delivery key that was published, and leaves a newer one owed.",
    ids: ["OUTBOX-06", "OUTBOX-29"],
    violates: "ObligationInv"
  },
  "recovery-drives-debt": {
    rule: "Alarms of the run's store, and a job that looks for overdue stores from time to time (the cron), find debts, whoever left them.",
    ids: ["OUTBOX-36"],
    violates: "EndedInv"
  },
  "dedupe-by-delivery-key": {
    rule: "The queue accepts a delivery key once: what is published again changes nothing.",
    ids: ["OUTBOX-07", "OUTBOX-17"],
    violates: "OneLiveMessageInv"
  },
  "keys-never-pruned": {
    rule: "The queue keeps the keys that it has accepted.",
    ids: ["OUTBOX-30"],
    violates: "OneLiveMessageInv"
  },
  "too-large-is-final": {
    rule: "A message that is too large for the queue is not sent again.",
    ids: ["OUTBOX-27"],
    violates: "DebtPaidEventually"
  },
  "stable-business-key": {
    rule: "A step asks other systems under a key that is the same in each of its attempts.",
    ids: ["OUTBOX-14", "OUTBOX-15"],
    violates: "EffectOnceInv"
  },
  "stored-outcome-not-run-again": {
    rule: "A delivery whose step has its outcome in the log does not run the body.",
    ids: ["OUTBOX-16"],
    violates: "NoBodyAfterOutcomeProp"
  },
  "in-flight-is-durable": {
    rule: "That a message is handed out is stored: a restart of its shard hands it out again.",
    ids: ["OUTBOX-20"],
    violates: "ObligationInv"
  },
  "core-limit-first": {
    rule: "Core fails a run before the World's limit buries the message that would do it.",
    ids: ["OUTBOX-22"],
    violates: "EndedInv"
  },
  "handoff-is-no-failure": {
    rule: "A continuation without a delay does not count as a failed delivery.",
    ids: ["OUTBOX-25"],
    violates: "BuriedForCauseInv"
  },
  "dead-letters-kept": {
    rule: "A message that has used up its attempts is kept with the dead letters.",
    ids: ["OUTBOX-28"],
    violates: "ObligationInv"
  },
  "redrive-under-new-key": {
    rule: "A dead letter is redriven under a new delivery key.",
    ids: ["OUTBOX-29"],
    violates: "ObligationInv"
  },
  "redrive-persists-key": {
    rule: "A redrive stores its key before it sends.",
    ids: ["OUTBOX-29"],
    violates: "OneLiveMessageInv"
  },
  "validate-before-claim": {
    rule: "A claim is judged by its own run's store before the registry hears of it.",
    ids: ["OUTBOX-08"],
    violates: "TakenByValidInv"
  },
  "admission-persisted": {
    rule: "An accepted claim is stored before the registry hears of it.",
    ids: ["OUTBOX-08", "OUTBOX-11"],
    violates: "ReservedForAClaimInv"
  },
  "claims-have-canonical-ids": {
    rule: "A claim that is tried again has the same id, and is given the same decision.",
    ids: ["OUTBOX-10"],
    violates: "ReservedForAClaimInv"
  },
  "dispose-before-commit": {
    rule: "The previous owner's disposal is recorded before the claimer's hook is committed.",
    ids: ["OUTBOX-09"],
    violates: "OneHolderInv"
  },
  "pending-takeover-blocks": {
    rule: "While a takeover is pending, no other claim is decided.",
    ids: ["OUTBOX-12"],
    violates: "HolderOwnsInv"
  },
  "callbacks-outside-gates": {
    rule: "The previous owner is told without any run's gate being held.",
    ids: ["OUTBOX-13"],
    violates: "ClaimsSettledInv"
  },
  "disposal-may-precede-hook": {
    rule: "A disposal is recorded also for a hook that is not in its run's log yet.",
    ids: ["OUTBOX-13"],
    violates: "HolderOwnsInv"
  },
  "recovery-resumes-claims": {
    rule: "A claim that a reset has interrupted is carried on.",
    ids: ["OUTBOX-11", "OUTBOX-36"],
    violates: "ClaimsSettledInv"
  },
  "release-own-token-alone": {
    rule: "A run that ends frees a token only while the token is its own.",
    ids: ["OUTBOX-10", "OUTBOX-12"],
    violates: "HolderOwnsInv"
  }
} as const satisfies { readonly [rule: string]: Switch }

/** The name of a switch. */
export type Rule = keyof typeof switches

/** Which rules are on. */
export type Rules = { readonly [rule in Rule]: boolean }
