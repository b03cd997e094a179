/**
 * What becomes of the message of a delivery that has to go on later: the same one again, or a new one. (ROT-01, ROT-02,
 * ROT-03, ROT-05, ROT-06, ROT-07, ROT-08, ROT-17, HAND-01, HAND-08, HAND-10, HAND-11, QUEUE-02, QUEUE-43, COAL-03,
 * WAIT-99)
 *
 *     handing-off --HandOff--> queued again, at once, and no attempt; past the queue's bound later, and an attempt
 *     asking --AskRedelivery--> queued again, later, and an attempt
 *     either, near the end of its message --SendContinuation--> rotated --AcknowledgeRotated--> gone | passing again
 *     queued --Coalesce--> gone, and recorded on the holder | --FailRun, past the cap--> gone, and the run failed
 *
 * Time passes when nothing is left to deliver (`PassTime`).
 *
 * Changes `log`, `sleep`, `queue`, `delivery` and `wakeUp`.
 *
 * @module
 */
import { EXPIRY_MARGIN, LONGEST_DELAY, LONGEST_REDELIVERY, type Setting } from "./Config.ts"
import { owesCreated } from "./Deliveries.ts"
import {
  type Actions,
  agedQueue,
  type Delivery,
  holder,
  isKeyed,
  isOver,
  type Message,
  type Part,
  queued,
  SENT,
  type State,
  settled,
  without
} from "./State.ts"

/** Whether the message of a delivery that goes on later is to be continued by a new one (ROT-01, HAND-08). */
export const isDue = ({ rules, handoffLimit, handoffMargin }: Setting, { message, at }: Delivery): boolean => {
  const isOld = message.left <= EXPIRY_MARGIN
  if (at === "asking") return isOld && rules["redelivery-rotates"]
  const isHandedOffOften = handoffLimit - message.handoffs <= handoffMargin
  return (isOld && rules["rotate-before-expiry"]) || (isHandedOffOften && rules["rotate-before-handoff-limit"])
}

/**
 * What goes on for a message: it says what that one is a wake for, and which version its run has, and otherwise it is a
 * message that was never delivered (ROT-03, ROT-05, ROT-06, ROT-07, ROT-08, ROT-17). It is not of the other one's chain
 * (WAIT-99).
 */
const continuation = ({ rules }: Setting, { message, at }: Delivery): Message => ({
  ...SENT,
  stamped: message.stamped || (message.input && rules["continuation-is-stamped"]),
  carries:
    (message.carries === "wait" && rules["continuation-carries-wait"]) ||
    (message.carries === "wakeUp" && rules["continuation-carries-wake-up"]) ||
    (message.carries === "payload" && rules["continuation-carries-payload"])
      ? message.carries
      : "nothing",
  delay: at === "asking" ? LONGEST_REDELIVERY : 0,
  late: true
})

/** What the queue does. */
export const queueActions = ({ setting, action }: Part): Actions => {
  const { deliveries, topology, rules, handoffLimit, budgetNames, alwaysThrottled, cap } = setting
  const handsOff = budgetNames.includes("deadlines")
  const asks = budgetNames.includes("throttles") || alwaysThrottled

  /** A delivery that has done all that it has to before it goes on later. */
  const leaving = (s: State, d: string, at: Delivery["at"]): Delivery | undefined => {
    const o = s.delivery[d]
    if (o?.at !== at || (at === "handing-off" && rules["arm-before-handoff"] && owesCreated(s, o))) return
    return o
  }

  return {
    ...(handsOff
      ? {
          /**
           * The same message, at once. Past the queue's bound it comes later, which is an attempt (HAND-01, HAND-11,
           * HAND-10).
           */
          HandOff: action({ delivery: deliveries }, (s, { delivery: d }) => {
            const o = leaving(s, d, "handing-off")
            if (!o || isDue(setting, o)) return
            const { message } = o
            const again: Message =
              message.handoffs < handoffLimit
                ? { ...message, handoffs: message.handoffs + 1 }
                : { ...message, attempts: message.attempts + 1, delay: LONGEST_REDELIVERY }
            return { queue: queued(s.queue, again), delivery: { [d]: null } }
          })
        }
      : {}),

    ...(asks
      ? {
          /** The same message, after a delay: an attempt that came to nothing (QUEUE-02). */
          AskRedelivery: action({ delivery: deliveries }, (s, { delivery: d }) => {
            const o = leaving(s, d, "asking")
            if (!o || isDue(setting, o)) return
            const { attempts, failures } = o.message
            const again = {
              ...o.message,
              attempts: attempts + 1,
              failures: failures + 1,
              delay: LONGEST_REDELIVERY
            }
            return { queue: queued(s.queue, again), delivery: { [d]: null } }
          })
        }
      : {}),

    /** A new message, a second later than now (ROT-02). */
    SendContinuation: action({ delivery: deliveries }, (s, { delivery: d }) => {
      const o = leaving(s, d, "handing-off") ?? leaving(s, d, "asking")
      if (!o || !isDue(setting, o)) return
      return { queue: queued(s.queue, continuation(setting, o)), delivery: { [d]: { ...o, at: "rotated" } } }
    }),

    /**
     * The old message is acknowledged. If something was folded into its delivery it is not, and the delivery runs again
     * (ROT-02, COAL-03).
     */
    AcknowledgeRotated: action({ delivery: deliveries }, (s, { delivery: d }) => {
      const o = s.delivery[d]
      if (o?.at !== "rotated") return
      return {
        queue: settled(s.queue),
        delivery: { [d]: o.recorded ? { ...o, at: "passing", first: false, armed: false, recorded: false } : null }
      }
    }),

    ...(topology === "coalescing"
      ? {
          /** A message that is due while another one holds the key is folded into that one's delivery, and gone (COAL-03). */
          Coalesce: action({ message: (s: State) => s.queue }, (s, { message }) => {
            const d = holder(s, deliveries)
            const o = d === undefined ? null : s.delivery[d]
            if (d === undefined || !o) return
            // What has a payload that the log has not is not folded into anything.
            if (message.delay > 0 || message.late || !isKeyed(message) || message.carries === "payload") return
            return {
              queue: without(s.queue, message),
              delivery: { [d]: { ...o, recorded: true } },
              ...(message.carries === "wakeUp" ? { wakeUp: "coalesced" as const } : {})
            }
          })
        }
      : {}),

    /** A message has come to nothing too often: its run is failed (QUEUE-43). */
    FailRun: action({ message: (s: State) => s.queue }, (s, { message }) => {
      if (message.attempts < cap || message.delay > 0 || holder(s, deliveries) !== undefined) return
      return { queue: without(s.queue, message), ...(isOver(s.log) ? {} : { log: [...s.log, "run_failed" as const] }) }
    }),

    /** Nothing is left to be delivered now: it is as late as the next message is due. */
    PassTime: action((s) => {
      if (s.queue.length === 0 || deliveries.some((d) => s.delivery[d] !== null)) return
      const by = s.queue.reduce((least, { delay }) => Math.min(least, delay), LONGEST_DELAY)
      if (by === 0) return
      return { queue: agedQueue(s.queue, by), sleep: s.sleep === null ? null : Math.max(0, s.sleep - by) }
    })
  }
}
