/**
 * The memory World's queue: immutable data and pure functions over it, in all three topologies.
 *
 * A message is claimable when it is due and unleased and, for an orchestrator message of a run with one orchestrator,
 * when no other message holds the run: none of it is under a lease, and, where messages are coalesced, none waits out the
 * time after which its delivery asked for it again. (Where they are held back, such a message holds nothing up: QUEUE-32.)
 *
 * In the coalescing topology a claim of a message that is not claimable for that last reason alone folds it into the
 * holder. What is folded in is only counted: the holder's log read sees what the message was sent for. (COAL-02) A
 * message that says what the log does not is held back instead. (COAL-22)
 *
 * Rules: QUEUE-02, QUEUE-06, QUEUE-11, QUEUE-12, QUEUE-13, QUEUE-14, QUEUE-15, QUEUE-17, QUEUE-29, QUEUE-30, QUEUE-32,
 * DEDUPE-03, DEDUPE-04, DEDUPE-07, COAL-01, COAL-03, COAL-04, COAL-06, COAL-07, COAL-16, COAL-18, COAL-22, HAND-01,
 * HAND-02, HAND-11.
 *
 * @module
 */
import { Result } from "effect"
import {
  type Answer,
  type Answered,
  type Claimed,
  type Lease,
  type MessageQueueError,
  mayBeCoalesced,
  type SendOptions,
  type SendResult,
  type Topology,
  type WorkflowInvokePayload
} from "../../world/index.ts"
import { type Limits, messageTooLarge } from "../Limits.ts"
import {
  attemptOf,
  backoffOf,
  type Counts,
  delayOf,
  HANDOFF_LIMIT_SECONDS,
  messageIdOf,
  metaOf,
  orchestratedRunOf,
  type QueueSettings,
  type SpecVersionOf
} from "../QueueRules.ts"

/** A living message. */
export interface Message extends Counts {
  readonly messageId: string
  /** Order of sending; due messages of one time are delivered in it. */
  readonly sequence: number
  readonly payload: WorkflowInvokePayload
  /** The run whose only orchestrator the message is for; absent when it is delivered beside others. */
  readonly orchestrated?: string
  /** It waits out a time that its delivery asked for, and holds its run meanwhile where messages are coalesced. */
  readonly keepsRun?: true
  readonly key?: string
  /** Epoch milliseconds before which the message is not delivered. */
  readonly availableAt: number
  readonly lease?: {
    readonly claimedAtCount: number
    /** Epoch milliseconds at which the delivery began; its re-runs keep it. */
    readonly startedAt: number
    readonly expiresAt: number
    /** Re-runs of this delivery so far. */
    readonly reruns: number
    /** Messages folded in that no run of the handler covers yet. */
    readonly coalesced: number
  }
}

/** The living messages by id, and how many were ever sent. */
export interface QueueState {
  readonly sent: number
  readonly messages: ReadonlyMap<string, Message>
}

export const emptyQueue: QueueState = { sent: 0, messages: new Map() }

const put = (queue: QueueState, message: Message): QueueState => ({
  ...queue,
  messages: new Map(queue.messages).set(message.messageId, message)
})

const drop = (queue: QueueState, messageId: string): QueueState => {
  const messages = new Map(queue.messages)
  messages.delete(messageId)
  return { ...queue, messages }
}

/** The message without its lease. */
const released = (
  { lease: _lease, keepsRun: _keepsRun, ...message }: Message,
  changes: Partial<Omit<Message, "lease">> = {}
): Message => ({
  ...message,
  ...changes
})

/** Adds a message, unless one with its key lives. `specVersionOf` looks up a run for a message that is not stamped. */
export const send = (
  queue: QueueState,
  payload: WorkflowInvokePayload,
  options: SendOptions,
  now: number,
  limits: Limits,
  specVersionOf: SpecVersionOf
): Result.Result<{ readonly queue: QueueState; readonly result: SendResult }, MessageQueueError> => {
  const large = messageTooLarge(payload, limits)
  if (large !== undefined) return Result.fail(large)
  const delayMs = delayOf(options)
  if (typeof delayMs !== "number") return Result.fail(delayMs)
  const key = options.idempotencyKey
  if (key !== undefined) {
    for (const message of queue.messages.values()) {
      if (message.key === key) {
        return Result.succeed({ queue, result: { messageId: message.messageId, deduplicated: true } })
      }
    }
  }
  const sequence = queue.sent + 1
  const messageId = messageIdOf(sequence)
  const orchestrated = orchestratedRunOf(payload, specVersionOf)
  const message: Message = {
    messageId,
    sequence,
    payload,
    ...(orchestrated === undefined ? {} : { orchestrated }),
    ...(key === undefined ? {} : { key }),
    availableAt: now + delayMs,
    deliveryCount: 0,
    handoffs: 0,
    reruns: 0
  }
  return Result.succeed({
    queue: { ...put(queue, message), sent: sequence },
    result: { messageId, deduplicated: false }
  })
}

