/**
 * The SQLite World's logs: the fence, the counters and the append are one write transaction.
 *
 * `BEGIN IMMEDIATE` takes the file's write lock before the counters are read, so of two processes that hold one count
 * exactly one is accepted, and a refusal is a transaction that wrote nothing. (WORLD-32, WORLD-33, WORLD-36)
 *
 * Rules: WORLD-26, WORLD-27, WORLD-28, WORLD-29, WORLD-32, WORLD-33, WORLD-36, WORLD-38, WORLD-39, WORLD-40, WORLD-41,
 * WORLD-42, WORLD-46, WORLD-47, WORLD-48, WORLD-49, WORLD-58, FENCE-05, FENCE-08, FENCE-09, HOOK-02, HOOK-29, RUN-35.
 *
 * @module
 */
import { type Effect, Result } from "effect"
import {
  type CreateEventParams,
  correlationIdOf,
  type Event,
  type EventBatchItem,
  type EventBatchResult,
  type EventBody,
  type EventInput,
  type EventPage,
  type EventResult,
  type EventStorageError,
  eventIdOf,
  isTerminalRunEvent,
  type ListEventsParams,
  RunNotFoundError
} from "../../world/index.ts"
import {
  creationOf,
  disposalByForce,
  type RunFacts,
  refusalByCount,
  type Verdict,
  verdictOf,
  verdictOfItem
} from "../AppendRules.ts"
import { batchRefusal, eventTooLarge, type Limits, pageSizeOf, slotOfCursor } from "../Limits.ts"
import type { Database } from "./Database.ts"
import type { HookRegistry } from "./HookRegistry.ts"
import type { LogRows, RunRow } from "./LogRows.ts"

/** The calls of a World's log, on one connection. `now` is the World's time in epoch milliseconds. */
export interface SqliteLog {
  readonly create: (
    runId: string,
    data: EventInput,
    params: CreateEventParams,
    now: number
  ) => Effect.Effect<EventResult, EventStorageError>
  readonly createBatch: (
    runId: string,
    data: ReadonlyArray<EventInput>,
    params: CreateEventParams,
    now: number
  ) => Effect.Effect<EventBatchResult, EventStorageError>
  readonly list: (runId: string, params: ListEventsParams) => Effect.Effect<EventPage, EventStorageError>
}

type Append = Extract<Verdict, { readonly _tag: "Append" }>

