/**
 * Steps that run from their own message: they are created, and their message is sent right after; what a dead delivery
 * may have left without one is sent again.
 *
 * Rules: DEDUPE-20, DEDUPE-23, FENCE-24, STEP-03, STEP-36, STEP-37, STEP-38, STEP-48, STEP-49, STEP-50, STEP-53, STEP-54,
 * STEP-67.
 *
 * @module
 */
import { Clock, Effect } from "effect"
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

/** A send again happens while every World remembers the step's key: for 24 hours, of which one is a margin. (DEDUPE-20) */
const RESEND_MAX_AGE_MS = 23 * 3_600_000

/**
 * Which steps the delivery looks to. `all`: it makes its invocation's pass, unless its message was not delivered before.
 * `last`: what the last in-band write may have created, alone. A first delivery does that, so that the wakes of a fan-out do not
 * each send all of it again, and so does a re-run whose invocation has made its pass. It is enough as long as a write's messages are sent
 * before the next write is made. `recovery`: of every open step, started or not, however old: the queue that held their
 * messages is gone.
 */
export type ResendPass = "all" | "last" | "recovery"

/** The re-send rule, before a delivery's first write. */
export function* resendSteps(orchestrator: Orchestrator, pass: ResendPass): Effect.fn.Return<void, DeliveryError> {
  const owed = owedBy(orchestrator, pass)
  const now = owed.length === 0 ? 0 : yield* Clock.currentTimeMillis
  // What made the message is the creation, or the retry that the orchestrator moved.
  const isTooOld = ({ inline, createdAt, lastActivityAt }: StepFacts): boolean =>
    pass !== "recovery" && now - (inline ? lastActivityAt : createdAt) >= RESEND_MAX_AGE_MS
  const resent = owed.filter((step) => !isTooOld(step))
  for (const { stepId, stepName } of resent) {
    const { maxRetries = defaultMaxRetries } = orchestrator.settings.bodies.lookup(stepName) ?? {}
    yield* sendStep(orchestrator, stepId, maxRetries, true)
  }
  yield* observeResends({ count: resent.length, skipped: owed.length - resent.length, isRecovery: pass === "recovery" })
}

/** The steps whose message a pass would send. */
const owedBy = ({ log }: Orchestrator, pass: ResendPass): ReadonlyArray<StepFacts> => {
  if (pass === "recovery") return log.steps.filter(hadMessage)
  if (pass === "all") return log.steps.filter(mayHaveNoMessage)
  const ids = log.idsOfLastWrite
  return log.steps.filter((step) => ids.has(step.stepId) && mayHaveNoMessage(step))
}

/** The creation of a step that is to run from its own message, which is sent once that has committed. */
export const createdInBackground = ({ meta }: Orchestrator, { id, name: stepName, input }: StepCall): EventInput => ({
  eventType: "step_created",
  specVersion: SPEC_VERSION_SINGLE_ORCHESTRATOR,
  correlationId: id,
  eventData: { stepName, input, inline: false, creatorMessageId: meta.messageId }
})
