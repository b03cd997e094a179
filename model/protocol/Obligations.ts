/**
 * Every committed obligation has somebody who will see to it: the promise that nothing strands, said of each state and
 * not only of the last one. (STEP-36, STEP-37, STEP-47, FENCE-15, OOB-04, HOOK-08, WAIT-22, WAIT-26, WAIT-93, WAIT-94,
 * DEDUPE-20)
 *
 * | what the log obliges to | who may see to it |
 * | --- | --- |
 * | the run goes on: it has not ended, and does not wait for clients alone | a message of any kind, a client that owes one, a delivery at work |
 * | a background step has no outcome | a message of it; before its start also a delivery that will send one. Any delivery will, while no in-band event follows the step's creation |
 * | a wait is open | a timer of its chain; or a delivery, or a message, that will arm one |
 *
 * An orchestrator delivery that holds no lease is not counted: nobody comes after it when it dies. Nor is a step's, where it
 * is the step that is asked of; for the run as a whole it is, since its outcome or its end brings somebody (a wake). A
 * delivery that holds its lease and will be refused by the fence is counted, for it asks for its message again, and what
 * comes then is a later delivery (FENCE-15). A queued message that was delivered before is counted for what its next
 * delivery does, unless it may be coalesced into an invocation that has made its re-send pass: a re-run of that one does no
 * more than a first delivery.
 *
 * It is asked of every model in which every rule is on. With a rule off it is asked in models of its own
 * (`Config.obligations`); the others tell how it ends.
 *
 * Reads `log`, `seqInBand`, `queue`, `lease`, `orchestrator`, `messages`, `invocations`, `clients`, `clock`, `timers`
 * and `hops`.
 *
 * @module
 */
import type { Setting } from "./Config.ts"
import { owedByLastWrite, reSends } from "./Decisions.ts"
import { creationOf, hasEnded, type Log, type OpenWait, openWaits, type StepFacts, stepsIn } from "./Log.ts"
import { type Delivery, isLaterDelivery, type Message, type State } from "./State.ts"

/** The deliveries that hold their lease and have more to do than to acknowledge. */
const atWork = (s: State, { deliveries }: Setting): ReadonlyArray<Delivery> =>
  deliveries.flatMap((d) => {
    const o = s.orchestrator[d]
    return o && s.lease[d] === "held" && o.todo[0]?.op !== "acknowledge" ? [o] : []
  })

/** Somebody will come to the run, or is there (OOB-04, HOOK-08). */
export const somebodyComes = (s: State, setting: Setting): boolean =>
  s.queue.length > 0 ||
  s.timers.length > 0 ||
  s.hops.length > 0 ||
  s.clients.length > 0 ||
  atWork(s, setting).length > 0 ||
  setting.entities.some((step) => (s.messages[step] ?? []).length > 0 || (s.invocations[step] ?? []).length > 0)

/** Whether the next delivery of a message will be a later one, which re-sends all, and arms what is near due. */
const comesAgain = ({ deliveryCount, continues }: Message): boolean => deliveryCount > 0 || continues === true

/** Whether what is queued may be coalesced into an invocation that has made its re-send pass (DEDUPE-20). */
const mayFoldIntoPassed = (s: State, { topology, deliveries, rules }: Setting): boolean =>
  topology === "coalescing" &&
  rules["re-send-pass-once"] &&
  deliveries.some((d) => {
    const o = s.orchestrator[d]
    return o && s.lease[d] === "held" && isLaterDelivery(o.message) && (o.known > 0 || o.passed === true)
  })

/**
 * Whether a delivery will ask for its message again: the fence has refused it, or refuses the next write that it makes
 * (FENCE-15).
 */
const returns = (s: State, { expected, todo, bodies }: Delivery): boolean =>
  todo[0]?.op === "redeliver" ||
  (expected !== s.seqInBand && (bodies.length > 0 || todo.some(({ op }) => op === "write" || op === "create")))

/** Whether a delivery sends a step's message, or will when it has loaded the log. */
const sends = (setting: Setting, log: Log, o: Delivery, step: number): boolean =>
  o.todo.some((next) => next.op === "send" && next.entity === step) || (o.known === 0 && reSends(setting, o, log, step))

/**
 * Somebody will load the log who has not loaded it yet: a message of any kind, a client that owes one, or another step,
 * whose outcome sends one.
 */
const somebodyLoads = (s: State, setting: Setting, besides: number): boolean =>
  s.queue.length + s.timers.length + s.hops.length + s.clients.length > 0 ||
  atWork(s, setting).some(({ known }) => known === 0) ||
  setting.entities.some(
    (step) =>
      step !== besides &&
      ((s.messages[step] ?? []).length > 0 || (s.invocations[step] ?? []).some(({ lease }) => lease === "held"))
  )

const isSeenTo = (s: State, setting: Setting, step: StepFacts): boolean => {
  const { entity, inline, moved, starts, awaitsMove, ended } = step
  if (ended || (inline && !moved)) return true
  if ((s.messages[entity] ?? []).length > 0) return true
  if ((s.invocations[entity] ?? []).some(({ lease }) => lease === "held")) return true
  const unstarted = inline ? awaitsMove : starts === 0
  if (!unstarted) return false
  const isLast = owedByLastWrite(setting, s.log).includes(entity)
  return (
    (s.queue.some(comesAgain) && !mayFoldIntoPassed(s, setting)) ||
    atWork(s, setting).some((o) => returns(s, o) || sends(setting, s.log, o, entity)) ||
    (setting.rules["first-delivery-re-sends"] && isLast && somebodyLoads(s, setting, entity))
  )
}

/** Every background step that has no outcome has a message, or will be sent one (STEP-36, STEP-37, STEP-47). */
export const stepsAreSeenTo = (s: State, setting: Setting): boolean =>
  hasEnded(s.log) || stepsIn(s.log).every((step) => isSeenTo(s, setting, step))

const isArmed = (s: State, setting: Setting, open: OpenWait): boolean => {
  const isOf = ({ timer }: Message) => timer !== undefined && creationOf(s.log, timer.wait)?.chain === open.chain
  if ([...s.timers, ...s.hops].some(({ message }) => isOf(message))) return true
  const anybody = open.requested || open.resumeAt <= s.clock
  if (anybody && s.clients.length > 0) return true
  if (s.queue.some((message) => anybody || comesAgain(message) || isOf(message))) return true
  return atWork(s, setting).some(
    (o) => anybody || isOf(o.message) || isLaterDelivery(o.message) || o.message.id === open.chain
  )
}

/** Every open wait has a timer in its chain, or somebody who will send it one (WAIT-22, WAIT-26, WAIT-93, WAIT-94). */
export const waitsAreArmed = (s: State, setting: Setting): boolean =>
  hasEnded(s.log) || openWaits(s.log).every((open) => isArmed(s, setting, open))
