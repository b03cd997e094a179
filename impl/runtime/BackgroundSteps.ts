/**
 * Steps that run from their own message: they are created, and their message is sent right after; what a dead delivery
 * may have left without one is sent again.
 *
 * Rules: DEDUPE-23, STEP-03, STEP-36, STEP-37, STEP-49, STEP-54, STEP-67.
 *
 * @module
 */
import { Effect } from "effect"
import { defaultMaxRetries } from "../../model/programs/Program.ts"
import { type EventInput, type MessageQueueError, SPEC_VERSION_SINGLE_ORCHESTRATOR } from "../world/index.ts"
import type { StepFacts } from "./LogState.ts"
import { SendStep } from "./Messages.ts"
import type { DeliveryError, Orchestrator } from "./Orchestrator.ts"
import { observeResends } from "./Telemetry.ts"
import type { Call } from "./vm/Session.ts"

/** A call of a step. */
export type StepCall = Extract<Call, { readonly kind: "step" }>

/** How often a call's step may be tried after its first attempt. */
export const maxRetriesOf = (call: Call | undefined): number =>
  call?.kind === "step" && call.maxRetries !== undefined ? call.maxRetries : defaultMaxRetries

/** A step that may have no message: the delivery that should have sent it may have died. (STEP-36, STEP-37, STEP-49) */
const mayHaveNoMessage = ({ ended, inline, starts, retry }: StepFacts): boolean =>
  !ended && (inline ? retry?.byOrchestrator === true : starts === 0 && retry === undefined)

/** Sends the message of a step that the log holds. */
export const sendStep = (
  { settings, runId, log, workflow }: Orchestrator,
  stepId: string,
  maxRetries: number,
  resent = false
): Effect.Effect<unknown, MessageQueueError> => {
  const step = log.step(stepId)
  return step === undefined
    ? Effect.die(new Error(`${stepId} of ${runId} was committed and is not held.`))
    : SendStep(settings.world.queue, workflow, step, maxRetries, resent)
}

/** A step that runs from a message of its own and has no outcome: its message was lost if the queue was. (DEDUPE-23) */
const hadMessage = ({ ended, inline, moved }: StepFacts): boolean => !ended && (!inline || moved)

/**
 * The re-send rule, before a delivery's first write. A recovery sends the message of every open step, started or not: the
 * queue that held it is gone. Otherwise, its message's first delivery looks at what the last in-band write created alone,
 * so that the wakes of a fan-out do not each send all of it again. That is enough as long as a write's messages are sent
 * before the next write is made.
 */
export function* resendSteps(orchestrator: Orchestrator, isRecovery: boolean): Effect.fn.Return<void, DeliveryError> {
  const { log, meta } = orchestrator
  const isAsked = ({ stepId }: StepFacts) => meta.deliveryCount > 1 || log.mayBeOfLastWrite(stepId)
  const resent = isRecovery
    ? log.steps.filter(hadMessage)
    : log.steps.filter((step) => mayHaveNoMessage(step) && isAsked(step))
  for (const { stepId, stepName } of resent) {
    const { maxRetries = defaultMaxRetries } = orchestrator.settings.bodies.lookup(stepName) ?? {}
    yield* sendStep(orchestrator, stepId, maxRetries, true)
  }
  yield* observeResends(resent.length, isRecovery)
}

/** The creation of a step that is to run from its own message, which is sent once that has committed. */
export const createdInBackground = ({ meta }: Orchestrator, { id, name: stepName, input }: StepCall): EventInput => ({
  eventType: "step_created",
  specVersion: SPEC_VERSION_SINGLE_ORCHESTRATOR,
  correlationId: id,
  eventData: { stepName, input, inline: false, creatorMessageId: meta.messageId }
})
