/**
 * The memory World's logs: immutable data and pure functions over it.
 *
 * Allocation and append are one step here, so a slot is in the log as soon as it is handed out, `seq` is the log's
 * length, and a list never has to wait for a slot. (WORLD-29, WORLD-32)
 *
 * Rules: WORLD-26, WORLD-27, WORLD-28, WORLD-29, WORLD-32, WORLD-33, WORLD-38, WORLD-39, WORLD-40, WORLD-41, WORLD-42,
 * WORLD-46, WORLD-47, WORLD-48, WORLD-49, FENCE-05, FENCE-08, FENCE-09, HOOK-02, HOOK-29, RUN-35.
 *
 * @module
 */
import { Result } from "effect"
import {
  type Attributes,
  type CreateEventParams,
  type Event,
  type EventBatchItem,
  type EventBatchResult,
  type EventBody,
  type EventInput,
  type EventPage,
  type EventResult,
  type EventStorageError,
  eventIdOf,
  type Hook,
  isTerminalRunEvent,
  type ListEventsParams,
  RunNotFoundError
} from "../../world/index.ts"
import {
  creationOf,
  disposalByForce,
  type HookFacts,
  type RunFacts,
  refusalByCount,
  type TokenHolder,
  type Verdict,
  verdictOf,
  verdictOfItem
} from "../AppendRules.ts"
import { batchRefusal, eventTooLarge, type Limits, pageSizeOf, slotOfCursor } from "../Limits.ts"
import { changed } from "../RunFold.ts"

/** A hook that a run has created, with what has become of it. */
export interface RegisteredHook extends HookFacts {
  readonly hook: Hook
}

/** One run's log, and what the rules ask about it. `seq` is the number of events. */
export interface RunLog {
  readonly events: ReadonlyArray<Event>
  readonly seqInBand: number
  readonly started: boolean
  readonly ended: boolean
  /** In the order of their creation. */
  readonly hooks: ReadonlyArray<RegisteredHook>
  readonly attributes: Attributes
}

/** Every run's log, by run id. */
export type Logs = ReadonlyMap<string, RunLog>

/** True while a hook has its token, its run having ended or not. */
export const holdsToken = ({ hook, disposedSlot }: RegisteredHook, ended: boolean, now: number): boolean =>
  disposedSlot === undefined && (!ended || (hook.tokenRetentionUntil ?? 0) > now)

/** The hook at a token. */
export const openHookAt = (logs: Logs, token: string, now: number): Hook | undefined => {
  for (const { hooks, ended } of logs.values()) {
    const found = hooks.find((each) => each.token === token && holdsToken(each, ended, now))
    if (found !== undefined) return found.hook
  }
  return undefined
}

const holderOf = (logs: Logs, token: string, now: number): TokenHolder | undefined => {
  const hook = openHookAt(logs, token, now)
  const log = hook === undefined ? undefined : logs.get(hook.runId)
  const created = log?.events[0]
  if (hook === undefined || log === undefined || created?.eventType !== "run_created") return undefined
  const { workflowName } = created.eventData
  return {
    runId: hook.runId,
    hookId: hook.hookId,
    runSpecVersion: created.specVersion,
    workflowName,
    ended: log.ended
  }
}

const factsOf = (logs: Logs, runId: string, log: RunLog, now: number): RunFacts => ({
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
  hook: (correlationId) => log.hooks.find(({ hook }) => hook.hookId === correlationId),
  holderOf: (token) => holderOf(logs, token, now),
  resumedAt: (resumeId) => {
    const index = log.events.findIndex(
      (event) => event.eventType === "hook_received" && event.eventData.resumeId === resumeId
    )
    return index < 0 ? undefined : index + 1
  }
})

const hooksAfter = (hooks: RunLog["hooks"], event: Event, slot: number): RunLog["hooks"] => {
  switch (event.eventType) {
    case "hook_created": {
      const { force: _, forceClaimedFrom, ...data } = event.eventData
      const { runId, correlationId: hookId, createdAt } = event
      const claimed = forceClaimedFrom === undefined ? {} : { claimedFrom: forceClaimedFrom }
      return [...hooks, { token: data.token, hook: { runId, hookId, createdAt, ...data, ...claimed } }]
    }
    case "hook_disposed": {
      const { forceClaimedBy } = event.eventData
      const claimed = forceClaimedBy === undefined ? {} : { claimedBy: forceClaimedBy }
      return hooks.map((each) =>
        each.hook.hookId === event.correlationId ? { ...each, disposedSlot: slot, ...claimed } : each
      )
    }
    default:
      return hooks
  }
}

const attributesAfter = (attributes: Attributes, event: Event): Attributes => {
  switch (event.eventType) {
    case "run_created":
      return event.eventData.attributes ?? attributes
    case "attr_set":
      return changed(attributes, event.eventData.changes)
    default:
      return attributes
  }
}

const emptyLog: RunLog = { events: [], seqInBand: 0, started: false, ended: false, hooks: [], attributes: {} }

