/**
 * The orchestrator's side: load the log page by page, decide, write, and make of the answer what it says. (FENCE-05,
 * FENCE-06, FENCE-07, FENCE-10, FENCE-11, FENCE-12, FENCE-13, FENCE-14, FENCE-15, FENCE-16, FENCE-22, FENCE-43,
 * FENCE-44, CAC-01, CAC-02, CAC-03, CAC-04, CAC-05, CAC-09, CAC-10, CAC-11, CAC-22, POST-01, POST-02, POST-03, POST-04,
 * POST-05, POST-06, POST-12, POST-21, POST-22, POST-23, WORLD-28, WORLD-29, WORLD-30, WORLD-39, WORLD-40, WORLD-41,
 * WORLD-51, WORLD-52, WORLD-53, RUN-57, RUN-64, LOG-17)
 *
 *     --Deliver--> paging --ReadPage--> paging | deciding
 *     deciding   --SendWrite--> writing --AnswerInBand--> deciding
 *                                       | report cut short: behind --Reload--> paging
 *                                       | superseded, or its only slot lost: refused --AskRedelivery--> gone
 *                                       | nothing is heard of the write: failed --FailDelivery--> gone
 *     deciding, the run has ended: over --Acknowledge--> gone
 *
 * After `AskRedelivery` and `FailDelivery` the message is due again, if the delivery held the lease.
 *
 * The queue is one message: who holds it has the lease, and an answer from anybody else changes nothing.
 *
 * Changes `due`, `holder`, `delivery`, `request`, `reported` and `budget`; reads `log` and `seqInBand` besides.
 *
 * @module
 */
import type { Action } from "../../checker/Language.ts"
import type { Setting } from "./Config.ts"
import { type Cell, endsRun, type Item, isCommitted, isSettled, readCell, type Seen, status } from "./Log.ts"
import { affords, type Delivery, type Part, type Request, type State, spend, type Update } from "./State.ts"
import { isOutcome, nextWrite } from "./Workflow.ts"
import { isHandled } from "./World.ts"

/** A delivery that reads and decides no more, and what it has left to do. */
export const done = (at: "refused" | "failed" | "over"): Delivery => ({ at, upTo: 0, expected: 0, view: [] })

/** A delivery that has read all that it has to: it decides, or finds that the run has ended. */
const decided = (setting: Setting, o: Delivery): Delivery =>
  o.ahead === undefined && nextWrite(setting, o.view, o.noHook === true).length === 0
    ? done("over")
    : { ...o, at: "deciding" }

/** A load that has just been opened: its first page's snapshot says how far it has to go (FENCE-05, WORLD-28). */
const opened = (s: State): Delivery => ({ at: "paging", upTo: s.log.length, expected: s.seqInBand, view: [] })

/** The slots that a delivery's next page covers, by the number of the last one. */
export const pageEnd = (setting: Setting, o: Delivery): number => Math.min(o.view.length + setting.pageSize, o.upTo)

/** What releases a delivery's place, and its message if it held that. */
export const released = (s: State, d: string, again: boolean): Update => ({
  delivery: { [d]: null },
  ...(s.holder === d ? { holder: "none", due: again } : {})
})

/** What an accepted write's cells are to its writer, in the order of their items. */
const ownCells = (s: State, request: Request): ReadonlyArray<Cell> =>
  s.log.filter((_, at) => request.slots.includes(at + 1))

/** The slots between what the writer knew and the first one of its write: what the report is about (POST-05). */
export const below = (s: State, request: Request): ReadonlyArray<Cell> =>
  s.log.slice(request.seen, (request.slots[0] ?? 1) - 1)

/**
 * What a delivery knows once its write was accepted, with a report that is complete (FENCE-06, FENCE-07, POST-03,
 * POST-22, WORLD-39).
 */
const informed = (s: State, setting: Setting, o: Delivery, request: Request): Delivery => {
  const own = ownCells(s, request)
  const counted = setting.rules["lost-items-are-allocated"] ? own.length : own.filter(isCommitted).length
  const view: ReadonlyArray<Seen> = [...o.view, ...below(s, request).map(readCell), ...own.map(readCell)]
  return decided(setting, { ...o, at: "deciding", expected: o.expected + counted, view })
}

/**
 * What becomes of a delivery whose write was refused (FENCE-10, FENCE-14, FENCE-16, FENCE-43, WORLD-51, WORLD-52,
 * WORLD-53, CAC-11).
 */
const refusedDelivery = (s: State, setting: Setting, o: Delivery, request: Request): Delivery => {
  const ended = request.items.some(({ type }) => endsRun(type))
  if (request.refused === "expired" || (request.refused === "conflict" && ended)) return done("over")
  if (request.refused === "conflict") {
    const taken = setting.rules["count-kept-on-conflict"] ? 0 : request.items.length
    return { ...o, at: "deciding", expected: o.expected + taken, noHook: true }
  }
  return setting.rules["refused-for-good"] ? done("refused") : { ...o, at: "deciding", expected: s.seqInBand }
}

