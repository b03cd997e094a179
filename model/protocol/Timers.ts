/**
 * Timers: that they are sent and come due, and the clock that they wait for. (WAIT-02, WAIT-24, WAIT-32, WAIT-35,
 * WAIT-36, WAIT-38, WAIT-49, WAIT-71, WAIT-101, WAIT-105)
 *
 *     --SendTimer--> delayed --Tick | ComeDueEarly--> queued, an orchestrator message like any other; or in `hops`
 *                    | queued, for it is due at once | dropped, for its key is taken
 *
 * A timer that is due and is not delivered yet stands for a queue that is late by any amount. A timer that is early
 * stands for a host whose clock is behind the queue's; one that was sent under the sender's second is early only in a
 * later second, for clocks that differ by more than a timer's delay are outside what the protocol promises (WAIT-36).
 *
 * Keys of a second that is over are forgotten: no sender can come to use them again.
 *
 * Changes `queue`, `orchestrator`, `budget`, `clock`, `timers`, `hops`, `keys`, `armed` and `minted`; reads `log` and
 * `lease` besides.
 *
 * @module
 */

import type { Setting } from "./Config.ts"
import { hasEnded, openWaits } from "./Log.ts"
import { type Actions, affords, type Delivery, only, type Part, type State, spend, type Update } from "./State.ts"
import { cameDue, compareTimers, keyOf, secondOf, sendTimer } from "./TimerQueue.ts"

/** What a delivery does once its timer is sent. */
export type Next = (s: State, o: Delivery) => Delivery

/** The actions of timers, other than what the environment does to them (see {@link clockActions}). */
export const timerActions = ({ setting, action }: Part, next: Next): Actions =>
  only(setting.can.wait, {
    /**
     * A wait's timer, before the write that it is owed for, or before the delivery suspends (WAIT-02, WAIT-24, WAIT-32,
     * WAIT-71).
     */
    SendTimer: action({ delivery: setting.deliveries }, (s, { delivery: d }) => {
      const o = s.orchestrator[d]
      const operation = o?.todo[0]
      if (!o || operation?.op !== "arm") return
      const timed = [...(o.timed ?? []), operation.wait].toSorted((a, b) => a - b)
      const after = next(s, { ...o, todo: o.todo.slice(1), timed })
      const key = keyOf(s, setting, o, operation)
      const hop = key.hopAt ?? operation.resumeAt
      // What stands in for a timer that was swallowed has a delay of at least a second (WAIT-35).
      const second = setting.seconds === "ticks" ? 1 : setting.seconds.ticks
      const due = key.second === undefined ? hop : Math.max(hop, s.clock + second)
      return sendTimer(s, setting, key, due).map((sent) => ({ ...sent, orchestrator: { [d]: after } }))
    })
  })

/** That it has become a time: what came due is for the queue to deliver, and keys of seconds that are over are forgotten. */
export const timePassed = (s: State, setting: Setting, clock: number): Update => ({
  clock,
  timers: s.timers.filter((timer) => timer.due > clock),
  ...cameDue(
    s,
    setting,
    s.timers.filter((timer) => timer.due <= clock)
  ),
  keys: s.keys.filter(
    ({ second }) => second === undefined || second >= secondOf(setting, clock) || !setting.rules["near-due-second"]
  )
})

/** The clock, and timers that are ahead of it: the environment's. */
export const clockActions = ({ setting, action }: Part): Actions => ({
  ...only(setting.can.wait, {
    /**
     * Time goes on while the run waits for it. What comes due is for the queue to deliver (WAIT-49, WAIT-101,
     * WAIT-105).
     */
    Tick: action((s) => {
      const clock = s.clock + 1
      if (hasEnded(s.log)) return
      if (s.timers.length === 0 && openWaits(s.log).every(({ resumeAt }) => resumeAt < clock)) return
      return timePassed(s, setting, clock)
    })
  }),

  ...only(setting.can.wait && setting.budgetNames.includes("earlies"), {
    /** A timer is delivered, or coalesced, before it is due (WAIT-36, WAIT-38). */
    ComeDueEarly: action({ timer: (s) => s.timers }, (s, { timer }) => {
      const at = s.timers.findIndex((other) => compareTimers(other, timer) === 0)
      const { second } = timer.message.timer ?? {}
      if (at < 0 || !affords(s, "earlies") || timer.due - s.clock > setting.skewTicks) return
      if (setting.rules["near-due-second"] && second !== undefined && second >= secondOf(setting, s.clock)) return
      return {
        ...spend(s, "earlies"),
        timers: s.timers.toSpliced(at, 1),
        ...cameDue(s, setting, [timer])
      }
    })
  })
})
