/**
 * Worlds whose queue breaks one rule each, made from a sound one. Each names the checks that must notice.
 */
import { Clock, Effect } from "effect"
import {
  type Answer,
  type Answered,
  type Claimed,
  type MessageMeta,
  type MessageQueueError,
  singleOrchestratorRunIdOf,
  type WorkflowInvokePayload
} from "../../../impl/world/index.ts"
import { acknowledge, type Parts } from "../worlds/contract/Subject.ts"
import type { Broken } from "./Broken.ts"

type Deliveries = Parts["deliveries"]

const queue = (
  name: string,
  breaks: ReadonlyArray<string>,
  wrap: (sound: Parts) => Partial<Deliveries> & { readonly send?: Parts["send"] }
): Broken => ({
  name,
  breaks,
  wrap: (sound) => {
    const { send = sound.send, ...deliveries } = wrap(sound)
    return { ...sound, send, deliveries: { ...sound.deliveries, ...deliveries } }
  }
})

const sending = (name: string, breaks: ReadonlyArray<string>, wrap: (send: Parts["send"]) => Parts["send"]): Broken =>
  queue(name, breaks, (sound) => ({ send: wrap(sound.send) }))

/** Changes what a handler is told of its deliveries and re-runs. */
const telling = (name: string, breaks: ReadonlyArray<string>, change: (meta: MessageMeta) => MessageMeta): Broken =>
  queue(name, breaks, ({ deliveries }) => ({
    claim: Effect.map(deliveries.claim, (found) => found && { ...found, meta: change(found.meta) }),
    answer: (lease, answer) =>
      Effect.map(deliveries.answer(lease, answer), (result) =>
        result.accepted === "rerun" ? { ...result, meta: change(result.meta) } : result
      )
  }))

/** Changes how answers are taken. */
const answering = (
  name: string,
  breaks: ReadonlyArray<string>,
  change: (
    answer: Answer,
    take: (answer: Answer) => Effect.Effect<Answered, MessageQueueError>
  ) => Effect.Effect<Answered, MessageQueueError>
): Broken =>
  queue(name, breaks, ({ deliveries }) => ({
    answer: (lease, answer) => change(answer, (given) => deliveries.answer(lease, given))
  }))

/** Changes the payload under which a message is sent, and so how the queue serializes it. */
const disguising = (
  name: string,
  breaks: ReadonlyArray<string>,
  change: (payload: WorkflowInvokePayload) => WorkflowInvokePayload
): Broken => sending(name, breaks, (send) => (payload, options) => send(change(payload), options))

const isKeyed = (options: Parameters<Parts["send"]>[1]): boolean => options?.idempotencyKey !== undefined

