/**
 * The SQLite World's logs: the fence, the counters and the append are one write transaction.
 *
 * `BEGIN IMMEDIATE` takes the file's write lock before the counters are read, so of two processes that hold one count
 * exactly one is accepted, and a refusal is a transaction that wrote nothing. (WORLD-32, WORLD-33, WORLD-36)
 *
 * Rules: WORLD-26, WORLD-27, WORLD-28, WORLD-29, WORLD-32, WORLD-33, WORLD-36, WORLD-38, WORLD-39, WORLD-40, WORLD-41,
 * WORLD-42, FENCE-05, FENCE-08, FENCE-09.
 *
 * @module
 */
import { type Effect, Result, Schema } from "effect"
import {
  type CreateEventParams,
  correlationIdOf,
  Event,
  type EventInput,
  type EventPage,
  type EventResult,
  type EventStorageError,
  eventIdOf,
  type Hook,
  HookNotFoundError,
  isTerminalRunEvent,
  type ListEventsParams,
  type Run,
  RunNotFoundError
} from "../../world/index.ts"
import { refusalOf } from "../AppendRules.ts"
import { eventTooLarge, type Limits, pageSizeOf, slotOfCursor } from "../Limits.ts"
import { runOf } from "../RunFold.ts"
import type { Database } from "./Database.ts"
import { UnreadableRow } from "./SqliteErrors.ts"

const RunRow = Schema.Struct({
  run_key: Schema.Int,
  seq: Schema.Int,
  seq_in_band: Schema.Int,
  started_slot: Schema.NullOr(Schema.Int),
  terminal_slot: Schema.NullOr(Schema.Int)
})
const EventRow = Schema.Struct({
  slot: Schema.Int,
  event_type: Schema.String,
  correlation_id: Schema.NullOr(Schema.String),
  spec_version: Schema.Int,
  created_at: Schema.Int,
  event_data: Schema.String
})
const HookRow = Schema.Struct({
  run_id: Schema.String,
  hook_id: Schema.String,
  token: Schema.String,
  metadata: Schema.NullOr(Schema.String)
})

const decodeRun = Schema.decodeUnknownSync(RunRow)
const decodeRow = Schema.decodeUnknownSync(EventRow)
const decodeHook = Schema.decodeUnknownSync(HookRow)
const decodeEvent = Schema.decodeUnknownSync(Event)

const reading = <A>(row: string, decode: () => A): A => {
  try {
    return decode()
  } catch (cause) {
    throw new UnreadableRow(row, cause)
  }
}

/** The storage calls of a World, on one connection. `now` is the World's time in epoch milliseconds. */
export interface SqliteLog {
  readonly create: (
    runId: string,
    data: EventInput,
    params: CreateEventParams,
    now: number
  ) => Effect.Effect<EventResult, EventStorageError>
  readonly list: (runId: string, params: ListEventsParams) => Effect.Effect<EventPage, EventStorageError>
  readonly getRun: (runId: string) => Effect.Effect<Run, EventStorageError>
  readonly getHookByToken: (token: string) => Effect.Effect<Hook, EventStorageError>
}