/** The logs of a file. */
export const makeLog = (
  { sql, read, write }: Database,
  rows: LogRows,
  hooks: HookRegistry,
  limits: Limits
): SqliteLog => {
  const factsOf = (run: RunRow, now: number): RunFacts => ({
    runId: run.run_id,
    seq: run.seq,
    seqInBand: run.seq_in_band,
    ended: run.terminal_slot !== null,
    started: run.started_slot !== null,
    stepHasEnded: (id) =>
      sql(
        "SELECT 1 FROM events WHERE run_key = ? AND correlation_id = ? AND event_type IN ('step_completed', 'step_failed') LIMIT 1"
      ).get(run.run_key, id) !== undefined,
    hook: (id) => hooks.hook(run, id),
    holderOf: (token) => hooks.holderOf(token, now),
    resumedAt: (id) => {
      const slot = sql("SELECT slot FROM resumes WHERE run_key = ? AND resume_id = ?").get(run.run_key, id)?.slot
      return slot === undefined ? undefined : Number(slot)
    }
  })

  const setAttribute = (run: RunRow, key: string, value: string | null): void => {
    if (value === null) sql("DELETE FROM attributes WHERE run_key = ? AND key = ?").run(run.run_key, key)
    else sql("REPLACE INTO attributes (run_key, key, value) VALUES (?, ?, ?)").run(run.run_key, key, value)
  }

  /** What an event changes beside the log. Gives the run's row as it is after the event. */
  const project = (run: RunRow, slot: number, event: EventBody, now: number): RunRow => {
    switch (event.eventType) {
      case "run_created":
        for (const [key, value] of Object.entries(event.eventData.attributes ?? {})) setAttribute(run, key, value)
        return run
      case "run_started":
        sql("UPDATE runs SET started_slot = ?, status = 'running' WHERE run_key = ?").run(slot, run.run_key)
        return { ...run, started_slot: slot }
      case "hook_created":
        hooks.create(run, slot, event)
        return run
      case "hook_disposed":
        hooks.dispose(run, slot, event)
        return run
      case "hook_received":
        if (event.eventData.resumeId !== undefined) {
          sql("INSERT INTO resumes (run_key, resume_id, slot) VALUES (?, ?, ?)").run(
            run.run_key,
            event.eventData.resumeId,
            slot
          )
        }
        return run
      case "attr_set":
        for (const { key, value } of event.eventData.changes) setAttribute(run, key, value)
        return run
      default:
        if (!isTerminalRunEvent(event) || run.terminal_slot !== null) return run
        sql("UPDATE runs SET terminal_slot = ?, status = ? WHERE run_key = ?").run(
          slot,
          event.eventType.slice("run_".length),
          run.run_key
        )
        hooks.release(run, now)
        return { ...run, terminal_slot: slot }
    }
  }

  /** Puts an event in the next slot. */
  const extend = (
    run: RunRow,
    body: EventBody,
    createdAt: number,
    inBand: boolean,
    now: number
  ): { readonly event: Event; readonly run: RunRow } => {
    const slot = run.seq + 1
    sql("UPDATE runs SET seq = seq + 1, seq_in_band = seq_in_band + ? WHERE run_key = ?").run(
      inBand ? 1 : 0,
      run.run_key
    )
    sql(
      "INSERT INTO events (run_key, slot, event_type, correlation_id, spec_version, created_at, event_data) VALUES (?, ?, ?, ?, ?, ?, ?)"
    ).run(
      run.run_key,
      slot,
      body.eventType,
      correlationIdOf(body) ?? null,
      body.specVersion,
      createdAt,
      JSON.stringify(body.eventData)
    )
    const longer = { ...run, seq: slot, seq_in_band: run.seq_in_band + (inBand ? 1 : 0) }
    const event: Event = { eventId: eventIdOf(slot), runId: run.run_id, createdAt, ...body }
    return { event, run: project(longer, slot, body, now) }
  }

  const createRun = (runId: string, creation: EventInput, now: number) => {
    const name = creation.eventType === "run_created" ? creation.eventData.workflowName : ""
    const { lastInsertRowid } = sql(
      "INSERT INTO runs (run_id, seq, seq_in_band, workflow_name, spec_version) VALUES (?, 0, 0, ?, ?)"
    ).run(runId, name, creation.specVersion)
    const run_key = Number(lastInsertRowid)
    const empty: RunRow = { run_key, run_id: runId, seq: 0, seq_in_band: 0, started_slot: null, terminal_slot: null }
    return extend(empty, creation, now, true, now).run
  }

  /** Appends what an accepted write brings: the disposal of the hook whose token it takes, and its event. */
  const apply = (run: RunRow, { event, claims }: Append, params: CreateEventParams, now: number) => {
    const inBand = params.inBand === true
    const victim = claims === undefined ? undefined : rows.findRun(claims.runId)
    if (claims !== undefined && victim !== undefined && event.eventType === "hook_created") {
      const claimer = { runId: run.run_id, hookId: event.correlationId }
      extend(victim, disposalByForce(claims, event.eventData.token, claimer), now, false, now)
    }
    return extend(run, event, inBand ? (params.occurredAt ?? now) : now, inBand, now)
  }

  /** The skipped-slot report of a write to a log that had `run.seq` events. */
  const reportOf = (run: RunRow, params: CreateEventParams) => {
    if (params.inBand !== true) return { events: [], hasMore: false }
    const after = params.eventCount ?? 0
    const events = rows.eventsOf(run, after, run.seq, limits.maxPageSize)
    return { events, hasMore: after + events.length < run.seq }
  }

  const create = (
    runId: string,
    data: EventInput,
    params: CreateEventParams,
    now: number
  ): Result.Result<EventResult, EventStorageError> => {
    const large = eventTooLarge(data, limits)
    if (large !== undefined) return Result.fail(large)
    const found = rows.findRun(runId)
    const creation = found === undefined ? creationOf(data) : undefined
    const run = creation === undefined ? found : createRun(runId, creation, now)
    if (run === undefined) return Result.fail(new RunNotFoundError({ runId }))
    const converged = (slot: number, allocated: number): EventResult => ({
      event: rows.eventAt(run, slot),
      allocated,
      events: [],
      hasMore: false
    })
    if (data.eventType === "run_created") return Result.succeed(converged(1, creation === undefined ? 0 : 1))
    const verdict = verdictOf(factsOf(run, now), data, params)
    switch (verdict._tag) {
      case "Refuse":
        return Result.fail(verdict.error)
      case "Converge":
        return Result.succeed(converged(verdict.slot, 0))
      case "Append": {
        const { event } = apply(run, verdict, params, now)
        return Result.succeed({ event, allocated: 1, ...reportOf(run, params) })
      }
    }
  }

  const createBatch = (
    runId: string,
    data: ReadonlyArray<EventInput>,
    params: CreateEventParams,
    now: number
  ): Result.Result<EventBatchResult, EventStorageError> => {
    const before = rows.findRun(runId)
    if (before === undefined) return Result.fail(new RunNotFoundError({ runId }))
    const refusal =
      batchRefusal(data, limits) ?? refusalByCount({ runId, seq: before.seq, seqInBand: before.seq_in_band }, params)
    if (refusal !== undefined) return Result.fail(refusal)
    const refusedIds = new Set<string>()
    const results: Array<EventBatchItem> = []
    let run = before
    for (const item of data) {
      const large = eventTooLarge(item, limits)
      const verdict: Verdict =
        large === undefined
          ? verdictOfItem(factsOf(run, now), item, params, refusedIds)
          : { _tag: "Refuse", error: large }
      if (verdict._tag === "Append") {
        const extended = apply(run, verdict, params, now)
        run = extended.run
        results.push({ _tag: "Committed", event: extended.event })
      } else if (verdict._tag === "Refuse") {
        const id = correlationIdOf(item)
        if (id !== undefined) refusedIds.add(id)
        results.push({ _tag: "Refused", error: verdict.error })
      }
    }
    return Result.succeed({ results, allocated: run.seq - before.seq, ...reportOf(before, params) })
  }

  return {
    create: (runId, data, params, now) => write(() => create(runId, data, params, now)),
    createBatch: (runId, data, params, now) => write(() => createBatch(runId, data, params, now)),
    list: (runId, params) =>
      read((): Result.Result<EventPage, EventStorageError> => {
        const run = rows.findRun(runId)
        if (run === undefined) return Result.fail(new RunNotFoundError({ runId }))
        const size = pageSizeOf(params.limit, limits)
        if (typeof size !== "number") return Result.fail(size)
        const after = slotOfCursor(params.cursor)
        if (typeof after !== "number") return Result.fail(after)
        const data = rows.eventsOf(run, after, run.seq, size)
        return Result.succeed({
          data,
          cursor: data.at(-1)?.eventId ?? params.cursor ?? null,
          hasMore: after + data.length < run.seq,
          snapshot: { seq: run.seq, seqInBand: run.seq_in_band }
        })
      })
  }
}
