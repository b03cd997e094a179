/**
 * Bags of messages: lists in a fixed order, so that equal bags are equal values.
 *
 * No variables: functions of messages.
 *
 * @module
 */
import type { Message, StepMessage, TimerKey } from "./State.ts"

/** A bag of messages: sorted, so that equal bags are equal values. */
export const bagOf = <M extends StepMessage | Message>(messages: ReadonlyArray<M>): ReadonlyArray<M> =>
  messages.toSorted(compareMessages)

/** A bag with one more message. */
export const withMessage = <M extends StepMessage | Message>(bag: ReadonlyArray<M>, message: M): ReadonlyArray<M> =>
  bagOf([...bag, message])

/** A bag without one of the messages that are equal to this one. */
export const without = <M extends StepMessage | Message>(bag: ReadonlyArray<M>, message: M): ReadonlyArray<M> => {
  const at = bag.findIndex((other) => compareMessages(other, message) === 0)
  return bag.filter((_, i) => i !== at)
}

/** The different messages of a bag. */
export const distinct = <M extends StepMessage | Message>(bag: ReadonlyArray<M>): ReadonlyArray<M> =>
  bag.filter((message, at) => at === 0 || compareMessages(bag[at - 1] ?? message, message) !== 0)

/** An order of messages, so that equal bags of them are equal values. */
export const compareMessages = (a: Partial<StepMessage> & Message, b: Partial<StepMessage> & Message): number =>
  (a.id ?? 0) - (b.id ?? 0) ||
  a.deliveryCount - b.deliveryCount ||
  Number(a.retry ?? false) - Number(b.retry ?? false) ||
  Number(a.resent ?? false) - Number(b.resent ?? false) ||
  Number(a.continues ?? false) - Number(b.continues ?? false) ||
  compareLists(a.completes ?? [], b.completes ?? []) ||
  compareKeys(a.timer ?? noTimer, b.timer ?? noTimer)

/** A shorter list is first, and of equally long ones the one with the lower number where they differ first. */
const compareLists = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): number =>
  a.length - b.length || (a.map((one, at) => one - (b[at] ?? 0)).find((difference) => difference !== 0) ?? 0)

const noTimer: TimerKey = { wait: 0 }

/** An order of timers' keys, so that equal sets of them are equal values. */
export const compareKeys = (a: TimerKey, b: TimerKey): number =>
  a.wait - b.wait ||
  (a.resumeAt ?? 0) - (b.resumeAt ?? 0) ||
  (a.hopAt ?? 0) - (b.hopAt ?? 0) ||
  (a.attempt ?? 0) - (b.attempt ?? 0) ||
  (a.second ?? -1) - (b.second ?? -1)
