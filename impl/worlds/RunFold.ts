/**
 * A run's state as a fold of its log: the first terminal event by slot decides, and later ones change nothing.
 *
 * Rules: LOG-33, WORLD-10.
 *
 * @module
 */
import { type Event, isTerminalRunEvent, type Run, type RunStatus } from "../world/index.ts"

/** The status that a terminal event gives its run. */
const statusOf = (terminal: Event): RunStatus => {
  switch (terminal.eventType) {
    case "run_completed":
      return "completed"
    case "run_failed":
      return "failed"
    default:
      return "cancelled"
  }
}

/** Folds the events that concern a run as a whole; the first must be its `run_created`, others may be left out. */
export const runOf = (events: ReadonlyArray<Event>): Run => {
  const created = events[0]
  if (created?.eventType !== "run_created") throw new Error("A log begins with run_created.")
  const terminal = events.find(isTerminalRunEvent)
  const started = events.some((event) => event.eventType === "run_started")
  return {
    runId: created.runId,
    workflowName: created.eventData.workflowName,
    specVersion: created.specVersion,
    status: terminal === undefined ? (started ? "running" : "pending") : statusOf(terminal),
    createdAt: created.createdAt,
    ...(terminal === undefined ? {} : { terminal })
  }
}
