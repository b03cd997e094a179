/**
 * One orchestrator delivery: turbo's, and any other. (TURBO-01, TURBO-02, TURBO-06, TURBO-10, TURBO-12, TURBO-13,
 * TURBO-14, TURBO-15, TURBO-16, TURBO-18, TURBO-19, TURBO-25, TURBO-27, TURBO-29, FENCE-39, RUN-18, RUN-27, RUN-35,
 * RUN-43, RUN-45, EDGE-21, OOB-05)
 *
 * ```
 * message --Deliver--> loading --Open--> running
 * running --CommitInBand | EndBody--> running | done: nothing is left | handoff: past the deadline   (see `Queue.ts`)
 *         | --CommitInBand, refused by the fence--> gone, and its message again
 *         | --CommitInBand, the run has ended--> gone
 *         | --ThrottleStart--> gone, and its message again
 * ```
 *
 * A body may write by itself (`SetAttribute`), and a delivery's clock goes on (`PassTime`).
 *
 * Changes `log`, `queue`, `holder`, `delivery`, `steps`, `bodies` and `budget`.
 *
 * @module
 */
import type { Setting } from "./Config.ts"
import { countOf, hasEnded, opened, proceed } from "./Deciding.ts"
import {
  type Actions,
  afforded,
  affords,
  type Delivery,
  type Event,
  type Log,
  type Message,
  type Part,
  queued,
  type State,
  spend,
  type Update
} from "./State.ts"

/** The counts of bodies, with more begun, and those whose start never came. */
export const counted = (
  s: State,
  setting: Setting,
  begun: ReadonlyArray<number>,
  lost: ReadonlyArray<number> = [],
  time: Delivery["time"] = "early"
): NonNullable<Update["bodies"]> =>
  Object.fromEntries(
    setting.entities.map((entity) => {
      const count = s.bodies[entity] ?? { begun: 0, lost: 0, late: false }
      const begins = begun.includes(entity)
      return [
        entity,
        {
          begun: Math.min(setting.mostCounted, count.begun + (begins ? 1 : 0)),
          lost: Math.min(1, count.lost + (lost.includes(entity) ? 1 : 0)),
          late: count.late || (begins && time !== "early")
        }
      ]
    })
  )

/** The delivery is over; its message comes back, counted once more, if it is still the delivery's. */
export const ended = (s: State, setting: Setting, d: string, o: Delivery, back: boolean): Update => ({
  ...(s.holder === d ? { holder: null } : {}),
  ...(back && !o.lapsed ? { queue: queued(s.queue, { ...o.message, count: 2 }) } : {}),
  delivery: { [d]: null },
  bodies: counted(s, setting, [], withoutStart(o))
})

/** Steps whose bodies the delivery has begun, and whose starts it has not seen committed. */
const withoutStart = (o: Delivery): ReadonlyArray<number> =>
  o.todo.filter(({ event, begun }) => begun && event.type === "step_started").map(({ event }) => event.entity)

