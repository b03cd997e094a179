/**
 * Everybody but the deliveries: whoever sends the payload, the background step, time, and what may go wrong. (OOB-01,
 * OOB-04, HOOK-03, STEP-20, WAIT-83, FENCE-60, EDGE-09, RUN-39)
 *
 *     the step     --RunStep--> its outcome, and a wake
 *     a client     --Resume--> the payload is written, and a wake owed --SendWake--> done
 *                  | --ResumeByMessage--> the payload is on its message | --WakeUp | SendSpareWake--> a message
 *     the sleep    --Elapse--> due | --DeliverEarly--> its timer is delivered before that
 *     a delivery   --RejectSend--> gone, and its process lives on | --LapseLease--> lives on without its lease
 *     a process    --Crash--> gone, with what it had recorded | --Restart--> the same, and the queue with it
 *
 * Changes `log`, `queue`, `delivery`, `position`, `step`, `due`, `client`, `asked` and `budget`.
 *
 * @module
 */
import type { Action } from "../../checker/Language.ts"
import type { BudgetName } from "./Config.ts"
import { hasPayload, sleepsStill } from "./Deciding.ts"
import { claimed, returned, sendsNext } from "./Delivery.ts"
import { type Actions, affords, type Part, queued, type State, spend, without } from "./State.ts"

const PLAIN = { kind: "plain", count: 0 } as const

const isOver = (s: State): boolean => s.log.includes("run_completed")

/** What the step does, and who sent the payload. */
export const outsideActions = ({ setting, action }: Part): Actions =>
  setting.works
    ? {
        /** The step's message is delivered: its outcome is written, and the run woken (OOB-01, STEP-20). */
        RunStep: action((s) => {
          if (!s.step) return
          if (s.log.includes("step_completed") || !s.log.includes("step_created")) return { step: false }
          return { step: false, log: [...s.log, "step_completed"], queue: queued(s.queue, PLAIN) }
        }),
        ...(setting.payload === "written"
          ? {
              /** The wake follows the payload (OOB-04, HOOK-03). */
              SendWake: action((s) =>
                s.client === "owes" ? { client: "done", queue: queued(s.queue, PLAIN) } : undefined
              )
            }
          : {})
      }
    : {}

/** What nobody may count on. */
export const environmentActions = ({ setting, action }: Part): Actions => {
  const { deliveries, processes } = setting
  const faults: { readonly [name: string]: readonly [budget: BudgetName, action: Action] } = {
    /** A process dies: its deliveries, and what it had recorded (RUN-39). */
    Crash: [
      "crashes",
      action({ process: processes }, (s, { process }) => {
        const dying = deliveries.filter((d) => s.delivery[d]?.process === process)
        if (dying.length === 0 || !affords(s, "crashes")) return
        return {
          ...spend(s, "crashes"),
          position: { [process]: 0 },
          delivery: Object.fromEntries(
            deliveries.map((d) => [d, s.delivery[d]?.process === process ? null : (s.delivery[d] ?? null)])
          ),
          queue: dying.reduce((queue, d) => {
            const o = s.delivery[d]
            return o?.holds ? queued(queue, o.message) : queue
          }, s.queue)
        }
      })
    ],
    /** A send fails, and its delivery with it. What its process had recorded stays. */
    RejectSend: [
      "rejects",
      action({ delivery: deliveries }, (s, { delivery: d }) => {
        if (!sendsNext(setting, s.delivery[d]) || !affords(s, "rejects")) return
        return { ...spend(s, "rejects"), ...returned(s, d) }
      })
    ],
    /** A lease lapses: the message comes again, and the delivery lives on. */
    LapseLease: [
      "lapses",
      action({ delivery: deliveries }, (s, { delivery: d }) => {
        const o = s.delivery[d]
        if (!o?.holds || !affords(s, "lapses")) return
        return { ...spend(s, "lapses"), ...returned(s, d), delivery: { [d]: { ...o, holds: false, lapsed: true } } }
      })
    ],
    /** A message that nobody needs. */
    SendSpareWake: [
      "spareWakes",
      action((s) =>
        affords(s, "spareWakes") ? { ...spend(s, "spareWakes"), queue: queued(s.queue, PLAIN) } : undefined
      )
    ],
    /** The timer is delivered before the sleep is over. */
    DeliverEarly: [
      "earlies",
      action({ delivery: deliveries, process: processes }, (s, { delivery: d, process }) => {
        const timer = s.queue.find(({ kind, count }) => kind === "timer" && count === 0)
        if (timer === undefined || s.due || !affords(s, "earlies")) return
        if (d !== deliveries[0] || deliveries.some((place) => s.delivery[place] !== null)) return
        return {
          ...spend(s, "earlies"),
          queue: without(s.queue, timer),
          delivery: { [d]: claimed({ message: timer, process, resent: false }) }
        }
      })
    ],
    /** `run.wakeUp()`, best effort: a message that names the wait, and no more (WAIT-83). */
    WakeUp: [
      "wakeUps",
      action((s) => {
        if (!sleepsStill(s.log) || isOver(s) || !affords(s, "wakeUps")) return
        return { ...spend(s, "wakeUps"), asked: true, queue: queued(s.queue, { kind: "wakeUp", count: 0 }) }
      })
    ],
    /**
     * A World with its queue in memory is started again: messages, timers and what its process had recorded are gone, and
     * a recovery message is sent for each run that has not ended (EDGE-09, FENCE-60).
     */
    Restart: [
      "restarts",
      action((s) => {
        if (isOver(s) || s.log.length === 0 || !affords(s, "restarts")) return
        return {
          ...spend(s, "restarts"),
          queue: [{ kind: "recovery", count: 0 }],
          delivery: Object.fromEntries(deliveries.map((d) => [d, null])),
          position: Object.fromEntries(processes.map((p) => [p, 0])),
          step: false
        }
      })
    ]
  }
  return {
    ...(setting.sleeps
      ? {
          /** The sleep's time has come. */
          Elapse: action((s) => (s.due || !s.log.includes("wait_created") ? undefined : { due: true }))
        }
      : {}),
    ...(setting.works ? resumes({ setting, action }) : {}),
    ...Object.fromEntries(
      Object.entries(faults)
        .filter(([, [budget]]) => setting.budgetNames.includes(budget))
        .map(([name, [, action]]) => [name, action])
    )
  }
}

const resumes = ({ setting, action }: Part): Actions =>
  setting.payload === "written"
    ? {
        /** Somebody sends the payload: it is written, and a wake owed (HOOK-03). */
        Resume: action((s) => {
          if (s.client !== "none" || !s.log.includes("run_started")) return
          return { client: "owes", log: [...s.log, "hook_received"] }
        })
      }
    : {
        /** Somebody sends the payload on a message, for the delivery to write. */
        ResumeByMessage: action((s) => {
          if (s.client !== "none" || hasPayload(s.log) || !s.log.includes("run_started")) return
          return { client: "carried", queue: queued(s.queue, { kind: "payload", count: 0 }) }
        })
      }
