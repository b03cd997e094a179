/**
 * Whether a write to a run's log is accepted: the one place that decides it, for every World of this project.
 *
 * A World gathers the facts and appends in the same atomic step that asks this question; the decision itself is a pure
 * function, and its order is part of the contract. A stale orchestrator must hear 412 before anything that the current
 * one caused. (WORLD-35)
 *
 * A step that has its outcome is not started again out-of-band: a message that was sent late, and whose first delivery
 * reads no log, would run a body that must not run twice. An in-band writer whose count is current knows every outcome
 * of the steps that it starts, so its starts are not asked about.
 *
 * Rules: WORLD-11, WORLD-12, WORLD-32, WORLD-33, WORLD-34, WORLD-35, WORLD-37, WORLD-38, FENCE-01, FENCE-08, FENCE-09,
 * DEDUPE-13, HOOK-45, RUN-36.
 *
 * @module
 */
import {
  type CreateEventParams,
  EntityConflictError,
  type EventInput,
  type EventStorageError,
  HookNotFoundError,
  InBandSupersededError,
  RunExpiredError,
  WorkflowWorldError
} from "../world/index.ts"

/** What a World knows about a run at the moment of a write. */
export interface RunFacts {
  readonly runId: string
  readonly seqInBand: number
  readonly seq: number
  /** The run's status is decided by a terminal event. */
  readonly ended: boolean
  readonly started: boolean
  /** True when this run has a `step_completed` or `step_failed` with this correlation id. */
  readonly stepHasEnded: (correlationId: string) => boolean
  /** True when this run has a `hook_created` with this correlation id. */
  readonly hasHook: (correlationId: string) => boolean
  /** True when an open hook of any run holds this token. */
  readonly tokenInUse: (token: string) => boolean
}

/** A call that is wrong in itself. */
export const badRequest = (code: string, message: string): WorkflowWorldError =>
  new WorkflowWorldError({ status: 400, code, message })

const isCount = (value: number | undefined): value is number => value !== undefined && Number.isSafeInteger(value)

/** The refusal of an in-band write by its counts, or undefined when they are in order. */
const refusalByCount = (facts: RunFacts, params: CreateEventParams): EventStorageError | undefined => {
  const { expectedSeqInBand, eventCount } = params
  if (!isCount(expectedSeqInBand)) {
    return badRequest("missing-in-band-count", "An in-band write must carry expectedSeqInBand.")
  }
  if (!isCount(eventCount) || eventCount < 0 || eventCount > facts.seq) {
    return badRequest(
      "bad-event-count",
      `An in-band write must carry the slot it was decided at, eventCount, between 0 and ${facts.seq}.`
    )
  }
  if (params.occurredAt !== undefined && !isCount(params.occurredAt)) {
    return badRequest("bad-occurred-at", "An in-band write states occurredAt as a whole number of epoch milliseconds.")
  }
  if (expectedSeqInBand === facts.seqInBand) return undefined
  return new InBandSupersededError({ runId: facts.runId, expectedSeqInBand, seqInBand: facts.seqInBand })
}

/**
 * Why a write to an existing run is refused, or undefined when it is to be appended. `run_created` is not asked about:
 * for an existing run it converges on the event that is there.
 */
export const refusalOf = (
  facts: RunFacts,
  data: EventInput,
  params: CreateEventParams
): EventStorageError | undefined => {
  if (params.inBand === true) {
    const refusal = refusalByCount(facts, params)
    if (refusal !== undefined) return refusal
  }
  const { eventType } = data
  const { runId } = facts
  const conflict = (why: EntityConflictError["conflict"]) =>
    new EntityConflictError({ runId, eventType, conflict: why })
  switch (eventType) {
    case "run_created":
      return conflict("duplicate")
    case "run_started":
      if (facts.ended) return new RunExpiredError({ runId, eventType })
      return facts.started ? conflict("duplicate") : undefined
    case "step_created":
    case "step_retrying":
    case "wait_created":
    case "wake_requested":
      return facts.ended ? new RunExpiredError({ runId, eventType }) : undefined
    case "step_started":
      if (facts.ended) return new RunExpiredError({ runId, eventType })
      return params.inBand !== true && facts.stepHasEnded(data.correlationId) ? conflict("step-ended") : undefined
    case "step_completed":
    case "step_failed":
      // An outcome of a body that outlived its run is kept and is inert, so that its message can be acknowledged.
      return undefined
    case "wait_completed":
    case "attr_set":
      // No check of the run's end covers them; replay never runs past it. (LOG-35)
      return undefined
    case "run_completed":
    case "run_failed":
    case "run_cancelled":
      return facts.ended ? conflict("run-ended") : undefined
    case "hook_created":
      if (facts.ended) return conflict("run-ended")
      if (facts.hasHook(data.correlationId)) return conflict("duplicate")
      return facts.tokenInUse(data.eventData.token) ? conflict("token-in-use") : undefined
    case "hook_disposed":
      return facts.hasHook(data.correlationId) ? undefined : new HookNotFoundError({ token: data.correlationId })
    case "hook_received":
      if (facts.ended) return conflict("run-ended")
      return facts.hasHook(data.correlationId)
        ? undefined
        : new HookNotFoundError({ token: data.eventData.token ?? data.correlationId })
  }
}

/** The refusal of an event that needs a run, written without a run id. */
export const runIdRequired = (data: EventInput): EventStorageError =>
  badRequest("run-id-required", `Only run_created may be written without a run id, not ${data.eventType}.`)
