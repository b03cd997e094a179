/**
 * Callers of `resumeHook()`, a webhook's handler among them. (HOOK-01, HOOK-03, HOOK-04, HOOK-06, HOOK-07, HOOK-08,
 * HOOK-34, HOOK-35, HOOK-44, HOOK-45, HOOK-46)
 *
 *     idle    --LookUp--> found | refused: nobody has the token
 *     found   --WritePayload--> written | idle: taken by force meanwhile, up to 3 times
 *                               | refused: disposed, or the run has ended
 *             | --AnswerConflict--> found, to be tried again
 *     written --SendWake--> done | --FailWake--> threw: the payload stays in the log
 *             | --LoseAnswer--> written, and the run is woken
 *
 * Changes `log`, `wakes`, `coalesced`, `caller` and `budget`; reads `token` and `delivery` besides.
 *
 * @module
 */
import type { Action } from "../../checker/Language.ts"
import { MAX_REDIRECTS } from "./Config.ts"
import { affords, type Event, isEnded, logOf, type Part, send, spend } from "./State.ts"

/** Whether and how a log says that a hook is given up. */
const disposalOf = (log: ReadonlyArray<Event>, hook: number): Event | undefined =>
  log.find((event) => event.type === "disposed" && event.hook === hook)

/** What callers do. */
export const callerActions = ({ setting, action }: Part): { readonly [name: string]: Action } => {
  const { callers, rules } = setting
  return {
    /** The caller looks up whose hook has the token (HOOK-34, HOOK-45). */
    LookUp: action({ caller: callers }, (s, { caller }) => {
      const one = s.caller[caller]
      if (one === undefined || one.at !== "idle" || (s.token === null && one.redirects === 0)) return
      return {
        caller: { [caller]: s.token === null ? { ...one, at: "refused" } : { ...one, at: "found", ...s.token } }
      }
    }),

    /**
     * The payload is written, out of band, if the hook is still to be had. One that was taken by force is followed to
     * its new owner (HOOK-01, HOOK-34, HOOK-35, HOOK-45).
     */
    WritePayload: action({ caller: callers }, (s, { caller }) => {
      const one = s.caller[caller]
      if (one === undefined || (one.at !== "found" && one.at !== "woken")) return
      const log = logOf(s, one.run)
      const disposal = disposalOf(log, one.hook)
      const refusal = { caller: { [caller]: { ...one, at: "refused" } } } as const
      const isTaken = disposal !== undefined && disposal.by !== null
      if (isEnded(log) && rules["refuse-resume-of-ended"]) return refusal
      if (disposal !== undefined && !isTaken) return refusal
      if (isTaken && rules["refuse-claimed-hook"]) {
        if (!rules["follow-claimed-token"] || one.redirects >= MAX_REDIRECTS) return refusal
        return { caller: { [caller]: { ...one, at: "idle", redirects: one.redirects + 1 } } }
      }
      return {
        log: { [one.run]: [...log, { type: "received", hook: one.hook, by: null }] },
        caller: { [caller]: { ...one, at: one.at === "woken" ? "done" : "written" } }
      }
    }),

    /** The run is woken. The wake says nothing that the log does not (HOOK-03, HOOK-04, HOOK-06). */
    SendWake: action({ caller: callers }, (s, { caller }) => {
      const one = s.caller[caller]
      if (one === undefined || one.at !== (rules["payload-written-before-wake"] ? "written" : "found")) return
      return {
        ...send(setting, s, one.run),
        caller: { [caller]: { ...one, at: rules["payload-written-before-wake"] ? "done" : "woken" } }
      }
    })
  }
}

/** What may go wrong with callers. */
export const callerFaults = ({ setting, action }: Part): { readonly [name: string]: Action } => {
  const faults = {
    /** Every attempt to wake the run fails, and the caller is told so: the payload is durable (HOOK-07, HOOK-08). */
    FailWake: action({ caller: setting.callers }, (s, { caller }) => {
      const one = s.caller[caller]
      if (one === undefined || !affords(s, "wakeFailures") || one.at !== "written") return
      return { caller: { [caller]: { ...one, at: "threw" } }, ...spend(s, "wakeFailures") }
    }),

    /** The World answers a payload with a 409 and has written nothing: the caller may try again (HOOK-44). */
    AnswerConflict: action({ caller: setting.callers }, (s, { caller }) => {
      const one = s.caller[caller]
      if (one === undefined || !affords(s, "conflicts") || one.at !== "found") return
      if (setting.rules["conflict-is-retryable"]) return spend(s, "conflicts")
      return { caller: { [caller]: { ...one, at: "refused" } }, ...spend(s, "conflicts") }
    }),

    /** A wake is sent, and its sender is not told so: it will be sent once more, and carries no key (HOOK-46). */
    LoseAnswer: action({ caller: setting.callers }, (s, { caller }) => {
      const one = s.caller[caller]
      if (one === undefined || !affords(s, "lostAnswers") || one.at !== "written") return
      return { ...send(setting, s, one.run), ...spend(s, "lostAnswers") }
    })
  }
  return {
    ...(setting.budgetNames.includes("wakeFailures") ? { FailWake: faults.FailWake } : {}),
    ...(setting.budgetNames.includes("conflicts") ? { AnswerConflict: faults.AnswerConflict } : {}),
    ...(setting.budgetNames.includes("lostAnswers") ? { LoseAnswer: faults.LoseAnswer } : {})
  }
}
