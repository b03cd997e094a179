/**
 * The rows of runs and events, decoded: what is read of a log in one transaction.
 *
 * Whatever does not decode, or is missing where the counters say that it is, is an `UnreadableRow` that names it.
 *
 * @module
 */
import { Schema } from "effect"
import { Event, eventIdOf } from "../../world/index.ts"
import type { Limits } from "../Limits.ts"
import type { Database } from "./Database.ts"
import { UnreadableRow } from "./SqliteErrors.ts"

const RunRow = Schema.Struct({
  run_key: Schema.Int,
  run_id: Schema.String,
  seq: Schema.Int,
  seq_in_band: Schema.Int,
  started_slot: Schema.NullOr(Schema.Int),
  terminal_slot: Schema.NullOr(Schema.Int)
})
/** A run's row. */
export type RunRow = typeof RunRow.Type

const EventRow = Schema.Struct({
  slot: Schema.Int,
  event_type: Schema.String,
  correlation_id: Schema.NullOr(Schema.String),
  spec_version: Schema.Int,
  created_at: Schema.Int,
  event_data: Schema.String
})

const decodeRun = Schema.decodeUnknownSync(RunRow)
const decodeRow = Schema.decodeUnknownSync(EventRow)
const decodeEvent = Schema.decodeUnknownSync(Event)

/** Decodes a row, or says which one cannot be read. */
export const reading = <A>(row: string, decode: () => A): A => {
  try {
    return decode()
  } catch (cause) {
    throw new UnreadableRow(row, cause)
  }
}

/** The columns of a run's row. */
export const RUN_COLUMNS = "run_key, run_id, seq, seq_in_band, started_slot, terminal_slot"

/** What is read of logs, within a transaction. */
export interface LogRows {
  readonly findRun: (runId: string) => RunRow | undefined
  /** A run's row as it was selected. */
  readonly runOfRow: (row: unknown) => RunRow
  /** The events above `after` up to `last`, as many as one page holds. */
  readonly eventsOf: (run: RunRow, after: number, last: number, size: number) => ReadonlyArray<Event>
  /** One event. */
  readonly eventAt: (run: RunRow, slot: number) => Event
}

/** The rows of a file. */
export const makeRows = ({ sql }: Database, limits: Limits): LogRows => {
  const eventsOf = (run: RunRow, after: number, last: number, size: number): ReadonlyArray<Event> => {
    if (after >= last) return []
    const { run_id: runId } = run
    const rows = sql(
      "SELECT slot, event_type, correlation_id, spec_version, created_at, event_data FROM events WHERE run_key = ? AND slot > ? AND slot <= ? ORDER BY slot LIMIT ?"
    ).iterate(run.run_key, after, last, size)
    const events: Array<Event> = []
    let length = 0
    for (const row of rows) {
      const slot = after + events.length + 1
      events.push(
        reading(`Slot ${slot} of run ${runId}`, () => {
          const { correlation_id, ...decoded } = decodeRow(row)
          if (decoded.slot !== slot) throw new Error(`found slot ${decoded.slot}`)
          length += decoded.event_data.length
          return decodeEvent({
            eventId: eventIdOf(slot),
            runId,
            eventType: decoded.event_type,
            createdAt: decoded.created_at,
            specVersion: decoded.spec_version,
            ...(correlation_id === null ? {} : { correlationId: correlation_id }),
            eventData: JSON.parse(decoded.event_data)
          })
        })
      )
      if (length >= limits.maxPageChars) return events
    }
    if (events.length < Math.min(size, last - after)) {
      throw new UnreadableRow(`Slot ${after + events.length + 1} of run ${runId}`, "it is missing")
    }
    return events
  }
  return {
    findRun: (runId) => {
      const row = sql(`SELECT ${RUN_COLUMNS} FROM runs WHERE run_id = ?`).get(runId)
      return row === undefined ? undefined : reading(`The row of run ${runId}`, () => decodeRun(row))
    },
    runOfRow: (row) => reading("A run's row", () => decodeRun(row)),
    eventsOf,
    eventAt: (run, slot) => {
      const event = eventsOf(run, slot - 1, slot, 1)[0]
      if (event === undefined) throw new UnreadableRow(`Slot ${slot} of run ${run.run_id}`, "it is missing")
      return event
    }
  }
}
