/**
 * What the SQLite World answers about runs, steps and hooks. Every answer is of one consistent view of the file.
 *
 * @module
 */
import { type Effect, Result, Schema } from "effect"
import {
  type Event,
  type EventStorage,
  type EventStorageError,
  type Hook,
  type HookFilter,
  HookNotFoundError,
  type ListParams,
  type Page,
  type Run,
  type RunFilter,
  RunNotFoundError,
  type Step
} from "../../world/index.ts"
import { badCursor, type Limits, pageOf, pageSizeOf } from "../Limits.ts"
import { runOf } from "../RunFold.ts"
import { stepsOf } from "../StepFold.ts"
import type { Database } from "./Database.ts"
import type { HookRegistry } from "./HookRegistry.ts"
import { type LogRows, RUN_COLUMNS, type RunRow, reading } from "./LogRows.ts"

type Reads = "getRun" | "listRuns" | "getStep" | "listSteps"

const decodeAttributes = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ key: Schema.String, value: Schema.String }))
)
const decodeHookCursor = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Tuple([Schema.String, Schema.String])))

/** The read side of a file. */
export const makeReads = (
  { sql, read }: Database,
  rows: LogRows,
  hooks: HookRegistry,
  limits: Limits
): Pick<EventStorage["Service"], Reads> & {
  readonly getHookByToken: (token: string, now: number) => Effect.Effect<Hook, EventStorageError>
  readonly listHooks: (params: HookFilter & ListParams, now: number) => Effect.Effect<Page<Hook>, EventStorageError>
} => {
  const stateOf = (run: RunRow): Run => {
    const slots = [1, run.started_slot, run.terminal_slot].filter((slot) => slot !== null)
    const pairs = reading(`The attributes of run ${run.run_id}`, () =>
      decodeAttributes(sql("SELECT key, value FROM attributes WHERE run_key = ?").all(run.run_key))
    )
    const attributes = Object.fromEntries(pairs.map(({ key, value }) => [key, value]))
    return runOf(
      slots.sort((a, b) => a - b).map((slot) => rows.eventAt(run, slot)),
      attributes
    )
  }

  function* logOf(run: RunRow): Iterable<Event> {
    for (let after = 0; after < run.seq; ) {
      const events = rows.eventsOf(run, after, run.seq, limits.maxPageSize)
      yield* events
      after += events.length
    }
  }

  const ofRun = <A>(
    runId: string,
    answer: (run: RunRow) => Result.Result<A, EventStorageError>
  ): Effect.Effect<A, EventStorageError> =>
    read((): Result.Result<A, EventStorageError> => {
      const run = rows.findRun(runId)
      return run === undefined ? Result.fail(new RunNotFoundError({ runId })) : answer(run)
    })

  return {
    getRun: (runId) => ofRun(runId, (run) => Result.succeed(stateOf(run))),

    listRuns: ({ status, workflowName, cursor, limit }: RunFilter & ListParams = {}) =>
      read((): Result.Result<Page<Run>, EventStorageError> => {
        const size = pageSizeOf(limit, limits)
        if (typeof size !== "number") return Result.fail(size)
        const last = cursor === undefined ? undefined : rows.findRun(cursor)
        if (cursor !== undefined && last === undefined) return Result.fail(badCursor(cursor))
        const found = sql(
          `SELECT ${RUN_COLUMNS} FROM runs WHERE run_key > ? AND (? IS NULL OR status = ?) AND (? IS NULL OR workflow_name = ?) ORDER BY run_key LIMIT ?`
        )
          .all(last?.run_key ?? 0, status ?? null, status ?? null, workflowName ?? null, workflowName ?? null, size + 1)
          .map((row) => stateOf(rows.runOfRow(row)))
        const data = found.slice(0, size)
        return Result.succeed({ data, cursor: data.at(-1)?.runId ?? cursor ?? null, hasMore: found.length > size })
      }),

    getStep: (runId, stepId) =>
      ofRun(runId, (run) => Result.succeed(stepsOf(logOf(run)).find((step) => step.stepId === stepId))),

    listSteps: (runId, params = {}) =>
      ofRun(runId, (run): Result.Result<Page<Step>, EventStorageError> => {
        const page = pageOf(stepsOf(logOf(run)), ({ stepId }) => stepId, params, limits)
        return "data" in page ? Result.succeed(page) : Result.fail(page)
      }),

    getHookByToken: (token, now) =>
      read((): Result.Result<Hook, EventStorageError> => {
        const hook = hooks.findByToken(token, now)
        return hook === undefined ? Result.fail(new HookNotFoundError({ token })) : Result.succeed(hook)
      }),

    listHooks: ({ runId, cursor, limit }, now) =>
      read((): Result.Result<Page<Hook>, EventStorageError> => {
        const size = pageSizeOf(limit, limits)
        if (typeof size !== "number") return Result.fail(size)
        const only = runId === undefined ? undefined : rows.findRun(runId)
        const decoded = cursor === undefined ? undefined : decodeHookCursor(cursor)
        const named = decoded === undefined || Result.isFailure(decoded) ? undefined : decoded.success
        const owner = named === undefined ? undefined : rows.findRun(named[0])
        const place = named === undefined || owner === undefined ? undefined : hooks.placeOf(owner, named[1])
        if (cursor !== undefined && place === undefined) return Result.fail(badCursor(cursor))
        const isOfNoRun = runId !== undefined && only === undefined
        const found = isOfNoRun ? [] : hooks.listAfter(place ?? { runKey: 0, slot: 0 }, only?.run_key, now, size + 1)
        const data = found.slice(0, size)
        const last = data.at(-1)
        return Result.succeed({
          data,
          cursor: last === undefined ? (cursor ?? null) : JSON.stringify([last.runId, last.hookId]),
          hasMore: found.length > size
        })
      })
  }
}
