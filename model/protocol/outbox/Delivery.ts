/**
 * What becomes of a published message: deliveries that repeat, their limits, and the dead letters. (OUTBOX-01,
 * OUTBOX-04, OUTBOX-05, OUTBOX-14, OUTBOX-15, OUTBOX-16, OUTBOX-20, OUTBOX-22, OUTBOX-25, OUTBOX-28, OUTBOX-30)
 *
 *     waiting --Deliver--> claimed
 *     claimed, of a step's message   --RunBody--> ran --CommitOutcome--> done | --SkipBody--> done
 *     claimed, of a wake             --ReadLog | FailRun--> done | --HandOff--> waiting, and no failure
 *                                    | --FailWake--> waiting | a dead letter, past the World's limit
 *     claimed | ran | done           --LoseDelivery--> waiting | a dead letter, past the World's limit
 *                                    | --RestartShard--> waiting, and no failure
 *     done    --Acknowledge--> gone
 *
 * *Core* is the runtime, which counts the attempts of a message as the World does and fails its run past a limit of its
 * own. A *shard* is the part of the queue that this run's messages are in.
 *
 * Changes `log`, `row`, `intent`, `unapplied`, `queue`, `letters`, `delivery`, `bodies`, `charges`, `seen`, `run` and
 * `budget`.
 *
 * @module
 */
import type { Action } from "../../checker/Language.ts"
import { dispatchOf, type Setting, type Step, wakeOf } from "./Config.ts"
import { affords, type Message, type Part, type State, spend, type Update } from "./State.ts"
import { commit } from "./Store.ts"

/** The intent's message that a delivery holds. */
const heldOf = (s: State, intent: string): Message | undefined => s.queue[intent]?.find(({ held }) => held)

/** The intent's messages without the one that is held, and with what became of it. */
const replaced = (s: State, intent: string, next: ReadonlyArray<Message>): ReadonlyArray<Message> => [
  ...(s.queue[intent] ?? []).filter(({ held }) => !held),
  ...next
]

/** A delivery ends without an acknowledgment, and counts: its message is due again, or buried (OUTBOX-22, OUTBOX-28). */
const failed = ({ rules, limits }: Setting, s: State, intent: string): Update => {
  const message = heldOf(s, intent)
  if (message === undefined) return {}
  if (message.attempt < limits.world) {
    return {
      delivery: { [intent]: null },
      queue: { [intent]: replaced(s, intent, [{ ...message, attempt: message.attempt + 1, held: false }]) }
    }
  }
  return {
    delivery: { [intent]: null },
    queue: { [intent]: replaced(s, intent, []) },
    ...(rules["dead-letters-kept"] ? { letters: { [intent]: 1 } } : {})
  }
}

/** Whether core gives the run up in this delivery, having seen its message fail before (OUTBOX-22). */
const isPastCore = ({ rules, limits }: Setting, s: State, intent: string): boolean =>
  rules["core-limit-first"] && (heldOf(s, intent)?.attempt ?? 0) > limits.core

