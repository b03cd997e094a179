/**
 * What a trace says about the things that it does not record: which deliveries must have lost their lease or their
 * process, and when.
 *
 * A hidden step is allowed only where something in the trace bears witness to it. Otherwise any missing line could be
 * explained by a fault, and a validator that explains everything finds nothing.
 *
 * | hidden                                | witness                                                              |
 * | ------------------------------------- | -------------------------------------------------------------------- |
 * | a lease lapsed                        | the message is delivered again before the delivery has answered, or its answer is stale |
 * | a delivery died                       | its process writes no more, or it was claimed and its handler never called |
 * | one operation without its line        | its process writes no more: it was killed between the two             |
 * | a delivery claimed without its line   | the message's next recorded delivery is counted higher                |
 *
 * @module
 */
import { type DeliveryRef, isDelivery, type Line, type NumberedLine, type Trace } from "../trace/Trace.ts"

/** Names a delivery in maps. */
export const deliveryKey = ({ messageId, deliveryCount }: DeliveryRef): string => `${messageId}#${deliveryCount}`

/** A delivery's answer, and what the queue made of it. */
export interface Answered {
  readonly number: number
  readonly action: "Acknowledge" | "AskRedelivery" | "Reject"
  readonly accepted: "done" | "rerun" | "handoff" | "stale"
}

interface Delivered {
  readonly process: string
  /** The numbers of its `Deliver` line and of its last line. */
  readonly from: number
  last: number
  answer?: Answered
}

/** The witnesses of a trace. Line numbers are those of the file. */
export interface Evidence {
  /** Whether the delivery has begun this attempt of the step's body before line `number`. */
  readonly hasBegun: (delivery: DeliveryRef, stepId: string, attempt: number, number: number) => boolean
  /** The number of the line that announced a delivery. */
  readonly deliveredAt: (delivery: DeliveryRef) => number | undefined
  readonly processOf: (delivery: DeliveryRef) => string | undefined
  /** Whether a `Deliver` line is the re-run that the queue's answer to the delivery before it announced. */
  readonly isRerun: (delivery: DeliveryRef) => boolean
  /** Whether the delivery must have lost its lease by some point after line `number`. */
  readonly mayLapse: (delivery: DeliveryRef, number: number) => boolean
  /** Whether the delivery may be dead at line `number`. */
  readonly mayBeDead: (delivery: DeliveryRef, number: number) => boolean
  /** What the delivery answered last, if it did. */
  readonly answerOf: (delivery: DeliveryRef) => Answered | undefined
  /** The number of the line that sent a message for the first time. */
  readonly sentAt: (messageId: string) => number | undefined
  /** Whether the message has a recorded delivery after line `number` that is counted higher than this one. */
  readonly isPassedOver: (delivery: DeliveryRef, number: number) => boolean
  /** The key under which a step's messages were sent first, and the step whose messages a key was first used for. */
  readonly keyOf: (stepId: string) => string | undefined
  readonly stepOfKey: (key: string) => string | undefined
  /** The processes that have written their last line before line `number`. */
  readonly over: (number: number) => ReadonlyArray<string>
}

const bodyKey = (delivery: DeliveryRef, stepId: string, attempt: number): string =>
  `${deliveryKey(delivery)} ${stepId} ${attempt}`

const deliveryOf = (line: Line): DeliveryRef | undefined => ("by" in line && isDelivery(line.by) ? line.by : undefined)

