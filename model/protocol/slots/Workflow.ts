/**
 * What the run's workflow does next, as a function of the rows that a delivery knows: a race between an inline step and a
 * background step, whose winner is the run's result. (POST-12, RUN-57)
 *
 *     [hook_created]  step_started inline, step_created background  step_completed inline  run_completed
 *
 * What is in the rows already is not decided again; what a lost item of a batch should have written is.
 *
 * No variables: functions of the rows that a delivery has read.
 *
 * @module
 */
import type { Setting } from "./Config.ts"
import { hasEnded, holds, type Item, type Rows, winner } from "./Log.ts"

/**
 * The items of the next write; none when the run has ended. `noHook`: the hook's creation met a conflict, and is let be
 * (POST-12, RUN-57).
 */
export const nextWrite = (setting: Setting, rows: Rows, noHook: boolean): ReadonlyArray<Item> => {
  if (hasEnded(rows)) return []
  if (setting.hook && !noHook && !holds(rows, "hook_created", "hook")) return [{ type: "hook_created", entity: "hook" }]
  const won = winner(rows, setting.rules)
  if (won !== undefined) return [{ type: "run_completed", value: won }]
  const missing = creations(setting, rows)
  if (missing.length > 0) return setting.writes === "one-by-one" ? missing.slice(0, 1) : missing
  return [outcome]
}

const outcome: Item = { type: "step_completed", entity: "inline" }

const creations = (setting: Setting, rows: Rows): ReadonlyArray<Item> => {
  const start: ReadonlyArray<Item> = [{ type: "step_started", entity: "inline" }]
  const starts = setting.writes === "group" ? [...start, outcome] : start
  const creation: ReadonlyArray<Item> = [{ type: "step_created", entity: "background" }]
  return [
    ...(holds(rows, "step_started", "inline") ? [] : starts),
    ...(!setting.background || holds(rows, "step_created", "background") ? [] : creation)
  ]
}

/** Whether a write is the outcome of the inline step alone: what run-ahead decides beyond before it commits. */
export const isOutcome = (items: ReadonlyArray<Item>): boolean =>
  items.length === 1 && items[0]?.type === "step_completed"