/** The actions of deliveries. */
export const deliveryActions = ({ setting, action }: Part): Actions => ({
  /** The queue hands out a message: where deliveries are serialized, while nobody holds the run's lease. */
  Deliver: action({ delivery: setting.deliveries, message: (s: State) => s.queue }, (s, { delivery: d, message }) => {
    const serialized = setting.topology !== "unserialized"
    if (s.delivery[d] !== null || (serialized && s.holder !== null)) return
    return {
      queue: s.queue.toSpliced(placeOf(s, message), 1),
      ...(serialized ? { holder: d } : {}),
      delivery: {
        [d]: {
          message: { ...message, count: Math.min(2, message.count + 1) },
          phase: "loading",
          lapsed: false,
          early: false,
          known: 0,
          expected: 0,
          todo: [],
          bodies: [],
          reruns: 0,
          recorded: false,
          time: "early",
          believes: "early"
        }
      }
    }
  }),
  /** Turbo begins on the run's creation alone; any other delivery loads the log (TURBO-01, TURBO-02, TURBO-25). */
  Open: action({ delivery: setting.deliveries }, (s, { delivery: d }) => {
    const o = s.delivery[d]
    if (o?.phase !== "loading") return
    return went(s, setting, d, opened(setting, d, o, s.log))
  }),
  ...(setting.hasSteps
    ? {
        /** A body returns, and its outcome is written behind its start. */
        EndBody: action({ delivery: setting.deliveries, entity: setting.entities }, (s, { delivery: d, entity }) => {
          const o = s.delivery[d]
          if (o?.phase !== "running" || !o.bodies.includes(entity)) return
          const bodies = o.bodies.filter((id) => id !== entity)
          const event: Event = { type: "step_completed", entity, by: d }
          const next: Delivery = { ...o, bodies, todo: [...o.todo, { event, begun: false }] }
          return went(s, setting, d, proceed(setting, d, next, s.log))
        })
      }
    : {}),
  /**
   * The World takes the next write, or refuses it: by the count, or since the run has ended or was never created
   * (TURBO-06, TURBO-12, TURBO-13, TURBO-14, TURBO-15, TURBO-16, TURBO-19, TURBO-29, FENCE-39, RUN-35).
   */
  CommitInBand: action({ delivery: setting.deliveries, write: [0, 1] }, (s, { delivery: d, write }) => {
    const o = s.delivery[d]
    if (o?.phase !== "running" || (write > 0 && setting.rules["behind-run-started"])) return
    return committed(s, setting, d, o, write)
  }),
  ...afforded(setting, {
    /** The World refuses a start for a reason that passes: the delivery is deferred (TURBO-18, RUN-27, RUN-45). */
    ThrottleStart: [
      "throttles",
      action({ delivery: setting.deliveries }, (s, { delivery: d }) => {
        const o = s.delivery[d]
        const head = o?.todo[0]
        if (o?.phase !== "running" || head?.event.type !== "step_started" || !affords(s, "throttles")) return
        if (setting.rules["refused-start-drops-outcome"]) {
          return { ...ended(s, setting, d, o, true), ...spend(s, "throttles") }
        }
        return { ...spend(s, "throttles"), ...went(s, setting, d, { o: { ...o, todo: o.todo.slice(1) }, begun: [] }) }
      })
    ],
    /** A body sets an attribute by itself, outside the writer: once `run_started` has committed (TURBO-10, OOB-05). */
    SetAttribute: [
      "attributes",
      action({ delivery: setting.deliveries }, (s, { delivery: d }) => {
        const o = s.delivery[d]
        if (!o || o.bodies.length === 0 || s.log.length === 0 || !affords(s, "attributes")) return
        if (setting.rules["body-writes-wait"] && o.todo.some(({ event }) => event.type === "run_started")) return
        return { log: [...s.log, { type: "attr_set", entity: 0, by: "outside" }], ...spend(s, "attributes") }
      })
    ],
    /**
     * Time passes while bodies run, and between passes: writes take none to speak of. Into the margin of the inline
     * deadline, and past it (RUN-18, RUN-43, EDGE-21).
     */
    PassTime: [
      "ticks",
      action({ delivery: setting.deliveries }, (s, { delivery: d }) => {
        const o = s.delivery[d]
        if (!o || o.phase === "loading" || o.todo.length > 0 || o.time === "past" || !affords(s, "ticks")) return
        const time = o.time === "early" ? "margin" : "past"
        const believes = o.believes === "early" ? "margin" : "past"
        return { ...spend(s, "ticks"), delivery: { [d]: { ...o, time, believes } } }
      })
    ]
  })
})

/** Where a message like this one is in the queue. */
export const placeOf = (s: State, message: Message): number =>
  s.queue.findIndex(
    (other) =>
      other.input === message.input &&
      other.hookInput === message.hookInput &&
      other.count === message.count &&
      other.old === message.old &&
      other.spent === message.spent
  )

const went = (
  s: State,
  setting: Setting,
  d: string,
  { o, begun }: { readonly o: Delivery; readonly begun: ReadonlyArray<number> }
): Update => ({ delivery: { [d]: o }, bodies: counted(s, setting, begun, [], o.time) })

const committed = (s: State, setting: Setting, d: string, o: Delivery, at: number): Update | undefined => {
  const next = o.todo[at]
  if (next === undefined) return
  const { event, begun } = next
  const { log } = s
  const todo = o.todo.toSpliced(at, 1)
  const isStart = event.type === "run_started"
  if (log.length === 0) {
    // Nobody created the run: `run_started` does, if it has what the run is created from (TURBO-27).
    if (!isStart || !o.message.input || !setting.rules["resilient-start"]) return ended(s, setting, d, o, false)
    const created: Log = [{ type: "run_created", entity: 0, by: "start" }, event]
    return { log: created, ...went(s, setting, d, proceed(setting, d, { ...o, todo, known: 2, expected: 2 }, created)) }
  }
  const outcome = event.type === "step_completed" || event.type === "step_failed"
  if (hasEnded(log) && !outcome) {
    // The run ended first. A delivery that does not stop would go on with what it has queued.
    if (isStart && !setting.rules["refused-run-started-stops"]) {
      return { delivery: { [d]: { ...o, todo: todo.filter((write) => write.event.type !== "step_started") } } }
    }
    return ended(s, setting, d, o, false)
  }
  if (o.expected !== countOf(log)) return ended(s, setting, d, o, true)
  const appended: Log = [...log, event]
  const begins = event.type === "step_started" && !begun ? [event.entity] : []
  const after = { ...o, todo, known: appended.length, expected: o.expected + 1, bodies: [...o.bodies, ...begins] }
  const { o: then, begun: also } = proceed(setting, d, after, appended)
  return {
    log: appended,
    delivery: { [d]: then },
    bodies: counted(s, setting, [...begins, ...also], [], o.time),
    ...(event.type === "step_created" ? { steps: { [event.entity]: "queued" } } : {})
  }
}
