/**
 * Everybody else: steps that run elsewhere, time, clients, and faults. (OOB-01, OOB-04, HOOK-03, HOOK-18, WAIT-92,
 * AHEAD-20, AHEAD-22, FENCE-04, STEP-20, STEP-47, WORLD-10)
 *
 *     a step elsewhere   --CompleteElsewhere--> its outcome | --CompleteAgain--> the same once more, and inert
 *     a wait             --ComeDue--> due | --CompleteWaitOutside, without `waits-complete-in-band`--> completed
 *     a client           --ReceivePayload | ReceiveUnread | Cancel--> an event
 *     a delivery         --Crash--> gone | --LapseLease--> lives on without its lease | --SlipVm--> holds less than its log
 *
 * Each of them appends at the next slot, wherever the orchestrator's writes are, and wakes the run.
 *
 * Changes `log`, `message`, `holder`, `delivery`, `bodies`, `due` and `budget`.
 *
 * @module
 */
import { ended } from "./Delivery.ts"
import { type Actions, affords, counted, type Event, type Part, type State, spend, type Update } from "./State.ts"
import { consumedBy, decide, eventOf, hasCreated, hasEnded, hasOutcome, isElsewhere } from "./Workflow.ts"
import { withoutStart } from "./Writer.ts"

const appends = (s: State, event: Event): Update => ({ log: [...s.log, event], message: true })

/** What happens by itself sooner or later: steps elsewhere end, and waits come due. */
export const outsideActions = ({ setting, action }: Part, canRunElsewhere: boolean): Actions => ({
  ...(canRunElsewhere
    ? {
        /** A background step's invocation writes its outcome, and wakes the run (OOB-01, STEP-20, OOB-04). */
        CompleteElsewhere: action({ entity: setting.entities }, (s, { entity }) => {
          if (!isElsewhere(s.log, entity) || hasOutcome(s.log, entity)) return
          return appends(s, eventOf("step_completed", entity))
        })
      }
    : {}),
  ...(setting.waits.length > 0
    ? {
        /** A wait's time has come, and its timer is delivered. A wait that is far off does not come due in a delivery's life. */
        ComeDue: action({ wait: setting.waits }, (s, { wait }) => {
          if (s.due[wait] === true || !hasCreated(s.log, wait)) return
          if (!setting.waitsComeDue && setting.deliveries.some((d) => s.delivery[d] !== null)) return
          return { due: { [wait]: true }, message: true }
        })
      }
    : {})
})

/** What clients and faults may do, as far as there is a budget for it. */
export const environmentActions = ({ setting, action }: Part): Actions => {
  const all: Actions = {
    /** `resumeHook`: a payload for a hook that the run has created (HOOK-03). */
    ReceivePayload: action({ entity: setting.entities }, (s, { entity }) => {
      const isHook = s.log.some((event) => event.type === "hook_created" && event.entity === entity)
      if (!isHook || hasOutcome(s.log, entity) || hasEnded(s.log) || !affords(s, "payloads")) return
      return { ...appends(s, eventOf("hook_received", entity)), ...spend(s, "payloads") }
    }),
    /** A payload for a hook of the run that nobody ever awaits (HOOK-18). */
    ReceiveUnread: action((s) => {
      if (hasEnded(s.log) || !affords(s, "unread")) return
      return { ...appends(s, eventOf("hook_received", 0)), ...spend(s, "unread") }
    }),
    /** `cancel()`: no hazard wherever it lands (AHEAD-20). */
    Cancel: action((s) => {
      if (hasEnded(s.log) || !affords(s, "cancels")) return
      return { ...appends(s, eventOf("run_cancelled", 0)), ...spend(s, "cancels") }
    }),
    /** A second owner of a background step writes its outcome once more: inert (WORLD-10, STEP-47). */
    CompleteAgain: action({ entity: setting.entities }, (s, { entity }) => {
      if (!isElsewhere(s.log, entity) || !hasOutcome(s.log, entity) || !affords(s, "strays")) return
      return { ...appends(s, eventOf("step_completed", entity)), ...spend(s, "strays") }
    }),
    /**
     * Somebody else than the orchestrator completes a wait, which a World that follows the rule refuses (WAIT-92,
     * AHEAD-22).
     */
    CompleteWaitOutside: action({ wait: setting.waits }, (s, { wait }) => {
      if (!hasCreated(s.log, wait) || hasOutcome(s.log, wait) || hasEnded(s.log) || !affords(s, "wakeUps")) return
      return { ...appends(s, eventOf("wait_completed", wait)), ...spend(s, "wakeUps") }
    }),
    /** The delivery's process dies; its message comes back if it held the lease. */
    Crash: action({ delivery: setting.deliveries }, (s, { delivery: d }) => {
      const o = s.delivery[d]
      if (!o || !affords(s, "crashes")) return
      return {
        ...ended(s, d, true),
        ...spend(s, "crashes"),
        bodies: counted(s, setting, [], withoutStart(s.log, d, o))
      }
    }),
    /** The delivery stalls past its lease. Its message goes back, and it lives on (FENCE-04). */
    LapseLease: action({ delivery: setting.deliveries }, (s, { delivery: d }) => {
      if (s.holder !== d || !affords(s, "lapses")) return
      return { holder: null, message: true, ...spend(s, "lapses") }
    }),
    /** The retained VM comes to hold less than the log that it was given. */
    SlipVm: action({ delivery: setting.deliveries }, (s, { delivery: d }) => {
      const o = s.delivery[d]
      if (o?.phase !== "running" || o.view.length === 0 || o.queue.length > 0 || !affords(s, "slips")) return
      return { ...spend(s, "slips"), delivery: { [d]: { ...o, view: o.view.slice(0, -1) } } }
    })
  }
  const budgets = {
    ReceivePayload: "payloads",
    ReceiveUnread: "unread",
    Cancel: "cancels",
    CompleteAgain: "strays",
    CompleteWaitOutside: "wakeUps",
    Crash: "crashes",
    LapseLease: "lapses",
    SlipVm: "slips"
  } as const
  const happens = (name: string): boolean => name !== "CompleteWaitOutside" || !setting.rules["waits-complete-in-band"]
  return Object.fromEntries(
    Object.entries(all).filter(
      ([name]) =>
        happens(name) &&
        Object.entries(budgets).some(([action, budget]) => action === name && setting.budgetNames.includes(budget))
    )
  )
}

/** Whether the run waits for a client alone: all that its log leaves open is a hook without a payload. */
export const waitsForClients = (setting: Part["setting"], s: State): boolean => {
  const found = decide(setting, consumedBy(setting, s.log))
  const open = found.calls.filter(({ id }) => found.open.includes(id))
  return (
    found.settled === null &&
    open.length > 0 &&
    open.some(({ kind }) => kind === "hook") &&
    open.every(({ id, kind }) => kind === "hook" && hasCreated(s.log, id) && !hasOutcome(s.log, id))
  )
}
