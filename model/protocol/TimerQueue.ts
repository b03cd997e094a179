/**
 * The queue's side of timers: under which key each is sent, how long the key is kept, and where a timer goes that is due.
 * (WAIT-03, WAIT-05, WAIT-33, WAIT-34, WAIT-53, WAIT-54, WAIT-55, WAIT-57, WAIT-64, WAIT-65, WAIT-66, WAIT-67, WAIT-68,
 * WAIT-72, WAIT-73, WAIT-74, WAIT-104, WAKE-14, WAKE-16)
 *
 * A key names a wait, one deadline of it, and which of the wait's timers it is: a hop by its time, the last hop by the
 * deadline itself; the hop that an early timer arms again by the next attempt; what stands in for a timer that may have
 * been swallowed by the sender's second.
 *
 * Reads `queue`, `lease`, `orchestrator`, `clock`, `timers`, `hops`, `keys` and `armed`.
 *
 * @module
 */
import { compareKeys, compareMessages, withMessage } from "./Bags.ts"
import type { Setting } from "./Config.ts"
import { minted } from "./Queue.ts"
import type { Delayed, Delivery, Hop, Message, Operation, State, TimerKey, Update } from "./State.ts"

/** That a delivery is to send a timer. */
export type Arm = Extract<Operation, { readonly op: "arm" }>

/**
 * The key of a timer that a delivery sends now (WAIT-33, WAIT-34, WAIT-64, WAIT-65, WAIT-66, WAIT-67, WAIT-68, WAIT-72,
 * WAIT-74, WAKE-14, WAKE-16).
 */
export const keyOf = (s: State, setting: Setting, o: Delivery, { wait, resumeAt, under }: Arm): TimerKey => {
  const { rules } = setting
  const of = rules["deadline-in-key"] ? { wait, resumeAt } : { wait }
  const hopAt = hopAhead(setting, resumeAt, s.clock)
  // Intermediate hops are never coalesced, so nobody stands in for one (WAIT-73).
  if (under === "second" && hopAt === resumeAt) {
    return { ...of, second: rules["near-due-second"] ? secondOf(setting, s.clock) : 0 }
  }
  // Without the deadline in it, a key does not say which deadline the last hop is for.
  const hop = rules["deadline-in-key"] ? { ...of, hopAt } : of
  if (under !== "attempt") return hop
  return { ...hop, attempt: (o.message.timer?.attempt ?? 1) + 1 }
}

/** The second that a time is in, by when it began. */
export const secondOf = ({ seconds }: Setting, clock: number): number =>
  seconds === "ticks" ? clock : (seconds.begins.findLast((begin) => begin <= clock) ?? 0)

const sameKey = (a: TimerKey, b: TimerKey): boolean =>
  a.wait === b.wait &&
  a.resumeAt === b.resumeAt &&
  a.hopAt === b.hopAt &&
  a.attempt === b.attempt &&
  a.second === b.second

const isOf =
  (key: TimerKey) =>
  (message: Message | undefined): boolean =>
    message?.timer !== undefined && sameKey(message.timer, key)

/** The messages that have a key: those that wait for their time, those that are due, and those in the hands of a delivery. */
export const messagesOfKey = (s: State, setting: Setting, key: TimerKey): ReadonlyArray<Message> => {
  const held = setting.deliveries.flatMap((d) => {
    const message = s.lease[d] === "held" ? s.orchestrator[d]?.message : undefined
    return message === undefined ? [] : [message]
  })
  const waiting = [...s.timers, ...s.hops].map(({ message }) => message)
  return [...waiting, ...s.queue, ...held].filter(isOf(key))
}

/** Whether the queue drops what is sent under a key (WAIT-104). */
const isTaken = (s: State, setting: Setting, key: TimerKey): boolean =>
  setting.timerKeys === "remembered"
    ? s.keys.some((other) => sameKey(other, key))
    : messagesOfKey(s, setting, key).length > 0

/**
 * Whether the message that has the key may have been dropped for a delivery that is in flight, since which of them were is
 * chosen late (see `Queue.ts`). Then its key is free where keys last as long as messages: only a trace can tell.
 */
