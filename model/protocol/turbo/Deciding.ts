/**
 * What a delivery decides: local computation between two operations, as functions. (TURBO-01, TURBO-02, TURBO-05,
 * TURBO-06, TURBO-07, TURBO-09, TURBO-29, RUN-05, RUN-16, RUN-18, RUN-35, RUN-43, STEP-02, STEP-57, ONCE-05, WORLD-10,
 * WORLD-58, LOG-20)
 *
 * Turbo's delivery takes its log to be the run's creation alone, begins with `run_started`, and goes on once that has
 * committed. (In the documents it goes on at once, and queues every other write behind that one: so it is here with
 * `bodies-await-run-started` off.) While no boundary had a hook or a background step, the bodies of new inline steps begin
 * as soon as their starts are queued. Any other delivery loads the log, and a body begins when its start has committed.
 *
 * No variables: functions of a delivery, and of the log.
 *
 * @module
 */
import { leavesOf, type Resolution, replay } from "../../programs/index.ts"
import type { Setting } from "./Config.ts"
import type { Delivery, Event, Log, Message } from "./State.ts"

/** Who writes outside the orchestrator's deliveries. */
export const OUTSIDE = "outside"

const CREATIONS = ["step_created", "step_started", "hook_created"]
const ENDS = ["run_completed", "run_failed", "run_cancelled"]
const RESOLVES: { readonly [type: string]: Resolution["as"] } = {
  step_completed: "completed",
  step_failed: "failed",
  hook_received: "received"
}

/** The run's count of in-band events: its creation is the first of them (LOG-20). */
export const countOf = (log: Log): number => log.filter(({ by }) => by !== OUTSIDE).length

/** Whether the run has ended. */
export const hasEnded = (log: Log): boolean => log.some(({ type }) => ENDS.includes(type))

/** Whether the log has an event of this type, of this call. */
export const has = (log: Log, type: Event["type"], entity = 0): boolean =>
  log.some((event) => event.type === type && event.entity === entity)

/** Whether the log has an outcome of the call. */
export const hasOutcome = (log: Log, entity: number): boolean =>
  log.some((event) => event.entity === entity && RESOLVES[event.type] !== undefined)

/** Whether the step was created to run in the background. */
export const isBackground = (log: Log, entity: number): boolean => has(log, "step_created", entity)

const openInline = (log: Log): ReadonlyArray<number> =>
  log
    .filter(({ type, entity }, at) => type === "step_started" && !hasOutcome(log, entity) && isFirst(log, entity, at))
    .map(({ entity }) => entity)

const isFirst = (log: Log, entity: number, at: number): boolean =>
  log.findIndex((event) => event.type === "step_started" && event.entity === entity) === at

/** What a cold replay of the log decides (WORLD-10). */
export const decide = (setting: Setting, log: Log) => {
  const resolutions = log.flatMap(({ type, entity }, at): ReadonlyArray<Resolution> => {
    const as = RESOLVES[type]
    return as === undefined || hasOutcome(log.slice(0, at), entity) ? [] : [{ id: entity, as }]
  })
  return replay(setting.program, resolutions)
}

/** Whether the call's step is never tried again (STEP-57). */
export const isAtMostOnce = (setting: Setting, name: string): boolean =>
  leavesOf(setting.program).some((leaf) => leaf._tag === "Step" && leaf.name === name && leaf.maxRetries === 0)

/** Whether the message starts turbo: the run's first one, on its first delivery (TURBO-02). */
export const isTurbo = (setting: Setting, message: Message): boolean =>
  setting.turbo && message.input && (message.count === 1 || !setting.rules["redelivery-not-turbo"])

/** A delivery that went on, and the steps whose bodies it began. */
export interface Proceeded {
  readonly o: Delivery
  readonly begun: ReadonlyArray<number>
}

/**
 * A delivery that begins: turbo on the log as it must be, anybody else on the log as it is (RUN-05, RUN-16, TURBO-01,
 * TURBO-05, TURBO-06, TURBO-29).
 */
export const opened = (setting: Setting, d: string, o: Delivery, log: Log): Proceeded => {
  const turbo = isTurbo(setting, o.message)
  const held = turbo ? [] : log
  // A run whose creation never landed has the count that it will have when `run_started` creates it (RUN-35).
  const next: Delivery = {
    ...o,
    phase: "running",
    early: turbo,
    known: held.length,
    expected: Math.max(1, countOf(held)),
    todo:
      has(held, "run_started") || hasEnded(held)
        ? []
        : [{ event: { type: "run_started", entity: 0, by: d }, begun: false }]
  }
  return proceed(setting, d, next, log)
}

