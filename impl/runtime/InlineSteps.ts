/**
 * Steps that run in the delivery's own process: their starts are committed, their bodies run beside the loop, and their
 * outcomes are written by it, one at a time.
 *
 * ```
 * new call ── start ──> running ── settle ──> step_completed | step_failed
 *    adopted ─────┘                   └────> step_retrying, then the step's own message
 *    └── no attempt left ──> step_failed
 * a start is refused for load ──> nothing more is started; what runs settles, and then the run is deferred
 * ```
 *
 * Rules: RUN-27, RUN-43, RUN-44, RUN-45, HAND-15, EDGE-22, SET-34, STEP-02, STEP-04, STEP-07, STEP-08, STEP-16, STEP-51, STEP-61, FENCE-18, CAC-16.
 *
 * @module
 */
import { Effect, Queue } from "effect"
import { type EventInput, SPEC_VERSION_SINGLE_ORCHESTRATOR } from "../world/index.ts"
import { maxRetriesOf, type StepCall, sendStep } from "./BackgroundSteps.ts"
import { mayStartInline } from "./Deadline.ts"
import type { StepFacts } from "./LogState.ts"
import type { DeliveryError, Orchestrator } from "./Orchestrator.ts"
import {
  type AttemptOutcome,
  type Ended,
  exhaustedEvent,
  outcomeEvent,
  runAttempt,
  StepNotRegistered
} from "./StepAttempt.ts"
import type { Attempt } from "./StepBodies.ts"
import type { Call } from "./vm/Session.ts"

/** A body that ran here, and what became of it. */
export interface Settled {
  readonly attempt: Attempt
  readonly outcome: Ended
}

/** A start that is not written yet. */
export interface Start {
  readonly event: EventInput
  /** Lets the body begin, once the start has committed. */
  readonly begin: Effect.Effect<unknown>
}

/** The World refuses a write for load, and has written nothing: it may be made later. */
export const isThrottle = (error: DeliveryError): boolean => error._tag === "WorkflowWorldError" && error.status === 429

const LONGEST_THROTTLE_SECONDS = 300

/** Seconds before a throttled run is tried again: twice as many for each attempt, for attempts are counted. (RUN-45) */
const throttleBackOff = (attempt: number): number => Math.min(2 ** Math.min(attempt - 1, 30), LONGEST_THROTTLE_SECONDS)

const numberOf = (correlationId: string): number => Number(correlationId.slice(correlationId.indexOf("_") + 1))

/** The inline steps of one delivery. */
export class InlineSteps {
  readonly #orchestrator: Orchestrator
  readonly #running = new Set<string>()
  /** Retries that the workflow's code allows, by step id. */
  readonly #maxRetries = new Map<string, number>()
  #throttledSeconds: number | undefined
  #isFlushing = false
  readonly #settled: Queue.Queue<Settled>

  constructor(orchestrator: Orchestrator, settled: Queue.Queue<Settled>) {
    this.#orchestrator = orchestrator
    this.#settled = settled
  }

  /** Bodies that run, or whose outcomes are not written yet. */
  get running(): number {
    return this.#running.size
  }

  /** A body has returned with stream writes pending: the delivery is to end once no body runs. (RUN-44) */
  get isFlushing(): boolean {
    return this.#isFlushing
  }

  /** How many more new steps may run here: none so close to the end of the inline window. (SET-34) */
  roomAt(now: number): number {
    const { meta, settings } = this.#orchestrator
    if (!mayStartInline(meta, settings.tuning, now)) return 0
    return Math.max(0, settings.tuning.maxInlineSteps - this.#running.size)
  }

  /**
   * Set once the World has refused a start for load: seconds to wait before the run is tried again. The delivery decides
   * nothing more; the bodies that it runs settle first, or they would be run again. (RUN-27, RUN-45)
   */
  get throttledSeconds(): number | undefined {
    return this.#throttledSeconds
  }

  /** Takes note of what calls say of their steps. */
  learn(calls: ReadonlyArray<Call>): void {
    for (const call of calls) if (call.kind === "step") this.#maxRetries.set(call.id, maxRetriesOf(call))
  }

  #maxRetriesOf(stepId: string): number {
    return this.#maxRetries.get(stepId) ?? maxRetriesOf(undefined)
  }

