/**
 * What an orchestrator delivery decides about waits: which to complete, and which timers to send. (WAIT-01, WAIT-07,
 * WAIT-09, WAIT-10, WAIT-11, WAIT-12, WAIT-14, WAIT-15, WAIT-17, WAIT-20, WAIT-21, WAIT-22, WAIT-25, WAIT-26, WAIT-28,
 * WAIT-30, WAIT-31, WAIT-35, WAIT-48, WAIT-51, WAIT-65, WAIT-69, WAIT-72, WAIT-76, WAIT-80, WAIT-83, WAIT-84, WAKE-09,
 * WAKE-10, WAKE-13, WAKE-18, COAL-09)
 *
 *     sleep() --timer sent--> timed --wait_created--> open --due, or asked for; next timer sent--> ending --wait_completed--> over
 *
 * All waits that the deliveries of one message created are a chain, and a chain has one timer at a time: that of its
 * earliest open wait. A delivery arms the chains that it owns. It owns
 *
 *  - the chain of its own message;
 *  - the chain of every wait that it completed;
 *  - on a redelivery of a timer, the chain of that timer's wait;
 *
 * and a timer that came early owns its wait. A *stray* timer is one for a deadline that its wait does not have: of a
 * creation that never committed, before another one took the same id. Beside that, a delivery that may have swallowed a
 * coalesced timer (any but its message's first) arms whatever is near due.
 *
 * **Which message is which.** Ownership needs to tell messages apart, and nothing else in the protocol does. So in a run
 * that sleeps a message gets a number when it is first delivered: the lowest one that no other message has, and that no
 * open wait was created under.
 *
 * Reads `log`, `queue` and `orchestrator`.
 *
 * @module
 */
import type { Call } from "../programs/index.ts"
import type { Setting } from "./Config.ts"
import { creationOf, type Log, type OpenWait, openWaits } from "./Log.ts"
import { type Delivery, isLaterDelivery, type Message, type Operation, type State } from "./State.ts"

/** What a delivery knows of itself when it decides. */
export type Decider = Pick<Delivery, "message" | "bodies" | "owns" | "timed" | "late">

/** The message, with a number if it needs one and has none (WAIT-10). */
export const numbered = (s: State, setting: Setting, message: Message): Message => {
  const keeps = setting.rules["chain-by-message"] || setting.exact
  if (!setting.can.wait || (message.id !== undefined && keeps)) return message
  const held = setting.deliveries.map((d) => s.orchestrator[d]?.message.id ?? 0)
  const used = [...held, ...s.queue.map(({ id }) => id ?? 0), ...openWaits(s.log).map(({ chain }) => chain)]
  const free = Array.from({ length: used.length + 1 }, (_, at) => at + 1).find((id) => !used.includes(id))
  return { ...message, id: free ?? 1 }
}

/**
 * The waits that a pass completes: those that are over on the delivery's clock, or that somebody asked to end. Which
 * timer the delivery is of does not matter, so that a final one may be coalesced into any delivery (COAL-09). Without
 * `durable-wake-up` the request is on a message, and only its own delivery sees it (WAIT-83, WAIT-01, WAIT-48, WAIT-84,
 * WAKE-10, WAKE-18).
 */
export const dueWaits = ({ rules }: Setting, { message }: Decider, held: Log, clock: number): ReadonlyArray<OpenWait> =>
  openWaits(held).filter(
    ({ wait, resumeAt, requested }) =>
      resumeAt <= clock ||
      requested ||
      (message.completes ?? []).includes(wait) ||
      (!rules["complete-when-due"] && message.timer?.wait === wait)
  )

/** A delivery that may have swallowed a timer: any but its message's first (WAIT-31). */
const mayHoldTimer = ({ message }: Decider): boolean => isLaterDelivery(message)

/**
 * The timer of a wait that is new to the log, or that is not the delivery's own, and the key that it is sent under
 * (WAIT-72).
 */
const armOther = (
  { rules }: Setting,
  o: Decider,
  { wait, resumeAt }: Pick<OpenWait, "wait" | "resumeAt">
): Operation => ({
  op: "arm",
  wait,
  resumeAt,
  under: mayHoldTimer(o) && rules["re-run-arms-afresh"] ? "second" : "hop"
})

/** The timer of a wait that the log has: if it is the delivery's own, it came early and its key is used up (WAIT-65). */
const arm = (setting: Setting, o: Decider, open: Pick<OpenWait, "wait" | "resumeAt">): Operation => {
  const { rules } = setting
  const { wait, resumeAt } = open
  const { timer } = o.message
  // A stray timer is for another deadline of the wait: the key of this one is not used up by it (WAIT-69).
  const isStray = rules["stray-timer-arms-by-hop"] && timer?.resumeAt !== undefined && timer.resumeAt !== resumeAt
  if (timer?.wait === wait && !isStray) {
    if (timer.second !== undefined && rules["early-second-arms-by-second"])
      return { op: "arm", wait, resumeAt, under: "second" }
    return { op: "arm", wait, resumeAt, under: rules["early-timer-attempt"] ? "attempt" : "hop" }
  }
  return armOther(setting, o, open)
}

/** A chain's earliest wait out of these, unless the delivery has sent a timer of it (WAIT-07, WAIT-51). */
const earliestOf = (o: Decider, waits: ReadonlyArray<OpenWait>, chain: number): ReadonlyArray<OpenWait> => {
  const first = waits.find((wait) => wait.chain === chain)
  return first === undefined || (o.timed ?? []).includes(first.wait) ? [] : [first]
}

