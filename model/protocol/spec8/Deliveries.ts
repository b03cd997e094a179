/**
 * Orchestrator deliveries of a spec 8 run: any number at once, each of which reads, replays, and writes without a
 * fence. (SIM-23, SIM-26, SIM-43, SIM-48, SIM-53, SIM-54, SIM-61, SIM-62, SIM-63, SIM-117, SIM-127, SIM-130, SIM-131,
 * SIM-139, DEC-05, ROUTE-49, TOPO-02)
 *
 *     (none) --Deliver--> claimed --ReadLog--> writing --CommitWrite | DropWrite--> writing
 *                            |                    |  \--RefuseWrite--> claimed       (412: read from the start)
 *                            |                    |--ReadOn--> writing, gap          (it has written what it decided)
 *                            |                    \--Suspend--> (none)               (nothing new to read)
 *                            \--ReadLog--> gap --ReadAgain--> writing, again
 *                                                             again --SealHole--> again --ReadAgain--> …
 *                                                             again --GiveUp--> (none), run_failed
 *
 * A read, the first or a later one, may miss an event (`ReadStale`), and a delivery may vanish (`Crash`).
 *
 * An event that it wrote itself is known to it from the answer, as are those that the answer reports; everything else it
 * knows from reading. It reads on from the highest position that it has read, so what a read missed below that never
 * comes back by itself (SIM-63).
 *
 * Changes `log`, `wakes`, `delivery`, `steps`, `sleep` and `budget`.
 *
 * @module
 */
import type { Spec8Setting } from "./Config.ts"
import { diverges, passOver } from "./Decisions.ts"
import { eventsAt, gapsIn, highest, joined, type Positions, readableAfter } from "./Positions.ts"
import { isConflict, isGuarded } from "./Rows.ts"
import { type Spec8Actions, type Spec8Delivery, type Spec8Part, type Spec8State, spent } from "./State.ts"

const claimed: Spec8Delivery = { at: "claimed", known: [], mark: 0, loaded: 0, todo: [] }

/** Whether what a delivery knows cannot be replayed: a numbered slot is missing, or it meets what it does not expect. */
const isUnreadable = (setting: Spec8Setting, log: Positions, known: ReadonlyArray<number>): boolean =>
  (setting.ids === "slots" && setting.rules["gap-audit"] && gapsIn(known).length > 0) ||
  diverges(setting, eventsAt(log, known))

/** The delivery with what the next pass over all that it knows decides. */
const replayed = (setting: Spec8Setting, s: Spec8State, log: Positions, o: Spec8Delivery): Spec8Delivery => ({
  ...o,
  at: "writing",
  todo: passOver(setting, eventsAt(log, o.known), s.sleep === "due")
})

/** A delivery that has read a page. */
const withPage = (
  setting: Spec8Setting,
  s: Spec8State,
  o: Spec8Delivery,
  page: ReadonlyArray<number>
): Spec8Delivery => {
  const known = joined(o.known, page)
  const read: Spec8Delivery = { ...o, known, mark: Math.max(o.mark, highest(page)), loaded: o.loaded + page.length }
  return isUnreadable(setting, s.log, known) ? { ...read, at: "gap" } : replayed(setting, s, s.log, read)
}

