/**
 * A run's log while its slots are handed out, filled and sealed one step at a time, and what its readers make of it.
 * (LOG-08, LOG-17, LOG-18, LOG-19, LOG-33, CAC-04, WORLD-10)
 *
 *     a slot:   not handed out --> empty --Put--> an event
 *                                    └─SealSlot | SealForReader--> noop
 *
 * The World keeps nothing about a slot that is handed out and empty but the counters that passed it. What the cells here
 * say beyond their event (who was given the slot, and what that writer knew) is for the properties alone.
 *
 * No variables: functions of a log.
 *
 * @module
 */
import { Schema } from "effect"
import type { Rules } from "./Rules.ts"

/** What an event is about, and the value that it carries. */
const facts = {
  /** The step or hook. */
  entity: Schema.optionalKey(Schema.Literals(["inline", "background", "hook", "wait"])),
  /** Which of several possible outcomes it is: the name of the invocation that has it, or the winner of the race. */
  value: Schema.optionalKey(Schema.String)
}

const EventType = Schema.Literals([
  "run_created",
  "run_started",
  "hook_created",
  "step_created",
  "step_started",
  "step_completed",
  "wait_completed",
  "run_completed",
  "run_cancelled"
])

/** What a writer asks the World to append. */
export const Item = Schema.Struct({ type: EventType, ...facts })

/** What a writer asks the World to append. */
export type Item = typeof Item.Type

/** What a reader has read in one slot. A `hole` is a slot that it went past while it was empty. */
export const Seen = Schema.Struct({ type: Schema.Union([EventType, Schema.Literals(["noop", "hole"])]), ...facts })

/** What a reader has read in one slot. */
export type Seen = typeof Seen.Type

/** One slot that was handed out. */
export const Cell = Schema.Struct({
  type: Schema.Union([EventType, Schema.Literals(["empty", "noop"])]),
  ...facts,
  writer: Schema.String,
  inBand: Schema.Boolean,
  /** The first slot of the block that it was handed out in, and how far its writer knew the log when it decided. */
  decided: Schema.optionalKey(Schema.Struct({ first: Schema.Int, seen: Schema.Int }))
})

/** One slot that was handed out. */
export type Cell = typeof Cell.Type

/** A run's log. Slot `n` is `log[n - 1]`; the length is `seq`, the highest slot handed out (LOG-19, LOG-18). */
export type Log = ReadonlyArray<Cell>

/** What readers fold: events in slot order, with noops, holes or empty slots between them. */
export type Rows = ReadonlyArray<{ readonly type: string; readonly entity?: string; readonly value?: string }>

/** Whether a slot will never change again. */
export const isSettled = (cell: Cell): boolean => cell.type !== "empty"

/** Whether a slot holds an event. */
export const isCommitted = (cell: Cell): boolean => cell.type !== "empty" && cell.type !== "noop"

/** Whether an event of this type ends the run. */
export const endsRun = (type: string): boolean => type === "run_completed" || type === "run_cancelled"

/** Whether these rows hold the end of the run. */
export const hasEnded = (rows: Rows): boolean => rows.some(({ type }) => endsRun(type))

/** The run's status: the first terminal event by position decides it (LOG-33). */
export const status = (rows: Rows): string => rows.find(({ type }) => endsRun(type))?.type ?? "running"

/** Whether these rows hold an event of a type, of an entity. */
export const holds = (rows: Rows, type: string, entity: string): boolean =>
  rows.some((row) => row.type === type && row.entity === entity)

const resolves = (type: string): boolean => type === "step_completed" || type === "wait_completed"

/**
 * Who won the race that the workflow awaits, by these rows: the first resolution in slot order. An entity's later
 * resolutions are inert (LOG-08); without the rule, the last of them takes the place of the earlier ones (CAC-04,
 * WORLD-10).
 */
export const winner = (rows: Rows, rules: Rules): string | undefined => {
  const resolutions = rows.filter(({ type }) => resolves(type))
  const standing = resolutions.filter((row, at) =>
    rules["first-outcome-stands"]
      ? !resolutions.slice(0, at).some(({ entity }) => entity === row.entity)
      : !resolutions.slice(at + 1).some(({ entity }) => entity === row.entity)
  )
  return standing[0] === undefined ? undefined : (standing[0].value ?? standing[0].entity)
}

/** What a reader keeps of a slot. */
export const readCell = (cell: Cell): Seen => {
  if (cell.type === "empty") return { type: "hole" }
  if (cell.type === "noop") return { type: "noop" }
  return {
    type: cell.type,
    ...(cell.entity === undefined ? {} : { entity: cell.entity }),
    ...(cell.value === undefined ? {} : { value: cell.value })
  }
}

/** A slot whose event will never come: a reader waited for it too long, or the World refused its item (LOG-17). */
export const sealed = (cell: Cell): Cell => ({ type: "noop", writer: cell.writer, inBand: cell.inBand })
