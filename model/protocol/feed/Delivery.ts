/**
 * The run's delivery while it waits: passes on what the feed hands over, the linger, and the way out. (FEED-01,
 * FEED-02, FEED-03, FEED-06, FEED-07, FEED-41, FEED-52, FEED-53, FEED-54, RUN-20, RUN-51, RUN-52, RUN-53, RUN-54,
 * RUN-67, WAIT-62, WAIT-75, WAIT-78, WAIT-79, WAIT-106, CAC-02, CAC-07, CAC-12, CAC-13, CAC-16, CAC-17, CAC-18, CAC-19,
 * SET-24, SET-25, SET-26, SET-27, SET-30, SET-44, HOOK-14, HOOK-15, HOOK-16, FENCE-53, NEXT-03, NEXT-22)
 *
 *     a wake --Deliver--> at rest | --AcknowledgeUnread--> gone
 *     at rest: working (an inline body runs)               --EndBody--> at rest
 *              | lingering (nothing to run, the feed is live)   --EndLinger--> suspending
 *              | suspending                                 --ReadTail--> read --Suspend--> gone
 *              | ending                                     --EndRun--> gone
 *     working | lingering | suspending | read --Pass, when the feed has handed something over--> at rest
 *     working | lingering | suspending --CompleteWait, when the run's sleep is over--> at rest
 *     any --Crash--> gone, and its wake again
 *
 * With each pass the linger begins anew (SET-25). The sleep of a run that nobody attends ends by `ComeDue`; otherwise time
 * passes by `Tick`.
 *
 * Time passes by ticks, and no tick passes while something is due: a pass, a poll, an end of the linger. How long a
 * push takes is open.
 *
 * Changes `log`, `body`, `ended`, `wake`, `recorded`, `delivery`, `view`, `handed`, `feed`, `source`, `transit`,
 * `wait`, `unseen` and `budget`.
 *
 * @module
 */
import type { Action } from "../../checker/Language.ts"
import { type Setting, TICKS } from "./Config.ts"
import { offer, polls } from "./Offer.ts"
import { fed, held } from "./Source.ts"
import {
  affords,
  type Delivery,
  type Feed,
  type Part,
  type State,
  spend,
  started,
  type Update,
  unsubscribed
} from "./State.ts"

/** Slots that were handed over and that no pass has consumed. */
const fresh = (s: State): ReadonlyArray<number> => s.handed.filter((slot) => slot > s.view.length)

/** The slots above one, up to another. */
const above = (from: number, slots: number): ReadonlyArray<number> =>
  Array.from({ length: slots - from }, (_, at) => from + at + 1)

/** The tick at which a delivery may linger no longer (SET-27, RUN-52): one that comes there late lingers not at all (RUN-54). */
export const lingerLimit = (setting: Setting): number => {
  if (setting.deadlineTicks === "none") return 0
  return setting.deadlineTicks - (setting.rules["linger-ends-before-the-margin"] ? TICKS.margin : 0)
}

const isPastLimit = (setting: Setting, o: Delivery): boolean =>
  setting.deadlineTicks !== "none" && o.clock >= lingerLimit(setting)

/**
 * What a delivery is about after a pass: a body, the linger, the way out, or the run's end (RUN-51, RUN-54, HOOK-14,
 * FEED-41, FEED-52, HOOK-15, SET-26, SET-30).
 */
const resting = (
  setting: Setting,
  o: Delivery,
  knows: Pick<State, "log" | "view" | "body" | "wait"> & { readonly feed: Feed }
): Delivery => {
  const seen = knows.view.filter((slot) => knows.log[slot - 1] === "foreign").length
  if (!knows.body) return { ...o, at: "working", linger: 0 }
  if (seen >= setting.events && knows.wait < 0) return { ...o, at: "ending", linger: 0 }
  // A sleep alone is nothing to linger for (RUN-53).
  if (seen >= setting.events) return { ...o, at: "suspending", linger: 0 }
  const live = knows.feed.live || (setting.push && !setting.rules["linger-while-live-alone"])
  return live && setting.lingerTicks > 0 && !isPastLimit(setting, o)
    ? { ...o, at: "lingering", linger: setting.lingerTicks }
    : { ...o, at: "suspending", linger: 0 }
}

