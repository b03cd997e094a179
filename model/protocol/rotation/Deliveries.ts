/**
 * A delivery, pass by pass. (HAND-04, HAND-07, QUEUE-02, QUEUE-23, QUEUE-43, RUN-18, RUN-27, RUN-45, WAIT-08, WAIT-22,
 * WAIT-99, TOPO-01, COAL-05)
 *
 *     queued  --Deliver--> passing
 *     passing --ArmTimer | Pass--> passing | --Acknowledge--> gone | passing again
 *             | --RunIntoDeadline--> handing-off | --ThrottleStart--> asking   (see `Rotating.ts`)
 *     any     --Crash--> queued
 *
 * A pass begins with what the message is a wake for: a payload that it carries is written, a wait that it names is
 * completed. Then comes what is due, and then the workflow's next decision.
 *
 * Changes `log`, `sleep`, `queue`, `delivery`, `wakeUp` and `budget`.
 *
 * @module
 */
import type { Setting } from "./Config.ts"
import {
  type Actions,
  affords,
  aged,
  agedQueue,
  type Delivery,
  type Event,
  holder,
  isKeyed,
  isOver,
  type Part,
  queued,
  SENT,
  type State,
  settled,
  spend,
  type Update,
  without
} from "./State.ts"

const OUTCOMES: ReadonlyArray<Event> = ["step", "hook_received", "wait_completed", "woken"]

/** What a pass writes next, if anything. */
export const next = ({ program }: Setting, s: State, o: Delivery): Event | undefined => {
  const { log, sleep } = s
  const last = log.at(-1)
  if (isOver(log)) return
  if (last === "hook_created") return o.message.carries === "payload" ? "hook_received" : undefined
  if (last === "wait_created") {
    if (o.message.carries === "wakeUp" && o.first) return "woken"
    return sleep === 0 ? "wait_completed" : undefined
  }
  const operation = program[log.filter((event) => OUTCOMES.includes(event)).length]
  if (operation === undefined) return "run_completed"
  return operation === "step" ? "step" : operation === "hook" ? "hook_created" : "wait_created"
}

/** Whether the wait that is open has a timer, whose key would drop another one. */
const hasTimer = (s: State): boolean => s.queue.some(({ carries }) => carries === "wait")

/** Whether a delivery has to send a timer for a wait that its own message's deliveries have created (WAIT-08, WAIT-99). */
export const owesCreated = (s: State, o: Delivery): boolean =>
  s.log.at(-1) === "wait_created" && s.sleep !== 0 && !hasTimer(s) && o.message.creator

/**
 * Whether a delivery that suspends has to send a timer: for such a wait, or, when its message is a timer that came too
 * early, for what is left of the wait that it is of.
 */
const owesTimer = (s: State, o: Delivery): boolean =>
  owesCreated(s, o) ||
  (s.log.at(-1) === "wait_created" && s.sleep !== 0 && !hasTimer(s) && o.message.carries === "wait")

