/**
 * Where events come from: writers outside the orchestrator, the World's push, and what may become of it. (FEED-01,
 * FEED-04, FEED-06, FEED-07, FEED-09, FEED-10, FEED-11, FEED-12, FEED-13, FEED-14, FEED-18, FEED-20, FEED-25, FEED-27,
 * FEED-37, FEED-44, FEED-45, FEED-46, FEED-47, FEED-48, FEED-51, FEED-53, FEED-54, OOB-04, OOB-11, WORLD-56)
 *
 *     a writer outside   --CommitOutside--> owes a wake --SendWake--> done
 *     the subscription   opening --Subscribe--> on
 *                        on --SilenceFeed--> silent: nothing is pushed, and nobody says so
 *                        | --EndFeed--> none: the client is told | --ReplaceSubscription--> on, from the log's end
 *     a slot             --Push--> on its way --Arrive | ArriveEarly--> offered to the feed | --LosePush--> lost
 *
 * Notifications, timed reads and cross-region writes are when a push happens, which is any time here (FEED-25).
 *
 * Changes `log`, `owed`, `wake`, `delivery`, `handed`, `feed`, `source`, `transit`, `unseen` and `budget`; reads `view`
 * besides.
 *
 * @module
 */
import type { Action } from "../../checker/Language.ts"
import type { Setting } from "./Config.ts"
import { offer, troubled } from "./Offer.ts"
import { affords, type Part, type State, spend, type Update, unsubscribed } from "./State.ts"

/**
 * The subscription fails and the client hears of it, once: a linger ends there and then (FEED-53). It tests whether
 * the feed is live when it begins and after each pass, and at no other time.
 */
export const feedDown = (setting: Setting, s: State): Update => {
  const ends = s.delivery?.at === "lingering" && setting.rules["feed-down-ends-linger"]
  return {
    feed: s.feed === null ? null : troubled(setting, { ...s.feed, live: false }),
    source: unsubscribed,
    transit: [],
    ...(ends && s.delivery !== null ? { delivery: { ...s.delivery, at: "suspending", linger: 0 } } : {})
  }
}

/**
 * The slots above a position that a push or a poll carries. Without their rule, sealed slots are left out (FEED-11).
 */
export const fed = (s: State, sealedToo: boolean, from: number): ReadonlyArray<number> =>
  s.log.flatMap((held, at) => (at < from || (held === "noop" && !sealedToo) ? [] : [at + 1]))

/** The highest slot that the delivery holds, consumed or not. */
export const held = (s: State): number => Math.max(s.view.length, (s.feed?.next ?? 1) - 1)

/** The World's feed, and the writers' wakes. */
export const sourceActions = ({ setting, action }: Part): { readonly [name: string]: Action } => {
  const { rules } = setting
  const wakes = {
    /** A writer outside wakes the run after its commit, whatever a feed may have pushed (OOB-04, FEED-06). */
    SendWake: action((s) => {
      if (s.owed === 0) return
      const spared = !rules["wake-whatever-was-pushed"] && s.source.at === "on"
      return { owed: s.owed - 1, wake: s.wake || !spared }
    })
  }
  const pushes = {
    /**
     * The World reads the tail once, and pushes from then on what lies above the slot asked for (FEED-07, FEED-10).
     */
    Subscribe: action((s) => {
      if (s.source.at !== "opening" || s.feed === null) return
      const pushed = rules["subscribe-from-held"] ? s.source.pushed : s.log.length
      return { source: { at: "on", pushed }, feed: { ...s.feed, beat: 0 } }
    }),

    /** The next slot is pushed: none is left out, and none twice (FEED-11, FEED-18, FEED-04, FEED-25). */
    Push: action((s) => {
      const [slot] = fed(s, rules["sealed-slots-are-fed"], s.source.pushed)
      if (s.source.at !== "on" || slot === undefined) return
      return { source: { at: "on", pushed: slot }, transit: [...s.transit, slot] }
    }),

    /** The oldest push on its way arrives (FEED-14). */
    Arrive: action((s) => {
      const [slot, ...later] = s.transit
      if (slot === undefined || s.feed === null || !s.feed.live) return
      const { feed, handed } = offer(setting, s.feed, [slot], "push")
      return { transit: later, feed, handed: [...s.handed, ...handed] }
    })
  }
  return setting.push ? { ...wakes, ...pushes } : wakes
}

/** What the environment does: events, and what may go wrong on the way of a push. */
export const sourceFaults = ({ setting, action }: Part): { readonly [name: string]: Action } => {
  const faults = {
    losses: {
      /** A push is lost, and nothing said (WORLD-56). */
      LosePush: action((s) => {
        if (s.transit.length === 0 || !affords(s, "losses")) return
        return { transit: s.transit.slice(1), ...spend(s, "losses") }
      })
    },
    reorders: {
      /** A push overtakes another (FEED-37). */
      ArriveEarly: action((s) => {
        const [first, slot, ...later] = s.transit
        if (first === undefined || slot === undefined || s.feed === null || !affords(s, "reorders")) return
        const { feed, handed } = offer(setting, s.feed, [slot], "push")
        return { transit: [first, ...later], feed, handed: [...s.handed, ...handed], ...spend(s, "reorders") }
      })
    },
    replacements: {
      /**
       * Another delivery of the process subscribes from the log's end: what is pushed from then on skips slots
       * (FEED-48), and reaches this delivery all the same, whoever asked for it (FEED-12, FEED-09).
       */
      ReplaceSubscription: action((s) => {
        if (s.source.at !== "on" || !affords(s, "replacements")) return
        return { source: { at: "on", pushed: s.log.length }, ...spend(s, "replacements") }
      })
    },
    silences: {
      /**
       * The feed stops, and the socket stays open: the client sees it as live (FEED-44, FEED-45, FEED-46, FEED-47,
       * FEED-54).
       */
      SilenceFeed: action((s) => {
        const at = s.source.at
        if ((at !== "on" && at !== "opening") || !affords(s, "silences")) return
        return { source: { ...s.source, at: "silent" }, ...spend(s, "silences") }
      })
    },
    ends: {
      /**
       * The feed ends, its subscription or a read of it is refused, or a push fails, and the client is told: it does
       * not subscribe again (FEED-13, FEED-20, FEED-27, FEED-51).
       */
      EndFeed: action((s) => {
        if (s.feed === null || !s.feed.live || !affords(s, "ends")) return
        return { ...feedDown(setting, s), ...spend(s, "ends") }
      })
    }
  }
  const possible = Object.entries(faults).filter(([budget]) => setting.budgetNames.some((name) => name === budget))
  return {
    /** A writer outside commits its event; a slot below it may have been sealed (OOB-11, FEED-11, FEED-01). */
    CommitOutside: action((s) => {
      if (s.budget.events === 0) return
      const unseen = held(s) >= s.log.length ? 0 : s.unseen
      const rest = { owed: s.owed + 1, unseen, budget: { events: s.budget.events - 1 } }
      const plain = { ...rest, log: [...s.log, "foreign"] } as const
      return setting.noops ? [plain, { ...rest, log: [...s.log, "noop", "foreign"] }] : plain
    }),
    ...Object.fromEntries(possible.flatMap(([, actions]) => Object.entries(actions)))
  }
}
