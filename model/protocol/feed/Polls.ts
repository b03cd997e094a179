/**
 * The client's tail poll. (FEED-04, FEED-29, FEED-30, FEED-31, FEED-32, FEED-34, FEED-38, FEED-39, FEED-40, FEED-41,
 * FEED-42, FEED-49, FEED-50, FEED-56, FEED-57, SET-16, SET-17, SET-18, SET-19, SET-20, SET-21, SET-31, NEXT-22)
 *
 *     none --StartPoll, when it is due--> begun --FinishPoll | FailPoll--> none
 *                                               | --HangPoll--> hung --AbandonPoll--> none
 *
 * Where there are heartbeats, `FailSilentFeed` ends a feed that sends none.
 *
 * Changes `handed`, `feed`, `source`, `transit` and `budget`; reads `log` and `delivery` besides.
 *
 * @module
 */
import type { Action } from "../../checker/Language.ts"
import { TICKS } from "./Config.ts"
import { offer, polled, polls } from "./Offer.ts"
import { fed, feedDown } from "./Source.ts"
import { affords, type Part, type State, spend } from "./State.ts"

const begun = (s: State): boolean => s.feed?.poll === "begun-live" || s.feed?.poll === "begun-down"

/** The client's polls, and its watch for heartbeats. */
export const pollActions = ({ setting, action }: Part): { readonly [name: string]: Action } => {
  const { rules } = setting
  const always = {
    /**
     * A poll is due. It notes whether the subscription is live as it begins (FEED-38, FEED-04, FEED-30, FEED-31,
     * FEED-32, FEED-40, FEED-41, SET-16, SET-17, SET-18, SET-19).
     */
    StartPoll: action((s) => {
      const feed = s.feed
      if (feed === null || feed.poll !== "none" || feed.pollIn > 0 || !polls(setting, feed)) return
      return { feed: { ...feed, poll: feed.live ? "begun-live" : "begun-down" } }
    }),

    /**
     * The page arrives: what it holds is offered as a push is, and the poll was clean or not (FEED-34, FEED-38,
     * FEED-39, FEED-49, FEED-50, FEED-56, FEED-57, SET-20, SET-21).
     */
    FinishPoll: action((s) => {
      if (s.feed === null || !begun(s)) return
      const found = fed(s, rules["sealed-slots-are-fed"], s.feed.next - 1)
      const offered = offer(setting, s.feed, found, "poll")
      const liveAtEnd = s.feed.live || !rules["clean-at-both-ends"]
      const empty = offered.handed.length === 0
      const clean = s.feed.poll === "begun-live" && liveAtEnd && empty && offered.feed.pending.length === 0
      return {
        feed: polled(setting, offered.feed, clean, empty),
        handed: [...s.handed, ...offered.handed]
      }
    })
  }
  const abandons = {
    /** A poll that has not returned by the read deadline is given up (FEED-29, SET-31). */
    AbandonPoll: action((s) => {
      if (s.feed === null || s.feed.poll !== "hung" || !rules["read-deadline"]) return
      return { feed: polled(setting, s.feed, false, false) }
    })
  }
  const watches = {
    /** No heartbeat has come for too long: the feed counts as failed (NEXT-22). */
    FailSilentFeed: action((s) => {
      if (s.feed === null || !s.feed.live || s.feed.beat < TICKS.beat || !rules["watch-for-heartbeats"]) return
      return feedDown(setting, s)
    })
  }
  return {
    ...(setting.polls === "off" ? {} : always),
    ...(setting.budgetNames.includes("hangs") ? abandons : {}),
    ...(setting.heartbeat ? watches : {})
  }
}

/** What may go wrong with a poll: it belongs to the environment. */
export const pollFaults = ({ setting, action }: Part): { readonly [name: string]: Action } => ({
  ...(setting.budgetNames.includes("failures")
    ? {
        /** A poll fails. The feed goes on with what remains (FEED-42). */
        FailPoll: action((s) => {
          if (s.feed === null || !begun(s) || !affords(s, "failures")) return
          return { feed: polled(setting, s.feed, false, false), ...spend(s, "failures") }
        })
      }
    : {}),
  ...(setting.budgetNames.includes("hangs")
    ? {
        /** A poll's page never arrives (FEED-29). */
        HangPoll: action((s) => {
          if (s.feed === null || !begun(s) || !affords(s, "hangs")) return
          return { feed: { ...s.feed, poll: "hung" }, ...spend(s, "hangs") }
        })
      }
    : {})
})
