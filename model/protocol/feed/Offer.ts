/**
 * The client's feed as functions: what it does with slots that a push or a poll brings, and with trouble. (FEED-05,
 * FEED-14, FEED-15, FEED-16, FEED-17, FEED-30, FEED-31, FEED-32, FEED-34, FEED-35, FEED-36, FEED-37, FEED-38, FEED-39,
 * FEED-40, CAC-20, WORLD-56, SET-17, SET-19, NEXT-03, NEXT-22)
 *
 * No variables: functions of the client's side of the feed.
 *
 * @module
 */
import { type Setting, TICKS } from "./Config.ts"
import type { Feed } from "./State.ts"

/** What an offer does: to the feed, and the slots that it hands over. */
export interface Offered {
  readonly feed: Feed
  readonly handed: ReadonlyArray<number>
}

/** The slots of an ascending list that follow each other from one on. */
const following = (slots: ReadonlyArray<number>, first: number): ReadonlyArray<number> =>
  slots.filter((slot, at) => slot === first + at)

/**
 * Both sources bring what they have in the same way (FEED-05): in order, without gaps, nothing twice (FEED-14, FEED-15,
 * FEED-16, FEED-34, FEED-35, FEED-37, CAC-20, WORLD-56).
 */
export const offer = (setting: Setting, feed: Feed, slots: ReadonlyArray<number>, source: "push" | "poll"): Offered => {
  const { rules } = setting
  const wanted = rules["drop-what-was-handed"] ? slots.filter((slot) => slot >= feed.next) : slots
  const above = wanted.some((slot) => slot > feed.next)
  const kept = source === "push" && above && setting.gap === "dropped" ? [] : wanted
  const all = [...feed.pending, ...kept.filter((slot) => !feed.pending.includes(slot))].toSorted((a, b) => a - b)
  const again = all.filter((slot) => slot < feed.next)
  const handed = rules["hand-over-without-gaps"] ? [...again, ...following(all.slice(again.length), feed.next)] : all
  const pending = all.filter((slot) => !handed.includes(slot))
  const next = handed.reduce((next, slot) => Math.max(next, slot + 1), feed.next)
  const after = { ...feed, next, pending }
  const skipped = source === "push" && (pending.length > 0 || kept.length < wanted.length)
  return { feed: skipped ? troubled(setting, after) : after, handed }
}

/** Trouble: the interval is the short one, and a poll that is due later is moved up to it (FEED-36, FEED-40). */
export const troubled = (setting: Setting, feed: Feed): Feed => ({
  ...feed,
  interval: TICKS.short,
  pollIn: setting.rules["trouble-moves-the-poll-up"] ? Math.min(feed.pollIn, TICKS.short) : feed.pollIn,
  last: "unclean"
})

/** Whether the client polls at all in this state of its feed (FEED-31, FEED-32, SET-17, SET-19, FEED-17). */
export const polls = (setting: Setting, feed: Feed): boolean => {
  const suspicious = !feed.live || feed.last === "unclean"
  if (setting.polls === "off") return false
  if (setting.polls === "until-trouble") return !suspicious
  // Where there are heartbeats, they do what the live poll is for (NEXT-22).
  return suspicious || (setting.rules["poll-while-live"] && !setting.heartbeat)
}

/** The interval after a clean poll (FEED-30, FEED-39). */
const longer = (setting: Setting, interval: number): number => {
  if (setting.afterTrouble === "jumps" && interval < TICKS.live) return TICKS.live
  return Math.min(interval * 2, setting.rules["poll-interval-capped"] ? TICKS.cap : TICKS.cap * 2)
}

/**
 * The feed after a poll: clean, it waits longer for the next one; otherwise the short interval (FEED-38, FEED-39).
 */
export const polled = (setting: Setting, feed: Feed, clean: boolean, empty: boolean): Feed => {
  // A World that does not push has no clean polls; by NEXT-03, empty ones wait longer there as well.
  const backsOff = clean || (setting.backOff && !setting.push && empty)
  const reset = setting.rules["unclean-resets"] ? TICKS.short : Math.min(feed.interval * 2, TICKS.cap)
  const interval = backsOff ? (clean ? longer(setting, feed.interval) : Math.min(feed.interval * 2, TICKS.live)) : reset
  return {
    ...feed,
    interval,
    pollIn: setting.polls === "busy" ? 0 : interval,
    poll: "none",
    last: clean ? "clean" : "unclean",
    polls: Math.min(feed.polls + 1, 2)
  }
}