/** What deliveries do. */
export const deliveryActions = ({ setting, action }: Part): { readonly [name: string]: Action } => {
  const { rules, stepIds, intentIds, poisoned } = setting
  const hasOutcome = (s: State, step: Step): boolean => s.log[step]?.includes("completed") === true
  const limited = {
    /** Core's own limit is reached first: it fails the run in its log, and acknowledges (OUTBOX-22). */
    FailRun: action({ step: stepIds }, (s, { step }) => {
      const intent = wakeOf(step)
      const delivery = s.delivery[intent]
      if (delivery?.at !== "claimed" || !isPastCore(setting, s, intent)) return
      return { run: s.run === "open" ? "failed" : s.run, delivery: { [intent]: { ...delivery, at: "done" } } }
    }),

    /** The handler of the wake fails, as it always does. */
    FailWake: action({ step: stepIds }, (s, { step }) => {
      const intent = wakeOf(step)
      if (s.delivery[intent]?.at !== "claimed" || isPastCore(setting, s, intent)) return
      return failed(setting, s, intent)
    })
  }
  return {
    ...(poisoned ? limited : {}),

    /** The queue delivers a message of the intent; that it is held outlives the queue's shard (OUTBOX-20). */
    Deliver: action({ intent: intentIds }, (s, { intent }) => {
      const [message, ...later] = s.queue[intent] ?? []
      if (message === undefined || message.held || s.delivery[intent] !== null) return
      return {
        delivery: { [intent]: { key: message.key, at: "claimed" } },
        queue: { [intent]: [...later, { ...message, held: true }] }
      }
    }),

    /** The step's body runs, and asks another system for something under its own stable key (OUTBOX-14, OUTBOX-15). */
    RunBody: action({ step: stepIds }, (s, { step }) => {
      const intent = dispatchOf(step)
      const delivery = s.delivery[intent]
      if (delivery?.at !== "claimed" || s.log[step]?.length === 0) return
      if (hasOutcome(s, step) && rules["stored-outcome-not-run-again"]) return
      return {
        bodies: { [step]: (s.bodies[step] ?? 0) + 1 },
        charges: { [step]: rules["stable-business-key"] ? 1 : (s.charges[step] ?? 0) + 1 },
        delivery: { [intent]: { ...delivery, at: "ran" } }
      }
    }),

    /** The log holds the step's outcome, or nothing of the step: there is nothing to run (OUTBOX-05, OUTBOX-16). */
    SkipBody: action({ step: stepIds }, (s, { step }) => {
      const intent = dispatchOf(step)
      const delivery = s.delivery[intent]
      if (delivery?.at !== "claimed") return
      if (s.log[step]?.length !== 0 && !(hasOutcome(s, step) && rules["stored-outcome-not-run-again"])) return
      return { delivery: { [intent]: { ...delivery, at: "done" } } }
    }),

    /** The outcome is accepted, with the debt of the run's wake, unless there is one already (OUTBOX-01, OUTBOX-04). */
    CommitOutcome: action({ step: stepIds }, (s, { step }) => {
      const intent = dispatchOf(step)
      const delivery = s.delivery[intent]
      if (delivery?.at !== "ran") return
      return {
        ...(hasOutcome(s, step) ? {} : commit(setting, s, step, "completed")),
        delivery: { [intent]: { ...delivery, at: "done" } }
      }
    }),

    /** A wake: the run reads its log and consumes every outcome in it, and ends when it has them all. */
    ReadLog: action({ step: stepIds }, (s, { step }) => {
      const intent = wakeOf(step)
      const delivery = s.delivery[intent]
      if (delivery?.at !== "claimed" || (poisoned && s.run === "open")) return
      const isWhole = stepIds.every((one) => hasOutcome(s, one))
      return {
        seen: Object.fromEntries(stepIds.map((one) => [one, s.seen[one] === true || hasOutcome(s, one)])),
        run: isWhole && s.run === "open" ? "ended" : s.run,
        delivery: { [intent]: { ...delivery, at: "done" } }
      }
    }),

    /** The delivery acknowledges its message, and the queue forgets it, but not its key (OUTBOX-30). */
    Acknowledge: action({ intent: intentIds }, (s, { intent }) => {
      if (s.delivery[intent]?.at !== "done") return
      return { delivery: { [intent]: null }, queue: { [intent]: replaced(s, intent, []) } }
    })
  }
}

/** What may go wrong with a delivery. */
export const deliveryFaults = ({ setting, action }: Part): { readonly [name: string]: Action } => {
  const { rules, intentIds, stepIds, budgetNames } = setting
  const faults = {
    /** A delivery fails or dies, or its acknowledgment is lost: the queue counts it, and delivers again (OUTBOX-14). */
    LoseDelivery: action({ intent: intentIds }, (s, { intent }) => {
      if (!affords(s, "failures") || s.delivery[intent] === null) return
      return { ...failed(setting, s, intent), ...spend(s, "failures") }
    }),

    /** The queue's shard restarts: what it had handed out is handed out again, and not counted (OUTBOX-20). */
    RestartShard: action((s) => {
      if (!affords(s, "restarts") || intentIds.every((intent) => heldOf(s, intent) === undefined)) return
      const kept = (intent: string): ReadonlyArray<Message> =>
        rules["in-flight-is-durable"]
          ? (s.queue[intent] ?? []).map((message) => ({ ...message, held: false }))
          : replaced(s, intent, [])
      return {
        delivery: Object.fromEntries(intentIds.map((intent) => [intent, null])),
        queue: Object.fromEntries(intentIds.map((intent) => [intent, kept(intent)])),
        ...spend(s, "restarts")
      }
    }),

    /** The delivery of a wake continues in a next one at once, which is no failure (OUTBOX-25). */
    HandOff: action({ step: stepIds }, (s, { step }) => {
      const intent = wakeOf(step)
      const message = heldOf(s, intent)
      if (!affords(s, "handoffs") || s.delivery[intent]?.at !== "claimed" || message === undefined) return
      return {
        ...(rules["handoff-is-no-failure"]
          ? {
              delivery: { [intent]: null },
              queue: { [intent]: replaced(s, intent, [{ ...message, held: false }]) }
            }
          : failed(setting, s, intent)),
        ...spend(s, "handoffs")
      }
    })
  }
  return {
    ...(budgetNames.includes("failures") ? { LoseDelivery: faults.LoseDelivery } : {}),
    ...(budgetNames.includes("restarts") ? { RestartShard: faults.RestartShard } : {}),
    ...(budgetNames.includes("handoffs") ? { HandOff: faults.HandOff } : {})
  }
}
