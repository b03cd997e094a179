/**
 * The in-band writer of a delivery that runs ahead: one group of writes in flight at a time. (POST-01, POST-12,
 * POST-13, POST-17, POST-19, POST-21, POST-22, POST-23, POST-28, FENCE-01, FENCE-08, AHEAD-11, AHEAD-13, AHEAD-14,
 * AHEAD-15, AHEAD-17, AHEAD-18, AHEAD-19, AHEAD-20, AHEAD-21, AHEAD-23, AHEAD-27, AHEAD-29, AHEAD-30, AHEAD-32,
 * AHEAD-33, AHEAD-34, AHEAD-35, CAC-02, EDGE-19, EDGE-52, LIM-06, OOB-01, WORLD-11, WORLD-12, RUN-36, LOG-31)
 *
 * ```
 * queued    --(nothing is in flight)--> in flight
 * in flight --CommitGroup | ThrottleStart, one start of it refused--> committed
 *           | --RefuseInBand--> the delivery ends, and its message comes back
 * committed --Answer--> confirmed, and the workflow goes on | a stop: hazard, refusal, or another time
 * ```
 *
 * What one turn of the delivery queues is sent together, and what is queued behind a write in flight goes together when
 * its turn comes. A group takes a block of slots in one step, as a batch does; what somebody else wrote since the group
 * was sent is below the block. A refused item leaves a sealed slot.
 *
 * Changes `log`, `message`, `holder`, `delivery`, `bodies`, `world` and `budget`.
 *
 * @module
 */
import type { Setting } from "./Config.ts"
import { proceed } from "./Deciding.ts"
import {
  type Actions,
  affords,
  counted,
  type Delivery,
  type Event,
  type Log,
  type Part,
  type State,
  spend,
  type Update,
  type Write
} from "./State.ts"
import { countOf, creates, decides, eventOf, hasEnded, hasOutcome, inBand, viewOf } from "./Workflow.ts"

/** The actions of the writers. */
export const writerActions = ({ setting, action }: Part): Actions => ({
  /**
   * The World takes the group at the writer's count, item by item of a block of slots (FENCE-01, POST-12, POST-28,
   * POST-01, POST-13, AHEAD-21).
   */
  CommitGroup: action({ delivery: setting.deliveries }, (s, { delivery: d }) => {
    const o = s.delivery[d]
    if (!o || !isInFlight(o) || o.expected !== countOf(s.log)) return
    return committed(s, setting, d, o, [])
  }),
  ...(setting.budgetNames.includes("throttles")
    ? {
        /** The same, but the World refuses one speculative start for a reason that passes (AHEAD-30, EDGE-19, LIM-06). */
        ThrottleStart: action(
          { delivery: setting.deliveries, entity: setting.entities },
          (s, { delivery: d, entity }) => {
            const o = s.delivery[d]
            if (!o || !isInFlight(o) || o.expected !== countOf(s.log) || !affords(s, "throttles")) return
            const group = o.queue.slice(0, o.sent)
            if (!group.some(({ event, ahead }) => ahead && event.type === "step_started" && event.entity === entity))
              return
            return { ...committed(s, setting, d, o, [entity]), ...spend(s, "throttles") }
          }
        )
      }
    : {}),
  ...(setting.deliveries.length > 1
    ? {
        /** The fence does not hold: another delivery has written since. Nothing is allocated (FENCE-08, AHEAD-33, POST-23). */
        RefuseInBand: action({ delivery: setting.deliveries }, (s, { delivery: d }) => {
          const o = s.delivery[d]
          if (!o || !isInFlight(o) || o.expected === countOf(s.log)) return
          if (!setting.rules["refusal-ends-delivery"]) {
            return { delivery: { [d]: { ...o, phase: "loading", ahead: false, restarts: 1, queue: [], sent: 0 } } }
          }
          const held = s.holder === d
          return {
            ...(held ? { holder: null, message: true } : {}),
            delivery: { [d]: null },
            bodies: counted(s, setting, [], withoutStart(s.log, d, o))
          }
        })
      }
    : {}),
  /**
   * The answer: what landed is confirmed, and the delivery goes on, stops, or finds that the run has ended (POST-22,
   * AHEAD-13, AHEAD-14, AHEAD-15, AHEAD-34, AHEAD-35, CAC-02, EDGE-52).
   */
  Answer: action({ delivery: setting.deliveries }, (s, { delivery: d }) => {
    const o = s.delivery[d]
    if (!o || o.landed.length === 0) return
    return answered(s, setting, d, o)
  })
})

