/**
 * One orchestrator delivery: the log is loaded, the workflow replayed, and what it decided written and dispatched.
 *
 * One sequential loop makes every World and queue call, in this order; only step bodies run beside it.
 *
 * ```
 * LoadLog ── ended ──> Acknowledge
 *    │ not the message's first delivery: SendStep for every step that may have no message (re-send rule)
 *    │ nobody has started the run: run_started
 *    v
 * pass: replay what the log gained
 *    ├── the run ended ──────> Acknowledge
 *    ├── returned or threw ──> run_completed | run_failed ──> Acknowledge
 *    ├── hook_created for each new hook
 *    ├── each open inline step that nobody here runs: its next step_started, or step_failed past its attempts
 *    ├── new steps: step_started and a body for as many as may run inline; step_created, then SendStep, for the rest
 *    ├── a foreign event was reported, or a step failed ──> pass
 *    ├── bodies run: wait for one, write its outcome (a retry moves the step to its own message) ──> pass
 *    └── nothing left to do ──> Acknowledge
 * a write is refused by the fence ──> AskRedelivery; because the run ended ──> Acknowledge
 * a write is refused that no delivery could make (a token in use, too large a text) ──> run_failed ──> Acknowledge
 * anything else fails ──> the delivery fails, and its message is delivered again
 * ```
 *
 * Nothing is ever owed to the queue at a refusal: each step's message follows its own commit, before the next write.
 * Bodies that run when a delivery ends are left to finish, and their outcomes are not written.
 *
 * Rules: RUN-21, RUN-24, RUN-25, RUN-26, RUN-28, RUN-30, RUN-31, RUN-36, FENCE-15, FENCE-17, FENCE-18, FENCE-22, STEP-02,
 * STEP-03, STEP-04, STEP-07, STEP-08, STEP-16, STEP-36, STEP-37, STEP-49, STEP-51, STEP-54, STEP-61, STEP-67, CAC-01,
 * CAC-02, CAC-16.
 *
 * @module
 */
import { Effect, Queue, type Scope } from "effect"
import { defaultMaxRetries } from "../../model/programs/Program.ts"
import {
  type EntityConflictError,
  type EventError,
  type EventInput,
  type HandlerResult,
  type MessageMeta,
  type MessageQueueError,
  type PayloadTooLargeError,
  SPEC_VERSION_SINGLE_ORCHESTRATOR,
  type WorkflowInvokePayload,
  type World
} from "../world/index.ts"
import { type InBandError, InBandWriter } from "./InBandWriter.ts"
import { catchUp, type LogState, loadLog, type StepFacts } from "./LogState.ts"
import { SendStep } from "./Messages.ts"
import { failureOfReplay, MAX_REPLAY_ATTEMPTS, WorkflowNotLoaded } from "./ReplayFailure.ts"
import { type AttemptOutcome, exhaustedEvent, outcomeEvent, runAttempt, StepNotRegistered } from "./StepAttempt.ts"
import type { Attempt, StepBodiesService } from "./StepBodies.ts"
import type { ReplayError } from "./vm/ReplayError.ts"
import type { Call, ConsoleLine, Ending, Session } from "./vm/Session.ts"
import type { Workflows } from "./Workflows.ts"

/** What deliveries are made with. */
export interface DeliverySettings {
  readonly world: World["Service"]
  readonly workflows: Workflows["Service"]
  readonly bodies: StepBodiesService
  /** The most steps that one delivery runs in its own process at a time. */
  readonly maxInlineSteps: number
  /** What bodies belong to: they may outlive the delivery that began them, not the runtime. */
  readonly scope: Scope.Scope
}

/** Why an orchestrator delivery failed; its message is delivered again. A refusal by the fence is an answer, not a failure. */
export type DeliveryError = InBandError | MessageQueueError | ReplayError | WorkflowNotLoaded | StepNotRegistered

/** Seconds after which a superseded delivery's message comes back. (FENCE-22) */
const FENCE_REFUSAL_REDELIVERY_SECONDS = 1

const specVersion = SPEC_VERSION_SINGLE_ORCHESTRATOR

interface Settled {
  readonly attempt: Attempt
  readonly outcome: AttemptOutcome
}

const maxRetriesOf = (call: Call | undefined): number =>
  call?.kind === "step" && call.maxRetries !== undefined ? call.maxRetries : defaultMaxRetries

const endingEvent = (ending: Ending): EventInput =>
  ending.kind === "returned"
    ? { eventType: "run_completed", specVersion, eventData: { output: ending.output } }
    : { eventType: "run_failed", specVersion, eventData: { error: ending.error } }

/** A step that may have no message: the delivery that should have sent it may have died. (STEP-36, STEP-37, STEP-49) */
const mayHaveNoMessage = ({ ended, inline, starts, retry }: StepFacts): boolean =>
  !ended && (inline ? retry?.byOrchestrator === true : starts === 0 && retry === undefined)

const numberOf = (correlationId: string): number => Number(correlationId.slice(correlationId.indexOf("_") + 1))

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
const isHopeless = (error: DeliveryError): error is PayloadTooLargeError | EntityConflictError =>
  error._tag === "PayloadTooLargeError" || (error._tag === "EntityConflictError" && error.conflict === "token-in-use")