/** The actions of orchestrator deliveries. */
export const deliveryActions = ({ setting, action }: Part): { readonly [name: string]: Action } => {
  const { deliveries, rules } = setting
  return {
    /** The queue hands out the run's message, and its delivery opens the load (FENCE-05). */
    Deliver: action({ delivery: deliveries }, (s, { delivery: d }) => {
      if (!s.due || s.holder !== "none" || s.delivery[d] !== null || s.request[d] !== null) return
      return { due: false, holder: d, delivery: { [d]: opened(s) } }
    }),

    /**
     * One page of the load, once every slot of it is settled (WORLD-29, LOG-17). The counts are those of the first
     * page, whatever happens to the log in between (FENCE-05, WORLD-30).
     */
    ReadPage: action({ delivery: deliveries }, (s, { delivery: d }) => {
      const o = s.delivery[d]
      if (o?.at !== "paging") return
      const end = pageEnd(setting, o)
      const page = s.log.slice(o.view.length, end)
      if (rules["seal-before-passing"] && !page.every(isSettled)) return
      const expected = rules["first-page-snapshot"] ? o.expected : s.seqInBand
      const read = { ...o, expected, view: [...o.view, ...page.map(readCell)] }
      return { delivery: { [d]: end >= o.upTo ? decided(setting, read) : read } }
    }),

    /**
     * The next write, and one at a time (POST-02): it carries the count, and how far its writer knows the log (POST-04,
     * POST-01, POST-12, POST-21).
     */
    SendWrite: action({ delivery: deliveries }, (s, { delivery: d }) => {
      const o = s.delivery[d]
      if (o?.at !== "deciding" || s.request[d] !== null) return
      const { ahead, ...rest } = o
      const items = ahead ?? nextWrite(setting, o.view, o.noHook === true)
      // Run-ahead: what comes behind the outcome is decided now, as if the outcome had the very next slot (CAC-22).
      const decidesAhead = (setting.ahead || !rules["outcome-behind-report"]) && ahead === undefined && isOutcome(items)
      const next: ReadonlyArray<Item> = decidesAhead ? nextWrite(setting, [...o.view, ...items], o.noHook === true) : []
      return {
        delivery: { [d]: { ...rest, at: "writing", ...(next.length > 0 ? { ahead: next } : {}) } },
        request: { [d]: { at: "sent", items, expected: o.expected, seen: o.view.length, slots: [], handled: 0 } }
      }
    }),

    /**
     * The World's answer. Accepted: the report and the own event, in slot order (CAC-03, POST-05); or, where a slot
     * below is not settled, `hasMore` (POST-06, WORLD-40). A single write whose slot was sealed is refused as
     * superseded (FENCE-11, FENCE-12); an item of a batch is lost, and the batch goes on (FENCE-13, CAC-01, CAC-02,
     * CAC-04, CAC-05, CAC-10, RUN-57, RUN-64, WORLD-41).
     */
    AnswerInBand: action({ delivery: deliveries }, (s, { delivery: d }) => {
      const o = s.delivery[d]
      const request = s.request[d]
      if (!o || !request || o.at !== "writing" || request.abandoned || !isHandled(request)) return
      const told = { request: { [d]: null } }
      const own = ownCells(s, request)
      if (request.refused === undefined && own.length === 1 && !own.some(isCommitted)) {
        const lost = refusedDelivery(s, setting, o, { ...request, refused: "superseded" })
        return { ...told, delivery: { [d]: lost } }
      }
      if (request.refused !== undefined) return { ...told, delivery: { [d]: refusedDelivery(s, setting, o, request) } }
      const complete = below(s, request).every(isSettled)
      if (own.some(({ type }) => endsRun(type))) {
        if (rules["end-answers-when-settled"] && !complete) return
        return { ...told, delivery: { [d]: done("over") }, reported: status(s.log) }
      }
      const whole = { ...told, delivery: { [d]: informed(s, setting, o, request) } }
      const cut = { ...told, delivery: { [d]: { at: "behind", upTo: 0, expected: 0, view: [] } } } as const
      if (!complete) return rules["complete-report"] ? cut : whole
      return affords(s, "cuts") ? [whole, { ...cut, ...spend(s, "cuts") }] : whole
    }),

    /**
     * The full load that a report which was cut short asks for, before anything of it is consumed (CAC-09, POST-06).
     */
    Reload: action({ delivery: deliveries }, (s, { delivery: d }) => {
      if (s.delivery[d]?.at !== "behind") return
      return { delivery: { [d]: opened(s) } }
    }),

    /** The run has ended: the message is done with, unless its lease has lapsed. */
    Acknowledge: action({ delivery: deliveries }, (s, { delivery: d }) => {
      if (s.delivery[d]?.at !== "over") return
      return released(s, d, false)
    }),

    /** A refused delivery wants its message again (FENCE-22, FENCE-15): it is possible that nobody else comes. */
    AskRedelivery: action({ delivery: deliveries }, (s, { delivery: d }) => {
      if (s.delivery[d]?.at !== "refused") return
      return released(s, d, rules["self-refusal-redelivers"])
    }),

    /** A delivery that has heard nothing of a write fails, and its message comes back (FENCE-44, POST-23). */
    FailDelivery: action({ delivery: deliveries }, (s, { delivery: d }) => {
      if (s.delivery[d]?.at !== "failed") return
      return released(s, d, true)
    })
  }
}
