/**
 * One orchestrator delivery. (AHEAD-01, AHEAD-07, AHEAD-24, AHEAD-25, AHEAD-26, AHEAD-30, AHEAD-36, RUN-32, RUN-34,
 * COAL-01, EDGE-49, EDGE-54, SET-42, WAIT-75, CAC-01)
 *
 * ```
 * queued message --Deliver--> loading --Load--> running --EndBody | CompleteWait--> running | done: nothing is left
 * running  --Answer, with a hazard, a refused item or another time (see `Writer.ts`)--> stopping
 * stopping --Restart, the first time--> loading
 * done     --Acknowledge--> gone
 * ```
 *
 * A stop after that one would hand the message off (RUN-32). There is none: with run-ahead off nothing stops a delivery,
 * and so there is no action for it. Were one to stop again, it would be stuck (`RestartsBoundedInv`, `NoStrandInv`).
 *
 * A delivery that stopped lets its bodies with committed starts end and writes their outcomes; then it loads the log and
 * replays from cold, with run-ahead off. The queue is gated: one delivery holds the run's lease, and a lapsed one lives on
 * beside the next.
 *
 * Changes `message`, `holder`, `delivery` and `bodies`; reads `log`, `due` and `world` besides.
 *
 * @module
 */
import { loaded, proceed } from "./Deciding.ts"
import { type Actions, counted, type Delivery, type Part, type State, type Update } from "./State.ts"
import { eventOf, hasCreated, hasEnded, hasOutcome } from "./Workflow.ts"
import { outcomeWrite, sending } from "./Writer.ts"

/** A delivery that begins. It counts its divergences from none on: what an earlier one of the message counted is lost (EDGE-54, SET-42). */
const fresh = (s: State, isAllowed: boolean): Delivery => ({
  phase: "loading",
  ahead: isAllowed && !s.world.aheadOff,
  restarts: 0,
  divergences: 0,
  known: 0,
  view: [],
  expected: 0,
  queue: [],
  sent: 0,
  landed: [],
  bodies: [],
  lost: 0,
  cache: []
})

/** What becomes of the lease, and of the message where it goes back. A lapsed delivery has neither. */
export const ended = (s: State, d: string, back: boolean): Update => ({
  ...(s.holder === d ? { holder: null, ...(back ? { message: true } : {}) } : {}),
  delivery: { [d]: null }
})

/** The actions of deliveries. */
export const deliveryActions = ({ setting, action }: Part): Actions => ({
  /** The queue hands out the run's message while nobody holds the lease (COAL-01). */
  Deliver: action({ delivery: setting.deliveries }, (s, { delivery: d }) => {
    if (!s.message || s.holder !== null || s.delivery[d] !== null) return
    return { message: false, holder: d, delivery: { [d]: fresh(s, setting.depth > 0) } }
  }),
  /** The whole log, its count, and a cold replay of it (AHEAD-24, AHEAD-36, RUN-34). */
  Load: action({ delivery: setting.deliveries }, (s, { delivery: d }) => {
    const o = s.delivery[d]
    if (o?.phase !== "loading") return
    const { o: next, begun } = proceed(setting, d, loaded(setting, o, s.log), s.log)
    return { delivery: { [d]: sending(setting, next) }, bodies: counted(s, setting, begun) }
  }),
  /** A body returns; its outcome runs ahead, or is written and waited for (AHEAD-01, AHEAD-07). */
  EndBody: action({ delivery: setting.deliveries, entity: setting.entities }, (s, { delivery: d, entity }) => {
    const o = s.delivery[d]
    if (!o?.bodies.some((body) => body.entity === entity && !body.ended)) return
    if (o.phase === "loading") return
    if (o.phase === "stopping") {
      const left = o.bodies.filter((body) => body.entity !== entity)
      const queue = [...o.queue, outcomeWrite(d, entity)]
      return { delivery: { [d]: sending(setting, { ...o, queue, bodies: left }) } }
    }
    const bodies = o.bodies.map((body) => (body.entity === entity ? { entity, ended: true } : body))
    const { o: next, begun } = proceed(setting, d, { ...o, bodies }, s.log)
    return { delivery: { [d]: sending(setting, next) }, bodies: counted(s, setting, begun) }
  }),
  ...(setting.waits.length > 0
    ? {
        /** A wait has come due while the delivery runs, which writes its end and waits for it (WAIT-75, CAC-01). */
        CompleteWait: action({ delivery: setting.deliveries, wait: setting.waits }, (s, { delivery: d, wait }) => {
          const o = s.delivery[d]
          if (!o || !completes(s, o, wait)) return
          const event = eventOf("wait_completed", wait, { by: d })
          const write = { event, ahead: false, predicted: o.known + o.queue.length + 1, sensitive: [] }
          return { delivery: { [d]: sending(setting, { ...o, phase: "running", queue: [...o.queue, write] }) } }
        })
      }
    : {}),
  /**
   * All that a stop allows is written: load again and replay from cold, with run-ahead off (AHEAD-24, EDGE-49,
   * AHEAD-25, AHEAD-26, AHEAD-30, RUN-32).
   */
  Restart: action({ delivery: setting.deliveries }, (s, { delivery: d }) => {
    const o = s.delivery[d]
    if (!o || !hasStopped(o)) return
    const again = !setting.rules["one-restart-run-ahead-off"]
    if (o.restarts > 0 && !again) return
    return { delivery: { [d]: { ...o, phase: "loading", ahead: again, restarts: o.restarts + 1 } } }
  }),
  /** There is nothing left to do: the message is acknowledged. */
  Acknowledge: action({ delivery: setting.deliveries }, (s, { delivery: d }) => {
    const o = s.delivery[d]
    return o?.phase === "done" && !setting.waits.some((wait) => completes(s, o, wait)) ? ended(s, d, false) : undefined
  })
})

const hasStopped = (o: Delivery): boolean => o.phase === "stopping" && o.queue.length === 0 && o.bodies.length === 0

/** Whether the wait is due, and its end neither in the log that the delivery holds nor in its writer. */
const completes = (s: State, o: Delivery, wait: number): boolean => {
  if ((o.phase !== "running" && o.phase !== "done") || s.due[wait] !== true) return false
  const held = s.log.slice(0, o.known)
  if (!hasCreated(held, wait) || hasOutcome(held, wait) || hasEnded(held)) return false
  return !o.queue.some(({ event }) => event.entity === wait)
}