/** Reads the witnesses off a trace. */
export const gather = ({ lines }: Pick<Trace, "lines">): Evidence => {
  const deliveries = new Map<string, Delivered>()
  const lastOfProcess = new Map<string, number>()
  const begun = new Map<string, number>()
  const keys = new Map<string, string>()
  const stepsOfKeys = new Map<string, string>()
  const sends = new Map<string, number>()
  /** The last recorded delivery of each message. */
  const latest = new Map<string, { readonly number: number; readonly deliveryCount: number }>()
  for (const { number, line } of lines) {
    lastOfProcess.set(line.process, number)
    if ("deduplicated" in line && !line.deduplicated && !sends.has(line.messageId)) sends.set(line.messageId, number)
    if (line.action === "SendStep" && line.key !== undefined) {
      if (!keys.has(line.stepId)) keys.set(line.stepId, line.key)
      if (!stepsOfKeys.has(line.key)) stepsOfKeys.set(line.key, line.stepId)
    }
    const by = deliveryOf(line)
    if (by === undefined) continue
    const known = deliveries.get(deliveryKey(by))
    if (line.action === "Deliver") {
      if (known === undefined) deliveries.set(deliveryKey(by), { process: line.process, from: number, last: number })
      const { messageId, deliveryCount } = line
      latest.set(messageId, { number, deliveryCount })
    } else if (known !== undefined) {
      known.last = number
      if (line.action === "BeginBody") begun.set(bodyKey(by, line.stepId, line.attempt), number)
      if (line.action === "Acknowledge" || line.action === "AskRedelivery" || line.action === "Reject") {
        known.answer = { number, action: line.action, accepted: line.accepted }
      }
    }
  }
  const isOver = (process: string, number: number): boolean => (lastOfProcess.get(process) ?? 0) < number

  return {
    hasBegun: (delivery, stepId, attempt, number) =>
      (begun.get(bodyKey(delivery, stepId, attempt)) ?? Number.POSITIVE_INFINITY) < number,
    deliveredAt: (delivery) => deliveries.get(deliveryKey(delivery))?.from,
    processOf: (delivery) => deliveries.get(deliveryKey(delivery))?.process,
    isRerun: ({ messageId, deliveryCount }) =>
      deliveries.get(deliveryKey({ messageId, deliveryCount: deliveryCount - 1 }))?.answer?.accepted === "rerun",
    mayLapse: (delivery, number) => {
      const known = deliveries.get(deliveryKey(delivery))
      if (known === undefined) return false
      const { answer } = known
      if (answer !== undefined && answer.number >= number && answer.accepted === "stale") return true
      const { messageId, deliveryCount } = delivery
      const next = deliveries.get(deliveryKey({ messageId, deliveryCount: deliveryCount + 1 }))
      return next !== undefined && next.from >= number && (answer === undefined || next.from < answer.number)
    },
    mayBeDead: (delivery, number) => {
      const known = deliveries.get(deliveryKey(delivery))
      if (known !== undefined) return isOver(known.process, number)
      return [...lastOfProcess.values()].some((last) => last < number)
    },
    answerOf: (delivery) => deliveries.get(deliveryKey(delivery))?.answer,
    sentAt: (messageId) => sends.get(messageId),
    isPassedOver: ({ messageId, deliveryCount }, number) => {
      const last = latest.get(messageId)
      return last !== undefined && last.number >= number && last.deliveryCount > deliveryCount
    },
    keyOf: (stepId) => keys.get(stepId),
    stepOfKey: (key) => stepsOfKeys.get(key),
    over: (number) => [...lastOfProcess].filter(([, last]) => last < number).map(([process]) => process)
  }
}

/** The key of a step's messages must be one and the same for every send, and belong to no other step. (STEP-42) */
const wrongKey = (line: Line, { keyOf, stepOfKey }: Evidence): string | undefined => {
  if (line.action !== "SendStep") return undefined
  const { key, stepId } = line
  if (key === undefined) return `The message of ${stepId} is sent without a key.`
  const first = keyOf(stepId)
  if (first !== key) return `The key of ${stepId} is expected to be ${first}, and ${key} is found.`
  const owner = stepOfKey(key)
  return owner === stepId ? undefined : `The key ${key} of ${stepId} is that of ${owner}.`
}

/** A message is new once: an id that was given out is that of the message that it was given to. (QUEUE-14) */
const givenTwice = ({ number, line }: NumberedLine, { sentAt }: Evidence): string | undefined =>
  "deduplicated" in line && !line.deduplicated && sentAt(line.messageId) !== number
    ? `${line.messageId} is a new message here, and was one on line ${sentAt(line.messageId)}.`
    : undefined

/** What is wrong with a line among the lines of its delivery or its step, if anything: no model is needed to say so. */
export const misplaced = (numbered: NumberedLine, evidence: Evidence): string | undefined => {
  const { number, line } = numbered
  const sent = wrongKey(line, evidence) ?? givenTwice(numbered, evidence)
  if (sent !== undefined) return sent
  const by = deliveryOf(line)
  if (by === undefined) return undefined
  const from = evidence.deliveredAt(by)
  const name = deliveryKey(by)
  if (from === undefined || from > number) return `${name} acts, and has not been delivered.`
  if (line.action === "Deliver" && from !== number) return `${name} is delivered a second time.`
  if (line.action === "EndBody" && !evidence.hasBegun(by, line.stepId, line.attempt, number)) {
    return `${name} ends attempt ${line.attempt} of ${line.stepId}, and has not begun it.`
  }
  const process = evidence.processOf(by)
  return process === line.process ? undefined : `${name} acts in process ${line.process}, but runs in ${process}.`
}
