/**
 * The workflow's one step, as far as hooks are concerned: whether it begins inline. (HOOK-26, STEP-02)
 *
 *     called --StartInline--> started --EndBody--> outcome
 *            --ScheduleStep--> scheduled --RunStep--> outcome
 *
 * A step that is called beside the creation of a hook whose conflict the workflow asks about runs in the background: it
 * does not keep the delivery that is to tell the workflow of the conflict, and has not begun in it if the workflow then
 * ends.
 *
 * Changes `log`, `wakes` and `delivery`.
 *
 * @module
 */
import type { Action } from "../../checker/Language.ts"
import type { Run } from "./Config.ts"
import { decided } from "./Orchestrator.ts"
import { type Event, hasStep, isEnded, logOf, type Part, type State, send } from "./State.ts"

const event = (type: Event["type"]): Event => ({ type, hook: 0, by: null })

/** What is done about steps. */
export const stepActions = ({ setting, action }: Part): { readonly [name: string]: Action } => {
  const { runs, rules } = setting
  const stepping = runs.filter((run) => setting.workflows[run].includes("step"))
  if (stepping.length === 0) return {}

  /** A delivery that is to see to its run's step. */
  const calling = (s: State, run: Run) => {
    const decision = decided(setting, s, run)
    if (decision === undefined || decision.ended || decision.finished || decision.delivery.body) return
    return decision
  }

  return {
    /** The step begins inline: for the first time, or again after the delivery died that had begun it. */
    StartInline: action({ run: stepping }, (s, { run }) => {
      const decision = calling(s, run)
      if (decision === undefined) return
      const { delivery, begins, calls, asks } = decision
      const log = logOf(s, run)
      if (begins && !calls) return { delivery: { [run]: { ...delivery, body: true } } }
      if (!calls || (asks && rules["conflict-before-inline-steps"])) return
      // The answer reports what landed below.
      return {
        log: { [run]: [...log, event("started")] },
        delivery: { [run]: { ...delivery, seen: log.length + 1, body: true } }
      }
    }),

    /** The step is created for the background, and its message sent (HOOK-26, STEP-02). */
    ScheduleStep: action({ run: stepping }, (s, { run }) => {
      const decision = calling(s, run)
      if (decision === undefined || !decision.calls || !decision.asks) return
      const log = logOf(s, run)
      return {
        log: { [run]: [...log, event("scheduled")] },
        delivery: { [run]: { ...decision.delivery, seen: log.length + 1 } }
      }
    }),

    /** An inline body ends. Its outcome is written, unless the run has ended meanwhile. */
    EndBody: action({ run: stepping }, (s, { run }) => {
      const delivery = s.delivery[run]
      if (delivery === null || delivery === undefined || !delivery.body) return
      const log = logOf(s, run)
      if (isEnded(log)) return { delivery: { [run]: { ...delivery, body: false, seen: log.length } } }
      return {
        log: { [run]: [...log, event("outcome")] },
        delivery: { [run]: { ...delivery, body: false, seen: log.length + 1 } }
      }
    }),

    /** The step's message is delivered: its body runs unless the run has ended, its outcome is written, the run is woken. */
    RunStep: action({ run: stepping }, (s, { run }) => {
      const log = logOf(s, run)
      if (!hasStep(log, "scheduled") || hasStep(log, "outcome") || isEnded(log)) return
      return { log: { [run]: [...log, event("outcome")] }, ...send(setting, s, run) }
    })
  }
}
