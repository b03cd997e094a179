/**
 * The history of a run: what is left of its log when everything is taken away that only says how it came about.
 *
 * A history is one line of decisions and outside events. Whatever the protocol does besides (starts and retries of
 * steps, messages, leases, counts, a second outcome, whatever lands after the end) leaves no trace in it. It is the
 * state of the abstract spec (see `AbstractRun.ts`), and {@link historyOf} is the refinement mapping from the protocol's
 * state to it.
 *
 * | event      | made by                    | once                                                    |
 * | ---------- | -------------------------- | ------------------------------------------------------- |
 * | `created`  | a client                   | per run                                                 |
 * | `called`   | the workflow: a decision   | per call                                                |
 * | `resolved` | the world outside          | per call (LOG-08, WORLD-10)                             |
 * | `ended`    | the workflow, or a client  | per run; nothing comes after it (LOG-33)                |
 *
 * No variables: functions of a history, and of the log that tells it.
 *
 * @module
 */
import { Schema } from "effect"
import {
  type Call,
  type Decisions,
  type Program,
  Provenance,
  type Resolution,
  replay,
  type Settled
} from "../../programs/index.ts"
import { decides, type Event, endsRun, type Log } from "../Log.ts"

/** One event of a history. `name` is a step's name, a hook's token, and empty for a sleep. */
export const HistoryEvent = Schema.Union([
  Schema.Struct({ type: Schema.Literal("created") }),
  Schema.Struct({
    type: Schema.Literal("called"),
    id: Schema.Int,
    kind: Schema.Literals(["step", "hook", "wait"]),
    name: Schema.String
  }),
  Schema.Struct({
    type: Schema.Literal("resolved"),
    id: Schema.Int,
    as: Schema.Literals(["completed", "failed", "received", "elapsed"])
  }),
  Schema.Struct({
    type: Schema.Literal("ended"),
    as: Schema.Literals(["returned", "threw", "cancelled"]),
    result: Schema.NullOr(Provenance)
  })
])

/** One event of a history. */
export type HistoryEvent = typeof HistoryEvent.Type

/** What has happened to a run, in order. */
export type History = ReadonlyArray<HistoryEvent>

/** Whether two events say the same. */
export const isSame = (a: HistoryEvent, b: HistoryEvent | undefined): boolean => {
  if (a.type === "called") return b?.type === "called" && a.id === b.id && a.kind === b.kind && a.name === b.name
  if (a.type === "resolved") return b?.type === "resolved" && a.id === b.id && a.as === b.as
  if (a.type === "created") return b?.type === "created"
  return b?.type === "ended" && a.as === b.as && JSON.stringify(a.result) === JSON.stringify(b.result)
}

/** Whether the run has ended: nothing may follow. */
export const isOver = (history: History): boolean => history.some(({ type }) => type === "ended")

/** What the workflow has decided after a history: a function of it, and of nothing else. */
export const decisionsAfter = (program: Program, history: History): Decisions =>
  replay(
    program,
    history.flatMap(
      (event): ReadonlyArray<Resolution> => (event.type === "resolved" ? [{ id: event.id, as: event.as }] : [])
    )
  )

/** A call, as the history has it. A sleep has no name. */
export const called = (call: Call): HistoryEvent => ({
  type: "called",
  id: call.id,
  kind: call.kind,
  name: call.kind === "hook" ? call.token : call.kind === "step" ? call.name : ""
})

/** How the workflow ends when it has settled. */
export const ended = (settled: Settled): HistoryEvent =>
  settled.as === "returned"
    ? { type: "ended", as: "returned", result: settled.value }
    : { type: "ended", as: "threw", result: settled.step }

/** The refinement mapping: the history that a log tells (LOG-08, LOG-33, WORLD-10). */
export const historyOf = (log: Log): History => {
  const history: Array<HistoryEvent> = []
  for (const event of log) {
    if (event === null || isOver(history)) continue
    const next = toldBy(event)
    const repeats = next?.type === "resolved" && history.some((one) => one.type === "resolved" && one.id === next.id)
    if (next !== undefined && !repeats) history.push(next)
  }
  return history
}

/** What one event of a log says that is more than how the run came along. A creation that is repeated is told twice. */
const toldBy = (event: Event): HistoryEvent | undefined => {
  const { type, entity, name, result } = event
  if (type === "run_created") return { type: "created" }
  if (endsRun(type)) return { type: "ended", as: ends[type] ?? "cancelled", result: result ?? null }
  if (entity === undefined) return undefined
  if (type === "wait_created") return { type: "called", id: entity, kind: "wait", name: "" }
  if (name !== undefined) return { type: "called", id: entity, kind: type === "hook_created" ? "hook" : "step", name }
  return decides(type) ? { type: "resolved", id: entity, as: outcomes[type] ?? "received" } : undefined
}

const ends: { readonly [type: string]: "returned" | "threw" } = { run_completed: "returned", run_failed: "threw" }

const outcomes: { readonly [type: string]: "completed" | "failed" | "elapsed" } = {
  step_completed: "completed",
  step_failed: "failed",
  wait_completed: "elapsed"
}
