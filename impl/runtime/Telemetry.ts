/**
 * What a runtime tells of itself: a span for each delivery and each body, and counters, on whatever Effect's tracer and
 * metrics export to (OpenTelemetry, with `@effect/opentelemetry` or `effect/unstable/observability`).
 *
 * | span                    | of                                                    |
 * | ----------------------- | ----------------------------------------------------- |
 * | `workflow.orchestrator` | a delivery of an orchestrator message                 |
 * | `workflow.step`         | a delivery of a step's own message                    |
 * | `workflow.hop`          | a delivery of an intermediate hop of a long sleep     |
 * | `workflow.step.body`    | one attempt of a step's body, inline or not           |
 *
 * The spans and counters of the re-send rule have the names that the documents give them. No input, output or payload is
 * ever an attribute.
 *
 * Rules: FAN-51, STEP-48, STEP-54.
 *
 * @module
 */
import { Effect, Metric } from "effect"
import {
  type HandlerResult,
  isIntermediateWaitHop,
  type MessageMeta,
  type WorkflowInvokePayload
} from "../world/index.ts"
import type { Attempt } from "./StepBodies.ts"

/** Deliveries, by what they were of and how they ended: `acknowledged`, `redelivery`, `handoff` or `failed`. */
export const deliveriesTotal = Metric.counter("workflow.deliveries", { incremental: true })

/** Step messages that were sent again by the re-send rule. */
export const reenqueuedTotal = Metric.counter("workflow.reenqueue.count", { incremental: true })

/** Step messages that were not sent again, because the queue may have forgotten the step's key. (STEP-48) */
export const skippedTooOldTotal = Metric.counter("workflow.reenqueue.skipped_too_old", { incremental: true })

/** What a re-send pass did. */
export interface Resends {
  /** Messages that it sent. */
  readonly count: number
  /** Messages that it would have sent, had the steps been younger. */
  readonly skipped: number
  readonly isRecovery: boolean
}

const kindOf = (payload: WorkflowInvokePayload): "step" | "hop" | "orchestrator" =>
  payload.stepId !== undefined ? "step" : isIntermediateWaitHop(payload) ? "hop" : "orchestrator"

const endOf = (answer: HandlerResult): "acknowledged" | "redelivery" | "handoff" =>
  answer === undefined ? "acknowledged" : answer.timeoutSeconds === 0 ? "handoff" : "redelivery"

/** A delivery with its span, counted. */
export const observedDelivery = <A extends HandlerResult, E, R>(
  payload: WorkflowInvokePayload,
  meta: MessageMeta,
  delivery: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => {
  const kind = kindOf(payload)
  const count = (end: string) => Metric.update(Metric.withAttributes(deliveriesTotal, { kind, end }), 1)
  return delivery.pipe(
    Effect.tap((answer) =>
      Effect.andThen(Effect.annotateCurrentSpan("workflow.delivery.end", endOf(answer)), count(endOf(answer)))
    ),
    Effect.tapCause(() => count("failed")),
    Effect.withSpan(
      `workflow.${kind}`,
      {
        attributes: {
          "workflow.run.id": payload.runId,
          "workflow.message.id": meta.messageId,
          "workflow.delivery.count": meta.deliveryCount,
          "workflow.delivery.attempt": meta.attempt,
          ...(payload.stepId === undefined ? {} : { "workflow.step.id": payload.stepId }),
          ...(payload.waitContinuation === undefined
            ? {}
            : { "workflow.wait.id": payload.waitContinuation.correlationId })
        }
      },
      { captureStackTrace: false }
    )
  )
}

/** A body's attempt with its span. */
export const observedBody =
  ({ runId, stepId, stepName, attempt }: Attempt) =>
  <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withSpan(body, "workflow.step.body", {
      attributes: {
        "workflow.run.id": runId,
        "workflow.step.id": stepId,
        "workflow.step.name": stepName,
        "workflow.step.attempt": attempt
      },
      captureStackTrace: false
    })

/** Tells of the re-send pass of the current delivery. */
export const observeResends = ({ count, skipped, isRecovery }: Resends): Effect.Effect<void> =>
  Effect.annotateCurrentSpan({
    "workflow.reenqueue.count": count,
    "workflow.reenqueue.skipped_too_old": skipped,
    ...(isRecovery ? { "workflow.reenqueue.recovery": true } : {})
  }).pipe(
    Effect.andThen(count === 0 ? Effect.void : Metric.update(reenqueuedTotal, count)),
    Effect.andThen(skipped === 0 ? Effect.void : Metric.update(skippedTooOldTotal, skipped))
  )