/** What a claim of a message would do now. */
export type Claimability = "deliver" | "coalesce" | "gated" | "delayed" | "leased"

/** True of a message that holds the run that it is for: its delivery runs, or it waits out a time that one asked for. */
const holds = ({ lease, keepsRun }: Message): boolean => lease !== undefined || keepsRun === true

/** The messages that hold runs, by run. */
type Holders = ReadonlyMap<string, ReadonlyArray<Message>>

const holdersIn = (queue: QueueState): Holders => {
  const holders = new Map<string, Array<Message>>()
  for (const message of queue.messages.values()) {
    const { orchestrated } = message
    if (orchestrated === undefined || !holds(message)) continue
    const known = holders.get(orchestrated)
    if (known === undefined) holders.set(orchestrated, [message])
    else known.push(message)
  }
  return holders
}

/** The message, other than this one, that holds the run that this one is for. */
const holderOf = (holders: Holders, { messageId, orchestrated }: Message): Message | undefined =>
  orchestrated === undefined ? undefined : holders.get(orchestrated)?.find((other) => other.messageId !== messageId)

const claimability = (holders: Holders, message: Message, topology: Topology, now: number): Claimability => {
  if (message.lease !== undefined) return "leased"
  if (message.availableAt > now) return "delayed"
  if (topology === "unserialized" || holderOf(holders, message) === undefined) return "deliver"
  return topology === "coalescing" && mayBeCoalesced(message.payload) ? "coalesce" : "gated"
}

/** What a claim of this message would do at `now`. */
export const claimabilityOf = (queue: QueueState, message: Message, topology: Topology, now: number): Claimability =>
  claimability(holdersIn(queue), message, topology, now)

const byDelivery = (a: Message, b: Message): number => a.availableAt - b.availableAt || a.sequence - b.sequence

/** The messages in the order in which they are delivered. */
export const inOrder = (queue: QueueState): ReadonlyArray<Message> => [...queue.messages.values()].sort(byDelivery)

/** What a claim came to. */
export type ClaimOutcome =
  | { readonly _tag: "Delivered"; readonly claimed: Claimed }
  /** The message was folded into the delivery that holds its run's lease. */
  | { readonly _tag: "Coalesced"; readonly messageId: string; readonly into: Lease }
  | { readonly _tag: "Nothing" }

const fold = (queue: QueueState, message: Message): readonly [QueueState, ClaimOutcome] => {
  const holder = holderOf(holdersIn(queue), message)
  if (holder === undefined) throw new Error("Only a message of a held run is coalesced.")
  const { messageId, lease, deliveryCount } = holder
  const coalesced = drop(queue, message.messageId)
  return [
    // A holder that waits is delivered again, and reads the log then: it need not be told.
    lease === undefined
      ? coalesced
      : put(coalesced, { ...holder, lease: { ...lease, coalesced: lease.coalesced + 1 } }),
    {
      _tag: "Coalesced",
      messageId: message.messageId,
      into: { messageId, claimedAtCount: lease?.claimedAtCount ?? deliveryCount }
    }
  ]
}

const deliver = (
  queue: QueueState,
  message: Message,
  settings: QueueSettings,
  now: number
): readonly [QueueState, ClaimOutcome] => {
  const { messageId, payload } = message
  const counts: Counts = { ...message, deliveryCount: message.deliveryCount + 1 }
  const claimedAtCount = counts.deliveryCount
  const leased: Message = {
    ...released(message),
    deliveryCount: counts.deliveryCount,
    lease: { claimedAtCount, startedAt: now, expiresAt: now + settings.leaseMs, reruns: 0, coalesced: 0 }
  }
  const claimed: Claimed = { lease: { messageId, claimedAtCount }, payload, meta: metaOf(messageId, counts, now) }
  return [put(queue, leased), { _tag: "Delivered", claimed }]
}

/** Claims one message by name; does nothing when it is not there or cannot be claimed now. */
export const claimOne = (
  queue: QueueState,
  messageId: string,
  topology: Topology,
  settings: QueueSettings,
  now: number
): readonly [QueueState, ClaimOutcome] => {
  const message = queue.messages.get(messageId)
  if (message === undefined) return [queue, { _tag: "Nothing" }]
  switch (claimabilityOf(queue, message, topology, now)) {
    case "deliver":
      return deliver(queue, message, settings, now)
    case "coalesce":
      return fold(queue, message)
    default:
      return [queue, { _tag: "Nothing" }]
  }
}