/** The logs of a file. */
export const makeLog = ({ sql, read, write }: Database, limits: Limits): SqliteLog => {
  const findRun = (runId: string): typeof RunRow.Type | undefined => {
    const row = sql("SELECT run_key, seq, seq_in_band, started_slot, terminal_slot FROM runs WHERE run_id = ?").get(
      runId
    )
    return row === undefined ? undefined : reading(`The row of run ${runId}`, () => decodeRun(row))
  }

  /** The events above `after` up to `last`, as many as one page holds; a slot that is missing is an error. */
  const eventsOf = (runId: string, runKey: number, after: number, last: number, size: number): ReadonlyArray<Event> => {
    const rows = sql(
      "SELECT slot, event_type, correlation_id, spec_version, created_at, event_data FROM events WHERE run_key = ? AND slot > ? AND slot <= ? ORDER BY slot LIMIT ?"
    ).iterate(runKey, after, last, size)
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

  const insert = (runKey: number, slot: number, createdAt: number, data: EventInput): void => {
    sql(
      "INSERT INTO events (run_key, slot, event_type, correlation_id, spec_version, created_at, event_data) VALUES (?, ?, ?, ?, ?, ?, ?)"
    ).run(
      runKey,
      slot,
      data.eventType,
      correlationIdOf(data) ?? null,
      data.specVersion,
      createdAt,
      JSON.stringify(data.eventData)
    )
  }

  /** What an event changes beside the log. */
  const project = (runKey: number, slot: number, data: EventInput): void => {
    if (data.eventType === "run_started") {
      sql("UPDATE runs SET started_slot = ? WHERE run_key = ?").run(slot, runKey)
    } else if (isTerminalRunEvent(data)) {
      sql("UPDATE runs SET terminal_slot = ? WHERE run_key = ?").run(slot, runKey)
      sql("UPDATE hooks SET open = 0 WHERE run_key = ? AND open = 1").run(runKey)
    } else if (data.eventType === "hook_created") {
      const { token, metadata } = data.eventData
      sql("INSERT INTO hooks (run_key, hook_id, token, metadata, open) VALUES (?, ?, ?, ?, 1)").run(
        runKey,
        data.correlationId,
        token,
        metadata ?? null
      )
    }
  }

  const createRun = (runId: string, data: EventInput, now: number): EventResult => {
    const { lastInsertRowid } = sql("INSERT INTO runs (run_id, seq, seq_in_band) VALUES (?, 1, 1)").run(runId)
    insert(Number(lastInsertRowid), 1, now, data)
    return {
      event: { eventId: eventIdOf(1), runId, createdAt: now, ...data },
      allocated: 1,
      events: [],
      hasMore: false
    }
  }

  const append = (
    runId: string,
    run: typeof RunRow.Type,
    data: EventInput,
    params: CreateEventParams,
    now: number
  ): Result.Result<EventResult, EventStorageError> => {
    const runKey = run.run_key
    const refusal = refusalOf(
      {
        runId,
        seq: run.seq,
        seqInBand: run.seq_in_band,
        ended: run.terminal_slot !== null,
        started: run.started_slot !== null,
        stepHasEnded: (id) =>
          sql(
            "SELECT 1 FROM events WHERE run_key = ? AND correlation_id = ? AND event_type IN ('step_completed', 'step_failed') LIMIT 1"
          ).get(runKey, id) !== undefined,
        hasHook: (id) => sql("SELECT 1 FROM hooks WHERE run_key = ? AND hook_id = ?").get(runKey, id) !== undefined,
        tokenInUse: (token) => sql("SELECT 1 FROM hooks WHERE token = ? AND open = 1").get(token) !== undefined
      },
      data,
      params
    )
    if (refusal !== undefined) return Result.fail(refusal)
    const inBand = params.inBand === true
    const slot = run.seq + 1
    const createdAt = inBand ? (params.occurredAt ?? now) : now
    sql("UPDATE runs SET seq = seq + 1, seq_in_band = seq_in_band + ? WHERE run_key = ?").run(inBand ? 1 : 0, runKey)
    insert(runKey, slot, createdAt, data)
    project(runKey, slot, data)
    const after = params.eventCount ?? 0
    const events = inBand ? eventsOf(runId, runKey, after, run.seq, limits.maxPageSize) : []
    return Result.succeed({
      event: { eventId: eventIdOf(slot), runId, createdAt, ...data },
      allocated: 1,
      events,
      hasMore: inBand && after + events.length < run.seq
    })
  }

  return {
    create: (runId, data, params, now) =>
      write((): Result.Result<EventResult, EventStorageError> => {
        const large = eventTooLarge(data, limits)
        if (large !== undefined) return Result.fail(large)
        const run = findRun(runId)
        if (data.eventType !== "run_created") {
          return run === undefined
            ? Result.fail(new RunNotFoundError({ runId }))
            : append(runId, run, data, params, now)
        }
        if (run === undefined) return Result.succeed(createRun(runId, data, now))
        const event = eventsOf(runId, run.run_key, 0, 1, 1)[0]!
        return Result.succeed({ event, allocated: 0, events: [], hasMore: false })
      }),

    list: (runId, params) =>
      read((): Result.Result<EventPage, EventStorageError> => {
        const run = findRun(runId)
        if (run === undefined) return Result.fail(new RunNotFoundError({ runId }))
        const size = pageSizeOf(params.limit, limits)
        if (typeof size !== "number") return Result.fail(size)
        const after = slotOfCursor(params.cursor)
        if (typeof after !== "number") return Result.fail(after)
        const data = eventsOf(runId, run.run_key, after, run.seq, size)
        return Result.succeed({
          data,
          cursor: data.at(-1)?.eventId ?? params.cursor ?? null,
          hasMore: after + data.length < run.seq,
          snapshot: { seq: run.seq, seqInBand: run.seq_in_band }
        })
      }),

    getRun: (runId) =>
      read((): Result.Result<Run, EventStorageError> => {
        const run = findRun(runId)
        if (run === undefined) return Result.fail(new RunNotFoundError({ runId }))
        const slots = [1, run.started_slot, run.terminal_slot].filter((slot) => slot !== null)
        return Result.succeed(
          runOf(slots.sort((a, b) => a - b).flatMap((slot) => eventsOf(runId, run.run_key, slot - 1, slot, 1)))
        )
      }),

    getHookByToken: (token) =>
      read((): Result.Result<Hook, EventStorageError> => {
        const row = sql(
          "SELECT run_id, hook_id, token, metadata FROM hooks JOIN runs USING (run_key) WHERE token = ? AND open = 1"
        ).get(token)
        if (row === undefined) return Result.fail(new HookNotFoundError({ token }))
        const hook = reading(`The hook at ${JSON.stringify(token)}`, () => decodeHook(row))
        return Result.succeed({
          runId: hook.run_id,
          hookId: hook.hook_id,
          token: hook.token,
          ...(hook.metadata === null ? {} : { metadata: hook.metadata })
        })
      })
  }
}
