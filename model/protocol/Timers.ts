/**
 * Timers: how they are sent, kept under their keys, and come due; and the clock that they wait for. (WAIT-02, WAIT-03,
 * WAIT-05, WAIT-24, WAIT-32, WAIT-33, WAIT-34, WAIT-35, WAIT-36, WAIT-38, WAIT-49, WAIT-64, WAIT-65, WAIT-66, WAIT-68,
 * WAIT-69, WAIT-71, WAIT-74, WAIT-101, WAIT-104, WAIT-105, WAKE-14, WAKE-16)
 *
 *     --SendTimer--> delayed --Tick, ComeDueEarly--> queued, an orchestrator message like any other
 *              \--> dropped, for its key is taken
 *
 * A timer that is due and is not delivered yet stands for a queue that is late by any amount. A timer that is early
 * stands for a host whose clock is behind the queue's; one that was sent under the sender's second is early only in a
 * later second, for clocks that differ by more than a timer's delay are outside what the protocol promises (WAIT-36).
 *
 * Keys of a second that is over are forgotten: no sender can come to use them again.
 *
 * @module
 */
import type { Setting } from "./Config.ts"
import { hasEnded, openWaits } from "./Log.ts"
import { compareKeys, compareMessages, minted, withMessage } from "./Queue.ts"
import {
  type Actions,
  affords,
  type Delayed,
  type Delivery,
  type Message,
  type Operation,
  only,
  type Part,
  type State,
  spend,
  type TimerKey,
  type Update
} from "./State.ts"

type Arm = Extract<Operation, { readonly op: "arm" }>

/** The key of a timer that a delivery sends now. */
const keyOf = (s: State, { rules }: Setting, o: Delivery, { wait, resumeAt, under }: Arm): TimerKey => {
  const of = rules["deadline-in-key"] ? { wait, resumeAt } : { wait }
  // Without the deadline in it, the key of a hop names which hop it is: the last one, here.
  if (under === "second") return rules["near-due-second"] ? { ...of, second: s.clock } : { ...of, second: 0 }
  const hop = rules["deadline-in-key"] ? { ...of, hopAt: resumeAt } : of
  if (under === "hop") return hop
  return { ...hop, attempt: (o.message.timer?.attempt ?? 1) + 1 }
}

const sameKey = (a: TimerKey, b: TimerKey): boolean =>
  a.wait === b.wait &&
  a.resumeAt === b.resumeAt &&
  a.hopAt === b.hopAt &&
  a.attempt === b.attempt &&
  a.second === b.second

/** Whether the queue drops what is sent under a key. */
const isTaken = (s: State, setting: Setting, key: TimerKey): boolean => {
  if (setting.timerKeys === "remembered") return s.keys.some((other) => sameKey(other, key))
  const held = setting.deliveries.filter((d) => s.lease[d] === "held").map((d) => s.orchestrator[d]?.message)
  const alive = [...s.timers.map(({ message }) => message), ...s.queue, ...held]
  return alive.some((message) => message?.timer !== undefined && sameKey(message.timer, key))
}

/** What sending a timer does to the queue. One that is due at once needs no delay. */
const sent = (s: State, setting: Setting, o: Delivery, operation: Arm): Update => {
  const key = keyOf(s, setting, o, operation)
  if (setting.rules["timer-key"] && isTaken(s, setting, key)) return {}
  const { wait, resumeAt, under } = operation
  const made = minted(s, setting)
  const message: Message = { ...made.message, timer: key }
  // What stands in for a timer that was swallowed has a delay of at least a second (WAIT-35).
  const due = under === "second" ? Math.max(resumeAt, s.clock + 1) : resumeAt
  return {
    ...made.update,
    ...(due > s.clock ? { timers: withTimer(s.timers, { due, message }) } : { queue: withMessage(s.queue, message) }),
    ...(setting.timerKeys === "remembered" ? { keys: withKey(s.keys, key) } : {}),
    ...(setting.countsTimers ? { armed: { [wait]: (s.armed[wait] ?? 0) + 1 } } : {})
  }
}

/** What a delivery does once its timer is sent. */
export type Next = (s: State, o: Delivery) => Delivery

/** The actions of timers, other than what the environment does to them (see {@link clockActions}). */
export const timerActions = ({ setting, action }: Part, next: Next): Actions =>
  only(setting.can.wait, {
    /** A wait's timer, before the write that it is owed for, or before the delivery suspends. */
    SendTimer: action({ delivery: setting.deliveries }, (s, { delivery: d }) => {
      const o = s.orchestrator[d]
      const operation = o?.todo[0]
      if (!o || operation?.op !== "arm") return
      const timed = [...(o.timed ?? []), operation.wait].toSorted((a, b) => a - b)
      const after = next(s, { ...o, todo: o.todo.slice(1), timed })
      return { ...sent(s, setting, o, operation), orchestrator: { [d]: after } }
    })
  })

/** The clock, and timers that are ahead of it: the environment's. */
export const clockActions = ({ setting, action }: Part): Actions => ({
  ...only(setting.can.wait, {
    /** Time goes on while the run waits for it. What comes due is for the queue to deliver. */
    Tick: action((s) => {
      const clock = s.clock + 1
      if (hasEnded(s.log)) return
      if (s.timers.length === 0 && openWaits(s.log).every(({ resumeAt }) => resumeAt < clock)) return
      const due = s.timers.filter((timer) => timer.due <= clock)
      return {
        clock,
        timers: s.timers.filter((timer) => timer.due > clock),
        queue: due.reduce((queue, { message }) => withMessage(queue, message), s.queue),
        keys: s.keys.filter(
          ({ second }) => second === undefined || second >= clock || !setting.rules["near-due-second"]
        )
      }
    })
  }),

  ...only(setting.can.wait && setting.budgetNames.includes("earlies"), {
    /** A timer is delivered, or coalesced, before it is due. */
    ComeDueEarly: action({ timer: (s) => s.timers }, (s, { timer }) => {
      const at = s.timers.findIndex((other) => compareTimers(other, timer) === 0)
      const { second } = timer.message.timer ?? {}
      if (at < 0 || !affords(s, "earlies") || timer.due - s.clock > setting.skewTicks) return
      if (setting.rules["near-due-second"] && second !== undefined && second >= s.clock) return
      return {
        ...spend(s, "earlies"),
        timers: s.timers.toSpliced(at, 1),
        queue: withMessage(s.queue, timer.message)
      }
    })
  })
})

const compareTimers = (a: Delayed, b: Delayed): number => a.due - b.due || compareMessages(a.message, b.message)

const withTimer = (timers: ReadonlyArray<Delayed>, timer: Delayed): ReadonlyArray<Delayed> =>
  [...timers, timer].toSorted(compareTimers)

const withKey = (keys: ReadonlyArray<TimerKey>, key: TimerKey): ReadonlyArray<TimerKey> =>
  keys.some((other) => sameKey(other, key)) ? keys : [...keys, key].toSorted(compareKeys)
