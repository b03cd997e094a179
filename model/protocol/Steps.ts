/**
 * Background steps: their messages, and the deliveries that run them. (STEP-05, STEP-20, STEP-21, STEP-22, STEP-23,
 * STEP-24, STEP-25, STEP-26, STEP-28, STEP-29, STEP-30, STEP-31, STEP-42, STEP-46, STEP-74, DEDUPE-01, DEDUPE-03,
 * DEDUPE-04, DEDUPE-10, ONCE-01, ONCE-02, ONCE-03, ONCE-04, ONCE-05, ONCE-07, OOB-01, OOB-02, OOB-03, OOB-04)
 *
 *     queued --DeliverStep--> held --AcknowledgeStep--> gone
 *                             held --AskRedeliveryStep | CrashStep | RejectStep--> queued
 *                             held --LapseLeaseStep--> queued, and the delivery lives on without its lease
 *
 * A delivery does, in order:
 *
 *     plain first delivery: write step_started (attempt 1), body, report
 *     any other: load the log (LoadLogStep);
 *       step ended: wake, acknowledge | run ended: acknowledge
 *       last event a step_retrying, not due yet: redeliver
 *       past its last attempt: write step_failed, wake, acknowledge
 *       else: write step_started (starts + 1), body, report
 *     report, completed or failed: write the outcome, wake, acknowledge
 *             to be tried again: write step_retrying, wake, redeliver
 *
 *     write | report   --CommitOutOfBandStep--> next
 *                      | --RefuseOutOfBandStep, the run has ended--> acknowledge
 *                      | --RefuseOutOfBandStep, the step has ended--> wake, acknowledge
 *     body             --BeginBodyStep--> running --EndBodyStep--> report
 *     wake             --SendWakeStep--> next
 *
 * It never replays the workflow, and all of its writes are out-of-band.
 *
 * Changes `log`, `queue`, `messages`, `invocations`, `begun`, `budget` and `minted`.
 *
 * @module
 */
import { bagOf, distinct, withMessage, without } from "./Bags.ts"
import { bodyOutcomes, payFor } from "./Bodies.ts"
import type { Setting } from "./Config.ts"
import { isPastLimit, outcomeOf } from "./Decisions.ts"
import { appendOutOfBand, stepVerdict } from "./Fence.ts"
import { hasEnded, type Log, stepsIn, type Write } from "./Log.ts"
import { delivered, minted, wake } from "./Queue.ts"
import {
  type Actions,
  type Invocation,
  only,
  type Part,
  type State,
  type StepMessage,
  type StepOperation,
  type Update
} from "./State.ts"

/**
 * Sends a step's message under the step's key: it is dropped while a message of that key lives (DEDUPE-04). An input
 * that is too large for a message is left out of it, and how large inputs are is not modelled: in exact detail it may
 * be so of any (STEP-74, STEP-42, DEDUPE-01, DEDUPE-03).
 */
export const sendStep = (
  s: State,
  setting: Setting,
  step: number,
  marks: Pick<StepMessage, "retry" | "resent">
): ReadonlyArray<Update> => {
  const waiting = s.messages[step] ?? []
  const lives = waiting.length > 0 || (s.invocations[step] ?? []).some(({ lease }) => lease === "held")
  if (setting.rules["step-key"] && lives) return [{}]
  const { message, update } = minted(s, setting)
  const sent: StepMessage = { ...message, ...marks }
  const messages: ReadonlyArray<StepMessage> = setting.exact ? [sent, { ...sent, bare: true }] : [sent]
  return messages.map((one) => ({ ...update, messages: { [step]: withMessage(waiting, one) } }))
}

/** Whether the delivery may start the step from its message alone (STEP-21, STEP-74, STEP-46, DEDUPE-10, ONCE-04). */
const isPlainFirst = ({ rules }: Setting, { deliveryCount, retry, resent, bare }: StepMessage): boolean =>
  deliveryCount === 1 && !retry && !bare && !(resent && rules["resent-reads-log"])

