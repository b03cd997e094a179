/**
 * What a spec 8 orchestrator delivery decides on the events that it knows, and what a cold replay of a log says of it.
 * (SIM-18, SIM-19, SIM-21, SIM-22, SIM-23, SIM-24, SIM-26, SIM-116, SIM-117, SIM-118, SIM-119, SIM-120, SIM-121,
 * SIM-122)
 *
 * A pass completes the sleep if it is due and that is not known; then it replays, and creates what replay calls and
 * nothing has created; then, when the workflow has returned, it ends the run. Its first writes are done before anything
 * else is decided, since the runtime replays again from the top on the longer log.
 *
 * No variables: functions of the events that a delivery knows.
 *
 * @module
 */
import { type Call, replay } from "../../programs/index.ts"
import type { Spec8Setting } from "./Config.ts"
import { type Cell, endsTheRun, holds, isCreation, type Positions, resolutionsOf } from "./Positions.ts"

/**
 * What a pass over these events writes first. `due`: the time of the run's sleep has come (SIM-18, SIM-19, SIM-22,
 * SIM-23, SIM-24, SIM-26).
 */
export const passOver = (setting: Spec8Setting, events: Positions, due: boolean): Positions => {
  if (events.some(endsTheRun)) return []
  const sleep = events.find((event) => event.type === "wait_created")
  if (due && sleep !== undefined && !holds(events, "wait_completed", sleep.entity)) {
    return [{ type: "wait_completed", ...entityOf(sleep) }]
  }
  const { calls, settled } = replay(setting.program, resolutionsOf(events))
  if (settled?.as === "returned") return [{ type: "run_completed", result: settled.value }]
  return calls.map(creation).filter(({ type, entity }) => !holds(events, type, entity))
}

const entityOf = ({ entity }: Cell): Pick<Cell, "entity"> => (entity === undefined ? {} : { entity })

/** The event that creates what was called. */
export const creation = (call: Call): Cell => {
  switch (call.kind) {
    case "hook":
      return { type: "hook_created", entity: call.id, name: call.token }
    case "wait":
      return { type: "wait_created", entity: call.id, name: call.name }
    case "step":
      return { type: "step_created", entity: call.id, name: call.name }
  }
}

/**
 * Whether replay of these events meets what it does not expect: an entity whose creation is not the call that the events
 * below it make under that id. The runtime compares names at the same ordinal (SIM-21).
 */
export const diverges = (setting: Spec8Setting, events: Positions): boolean =>
  events.some((event, at) => {
    if (!isCreation(event) || event.entity === undefined) return false
    const call = replay(setting.program, resolutionsOf(events.slice(0, at))).calls[event.entity - 1]
    if (call === undefined) return true
    const expected = creation(call)
    return expected.type !== event.type || expected.name !== event.name
  })

/** What a cold replay of a log says of it: whether the log replays into the run that wrote it. */
export type ReplayVerdict =
  | "ok"
  | "replay.diverged"
  | "replay.suspended"
  | "replay.output-differs"
  | "replay.log-differs"
  | "replay.status-differs"

/**
 * The verdict of a cold start on these events, less the one that ended the run (SIM-116). Of a run that has not ended it
 * asks only whether replay diverges. The sixth verdict of the simulated World, `replay.budget` (SIM-122), is about a replay
 * that does not end; the programs here are finite, so no replay of one can go on for ever.
 *
 * - `replay.diverged`: an event is not the one that replay expects there (SIM-117);
 * - `replay.log-differs`: replay writes an event that the log does not hold (SIM-120);
 * - `replay.suspended`: replay waits for something that the log does not hold (SIM-118);
 * - `replay.status-differs`: the run ended in another way (SIM-121);
 * - `replay.output-differs`: the run ended with another value (SIM-119).
 */
export const replayVerdict = (setting: Spec8Setting, events: Positions): ReplayVerdict => {
  if (diverges(setting, events)) return "replay.diverged"
  const end = events.findIndex(endsTheRun)
  const ended = events[end]
  if (ended === undefined) return "ok"
  const durable = events.toSpliced(end, 1)
  const { calls, settled } = replay(setting.program, resolutionsOf(durable))
  if (settled === undefined) {
    const made = calls.every((call) => holds(durable, creation(call).type, call.id))
    return made ? "replay.suspended" : "replay.log-differs"
  }
  if ((settled.as === "returned") !== (ended.type === "run_completed")) return "replay.status-differs"
  const found = settled.as === "returned" ? settled.value : settled.step
  return JSON.stringify(found) === JSON.stringify(ended.result) ? "ok" : "replay.output-differs"
}
