/**
 * What one orchestrator delivery does about waits: which it creates and completes, and which timers it sends.
 *
 * ```
 * sleep() ── timer ──> wait_created ──> open ── due, or asked for ──> next timer of its chain ──> wait_completed
 * ```
 *
 * All waits that one message's deliveries create are a chain, and a chain has one timer at a time, that of its earliest
 * open wait. A delivery owns its message's chain, the chain of every wait that it completed, and, when it is a timer that
 * is delivered again, the chain of that timer's wait; a timer that came early owns its wait besides. What it owns it arms,
 * once per wait. A delivery that is not its message's first may have swallowed a coalesced timer, and so it also arms
 * whatever is near due.
 *
 * The order is what keeps a run from being stranded by a delivery that dies: the timer goes out before the wait is
 * created, and the next one of the chain before a wait is completed.
 *
 * Rules: WAIT-01, WAIT-07, WAIT-09, WAIT-10, WAIT-11, WAIT-12, WAIT-13, WAIT-14, WAIT-15, WAIT-16, WAIT-17, WAIT-20,
 * WAIT-21, WAIT-22, WAIT-23, WAIT-24, WAIT-25, WAIT-26, WAIT-27, WAIT-28, WAIT-30, WAIT-31, WAIT-35, WAIT-48, WAIT-51,
 * WAIT-69, WAIT-72, WAIT-76, WAIT-80, WAIT-84, WAIT-109, WAIT-116.
 *
 * @module
 */
import { Clock, type Effect } from "effect"
import { type EventInput, SPEC_VERSION_SINGLE_ORCHESTRATOR, type WorkflowInvokePayload } from "../world/index.ts"
import type { OpenWait, WaitFacts } from "./OpenWaits.ts"
import type { DeliveryError, Orchestrator } from "./Orchestrator.ts"
import { SendTimer, type TimerSlot } from "./Timers.ts"
import type { Call, WaitCall } from "./vm/Session.ts"

/** The last moment that a `Date` can hold, in epoch milliseconds: who sleeps longer, sleeps until then. */
const END_OF_TIME = 8.64e15

/** When a sleep that begins now is over. */
const resumeAtOf = ({ until }: WaitCall, now: number): number => {
  const at = "at" in until ? until.at : now + until.ms
  return Math.ceil(Math.min(at, END_OF_TIME))
}

/** The waits of one delivery. */
export class Waits {
  readonly #orchestrator: Orchestrator
  readonly #payload: WorkflowInvokePayload
  /** Chains of waits that this delivery completed. (WAIT-12) */
  readonly #completed = new Set<string>()
  /** Waits that this delivery has sent a timer of. (WAIT-07) */
  readonly #timed = new Set<string>()

  constructor(orchestrator: Orchestrator, payload: WorkflowInvokePayload) {
    this.#orchestrator = orchestrator
    this.#payload = payload
  }

