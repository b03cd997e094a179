/**
 * Writers outside the orchestrator: invocations of the background step, and clients. (LOG-04, LOG-11, LOG-21, LOG-26, LOG-28,
 * OOB-11, OOB-13, POST-07)
 *
 *     idle --CallOutside--> writing --AnswerOutside--> done | refused
 *                             │ ▲  └─ its slot was sealed: written again
 *                 LoseAnswer  ▼ │ ReadBack: it is not there
 *                           unknown ─────────ReadBack: it is there──▶ done
 *
 * They hold no log and get no report (POST-07). The documents do not say what one is answered whose slot was sealed;
 * here the write is made again. A write whose answer was lost is made again only when the log does not hold it, and the
 * log is read when the first write is through: one that is still on its way then would be a second outcome, and inert.
 *
 * Changes `request`, `outside` and `reported`; reads `log` besides.
 *
 * @module
 */
import type { Action } from "../../checker/Language.ts"
import type { Setting } from "./Config.ts"
import { below } from "./Deliveries.ts"
import { endsRun, holds, type Item, isCommitted, isSettled, type Rows, status } from "./Log.ts"
import type { Part, Request, State } from "./State.ts"
import { isHandled } from "./World.ts"

/** The event that a writer outside wants in the log. */
const wanted = (setting: Setting, writer: string): Item => {
  const purpose = setting.purposes[writer]
  if (purpose === "cancel") return { type: "run_cancelled" }
  if (purpose === "wait") return { type: "wait_completed", entity: "wait", value: writer }
  return { type: "step_completed", entity: "background", value: writer }
}

/** Whether the log holds what a writer outside wanted in it. */
export const hasLanded = (setting: Setting, rows: Rows, writer: string): boolean => {
  const item = wanted(setting, writer)
  return rows.some(({ type, value }) => type === item.type && value === item.value)
}

const written = (setting: Setting, writer: string): Request => ({
  at: "sent",
  items: [wanted(setting, writer)],
  expected: 0,
  seen: 0,
  slots: [],
  handled: 0
})

/** Whether the run is where this writer can come about: a step's invocation follows its creation. */
const mayBegin = (s: State, setting: Setting, writer: string): boolean =>
  setting.purposes[writer] !== "outcome" || holds(s.log, "step_created", "background")

/** The calls of writers outside: they belong to the environment. */
export const outsideCalls = ({ setting, action }: Part): { readonly [name: string]: Action } =>
  setting.outside.length === 0
    ? {}
    : {
        /** Somebody outside the orchestrator writes (LOG-04, LOG-21, LOG-26, LOG-28, OOB-11). */
        CallOutside: action({ writer: setting.outside }, (s, { writer }) => {
          if (s.outside[writer] !== "idle" || !mayBegin(s, setting, writer)) return
          return { outside: { [writer]: "writing" }, request: { [writer]: written(setting, writer) } }
        })
      }

/** What becomes of writes from outside. */
export const outsideActions = ({ setting, action }: Part): { readonly [name: string]: Action } => {
  const { outside, rules, budgetNames } = setting
  const answers = {
    /**
     * The World's answer: the event is committed, or the run takes no more. A write that lost its slot is made again
     * (POST-07, LOG-11, OOB-13).
     */
    AnswerOutside: action({ writer: outside }, (s, { writer }) => {
      const request = s.request[writer]
      const slot = request?.slots[0]
      if (!request || s.outside[writer] !== "writing" || request.abandoned) return
      if (request.refused !== undefined) return { outside: { [writer]: "refused" }, request: { [writer]: null } }
      if (slot === undefined) return
      if (!isHandled(request)) {
        if (rules["answer-after-commit"]) return
        return { outside: { [writer]: "done" }, request: { [writer]: { ...request, abandoned: true } } }
      }
      const cell = s.log[slot - 1]
      if (cell === undefined || !isCommitted(cell)) return { request: { [writer]: written(setting, writer) } }
      const told = { outside: { [writer]: "done" }, request: { [writer]: null } } as const
      if (!endsRun(cell.type)) return told
      if (rules["end-answers-when-settled"] && !below(s, request).every(isSettled)) return
      return { ...told, reported: status(s.log) }
    })
  }
  const rereads = {
    /** The answer was lost: the writer reads whether its event is there, once the whole log is settled. */
    ReadBack: action({ writer: outside }, (s, { writer }) => {
      if (s.outside[writer] !== "unknown" || s.request[writer] !== null || !s.log.every(isSettled)) return
      if (hasLanded(setting, s.log, writer)) return { outside: { [writer]: "done" } }
      return { outside: { [writer]: "writing" }, request: { [writer]: written(setting, writer) } }
    })
  }
  if (outside.length === 0) return {}
  return budgetNames.includes("losses") || budgetNames.includes("drops") ? { ...answers, ...rereads } : answers
}
