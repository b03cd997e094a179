/**
 * What a workflow makes of a log: the order in which a replay consumes it, and what it then decides. (LOG-08, AHEAD-06,
 * HOOK-18, CAC-01, WORLD-10)
 *
 * A cold replay consumes the first outcome of each call in slot order. The payload of a hook that nobody awaits yet is
 * kept, and consumed where the hook is awaited: its own slot does not matter. A live delivery should have consumed the
 * same things in the same order whenever nothing of it is unconfirmed.
 *
 * No variables: functions of a log, and of what was consumed of it.
 *
 * @module
 */
import { leavesOf, replay } from "../../programs/index.ts"
import type { Setting } from "./Config.ts"
import type { Consumed, Delivery, Event, Log, Write } from "./State.ts"

/** An event of somebody other than a delivery of the orchestrator. */
export const OUTSIDE = "outside"

const CREATIONS = ["step_created", "step_started", "hook_created", "wait_created"]
const OUTCOMES = ["step_completed", "step_failed", "hook_received", "wait_completed"]
const ENDS = ["run_completed", "run_failed", "run_cancelled"]

/** An event, with what is not said left empty. */
export const eventOf = (type: Event["type"], entity: number, rest: Partial<Event> = {}): Event => ({
  type,
  entity,
  name: "",
  input: null,
  late: false,
  by: OUTSIDE,
  ...rest
})

/** Whether a delivery of the orchestrator wrote it: it counts for the fence. */
export const inBand = ({ by }: Event): boolean => by !== OUTSIDE

/** The run's count of in-band events. */
export const countOf = (log: Log): number => log.filter(inBand).length

/** Whether the run has ended. */
export const hasEnded = (log: Log): boolean => log.some(({ type }) => ENDS.includes(type))

/** Whether the event creates a step, hook or wait. */
export const creates = ({ type, name }: Event): boolean => CREATIONS.includes(type) && name !== ""

/** Whether the log creates the call. */
export const hasCreated = (log: Log, entity: number): boolean =>
  log.some((event) => event.entity === entity && creates(event))

/** Whether the event decides how a call ended. */
export const decides = ({ type }: Event): boolean => OUTCOMES.includes(type)

/** Whether the log has an outcome of the call. */
export const hasOutcome = (log: Log, entity: number): boolean =>
  log.some((event) => event.entity === entity && decides(event))

/** Whether the call's step was created to run elsewhere. */
export const isElsewhere = (log: Log, entity: number): boolean =>
  log.some((event) => event.entity === entity && event.type === "step_created")

/** Steps that were created inline and have no outcome. */
export const openInline = (log: Log): ReadonlyArray<number> =>
  log
    .filter((event) => event.type === "step_started" && event.name !== "" && !hasOutcome(log, event.entity))
    .map(({ entity }) => entity)

/** Whether the step is never tried again. */
export const isAtMostOnce = (setting: Setting, name: string): boolean =>
  leavesOf(setting.program).some((leaf) => leaf._tag === "Step" && leaf.name === name && leaf.maxRetries === 0)

/** A call of the workflow, with what it was made with. */
export interface Call {
  readonly id: number
  readonly kind: "step" | "hook" | "wait"
  readonly name: string
  readonly input: Event["input"]
}

/** What a workflow has decided, after it consumed what it did. */
export interface Decided {
  readonly calls: ReadonlyArray<Call>
  readonly settled: null | { readonly as: "returned" | "threw"; readonly input: Event["input"] }
  /** Calls that have no outcome yet. */
  readonly open: ReadonlyArray<number>
}

