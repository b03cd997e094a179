/**
 * `start()`, and everybody else who writes to the run or wakes it. (TURBO-03, TURBO-19, TURBO-22, TURBO-27, OOB-01, OOB-04, HOOK-03, WORLD-58, STEP-20, ROT-14, COAL-02)
 *
 *     start         --CreateRun | LoseCreation--> creation behind it --SendStart--> done; --SendStartAgain--> a second message
 *     a client      --Cancel | ReceivePayload--> an event, and a wake | --ResumeByMessage--> a message with a payload
 *                   | --SendSpareWake | SendEarlyWake--> a message that nothing is owed to
 *     a step's own message  queued --RunStep--> its outcome, and a wake | --HandOffStep, near its expiry--> old
 *
 * Changes `log`, `start`, `queue`, `steps` and `budget`.
 *
 * @module
 */
import type { Action } from "../../checker/Language.ts"
import type { BudgetName } from "./Config.ts"
import { has, hasEnded, hasOutcome } from "./Deciding.ts"
import {
  type Actions,
  afforded,
  affords,
  type Event,
  type Part,
  queued,
  type State,
  spend,
  type Update,
  WAKE
} from "./State.ts"

const appends = (s: State, event: Omit<Event, "by">): Update => ({
  log: [...s.log, { ...event, by: "outside" }],
  queue: queued(s.queue, WAKE)
})

/** What `start` does, and what steps in the background do. */
export const clientActions = ({ setting, action }: Part): Actions => ({
  /** `start` writes the run's creation; one that has been created meanwhile is the same run (TURBO-22). */
  CreateRun: action((s) => {
    if (s.start.created) return
    const start = { ...s.start, created: true }
    return s.log.length > 0 ? { start } : { start, log: [{ type: "run_created", entity: 0, by: "start" }] }
  }),
  /**
   * `start` sends the first message, the only one with the run's input, whether or not the creation landed (TURBO-03).
   */
  SendStart: action((s) => {
    if (!s.start.created || s.start.sent) return
    return { start: { ...s.start, sent: true }, queue: queued(s.queue, { ...WAKE, input: true }) }
  }),
  ...(setting.background
    ? {
        /**
         * A background step's message is delivered: its body runs, its outcome is written, and the run is woken
         * (STEP-20, OOB-01, OOB-04).
         */
        RunStep: action({ entity: setting.entities }, (s, { entity }) => {
          if (s.steps[entity] === "none" || hasEnded(s.log)) return
          return { ...appends(s, { type: "step_completed", entity }), steps: { [entity]: "none" } }
        })
      }
    : {})
})

/** What the environment may do. */
export const environmentActions = ({ setting, action }: Part): Actions =>
  afforded(setting, {
    ...(setting.background ? handOffStep({ setting, action }) : {}),
    /** The creation never lands, and `start` sends its message all the same (TURBO-27). */
    LoseCreation: [
      "lostCreations",
      action((s) => {
        if (s.start.created || !affords(s, "lostCreations")) return
        return { ...spend(s, "lostCreations"), start: { ...s.start, created: true } }
      })
    ],
    /** `cancel()` (TURBO-19). */
    Cancel: [
      "cancels",
      action((s) => {
        if (s.log.length === 0 || hasEnded(s.log) || !affords(s, "cancels")) return
        return { ...appends(s, { type: "run_cancelled", entity: 0 }), ...spend(s, "cancels") }
      })
    ],
    /** `resumeHook()`: the payload is written, and then the run is woken (HOOK-03). */
    ReceivePayload: [
      "payloads",
      action({ entity: setting.entities }, (s, { entity }) => {
        if (!waits(s, entity) || !affords(s, "payloads")) return
        return { ...appends(s, { type: "hook_received", entity }), ...spend(s, "payloads") }
      })
    ],
    /** A resume that puts its payload on the message, for the delivery to write (WORLD-58, COAL-02). */
    ResumeByMessage: [
      "legacyResumes",
      action({ entity: setting.entities }, (s, { entity }) => {
        if (!waits(s, entity) || !affords(s, "legacyResumes")) return
        return { ...spend(s, "legacyResumes"), queue: queued(s.queue, { ...WAKE, hookInput: true }) }
      })
    ],
    /** A message that nothing is owed to, of a run that has started. */
    SendSpareWake: [
      "spareWakes",
      action((s) => {
        if (!has(s.log, "run_started") || !affords(s, "spareWakes")) return
        return { ...spend(s, "spareWakes"), queue: queued(s.queue, WAKE) }
      })
    ],
    /** A wake that may come before the start message does, as `run.wakeUp()` may: of a run that exists. */
    SendEarlyWake: [
      "earlyWakes",
      action((s) => {
        if ((setting.rules["wake-needs-run"] && s.log.length === 0) || !affords(s, "earlyWakes")) return
        return { ...spend(s, "earlyWakes"), queue: queued(s.queue, WAKE) }
      })
    ],
    /** The start message is sent again: a client that heard no answer does not know that the first one was taken. */
    SendStartAgain: [
      "secondStarts",
      action((s) => {
        if (!s.start.sent || !affords(s, "secondStarts")) return
        return { ...spend(s, "secondStarts"), queue: queued(s.queue, { ...WAKE, input: true }) }
      })
    ]
  })

const waits = (s: State, entity: number): boolean =>
  has(s.log, "hook_created", entity) && !hasOutcome(s.log, entity) && !hasEnded(s.log)

const handOffStep = ({ setting, action }: Part): { readonly HandOffStep: readonly [BudgetName, Action] } => ({
  /** A step's message, near its expiry, is handed off: on itself, or as a copy that its own key drops (ROT-14). */
  HandOffStep: [
    "ages",
    action({ entity: setting.entities }, (s, { entity }) => {
      if (s.steps[entity] !== "queued" || !affords(s, "ages")) return
      return { ...spend(s, "ages"), steps: { [entity]: setting.rules["step-message-not-rotated"] ? "old" : "none" } }
    })
  ]
})