/** Folds in every message that is due for a held run, then claims the first message that can be delivered. */
export const claimNext = (
  queue: QueueState,
  topology: Topology,
  settings: QueueSettings,
  now: number
): readonly [QueueState, ClaimOutcome] => {
  let current = queue
  let holders = holdersIn(current)
  if (topology === "coalescing" && holders.size > 0) {
    const orchestrating = [...queue.messages.values()].filter(({ orchestrated }) => orchestrated !== undefined)
    for (const message of orchestrating.sort(byDelivery)) {
      if (claimability(holders, message, topology, now) !== "coalesce") continue
      current = fold(current, message)[0]
      holders = holdersIn(current)
    }
  }
  let first: Message | undefined
  for (const message of current.messages.values()) {
    if (claimability(holders, message, topology, now) !== "deliver") continue
    if (first === undefined || byDelivery(message, first) < 0) first = message
  }
  return first === undefined ? [current, { _tag: "Nothing" }] : deliver(current, first, settings, now)
}

const leasedBy = (queue: QueueState, lease: Lease): Message | undefined => {
  const message = queue.messages.get(lease.messageId)
  return message?.lease?.claimedAtCount === lease.claimedAtCount ? message : undefined
}

/** Takes a handler's answer. An answer under a lapsed lease changes nothing. */
export const answer = (
  queue: QueueState,
  lease: Lease,
  given: Answer,
  topology: Topology,
  settings: QueueSettings,
  now: number
): readonly [QueueState, Answered] => {
  const message = leasedBy(queue, lease)
  const held = message?.lease
  if (message === undefined || held === undefined) return [queue, { accepted: "stale" }]
  const later = (ms: number): readonly [QueueState, Answered] => [
    put(queue, released(message, { availableAt: now + ms, ...(topology === "coalescing" ? { keepsRun: true } : {}) })),
    { accepted: "done" }
  ]
  // A handoff keeps the message's place, ahead of what was sent after it.
  const handoff = (): readonly [QueueState, Answered] =>
    message.handoffs >= settings.maxHandoffs
      ? later(HANDOFF_LIMIT_SECONDS * 1000)
      : [put(queue, released(message, { handoffs: message.handoffs + 1 })), { accepted: "handoff" }]
  switch (given._tag) {
    case "Reject":
      return later(backoffOf(attemptOf(message), settings))
    case "AskRedelivery":
      return given.timeoutSeconds === 0 ? handoff() : later(Math.ceil(given.timeoutSeconds * 1000))
    case "Acknowledge": {
      if (held.coalesced === 0) return [drop(queue, message.messageId), { accepted: "done" }]
      if (held.reruns >= settings.maxReruns) return handoff()
      const again: Message = {
        ...message,
        deliveryCount: message.deliveryCount + 1,
        reruns: message.reruns + 1,
        lease: { ...held, reruns: held.reruns + 1, coalesced: 0, expiresAt: now + settings.leaseMs }
      }
      return [put(queue, again), { accepted: "rerun", meta: metaOf(message.messageId, again, held.startedAt) }]
    }
  }
}

/** Extends a lease; false when it has lapsed. */
export const renew = (
  queue: QueueState,
  lease: Lease,
  settings: QueueSettings,
  now: number
): readonly [QueueState, boolean] => {
  const message = leasedBy(queue, lease)
  if (message?.lease === undefined) return [queue, false]
  return [put(queue, { ...message, lease: { ...message.lease, expiresAt: now + settings.leaseMs } }), true]
}

/** Ends a lease without an answer: its message is due at once, and what was folded into it is covered by that. */
export const lapse = (queue: QueueState, lease: Lease, now: number): readonly [QueueState, boolean] => {
  const message = leasedBy(queue, lease)
  return message === undefined ? [queue, false] : [put(queue, released(message, { availableAt: now })), true]
}

/** Ends every lease that is over at `now`. */
export const lapseExpired = (queue: QueueState, now: number): QueueState => {
  let current = queue
  for (const message of queue.messages.values()) {
    if (message.lease !== undefined && message.lease.expiresAt <= now) {
      current = put(current, released(message, { availableAt: message.lease.expiresAt }))
    }
  }
  return current
}

/** When the queue next changes by the passing of time alone: a delay or a lease ends. Undefined when it does not. */
export const nextChangeAt = (queue: QueueState, now: number): number | undefined => {
  let next: number | undefined
  for (const message of queue.messages.values()) {
    const at = message.lease?.expiresAt ?? message.availableAt
    if (at > now && (next === undefined || at < next)) next = at
  }
  return next
}
