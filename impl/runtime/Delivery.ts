/**
 * One orchestrator delivery: the log is loaded, the workflow replayed, and what it decided written and dispatched.
 *
 * One sequential loop makes every World and queue call, in this order; only step bodies run beside it.
 *
 * ```
 * LoadLog ── ended ──> Acknowledge
 *    │ SendStep for every step that may have no message; in the message's first delivery, for the last one alone
 *    │ nobody has started the run: run_started
 *    v
 * pass: waits are over, or asked to end: SendTimer for what is next in their chains, wait_completed for each ──> pass
 *    │ replay what the log gained
 *    ├── the run ended ──────> Acknowledge
 *    ├── returned or threw ──> run_completed | run_failed ──> Acknowledge
 *    ├── hook_created for each new hook; SendTimer, then wait_created, for new sleeps
 *    ├── each open inline step that nobody here runs: its next step_started, or step_failed past its attempts
 *    ├── new steps: step_started and a body for as many as may run inline; step_created, then SendStep, for the rest
 *    ├── a foreign event was reported, or a step failed ──> pass
 *    ├── bodies run: SendTimer for what is owed, wait for a body or for the end of a sleep, write the outcome (a retry
 *    │   moves the step to its own message) ──> pass
 *    └── nothing left to do: SendTimer for what is owed ──> Acknowledge
 * a write is refused by the fence ──> AskRedelivery; because the run ended ──> Acknowledge
 * a write is refused that no delivery could make (a token in use, too large a text) ──> run_failed ──> Acknowledge
 * anything else fails ──> the delivery fails, and its message is delivered again
 * ```
 *
 * Nothing is ever owed to the queue at a refusal: each step's message follows its own commit, before the next write. So
 * it is only the last in-band event of a log whose message may be missing, and every delivery sees to that one before it
 * writes, its message's first as well: the delivery that follows a dead one may have come and gone before the other died.
 * Bodies that run when a delivery ends are left to finish, and their outcomes are not written.
 *
 * Rules: RUN-21, RUN-24, RUN-25, RUN-26, RUN-28, RUN-30, RUN-31, RUN-36, FENCE-15, FENCE-17, FENCE-18, FENCE-22, STEP-02,
 * STEP-03, STEP-04, STEP-07, STEP-08, STEP-16, STEP-36, STEP-37, STEP-49, STEP-51, STEP-54, STEP-61, STEP-67, CAC-01,
 * CAC-02, CAC-16.
 *
 * @module
 */
import { Clock, Effect, Option, Queue } from "effect"
import {
  type EventError,
  type EventInput,
  type HandlerResult,
  type MessageMeta,
  type PayloadTooLargeError,
  SPEC_VERSION_SINGLE_ORCHESTRATOR,
  type WorkflowInvokePayload
} from "../world/index.ts"
import { createInBackground, maxRetriesOf, resendSteps } from "./BackgroundSteps.ts"
import type { DeliverySettings } from "./DeliverySettings.ts"
import { decideHooks, drainHooks, isUndecided, repayClaims } from "./HookDecisions.ts"
import type { InBandError } from "./InBandWriter.ts"
import { InlineSteps, type Settled } from "./InlineSteps.ts"
import { loadLog } from "./LogState.ts"
import { type DeliveryError, Orchestrator } from "./Orchestrator.ts"
import { failureOfReplay, MAX_REPLAY_ATTEMPTS, WorkflowNotLoaded } from "./ReplayFailure.ts"
import type { ReplayError } from "./vm/ReplayError.ts"
import type { Call, ConsoleLine, Decisions, Ending, Session } from "./vm/Session.ts"
import { Waits } from "./Waits.ts"

/** Seconds after which a superseded delivery's message comes back. (FENCE-22) */
const FENCE_REFUSAL_REDELIVERY_SECONDS = 1

/** A platform timer cannot be set for longer than about 24 days; a delivery looks at its waits again well before. */
const LONGEST_PAUSE_MS = 3_600_000

const specVersion = SPEC_VERSION_SINGLE_ORCHESTRATOR

const endingEvent = (ending: Ending): EventInput =>
  ending.kind === "returned"
    ? { eventType: "run_completed", specVersion, eventData: { output: ending.output } }
    : { eventType: "run_failed", specVersion, eventData: { error: ending.error } }

const consoleLine = ({ level, line }: ConsoleLine, runId: string): Effect.Effect<void> => {
  const log =
    level === "error"
      ? Effect.logError
      : level === "warn"
        ? Effect.logWarning
        : level === "debug"
          ? Effect.logDebug
          : Effect.logInfo
  return Effect.annotateLogs(log(line), { runId })
}

/** A refusal that no redelivery would help: what the workflow asks for, or ends with, cannot be had. */
const isHopeless = (error: DeliveryError): error is PayloadTooLargeError => error._tag === "PayloadTooLargeError"

const failureOfRefusal = ({ _tag: name, message }: PayloadTooLargeError): EventError => ({
  name,
  message,
  code: "PAYLOAD_TOO_LARGE"
})

/** The delivery of one message, from its log load to its answer. */
class Delivery {
  readonly #orchestrator: Orchestrator
  readonly #session: Session
  readonly #inline: InlineSteps
  readonly #waits: Waits
  readonly #firstSlotToPrint: number

  constructor(
    orchestrator: Orchestrator,
    payload: WorkflowInvokePayload,
    session: Session,
    settled: Queue.Queue<Settled>
  ) {
    this.#orchestrator = orchestrator
    this.#session = session
    this.#inline = new InlineSteps(orchestrator, settled)
    this.#waits = new Waits(orchestrator, payload)
    // What lies below the last decision was replayed by the delivery that made it, and printed then.
    this.#firstSlotToPrint = orchestrator.log.lastInBandSlot
  }

