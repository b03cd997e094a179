/**
 * The memory World's logs: immutable data and pure functions over it.
 *
 * Allocation and append are one step here, so a slot is in the log as soon as it is handed out, `seq` is the log's
 * length, and a list never has to wait for a slot. (WORLD-29, WORLD-32)
 *
 * Rules: WORLD-26, WORLD-27, WORLD-28, WORLD-29, WORLD-32, WORLD-33, WORLD-38, WORLD-39, WORLD-40, WORLD-41, WORLD-42,
 * FENCE-05, FENCE-08, FENCE-09.
 *
 * @module
 */
import { Result } from "effect"
import {
  type CreateEventParams,
  type Event,
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
import { type RunFacts, refusalOf } from "../AppendRules.ts"
import { eventTooLarge, type Limits, pageSizeOf, slotOfCursor } from "../Limits.ts"
import { runOf } from "../RunFold.ts"

/** One run's log, and what the rules ask about it. `seq` is the number of events. */
export interface RunLog {
  readonly events: ReadonlyArray<Event>
  readonly seqInBand: number
  readonly started: boolean
  readonly ended: boolean
  readonly hooks: ReadonlyArray<Hook>
}

/** Every run's log, by run id. */
export type Logs = ReadonlyMap<string, RunLog>

const openHookAt = (logs: Logs, token: string): Hook | undefined => {
  for (const log of logs.values()) {
    const hook = log.ended ? undefined : log.hooks.find((each) => each.token === token)
    if (hook !== undefined) return hook
  }
  return undefined
}

const factsOf = (logs: Logs, runId: string, log: RunLog): RunFacts => ({
  runId,
  seq: log.events.length,
  seqInBand: log.seqInBand,
  ended: log.ended,
  started: log.started,
  stepHasEnded: (correlationId) =>
    log.events.some(
      (event) =>
        (event.eventType === "step_completed" || event.eventType === "step_failed") &&
        event.correlationId === correlationId
    ),
  hasHook: (correlationId) => log.hooks.some((hook) => hook.hookId === correlationId),
  tokenInUse: (token) => openHookAt(logs, token) !== undefined
})

/** The log with an event in its next slot. */
const extend = (log: RunLog, event: Event, inBand: boolean): RunLog => ({
  events: [...log.events, event],
  seqInBand: inBand ? log.seqInBand + 1 : log.seqInBand,
  started: log.started || event.eventType === "run_started",
  ended: log.ended || isTerminalRunEvent(event),
  hooks:
    event.eventType === "hook_created"
      ? [...log.hooks, { runId: event.runId, hookId: event.correlationId, ...event.eventData }]
      : log.hooks
})

const emptyLog: RunLog = { events: [], seqInBand: 0, started: false, ended: false, hooks: [] }

/** Puts an event in a slot. The union of inputs maps to the union of events member by member. */
const commit = (runId: string, slot: number, createdAt: number, data: EventInput): Event => ({
  eventId: eventIdOf(slot),
  runId,
  createdAt,
  ...data
})

/** An accepted write: the new logs and the answer. */
export interface Appended {
  readonly logs: Logs
  readonly result: EventResult
}

/** Appends one event, or converges, or refuses; a refusal returns no logs because it changes none. (WORLD-33) */
export const append = (
  logs: Logs,
  runId: string,
  data: EventInput,
  params: CreateEventParams,
  now: number,
  limits: Limits
): Result.Result<Appended, EventStorageError> => {
  const large = eventTooLarge(data, limits)
  if (large !== undefined) return Result.fail(large)
  const log = logs.get(runId)
  if (log === undefined) {
    if (data.eventType !== "run_created") return Result.fail(new RunNotFoundError({ runId }))
    const event = commit(runId, 1, now, data)
    return Result.succeed({
      logs: new Map(logs).set(runId, extend(emptyLog, event, true)),
      result: { event, allocated: 1, events: [], hasMore: false }
    })
  }
  if (data.eventType === "run_created") {
    return Result.succeed({ logs, result: { event: log.events[0]!, allocated: 0, events: [], hasMore: false } })
  }
  const refusal = refusalOf(factsOf(logs, runId, log), data, params)
  if (refusal !== undefined) return Result.fail(refusal)
  const inBand = params.inBand === true
  const createdAt = inBand ? (params.occurredAt ?? now) : now
  const event = commit(runId, log.events.length + 1, createdAt, data)
  const after = params.eventCount ?? 0
  const report = inBand ? log.events.slice(after, after + limits.maxPageSize) : []
  return Result.succeed({
    logs: new Map(logs).set(runId, extend(log, event, inBand)),
    result: {
      event,
      allocated: 1,
      events: report,
      hasMore: inBand && after + report.length < log.events.length
    }
  })
}

/** One page of a run's log with its snapshot. */
export const list = (
  logs: Logs,
  runId: string,
  params: ListEventsParams,
  limits: Limits
): Result.Result<EventPage, EventStorageError> => {
  const log = logs.get(runId)
  if (log === undefined) return Result.fail(new RunNotFoundError({ runId }))
  const size = pageSizeOf(params.limit, limits)
  if (typeof size !== "number") return Result.fail(size)
  const after = slotOfCursor(params.cursor)
  if (typeof after !== "number") return Result.fail(after)
  const data = log.events.slice(after, after + size)
  return Result.succeed({
    data,
    cursor: data.at(-1)?.eventId ?? params.cursor ?? null,
    hasMore: after + data.length < log.events.length,
    snapshot: { seq: log.events.length, seqInBand: log.seqInBand }
  })
}

/** A run's state. */
export const getRun = (logs: Logs, runId: string): Result.Result<Run, EventStorageError> => {
  const log = logs.get(runId)
  return log === undefined ? Result.fail(new RunNotFoundError({ runId })) : Result.succeed(runOf(log.events))
}

/** The open hook at a token. */
export const getHookByToken = (logs: Logs, token: string): Result.Result<Hook, EventStorageError> => {
  const hook = openHookAt(logs, token)
  return hook === undefined ? Result.fail(new HookNotFoundError({ token })) : Result.succeed(hook)
}

/** A run id that no log has yet: the next in order, so that the same operations mint the same ids. */
export const mintRunId = (logs: Logs): string => {
  for (let n = logs.size + 1; ; n++) {
    const runId = `wrun_${String(n).padStart(6, "0")}`
    if (!logs.has(runId)) return runId
  }
}
