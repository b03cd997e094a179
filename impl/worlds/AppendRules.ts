/**
 * What becomes of a write to a run's log: the one place that decides it, for every World of this project.
 *
 * A World gathers the facts and appends in the same atomic step that asks this question; the decision itself is a pure
 * function, and its order is part of the contract. A stale orchestrator must hear 412 before anything that the current
 * one caused. (WORLD-35)
 *
 * A step that has its outcome is not started again out-of-band: a message that was sent late, and whose first delivery
 * reads no log, would run a body that must not run twice. An in-band writer whose count is current knows every outcome
 * of the steps that it starts, so its starts are not asked about.
 *
 * A hook and its token:
 *
 * ```
 * hook_created, token free ──> open ── hook_disposed ──────────────> disposed     its token is free
 *      │                        ├──── the run ends, no retention ──> (gone)       its token is free
 *      │                        ├──── the run ends, retention ─────> retained     its token is free at its time
 *      │                        └──── force, by another run ───────> claimed      its token is the claimer's
 *      └── token taken, no force ──> hook_conflict: no hook
 * ```
 *
 * Rules: WORLD-11, WORLD-12, WORLD-32, WORLD-33, WORLD-34, WORLD-35, WORLD-37, WORLD-38, WORLD-39, WORLD-58, FENCE-01,
 * FENCE-08, FENCE-09, DEDUPE-13, HOOK-02, HOOK-24, HOOK-28, HOOK-29, HOOK-35, HOOK-38, HOOK-39, HOOK-45, SIM-108,
 * SIM-109, SIM-110, SIM-111, LOG-35, RUN-36.
 *
 * @module
 */
import {
  type ClaimedFrom,
  type CreateEventParams,
  EntityConflictError,
  type EventBody,
  type EventInput,
  type EventInputOf,
  type EventStorageError,
  HookForceClaimedError,
  HookNotFoundError,
  type HookRef,
  InBandSupersededError,
  RunExpiredError,
  WorkflowWorldError
} from "../world/index.ts"

/** What a World knows of a hook that a run has created. */
export interface HookFacts {
  readonly token: string
  /** The slot of its `hook_disposed`, once it has one. */
  readonly disposedSlot?: number
  /** The hook that took its token by force. */
  readonly claimedBy?: HookRef
}

/** The hook that has a token. */
export interface TokenHolder extends ClaimedFrom {
  /** Its run has ended: the token is only retained. */
  readonly ended: boolean
}

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
  /** This run's hook with a correlation id. One whose creation became a `hook_conflict` is none. */
  readonly hook: (correlationId: string) => HookFacts | undefined
  /** The hook, of any run, that has a token now. */
  readonly holderOf: (token: string) => TokenHolder | undefined
  /** The slot of this run's `hook_received` with a resume id. */
  readonly resumedAt: (resumeId: string) => number | undefined
}

/** What becomes of a write. */
export type Verdict =
  /** Nothing is written and nothing allocated. */
  | { readonly _tag: "Refuse"; readonly error: EventStorageError }
  /** The log holds the event already. */
  | { readonly _tag: "Converge"; readonly slot: number }
  /** The event takes the next slot; first, a hook of another run loses its token and is told so in its log. */
  | { readonly _tag: "Append"; readonly event: EventBody; readonly claims?: ClaimedFrom }

/** A call that is wrong in itself. */
export const badRequest = (code: string, message: string): WorkflowWorldError =>
  new WorkflowWorldError({ status: 400, code, message })

const isCount = (value: number | undefined): value is number => value !== undefined && Number.isSafeInteger(value)