/** Decides as much as can be decided without an answer (TURBO-07, TURBO-09, RUN-18, RUN-43, STEP-02, ONCE-05). */
export const proceed = (setting: Setting, d: string, o: Delivery, log: Log): Proceeded => {
  const held = log.slice(0, o.known)
  const stays: Proceeded = { o, begun: [] }
  const idle = o.todo.length === 0 && o.bodies.length === 0
  if (o.phase !== "running") return stays
  if (hasEnded(held)) return o.todo.length > 0 ? stays : { o: { ...o, phase: "done", bodies: [] }, begun: [] }
  if (o.believes === "past" && setting.rules["deadline-hand-off"]) {
    return idle ? { o: { ...o, phase: "handoff" }, begun: [] } : stays
  }
  const payload = owedPayload(setting, o, held)
  if (payload !== undefined) return { o: queue(o, d, { type: "hook_received", entity: payload }), begun: [] }
  const { calls, settled } = decide(setting, held)
  if (settled !== undefined) {
    if (o.todo.length > 0) return stays
    return {
      o: queue(o, d, { type: settled.as === "returned" ? "run_completed" : "run_failed", entity: 0 }),
      begun: []
    }
  }
  const isKnown = (id: number): boolean =>
    o.bodies.includes(id) ||
    o.todo.some(({ event }) => event.entity === id) ||
    held.some(({ type, entity }) => entity === id && CREATIONS.includes(type))
  // The boundary's creations wait for `run_started`, and its bodies do not wait for them.
  const waitsForStart = setting.rules["bodies-await-run-started"] && o.early && !has(held, "run_started")
  const fresh = waitsForStart ? [] : calls.filter(({ id }) => !isKnown(id))
  const orphans = openInline(held).filter(
    (id) => !isBackground(held, id) && !o.bodies.includes(id) && !o.todo.some(({ event }) => event.entity === id)
  )
  if (fresh.length + orphans.length === 0) return idle ? { o: { ...o, phase: "done" }, begun: [] } : stays

  const steps = fresh.filter(({ kind }) => kind === "step")
  const tight = o.believes !== "early" && setting.rules["inline-start-margin"]
  const room = tight ? 0 : Math.max(0, setting.maxInlineSteps - o.bodies.length - orphans.length)
  const inline = steps.slice(0, room)
  const background = steps.slice(room)
  const hooks = fresh.filter(({ kind }) => kind === "hook")
  const early =
    o.early &&
    !(setting.rules["hook-ends-early-starts"] && hooks.length > 0) &&
    !(setting.rules["background-ends-early-starts"] && background.length > 0)
  let next: Delivery = { ...o, early }
  for (const id of orphans) {
    const call = calls[id - 1]
    const never = call?.kind === "step" && isAtMostOnce(setting, call.name)
    next = queue(next, d, { type: never ? "step_failed" : "step_started", entity: id })
  }
  for (const { id } of hooks) next = queue(next, d, { type: "hook_created", entity: id })
  const begun =
    early && background.length + hooks.length + orphans.length === 0
      ? inline.filter((call) => call.kind === "step" && mayBeginEarly(setting, call.name)).map(({ id }) => id)
      : []
  for (const { id } of inline) next = queue(next, d, { type: "step_started", entity: id }, begun.includes(id))
  for (const { id } of background) next = queue(next, d, { type: "step_created", entity: id })
  return { o: { ...next, bodies: [...next.bodies, ...begun] }, begun }
}

const mayBeginEarly = (setting: Setting, name: string): boolean =>
  !(setting.rules["at-most-once-awaits-start"] && isAtMostOnce(setting, name))

/** Puts a write behind those that are decided on. */
export const queue = (o: Delivery, d: string, event: Omit<Event, "by">, begun = false): Delivery => ({
  ...o,
  todo: [...o.todo, { event: { ...event, by: d }, begun }]
})

/** The hook that the message carries a payload for, if the log has none: written once however often it comes (WORLD-58). */
const owedPayload = (setting: Setting, o: Delivery, held: Log): number | undefined => {
  if (!o.message.hookInput) return undefined
  return setting.entities.find(
    (id) => has(held, "hook_created", id) && !hasOutcome(held, id) && !o.todo.some(({ event }) => event.entity === id)
  )
}