export const brokenQueues: ReadonlyArray<Broken> = [
  sending("ignores keys", ["a second send under a key"], (send) => (payload, options) => {
    const { idempotencyKey: _, ...rest } = options ?? {}
    return send(payload, rest)
  }),
  queue("forgets a key when its message is claimed", ["a second send under a key"], ({ send, deliveries }) => {
    const taken = new Set<string>()
    return {
      send: (payload, options) =>
        isKeyed(options) && taken.has(options?.idempotencyKey ?? "")
          ? send(payload, { ...options, idempotencyKey: `${options?.idempotencyKey} again` })
          : Effect.tap(send(payload, options), () => Effect.sync(() => taken.add(options?.idempotencyKey ?? ""))),
      claim: deliveries.claim
    }
  }),
  sending(
    "keeps one message for all keys",
    ["a key: belongs", "messages under different keys"],
    (send) => (payload, options) =>
      send(payload, isKeyed(options) ? { ...options, idempotencyKey: "one" } : (options ?? {}))
  ),
  sending("keeps a key for ever", ["a key: belongs"], (send) => {
    const first = new Map<string, string>()
    return (payload, options) =>
      Effect.gen(function* () {
        const key = options?.idempotencyKey
        const known = key === undefined ? undefined : first.get(key)
        if (known !== undefined) return { messageId: known, deduplicated: true }
        const sent = yield* send(payload, options)
        if (key !== undefined) first.set(key, sent.messageId)
        return sent
      })
  }),
  sending(
    "delivers twice",
    ["a sent message"],
    (send) => (payload, options) =>
      Effect.andThen(isKeyed(options) ? Effect.void : Effect.asVoid(send(payload, options)), send(payload, options))
  ),
  sending(
    "drops what is sent",
    ["a sent message", "an unserialized run"],
    () => () => Effect.succeed({ messageId: "msg_none", deduplicated: false })
  ),
  sending("ignores delays", ["a delayed message", "a message that is not due yet"], (send) => (payload, options) => {
    const { delaySeconds: _, ...rest } = options ?? {}
    return send(payload, rest)
  }),
  sending("takes any delay", ["a delay that is no number"], (send) => (payload, options) => {
    const delaySeconds = options?.delaySeconds ?? 0
    return send(payload, { ...options, delaySeconds: Number.isFinite(delaySeconds) ? Math.max(0, delaySeconds) : 0 })
  }),
  disguising("drops stepResent", ["a payload: is"], ({ stepResent: _, ...payload }) => payload),
  queue("delivers the newest first", ["messages that are due"], ({ deliveries }) => {
    const held: Array<Claimed> = []
    return {
      claim: Effect.gen(function* () {
        for (;;) {
          const found = yield* deliveries.claim
          if (found === undefined) return held.pop()
          held.push(found)
        }
      })
    }
  }),
  telling(
    "counts every delivery as the first",
    ["a delivery that does not answer", "a lease that is given up"],
    (meta) => ({
      ...meta,
      deliveryCount: 1,
      attempt: 1
    })
  ),
  telling("counts handoffs and re-runs as attempts", ["a handoff: delivers", "the attempt over"], (meta) => ({
    ...meta,
    attempt: meta.deliveryCount
  })),
  telling("never counts an attempt", ["the attempt over", "a failed delivery: comes back"], (meta) => ({
    ...meta,
    attempt: 1
  })),
  telling("begins a new invocation at every re-run", ["a message that comes due"], (meta) =>
    meta.deliveryCount > 1 ? { ...meta, invocationStartedAt: meta.invocationStartedAt + 1 } : meta
  ),
  telling("does not count a re-run", ["a message that comes due", "a delivery that was run again"], (meta) =>
    meta.deliveryCount > meta.attempt ? { ...meta, deliveryCount: meta.attempt } : meta
  ),
  queue(
    "gives a redelivery a new id",
    ["a delivery that does not answer", "a delivery that asks"],
    ({ deliveries }) => ({
      claim: Effect.map(
        deliveries.claim,
        (found) =>
          found && {
            ...found,
            meta: { ...found.meta, messageId: `${found.meta.messageId}.${found.meta.deliveryCount}` }
          }
      )
    })
  ),
  queue(
    "forgets a delivery that dies",
    ["a delivery that does not answer", "a holder that dies"],
    ({ deliveries }) => ({
      claim: Effect.gen(function* () {
        for (;;) {
          const found = yield* deliveries.claim
          if (found === undefined || found.meta.deliveryCount === 1) return found
          yield* deliveries.answer(found.lease, acknowledge)
        }
      })
    })
  ),
  queue("keeps a lease that is given up", ["a lease that is given up"], () => ({ release: () => Effect.void })),
  queue("does not extend a lease", ["a renewed lease"], () => ({ renew: () => Effect.succeed(true) })),
  queue("renews a lease that has lapsed", ["a renewed lease"], ({ deliveries }) => ({
    renew: (lease) => Effect.as(deliveries.renew(lease), true)
  })),
  queue("lets a late answer end the message's current delivery", ["an answer after the lease"], ({ deliveries }) => {
    const latest = new Map<string, Claimed>()
    return {
      claim: Effect.tap(deliveries.claim, (found) =>
        Effect.sync(() => found && latest.set(found.lease.messageId, found))
      ),
      answer: (lease, answer) => deliveries.answer(latest.get(lease.messageId)?.lease ?? lease, answer)
    }
  }),
  answering(
    "acknowledges a redelivery that is asked for",
    ["a delivery that asks", "a handoff: delivers"],
    (answer, take) => take(answer._tag === "AskRedelivery" ? acknowledge : answer)
  ),
  answering("redelivers at once whatever the time asked for", ["a delivery that asks"], (answer, take) =>
    take(answer._tag === "AskRedelivery" ? { ...answer, timeoutSeconds: 0 } : answer)
  ),
  answering("waits before a handoff", ["a handoff: delivers", "a handoff next to waiting"], (answer, take) =>
    take(answer._tag === "AskRedelivery" && answer.timeoutSeconds === 0 ? { ...answer, timeoutSeconds: 5 } : answer)
  ),
  answering(
    "drops a message whose delivery failed",
    ["a failed delivery: comes back", "a failed delivery: is followed"],
    (answer, take) => take(answer._tag === "Reject" ? acknowledge : answer)
  ),
  answering("backs off by one second for ever", ["a failed delivery: comes back"], (answer, take) =>
    take(answer._tag === "Reject" ? { _tag: "AskRedelivery", timeoutSeconds: 1 } : answer)
  ),
  answering("delivers an acknowledged message again", ["an acknowledged message"], (answer, take) =>
    take(answer._tag === "Acknowledge" ? { _tag: "AskRedelivery", timeoutSeconds: 1 } : answer)
  ),
  answering("acknowledges over folded messages", ["a message that comes due", "the attempt over"], (answer, take) =>
    Effect.map(take(answer), (result): Answered => (result.accepted === "rerun" ? { accepted: "done" } : result))
  ),
  answering("runs a delivery again without end", ["a delivery that was run again"], (answer, take) =>
    Effect.gen(function* () {
      const result = yield* take(answer)
      if (answer._tag !== "Acknowledge" || result.accepted !== "handoff") return result
      const meta = { messageId: "msg", deliveryCount: 99, attempt: 1, invocationStartedAt: 0 }
      return { accepted: "rerun", meta }
    })
  ),
  disguising("does not serialize orchestrators", ["a gated run: has", "a message that comes due"], (payload) => ({
    ...payload,
    runSpecVersion: 8
  })),
  disguising("serializes all runs as one", ["a gated run that is held", "a coalescing run that is held"], (payload) =>
    singleOrchestratorRunIdOf(payload) === undefined ? payload : { ...payload, runId: "wrun_one" }
  ),
  disguising("holds back step messages", ["a gated run that is held", "a coalescing run that is held"], (payload) => {
    const { stepId: _, ...rest } = payload
    return rest
  }),
  disguising(
    "takes a message of spec 8 for one of spec 9",
    ["a gated run that is held", "a coalescing run that is held"],
    (payload) => ({ ...payload, runSpecVersion: 9 })
  ),
  disguising("takes every unstamped message for one of spec 8", ["an unstamped message"], (payload) => ({
    ...payload,
    runSpecVersion: payload.runSpecVersion ?? 8
  })),
  disguising("takes every unstamped message for one of spec 9", ["an unstamped message"], (payload) => ({
    ...payload,
    runSpecVersion: payload.runSpecVersion ?? 9
  })),
  disguising("holds back hops", ["a gated run that is held", "a coalescing run that is held"], (payload) => {
    const { waitContinuation: _, ...rest } = payload
    return rest
  }),
  disguising("folds recoveries in", ["a recovery beside"], ({ recovery: _, ...payload }) => payload),
  queue("serializes an unserialized run", ["an unserialized run"], ({ deliveries }) => {
    const busy = new Set<string>()
    return {
      claim: Effect.gen(function* () {
        if (busy.size > 0) return undefined
        const found = yield* deliveries.claim
        if (found !== undefined) busy.add(found.lease.messageId)
        return found
      }),
      answer: (lease, answer) => {
        busy.delete(lease.messageId)
        return deliveries.answer(lease, answer)
      }
    }
  }),
  queue("lets a waiting message hold its run", ["a gated run whose message waits"], ({ deliveries }) => {
    let waitsUntil = 0
    return {
      claim: Effect.gen(function* () {
        return (yield* Clock.currentTimeMillis) < waitsUntil ? undefined : yield* deliveries.claim
      }),
      answer: (lease, answer) =>
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          if (answer._tag === "AskRedelivery") waitsUntil = now + answer.timeoutSeconds * 1000
          return yield* deliveries.answer(lease, answer)
        })
    }
  }),
  {
    name: "frees a run whose message waits, instead of folding into it",
    breaks: ["a coalescing run whose message waits"],
    topology: "gated",
    wrap: (sound) => sound
  },
  sending("forgets a key after an hour", ["a key: is kept for a day"], (send) => {
    const first = new Map<string, number>()
    return (payload, options) =>
      Effect.gen(function* () {
        const key = options?.idempotencyKey
        const now = yield* Clock.currentTimeMillis
        if (key === undefined) return yield* send(payload, options)
        const begun = first.get(key) ?? now
        first.set(key, begun)
        return yield* send(payload, { ...options, idempotencyKey: `${key} ${Math.floor((now - begun) / 3_600_001)}` })
      })
  }),
  queue(
    "gives a failing message up at its third delivery",
    ["a step message whose deliveries fail"],
    ({ deliveries }) => ({
      answer: (lease, answer) =>
        deliveries.answer(lease, answer._tag === "Reject" && lease.claimedAtCount >= 3 ? acknowledge : answer)
    })
  ),
  answering("takes a time that it cannot read for a handoff", ["a time that is no number"], (answer, take) =>
    take(answer._tag === "AskRedelivery" && answer.timeoutSeconds === 900 ? { ...answer, timeoutSeconds: 0 } : answer)
  )
]
