/**
 * The switches of the live feed: what makes a waiting delivery see every event once, in order and in time, each on by
 * default.
 *
 * No variables: each switch names its rules (`ids`), and the property that fails without it (`violates`).
 *
 * @module
 */
import type { Switch } from "../../checker/Language.ts"

/** Every switch of the feed, by name. */
export const switches = {
  "hand-over-without-gaps": {
    rule: "The feed hands over the slots that follow each other from the next one on, and nothing above a gap.",
    ids: ["FEED-05", "FEED-15", "FEED-35", "CAC-20"],
    violates: "HandedInOrderInv"
  },
  "drop-what-was-handed": {
    rule: "The feed drops events below the next slot: it handed them over before.",
    ids: ["FEED-14", "FEED-34"],
    violates: "HandedInOrderInv"
  },
  "one-copy-of-an-event": {
    rule: "What the feed hands over and a write's report held already joins the log once.",
    ids: ["CAC-13", "CAC-21", "RUN-67"],
    violates: "ConsumedInOrderInv"
  },
  "subscribe-from-held": {
    rule: "A delivery subscribes from the highest slot that it holds.",
    ids: ["FEED-07"],
    violates: "SeenEventually"
  },
  "sealed-slots-are-fed": {
    rule: "Pushes and polls carry sealed slots too, so that the feed can go past them.",
    ids: ["FEED-11", "FEED-18"],
    violates: "SeenEventually"
  },
  "poll-while-live": {
    rule: "The client polls while the push is live too, for events that it missed without a sign.",
    ids: ["FEED-43", "FEED-49", "SET-19"],
    violates: "UnseenInv"
  },
  "poll-interval-capped": {
    rule: "A clean poll doubles the interval up to a cap.",
    ids: ["FEED-30", "SET-20"],
    violates: "UnseenInv"
  },
  "trouble-moves-the-poll-up": {
    rule: "Feed trouble moves a poll that is due later than the short interval up to it.",
    ids: ["FEED-36", "FEED-40", "FEED-51"],
    violates: "TroubleInv"
  },
  "unclean-resets": {
    rule: "A poll that is not clean sets the interval back to the short one.",
    ids: ["FEED-39", "SET-21", "FEED-57"],
    violates: "TroubleInv"
  },
  "clean-at-both-ends": {
    rule: "A poll is clean only if the subscription is live when it starts and when it ends.",
    ids: ["FEED-38"],
    violates: "TroubleInv"
  },
  "read-deadline": {
    rule: "A poll that does not return is given up.",
    ids: ["FEED-29", "SET-31"],
    violates: "UnseenInv"
  },
  "linger-while-live-alone": {
    rule: "A delivery begins to linger only while its subscription is live.",
    ids: ["FEED-52", "SET-26", "HOOK-15", "DEC-47"],
    violates: "LingersLiveProp"
  },
  "feed-down-ends-linger": {
    rule: "A subscription that fails ends the linger at once.",
    ids: ["FEED-53", "SET-26"],
    violates: "LingersLiveProp"
  },
  "linger-ends-before-the-margin": {
    rule: "The linger ends where inline steps may no longer start: at the deadline less the margin.",
    ids: ["SET-27", "RUN-51", "RUN-52"],
    violates: "LingerCapInv"
  },
  "due-wait-ends-linger": {
    rule: "A wait that falls due ends the linger: a pass completes it there and then.",
    ids: ["WAIT-78", "WAIT-106", "WAIT-62"],
    violates: "DueEndsLingerProp"
  },
  "replay-before-suspending": {
    rule: "A delivery that holds an event above what its last pass consumed runs another pass before it suspends.",
    ids: ["CAC-16", "CAC-17", "CAC-18"],
    violates: "NoStrandInv"
  },
  "wake-whatever-was-pushed": {
    rule: "A writer outside the orchestrator sends its wake, whatever a feed may have pushed.",
    ids: ["FEED-06", "OOB-04"],
    violates: "NoStrandInv"
  },
  "watch-for-heartbeats": {
    rule: "A client that gets no heartbeat fails its feed, and one that hears of a slot it lacks polls.",
    ids: ["FEED-44", "FEED-45", "FEED-47", "FEED-48"],
    violates: "UnseenInv"
  }
} as const satisfies { readonly [rule: string]: Switch }

/** The name of a switch. */
export type Rule = keyof typeof switches

/** Which rules are on. */
export type Rules = { readonly [rule in Rule]: boolean }
