/**
 * The abstract level: what a run is, before anybody asks how it is kept. (CAC-01, LOG-08, WORLD-10, LOG-33, FENCE-01,
 * WORLD-46)
 *
 * A run is one linear history of decisions and outside events. A decision is a function of what comes before it. A call
 * is resolved once. A run that can end ends. There are no messages, no deliveries, no leases and no counts: whatever the
 * protocol does with those, it must come to this. {@link isAbstractStep} says that one step of the protocol does, and is
 * a property of every spec of it (`RefinesRunProp`).
 *
 * | variable  | what it holds                                   |
 * | --------- | ----------------------------------------------- |
 * | `history` | everything that has happened, in order           |
 *
 *     Create, and then Call | Resolve | Resume, any number of times, until End | Cancel
 *
 * @module
 */
import { Schema } from "effect"
import { type Spec, type Switch, spec, variables } from "../../checker/Language.ts"
import { leavesOf, type Program } from "../../programs/index.ts"
import { creates, type Log } from "../Log.ts"
import { called, decisionsAfter, ended, type History, HistoryEvent, historyOf, isOver, isSame } from "./History.ts"

/** What the abstract level says besides, each of which can be switched off. */
export const abstractSwitches = {
  "resolved-once": {
    rule: "A call that has been resolved is not resolved again.",
    ids: ["LOG-08", "WORLD-10"],
    violates: "OneOutcomePerCallInv"
  },
  "decided-by-prefix": {
    rule: "What the workflow calls is what it calls after the history so far.",
    ids: ["CAC-01", "RUN-24"],
    violates: "DecisionsReplayInv"
  }
} as const satisfies { readonly [rule: string]: Switch }

type AbstractRules = { readonly [rule in keyof typeof abstractSwitches]: boolean }

const vocabulary = variables({ history: Schema.Array(HistoryEvent) })

/** The calls that a program makes after a history and that are not in it. */
export const missingCalls = (program: Program, history: History): History =>
  decisionsAfter(program, history)
    .calls.filter(({ id }) => !history.some((event) => event.type === "called" && event.id === id))
    .map(called)

/** A call that a history has. */
interface Called {
  readonly id: number
  readonly kind: "step" | "hook" | "wait"
}

/** The calls of a history that have not been resolved: those that the outside world may resolve. */
export const openCalls = (history: History): ReadonlyArray<Called> =>
  history.flatMap((event) =>
    event.type === "called" && !history.some((other) => other.type === "resolved" && other.id === event.id)
      ? [{ id: event.id, kind: event.kind }]
      : []
  )

/** How the outside world may resolve a call: a step completes or fails, a hook receives a payload, a sleep elapses. */
export const resolutionsOf = ({ id, kind }: Called): History => {
  if (kind === "hook") return [{ type: "resolved", id, as: "received" }]
  if (kind === "wait") return [{ type: "resolved", id, as: "elapsed" }]
  return [
    { type: "resolved", id, as: "completed" },
    { type: "resolved", id, as: "failed" }
  ]
}

/** How the workflow ends after a history, if it does. */
export const endAfter = (program: Program, history: History): History => {
  const { settled } = decisionsAfter(program, history)
  return settled === undefined ? [] : [ended(settled)]
}

const cancelled: HistoryEvent = { type: "ended", as: "cancelled", result: null }

/** Every event that may come next. */
export const nextEvents = (program: Program, history: History): History => {
  if (history.length === 0) return [{ type: "created" }]
  if (isOver(history)) return []
  const resolved = openCalls(history).flatMap(resolutionsOf)
  return [...missingCalls(program, history), ...resolved, ...endAfter(program, history), cancelled]
}

/** Whether what comes of one event more is a step of the abstract spec, or stutters. */
const isOneStep = (program: Program, from: Log, to: Log): boolean => {
  const before = historyOf(from)
  const after = historyOf(to)
  const same = before.every((event, at) => isSame(event, after[at]))
  if (!same || after.length > before.length + 1) return false
  const last = after.at(before.length)
  return last === undefined || nextEvents(program, before).some((event) => isSame(event, last))
}

/**
 * Whether a step from one log to another is a step of the abstract spec, or stutters (FENCE-01). One that appends several
 * events is as many steps, one behind the other: calls that the workflow makes at once, and nothing else (WORLD-46).
 */