/** The refusal of an in-band write by its counts, or undefined when they are in order. A batch is asked about once. */
export const refusalByCount = (
  facts: Pick<RunFacts, "runId" | "seq" | "seqInBand">,
  params: CreateEventParams
): EventStorageError | undefined => {
  if (params.inBand !== true) return undefined
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

const refuse = (error: EventStorageError): Verdict => ({ _tag: "Refuse", error })
const append = (event: EventBody): Verdict => ({ _tag: "Append", event })

const hookCreated = (facts: RunFacts, data: EventInputOf<"hook_created">): Verdict => {
  const { token, force } = data.eventData
  const holder = facts.holderOf(token)
  if (holder === undefined) return append(data)
  const { ended, ...claimed } = holder
  // A retained token is kept from everybody, or it would not be retained; and a run cannot take its own.
  if (force === true && !ended && holder.runId !== facts.runId) {
    const eventData = { ...data.eventData, forceClaimedFrom: claimed }
    return { _tag: "Append", event: { ...data, eventData }, claims: claimed }
  }
  return append({
    eventType: "hook_conflict",
    specVersion: data.specVersion,
    correlationId: data.correlationId,
    eventData: { token, conflictingRunId: holder.runId }
  })
}

const hookReceived = (facts: RunFacts, data: EventInputOf<"hook_received">): Verdict => {
  const { runId } = facts
  const { correlationId, eventType } = data
  const { resumeId, token } = data.eventData
  const slot = resumeId === undefined ? undefined : facts.resumedAt(resumeId)
  if (slot !== undefined) return { _tag: "Converge", slot }
  if (facts.ended) return refuse(new EntityConflictError({ runId, eventType, conflict: "run-ended" }))
  const hook = facts.hook(correlationId)
  if (hook?.claimedBy !== undefined) {
    return refuse(new HookForceClaimedError({ token: hook.token, claimedBy: hook.claimedBy }))
  }
  return hook === undefined || hook.disposedSlot !== undefined
    ? refuse(new HookNotFoundError({ token: token ?? hook?.token ?? correlationId }))
    : append(data)
}

/** What becomes of an event by what the run and its entities are; its counts are in order. */
const verdictOfEvent = (facts: RunFacts, data: EventInput, inBand: boolean): Verdict => {
  const { runId, ended } = facts
  const { eventType } = data
  const expired = () => refuse(new RunExpiredError({ runId, eventType }))
  const conflict = (why: EntityConflictError["conflict"]) =>
    refuse(new EntityConflictError({ runId, eventType, conflict: why }))
  switch (eventType) {
    case "run_created":
      return { _tag: "Converge", slot: 1 }
    case "run_started":
      if (ended) return expired()
      return facts.started ? conflict("duplicate") : append(data)
    case "step_started":
      if (ended) return expired()
      return !inBand && facts.stepHasEnded(data.correlationId) ? conflict("step-ended") : append(data)
    case "step_created":
    case "step_retrying":
    case "wait_created":
    case "wake_requested":
      return ended ? expired() : append(data)
    case "step_completed":
    case "step_failed":
      // An outcome of a body that outlived its run is kept and is inert, so that its message can be acknowledged.
      return append(data)
    case "wait_completed":
    case "attr_set":
      // No check of the run's end covers them, and replay never runs past it. (LOG-35)
      return append(data)
    case "run_completed":
    case "run_failed":
    case "run_cancelled":
      return ended ? conflict("run-ended") : append(data)
    case "hook_created":
      // Behind the end it would take a token that no end comes any more to free.
      if (ended) return conflict("run-ended")
      return facts.hook(data.correlationId) === undefined ? hookCreated(facts, data) : conflict("duplicate")
    case "hook_received":
      return hookReceived(facts, data)
    case "hook_disposed": {
      const hook = facts.hook(data.correlationId)
      if (hook === undefined) {
        return refuse(new HookNotFoundError({ token: data.eventData.token ?? data.correlationId }))
      }
      return hook.disposedSlot === undefined ? append(data) : { _tag: "Converge", slot: hook.disposedSlot }
    }
  }
}

/** What becomes of a write to an existing run. */
export const verdictOf = (facts: RunFacts, data: EventInput, params: CreateEventParams): Verdict => {
  const refusal = refusalByCount(facts, params)
  return refusal === undefined ? verdictOfEvent(facts, data, params.inBand === true) : refuse(refusal)
}

/** What becomes of an item of a batch whose counts are in order. `refusedIds`: the steps and waits of refused items. */
export const verdictOfItem = (
  facts: RunFacts,
  data: EventInput,
  params: CreateEventParams,
  refusedIds: ReadonlySet<string>
): Verdict => {
  const { runId } = facts
  const { eventType } = data
  return "correlationId" in data && data.correlationId !== undefined && refusedIds.has(data.correlationId)
    ? refuse(new EntityConflictError({ runId, eventType, conflict: "refused-before" }))
    : verdictOfEvent(facts, data, params.inBand === true)
}

/** What the World writes in the log of a run whose hook's token is taken by force; an out-of-band event. (HOOK-02) */
export const disposalByForce = (claimed: ClaimedFrom, token: string, forceClaimedBy: HookRef): EventBody => ({
  eventType: "hook_disposed",
  specVersion: claimed.runSpecVersion,
  correlationId: claimed.hookId,
  eventData: { token, forceClaimedBy }
})

/** The creation that a `run_started` carries for a run that was never created, if it does. (RUN-35) */
export const creationOf = (data: EventInput): EventInputOf<"run_created"> | undefined => {
  if (data.eventType === "run_created") return data
  if (data.eventType !== "run_started") return undefined
  const { workflowName, input, deploymentId, attributes } = data.eventData
  if (workflowName === undefined || input === undefined) return undefined
  return {
    eventType: "run_created",
    specVersion: data.specVersion,
    eventData: {
      workflowName,
      input,
      ...(deploymentId === undefined ? {} : { deploymentId }),
      ...(attributes === undefined ? {} : { attributes })
    }
  }
}

/** The refusal of an event that needs a run, written without a run id. */
export const runIdRequired = (data: EventInput): EventStorageError =>
  badRequest("run-id-required", `Only run_created may be written without a run id, not ${data.eventType}.`)