/** The pages that a read may give which misses one stored event: all but that, or nothing from it on in an appended log. */
const shortened = (setting: Spec8Setting, page: ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<number>> =>
  page
    .filter((position) => position > 1)
    .map((hidden) => page.filter((position) => (setting.mints ? position !== hidden : position < hidden)))

/** The log read from its start, whole. */
const whole = (o: Spec8Delivery, log: Positions): Spec8Delivery => {
  const page = readableAfter(log, 0)
  return { ...o, known: page, mark: highest(page), loaded: page.length, todo: [] }
}

/** The actions of orchestrator deliveries. */
export const deliveryActions = ({ setting, action }: Spec8Part): Spec8Actions => {
  const { places, rules, budgetOf } = setting
  const placed = { delivery: places }
  return {
    /**
     * Deliveries of one run are not held back by each other: a spec 8 message has no key (DEC-05, ROUTE-49, SIM-43,
     * SIM-139).
     */
    Deliver: action(placed, (s, { delivery: d }) => {
      if (s.wakes === 0 || s.delivery[d] !== null) return
      return { wakes: s.wakes - 1, delivery: { [d]: claimed } }
    }),

    /** The log as it can be read now; a reserved slot is missing from it (SIM-53, SIM-54). */
    ReadLog: action(placed, (s, { delivery: d }) => {
      const o = s.delivery[d]
      if (o?.at !== "claimed") return
      return { delivery: { [d]: withPage(setting, s, o, readableAfter(s.log, 0)) } }
    }),

    ...(budgetOf.withheld > 0
      ? {
          /** A read, the first or a later one, that misses a stored event (SIM-61, SIM-62). */
          ReadStale: action(placed, (s, { delivery: d }) => {
            const o = s.delivery[d]
            if (!o || s.budget.withheld === 0) return
            if (o.at !== "claimed" && (o.at !== "writing" || o.todo.length > 0)) return
            const pages = shortened(setting, readableAfter(s.log, o.mark)).filter((page) => page.length > 0)
            return pages.map((page) => ({
              ...spent(s, "withheld"),
              delivery: { [d]: withPage(setting, s, o, page) }
            }))
          })
        }
      : {}),

    // Without numbers a reader notices only what replay does not expect, and that takes a call that follows another.
    ...(setting.mints && (setting.ids === "slots" || setting.entities.length > 2)
      ? {
          /** A slot is missing, or replay met what it did not expect, so the log is read from its start (SIM-117, SIM-130). */
          ReadAgain: action(placed, (s, { delivery: d }) => {
            const o = s.delivery[d]
            if (o?.at !== "gap" && o?.at !== "again") return
            const read = whole(o, s.log)
            const followed = !rules["refuse-holes"] && !diverges(setting, eventsAt(s.log, read.known))
            if (followed || !isUnreadable(setting, s.log, read.known)) {
              return { delivery: { [d]: replayed(setting, s, s.log, read) } }
            }
            return { delivery: { [d]: { ...read, at: "again" } } }
          })
        }
      : {}),

    ...(setting.mints && setting.ids === "slots" && setting.sealing === true
      ? {
          /** The reader makes the empty slots below what it has read stay empty: what comes for one is too late. */
          SealHole: action(placed, (s, { delivery: d }) => {
            const o = s.delivery[d]
            if (o?.at !== "again") return
            const empty = gapsIn(o.known).filter((position) => s.log[position - 1]?.type === "reserved")
            if (empty.length === 0) return
            return { log: s.log.map((cell, at) => (empty.includes(at + 1) ? { type: "sealed" } : cell)) }
          })
        }
      : {}),

    ...(setting.mints && setting.hasHook && setting.sealing !== true && rules["refuse-holes"]
      ? {
          /** The log stays unreadable: the run is failed, as corrupted (SIM-117, SIM-127, SIM-131). */
          GiveUp: action(placed, (s, { delivery: d }) => {
            const o = s.delivery[d]
            if (o?.at !== "again") return
            const ended = isConflict(setting, s.log, { type: "run_failed" })
            return { delivery: { [d]: null }, ...(ended ? {} : { log: [...s.log, { type: "run_failed" }] }) }
          })
        }
      : {}),

    /**
     * The next write, stored at the tail. A creation sends the step's message, or the timer, with it (SIM-23, SIM-26).
     */
    CommitWrite: action(placed, (s, { delivery: d }) => {
      const o = s.delivery[d]
      const next = o?.todo[0]
      if (!o || next === undefined || isGuarded(setting, s.log, o) || isConflict(setting, s.log, next)) return
      const log = [...s.log, next]
      const reported = setting.ids === "slots" && rules["skipped-report"] ? readableAfter(s.log, 0) : []
      const known = joined(joined(o.known, reported), [log.length])
      const after: Spec8Delivery = { ...o, known, todo: o.todo.slice(1) }
      const e = next.entity
      return {
        log,
        delivery: { [d]: after.todo.length > 0 ? after : replayed(setting, s, log, after) },
        ...(next.type === "wait_created" ? { sleep: "armed" } : {}),
        ...(next.type === "step_created" && e !== undefined
          ? { steps: { [e]: [...(s.steps[e] ?? []), "queued" as const].toSorted((a, b) => a.localeCompare(b)) } }
          : {})
      }
    }),

    ...(setting.places.length > 1 || budgetOf.withheld > 0
      ? {
          /** A row has the write already, or the run has ended: it is dropped, and nothing is sent for it (TOPO-02). */
          DropWrite: action(placed, (s, { delivery: d }) => {
            const o = s.delivery[d]
            const next = o?.todo[0]
            if (!o || next === undefined || isGuarded(setting, s.log, o) || !isConflict(setting, s.log, next)) return
            return { delivery: { [d]: { ...o, todo: o.todo.slice(1) } } }
          })
        }
      : {}),

    ...(setting.guards.length > 0
      ? {
          /** A guard refuses the write: nothing is stored, and the delivery reads the log from its start (SIM-48). */
          RefuseWrite: action(placed, (s, { delivery: d }) => {
            const o = s.delivery[d]
            if (!o || o.todo.length === 0 || !isGuarded(setting, s.log, o)) return
            return { delivery: { [d]: rules["reload-on-precondition"] ? claimed : null } }
          })
        }
      : {}),

    /** It has written what it decided, and reads what has come since, from its cursor on (SIM-63). */
    ReadOn: action(placed, (s, { delivery: d }) => {
      const o = s.delivery[d]
      const page = o?.at === "writing" && o.todo.length === 0 ? readableAfter(s.log, o.mark) : []
      if (!o || page.length === 0) return
      return { delivery: { [d]: withPage(setting, s, o, page) } }
    }),

    /** Nothing new to read: the run waits, or has ended. What is stored later brings its own wake. */
    Suspend: action(placed, (s, { delivery: d }) => {
      const o = s.delivery[d]
      if (o?.at !== "writing" || o.todo.length > 0 || readableAfter(s.log, o.mark).length > 0) return
      return { delivery: { [d]: null } }
    }),

    ...(budgetOf.crashes > 0
      ? {
          /** A delivery vanishes, and its message comes back. */
          Crash: action(placed, (s, { delivery: d }) => {
            if (s.budget.crashes === 0 || !s.delivery[d]) return
            return { ...spent(s, "crashes"), wakes: s.wakes + 1, delivery: { [d]: null } }
          })
        }
      : {})
  }
}