const isInFlight = (o: Delivery): boolean => o.sent > 0 && o.landed.length === 0

/** Steps of a delivery whose bodies it has begun, and that it has no start of in the log. */
export const withoutStart = (log: Log, d: string, o: Delivery): ReadonlyArray<number> =>
  [
    ...o.bodies.map(({ entity }) => entity),
    ...o.queue.filter(({ event }) => event.type === "step_completed").map(({ event }) => event.entity)
  ].filter((entity) => !hasStarted(log, d, entity))

const hasStarted = (log: Log, d: string, entity: number): boolean =>
  log.some((event) => event.entity === entity && event.type === "step_started" && event.by === d)

/**
 * Sends what a turn of the delivery has queued, if nothing is in flight: the speculative writes at the head together,
 * or creations together, or one other write (POST-17, POST-19, POST-21, AHEAD-11).
 */
export const sending = (setting: Setting, o: Delivery): Delivery => {
  if (o.sent > 0 || o.queue.length === 0) return o
  const queue = setting.rules["writes-in-decision-order"] ? o.queue : startsFirst(o.queue)
  return { ...o, queue, sent: groupSize(setting, queue) }
}

/** Creations overtake outcomes: what the rule `writes-in-decision-order` prevents. */
const startsFirst = (queue: ReadonlyArray<Write>): ReadonlyArray<Write> => [
  ...queue.filter(({ event, ahead }) => ahead && creates(event)),
  ...queue.filter(({ event, ahead }) => !(ahead && creates(event)))
]

/** Speculative writes go together, and so do creations that are awaited; any other write goes alone. */
const groupSize = (setting: Setting, queue: ReadonlyArray<Write>): number => {
  const head = queue[0]
  if (head === undefined) return 0
  const joins = (write: Write, at: number): boolean =>
    head.ahead
      ? write.ahead && !(setting.separateCreations && queue.slice(0, at).some(({ event }) => decides(event)))
      : !write.ahead && creates(head.event) && creates(write.event)
  const end = queue.findIndex((write, at) => at > 0 && !joins(write, at))
  return end < 0 ? queue.length : end
}

const committed = (s: State, setting: Setting, d: string, o: Delivery, throttled: ReadonlyArray<number>): Update => {
  let log = s.log
  let landed: ReadonlyArray<number> = []
  let refused: ReadonlyArray<number> = []
  for (const { event } of o.queue.slice(0, o.sent)) {
    const follows = setting.rules["batch-refuses-by-step"] && refused.includes(event.entity)
    const no = follows || isRefused(s.log, event) || (throttled.includes(event.entity) && event.type === "step_started")
    if (no) refused = [...refused, event.entity]
    landed = [...landed, no ? 0 : log.length + 1]
    log = [...log, no ? eventOf("noop", 0) : { ...event, late: !setting.keepsTime }]
  }
  return { log, delivery: { [d]: { ...o, landed } } }
}

/** A run that has ended takes outcomes of steps, and nothing else (WORLD-11, WORLD-12). */
const isRefused = (log: Log, event: Event): boolean =>
  hasEnded(log) && event.type !== "step_completed" && event.type !== "step_failed"