/** The logs with an event in the next slot of a run's, which is empty when there is none. */
const extend = (logs: Logs, runId: string, body: EventBody, createdAt: number, inBand: boolean): Logs => {
  const log = logs.get(runId) ?? emptyLog
  const slot = log.events.length + 1
  const event: Event = { eventId: eventIdOf(slot), runId, createdAt, ...body }
  return new Map(logs).set(runId, {
    events: [...log.events, event],
    seqInBand: inBand ? log.seqInBand + 1 : log.seqInBand,
    started: log.started || event.eventType === "run_started",
    ended: log.ended || isTerminalRunEvent(event),
    hooks: hooksAfter(log.hooks, event, slot),
    attributes: attributesAfter(log.attributes, event)
  })
}

/** The logs with what an accepted write brings: the event, and the disposal of the hook whose token it takes. */
const apply = (
  logs: Logs,
  runId: string,
  verdict: Extract<Verdict, { readonly _tag: "Append" }>,
  params: CreateEventParams,
  now: number
): Logs => {
  const { event, claims } = verdict
  const inBand = params.inBand === true
  const createdAt = inBand ? (params.occurredAt ?? now) : now
  if (claims === undefined || event.eventType !== "hook_created") return extend(logs, runId, event, createdAt, inBand)
  const claimedBy = { runId, hookId: event.correlationId }
  const disposed = extend(logs, claims.runId, disposalByForce(claims, event.eventData.token, claimedBy), now, false)
  return extend(disposed, runId, event, createdAt, inBand)
}

/** The skipped-slot report of a write whose first slot comes after `below` events. */
const reportOf = (log: RunLog, below: number, params: CreateEventParams, limits: Limits) => {
  if (params.inBand !== true) return { events: [], hasMore: false }
  const after = params.eventCount ?? 0
  const events = log.events.slice(after, Math.min(below, after + limits.maxPageSize))
  return { events, hasMore: after + events.length < below }
}

/** An accepted write: the new logs and the answer. */
export interface Appended<Answer> {
  readonly logs: Logs
  readonly result: Answer
}

/** Appends one event, or converges, or refuses; a refusal returns no logs because it changes none. (WORLD-33) */
export const append = (
  before: Logs,
  runId: string,
  data: EventInput,
  params: CreateEventParams,
  now: number,
  limits: Limits
): Result.Result<Appended<EventResult>, EventStorageError> => {
  const large = eventTooLarge(data, limits)
  if (large !== undefined) return Result.fail(large)
  const creation = before.has(runId) ? undefined : creationOf(data)
  const logs = creation === undefined ? before : extend(before, runId, creation, now, true)
  const log = logs.get(runId)
  if (log === undefined) return Result.fail(new RunNotFoundError({ runId }))
  const answer = (slot: number, allocated: number, after: Logs): Result.Result<Appended<EventResult>, never> =>
    Result.succeed({
      logs: after,
      result: {
        event: after.get(runId)!.events[slot - 1]!,
        allocated,
        ...(allocated === 0 ? { events: [], hasMore: false } : reportOf(log, slot - 1, params, limits))
      }
    })
  if (data.eventType === "run_created") return answer(1, creation === undefined ? 0 : 1, logs)
  const verdict = verdictOf(factsOf(logs, runId, log, now), data, params)
  switch (verdict._tag) {
    case "Refuse":
      return Result.fail(verdict.error)
    case "Converge":
      return answer(verdict.slot, 0, logs)
    case "Append":
      return answer(log.events.length + 1, 1, apply(logs, runId, verdict, params, now))
  }
}

/** Appends a batch: every item is decided by what those before it have left. */
export const appendBatch = (
  before: Logs,
  runId: string,
  data: ReadonlyArray<EventInput>,
  params: CreateEventParams,
  now: number,
  limits: Limits
): Result.Result<Appended<EventBatchResult>, EventStorageError> => {
  const log = before.get(runId)
  if (log === undefined) return Result.fail(new RunNotFoundError({ runId }))
  const below = log.events.length
  const refusal = batchRefusal(data, limits) ?? refusalByCount({ runId, seq: below, seqInBand: log.seqInBand }, params)
  if (refusal !== undefined) return Result.fail(refusal)
  const refusedIds = new Set<string>()
  const results: Array<EventBatchItem> = []
  let logs = before
  for (const item of data) {
    const current = logs.get(runId) ?? log
    const large = eventTooLarge(item, limits)
    const verdict: Verdict =
      large === undefined
        ? verdictOfItem(factsOf(logs, runId, current, now), item, params, refusedIds)
        : { _tag: "Refuse", error: large }
    if (verdict._tag === "Append") {
      logs = apply(logs, runId, verdict, params, now)
      results.push({ _tag: "Committed", event: logs.get(runId)!.events.at(-1)! })
    } else if (verdict._tag === "Refuse") {
      if ("correlationId" in item && item.correlationId !== undefined) refusedIds.add(item.correlationId)
      results.push({ _tag: "Refused", error: verdict.error })
    }
  }
  const allocated = results.filter(({ _tag }) => _tag === "Committed").length
  return Result.succeed({ logs, result: { results, allocated, ...reportOf(log, below, params, limits) } })
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

/** A run id that no log has yet: the next in order, so that the same operations mint the same ids. */
export const mintRunId = (logs: Logs): string => {
  for (let n = logs.size + 1; ; n++) {
    const runId = `wrun_${String(n).padStart(6, "0")}`
    if (!logs.has(runId)) return runId
  }
}
