/**
 * The events that the checks write: each as its writer would send it, with every field that its type has.
 *
 * @module
 */
import type { EventInput, EventInputOf } from "../world/index.ts"

export const runCreated: EventInput = {
  eventType: "run_created",
  specVersion: 9,
  eventData: { workflowName: "checkout", input: "[1]" }
}
export const runStarted: EventInput = { eventType: "run_started", specVersion: 9, eventData: {} }
/** A start that creates its run, when that was never created. */
export const creatingStart: EventInput = {
  eventType: "run_started",
  specVersion: 9,
  eventData: { workflowName: "checkout", input: "[1]", attributes: { b: "3" } }
}
export const runCompleted: EventInput = { eventType: "run_completed", specVersion: 9, eventData: { output: "1" } }
export const runCancelled: EventInput = { eventType: "run_cancelled", specVersion: 9, eventData: {} }
export const runFailed: EventInput = {
  eventType: "run_failed",
  specVersion: 9,
  eventData: { error: { name: "Error", message: "no" } }
}
export const stepCreated = (n: number): EventInput => ({
  eventType: "step_created",
  specVersion: 9,
  correlationId: `step_${n}`,
  eventData: { stepName: "charge", workflowName: "checkout", input: "[2]", inline: false, creatorMessageId: "msg_1" }
})
export const stepStarted = (n: number, attempt = 1): EventInput => ({
  eventType: "step_started",
  specVersion: 9,
  correlationId: `step_${n}`,
  eventData: { stepName: "charge", attempt }
})
export const inlineStarted = (n: number): EventInput => ({
  eventType: "step_started",
  specVersion: 9,
  correlationId: `step_${n}`,
  eventData: { stepName: "charge", attempt: 1, workflowName: "checkout", input: "[2]", inline: true }
})
export const stepRetrying = (n: number): EventInput => ({
  eventType: "step_retrying",
  specVersion: 9,
  correlationId: `step_${n}`,
  eventData: {
    stepName: "charge",
    attempt: 1,
    error: { name: "Error", message: "later" },
    retryAfter: 1_000,
    creatorMessageId: "msg_1"
  }
})
export const stepCompleted = (n: number): EventInput => ({
  eventType: "step_completed",
  specVersion: 9,
  correlationId: `step_${n}`,
  eventData: { stepName: "charge", result: "3" }
})
export const stepFailed = (n: number): EventInput => ({
  eventType: "step_failed",
  specVersion: 9,
  correlationId: `step_${n}`,
  eventData: { stepName: "charge", attempt: 2, error: { name: "TypeError", message: "no", code: "E", stack: "s" } }
})
export const hookCreated = (
  n: number,
  token = "t",
  more: Omit<EventInputOf<"hook_created">["eventData"], "token"> = {}
): EventInput => ({
  eventType: "hook_created",
  specVersion: 9,
  correlationId: `hook_${n}`,
  eventData: { token, ...more }
})
export const hookReceived = (n: number, token = "t", resumeId?: string): EventInput => ({
  eventType: "hook_received",
  specVersion: 9,
  correlationId: `hook_${n}`,
  eventData: { token, payload: '"p"', ...(resumeId === undefined ? {} : { resumeId }) }
})
export const hookDisposed = (n: number): EventInput => ({
  eventType: "hook_disposed",
  specVersion: 9,
  correlationId: `hook_${n}`,
  eventData: {}
})
export const waitCreated = (n: number, resumeAt = 9_000): EventInput => ({
  eventType: "wait_created",
  specVersion: 9,
  correlationId: `wait_${n}`,
  eventData: { resumeAt, creatorMessageId: "msg_1" }
})
export const waitCompleted = (n: number): EventInput => ({
  eventType: "wait_completed",
  specVersion: 9,
  correlationId: `wait_${n}`,
  eventData: {}
})
export const wakeRequested = (n: number): EventInput => ({
  eventType: "wake_requested",
  specVersion: 9,
  correlationId: `wait_${n}`,
  eventData: {}
})
export const attributesSet = (key: string, value: string | null): EventInput => ({
  eventType: "attr_set",
  specVersion: 9,
  eventData: { changes: [{ key, value }], writer: { type: "client" } }
})
