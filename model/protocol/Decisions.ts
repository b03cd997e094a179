/**
 * What an orchestrator delivery decides: its local computation between two operations, as functions of the log it knows
 * and the bodies it runs. (RUN-21, RUN-24, RUN-25, RUN-28, STEP-02, STEP-16, STEP-37, STEP-49, STEP-51, STEP-61,
 * CAC-16, STEP-36, STEP-03, POST-14, DEDUPE-20, QUEUE-26)
 *
 * A pass replays the known log, and gives the operations it decides on, in order:
 *
 *  0. waits are due: send the timers that come next in their chains, complete them, and that is all (see `Waits.ts`);
 *  1. the workflow returned or threw: write `run_completed` or `run_failed`, and that is all;
 *  2. a `hook_created` for each new hook, then the timer and the `wait_created` of new sleeps;
 *  3. each open inline step that nobody in this delivery runs: start its next attempt, or fail it past its limit;
 *  4. an inline start for each new step there is room for; for each of the others, `step_created` and its message.
 *
 * Where a write may make several creations (`maxBatch`), 3 and 4 and the `wait_created`s go out in it in this order: starts,
 * `step_created`s, `wait_created`s; the messages follow the write.
 *
 * A pass that decides nothing leaves the delivery to wait for its bodies, or to suspend. When the operations are done, the
 * delivery makes another pass. The protocol asks for one only if an event of somebody else landed
 * below one of the writes (CAC-16), but a pass over a log that holds nothing new decides nothing, so the model need not
 * tell the two apart.
 *
 * No variables: functions of a log, and of the delivery that knows it.
 *
 * @module
 */
import { replay, stepsOf } from "../programs/index.ts"
import type { Setting } from "./Config.ts"
import { creationOf, hasEnded, type Log, lastWrite, resolutions, type StepFacts, stepsIn, type Write } from "./Log.ts"
import { type Delivery, isLaterDelivery, type Operation } from "./State.ts"
import { completions, creations, type Decider, dueWaits, owedTimers } from "./Waits.ts"

const acknowledge: Operation = { op: "acknowledge" }

const write = (event: Write): Operation => ({ op: "write", event })

/** The attempt after which a step is not tried again. */
export const lastAttempt = (setting: Setting, name: string): number =>
  (stepsOf(setting.program).maxRetries.get(name) ?? 0) + 1

/** Whether the attempt may not run, because the step has used up its attempts (STEP-61). */
export const isPastLimit = (setting: Setting, name: string, attempt: number): boolean =>
  setting.rules["attempt-limit"] && attempt > lastAttempt(setting, name)

/**
 * A delivery that has just loaded the log: it re-sends what may be owed, and writes `run_started` if nobody has. A run
 * that has ended leaves it nothing to do (STEP-37, STEP-49).
 */
export const opened = (setting: Setting, o: Delivery, log: Log, clock: number): Delivery => {
  const { passed, ...opening } = o
  if (hasEnded(log)) return { ...opening, todo: [acknowledge] }
  const resends = setting.rules["re-send"]
    ? stepsIn(log).filter((step) => mayHaveNoMessage(step) && reSends(setting, o, log, step.entity))
    : []
  const started = log.some((event) => event?.type === "run_started")
  const kept = passed && resends.length > 0 ? { passed } : {}
  const todo = [...resends.map(resend), ...(started ? [] : [write({ type: "run_started" })])]
  return advanced(setting, { ...opening, ...kept, todo }, log, clock)
}

/**
 * Whether a delivery looks to a step's message when it has loaded this log. A later delivery looks to every step, once in
 * an invocation (DEDUPE-20). A message's first one, and a re-run whose invocation has done so, look to the last in-band
 * write: whoever wrote in-band behind the creation of a step has sent the step's message before, or has sent it again.
 * (The loop is sequential: only its last write can owe a send.)
 */
export const reSends = (setting: Setting, o: Pick<Delivery, "message" | "passed">, log: Log, step: number): boolean =>
  makesPass(setting, o) || (setting.rules["first-delivery-re-sends"] && owedByLastWrite(setting, log).includes(step))

/** The steps whose message the last in-band write may owe (STEP-36, POST-14). */
export const owedByLastWrite = ({ rules, maxBatch }: Setting, log: Log): ReadonlyArray<number> =>
  lastWrite(log, rules["first-delivery-covers-batch"] ? maxBatch : 1)

/** Whether a delivery makes its invocation's re-send pass (DEDUPE-20). */
const makesPass = ({ rules }: Setting, { message, passed }: Pick<Delivery, "message" | "passed">): boolean =>
  isLaterDelivery(message) && !(passed && rules["re-send-pass-once"])

/** Whether what a delivery is about to send again is what it may: after its invocation's pass, the last write's alone (QUEUE-26). */
export const sendsOnce = (setting: Setting, { passed, known, todo }: Delivery, log: Log): boolean =>
  passed === undefined ||
  todo.every(
    (next) =>
      next.op !== "send" ||
      next.resent === undefined ||
      owedByLastWrite(setting, log.slice(0, known)).includes(next.entity)
  )

/**
 * A background step that nobody has started, or one that was moved to the background and nobody has started since
 * (STEP-49).
 */
const mayHaveNoMessage = (step: StepFacts): boolean =>
  !step.ended && (step.inline ? step.awaitsMove : step.starts === 0 && !step.retrying)

const resend = ({ entity, inline }: StepFacts): Operation => ({
  op: "send",
  entity,
  resent: true,
  // A moved step has been started before: its message says so, as the one that was sent first does.
  ...(inline ? { retry: true } : {})
})

