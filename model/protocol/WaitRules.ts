/**
 * The switches of waits and timers. Most of them are repairs that the protocol went through, or alternatives that were
 * considered and rejected (see `Waits.ts` for what the rules say together). (NEXT-01)
 *
 * No variables: each switch names its rules (`ids`), and the property that fails without it (`violates`).
 *
 * @module
 */
import type { Switch } from "../checker/Language.ts"

/** The switches of waits and timers, by name. */
export const waitSwitches = {
  "timer-before-creation": {
    rule: "A new wait's timer is sent before its wait_created commits.",
    ids: ["WAIT-22", "WAIT-93", "WAKE-11"],
    violates: "NoStrandInv"
  },
  "next-timer-before-completion": {
    rule: "The timer of a chain's next wait is sent before the wait_completed of an earlier one commits.",
    ids: ["WAIT-26", "WAIT-94", "WAKE-12"],
    violates: "NoStrandInv"
  },
  "chain-by-message": {
    rule: "The waits that all deliveries of one message create are one chain.",
    ids: ["WAIT-10"],
    violates: "NoStrandInv",
    uncaught:
      "With a chain for each delivery there are more chains, and each still has its timer before its first wait is created and its next one before a wait is completed."
  },
  "own-timer-sends-next-first": {
    rule: "A timer delivery that completes its own wait sends the chain's next timer first, as any other delivery does.",
    ids: ["WAIT-27"],
    violates: "NoStrandInv"
  },
  "completer-owns-chain": {
    rule: "A delivery owns the chain of each wait whose wait_completed it commits, and arms what is next in it.",
    ids: ["WAIT-12", "WAIT-13", "WAIT-61"],
    violates: "NoStrandInv"
  },
  "redelivered-timer-owns-chain": {
    rule: "A timer that is delivered again owns the chain of its wait.",
    ids: ["WAIT-14", "QUEUE-27", "EDGE-38"],
    violates: "NoStrandInv",
    uncaught: "The delivery that died had sent the chain's next timer before its completion committed."
  },
  "early-timer-re-arms": {
    rule: "A timer delivered before its wait is due arms what is left.",
    ids: ["WAIT-15", "WAIT-116"],
    violates: "NoStrandInv"
  },
  "early-timer-attempt": {
    rule: "What an early timer arms again carries the next attempt in its key.",
    ids: ["WAIT-65", "WAKE-16"],
    violates: "NoStrandInv"
  },
  "early-second-arms-by-second": {
    rule: "An early timer that was sent under a second is armed again under a second: the next attempt may be used up. (Not in the documents.)",
    ids: ["WAIT-65", "WAIT-71"],
    violates: "NoStrandInv"
  },
  "near-due-re-arm": {
    rule: "A suspending delivery that is not its message's first arms every open wait that is near due, whoever owns it.",
    ids: ["WAIT-30", "WAIT-96", "WAKE-15"],
    violates: "NoStrandInv"
  },
  "near-due-key": {
    rule: "A near-due timer's key is never that of a hop.",
    ids: ["WAIT-33"],
    violates: "NoStrandInv"
  },
  "near-due-second": {
    rule: "A near-due timer's key holds the sender's second.",
    ids: ["WAIT-34", "WAIT-66"],
    violates: "NoStrandInv"
  },
  "near-due-overdue": {
    rule: "A wait that came due after the delivery last looked counts as near due when it suspends. (Not in the documents.)",
    ids: ["WAIT-30", "WAIT-35"],
    violates: "NoStrandInv"
  },
  "near-due-gate": {
    rule: "A delivery that is its message's first arms no wait for being near due.",
    ids: ["WAIT-31", "WAIT-40"],
    violates: "TimerCostInv"
  },
  "timer-key": {
    rule: "Every timer carries an idempotency key.",
    ids: ["WAIT-03", "WAIT-32"],
    violates: "TimerCostInv"
  },
  "re-run-arms-afresh": {
    rule: "A delivery that may hold a coalesced timer sends a last hop under its second, not under the hop's key.",
    ids: ["WAIT-72"],
    violates: "NoStrandInv"
  },
  "deadline-in-key": {
    rule: "A timer's key holds the deadline of its wait.",
    ids: ["WAIT-68"],
    violates: "NoStrandInv"
  },
  "stray-timer-arms-by-hop": {
    rule: "A timer of a deadline that its wait does not have arms the wait under the wait's own key, which the queue may have. (The documents have it under the next attempt.)",
    ids: ["WAIT-24", "WAIT-69"],
    violates: "OneHopInv"
  },
  "arm-before-bodies": {
    rule: "The timers that a delivery owns go out before it waits for its bodies.",
    ids: ["WAIT-76"],
    violates: "NoStrandInv",
    uncaught:
      "Whoever comes next is not its message's first delivery, and arms what is near due; a timer that is early by more than that is lost with the rule too."
  },
  "hops-stand-apart": {
    rule: "An intermediate hop carries no key of its run: nothing holds it back, and nothing swallows it.",
    ids: ["WAIT-55", "WAIT-56", "COAL-12"],
    violates: "NoStrandInv"
  },
  "next-hop-from-own": {
    rule: "A hop's delivery sends the hop after its own, whatever its clock says.",
    ids: ["WAIT-57"],
    violates: "NoStrandInv"
  },
  "hops-anchored": {
    rule: "Hops are anchored on the deadline of their wait, not on the sender's clock.",
    ids: ["WAIT-53", "WAIT-59", "WAKE-17"],
    violates: "OneHopInv"
  },
  "complete-when-due": {
    rule: "A wait is completed when it is due, not when its timer comes.",
    ids: ["WAIT-01", "WAIT-109"],
    violates: "NotEarlyProp"
  },
  "durable-wake-up": {
    rule: "run.wakeUp() commits an event that says which waits it is for, and then wakes the orchestrator. (A follow-up in the documents, NEXT-01.)",
    ids: ["WAIT-91", "WAKE-01", "WAIT-84"],
    violates: "WakeUpInv"
  }
} as const satisfies { readonly [rule: string]: Switch }

/** Every rule of waits and timers is on. */
export const everyWaitRule: { readonly [rule in keyof typeof waitSwitches]: boolean } = {
  "timer-before-creation": true,
  "next-timer-before-completion": true,
  "chain-by-message": true,
  "own-timer-sends-next-first": true,
  "completer-owns-chain": true,
  "redelivered-timer-owns-chain": true,
  "early-timer-re-arms": true,
  "early-timer-attempt": true,
  "early-second-arms-by-second": true,
  "near-due-re-arm": true,
  "near-due-key": true,
  "near-due-second": true,
  "near-due-overdue": true,
  "near-due-gate": true,
  "timer-key": true,
  "re-run-arms-afresh": true,
  "deadline-in-key": true,
  "stray-timer-arms-by-hop": true,
  "arm-before-bodies": true,
  "hops-stand-apart": true,
  "next-hop-from-own": true,
  "hops-anchored": true,
  "complete-when-due": true,
  "durable-wake-up": true
}
