/**
 * Asks a log whether the workflow's code leads to it: a replay from cold that must make every decision the log holds.
 *
 * The run's delivery only needs events to fit the calls that were made. Here, what a decision recorded must also be what
 * the code decides: a step's arguments, a hook's token, and how the run ended. Durability rests on this question, so tests
 * ask it of every log that they leave behind.
 *
 * Rules: CAC-01, RUN-23.
 *
 * @module
 */
import { Effect } from "effect"
import { type Event, slotOf } from "../world/index.ts"
import { ReplayDivergence, type ReplayError, WorkflowLoadError } from "./vm/ReplayError.ts"
import type { Decisions, Ending, Session } from "./vm/Session.ts"
import { Workflows } from "./Workflows.ts"

/** Codes of the failures that the runtime decides, not the workflow. */
export const runtimeFailureCodes: ReadonlySet<string> = new Set([
  "CORRUPTED_EVENT_LOG",
  "REPLAY_OUT_OF_MEMORY",
  "REPLAY_RUNAWAY",
  "PAYLOAD_TOO_LARGE",
  "MAX_DELIVERIES_EXCEEDED"
])

/** What the log records of the decision, and what the code decided; undefined when the event is no decision. */
const compare = (event: Event, callOf: Session["call"], ending: Ending | undefined) => {
  switch (event.eventType) {
    case "step_created":
    case "step_started": {
      const call = callOf(event.correlationId)
      const { input } = event.eventData
      if (input === undefined || call?.kind !== "step") return undefined
      return { logged: `a call with ${input}`, made: `a call with ${call.input}` }
    }
    case "wait_created": {
      const call = callOf(event.correlationId)
      // How long a sleep lasts from now is decided when its creation is written; until when it lasts is not.
      if (call?.kind !== "wait" || !("at" in call.until)) return undefined
      return { logged: `a sleep until ${event.eventData.resumeAt}`, made: `a sleep until ${call.until.at}` }
    }
    case "run_completed":
      return {
        logged: `returned ${event.eventData.output}`,
        made: ending?.kind === "returned" ? `returned ${ending.output}` : showEnding(ending)
      }
    case "run_failed": {
      const { error } = event.eventData
      if (error.code !== undefined && runtimeFailureCodes.has(error.code)) return undefined
      return { logged: `threw ${error.name}: ${error.message}`, made: showEnding(ending) }
    }
    default:
      return undefined
  }
}

const showEnding = (ending: Ending | undefined): string => {
  if (ending === undefined) return "no end"
  return ending.kind === "returned"
    ? `returned ${ending.output}`
    : `threw ${ending.error.name}: ${ending.error.message}`
}

const divergenceOf = (session: Session, event: Event): ReplayDivergence | undefined => {
  const both = compare(event, (id) => session.call(id), session.decisions.ending)
  if (both === undefined || both.logged === both.made) return undefined
  return new ReplayDivergence({
    runId: event.runId,
    slot: slotOf(event),
    eventType: event.eventType,
    correlationId: "correlationId" in event ? event.correlationId : "the run",
    ...both
  })
}

/**
 * Replays a whole log, every event of the run from slot 1, and returns the decisions of the code at its end.
 */
export const coldReplay = Effect.fn("coldReplay")(function* (
  log: ReadonlyArray<Event>
): Effect.fn.Return<Decisions, ReplayError, Workflows> {
  const workflows = yield* Workflows
  const created = log[0]
  if (created?.eventType !== "run_created") return { calls: [], interests: [], ending: undefined }
  const { workflowName } = created.eventData
  const session = workflows.open(workflowName, created.runId)
  if (session === undefined) {
    return yield* new WorkflowLoadError({ file: workflowName, reason: "no loaded module exports this workflow" })
  }
  for (const event of log) {
    // Asked before the event is consumed: a decision is made by what lies below it.
    const failure = divergenceOf(session, event) ?? session.consume([event])
    if (failure !== undefined) return yield* failure
  }
  return session.decisions
})
