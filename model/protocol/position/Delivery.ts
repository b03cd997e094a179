/**
 * Deliveries of the run's messages. (RUN-01, RUN-16, RUN-29, RUN-37, RUN-38, RUN-39, FENCE-15, FENCE-19, CAC-16, CAC-17,
 * CAC-18, COAL-03, STEP-55, WAIT-115, HOOK-13)
 *
 *     Deliver --> claimed --AcknowledgeUnread--> gone         the log ends where its process's last delivery left it
 *                         --LoadLog--> a list of operations, one after the other
 *       write --CommitInBand--> next | --RefuseInBand--> redeliver
 *       send --SendStep--> next
 *       arm --SendTimer--> next
 *       record --RecordPosition--> next
 *       acknowledge --Acknowledge--> gone | --AcknowledgeRerun--> claimed again, in the same invocation
 *       redeliver --AskRedelivery--> gone, and its message comes again
 *
 * Changes `log`, `queue`, `delivery`, `position` and `step`; reads `due` besides.
 *
 * @module
 */
import type { Setting } from "./Config.ts"
import { advanced, countOf, mayLeaveUnread, opened } from "./Deciding.ts"
import {
  type Actions,
  type Delivery,
  distinct,
  type Operation,
  type Part,
  queued,
  type State,
  type Update,
  without
} from "./State.ts"

/** The delivery is over, and its message comes again if it held it. */
export const returned = (s: State, d: string): Update => {
  const o = s.delivery[d]
  return { delivery: { [d]: null }, ...(o?.holds ? { queue: queued(s.queue, o.message) } : {}) }
}

/** A delivery that knows nothing yet. What an earlier one of the same message knew is lost with it (RUN-01). */
export const claimed = ({ message, process, resent }: Pick<Delivery, "message" | "process" | "resent">): Delivery => ({
  message: { ...message, count: Math.min(message.count + 1, 2) },
  process,
  holds: true,
  lapsed: false,
  resent,
  known: 0,
  expected: 0,
  todo: []
})

/** The actions of deliveries. */
export const deliveryActions = ({ setting, action }: Part): Actions => {
  const { deliveries, rules } = setting
  const on = (
    op: Operation["op"],
    next: (s: State, d: string, o: Delivery, rest: Delivery) => Update | ReadonlyArray<Update> | undefined
  ) =>
    action({ delivery: deliveries }, (s, { delivery: d }) => {
      const o = s.delivery[d]
      return !o || o.todo[0]?.op !== op ? undefined : next(s, d, o, { ...o, todo: o.todo.slice(1) })
    })
  const goesOn = (d: string, rest: Delivery, log: State["log"], due: boolean): Update => ({
    delivery: { [d]: rest.holds || rest.lapsed || rest.todo.length > 0 ? advanced(setting, rest, log, due) : null }
  })
  return {
    /** A message is claimed, in whichever process. A timer that is not due yet is not, unless it was before. */
    Deliver: action(
      { delivery: deliveries, process: setting.processes, message: (s) => distinct(s.queue) },
      (s, { delivery: d, process, message }) => {
        if (d !== deliveries.find((place) => s.delivery[place] === null)) return
        if (deliveries.some((place) => s.delivery[place]?.lapsed === false)) return
        if (message.kind === "timer" && message.count === 0 && !s.due) return
        return { queue: without(s.queue, message), delivery: { [d]: claimed({ message, process, resent: false }) } }
      }
    ),

    /**
     * The log ends where the process's last delivery left it: there is nothing to read (RUN-37, CAC-18, RUN-38,
     * STEP-55, WAIT-115).
     */
    AcknowledgeUnread: action({ delivery: deliveries }, (s, { delivery: d }) => {
      const o = s.delivery[d]
      return !o || o.known > 0 || o.todo.length > 0 || !mayLeaveUnread(s, setting, o)
        ? undefined
        : { delivery: { [d]: { ...o, todo: [{ op: "acknowledge" }] } } }
    }),

    /** The whole log, for anybody else (RUN-16). */
    LoadLog: action({ delivery: deliveries }, (s, { delivery: d }) => {
      const o = s.delivery[d]
      if (!o || o.known > 0 || o.todo.length > 0 || mayLeaveUnread(s, setting, o)) return
      return { delivery: { [d]: opened(setting, o, s.log, s.due) } }
    }),

    /** The next decision, at the current count; the report holds what had landed below it (CAC-16). */
    CommitInBand: on("write", (s, d, o, rest) => {
      const [next] = o.todo
      if (next?.op !== "write" || o.expected !== countOf(s.log)) return
      const log = [...s.log, next.event]
      const written = { ...rest, known: log.length, expected: o.expected + 1 }
      return { log, ...goesOn(d, written, log, s.due) }
    }),

    ...(setting.budgetNames.includes("lapses")
      ? {
          /** The fence refuses it: its process forgets what it recorded, and the message comes again (FENCE-15, FENCE-19). */
          RefuseInBand: on("write", (s, d, o) => {
            if (o.expected === countOf(s.log)) return
            return {
              ...(rules["forget-on-refusal"] ? { position: { [o.process]: 0 } } : {}),
              delivery: { [d]: { ...o, todo: [{ op: "redeliver" }] } }
            }
          }),

          /** A refused delivery's message comes again, if it was still its own. */
          AskRedelivery: on("redeliver", (s, d) => returned(s, d))
        }
      : {}),

    ...(setting.works
      ? {
          /** The step's message, under the step's key: dropped while one lives. */
          SendStep: on("send", (s, d, _o, rest) => ({ step: true, ...goesOn(d, rest, s.log, s.due) }))
        }
      : {}),

    ...(setting.sleeps
      ? {
          /** The sleep's timer, under its key: dropped while one waits. */
          SendTimer: on("arm", (s, d, _o, rest) => ({
            ...(s.queue.some(({ kind }) => kind === "timer")
              ? {}
              : { queue: queued(s.queue, { kind: "timer", count: 0 }) }),
            ...goesOn(d, rest, s.log, s.due)
          }))
        }
      : {}),

    /** How far the delivery has consumed the log: in its process's memory (RUN-39, CAC-17). */
    RecordPosition: on("record", (s, d, o, rest) => ({
      position: { [o.process]: o.known },
      ...goesOn(d, rest, s.log, s.due)
    })),

    /** The message is gone; with what is left to do, where that comes last (RUN-29). */
    Acknowledge: on("acknowledge", (_s, d, _o, rest) => ({
      delivery: { [d]: rest.todo.length > 0 ? { ...rest, holds: false } : null }
    })),

    ...(setting.topology === "coalescing"
      ? {
          /**
           * A plain message was coalesced into the delivery: it is run again in the same invocation, counted, and knows
           * nothing of what it read before (COAL-03, RUN-01, HOOK-13).
           */
          AcknowledgeRerun: on("acknowledge", (s, d, o) => {
            const coalesced = distinct(s.queue).filter(({ kind }) => kind === "plain")
            if (o.lapsed) return
            return coalesced.map((message) => ({ queue: without(s.queue, message), delivery: { [d]: claimed(o) } }))
          })
        }
      : {})
  }
}

/** Whether the delivery is about to send something, which may fail. */
export const sendsNext = (setting: Setting, o: Delivery | null | undefined): boolean =>
  (setting.works || setting.sleeps) && (o?.todo[0]?.op === "send" || o?.todo[0]?.op === "arm")