/** What a delivery does with an answer. */
const answered = (s: State, setting: Setting, d: string, o: Delivery): Update => {
  const { log } = s
  const group = o.queue.slice(0, o.sent)
  const queue = o.queue.slice(o.sent)
  const last = o.landed.reduce((highest, slot) => Math.max(highest, slot), o.known)
  const accepted = o.landed.filter((slot) => slot > 0)
  const foreign = log.slice(o.known, last).flatMap((event, at) => (o.landed.includes(o.known + at + 1) ? [] : [event]))
  const hazard =
    setting.rules["hazard-check"] &&
    group.some(({ ahead }) => ahead) &&
    foreign.some((event) => isHazard(setting, o, event, log.slice(0, o.known)))
  // Whatever was refused, what was decided ahead of its answer was decided on it (AHEAD-23).
  const refused = o.landed.includes(0) && o.queue.some(({ ahead }) => ahead)
  const moved = group.some(({ ahead }, at) => ahead && log[(o.landed[at] ?? 0) - 1]?.late === true)
  const mistimed = setting.rules["stored-time-checked"] && moved
  const confirmed = { ...o, queue, sent: 0, landed: [], known: last, expected: o.expected + accepted.length }

  if (hazard || mistimed || (refused && setting.rules["refused-creation-stops"])) {
    return {
      ...stopped(s, setting, d, confirmed, withoutStart(log, d, o)),
      world: { aheadOff: s.world.aheadOff || mistimed, hazards: Math.min(1, s.world.hazards + (hazard ? 1 : 0)) }
    }
  }
  if (o.phase === "stopping") return { delivery: { [d]: sending(setting, confirmed) } }
  // An awaited write that is refused for another reason than the fence finds the run ended (RUN-36, LOG-31).
  if (o.landed.includes(0) && !refused) return { delivery: { [d]: { ...confirmed, phase: "loading", queue: [] } } }
  const begins = group.flatMap(({ event, ahead }, at) =>
    event.type === "step_started" && !ahead && o.landed[at] !== 0 ? [event.entity] : []
  )
  const displaced = group.some(({ ahead, predicted }, at) => ahead && o.landed[at] !== predicted)
  const repairs = setting.rules["repair-displaced"] || !displaced
  const next = {
    ...confirmed,
    view: repairs ? viewOf(setting, log, last, queue, o.cache) : o.view,
    bodies: [...o.bodies, ...begins.map((entity) => ({ entity, ended: false }))]
  }
  const { o: then, begun } = proceed(setting, d, next, log)
  return { delivery: { [d]: sending(setting, then) }, bodies: counted(s, setting, [...begins, ...begun]) }
}

/**
 * Decisions stop: what was not sent is dropped, but for outcomes of steps whose start committed (AHEAD-23, AHEAD-30,
 * AHEAD-27, AHEAD-29, AHEAD-32).
 */
const stopped = (s: State, setting: Setting, d: string, o: Delivery, lost: ReadonlyArray<number>): Update => {
  const survive = setting.rules["started-outcomes-survive"]
  const started = survive ? o.bodies.filter(({ entity }) => hasStarted(s.log, d, entity)) : []
  const outcomes = survive ? o.queue.filter(({ event }) => decides(event) && hasStarted(s.log, d, event.entity)) : []
  const next: Delivery = {
    ...o,
    phase: "stopping",
    queue: [
      ...outcomes.map((write) => ({ ...write, ahead: false })),
      ...started.filter(({ ended }) => ended).map(({ entity }) => outcomeWrite(d, entity))
    ],
    bodies: started.filter(({ ended }) => !ended),
    lost: o.lost + lost.length
  }
  return { delivery: { [d]: sending(setting, next) }, bodies: counted(s, setting, [], lost) }
}

/** The outcome of a body that ended after its delivery stopped. */
export const outcomeWrite = (d: string, entity: number): Write => ({
  event: eventOf("step_completed", entity, { by: d }),
  ahead: false,
  predicted: 0,
  sensitive: []
})

/** The table of hazards (AHEAD-17, AHEAD-18, AHEAD-19, AHEAD-20). */
const isHazard = (setting: Setting, o: Delivery, event: Event, held: Log): boolean => {
  if (inBand(event)) return false
  if (event.type === "hook_received") return o.queue.some(({ sensitive }) => sensitive.includes(event.entity))
  if (event.type === "wait_completed") return true
  // Outside a delivery only steps that run elsewhere write (OOB-01).
  return event.type === "step_completed" && !(setting.rules["ended-step-no-hazard"] && hasOutcome(held, event.entity))
}