/** Replays the program over what was consumed. */
export const decide = (setting: Setting, view: ReadonlyArray<Consumed>): Decided => {
  let calls: ReadonlyArray<Call> = []
  let settled: Decided["settled"] = null
  let open: ReadonlyArray<number> = []
  for (const at of Array.from({ length: view.length + 1 }, (_, index) => index)) {
    if (settled !== null) continue
    const last = view[at - 1]
    const input = last === undefined ? null : { of: last.result, late: last.late }
    const found = replay(setting.program, view.slice(0, at))
    const fresh = found.calls.slice(calls.length).map(
      (call): Call => ({
        id: call.id,
        kind: call.kind,
        name: call.kind === "hook" ? call.token : call.name,
        input: call.kind === "hook" && setting.earlyHooks.includes(call.id) ? null : input
      })
    )
    calls = [...calls, ...fresh]
    open = calls.map(({ id }) => id).filter((id) => !found.resolved.includes(id))
    if (found.settled !== undefined) settled = { as: found.settled.as, input }
  }
  return { calls, settled, open }
}

/** What a cold replay of a log consumes, in its order (LOG-08, WORLD-10, AHEAD-06, HOOK-18, CAC-01). */
export const consumedBy = (setting: Setting, log: Log, cache: Delivery["cache"] = []): ReadonlyArray<Consumed> => {
  let view: ReadonlyArray<Consumed> = []
  let kept: ReadonlyArray<Consumed> = []
  for (const [at, event] of log.entries()) {
    if (!decides(event) || hasEnded(log.slice(0, at)) || event.entity === 0) continue
    if (view.some(({ id }) => id === event.entity) || kept.some(({ id }) => id === event.entity)) continue
    const prepared = cache.find(({ slot }) => slot === at + 1)
    const next: Consumed = {
      id: event.entity,
      as: RESOLVES[event.type] ?? "completed",
      result: prepared?.entity ?? event.entity,
      late: event.late || clockMoved(setting, log.slice(0, at))
    }
    if (!isCalled(setting, view, next.id)) {
      kept = [...kept, next]
      continue
    }
    view = [...view, next]
    for (const payload of kept) {
      if (!isCalled(setting, view, payload.id)) continue
      view = [...view, payload]
      kept = kept.filter(({ id }) => id !== payload.id)
    }
  }
  return view
}

const RESOLVES: { readonly [type: string]: Consumed["as"] } = {
  step_failed: "failed",
  hook_received: "received",
  wait_completed: "elapsed"
}

const isCalled = (setting: Setting, view: ReadonlyArray<Consumed>, id: number): boolean =>
  replay(setting.program, view).calls.length >= id

/** Whether a payload that nobody awaits has moved the workflow's clock: never, with the rule `unawaited-hook-buffered`. */
const clockMoved = (setting: Setting, below: Log): boolean =>
  !setting.rules["unawaited-hook-buffered"] &&
  below.some(({ type, entity }) => type === "hook_received" && entity === 0)

/** The outcomes in a writer that the workflow has consumed already. */
export const unconfirmed = (queue: ReadonlyArray<Write>): ReadonlyArray<Write> =>
  queue.filter(({ event, ahead }) => ahead && decides(event))

/** What a workflow has consumed that holds this much of the log, and ran ahead of it with these writes. */
export const viewOf = (
  setting: Setting,
  log: Log,
  known: number,
  queue: ReadonlyArray<Write>,
  cache: Delivery["cache"]
): ReadonlyArray<Consumed> => [
  ...consumedBy(setting, log.slice(0, known), cache),
  ...unconfirmed(queue).map(({ event }) => ahead(setting, log.slice(0, known), event.entity))
]

/** An outcome that the workflow is handed before it is written. */
export const ahead = (setting: Setting, held: Log, entity: number): Consumed => ({
  id: entity,
  as: "completed",
  result: entity,
  late: clockMoved(setting, held)
})

/** Whether two calls were made with the same. */
export const isSameInput = (a: Event["input"], b: Event["input"]): boolean =>
  a === null || b === null ? a === b : a.of === b.of && a.late === b.late

/** Whether the same was consumed in the same order. */
export const isSameView = (a: ReadonlyArray<Consumed>, b: ReadonlyArray<Consumed>): boolean =>
  a.length === b.length &&
  a.every((one, at) => {
    const other = b[at]
    return other?.id === one.id && other.as === one.as && other.result === one.result && other.late === one.late
  })
