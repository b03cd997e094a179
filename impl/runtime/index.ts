/**
 * The runtime: loads workflows, handles a World's messages, and is a client of it.
 *
 * @module
 */
export * from "./Actor.ts"
export * from "./Client.ts"
export * from "./ColdReplay.ts"
export { deliver } from "./Delivery.ts"
export type { DeliverySettings } from "./DeliverySettings.ts"
export { type Resumed, type ResumeOptions, WakeNotSent } from "./HookResumption.ts"
export { type InBandError, OrchestratorSuperseded, RunEnded } from "./InBandWriter.ts"
export { MAX_STEP_MESSAGE_INPUT_BYTES, stepKey } from "./Messages.ts"
export { type OpenWait, OpenWaits, type WaitFacts } from "./OpenWaits.ts"
export type { DeliveryError } from "./Orchestrator.ts"
export { WorkflowNotLoaded } from "./ReplayFailure.ts"
export * from "./RetainedRuns.ts"
export * from "./Runtime.ts"
export { deserialize, SerializationError, serialize } from "./Serialization.ts"
export * from "./Settings.ts"
export { MAX_ATTEMPTS_EXCEEDED, StepNotRegistered } from "./StepAttempt.ts"
export * from "./StepBodies.ts"
export { deliverStep, type StepDeliveryError } from "./StepDelivery.ts"
export type { PlainError } from "./ThrownError.ts"
export { timerKey } from "./Timers.ts"
export * from "./vm/ReplayError.ts"
export type { Call, ConsoleLine, Decisions, Ending, Session, SessionOptions } from "./vm/Session.ts"
export { type WebhookError, WebhookUnanswered, webhookHandler } from "./Webhooks.ts"
export * from "./Workflows.ts"
