/**
 * Every committed obligation has somebody who will see to it: the promise that nothing strands, said of each state and
 * not only of the last one. (STEP-36, STEP-37, STEP-47, FENCE-15, OOB-04, HOOK-08, WAIT-22, WAIT-26, WAIT-93, WAIT-94)
 *
 * | what the log obliges to                    | who may see to it                                                      |
 * | ------------------------------------------ | ---------------------------------------------------------------------- |
 * | the run has not ended, and waits for nobody | a message of any kind, a client that owes one, a delivery at work     |
 * | a background step has no outcome            | a message of it; or before its start, a delivery that sends (again)   |
 * | a wait is open                              | a timer of its chain; or a delivery, or a message, that will arm one  |
 *
 * Who holds no lease is not counted: nobody comes after it when it dies. A queued message that was delivered before is
 * counted for what its next delivery does, also where it is coalesced: the re-run does the same.
 *
 * It is asked in models of its own (`Config.obligations`), in which no lease lapses. Where one does, a delivery may be alone with what it has committed: what that may
 * lead to is in `Findings.ts`.
 *
 * @module
 */
import type { Setting } from "./Config.ts"
import { creationOf, hasEnded, type OpenWait, openWaits, type StepFacts, stepsIn } from "./Log.ts"
import type { Delivery, Message, State } from "./State.ts"

/** The deliveries that hold their lease and have more to do than to acknowledge. */
const atWork = (s: State, { deliveries }: Setting): ReadonlyArray<Delivery> =>
  deliveries.flatMap((d) => {
    const o = s.orchestrator[d]
    return o && s.lease[d] === "held" && o.todo[0]?.op !== "acknowledge" ? [o] : []
  })

/** Somebody will come to the run, or is there. */
export const somebodyComes = (s: State, setting: Setting): boolean =>
  s.queue.length > 0 ||
  s.timers.length > 0 ||
  s.hops.length > 0 ||
  s.clients.length > 0 ||
  atWork(s, setting).length > 0 ||
  setting.entities.some((step) => (s.messages[step] ?? []).length > 0 || (s.invocations[step] ?? []).length > 0)

/** Whether the next delivery of a message re-sends, and arms what is near due. */
const comesAgain = ({ deliveryCount }: Message): boolean => deliveryCount > 0

/** Whether a delivery sends a step's message, or will when it has loaded the log. */
const sends = ({ message, known, todo }: Delivery, step: number): boolean =>
  todo.some((next) => next.op === "send" && next.entity === step) || (known === 0 && message.deliveryCount > 1)

const isSeenTo = (s: State, setting: Setting, step: StepFacts): boolean => {
  const { entity, inline, moved, starts, awaitsMove, ended } = step
  if (ended || (inline && !moved)) return true
  if ((s.messages[entity] ?? []).length > 0) return true
  if ((s.invocations[entity] ?? []).some(({ lease }) => lease === "held")) return true
  const unstarted = inline ? awaitsMove : starts === 0
  return unstarted && (s.queue.some(comesAgain) || atWork(s, setting).some((o) => sends(o, entity)))
}

/** Every background step that has no outcome has a message, or will be sent one. */
export const stepsAreSeenTo = (s: State, setting: Setting): boolean =>
  hasEnded(s.log) || stepsIn(s.log).every((step) => isSeenTo(s, setting, step))

const isArmed = (s: State, setting: Setting, open: OpenWait): boolean => {
  const isOf = ({ timer }: Message) => timer !== undefined && creationOf(s.log, timer.wait)?.chain === open.chain
  if ([...s.timers, ...s.hops].some(({ message }) => isOf(message))) return true
  const anybody = open.requested || open.resumeAt <= s.clock
  if (anybody && s.clients.length > 0) return true
  if (s.queue.some((message) => anybody || comesAgain(message) || isOf(message))) return true
  return atWork(s, setting).some(
    (o) => anybody || isOf(o.message) || o.message.deliveryCount > 1 || o.message.id === open.chain
  )
}

/** Every open wait has a timer in its chain, or somebody who will send it one. */
export const waitsAreArmed = (s: State, setting: Setting): boolean =>
  hasEnded(s.log) || openWaits(s.log).every((open) => isArmed(s, setting, open))