const gone: Update = { delivery: null, feed: null, handed: [], source: unsubscribed, transit: [], unseen: 0 }

/** The linger is over: its time, or the delivery's (SET-27). */
const lingeredOut = (setting: Setting, o: Delivery): boolean => o.linger === 0 || isPastLimit(setting, o)

/** The actions of the delivery. */
export const deliveryActions = ({ setting, action }: Part): { readonly [name: string]: Action } => {
  const { rules } = setting
  const bodies = {
    /**
     * The inline body ends, and its outcome commits with a report of all that lies below it (CAC-02). A body that
     * awaits an event ends once a pass has seen one (FENCE-53).
     */
    EndBody: action((s) => {
      const o = s.delivery
      if (o === null || s.feed === null || o.at !== "working" || s.body) return
      if (setting.body === "awaits" && !s.view.some((slot) => s.log[slot - 1] === "foreign")) return
      const log = [...s.log, "own"] as const
      const view = [...s.view, ...above(s.view.length, log.length)]
      // By NEXT-03 a write of its own ends the back-off.
      const feed = setting.backOff
        ? { ...s.feed, interval: TICKS.short, pollIn: Math.min(s.feed.pollIn, TICKS.short) }
        : s.feed
      return {
        log,
        view,
        body: true,
        feed,
        delivery: resting(setting, o, { log, view, body: true, feed, wait: s.wait })
      }
    })
  }
  const lingers = {
    /**
     * The linger ends, and the delivery is on its way out (SET-24, SET-27). What ends it sooner is `feedDown`
     * (FEED-53).
     */
    EndLinger: action((s) => {
      const o = s.delivery
      if (o === null || s.feed === null || o.at !== "lingering" || fresh(s).length > 0) return
      if (!lingeredOut(setting, o)) return
      return { delivery: { ...o, at: "suspending", linger: 0 } }
    })
  }
  const waits = {
    /**
     * The sleep is over, and a pass of the delivery that is there completes it: one that lingers no less than one that
     * waits for a body (WAIT-62, WAIT-75, WAIT-78, WAIT-106).
     */
    CompleteWait: action((s) => {
      const o = s.delivery
      if (o === null || s.feed === null || s.wait !== 0 || o.at === "ending" || o.at === "read") return
      if (o.at === "lingering" && !rules["due-wait-ends-linger"]) return
      const log = [...s.log, "own"] as const
      const view = [...s.view, ...above(s.view.length, log.length)]
      const knows = { log, view, body: s.body, wait: -1, feed: s.feed }
      return { log, view, wait: -1, delivery: resting(setting, o, knows) }
    }),

    /** The sleep's time comes while nobody is there, and its timer is delivered. */
    ComeDue: action((s) => (s.delivery !== null || s.wait <= 0 ? undefined : { wait: 0, wake: true }))
  }
  return {
    /**
     * A wake is delivered: the delivery loads the log, makes a pass on it, and starts its feed (FEED-07, FEED-01,
     * FEED-02, FEED-06).
     */
    Deliver: action((s) => {
      if (!s.wake || s.ended || s.delivery !== null || (s.recorded === s.log.length && s.wait !== 0)) return
      const view = above(0, s.log.length)
      const feed = started(setting, view.length)
      const o = resting(
        setting,
        { at: "working", linger: 0, clock: 0 },
        { log: s.log, view, body: s.body, wait: s.wait, feed }
      )
      const source = setting.push ? ({ at: "opening", pushed: view.length } as const) : unsubscribed
      return { wake: false, recorded: 0, view, feed, source, delivery: o, unseen: 0 }
    }),

    /**
     * A wake that finds the log's end where the last delivery recorded it is acknowledged unread (CAC-18). A timer whose
     * wait was completed by the delivery that it was coalesced into is one (WAIT-62).
     */
    AcknowledgeUnread: action((s) => {
      if (!s.wake || s.ended || s.delivery !== null || s.recorded !== s.log.length || s.wait === 0) return
      return { wake: false }
    }),

    /**
     * Between passes, what was handed over joins the log, and a pass consumes it; an echo starts none (FEED-03, CAC-12,
     * CAC-19, RUN-20, RUN-67, CAC-07, CAC-13, SET-25, SET-44, HOOK-16).
     */
    Pass: action((s) => {
      const o = s.delivery
      if (o === null || s.feed === null || o.at === "ending" || s.handed.length === 0) return
      const taken = rules["one-copy-of-an-event"] ? fresh(s) : s.handed
      if (taken.length === 0) return { handed: [] }
      const view = [...s.view, ...taken]
      return {
        handed: [],
        view,
        delivery: resting(setting, o, { log: s.log, view, body: s.body, wait: s.wait, feed: s.feed })
      }
    }),

    ...(setting.body === "over" ? {} : bodies),
    ...(setting.push && setting.lingerTicks > 0 ? lingers : {}),
    ...(setting.waitTicks > 0 ? waits : {}),

    /** On its way out, the delivery reads what landed (CAC-16), once it has completed what is due. */
    ReadTail: action((s) => {
      const o = s.delivery
      if (o === null || s.feed === null || o.at !== "suspending" || fresh(s).length > 0 || s.wait === 0) return
      const { feed, handed } = offer(setting, s.feed, fed(s, true, s.feed.next - 1), "poll")
      return { feed, handed: [...s.handed, ...handed], delivery: { ...o, at: "read" } }
    }),

    /** It records how far it holds the log, and acknowledges (CAC-17). */
    Suspend: action((s) => {
      if (s.delivery?.at !== "read" || (rules["replay-before-suspending"] && fresh(s).length > 0)) return
      return { ...gone, recorded: held(s) }
    }),

    /** The run has all that it waited for, and ends. */
    EndRun: action((s) => {
      if (s.delivery?.at !== "ending") return
      return { ...gone, ended: true }
    }),

    /** Time passes for a delivery that waits, unless something is due (FEED-54). */
    Tick: action((s) => {
      const [o, feed] = [s.delivery, s.feed]
      if (o === null || feed === null || (o.at !== "working" && o.at !== "lingering") || s.handed.length > 0) return
      const begun = feed.poll === "begun-live" || feed.poll === "begun-down"
      const due = polls(setting, feed) && feed.pollIn === 0 && feed.poll === "none"
      if (begun || due || (feed.poll === "hung" && rules["read-deadline"])) return
      if (o.at === "lingering" && lingeredOut(setting, o)) return
      if (s.wait === 0 && (o.at !== "lingering" || rules["due-wait-ends-linger"])) return
      const watches = setting.heartbeat && feed.live && rules["watch-for-heartbeats"]
      if (watches && feed.beat >= TICKS.beat) return
      // A heartbeat comes behind all that was pushed, from a feed that has read the tail since the last one.
      const reads = setting.heartbeat && s.source.at === "on"
      if (reads && (s.transit.length > 0 || s.source.pushed < s.log.length)) return
      // A heartbeat says how far the World has pushed: a client that lacks a slot of that polls (NEXT-22).
      const lacks = watches && reads && s.source.pushed >= feed.next
      const pollIn = polls(setting, feed) ? Math.max(feed.pollIn - 1, 0) : feed.pollIn
      return {
        unseen: held(s) < s.log.length ? Math.min(s.unseen + 1, TICKS.cap * 2) : 0,
        // The timer of a sleep that comes due is coalesced into the delivery that is there (WAIT-79).
        ...(s.wait > 0 ? { wait: s.wait - 1, wake: s.wake || s.wait === 1 } : {}),
        delivery: {
          ...o,
          linger: Math.max(o.linger - 1, 0),
          clock: setting.deadlineTicks === "none" ? 0 : Math.min(o.clock + 1, setting.deadlineTicks + 1)
        },
        feed: {
          ...feed,
          pollIn: lacks ? Math.min(pollIn, TICKS.short) : pollIn,
          last: lacks ? "unclean" : feed.last,
          polls: 0,
          beat: setting.heartbeat && s.source.at !== "on" ? Math.min(feed.beat + 1, TICKS.beat) : 0
        }
      }
    })
  }
}

/** A delivery that dies: it belongs to the environment. */
export const deliveryFaults = ({ setting, action }: Part): { readonly [name: string]: Action } =>
  setting.budgetNames.includes("crashes")
    ? {
        /** The delivery dies, and its message comes back; what its process recorded is forgotten. */
        Crash: action((s) => {
          if (s.delivery === null || !affords(s, "crashes")) return
          return { ...gone, ...spend(s, "crashes"), wake: true, recorded: 0 }
        })
      }
    : {}
