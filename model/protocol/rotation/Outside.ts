/**
 * Who wakes the run from outside: `CallWakeUp`, `SendPayload` and `SendSpareWake` each put one message in the queue. (HOOK-03, WORLD-58, WAKE-01, OOB-04)
 *
 * Changes `queue`, `wakeUp` and `budget`; reads `log` and `sleep` besides.
 *
 * @module
 */
import type { BudgetName } from "./Config.ts"
import { type Actions, affords, isOver, type Message, type Part, queued, SENT, type State, spend } from "./State.ts"

/** What happens outside. */
export const outsideActions = ({ setting, action }: Part): Actions => {
  const { budgetNames } = setting
  const sends = (s: State, name: BudgetName, message: Message) => ({
    ...spend(s, name),
    queue: queued(s.queue, message)
  })
  const outside = {
    /** `run.wakeUp()`: a message that names the wait that is open, and not due (WAKE-01). */
    CallWakeUp: action((s) => {
      if (s.log.at(-1) !== "wait_created" || s.sleep === 0 || !affords(s, "wakeUps")) return
      return { ...sends(s, "wakeUps", { ...SENT, carries: "wakeUp" }), wakeUp: "sent" }
    }),

    /** A resume whose payload is on its message (WORLD-58, HOOK-03). */
    SendPayload: action((s) => {
      if (s.log.at(-1) !== "hook_created" || !affords(s, "payloads")) return
      return sends(s, "payloads", { ...SENT, carries: "payload" })
    }),

    /** Somebody wakes the run for nothing (OOB-04). */
    SendSpareWake: action((s) => {
      if (s.log.length === 0 || isOver(s.log) || !affords(s, "spareWakes")) return
      return sends(s, "spareWakes", SENT)
    })
  }
  return {
    ...(budgetNames.includes("wakeUps") ? { CallWakeUp: outside.CallWakeUp } : {}),
    ...(budgetNames.includes("payloads") ? { SendPayload: outside.SendPayload } : {}),
    ...(budgetNames.includes("spareWakes") ? { SendSpareWake: outside.SendSpareWake } : {})
  }
}