const start = (step: number, attempt: number): ReadonlyArray<StepOperation> => [
  { op: "write", event: { type: "step_started", entity: step, attempt } },
  { op: "begin", attempt }
]

/**
 * What a delivery that read the log goes on to do. Time is not modelled: a retry may or may not be due (STEP-22,
 * STEP-23, STEP-24, STEP-25, ONCE-05, OOB-03).
 */
const decided = (setting: Setting, log: Log, step: number): ReadonlyArray<ReadonlyArray<StepOperation>> => {
  const facts = stepsIn(log).find(({ entity }) => entity === step)
  if (facts === undefined) throw new Error(`step ${step} has a message and was never created`)
  if (facts.ended) {
    return [setting.rules["terminal-wake"] ? [{ op: "wake" }, { op: "acknowledge" }] : [{ op: "acknowledge" }]]
  }
  if (hasEnded(log)) return [[{ op: "acknowledge" }]]
  const attempt = facts.starts + 1
  const goes: ReadonlyArray<StepOperation> = isPastLimit(setting, facts.name, attempt)
    ? [{ op: "write", event: { type: "step_failed", entity: step, attempt } }, { op: "wake" }, { op: "acknowledge" }]
    : start(step, attempt)
  return facts.retrying ? [goes, [{ op: "redeliver" }]] : [goes]
}

/** The write that a delivery is about to make. */
export const nextWrite = (
  setting: Setting,
  log: Log,
  step: number,
  next: StepOperation | undefined
): Write | undefined =>
  next?.op === "write"
    ? next.event
    : next?.op === "report"
      ? outcomeOf(setting, log, { entity: step, ...next }, next.outcome)
      : undefined

/** The invocations of a step, with one of them further on, or gone. */
const withInvocation = (s: State, step: number, at: number, todo?: ReadonlyArray<StepOperation>): Update => ({
  invocations: {
    [step]: (s.invocations[step] ?? []).flatMap((one, i) =>
      i !== at ? [one] : todo === undefined ? [] : [{ ...one, todo }]
    )
  }
})

/** The delivery is over, and its message goes back to the queue if it still held it. */
export const returnedStep = (s: State, step: number, at: number): Update => {
  const one = s.invocations[step]?.[at]
  const back = one?.lease === "held" ? { messages: { [step]: withMessage(s.messages[step] ?? [], one.message) } } : {}
  return { ...withInvocation(s, step, at), ...back }
}

/** The domain of a delivery of a step's message: its place among that step's deliveries. */
export const places =
  (setting: Setting) =>
  (s: State): ReadonlyArray<number> => {
    const most = Math.max(0, ...setting.entities.map((step) => s.invocations[step]?.length ?? 0))
    return Array.from({ length: most }, (_, at) => at)
  }

