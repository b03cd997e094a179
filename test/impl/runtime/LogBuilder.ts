/** Builds logs by hand, for tests of replay: dense slots, a second between events. */

import { serialize } from "../../../impl/runtime/Serialization.ts"
import {
  type Event,
  type EventInput,
  type EventOf,
  eventIdOf,
  SPEC_VERSION_SINGLE_ORCHESTRATOR
} from "../../../impl/world/index.ts"

export const startedAt = 1_700_000_000_000

/** An event without its place. The World alone writes conflicts, and disposals that name a claimer. */
type Written = EventInput | EventOf<"hook_conflict" | "hook_disposed">
export type Bare = Written extends infer One
  ? One extends Written
    ? Omit<One, "specVersion" | "eventId" | "runId" | "createdAt">
    : never
  : never

/** Commits inputs to the slots from 1. */
export const logOf = (runId: string, ...inputs: ReadonlyArray<Bare>): ReadonlyArray<Event> =>
  inputs.map(
    (input, index) =>
      ({
        ...input,
        specVersion: SPEC_VERSION_SINGLE_ORCHESTRATOR,
        runId,
        eventId: eventIdOf(index + 1),
        createdAt: startedAt + index * 1000
      }) as Event
  )

const text = (value: unknown) => serialize(value, "A value of a test")

export const created = (workflowName: string, ...args: ReadonlyArray<unknown>): Bare => ({
  eventType: "run_created",
  eventData: { workflowName, input: text(args) }
})
export const started: Bare = { eventType: "run_started", eventData: {} }
export const stepCreated = (correlationId: string, stepName: string, ...args: ReadonlyArray<unknown>): Bare => ({
  eventType: "step_created",
  correlationId,
  eventData: { stepName, input: text(args), inline: false, creatorMessageId: "msg_1" }
})
export const stepStarted = (correlationId: string, stepName: string, ...args: ReadonlyArray<unknown>): Bare => ({
  eventType: "step_started",
  correlationId,
  eventData: { stepName, attempt: 1, inline: true, input: text(args) }
})
export const stepCompleted = (correlationId: string, stepName: string, value: unknown): Bare => ({
  eventType: "step_completed",
  correlationId,
  eventData: { stepName, result: text(value) }
})
export const stepFailed = (correlationId: string, stepName: string, message: string): Bare => ({
  eventType: "step_failed",
  correlationId,
  eventData: { stepName, attempt: 1, error: { name: "Error", message } }
})
export const hookCreated = (correlationId: string, token: string): Bare => ({
  eventType: "hook_created",
  correlationId,
  eventData: { token }
})
export const hookReceived = (correlationId: string, payload: unknown): Bare => ({
  eventType: "hook_received",
  correlationId,
  eventData: { payload: text(payload) }
})
export const waitCreated = (correlationId: string): Bare => ({
  eventType: "wait_created",
  correlationId,
  eventData: { resumeAt: startedAt, creatorMessageId: "msg_1" }
})
export const waitCompleted = (correlationId: string): Bare => ({
  eventType: "wait_completed",
  correlationId,
  eventData: { resumeAt: startedAt }
})
export const runCompleted = (value: unknown): Bare => ({
  eventType: "run_completed",
  eventData: { output: text(value) }
})
export const hookConflict = (correlationId: string, token: string, conflictingRunId: string): Bare => ({
  eventType: "hook_conflict",
  correlationId,
  eventData: { token, conflictingRunId }
})
export const hookDisposed = (
  correlationId: string,
  token: string,
  forceClaimedBy?: { readonly runId: string; readonly hookId: string }
): Bare => ({
  eventType: "hook_disposed",
  correlationId,
  eventData: { token, ...(forceClaimedBy === undefined ? {} : { forceClaimedBy }) }
})
export const attributesSet = (
  correlationId: string | undefined,
  ...changes: ReadonlyArray<{ readonly key: string; readonly value: string | null }>
): Bare => ({
  eventType: "attr_set",
  ...(correlationId === undefined ? {} : { correlationId }),
  eventData: { changes, writer: { type: correlationId === undefined ? "client" : "workflow" } }
})
