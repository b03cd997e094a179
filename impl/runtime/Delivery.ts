/**
 * One orchestrator delivery: the log is loaded, the workflow replayed, and what it decided written and dispatched.
 *
 * One sequential loop makes every World and queue call, in this order; only step bodies run beside it.
 *
 * ```
 * LoadLog ── ended ──> Acknowledge
 *    │ attempted too often: run_failed ──> Acknowledge
 *    │ SendStep for every step that may have no message, once in an invocation; in the message's first delivery, and in
 *    │ later re-runs of an invocation, for the last one alone
 *    │ nobody has started the run: run_started
 *    v
 * pass: a start was throttled, the inline window is over, or the process drains: what runs settles ──> AskRedelivery, later or at once
 *    │ waits are over, or asked to end: SendTimer for what is next in their chains, wait_completed for each ──> pass
 *    │ replay what the log gained; when that fails, all of it from cold, a few times ──> run_failed ──> Acknowledge
 *    ├── the run ended ──────> Acknowledge
 *    ├── returned or threw ──> run_completed | run_failed ──> Acknowledge
 *    ├── hook_created for each new hook; SendTimer for new sleeps
 *    ├── each open inline step that nobody here runs: its next step_started, or step_failed past its attempts
 *    ├── new steps and sleeps: step_started for as many as may run inline, step_created for the rest, wait_created; many in
 *    │   one write where the World takes batches. Then the bodies begin, and SendStep for the rest
 *    ├── a foreign event was reported, or a step failed ──> pass
 *    ├── bodies run: SendTimer for what is owed; a body settles, and its outcome is written (a retry moves the step to its
 *    │   own message), or a sleep is over, or others have appended to the log, and it is read ──> pass
 *    └── nothing left to do: SendTimer for what is owed ──> Acknowledge
 * a write is refused by the fence ──> AskRedelivery; because the run ended ──> Acknowledge
 * a write is refused that no delivery could make (a token in use, too large a text) ──> run_failed ──> Acknowledge
 * anything else fails ──> the delivery fails, and its message is delivered again
 * ```
 *
 * Nothing is ever owed to the queue at a refusal: a step's message follows the write that creates it, before the next.
 * So it is only what the last in-band write created whose message may be missing, and every delivery sees to that before
 * it writes, its message's first as well: the one that follows a dead one may have come and gone before the other died.
 * Bodies that run when a delivery ends are left to finish, and their outcomes are not written.
 *
 * Rules: RUN-03, RUN-18, RUN-21, RUN-22, RUN-24, RUN-25, RUN-26, RUN-27, RUN-28, RUN-30, RUN-31, RUN-33, RUN-36, FENCE-15,
 * FENCE-17, FENCE-18, FENCE-22, FENCE-30, QUEUE-43, HAND-01, HAND-04, HAND-07, HAND-21, HAND-26, STEP-02, STEP-03, STEP-04,
 * STEP-07, STEP-08, STEP-16, STEP-36, STEP-37, STEP-49, STEP-51, STEP-54, STEP-61, STEP-67, CAC-01, CAC-02, CAC-16, WAIT-08,
 * WAIT-75, SET-02, SET-03, SET-04, SET-41.
 *
 * @module
 */
import { Clock, Effect, Exit, Queue } from "effect"
import {
  type Drain,
  Draining,
  type EventError,
  type HandlerResult,
  type MessageMeta,
  SPEC_VERSION_SINGLE_ORCHESTRATOR,
  type WorkflowInvokePayload
} from "../world/index.ts"
import { createdInBackground, type ResendPass, resendSteps } from "./BackgroundSteps.ts"
import { type Creation, createAll } from "./Creations.ts"
import { deadlineOf } from "./Deadline.ts"
import type { DeliverySettings } from "./DeliverySettings.ts"
import { decideHooks, drainHooks, repayClaims } from "./HookDecisions.ts"
import type { InBandError } from "./InBandWriter.ts"
import { InlineSteps, type Settled } from "./InlineSteps.ts"
import { resumeLog } from "./LogState.ts"
import { LogWatch, type Ring } from "./LogWatch.ts"
import { type DeliveryError, Orchestrator } from "./Orchestrator.ts"
import { failureOfReplay, WorkflowNotLoaded } from "./ReplayFailure.ts"
import { openLog } from "./ResilientStart.ts"
import { endingEvent, failedEvent, failureOfCap, failureOfRefusal, isHopeless } from "./RunEnding.ts"
import { UndecidedCalls } from "./UndecidedCalls.ts"
import type { ReplayError } from "./vm/ReplayError.ts"
import type { Call, Decisions, Session } from "./vm/Session.ts"
import { Waits } from "./Waits.ts"
import { logConsoleLine } from "./WorkflowConsole.ts"