  get #open(): ReadonlyArray<OpenWait> {
    return this.#orchestrator.log.waits.open
  }

  /** Any delivery but its message's first may have swallowed a timer. (WAIT-31) */
  get #mayHoldTimer(): boolean {
    return this.#orchestrator.meta.deliveryCount > 1
  }

  /** The earliest deadline of an open wait, in epoch milliseconds. */
  get nextDeadline(): number | undefined {
    return this.#open[0]?.resumeAt
  }

  /** The waits to complete now: those that are over on this process's clock, and those that somebody asked to end. */
  due(now: number): ReadonlyArray<OpenWait> {
    return this.#open.filter(({ resumeAt, requested }) => resumeAt <= now || requested)
  }

  /** Completes waits, behind the timers of what comes next in their chains. */
  *complete(due: ReadonlyArray<OpenWait>): Effect.fn.Return<void, DeliveryError> {
    const over = new Set(due.map(({ waitId }) => waitId))
    const rest = this.#open.filter(({ waitId }) => !over.has(waitId))
    for (const chain of new Set(due.map((wait) => wait.chain))) {
      const next = rest.find((wait) => wait.chain === chain)
      if (next !== undefined) yield* this.#arm(next)
    }
    const now = yield* Clock.currentTimeMillis
    for (const { waitId, resumeAt, chain } of due) {
      yield* this.#orchestrator.CommitInBand({
        eventType: "wait_completed",
        specVersion: SPEC_VERSION_SINGLE_ORCHESTRATOR,
        correlationId: waitId,
        // A wait that was ended early says nothing of its deadline: the workflow's clock must not run ahead to it.
        eventData: resumeAt <= now ? { resumeAt } : {}
      })
      this.#completed.add(chain)
    }
  }

  /** Sends the timer of the earliest of a pass's new waits, where it is its chain's, and says how they are created. */
  *announce(fresh: ReadonlyArray<Call>): Effect.fn.Return<ReadonlyArray<EventInput>, DeliveryError> {
    const calls = fresh.flatMap((call) => (call.kind === "wait" ? [call] : []))
    if (calls.length === 0) return []
    const now = yield* Clock.currentTimeMillis
    const { messageId: chain } = this.#orchestrator.meta
    const waits = calls
      .map((call): WaitFacts => ({ waitId: call.id, resumeAt: resumeAtOf(call, now), chain }))
      .toSorted((a, b) => a.resumeAt - b.resumeAt)
    const [earliest] = waits
    const other = this.#open.find((wait) => wait.chain === chain)
    if (
      earliest !== undefined &&
      earliest.resumeAt > now &&
      (other === undefined || earliest.resumeAt < other.resumeAt)
    ) {
      yield* this.#send(earliest, this.#otherSlot)
    }
    const resumeAt = new Map(waits.map((wait) => [wait.waitId, wait.resumeAt]))
    return calls.map(({ id }) => ({
      eventType: "wait_created",
      specVersion: SPEC_VERSION_SINGLE_ORCHESTRATOR,
      correlationId: id,
      eventData: { resumeAt: resumeAt.get(id) ?? now, creatorMessageId: chain }
    }))
  }

  /** Sends the timers that the delivery owes: before it waits for its bodies, and when it suspends. (WAIT-76, WAIT-80) */
  *armOwned(): Effect.fn.Return<void, DeliveryError> {
    const { waitContinuation: timer } = this.#payload
    const open = this.#open
    const early = timer === undefined ? undefined : open.find(({ waitId }) => waitId === timer.correlationId)
    if (early !== undefined) yield* this.#arm(early)
    for (const chain of this.#ownedChains()) {
      const earliest = open.find((wait) => wait.chain === chain)
      if (earliest !== undefined) yield* this.#arm(earliest)
    }
  }

  /** Nothing is left to decide: what is near due gets another timer, and then what is owned gets its own. (WAIT-80) */
  *suspend(): Effect.fn.Return<void, DeliveryError> {
    if (this.#mayHoldTimer) {
      const until = (yield* Clock.currentTimeMillis) + this.#orchestrator.settings.tuning.nearDueSeconds * 1_000
      for (const wait of this.#open) if (wait.resumeAt <= until) yield* this.#send(wait, "second")
    }
    yield* this.armOwned()
  }

  #ownedChains(): ReadonlySet<string> {
    const { waitContinuation: timer, recovery } = this.#payload
    const { meta, log } = this.#orchestrator
    // The timers have died with the queue. (WAIT-16)
    if (recovery === true) return new Set(this.#open.map(({ chain }) => chain))
    const again = timer !== undefined && this.#mayHoldTimer ? log.waits.creationOf(timer.correlationId) : undefined
    return new Set([meta.messageId, ...this.#completed, ...(again === undefined ? [] : [again.chain])])
  }

  get #otherSlot(): TimerSlot {
    return this.#mayHoldTimer ? "second" : "hop"
  }

  /**
   * The timer of a wait that the log has. If it is the delivery's own, it came early and its key is used up: it is armed
   * by the next attempt, or by a second again if it was sent by one. A timer for another deadline than the wait has is a
   * stray, which has used no key of the wait's up. (WAIT-65, WAIT-69)
   */
  *#arm(wait: OpenWait): Effect.fn.Return<void, DeliveryError> {
    const { waitContinuation: timer } = this.#payload
    const isOwn = timer?.correlationId === wait.waitId && timer.deadlineMs === wait.resumeAt
    if (!isOwn) return yield* this.#send(wait, this.#otherSlot)
    yield* this.#send(wait, timer.second === undefined ? { attempt: (timer.attempt ?? 1) + 1 } : "second")
  }

  *#send(wait: WaitFacts, slot: TimerSlot): Effect.fn.Return<void, DeliveryError> {
    if (this.#timed.has(wait.waitId)) return
    const { settings, runId } = this.#orchestrator
    yield* SendTimer(settings.world.queue, runId, wait, slot, settings.tuning.waitHopSeconds * 1_000)
    this.#timed.add(wait.waitId)
  }
}