const mayBeDropped = (s: State, setting: Setting, key: TimerKey): boolean =>
  setting.exact &&
  setting.topology === "coalescing" &&
  setting.timerKeys === "while-alive" &&
  messagesOfKey(s, setting, key).every((message) => s.queue.includes(message)) &&
  setting.deliveries.some((d) => s.lease[d] === "held")

/** What sending a timer may do to the queue, with these hops in it. One that is due at once needs no delay (WAIT-03,
 * WAIT-05). */
export const sendTimer = (
  s: State,
  setting: Setting,
  key: TimerKey,
  due: number,
  hops: State["hops"] = s.hops
): ReadonlyArray<Update> => {
  if (!setting.rules["timer-key"] || !isTaken(s, setting, key)) return [sent(s, setting, key, due, hops)]
  return mayBeDropped(s, setting, key) ? [{}, sent(s, setting, key, due, hops)] : [{}]
}

/** A new timer. */
const sent = (s: State, setting: Setting, key: TimerKey, due: number, hops: State["hops"]): Update => {
  const made = minted(s, setting)
  const delayed: Delayed = { due, message: { ...made.message, timer: key } }
  const { wait } = key
  return {
    ...made.update,
    ...(due > s.clock
      ? { timers: withTimer(s.timers, delayed) }
      : cameDue({ queue: s.queue, hops }, setting, [delayed])),
    ...(setting.timerKeys === "remembered" ? { keys: withKey(s.keys, key) } : {}),
    ...(setting.countsTimers ? { armed: { [wait]: (s.armed[wait] ?? 0) + 1 } } : {})
  }
}

/** When the earliest hop to a deadline is due that is still ahead of a clock (WAIT-53). */
export const hopAhead = (setting: Setting, resumeAt: number, clock: number): number => {
  const { hopTicks, rules } = setting
  if (hopTicks === "unlimited") return resumeAt
  if (!rules["hops-anchored"]) return Math.min(resumeAt, clock + hopTicks)
  return resumeAt - hopTicks > clock ? hopAhead(setting, resumeAt - hopTicks, clock) : resumeAt
}

/** When the hop after a hop is due (WAIT-57). */
export const nextHop = (s: State, setting: Setting, own: number, resumeAt: number): number =>
  setting.hopTicks === "unlimited"
    ? resumeAt
    : setting.rules["next-hop-from-own"] && setting.rules["hops-anchored"]
      ? Math.min(resumeAt, own + setting.hopTicks)
      : hopAhead(setting, resumeAt, s.clock)

/** Whether a timer is an intermediate hop: it is for a time before its wait's (WAIT-54). */
export const isHop = ({ message }: Delayed): boolean => {
  const { hopAt, resumeAt } = message.timer ?? {}
  return hopAt !== undefined && resumeAt !== undefined && hopAt < resumeAt
}

/**
 * Timers that came due: intermediate hops stand apart, and the others are orchestrator messages like any other
 * (WAIT-55).
 */
export const cameDue = (s: Pick<State, "queue" | "hops">, setting: Setting, due: ReadonlyArray<Delayed>): Update => {
  const hops = due.filter((timer) => isHop(timer) && setting.rules["hops-stand-apart"])
  const rest = due.filter((timer) => !hops.includes(timer))
  return {
    ...(hops.length === 0 ? {} : { hops: hops.reduce((bag, hop) => withHop(bag, { ...hop, at: "queued" }), s.hops) }),
    ...(rest.length === 0 ? {} : { queue: rest.reduce((queue, { message }) => withMessage(queue, message), s.queue) })
  }
}

/** A bag of hops with one more. */
export const withHop = (hops: ReadonlyArray<Hop>, hop: Hop): ReadonlyArray<Hop> =>
  [...hops, hop].toSorted((a, b) => a.due - b.due || a.at.localeCompare(b.at) || compareMessages(a.message, b.message))

/** An order of timers, so that equal bags of them are equal values. */
export const compareTimers = (a: Delayed, b: Delayed): number => a.due - b.due || compareMessages(a.message, b.message)

const withTimer = (timers: ReadonlyArray<Delayed>, timer: Delayed): ReadonlyArray<Delayed> =>
  [...timers, timer].toSorted(compareTimers)

const withKey = (keys: ReadonlyArray<TimerKey>, key: TimerKey): ReadonlyArray<TimerKey> =>
  keys.some((other) => sameKey(other, key)) ? keys : [...keys, key].toSorted(compareKeys)
