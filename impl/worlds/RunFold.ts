/**
 * A run's state as a fold of its log: the first terminal event by slot decides, and later ones change nothing.
 *
 * Rules: LOG-33, WORLD-10, SIM-97.
 *
 * @module
 */
import {
  type AttributeChange,
  type Attributes,
  type Event,
  isTerminalRunEvent,
  type Run,
  type RunStatus
} from "../world/index.ts"

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

/** Attributes after changes, in their order. An attribute may have any name, `__proto__` too. */
export const changed = (attributes: Attributes, changes: ReadonlyArray<AttributeChange>): Attributes => {
  const next = new Map(Object.entries(attributes))
  for (const { key, value } of changes) {
    if (value === null) next.delete(key)
    else next.set(key, value)
  }
  return Object.fromEntries(next)
}

/**
 * Folds the events that concern a run as a whole; the first must be its `run_created`, others may be left out. The
 * attributes are those after every `attr_set`.
 */
export const runOf = (events: ReadonlyArray<Event>, attributes: Attributes): Run => {
  const created = events[0]
  if (created?.eventType !== "run_created") throw new Error("A log begins with run_created.")
  const terminal = events.find(isTerminalRunEvent)
  const started = events.find((event) => event.eventType === "run_started")
  const { workflowName, deploymentId } = created.eventData
  return {
    runId: created.runId,
    workflowName,
    specVersion: created.specVersion,
    ...(deploymentId === undefined ? {} : { deploymentId }),
    status: terminal === undefined ? (started === undefined ? "pending" : "running") : statusOf(terminal),
    createdAt: created.createdAt,
    ...(started === undefined ? {} : { startedAt: started.createdAt }),
    attributes,
    ...(terminal === undefined ? {} : { terminal })
  }
}