/** The actions of step deliveries (STEP-20, OOB-02). */
export const stepActions = ({ setting, action }: Part): Actions => {
  const domains = { step: setting.entities, delivery: places(setting) }
  const on = (
    next: (s: State, step: number, at: number, one: Invocation) => Update | ReadonlyArray<Update> | undefined
  ) =>
    action(domains, (s, { step, delivery }) => {
      const one = s.invocations[step]?.[delivery]
      return one && next(s, step, delivery, one)
    })
  const head = (op: StepOperation["op"], one: Invocation) => one.todo[0]?.op === op
  const rest = (one: Invocation) => one.todo.slice(1)
  const { can, budgetNames } = setting
  if (!can.background) return {}

  return {
    /** The queue claims a step's message. Step messages are never held back, nor coalesced (STEP-05, ONCE-01). */
    DeliverStep: action(
      {
        step: setting.entities,
        // A domain cannot depend on another parameter: a message that is another step's is not enabled below.
        message: (s) => distinct(bagOf(setting.entities.flatMap((step) => s.messages[step] ?? [])))
      },
      (s, { step, message }) => {
        const waiting = s.messages[step] ?? []
        const left = without(waiting, message)
        if (left.length === waiting.length) return
        const claimed = delivered(setting, message)
        const todo: ReadonlyArray<StepOperation> = isPlainFirst(setting, claimed) ? start(step, 1) : [{ op: "load" }]
        const one: Invocation = { message: claimed, lease: "held", todo }
        return { messages: { [step]: left }, invocations: { [step]: [...(s.invocations[step] ?? []), one] } }
      }
    ),

    ...only(can.resend || budgetNames.includes("retries") || setting.exact, {
      /** Any delivery but a plain first one reads the log before it does anything (STEP-21). */
      LoadLogStep: on((s, step, at, one) =>
        head("load", one) ? decided(setting, s.log, step).map((todo) => withInvocation(s, step, at, todo)) : undefined
      )
    }),

    /** A start, an outcome, or a retry (STEP-26, STEP-28, STEP-30, STEP-31, OOB-01). */
    CommitOutOfBandStep: on((s, step, at, one) => {
      const next = one.todo[0]
      const event = nextWrite(setting, s.log, step, next)
      if (event === undefined || stepVerdict(s.log, setting, event) !== "accepted") return
      const after: ReadonlyArray<StepOperation> =
        next?.op === "write"
          ? rest(one)
          : [{ op: "wake" }, { op: event.type === "step_retrying" ? "redeliver" : "acknowledge" }]
      return { ...appendOutOfBand(s, event), ...withInvocation(s, step, at, after) }
    }),

    ...only(can.endEarly || (can.overlap && setting.rules["ended-step-refuses-start"]), {
      /**
       * The run has ended: no start and no retry is accepted, and there is nothing left to do. (Where a World refuses the
       * start of a step that has ended, the wake of its outcome may be lost: it is sent again.)
       */
      RefuseOutOfBandStep: on((s, step, at, one) => {
        const event = nextWrite(setting, s.log, step, one.todo[0])
        const verdict = event === undefined ? "accepted" : stepVerdict(s.log, setting, event)
        if (verdict === "accepted") return
        return withInvocation(
          s,
          step,
          at,
          verdict === "expired" || !setting.rules["refused-start-wakes"]
            ? [{ op: "acknowledge" }]
            : [{ op: "wake" }, { op: "acknowledge" }]
        )
      })
    }),

    /** The body begins, once its start committed. Only an owner that holds its lease promises a bound (ONCE-07). */
    BeginBodyStep: on((s, step, at, one) => {
      const next = one.todo[0]
      if (next?.op !== "begin") return
      const begun = (s.begun[step] ?? 0) + (one.lease === "held" ? 1 : 0)
      return { begun: { [step]: begun }, ...withInvocation(s, step, at, [{ op: "end", attempt: next.attempt }]) }
    }),

    /** The body ends, and its outcome is the next thing to write. */
    EndBodyStep: action({ ...domains, outcome: bodyOutcomes(setting) }, (s, { step, delivery, outcome }) => {
      const next = s.invocations[step]?.[delivery]?.todo[0]
      const paid = next?.op === "end" && payFor(s, outcome)
      if (next?.op !== "end" || !paid) return
      return { ...paid, ...withInvocation(s, step, delivery, [{ op: "report", attempt: next.attempt, outcome }]) }
    }),

    /** One plain wake of the orchestrator, after what it is for has committed (OOB-01, OOB-04). */
    SendWakeStep: on((s, step, at, one) =>
      head("wake", one) ? { ...wake(s, setting), ...withInvocation(s, step, at, rest(one)) } : undefined
    ),

    /** The step's message is gone (STEP-29, ONCE-03). */
    AcknowledgeStep: on((s, step, at, one) => (head("acknowledge", one) ? withInvocation(s, step, at) : undefined)),

    ...only(budgetNames.includes("retries"), {
      /** The same message again, once the retry is due (ONCE-02, ONCE-01, STEP-31). */
      AskRedeliveryStep: on((s, step, at, one) => (head("redeliver", one) ? returnedStep(s, step, at) : undefined))
    })
  }
}