  /** Waits for a body to settle. */
  get next(): Effect.Effect<Settled> {
    return Queue.take(this.#settled)
  }

  /** Waits until a body has settled, and takes nothing: who is interrupted while it waits has lost nothing. */
  get hasSettled(): Effect.Effect<"settled"> {
    return Effect.as(Queue.peek(this.#settled), "settled")
  }

  /** Open inline steps that nobody here runs, in the order of their calls. */
  orphans(): ReadonlyArray<StepFacts> {
    return this.#orchestrator.log.openInlineSteps
      .filter(({ stepId }) => !this.#running.has(stepId))
      .toSorted((a, b) => numberOf(a.stepId) - numberOf(b.stepId))
  }

  /**
   * An open inline step of a delivery that is gone: its next attempt, or its failure when none is left. (STEP-16,
   * STEP-61)
   */
  *adopt(step: StepFacts): Effect.fn.Return<boolean, DeliveryError> {
    const { stepId, stepName, input, starts } = step
    const maxRetries = this.#maxRetriesOf(stepId)
    const attempt = { runId: this.#orchestrator.runId, stepId, stepName, attempt: starts + 1 }
    if (this.#throttledSeconds !== undefined) return false
    if (attempt.attempt > maxRetries + 1) {
      yield* this.#orchestrator.CommitInBand(exhaustedEvent(attempt, maxRetries))
      return true
    }
    const start = yield* this.#startOf(attempt, input, {})
    const isStale = yield* this.#orchestrator
      .CommitInBand(start.event)
      .pipe(Effect.catchIf(isThrottle, () => Effect.undefined))
    if (isStale === undefined) {
      this.throttle()
      return false
    }
    yield* start.begin
    return isStale
  }

  /** The first start of a step, which creates it. */
  createdInline({ id: stepId, name: stepName, input }: StepCall): Effect.Effect<Start, StepNotRegistered> {
    const attempt = { runId: this.#orchestrator.runId, stepId, stepName, attempt: 1 }
    return this.#startOf(attempt, input, { input, inline: true })
  }

  /** A start was refused for load. */
  throttle(): void {
    this.#throttledSeconds = throttleBackOff(this.#orchestrator.meta.attempt)
  }

  #startOf(
    attempt: Attempt,
    input: string,
    creation: { readonly input?: string; readonly inline?: true }
  ): Effect.Effect<Start, StepNotRegistered> {
    const { stepId, stepName } = attempt
    const { settings, workflow } = this.#orchestrator
    const { bodies, host, scope } = settings
    const body = bodies.lookup(stepName)
    if (body === undefined) return Effect.fail(new StepNotRegistered(attempt))
    return Effect.succeed({
      event: {
        eventType: "step_started",
        specVersion: SPEC_VERSION_SINGLE_ORCHESTRATOR,
        correlationId: stepId,
        eventData: { stepName, attempt: attempt.attempt, ...creation }
      },
      begin: Effect.suspend(() => {
        this.#running.add(stepId)
        return runAttempt(body, attempt, input, host, workflow).pipe(
          Effect.map((outcome) => Queue.offerUnsafe(this.#settled, { attempt, outcome })),
          Effect.forkIn(scope, { startImmediately: true })
        )
      })
    })
  }

  /** Writes what became of a body that ran here. */
  *settle({ attempt, outcome }: Settled): Effect.fn.Return<void, DeliveryError> {
    const orchestrator = this.#orchestrator
    if (outcome.isFlushing) this.#isFlushing = true
    if (outcome.isForNothing) {
      // Nothing of the run is to be written any more; the log says why.
      this.#running.delete(attempt.stepId)
      return yield* orchestrator.catchUp()
    }
    const maxRetries = this.#maxRetriesOf(attempt.stepId)
    const write = (result: AttemptOutcome) => outcomeEvent(attempt, result, maxRetries, orchestrator.meta.messageId)
    const event = write(outcome)
    const isMoved = yield* orchestrator.CommitInBand(event).pipe(
      Effect.as(event.eventType === "step_retrying"),
      Effect.catchTag("PayloadTooLargeError", ({ message }) =>
        Effect.as(
          orchestrator.CommitInBand(
            write({ kind: "failed", error: { name: "FatalError", message, retryable: false } })
          ),
          false
        )
      )
    )
    this.#running.delete(attempt.stepId)
    if (!isMoved) return
    if (orchestrator.log.isBehind) yield* orchestrator.catchUp()
    yield* sendStep(orchestrator, attempt.stepId, maxRetries)
  }
}
