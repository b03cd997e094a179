/**
 * What a delivery decides, as functions of the log that it has read. (RUN-16, RUN-29, RUN-37, RUN-38, RUN-39, STEP-37,
 * STEP-53, WAIT-22, CAC-16, CAC-17, CAC-18)
 *
 * Reads `log` and `position`.
 *
 * @module
 */
import type { Setting } from "./Config.ts"
import type { Delivery, EventType, Log, Message, Operation, State } from "./State.ts"

const OUT_OF_BAND: ReadonlyArray<EventType> = ["hook_received", "step_completed"]

/** The run's count of in-band events. */
export const countOf = (log: Log): number => log.filter((type) => !OUT_OF_BAND.includes(type)).length

/** Whether the log has the payload, whoever wrote it. */
export const hasPayload = (log: Log): boolean => log.includes("hook_received") || log.includes("payload_carried")

/** Whether nothing is left that the run waits for. */
export const isDone = (setting: Setting, log: Log): boolean =>
  (!setting.sleeps || log.includes("wait_completed")) && (!setting.works || log.includes("step_completed"))

/** Whether the log holds a sleep that is not over. */
export const sleepsStill = (log: Log): boolean => log.includes("wait_created") && !log.includes("wait_completed")

/** Whether the log holds a step that has no outcome. */
export const worksStill = (log: Log): boolean => log.includes("step_created") && !log.includes("step_completed")

const write = (event: EventType): Operation => ({ op: "write", event })

/** What a pass decides; nothing, when the run has to wait (WAIT-22). */
const pass = (setting: Setting, { kind }: Message, held: Log, due: boolean): ReadonlyArray<Operation> => {
  if (held.includes("run_completed")) return []
  if (!held.includes("run_started")) return [write("run_started")]
  if (kind === "payload" && !hasPayload(held)) return [write("payload_carried")]
  if (setting.sleeps && !held.includes("wait_created")) return [{ op: "arm" }, write("wait_created")]
  if (setting.works && hasPayload(held) && !held.includes("step_created"))
    return [write("step_created"), { op: "send" }]
  if (sleepsStill(held) && (due || kind === "wakeUp")) return [write("wait_completed")]
  return isDone(setting, held) ? [write("run_completed")] : []
}

/** What a delivery that has nothing to decide owes, in order: its timer, its position, its answer (RUN-29, CAC-17). */
const suspension = ({ rules }: Setting, { kind }: Message, held: Log): ReadonlyArray<Operation> => {
  const owes = (kind === "timer" || kind === "recovery") && sleepsStill(held)
  const timers: ReadonlyArray<Operation> = owes ? [{ op: "arm" }] : []
  if (!rules["acknowledge-last"]) return [{ op: "acknowledge" }, ...timers, { op: "record" }]
  return rules["record-after-sends"]
    ? [...timers, { op: "record" }, { op: "acknowledge" }]
    : [{ op: "record" }, ...timers, { op: "acknowledge" }]
}

/** The delivery, with what its next pass decides if it has done what the last one did (CAC-16). */
export const advanced = (setting: Setting, o: Delivery, log: Log, due: boolean): Delivery => {
  if (o.todo.length > 0) return o
  const held = log.slice(0, o.known)
  const todo = pass(setting, o.message, held, due)
  return { ...o, todo: todo.length > 0 ? todo : suspension(setting, o.message, held) }
}

/** A delivery that has read the log: it makes its re-sends, and passes (RUN-16, STEP-37, STEP-53). */
export const opened = (setting: Setting, o: Delivery, log: Log, due: boolean): Delivery => {
  const again = o.message.count > 1 || o.message.kind === "recovery"
  const isLast = log.findLast((type) => !OUT_OF_BAND.includes(type)) === "step_created"
  const owes = again || (isLast && setting.rules["first-reader-re-sends"])
  const resends: ReadonlyArray<Operation> = owes && worksStill(log) ? [{ op: "send" }] : []
  const read = { ...o, known: log.length, expected: countOf(log), resent: o.resent || again, todo: resends }
  return advanced(setting, read, log, due)
}

/** The position that a delivery goes by: its own process's (RUN-39), or anybody's. */
const recorded = (s: State, setting: Setting, o: Delivery): number =>
  setting.sharedPosition ? Math.max(...setting.processes.map((p) => s.position[p] ?? 0)) : (s.position[o.process] ?? 0)

/** Whether a delivery may leave without reading more than the log's end (RUN-37, RUN-38, CAC-18). */
export const mayLeaveUnread = (s: State, setting: Setting, o: Delivery): boolean => {
  const { rules } = setting
  const { kind, count } = o.message
  const read = {
    plain: false,
    timer: rules["timers-are-read"],
    wakeUp: rules["wake-ups-are-read"],
    recovery: rules["recoveries-are-read"],
    payload: rules["payloads-are-read"]
  }
  const first = count === 1 || o.resent || !rules["quick-exit-after-re-sends"]
  return !read[kind] && first && recorded(s, setting, o) > 0 && recorded(s, setting, o) === s.log.length
}
