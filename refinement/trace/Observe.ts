/**
 * Which line an operation gives, from what was asked and what was answered.
 *
 * Pure, so that a recorder around a World and a driver that performs the operations itself write the same lines. An
 * operation that failed otherwise than by a refusal (a full disk, a lost connection) took no effect and gives no line;
 * what its caller does next is recorded as ever.
 *
 * Rules: WORLD-11, WORLD-33, FENCE-01, DEDUPE-04, QUEUE-14.
 *
 * @module
 */
import {
  type Answer,
  type Answered,
  type CreateEventParams,
  correlationIdOf,
  type EventBatchResult,
  type EventInput,
  type EventPage,
  type EventResult,
  type EventStorageError,
  isIntermediateWaitHop,
  type MessageMeta,
  type SendOptions,
  type SendResult,
  slotOf,
  type WorkflowInvokePayload
} from "../../impl/world/index.ts"
import type { Actor, Entry, Refusal } from "./Trace.ts"

const written = (data: EventInput) => {
  const correlationId = correlationIdOf(data)
  const fields = data.eventData
  return {
    eventType: data.eventType,
    ...(correlationId === undefined ? {} : { correlationId }),
    ...("stepName" in fields ? { stepName: fields.stepName } : {}),
    ...("token" in fields && fields.token !== undefined ? { token: fields.token } : {}),
    ...("attempt" in fields ? { attempt: fields.attempt } : {}),
    ...("inline" in fields && fields.inline !== undefined ? { inline: fields.inline } : {}),
    ...(data.eventType === "wait_created"
      ? { resumeAt: data.eventData.resumeAt, chain: data.eventData.creatorMessageId }
      : {}),
    ...(data.eventType === "step_retrying" ? { moved: data.eventData.creatorMessageId !== undefined } : {})
  }
}

/** The line of an accepted write. */
export const lineOfWrite = (
  by: Actor,
  data: EventInput,
  params: CreateEventParams | undefined,
  result: EventResult
): Entry => {
  const slot = slotOf(result.event)
  if (data.eventType === "run_created") {
    return { action: "CreateRun", by, slot, allocated: result.allocated === 0 ? 0 : 1 }
  }
  return params?.inBand === true
    ? {
        action: "CommitInBand",
        by,
        ...written(data),
        expectedSeqInBand: params.expectedSeqInBand ?? 0,
        eventCount: params.eventCount ?? 0,
        slot,
        allocated: 1,
        report: result.events.map(slotOf),
        ...(result.hasMore ? { hasMore: true } : {})
      }
    : { action: "CommitOutOfBand", by, ...written(data), slot }
}

/** The line of a write of several events that the World answered: of one that refuses them all, the line of a refusal. */
export const lineOfBatch = (
  by: Actor,
  data: ReadonlyArray<EventInput>,
  params: CreateEventParams | undefined,
  { results, allocated, events, hasMore }: EventBatchResult
): Entry | undefined => {
  const [first] = results
  if (allocated === 0) return first?._tag === "Refused" ? lineOfBatchRefusal(by, data, params, first.error) : undefined
  const items = data.map((event, at) => {
    const item = results[at]
    return { ...written(event), ...(item?._tag === "Committed" ? { slot: slotOf(item.event) } : {}) }
  })
  return {
    action: "CommitBatchInBand",
    by,
    items,
    expectedSeqInBand: params?.expectedSeqInBand ?? 0,
    eventCount: params?.eventCount ?? 0,
    allocated,
    report: events.map(slotOf),
    ...(hasMore ? { hasMore: true } : {})
  }
}

/** The line of a write of several events that failed, if it was refused. */
export const lineOfBatchRefusal = (
  by: Actor,
  data: ReadonlyArray<EventInput>,
  params: CreateEventParams | undefined,
  error: EventStorageError
): Entry | undefined => {
  const reason = refusalOf(error, true)
  if (reason === undefined) return undefined
  const expectedSeqInBand = params?.expectedSeqInBand ?? 0
  return { action: "RefuseBatchInBand", by, items: data.map(written), expectedSeqInBand, reason }
}