const distinct = (chains: ReadonlyArray<number>): ReadonlyArray<number> =>
  chains.filter((chain, at) => chains.indexOf(chain) === at)

/** The chains that a delivery owns (WAIT-10, WAIT-12, WAIT-14, WAIT-17, WAKE-13). */
const owned = ({ rules }: Setting, { message, owns }: Decider, held: Log): ReadonlyArray<number> => {
  const mine = message.id === undefined ? [] : [message.id]
  const again = rules["redelivered-timer-owns-chain"] && message.timer !== undefined && isLaterDelivery(message)
  const chain = again ? creationOf(held, message.timer?.wait ?? 0)?.chain : undefined
  const completed = rules["completer-owns-chain"] ? (owns ?? []) : []
  return distinct([...mine, ...completed, ...(chain === undefined ? [] : [chain])])
}

/**
 * The timers that a delivery owes its chains, and the rest of its own early timer (WAIT-11, WAIT-15, WAIT-20, WAIT-09,
 * WAIT-21, WAIT-28, WAIT-76).
 */
export const owedTimers = (setting: Setting, o: Decider, held: Log, clock: number): ReadonlyArray<Operation> => {
  const open = openWaits(held).filter(({ resumeAt }) => setting.rules["near-due-overdue"] || resumeAt > clock)
  const early = setting.rules["early-timer-re-arms"]
    ? open.filter(({ wait }) => wait === o.message.timer?.wait && !(o.timed ?? []).includes(wait))
    : []
  const earliest = owned(setting, o, held).flatMap((chain) => earliestOf(o, open, chain))
  return [...early, ...earliest.filter(({ wait }) => early.every((other) => other.wait !== wait))].map((wait) =>
    arm(setting, o, wait)
  )
}

/**
 * The operations of a delivery that suspends: near-due timers, owed timers, and its answer (WAIT-80, WAIT-30, WAIT-35).
 */
export const suspension = (setting: Setting, o: Decider, held: Log, clock: number): ReadonlyArray<Operation> => {
  const { rules, nearDueTicks } = setting
  const looks = rules["near-due-re-arm"] && (mayHoldTimer(o) || !rules["near-due-gate"])
  const near = openWaits(held).filter(
    ({ wait, resumeAt }) =>
      looks &&
      resumeAt <= clock + nearDueTicks &&
      (rules["near-due-overdue"] || resumeAt > clock) &&
      !(o.timed ?? []).includes(wait)
  )
  const swept = near.map(
    ({ wait, resumeAt }): Operation => ({ op: "arm", wait, resumeAt, under: rules["near-due-key"] ? "second" : "hop" })
  )
  const timed = [...(o.timed ?? []), ...near.map(({ wait }) => wait)]
  return [...swept, ...owedTimers(setting, { ...o, timed }, held, clock), { op: "acknowledge" }]
}

/** The completions of a pass, behind the timers of what comes next in their chains (WAIT-26). */
export const completions = (setting: Setting, o: Decider, held: Log, clock: number): ReadonlyArray<Operation> => {
  const { rules } = setting
  const due = dueWaits(setting, o, held, clock)
  const rest = openWaits(held).filter(({ wait }) => due.every((other) => other.wait !== wait))
  const own = creationOf(held, o.message.timer?.wait ?? 0)?.chain
  const mine = owned(setting, o, held)
  const chains = distinct(due.map(({ chain }) => chain)).filter(
    (chain) => rules["completer-owns-chain"] || mine.includes(chain)
  )
  const first = chains.filter(
    (chain) =>
      rules["next-timer-before-completion"] &&
      (rules["own-timer-sends-next-first"] || chain !== own || due.every(({ wait }) => wait !== o.message.timer?.wait))
  )
  const timers = (of: ReadonlyArray<number>) =>
    of.flatMap((chain) => earliestOf(o, rest, chain)).map((wait) => arm(setting, o, wait))
  return [
    ...timers(first),
    ...due.map(({ wait }): Operation => ({ op: "write", event: { type: "wait_completed", entity: wait } })),
    ...timers(chains.filter((chain) => !first.includes(chain)))
  ]
}

/**
 * The creations of new sleeps, behind the timer of their chain's earliest open wait if that is one of them (WAIT-22,
 * WAIT-25, WAKE-09).
 */
export const creations = (
  setting: Setting,
  o: Decider,
  held: Log,
  calls: ReadonlyArray<Call>,
  clock: number
): ReadonlyArray<Operation> => {
  const chain = o.message.id ?? 0
  const fresh = calls.flatMap((call) =>
    call.kind === "wait" ? [{ wait: call.id, resumeAt: clock + call.ticks, chain, requested: false }] : []
  )
  const all = [...openWaits(held), ...fresh].toSorted((a, b) => a.resumeAt - b.resumeAt || a.wait - b.wait)
  const timers = earliestOf(o, all, chain)
    .filter(({ wait }) => fresh.some((other) => other.wait === wait))
    .map((wait) => armOther(setting, o, wait))
  const writes = fresh.map(
    ({ wait, resumeAt }): Operation => ({
      op: "write",
      event: { type: "wait_created", entity: wait, resumeAt, chain }
    })
  )
  return setting.rules["timer-before-creation"] ? [...timers, ...writes] : [...writes, ...timers]
}
