/**
 * The switches of rotation.
 *
 * No variables: each switch names its rules (`ids`), and the property that fails without it (`violates`).
 *
 * @module
 */
import type { Switch } from "../../checker/Language.ts"

/** Every switch of rotation, by name. */
export const switches = {
  "rotate-before-expiry": {
    rule: "A delivery that hands off within four hours of its message's expiry continues on a new message.",
    ids: ["ROT-01", "HAND-08", "DEC-27"],
    violates: "NoStrandInv"
  },
  "rotate-before-handoff-limit": {
    rule: "A delivery that hands off within a hundred handoffs of the queue's bound continues on a new message.",
    ids: ["ROT-01", "HAND-08", "HAND-11"],
    violates: "FailedForCauseInv"
  },
  "redelivery-rotates": {
    rule: "A delivery that asks for a delayed redelivery near its message's expiry continues on a new message, too.",
    ids: ["ROT-01", "HAND-08", "QUEUE-02"],
    violates: "NoStrandInv"
  },
  "continuation-carries-wait": {
    rule: "A continuation of a timer names the timer's wait, so that its delivery arms what is left of it.",
    ids: ["ROT-06", "WAIT-99"],
    violates: "NoStrandInv"
  },
  "continuation-carries-wake-up": {
    rule: "A continuation of a wake-up names the waits that it is to complete.",
    ids: ["ROT-06"],
    violates: "WakeUpProp"
  },
  "continuation-carries-payload": {
    rule: "A continuation of a message that carries a payload carries it on.",
    ids: ["ROT-06", "WORLD-58"],
    violates: "NoStrandInv"
  },
  "continuation-is-stamped": {
    rule: "A continuation is stamped with the version of its run, wherever the message that it replaces said it.",
    ids: ["ROT-07"],
    violates: "OneHolderInv"
  },
  "arm-before-handoff": {
    rule: "Before a handoff a delivery sends the timers of waits that it has created and sent none for.",
    ids: ["WAIT-08", "WAIT-99", "HAND-07"],
    violates: "NoStrandInv"
  }
} as const satisfies { readonly [rule: string]: Switch }

/** The name of a switch of rotation. */
export type Rule = keyof typeof switches

/** Which rules of rotation are on. */
export type Rules = { readonly [rule in Rule]: boolean }
