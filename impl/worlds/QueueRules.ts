/**
 * The arithmetic of deliveries: counts, attempts, back-off and the limits that the queues of this project share.
 *
 * `deliveryCount` never falls: a re-run is the next delivery of its message, and so is what follows it. It is 1 once,
 * and a pair of message and count names one call of the handler. The attempt leaves out handoffs and re-runs.
 *
 * Rules: NEXT-12, ROUTE-30, HAND-11, QUEUE-12, QUEUE-15, QUEUE-17, QUEUE-19, QUEUE-20, QUEUE-21, QUEUE-22, QUEUE-23, QUEUE-24, COAL-04, COAL-07,
 * HAND-01, HAND-02.
 *
 * @module
 */
import {
  isOrchestratorMessage,
  MAX_COALESCED_RERUNS,
  type MessageMeta,
  messageRunSpecVersion,
  type SendOptions,
  SPEC_VERSION_SINGLE_ORCHESTRATOR,
  type WorkflowInvokePayload,
  type WorkflowWorldError
} from "../world/index.ts"
import { badRequest } from "./AppendRules.ts"

/** How a queue delivers. */
export interface QueueSettings {
  /** A lease's length in milliseconds. */
  readonly leaseMs: number
  /** The first back-off after a failed delivery, and the longest; it doubles in between. Milliseconds. */
  readonly backoffMs: number
  readonly maxBackoffMs: number
  /** Re-runs of one delivery before a handoff. */
  readonly maxReruns: number
  /** Handoffs of one message; what is asked for beyond is an ordinary redelivery, and counts as an attempt. (HAND-11) */
  readonly maxHandoffs: number
}

/** Leases of 30 s, back-off from 1 s to 5 min, 32 re-runs of a delivery before its handoff, and 10,000 handoffs. */
export const defaultQueueSettings: QueueSettings = {
  leaseMs: 30_000,
  backoffMs: 1_000,
  maxBackoffMs: 300_000,
  maxReruns: MAX_COALESCED_RERUNS,
  maxHandoffs: 10_000
}

/** Seconds after which a message comes back that asked for one handoff too many. */
export const HANDOFF_LIMIT_SECONDS = 1

/** The spec version of a run, or undefined when there is no such run. */
export type SpecVersionOf = (runId: string) => number | undefined

/**
 * The run that a message is an orchestrator delivery for, when that run has one orchestrator; otherwise undefined.
 *
 * A sender that does not know the run's protocol stamps nothing. The run's row decides then, and a message that comes
 * before the row is taken for one of a run with one orchestrator: it loses nothing by having to wait. (ROUTE-30, NEXT-12)
 */
export const orchestratedRunOf = (payload: WorkflowInvokePayload, specVersionOf: SpecVersionOf): string | undefined => {
  if (!isOrchestratorMessage(payload)) return undefined
  const specVersion = messageRunSpecVersion(payload) ?? specVersionOf(payload.runId) ?? SPEC_VERSION_SINGLE_ORCHESTRATOR
  return specVersion >= SPEC_VERSION_SINGLE_ORCHESTRATOR ? payload.runId : undefined
}

/** What is counted of a message over its life. */
export interface Counts {
  /** Handler calls so far, re-runs included. */
  readonly deliveryCount: number
  /** Deliveries that followed a handoff. */
  readonly handoffs: number
  /** Re-runs. */
  readonly reruns: number
}

/** The attempt that a delivery makes. (QUEUE-17) */
export const attemptOf = (counts: Counts): number => Math.max(1, counts.deliveryCount - counts.handoffs - counts.reruns)

/** What a handler is told of a delivery. */
export const metaOf = (messageId: string, counts: Counts, invocationStartedAt: number): MessageMeta => ({
  messageId,
  deliveryCount: counts.deliveryCount,
  attempt: attemptOf(counts),
  invocationStartedAt
})

/** Milliseconds that a message waits after its `attempt`-th attempt failed. */
export const backoffOf = (attempt: number, settings: QueueSettings): number =>
  Math.min(settings.maxBackoffMs, settings.backoffMs * 2 ** Math.min(attempt - 1, 30))

/** A hundred years: what is longer is a mistake of units, and sums with it leave the safe integers. */
const MAX_DELAY_SECONDS = 3_155_760_000

/** The milliseconds to wait before a sent message's first delivery. */
export const delayOf = (options: SendOptions): number | WorkflowWorldError => {
  const seconds = options.delaySeconds ?? 0
  return Number.isFinite(seconds) && seconds >= 0 && seconds <= MAX_DELAY_SECONDS
    ? Math.ceil(seconds * 1000)
    : badRequest("bad-delay", `A message is delayed by 0 to ${MAX_DELAY_SECONDS} seconds, not by ${seconds}.`)
}

/** The id of the n-th message that a World was sent. */
export const messageIdOf = (sequence: number): string => `msg_${String(sequence).padStart(12, "0")}`

/** The number of a message; 0, which no message has, for an id that no World of this project gave out. */
export const sequenceOf = (messageId: string): number => Number(/^msg_(\d{12})$/.exec(messageId)?.[1] ?? 0)