  /** Everything after the log load. Returning acknowledges the message. */
  run(): Effect.Effect<void, DeliveryError> {
    return Effect.gen(() => this.#passes()).pipe(
      Effect.catchIf(isHopeless, (refusal) => this.#failRun(failureOfRefusal(refusal)))
    )
  }

  *#passes(): Effect.fn.Return<void, DeliveryError> {
    const orchestrator = this.#orchestrator
    const { log } = orchestrator
    yield* resendSteps(orchestrator)
    yield* repayClaims(orchestrator.settings.world.queue, log)
    if (!log.isStarted) {
      yield* orchestrator.CommitInBand({ eventType: "run_started", specVersion, eventData: {} })
    }
    for (;;) {
      if (log.isBehind) yield* orchestrator.catchUp()
      if (log.isEnded) return
      const due = this.#waits.due(yield* Clock.currentTimeMillis)
      if (due.length > 0) {
        yield* this.#waits.complete(due)
        continue
      }
      const failure = this.#session.consume(log.since(this.#session.consumedSlot))
      yield* this.#print()
      if (failure !== undefined) return yield* this.#replayFailed(failure)
      const { calls, ending } = this.#session.decisions
      if (ending !== undefined) {
        yield* drainHooks(orchestrator, this.#undecided(calls))
        if (log.isEnded) return
        yield* orchestrator.CommitInBand(endingEvent(ending))
        return
      }
      if (yield* this.#decide(this.#session.decisions)) continue
      if (this.#inline.running === 0) {
        yield* this.#waits.suspend()
        return
      }
      yield* this.#waits.armOwned()
      yield* this.#awaitProgress(calls)
    }
  }

  /** Waits until a body settles, whose outcome it writes, or a wait is over, which the next pass completes. (WAIT-75) */
  *#awaitProgress(calls: ReadonlyArray<Call>): Effect.fn.Return<void, DeliveryError> {
    const deadline = this.#waits.nextDeadline
    if (deadline === undefined) return yield* this.#inline.settle(yield* this.#inline.next, calls)
    const left = Math.max(0, deadline - (yield* Clock.currentTimeMillis))
    const settled = yield* Effect.timeoutOption(this.#inline.next, Math.min(left, LONGEST_PAUSE_MS))
    if (Option.isSome(settled)) yield* this.#inline.settle(settled.value, calls)
  }

  /** Writes what the pass decided. Returns whether another pass is needed before anything else. */
  *#decide(decisions: Decisions): Effect.fn.Return<boolean, DeliveryError> {
    const { calls } = decisions
    const orchestrator = this.#orchestrator
    const inline = this.#inline
    const undecided = this.#undecided(calls)
    const orphans = inline.orphans()

    const hooks = yield* decideHooks(orchestrator, undecided, decisions)
    // The code goes on by what it is told now, so the next pass comes before any step.
    if (hooks.isAnswered) return true
    let { isStale } = hooks
    isStale = (yield* this.#waits.create(undecided)) || isStale
    const byId = new Map(calls.map((call) => [call.id, call]))
    for (const step of orphans) {
      isStale = (yield* inline.adopt(step, maxRetriesOf(byId.get(step.stepId)))) || isStale
    }
    const steps = undecided.flatMap((call) => (call.kind === "step" ? [call] : []))
    const { room } = inline
    for (const call of steps.slice(0, room)) isStale = (yield* inline.create(call)) || isStale
    for (const call of steps.slice(room)) isStale = (yield* createInBackground(orchestrator, call)) || isStale
    return isStale
  }

  #undecided(calls: ReadonlyArray<Call>): ReadonlyArray<Call> {
    return calls.filter((call) => isUndecided(this.#orchestrator.log, call))
  }

  /** Ends the run, and with it the delivery, for a reason that is not the workflow's own. */
  #failRun(error: EventError): Effect.Effect<void, InBandError> {
    return Effect.asVoid(
      this.#orchestrator.CommitInBand({ eventType: "run_failed", specVersion, eventData: { error } })
    )
  }

  /** A log that cannot be replayed is tried again from cold, by a redelivery; in the end the run fails with it. */
  *#replayFailed(failure: ReplayError): Effect.fn.Return<void, DeliveryError> {
    if (this.#orchestrator.meta.attempt < MAX_REPLAY_ATTEMPTS) return yield* failure
    yield* Effect.logError(failure.message)
    yield* this.#failRun(failureOfReplay(failure))
  }

  *#print(): Effect.fn.Return<void> {
    for (const line of this.#session.takeLines()) {
      if (line.slot >= this.#firstSlotToPrint) yield* consoleLine(line, this.#orchestrator.runId)
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
    const log = yield* loadLog(settings.world.events, runId)
    if (log.isEnded) {
      yield* repayClaims(settings.world.queue, log)
      return undefined
    }
    const created = log.events[0]
    const workflowName = created?.eventType === "run_created" ? created.eventData.workflowName : ""
    const session = settings.workflows.open(workflowName, runId)
    if (session === undefined) return yield* new WorkflowNotLoaded({ runId, workflowName })
    const settled = yield* Queue.unbounded<Settled>()
    yield* new Delivery(new Orchestrator(settings, runId, meta, log), payload, session, settled).run()
    return undefined
  },
  Effect.catchTag("OrchestratorSuperseded", (refusal) =>
    Effect.as(Effect.logDebug(refusal.message), { timeoutSeconds: FENCE_REFUSAL_REDELIVERY_SECONDS })
  ),
  Effect.catchTag("RunEnded", (refusal) => Effect.as(Effect.logDebug(refusal.message), undefined))
)