/**
 * The delivery, with the operations of its next pass if it has done those of the last one, and lacks nothing of the log
 * below its own writes (`behind`) (RUN-21, RUN-28, CAC-16).
 */
export const advanced = (setting: Setting, o: Delivery, log: Log, clock: number): Delivery => {
  const { decided: _, ...before } = o
  if (before.todo.length > 0 || before.behind !== undefined) return before
  const held = log.slice(0, before.known)
  if (hasEnded(held)) return { ...before, todo: [acknowledge] }
  if (before.deferred !== undefined) {
    if (before.bodies.length > 0) return before
    return {
      ...before,
      todo: [...(setting.can.wait ? owedTimers(setting, before, held, clock) : []), { op: before.deferred }]
    }
  }
  const passed = { ...before, ...(setting.budgetNames.includes("handoffs") ? { decided: true as const } : {}) }
  const todo = pass(setting, held, before, clock)
  if (todo.length > 0) return { ...passed, todo }
  if (before.bodies.length === 0) return { ...passed, todo: [setting.can.wait ? { op: "suspend" } : acknowledge] }
  const armsNow = setting.can.wait && setting.rules["arm-before-bodies"]
  return { ...passed, todo: armsNow ? owedTimers(setting, before, held, clock) : [] }
}

/**
 * What a pass over a log decides, at a time, in a delivery that runs these bodies (RUN-24, RUN-25, STEP-02, STEP-16,
 * STEP-51).
 */
export const pass = (setting: Setting, held: Log, o: Decider, clock: number): ReadonlyArray<Operation> => {
  const { bodies } = o
  if (setting.can.wait && dueWaits(setting, o, held, clock).length > 0) return completions(setting, o, held, clock)
  const { calls, settled } = replay(setting.program, resolutions(held, setting.rules))
  if (settled?.as === "returned") return [write({ type: "run_completed", result: settled.value })]
  if (settled?.as === "threw") return [write({ type: "run_failed", result: settled.step })]

  const fresh = calls.filter(({ id }) => creationOf(held, id) === undefined)
  const sleeps = setting.can.wait ? creations(setting, o, held, fresh, clock) : []
  const hooks = fresh.flatMap((call) =>
    call.kind === "hook" ? [write({ type: "hook_created", entity: call.id, name: call.token })] : []
  )

  // Inline steps that were started, have no outcome, and nobody in this delivery runs: their owner is gone.
  const orphans = stepsIn(held)
    .filter((step) => step.inline && !step.ended && !step.moved && !bodies.some((body) => body.entity === step.entity))
    .toSorted((a, b) => a.entity - b.entity)
  const again = orphans.filter((step) => !isPastLimit(setting, step.name, step.starts + 1))
  const adopted = orphans.map((step) =>
    write({
      type: again.includes(step) ? "step_started" : "step_failed",
      entity: step.entity,
      attempt: step.starts + 1
    })
  )

  const steps = fresh.flatMap((call) => (call.kind === "step" ? [call] : []))
  const room = o.late === true ? 0 : Math.max(0, setting.maxInlineSteps - bodies.length - again.length)
  if (setting.maxBatch > 1) {
    const starts = steps
      .slice(0, room)
      .map(({ id, name }): Write => ({ type: "step_started", entity: id, attempt: 1, name, inline: true }))
    const created = steps
      .slice(room)
      .map(({ id, name }): Write => ({ type: "step_created", entity: id, name, creator: true }))
    const waits = sleeps.flatMap((next) => (next.op === "write" ? [next.event] : []))
    const timers = sleeps.filter(({ op }) => op !== "write")
    const rest = [...adopted, ...creating([...starts, ...created, ...waits])]
    return setting.rules["timer-before-creation"] ? [...hooks, ...timers, ...rest] : [...hooks, ...rest, ...timers]
  }
  const inline = steps.slice(0, room).flatMap(({ id, name }): ReadonlyArray<Operation> => {
    const start: Write = { type: "step_started", entity: id, attempt: 1 }
    return setting.inlineCreation === "apart"
      ? [write({ type: "step_created", entity: id, name, inline: true }), write(start)]
      : [write({ ...start, name, inline: true })]
  })
  const background = steps
    .slice(room)
    .flatMap(
      ({ id, name }): ReadonlyArray<Operation> => [
        write({ type: "step_created", entity: id, name, creator: true }),
        { op: "send", entity: id }
      ]
    )
  return [...hooks, ...sleeps, ...adopted, ...inline, ...background]
}

/** The operations that make creations: several in one write, and for one alone a write, with its message (POST-14). */
export const creating = (events: ReadonlyArray<Write>): ReadonlyArray<Operation> => {
  const [first] = events
  if (first === undefined) return []
  return events.length === 1 ? [write(first), ...messagesOf([first])] : [{ op: "create", events }]
}

/** The messages that creations owe (STEP-03). */
export const messagesOf = (events: ReadonlyArray<Write>): ReadonlyArray<Operation> =>
  events.flatMap(
    ({ type, entity }): ReadonlyArray<Operation> =>
      type === "step_created" && entity !== undefined ? [{ op: "send", entity }] : []
  )

/** What a settled body is written as: a failure that may be tried again fails the step on its last attempt. */
export const outcomeOf = (
  setting: Setting,
  log: Log,
  { entity, attempt }: { readonly entity: number; readonly attempt: number },
  outcome: "completed" | "failed" | "retry"
): Write => {
  if (outcome === "completed") return { type: "step_completed", entity }
  const name = creationOf(log, entity)?.name ?? ""
  const again = outcome === "retry" && attempt < lastAttempt(setting, name)
  return { type: again ? "step_retrying" : "step_failed", entity, attempt }
}