/** What deliveries do. */
export const deliveryActions = ({ setting, action }: Part): Actions => {
  const { deliveries, program, rules, arms, alwaysThrottled, sleep, longestDelay, cap } = setting

  const passing = (s: State, d: string): Delivery | undefined => {
    const o = s.delivery[d]
    return o?.at === "passing" ? o : undefined
  }

  /** A timer is sent. It is due with its wait, or sooner where that is further away than this queue can delay a message. */
  const withTimer = (s: State, left: number): Update => ({
    queue: queued(s.queue, { ...SENT, carries: "wait", delay: Math.min(left, longestDelay) })
  })

  const arm = {
    /**
     * A timer is sent: before its wait is created, as the delivery suspends, or before it is handed off (WAIT-08,
     * WAIT-22, HAND-07).
     */
    ArmTimer: action({ delivery: deliveries }, (s, { delivery: d }) => {
      const o = s.delivery[d]
      if (!o) return
      const before =
        o.at === "passing" && next(setting, s, o) === "wait_created" && arms === "before-creation" && !o.armed
      // Whoever decides on the wait anew computes another time for it, which is another key.
      if (before) return { ...withTimer(s, sleep), delivery: { [d]: { ...o, armed: true } } }
      const suspends = o.at === "passing" && next(setting, s, o) === undefined && owesTimer(s, o)
      const leaves = o.at === "handing-off" && rules["arm-before-handoff"] && owesCreated(s, o)
      return suspends || leaves ? withTimer(s, s.sleep ?? 0) : undefined
    })
  }

  return {
    /** A message that is due is delivered, unless another delivery of the run holds its key (TOPO-01, QUEUE-43). */
    Deliver: action({ delivery: deliveries, message: (s: State) => s.queue }, (s, { delivery: d, message }) => {
      if (s.delivery[d] !== null || message.delay > 0 || message.late || message.attempts >= cap) return
      if (isKeyed(message) && holder(s, deliveries) !== undefined) return
      return {
        queue: without(s.queue, message),
        delivery: { [d]: { message, at: "passing", first: true, armed: false, recorded: false } }
      }
    }),

    /** The next write of a pass. */
    Pass: action({ delivery: deliveries }, (s, { delivery: d }) => {
      const o = passing(s, d)
      const event = o && next(setting, s, o)
      if (!o || event === undefined || (event === "step" && alwaysThrottled)) return
      if (event === "wait_created" && arms === "before-creation" && !o.armed) return
      const completes = event === "wait_completed" || event === "woken"
      const message = { ...o.message, creator: event === "wait_created" || (o.message.creator && !completes) }
      return {
        log: [...s.log, event],
        ...(event === "wait_created" ? { sleep } : completes ? { sleep: null } : {}),
        delivery: { [d]: { ...o, message, first: false, armed: false } },
        ...(event === "woken" ? { wakeUp: "none" as const } : {}),
        // The wake-up is still on its way: it comes too late.
        ...(event === "wait_completed" && s.queue.some(({ carries }) => carries === "wakeUp")
          ? { wakeUp: "late" as const }
          : {})
      }
    }),

    ...(program.includes("sleep") ? arm : {}),

    /** Nothing is left to decide, and nothing owed. What was folded into the delivery makes it run again (COAL-05). */
    Acknowledge: action({ delivery: deliveries }, (s, { delivery: d }) => {
      const o = passing(s, d)
      if (!o || next(setting, s, o) !== undefined || (owesTimer(s, o) && !isOver(s.log))) return
      return { delivery: { [d]: o.recorded ? { ...o, first: false, recorded: false } : null } }
    })
  }
}

/** What may happen to deliveries. */
export const deliveryFaults = ({ setting, action }: Part): Actions => {
  const { deliveries, budgetNames, alwaysThrottled } = setting
  const faults = {
    /** The invocation's time is over before a pass, be it the first (HAND-04, RUN-18). */
    RunIntoDeadline: action({ delivery: deliveries }, (s, { delivery: d }) => {
      const o = s.delivery[d]
      if (o?.at !== "passing" || isOver(s.log) || !affords(s, "deadlines")) return
      const others = deliveries.map((other): [string, Delivery | null] => {
        const one = s.delivery[other]
        return [other, one ? { ...one, message: aged(one.message, 1) } : null]
      })
      return {
        ...spend(s, "deadlines"),
        queue: agedQueue(s.queue, 1),
        sleep: s.sleep === null ? null : Math.max(0, s.sleep - 1),
        delivery: { ...Object.fromEntries(others), [d]: { ...o, message: aged(o.message, 1), at: "handing-off" } }
      }
    }),

    /** The World refuses a step's start for now: the delivery asks to be redelivered after a delay (RUN-27, RUN-45, QUEUE-02). */
    ThrottleStart: action({ delivery: deliveries }, (s, { delivery: d }) => {
      const o = s.delivery[d]
      if (o?.at !== "passing" || next(setting, s, o) !== "step") return
      if (!alwaysThrottled && !affords(s, "throttles")) return
      return { ...(alwaysThrottled ? {} : spend(s, "throttles")), delivery: { [d]: { ...o, at: "asking" } } }
    }),

    /** The delivery dies, and its message is delivered again: an attempt that came to nothing (QUEUE-23). */
    Crash: action({ delivery: deliveries }, (s, { delivery: d }) => {
      const o = s.delivery[d]
      if (!o || !affords(s, "crashes")) return
      const { attempts, failures } = o.message
      return {
        ...spend(s, "crashes"),
        queue: queued(settled(s.queue), { ...o.message, attempts: attempts + 1, failures: failures + 1 }),
        delivery: { [d]: null }
      }
    })
  }
  return {
    ...(budgetNames.includes("deadlines") ? { RunIntoDeadline: faults.RunIntoDeadline } : {}),
    ...(budgetNames.includes("throttles") || alwaysThrottled ? { ThrottleStart: faults.ThrottleStart } : {}),
    ...(budgetNames.includes("crashes") ? { Crash: faults.Crash } : {})
  }
}
