/**
 * Long sleeps are reached in hops: timers that are due before their wait is, each of which sends the next. (WAIT-04,
 * WAIT-05, WAIT-53, WAIT-54, WAIT-55, WAIT-56, WAIT-57, WAIT-58, WAIT-59, WAIT-71, WAIT-73, WAIT-95, WAIT-100,
 * WAIT-101, WAIT-103, WAIT-110, WAIT-117, WAKE-17)
 *
 *     delayed --Tick | ComeDueEarly--> queued --DeliverHop--> held --SendTimerHop--> sent --AcknowledgeHop--> gone
 *                                                            held | sent --CrashHop | RejectHop--> queued
 *                                                            held, and the run has ended: --AcknowledgeHop--> gone
 *
 * The last hop is due with its wait, and the ones before it each a hop earlier: whoever sends a hop computes the same
 * time for it, and so the same key. An intermediate hop is no orchestrator message: no gate holds it back and no delivery
 * swallows it. Its delivery reads whether the run has ended, and writes nothing.
 *
 * A delivery of a hop that outlives its lease is left out: all it can do is send a hop whose key is taken.
 *
 * Changes `queue`, `budget`, `timers`, `hops`, `keys`, `armed` and `minted`; reads `log`, `lease`, `orchestrator` and `clock` besides.
 *
 * @module
 */
import { hasEnded } from "./Log.ts"
import { delivered } from "./Queue.ts"
import { type Actions, affords, type Hop, only, type Part, type State, spend } from "./State.ts"
import { nextHop, sendTimer, withHop } from "./TimerQueue.ts"

const places = (s: State): ReadonlyArray<number> => s.hops.map((_, at) => at)

const moved = (s: State, place: number, hop: Hop): ReadonlyArray<Hop> => withHop(s.hops.toSpliced(place, 1), hop)

/** The actions of intermediate hops (WAIT-04, WAIT-05, WAIT-54, WAIT-103, WAIT-110). */
export const hopActions = ({ setting, action }: Part): Actions =>
  only(setting.can.hop, {
    /** The queue delivers a hop, beside whatever else is in flight (WAIT-55, WAIT-56). */
    DeliverHop: action({ hop: places }, (s, { hop: at }) => {
      const hop = s.hops[at]
      if (hop?.at !== "queued") return
      if (!setting.exact) return { hops: moved(s, at, { ...hop, at: "held" }) }
      // In exact detail a delivery is numbered; and it looks whether the run has ended before it sends, or sends although the
      // run ends in between.
      const message = delivered(setting, hop.message)
      return { hops: moved(s, at, { ...hop, message, at: hasEnded(s.log) ? "sent" : "held" }) }
    }),

    /**
     * The hop after its own, under a key that any other sender of it has too. A run that has ended needs none. Each hop
     * is a message of its own, so that no count adds up over a long sleep (WAIT-100, WAIT-53, WAIT-57, WAIT-59,
     * WAIT-71, WAIT-73, WAKE-17).
     */
    SendTimerHop: action({ hop: places }, (s, { hop: at }) => {
      const hop = s.hops[at]
      const { timer } = hop?.message ?? {}
      const { resumeAt } = timer ?? {}
      if (hop?.at !== "held" || timer === undefined || resumeAt === undefined) return
      if (hasEnded(s.log) && !setting.exact) return
      const next = nextHop(s, setting, hop.due, resumeAt)
      const hops = moved(s, at, { ...hop, at: "sent" })
      return sendTimer(s, setting, { ...timer, hopAt: next }, next, hops).map((sent) => ({ hops, ...sent }))
    }),

    /** The hop has done what it is for (WAIT-56, WAIT-58, WAIT-101). */
    AcknowledgeHop: action({ hop: places }, (s, { hop: at }) => {
      const hop = s.hops[at]
      if (hop === undefined || !(hop.at === "sent" || (hop.at === "held" && hasEnded(s.log)))) return
      return { hops: s.hops.toSpliced(at, 1) }
    })
  })

/** The faults of deliveries of hops. */
export const hopFaults = ({ setting, action }: Part): Actions => ({
  ...only(setting.can.hop && setting.budgetNames.includes("crashes"), {
    /** A hop's delivery dies. Its message comes again, and with it the send of the next hop (WAIT-95, WAIT-117). */
    CrashHop: action({ hop: places }, (s, { hop: at }) => {
      const hop = s.hops[at]
      if (hop === undefined || hop.at === "queued" || !affords(s, "crashes")) return
      return { ...spend(s, "crashes"), hops: moved(s, at, { ...hop, at: "queued" }) }
    })
  }),

  ...only(setting.can.hop && setting.exact && setting.budgetNames.includes("rejects"), {
    /** A World or queue call of a hop's delivery fails. To the run that is a crash of it, and only a trace tells them apart. */
    RejectHop: action({ hop: places }, (s, { hop: at }) => {
      const hop = s.hops[at]
      if (hop === undefined || hop.at === "queued" || !affords(s, "rejects")) return
      return { ...spend(s, "rejects"), hops: moved(s, at, { ...hop, at: "queued" }) }
    })
  })
})
