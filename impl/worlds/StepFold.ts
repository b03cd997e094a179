/**
 * The steps of a run as a fold of its log.
 *
 * ```
 * step_created ──> pending ── step_started ──> running ── step_retrying ──> pending
 * step_started ────────────────────────────────^   └── step_completed ──> completed │ step_failed ──> failed
 * ```
 *
 * The first outcome of a step decides; its later events are inert.
 *
 * Rules: WORLD-10, LOG-07, LOG-08, STEP-66, SIM-106, SIM-107.
 *
 * @module
 */
import type { Event, EventOf, Step } from "../world/index.ts"

type StepEvent = EventOf<"step_created" | "step_started" | "step_retrying" | "step_completed" | "step_failed">

const isStepEvent = (event: Event): event is StepEvent => event.eventType.startsWith("step_")

const born = (event: StepEvent): Step => ({
  runId: event.runId,
  stepId: event.correlationId,
  stepName: event.eventData.stepName,
  status: "pending",
  inline: event.eventType === "step_started" && event.eventData.inline === true,
  attempt: 0,
  createdAt: event.createdAt
})

const after = (step: Step, event: StepEvent): Step => {
  if (step.status === "completed" || step.status === "failed") return step
  const { retryAfter: _, ...rest } = step
  switch (event.eventType) {
    case "step_created":
      return { ...step, input: event.eventData.input }
    case "step_started":
      return {
        ...rest,
        status: "running",
        attempt: step.attempt + 1,
        startedAt: step.startedAt ?? event.createdAt,
        ...(event.eventData.input === undefined ? {} : { input: event.eventData.input })
      }
    case "step_retrying": {
      const { error, retryAfter } = event.eventData
      return { ...step, status: "pending", error, retryAfter }
    }
    case "step_completed": {
      const { error: _error, ...done } = rest
      return { ...done, status: "completed", result: event.eventData.result, completedAt: event.createdAt }
    }
    case "step_failed":
      return { ...rest, status: "failed", error: event.eventData.error, completedAt: event.createdAt }
  }
}

/** The steps of a log, in the order in which it names them first. */
export const stepsOf = (log: Iterable<Event>): ReadonlyArray<Step> => {
  const steps = new Map<string, Step>()
  for (const event of log) {
    if (!isStepEvent(event)) continue
    steps.set(event.correlationId, after(steps.get(event.correlationId) ?? born(event), event))
  }
  return [...steps.values()]
}