const refusalOf = (error: EventStorageError, inBand: boolean): Refusal | undefined => {
  switch (error._tag) {
    case "InBandSupersededError":
      return "superseded"
    case "RunExpiredError":
      return "expired"
    case "EntityConflictError":
      return inBand && error.conflict === "run-ended" ? "expired" : "conflict"
    case "HookNotFoundError":
      return "not-found"
    default:
      return undefined
  }
}

/** The line of a write that failed, if it was refused. */
export const lineOfRefusal = (
  by: Actor,
  data: EventInput,
  params: CreateEventParams | undefined,
  error: EventStorageError
): Entry | undefined => {
  const inBand = params?.inBand === true
  const reason = refusalOf(error, inBand)
  if (reason === undefined) return undefined
  return inBand
    ? { action: "RefuseInBand", by, ...written(data), expectedSeqInBand: params.expectedSeqInBand ?? 0, reason }
    : { action: "RefuseOutOfBand", by, ...written(data), reason }
}

/**
 * The line of a load, given its last page and the counters that its first page reported. A load that goes on from a
 * cursor and finds nothing new leaves the log as long as the counters say.
 */
export const lineOfLoad = (by: Actor, first: EventPage, last: EventPage): Entry => {
  const event = last.data.at(-1) ?? first.data.at(-1)
  return {
    action: "LoadLog",
    by,
    length: event === undefined ? first.snapshot.seq : slotOf(event),
    seq: first.snapshot.seq,
    seqInBand: first.snapshot.seqInBand
  }
}

/** The line of a send. */
export const lineOfSend = (
  by: Actor,
  payload: WorkflowInvokePayload,
  options: SendOptions | undefined,
  result: SendResult
): Entry => {
  const sent = {
    by,
    messageId: result.messageId,
    ...(options?.idempotencyKey === undefined ? {} : { key: options.idempotencyKey }),
    ...(options?.delaySeconds === undefined || options.delaySeconds === 0
      ? {}
      : { delaySeconds: options.delaySeconds }),
    deduplicated: result.deduplicated
  }
  if (payload.stepId !== undefined) {
    return {
      action: "SendStep",
      ...sent,
      kind: "step",
      stepId: payload.stepId,
      ...(payload.stepName === undefined ? {} : { stepName: payload.stepName }),
      ...(payload.stepInput === undefined ? { inputOmitted: true } : {}),
      ...(payload.stepAttempt === undefined ? {} : { stepAttempt: payload.stepAttempt }),
      ...(payload.stepResent === undefined ? {} : { stepResent: payload.stepResent })
    }
  }
  if (payload.waitContinuation !== undefined) {
    const { correlationId: waitId, deadlineMs, hopAtMs = deadlineMs, attempt, second } = payload.waitContinuation
    return {
      action: "SendTimer",
      ...sent,
      kind: isIntermediateWaitHop(payload) ? "hop" : "orchestrator",
      waitId,
      resumeAt: deadlineMs,
      hopAt: hopAtMs,
      ...(attempt === undefined ? {} : { timerAttempt: attempt }),
      ...(second === undefined ? {} : { second: second * 1_000 })
    }
  }
  return { action: payload.runInput === undefined ? "SendWake" : "SendStart", ...sent, kind: "orchestrator" }
}

/** The line of a handler's call. */
export const lineOfDelivery = (payload: WorkflowInvokePayload, meta: MessageMeta): Entry => ({
  action: "Deliver",
  by: { messageId: meta.messageId, deliveryCount: meta.deliveryCount },
  messageId: meta.messageId,
  deliveryCount: meta.deliveryCount,
  kind: payload.stepId !== undefined ? "step" : isIntermediateWaitHop(payload) ? "hop" : "orchestrator",
  ...(payload.stepId === undefined ? {} : { stepId: payload.stepId }),
  attempt: meta.attempt
})

/** The line of a delivery's answer. */
export const lineOfAnswer = (meta: MessageMeta, answer: Answer, answered: Answered): Entry => {
  const by = { messageId: meta.messageId, deliveryCount: meta.deliveryCount }
  const { accepted } = answered
  switch (answer._tag) {
    case "Acknowledge":
      return { action: "Acknowledge", by, accepted }
    case "AskRedelivery":
      return { action: "AskRedelivery", by, timeoutSeconds: answer.timeoutSeconds, accepted }
    case "Reject":
      return { action: "Reject", by, error: answer.error, accepted }
  }
}