const failureOfRefusal = ({ _tag: name, message }: PayloadTooLargeError | EntityConflictError): EventError => ({
  name,
  message,
  code: name === "PayloadTooLargeError" ? "PAYLOAD_TOO_LARGE" : "HOOK_TOKEN_IN_USE"
})

/** The delivery of one message, from its log load to its answer. */
class Delivery {
  readonly #settings: DeliverySettings
  readonly #runId: string
  readonly #meta: MessageMeta
  readonly #log: LogState
  readonly #writer: InBandWriter
  readonly #session: Session
  readonly #running = new Set<string>()
  readonly #settled: Queue.Queue<Settled>
  readonly #firstSlotToPrint: number

  constructor(
    settings: DeliverySettings,
    runId: string,
    meta: MessageMeta,
    log: LogState,
    session: Session,
    settled: Queue.Queue<Settled>
  ) {
    this.#settings = settings
    this.#runId = runId
    this.#meta = meta
    this.#log = log
    this.#session = session
    this.#settled = settled
    this.#writer = new InBandWriter(settings.world.events, runId, log)
    // What lies below the last decision was replayed by the delivery that made it, and printed then.
    this.#firstSlotToPrint = log.lastInBandSlot
  }

  /** Everything after the log load. Returning acknowledges the message. */
  run(): Effect.Effect<void, DeliveryError> {
    return Effect.gen(() => this.#passes()).pipe(
      Effect.catchIf(isHopeless, (refusal) => this.#failRun(failureOfRefusal(refusal)))
    )
  }

  *#passes(): Effect.fn.Return<void, DeliveryError> {
    if (this.#meta.deliveryCount > 1) yield* this.#resendSteps()
    if (!this.#log.isStarted) {
      yield* this.#CommitInBand({ eventType: "run_started", specVersion, eventData: {} })
    }
    for (;;) {
      if (this.#log.isBehind) yield* catchUp(this.#settings.world.events, this.#runId, this.#log)
      if (this.#log.isEnded) return
      const failure = this.#session.consume(this.#log.since(this.#session.consumedSlot))
      yield* this.#print()
      if (failure !== undefined) return yield* this.#replayFailed(failure)
      const { calls, ending } = this.#session.decisions
      if (ending !== undefined) {
        yield* this.#CommitInBand(endingEvent(ending))
        return
      }
      if (yield* this.#decide(calls)) continue
      if (this.#running.size === 0) return
      yield* this.#settle(yield* Queue.take(this.#settled), calls)
    }
  }

  #CommitInBand(event: EventInput): Effect.Effect<boolean, InBandError> {
    return this.#writer.commit(event)
  }

  #SendStep(stepId: string, maxRetries: number, resent = false): Effect.Effect<unknown, MessageQueueError> {
    const step = this.#log.step(stepId)
    return step === undefined
      ? Effect.die(new Error(`${stepId} of ${this.#runId} was committed and is not held.`))
      : SendStep(this.#settings.world.queue, this.#runId, step, maxRetries, resent)
  }

  *#resendSteps(): Effect.fn.Return<void, DeliveryError> {
    for (const { stepId, stepName } of this.#log.steps.filter(mayHaveNoMessage)) {
      const { maxRetries = defaultMaxRetries } = this.#settings.bodies.lookup(stepName) ?? {}
      yield* this.#SendStep(stepId, maxRetries, true)
    }
  }

  /** Writes what the pass decided. Returns whether another pass is needed before anything else. */
  *#decide(calls: ReadonlyArray<Call>): Effect.fn.Return<boolean, DeliveryError> {
    let isStale = false
    const fresh = calls.filter(({ id }) => !this.#log.isCreated(id))
    const orphans = this.#log.steps
      .filter((step) => step.inline && !step.ended && !step.moved && !this.#running.has(step.stepId))
      .toSorted((a, b) => numberOf(a.stepId) - numberOf(b.stepId))

    for (const call of fresh) {
      if (call.kind !== "hook") continue
      const eventData = { token: call.token }
      isStale =
        (yield* this.#CommitInBand({ eventType: "hook_created", specVersion, correlationId: call.id, eventData })) ||
        isStale
    }
    const byId = new Map(calls.map((call) => [call.id, call]))
    for (const step of orphans) {
      isStale = (yield* this.#adopt(step, maxRetriesOf(byId.get(step.stepId)))) || isStale
    }
    const steps = fresh.flatMap((call) => (call.kind === "step" ? [call] : []))
    const room = Math.max(0, this.#settings.maxInlineSteps - this.#running.size)
    for (const { id: stepId, name: stepName, input } of steps.slice(0, room)) {
      const attempt = { runId: this.#runId, stepId, stepName, attempt: 1 }
      isStale = (yield* this.#start(attempt, input, { input, inline: true })) || isStale
    }
    for (const call of steps.slice(room)) {
      isStale = (yield* this.#createInBackground(call)) || isStale
    }
    return isStale
  }

  /**
   * An open inline step of a delivery that is gone: its next attempt, or its failure when none is left. (STEP-16,
   * STEP-61)
   */
  *#adopt(step: StepFacts, maxRetries: number): Effect.fn.Return<boolean, DeliveryError> {
    const { stepId, stepName, input, starts } = step
    const attempt = { runId: this.#runId, stepId, stepName, attempt: starts + 1 }
    if (attempt.attempt > maxRetries + 1) {
      yield* this.#CommitInBand(exhaustedEvent(attempt, maxRetries))
      return true
    }
    return yield* this.#start(attempt, input, {})
  }

  /** Commits a start, and lets the body begin. */
  *#start(
    attempt: Attempt,
    input: string,
    creation: { readonly input?: string; readonly inline?: true }
  ): Effect.fn.Return<boolean, DeliveryError> {
    const { stepId, stepName } = attempt
    const body = this.#settings.bodies.lookup(stepName)
    if (body === undefined) return yield* new StepNotRegistered(attempt)
    const isStale = yield* this.#CommitInBand({
      eventType: "step_started",
      specVersion,
      correlationId: stepId,
      eventData: { stepName, attempt: attempt.attempt, ...creation }
    })
    this.#running.add(stepId)
    yield* runAttempt(body, attempt, input).pipe(
      Effect.map((outcome) => Queue.offerUnsafe(this.#settled, { attempt, outcome })),
      Effect.forkIn(this.#settings.scope, { startImmediately: true })
    )
    return isStale
  }

  *#createInBackground(call: Extract<Call, { kind: "step" }>): Effect.fn.Return<boolean, DeliveryError> {
    const { id: correlationId, name: stepName, input } = call
    const creatorMessageId = this.#meta.messageId
    const isStale = yield* this.#CommitInBand({
      eventType: "step_created",
      specVersion,
      correlationId,
      eventData: { stepName, input, inline: false, creatorMessageId }
    })
    if (this.#log.isBehind) yield* catchUp(this.#settings.world.events, this.#runId, this.#log)
    yield* this.#SendStep(correlationId, maxRetriesOf(call))
    return isStale
  }

  /** Writes what became of a body that ran here. */
  *#settle({ attempt, outcome }: Settled, calls: ReadonlyArray<Call>): Effect.fn.Return<void, DeliveryError> {
    const maxRetries = maxRetriesOf(calls.find(({ id }) => id === attempt.stepId))
    const write = (result: AttemptOutcome) => outcomeEvent(attempt, result, maxRetries, this.#meta.messageId)
    const event = write(outcome)
    const isMoved = yield* this.#CommitInBand(event).pipe(
      Effect.as(event.eventType === "step_retrying"),
      Effect.catchTag("PayloadTooLargeError", ({ message }) =>
        Effect.as(
          this.#CommitInBand(write({ kind: "failed", error: { name: "FatalError", message, retryable: false } })),
          false
        )
      )
    )
    this.#running.delete(attempt.stepId)
    if (!isMoved) return
    if (this.#log.isBehind) yield* catchUp(this.#settings.world.events, this.#runId, this.#log)
    yield* this.#SendStep(attempt.stepId, maxRetries)
  }

  /** Ends the run, and with it the delivery, for a reason that is not the workflow's own. */
  #failRun(error: EventError): Effect.Effect<void, InBandError> {
    return Effect.asVoid(this.#CommitInBand({ eventType: "run_failed", specVersion, eventData: { error } }))
  }

  /** A log that cannot be replayed is tried again from cold, by a redelivery; in the end the run fails with it. */
  *#replayFailed(failure: ReplayError): Effect.fn.Return<void, DeliveryError> {
    if (this.#meta.attempt < MAX_REPLAY_ATTEMPTS) return yield* failure
    yield* Effect.logError(failure.message)
    yield* this.#failRun(failureOfReplay(failure))
  }

  *#print(): Effect.fn.Return<void> {
    for (const line of this.#session.takeLines()) {
      if (line.slot >= this.#firstSlotToPrint) yield* consoleLine(line, this.#runId)
    }
  }
}

/** Handles one orchestrator message. */
export const deliver = Effect.fnUntraced(
  function* (
    settings: DeliverySettings,
    { runId }: WorkflowInvokePayload,
    meta: MessageMeta
  ): Effect.fn.Return<HandlerResult, DeliveryError> {
    const log = yield* loadLog(settings.world.events, runId)
    if (log.isEnded) return undefined
    const created = log.events[0]
    const workflowName = created?.eventType === "run_created" ? created.eventData.workflowName : ""
    const session = settings.workflows.open(workflowName, runId)
    if (session === undefined) return yield* new WorkflowNotLoaded({ runId, workflowName })
    const settled = yield* Queue.unbounded<Settled>()
    const delivery = new Delivery(settings, runId, meta, log, session, settled)
    yield* delivery.run()
    return undefined
  },
  Effect.catchTag("OrchestratorSuperseded", (refusal) =>
    Effect.as(Effect.logDebug(refusal.message), { timeoutSeconds: FENCE_REFUSAL_REDELIVERY_SECONDS })
  ),
  Effect.catchTag("RunEnded", (refusal) => Effect.as(Effect.logDebug(refusal.message), undefined))
)
