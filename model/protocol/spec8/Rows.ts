/**
 * The World's side of a spec 8 write: the rows that refuse duplicates, and the two halves of the guard. (SIM-03, SIM-45,
 * SIM-46, SIM-47, SIM-49, SIM-52, SIM-55, TOPO-02, ROUTE-46)
 *
 *     write of a delivery --a guard is armed, and does not hold--> refused (412): the log is read again
 *                         --a row has it already, or forbids it--> conflict: dropped
 *                         --otherwise-->                           stored at the tail
 *
 * There is no fence: any number of deliveries may write. Rows are not variables, since they are what the log says
 * (the invariants of the simulated World that compare the two are therefore not asked: SIM-96, SIM-105, SIM-106, SIM-107).
 * The guards here are exact; those of a deployment forget, and let writes pass on errors (SIM-56, SIM-57), so what
 * holds here because of a guard holds of the predicate alone.
 *
 * No variables: functions of a log, and of the delivery that writes.
 *
 * @module
 */
import { leavesOf } from "../../programs/index.ts"
import type { Spec8Setting } from "./Config.ts"
import { type Cell, endsTheRun, holds, isOutside, isStored, type Positions } from "./Positions.ts"
import type { Spec8Delivery } from "./State.ts"

/**
 * Whether a row refuses the write, since it has it already or the entity is past it (SIM-03, SIM-45, TOPO-02,
 * ROUTE-46).
 */
export const isConflict = (setting: Spec8Setting, log: Positions, { type, entity }: Cell): boolean => {
  const { rules } = setting
  if (rules["ended-run-row"] && log.some(endsTheRun)) return true
  if (type === "hook_created" || type === "hook_received") return holds(log, type, entity)
  if (type === "wait_created" || type === "wait_completed") return rules["wait-rows"] && holds(log, type, entity)
  if (type === "step_created") return rules["step-rows"] && holds(log, type, entity)
  return rules["step-rows"] && holds(log, "step_completed", entity) && entity !== undefined
}

/**
 * Whether a guard that is armed refuses a write of this delivery. What it tells the World of its view is the highest
 * position that it has read, and how many it has read up to there; its own writes are no part of it (SIM-52, SIM-46,
 * SIM-47, SIM-49, SIM-55).
 */
export const isGuarded = (
  { guards, rules }: Spec8Setting,
  log: Positions,
  { mark, loaded }: Spec8Delivery
): boolean => {
  const newest = log.findLastIndex(isOutside) + 1
  const stored = log.slice(0, mark).filter(isStored).length
  return (
    (guards.includes("precondition") && rules["precondition-guard"] && newest > mark) ||
    (guards.includes("count") && rules["count-guard"] && stored !== loaded)
  )
}

/** Whether the run's branch was decided: a step was created. The programs here begin with a hook and a sleep. */
export const isDecided = (log: Positions): boolean => log.some((cell) => cell.type === "step_created")

/** How many steps the program has. */
export const stepCount = ({ program }: Spec8Setting): number =>
  leavesOf(program).filter((leaf) => leaf._tag === "Step").length
