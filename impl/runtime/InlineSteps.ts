/**
 * Steps that run in the delivery's own process: their starts are committed, their bodies run beside the loop, and their
 * outcomes are written by it, one at a time.
 *
 * ```
 * new call ── start ──> running ── settle ──> step_completed | step_failed
 *    adopted ─────┘                   └────> step_retrying, then the step's own message
 *    └── no attempt left ──> step_failed
 * ```
 *
 * Rules: STEP-02, STEP-04, STEP-07, STEP-08, STEP-16, STEP-51, STEP-61, FENCE-18, CAC-16.
 *
 * @module
 */
import { Effect, Queue } from "effect"
import { SPEC_VERSION_SINGLE_ORCHESTRATOR } from "../world/index.ts"
import { maxRetriesOf, type StepCall, sendStep } from "./BackgroundSteps.ts"
import type { StepFacts } from "./LogState.ts"
import type { DeliveryError, Orchestrator } from "./Orchestrator.ts"
import { type AttemptOutcome, exhaustedEvent, outcomeEvent, runAttempt, StepNotRegistered } from "./StepAttempt.ts"
import type { Attempt } from "./StepBodies.ts"
import type { Call } from "./vm/Session.ts"

/** A body that ran here, and what became of it. */
export interface Settled {
  readonly attempt: Attempt
  readonly outcome: AttemptOutcome
}

const numberOf = (correlationId: string): number => Number(correlationId.slice(correlationId.indexOf("_") + 1))

/** The inline steps of one delivery. */
export class InlineSteps {
  readonly #orchestrator: Orchestrator
  readonly #running = new Set<string>()
  readonly #settled: Queue.Queue<Settled>

  constructor(orchestrator: Orchestrator, settled: Queue.Queue<Settled>) {
    this.#orchestrator = orchestrator
    this.#settled = settled
  }

  /** Bodies that run, or whose outcomes are not written yet. */
  get running(): number {
    return this.#running.size
  }

  /** How many more steps may run here. */
  get room(): number {
    return Math.max(0, this.#orchestrator.settings.tuning.maxInlineSteps - this.#running.size)
  }

  /** Waits for a body to settle. */
  get next(): Effect.Effect<Settled> {
    return Queue.take(this.#settled)
  }

  /** Open inline steps that nobody here runs, in the order of their calls. */
  orphans(): ReadonlyArray<StepFacts> {
    return this.#orchestrator.log.steps
      .filter((step) => step.inline && !step.ended && !step.moved && !this.#running.has(step.stepId))
      .toSorted((a, b) => numberOf(a.stepId) - numberOf(b.stepId))
  }

  /**
   * An open inline step of a delivery that is gone: its next attempt, or its failure when none is left. (STEP-16,
   * STEP-61)
   */
  *adopt(step: StepFacts, maxRetries: number): Effect.fn.Return<boolean, DeliveryError> {
    const { stepId, stepName, input, starts } = step
    const attempt = { runId: this.#orchestrator.runId, stepId, stepName, attempt: starts + 1 }
    if (attempt.attempt > maxRetries + 1) {
      yield* this.#orchestrator.CommitInBand(exhaustedEvent(attempt, maxRetries))
      return true
    }
    return yield* this.#start(attempt, input, {})
  }

  /** Creates a step by its first start. */
  *create({ id: stepId, name: stepName, input }: StepCall): Effect.fn.Return<boolean, DeliveryError> {
    const attempt = { runId: this.#orchestrator.runId, stepId, stepName, attempt: 1 }
    return yield* this.#start(attempt, input, { input, inline: true })
  }

  /** Commits a start, and lets the body begin. */
  *#start(
    attempt: Attempt,
    input: string,
    creation: { readonly input?: string; readonly inline?: true }
  ): Effect.fn.Return<boolean, DeliveryError> {
    const { stepId, stepName } = attempt
    const { bodies, host, scope } = this.#orchestrator.settings
    const body = bodies.lookup(stepName)
    if (body === undefined) return yield* new StepNotRegistered(attempt)
    const isStale = yield* this.#orchestrator.CommitInBand({
      eventType: "step_started",
      specVersion: SPEC_VERSION_SINGLE_ORCHESTRATOR,
      correlationId: stepId,
      eventData: { stepName, attempt: attempt.attempt, ...creation }
    })
    this.#running.add(stepId)
    yield* runAttempt(body, attempt, input, host, this.#orchestrator.workflow).pipe(
      Effect.map((outcome) => Queue.offerUnsafe(this.#settled, { attempt, outcome })),
      Effect.forkIn(scope, { startImmediately: true })
    )
    return isStale
  }

  /** Writes what became of a body that ran here. */
  *settle({ attempt, outcome }: Settled, calls: ReadonlyArray<Call>): Effect.fn.Return<void, DeliveryError> {
    const orchestrator = this.#orchestrator
    const maxRetries = maxRetriesOf(calls.find(({ id }) => id === attempt.stepId))
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