/** Seconds after which a superseded delivery's message comes back. (FENCE-22) */
const FENCE_REFUSAL_REDELIVERY_SECONDS = 1

/** Attempts from which on a refusal is no mere overlap any more, and is logged as a warning. (QUEUE-43) */
const REFUSAL_STREAK = 5

/** The same message again at once, which is no attempt. (RUN-03, HAND-01) */
const HANDOFF = { timeoutSeconds: 0 } as const

/** A platform timer cannot be set for longer than about 24 days; a delivery looks at its waits again well before. */
const LONGEST_PAUSE_MS = 3_600_000

/** The delivery of one message, from its log load to its answer. */
class Delivery {
  readonly #orchestrator: Orchestrator
  readonly #open: () => Session
  #session: Session
  #divergences = 0
  readonly #inline: InlineSteps
  readonly #waits: Waits
  readonly #resends: ResendPass
  readonly #watch: LogWatch
  readonly #firstSlotToPrint: number
  readonly #undecided: UndecidedCalls
  /** Whether the session is to be compared with a cold one. */
  #isCompared: boolean

  constructor(
    orchestrator: Orchestrator,
    payload: WorkflowInvokePayload,
    open: () => Session,
    session: Session,
    isKept: boolean,
    settled: Queue.Queue<Settled>,
    watch: LogWatch,
    resends: ResendPass
  ) {
    this.#orchestrator = orchestrator
    this.#open = open
    this.#session = session
    this.#isCompared = isKept && orchestrator.settings.retained?.retention.compare === true
    this.#undecided = new UndecidedCalls(orchestrator.log)
    this.#inline = new InlineSteps(orchestrator, settled)
    this.#waits = new Waits(orchestrator, payload)
    this.#resends = resends
    this.#watch = watch
    // What lies below the last decision was replayed by the delivery that made it, and printed then.
    this.#firstSlotToPrint = orchestrator.log.lastInBandSlot
  }

  /** The session that the delivery ended with. */
  get session(): Session {
    return this.#session
  }

