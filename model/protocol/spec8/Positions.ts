/**
 * The log of a spec 8 run by position, and what a reader of it holds. (SIM-19, SIM-20, SIM-31, SIM-35, SIM-47, SIM-55,
 * SIM-65)
 *
 *     slot --accepted, minted--> reserved --stored--> an event        reserved --sealed by a reader--> sealed
 *     slot --stored, appended--> an event
 *
 * Position `n` is `log[n - 1]`. A reader sees events and sealed slots; a reserved slot is empty to it. In a minted log an
 * event may therefore appear below others that a reader has passed, and this is all that the two modes differ in.
 *
 * What a reader holds is the set of positions that it knows. An event never changes once it is stored, so that is enough.
 *
 * No variables: functions of a log.
 *
 * @module
 */
import { Schema } from "effect"
import { Provenance, type Resolution } from "../../programs/index.ts"

/** What a slot may hold: an event by its type, or nothing yet, or nothing for ever. */
export const CellType = Schema.Literals([
  "run_created",
  "run_completed",
  "run_failed",
  "step_created",
  "step_started",
  "step_completed",
  "hook_created",
  "hook_received",
  "wait_created",
  "wait_completed",
  "reserved",
  "sealed"
])

/** What a slot holds. `name` is on the event that creates an entity, `result` on the run's completion. */
export const Cell = Schema.Struct({
  type: CellType,
  entity: Schema.optionalKey(Schema.Int),
  name: Schema.optionalKey(Schema.String),
  result: Schema.optionalKey(Provenance)
})

/** What a slot holds. */
export type Cell = typeof Cell.Type

/** A log by position, reserved slots included. */
export type Positions = ReadonlyArray<Cell>

/** Whether the slot can be read: it holds an event, or is sealed. */
export const isStored = (cell: Cell): boolean => cell.type !== "reserved"

/** Whether the slot holds an event. */
export const isEvent = (cell: Cell): boolean => isStored(cell) && cell.type !== "sealed"

/** The events of the log, in the order of their positions. */
export const eventsOf = (log: Positions): Positions => log.filter(isEvent)

/** The events at these positions, in their order. */
export const eventsAt = (log: Positions, known: ReadonlyArray<number>): Positions =>
  log.filter((cell, at) => isEvent(cell) && known.includes(at + 1))

/** The positions that can be read, from the one after `cursor` on (SIM-31, SIM-65). */
export const readableAfter = (log: Positions, cursor: number): ReadonlyArray<number> =>
  log.flatMap((cell, at) => (at + 1 > cursor && isStored(cell) ? [at + 1] : []))

/** The highest of these positions, 0 for none. */
export const highest = (known: ReadonlyArray<number>): number => known.reduce((most, at) => Math.max(most, at), 0)

/** The positions below the highest known one that are not known: what a reader of numbered slots can see is missing. */
export const gapsIn = (known: ReadonlyArray<number>): ReadonlyArray<number> =>
  Array.from({ length: highest(known) }, (_, at) => at + 1).filter((position) => !known.includes(position))

/** Two sets of positions as one, in order. */
export const joined = (one: ReadonlyArray<number>, other: ReadonlyArray<number>): ReadonlyArray<number> =>
  [...one, ...other.filter((position) => !one.includes(position))].toSorted((a, b) => a - b)

/**
 * Whether the event comes from outside of the orchestrators: what the precondition guard watches (SIM-47, SIM-35,
 * SIM-55).
 */
export const isOutside = (cell: Cell): boolean => cell.type === "hook_received" || cell.type === "step_completed"

/** Whether the event creates a step, hook or sleep. */
export const isCreation = (cell: Cell): boolean =>
  cell.type === "step_created" || cell.type === "hook_created" || cell.type === "wait_created"

/** Whether the event ends the run. */
export const endsTheRun = (cell: Cell): boolean => cell.type === "run_completed" || cell.type === "run_failed"

/** Whether some event of this type and entity is among these. */
export const holds = (events: Positions, type: Cell["type"], entity: number | undefined): boolean =>
  events.some((event) => event.type === type && event.entity === entity)

/** What replay consumes of these events: the first outcome of each entity, in order (SIM-19, SIM-20). */
export const resolutionsOf = (events: Positions): ReadonlyArray<Resolution> => {
  const deciding = events.filter((event) => outcomes[event.type] !== undefined)
  return deciding.flatMap((event, at) => {
    const as = outcomes[event.type]
    if (event.entity === undefined || as === undefined) return []
    return deciding.slice(0, at).some((other) => other.entity === event.entity) ? [] : [{ id: event.entity, as }]
  })
}

const outcomes: { readonly [type: string]: Resolution["as"] } = {
  step_completed: "completed",
  wait_completed: "completed",
  hook_received: "received"
}
