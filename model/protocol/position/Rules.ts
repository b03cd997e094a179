/**
 * The switches of the quick exit: which deliveries may end without a replay, and what they go by.
 *
 * No variables: each switch names its rules (`ids`), and the property that fails without it (`violates`).
 *
 * @module
 */
import type { Switch } from "../../checker/Language.ts"

/** Every switch of the quick exit, by name. */
export const switches = {
  "quick-exit-after-re-sends": {
    rule: "A delivery that is not its message's first leaves unread only once its invocation has made the re-sends.",
    ids: ["RUN-16", "RUN-37", "STEP-55", "HOOK-13"],
    violates: "NoStrandInv"
  },
  "first-reader-re-sends": {
    rule: "A message's first delivery sends again what the last in-band event of its log created. (Not in the documents.)",
    ids: ["STEP-36", "STEP-47", "QUEUE-16"],
    violates: "NoStrandInv"
  },
  "timers-are-read": {
    rule: "A timer's delivery never leaves unread: one that came early must arm what is left.",
    ids: ["RUN-38", "WAIT-115"],
    violates: "NoStrandInv"
  },
  "wake-ups-are-read": {
    rule: "A delivery whose message names waits to complete never leaves unread.",
    ids: ["RUN-38"],
    violates: "WakeUpInv"
  },
  "recoveries-are-read": {
    rule: "A recovery's delivery never leaves unread: what it has to send again died with the queue.",
    ids: ["RUN-38"],
    violates: "NoStrandInv"
  },
  "payloads-are-read": {
    rule: "A delivery whose message carries a payload never leaves unread.",
    ids: ["RUN-38"],
    violates: "PayloadInv"
  },
  "acknowledge-last": {
    rule: "A delivery arms and sends what it owes, records its position, and then acknowledges.",
    ids: ["RUN-29"],
    violates: "NoStrandInv"
  },
  "record-after-sends": {
    rule: "A position is recorded once the delivery's messages and timers are out.",
    ids: ["CAC-17", "RUN-29"],
    violates: "NoStrandInv",
    uncaught:
      "A delivery that fails at a send leaves its message, whose next delivery is not the first and so reads the log whatever is recorded."
  },
  "forget-on-refusal": {
    rule: "A refused delivery forgets the position that its process recorded.",
    ids: ["FENCE-19", "RUN-39"],
    violates: "NoStrandInv",
    uncaught:
      "The position is one that a delivery recorded which had done all it owed, and the refused one's own message comes again, counted."
  }
} as const satisfies { readonly [rule: string]: Switch }

/** The name of a switch of the quick exit. */
export type Rule = keyof typeof switches

/** Which rules are on. */
export type Rules = { readonly [rule in Rule]: boolean }