  /** Everything after the log load. Returning acknowledges the message. */
  run(): Effect.Effect<HandlerResult, DeliveryError> {
    return Effect.gen(() => this.#passes()).pipe(
      Effect.catchIf(isHopeless, (refusal) => this.#failRun(failureOfRefusal(refusal)))
    )
  }

  *#passes(): Effect.fn.Return<HandlerResult, DeliveryError> {
    const orchestrator = this.#orchestrator
    const { log, meta, settings } = orchestrator
    const drain = yield* Draining
    if (meta.attempt > settings.tuning.maxQueueDeliveries) {
      return yield* this.#failRun(failureOfCap(meta, settings.tuning.maxQueueDeliveries))
    }
    yield* resendSteps(orchestrator, this.#resends)
    yield* repayClaims(settings.world.queue, log)
    if (!log.isStarted) {
      yield* orchestrator.CommitInBand({
        eventType: "run_started",
        specVersion: SPEC_VERSION_SINGLE_ORCHESTRATOR,
        eventData: {}
      })
    }
    for (;;) {
      if (log.isBehind) yield* orchestrator.catchUp()
      if (log.isEnded) {
        settings.host.abort(orchestrator.runId)
        return undefined
      }
      const over = this.#overAt(yield* Clock.currentTimeMillis, drain)
      if (over !== undefined) {
        if (this.#inline.running === 0) return yield* this.#giveUp(over)
        yield* this.#inline.settle(yield* this.#inline.next)
        continue
      }
      const due = this.#waits.due(yield* Clock.currentTimeMillis)
      if (due.length > 0) {
        yield* this.#waits.complete(due)
        continue
      }
      const failure = this.#session.consume(log.since(this.#session.consumedSlot))
      yield* this.#print()
      if (failure !== undefined) {
        if (yield* this.#replayFailed(failure)) continue
        return undefined
      }
      if (this.#isCompared) this.#compare()
      const { calls, ending } = this.#session.decisions
      const { fresh, undecided } = this.#undecided.look(calls)
      if (ending !== undefined) {
        yield* drainHooks(orchestrator, undecided)
        if (log.isEnded) return undefined
        yield* orchestrator.CommitInBand(endingEvent(ending))
        return undefined
      }
      this.#inline.learn(fresh)
      if (yield* this.#decide(this.#session.decisions, undecided)) continue
      if (this.#inline.throttledSeconds !== undefined) continue
      if (this.#inline.running === 0) {
        yield* this.#waits.suspend()
        return undefined
      }
      yield* this.#waits.armOwned()
      yield* this.#awaitProgress()
    }
  }

  /**
   * Why the delivery decides nothing more, by now: a start was throttled, a stream is flushed, its inline window is over,
   * or its process ends.
   */
  #overAt(now: number, drain: Drain): HandlerResult {
    const { throttledSeconds, isFlushing } = this.#inline
    if (throttledSeconds !== undefined) return { timeoutSeconds: throttledSeconds }
    if (isFlushing) return HANDOFF
    const { meta, settings } = this.#orchestrator
    return drain.isUnderWay || now >= deadlineOf(meta, settings.tuning) ? HANDOFF : undefined
  }

  /**
   * The run goes on in another delivery of the message. What this one owes is sent first: of the chains that it owns, the
   * next one knows its message's own at best. (HAND-07, WAIT-08)
   */
  *#giveUp(answer: HandlerResult): Effect.fn.Return<HandlerResult, DeliveryError> {
    yield* this.#waits.armOwned()
    return answer
  }

  /**
   * Waits until a body settles, whose outcome it writes; or a wait is over, which the next pass completes; or the log may
   * hold what others appended, which is read. (RUN-26, WAIT-75)
   */
  *#awaitProgress(): Effect.fn.Return<void, DeliveryError> {
    const orchestrator = this.#orchestrator
    const left = (this.#waits.nextDeadline ?? Number.POSITIVE_INFINITY) - (yield* Clock.currentTimeMillis)
    const { hasSettled } = this.#inline
    const rings = this.#watch.isOn ? Effect.raceFirst(hasSettled, this.#watch.next) : hasSettled
    const isOver = Effect.as(Effect.sleep(Math.min(Math.max(left, 0), LONGEST_PAUSE_MS)), "over" as const)
    const next = yield* Number.isFinite(left) ? Effect.raceFirst(rings, isOver) : rings
    if (next === "over") return
    if (next === "settled") return yield* this.#inline.settle(yield* this.#inline.next)
    const { tail } = orchestrator.log
    yield* orchestrator.catchUp()
    this.#watch.looked(next, orchestrator.log.tail > tail)
  }

  /** Writes what the pass decided. Returns whether another pass is needed before anything else. */
  *#decide(decisions: Decisions, undecided: ReadonlyArray<Call>): Effect.fn.Return<boolean, DeliveryError> {
    const orchestrator = this.#orchestrator
    const inline = this.#inline
    const orphans = inline.orphans()

    const hooks = yield* decideHooks(orchestrator, undecided, decisions)
    // The code goes on by what it is told now, so the next pass comes before any step.
    if (hooks.isAnswered) return true
    let { isStale } = hooks
    const waits = yield* this.#waits.announce(undecided)
    for (const step of orphans) isStale = (yield* inline.adopt(step)) || isStale
    // What was not started is decided again by the delivery that comes after the throttle.
    if (inline.throttledSeconds !== undefined) return false
    const steps = undecided.flatMap((call) => (call.kind === "step" ? [call] : []))
    const room = inline.roomAt(yield* Clock.currentTimeMillis)
    const creations: Array<Creation> = []
    for (const call of steps.slice(0, room)) creations.push({ kind: "inline", ...(yield* inline.createdInline(call)) })
    for (const call of steps.slice(room)) {
      creations.push({ kind: "background", event: createdInBackground(orchestrator, call), call })
    }
    for (const event of waits) creations.push({ kind: "wait", event })
    return (yield* createAll(orchestrator, inline, creations)) || isStale
  }

  /** What a session that was kept decides must be what a cold replay of the same log decides. (RUN-23) */
  #compare(): void {
    this.#isCompared = false
    const cold = this.#open()
    const failure = cold.consume(this.#orchestrator.log.events)
    cold.close()
    const [kept, replayed] = [this.#session.decisions, cold.decisions].map((decisions) => JSON.stringify(decisions))
    if (failure !== undefined || kept !== replayed) {
      throw new Error(`A kept session of ${this.#orchestrator.runId} decided ${kept}, a cold replay ${replayed}.`)
    }
  }

  /** Ends the run, and with it the delivery, for a reason that is not the workflow's own. */
  #failRun(error: EventError): Effect.Effect<undefined, InBandError> {
    return Effect.as(this.#orchestrator.CommitInBand(failedEvent(error)), undefined)
  }

  /**
   * A log that the code does not fit is loaded again and replayed from cold, in this delivery; once that was tried often
   * enough, the run fails with what was found. Returns whether there is something left to try. (RUN-33, SET-41)
   */
  *#replayFailed(failure: ReplayError): Effect.fn.Return<boolean, DeliveryError> {
    const orchestrator = this.#orchestrator
    if (this.#divergences++ < orchestrator.settings.tuning.replayDivergenceMaxRetries) {
      yield* Effect.logWarning(failure.message)
      yield* orchestrator.reload()
      this.#session.close()
      this.#session = this.#open()
      this.#undecided.forget()
      return true
    }
    yield* Effect.logError(failure.message)
    yield* this.#failRun(failureOfReplay(failure))
    return false
  }

  *#print(): Effect.fn.Return<void> {
    for (const line of this.#session.takeLines()) {
      if (line.slot >= this.#firstSlotToPrint) yield* logConsoleLine(line, this.#orchestrator.runId)
    }
  }
}

/** Handles one orchestrator message. */
export const deliver = Effect.fnUntraced(
  function* (
    settings: DeliverySettings,
    payload: WorkflowInvokePayload,
    meta: MessageMeta
  ): Effect.fn.Return<HandlerResult, DeliveryError> {
    const { runId } = payload
    const isPassMade = settings.passes.isMade(meta)
    const kept = settings.retained?.take(runId)
    const { world, workflows } = settings
    const log = yield* kept === undefined ? openLog(world.events, payload) : resumeLog(world.events, runId, kept.log)
    if (log.isEnded) {
      yield* repayClaims(settings.world.queue, log)
      return undefined
    }
    const created = log.events[0]
    const workflowName = created?.eventType === "run_created" ? created.eventData.workflowName : ""
    const session = kept?.session ?? workflows.open(workflowName, runId)
    if (session === undefined) return yield* new WorkflowNotLoaded({ runId, workflowName })
    // What is loaded stays loaded: a session that could be opened once can be opened again.
    const open = () => workflows.open(workflowName, runId) ?? session
    const settled = yield* Queue.unbounded<Settled>()
    const orchestrator = new Orchestrator(settings, runId, meta, log)
    const watch = new LogWatch(world.events, runId, log, settings.tuning, yield* Queue.sliding<Ring>(1))
    const isFirst = meta.deliveryCount === 1 && payload.recovery !== true
    const pass = isFirst || isPassMade ? "last" : payload.recovery === true ? "recovery" : "all"
    const delivery = new Delivery(orchestrator, payload, open, session, kept !== undefined, settled, watch, pass)
    return yield* Effect.onExit(delivery.run(), (exit) =>
      Effect.suspend(() => {
        const run = { log, session: delivery.session }
        if (Exit.isSuccess(exit) && exit.value === undefined && !isFirst) settings.passes.acknowledge(meta)
        if (Exit.isSuccess(exit) && settings.retained !== undefined) settings.retained.keep(runId, run)
        else run.session.close()
        return watch.close
      })
    )
  },
  (delivery, _settings, _payload, { attempt }) =>
    Effect.catchTag(delivery, "OrchestratorSuperseded", (refusal) =>
      // Once is an overlap; again and again is a World that refuses everything, or deliveries that never finish. (QUEUE-43)
      Effect.as(
        attempt < REFUSAL_STREAK ? Effect.logDebug(refusal.message) : Effect.logWarning(refusal.message, { attempt }),
        {
          timeoutSeconds: FENCE_REFUSAL_REDELIVERY_SECONDS
        }
      )
    ),
  Effect.catchTag("RunEnded", (refusal) => Effect.as(Effect.logDebug(refusal.message), undefined))
)