export const isAbstractStep =
  (program: Program) =>
  (from: Log, to: Log): boolean => {
    if (to.length <= from.length + 1) return isOneStep(program, from, to)
    const appended = to.slice(from.length)
    return (
      appended.every((event) => event !== null && creates(event)) &&
      isOneStep(program, from, to.slice(0, from.length)) &&
      appended.every((_, at) => isOneStep(program, to.slice(0, from.length + at), to.slice(0, from.length + at + 1)))
    )
  }

/** The abstract spec of a program. Its hooks may never be resumed, and nobody need cancel it; its steps do end. */
export const abstractRun = (program: Program, rules: AbstractRules, name = "abstract"): Spec => {
  const { action, leadsTo } = vocabulary
  const ids = leavesOf(program).map((_, at) => at + 1)
  const waits = leavesOf(program).some(({ _tag }) => _tag === "Hook")
  const first = rules["decided-by-prefix"] ? undefined : { type: "called" as const, kind: "step" as const, name: "?" }
  return spec({
    name,
    variables: vocabulary,
    init: { history: [] },
    actions: {
      /** A client starts the run. */
      Create: action((s) => (s.history.length === 0 ? { history: [{ type: "created" }] } : undefined)),
      /** A decision: the workflow makes a call that it makes after this history (CAC-01). */
      Call: action({ call: ids }, (s, { call }) => {
        if (s.history.length === 0 || isOver(s.history)) return
        const event = missingCalls(program, s.history).find((one) => one.type === "called" && one.id === call)
        if (event !== undefined) return { history: [...s.history, event] }
        const known = s.history.some((one) => one.type === "called" && one.id === call)
        return first === undefined || known ? undefined : { history: [...s.history, { ...first, id: call }] }
      }),
      /** The outside world resolves a call (LOG-08, WORLD-10). */
      Resolve: action({ call: ids }, (s, { call }) => {
        if (isOver(s.history)) return
        const made = s.history.find((event) => event.type === "called" && event.id === call)
        if (made?.type !== "called" || made.kind === "hook") return
        if (rules["resolved-once"] && !openCalls(s.history).some(({ id }) => id === call)) return
        if (s.history.filter((event) => event.type === "resolved" && event.id === call).length > 1) return
        return resolutionsOf(made).map((event) => ({ history: [...s.history, event] }))
      }),
      ...(waits && {
        /** A payload reaches a hook, if anybody sends one. */
        Resume: action({ call: ids }, (s, { call }) => {
          const open = openCalls(s.history).find(({ id, kind }) => id === call && kind === "hook")
          if (open === undefined || isOver(s.history)) return
          return { history: [...s.history, { type: "resolved", id: call, as: "received" }] }
        })
      }),
      /** The workflow has returned or thrown (LOG-33). */
      End: action((s) => {
        if (isOver(s.history)) return
        return endAfter(program, s.history).map((event) => ({ history: [...s.history, event] }))
      }),
      /** A client ends the run. */
      Cancel: action((s) =>
        s.history.length === 0 || isOver(s.history) ? undefined : { history: [...s.history, cancelled] }
      )
    },
    environment: ["Create", ...(waits ? ["Resume"] : []), "Cancel"],
    invariants: {
      /** Each call is resolved at most once. */
      OneOutcomePerCallInv: (s) =>
        ids.every((id) => s.history.filter((event) => event.type === "resolved" && event.id === id).length <= 1),
      /** Every call is one that the workflow makes after what is before it. */
      DecisionsReplayInv: (s) =>
        s.history.every((event, at) => {
          if (event.type !== "called") return true
          const { calls } = decisionsAfter(program, s.history.slice(0, at))
          return calls.some((call) => isSame(event, called(call)))
        })
    },
    temporal: {
      /** A workflow that has settled ends. */
      SettledLeadsToEnd: leadsTo(
        (s) => s.history.length > 0 && endAfter(program, s.history).length > 0,
        (s) => isOver(s.history)
      ),
      ...(!waits && {
        /** A run that waits for nobody ends. */
        CreatedLeadsToEnd: leadsTo(
          (s) => s.history.length > 0,
          (s) => isOver(s.history)
        )
      })
    },
    // No step is promised to succeed: fair is that it ends one way or the other.
    fairness: { Call: { weak: ["call"] }, Resolve: { weak: ["call"] }, End: "weak" },
    deadlock: "allowed"
  })
}
