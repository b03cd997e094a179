/**
 * The events of a run's log, and what a writer sends to have one appended.
 *
 * A run is one log: dense slots from 1, each holding one event, whose id is the slot. Everything else that a World
 * knows of a run is a fold of these events and two counters. Inputs, outputs and payloads are opaque here: strings
 * that the runtime has serialised, and that a World stores and returns byte for byte.
 *
 * Rules: LOG-18, LOG-12, LOG-13, LOG-14, LOG-15, WORLD-14, WORLD-15, WORLD-16, WORLD-18, WORLD-19, WORLD-20, STEP-07,
 * STEP-08, STEP-10, STEP-11, STEP-12.
 *
 * @module
 */
import { Schema } from "effect"

/** The run format that this contract describes: one orchestrator per run, fenced in-band writes. */
export const SPEC_VERSION_SINGLE_ORCHESTRATOR = 9

const Text = Schema.String
const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))
const Millis = Schema.Int

/** An error as a log keeps it: what a workflow sees thrown when the event is replayed. */
export const EventError = Schema.Struct({
  /** The constructor's name, such as `TypeError`. */
  name: Text,
  message: Text,
  stack: Schema.optionalKey(Text),
  /** A machine-readable cause, such as `MAX_ATTEMPTS_EXCEEDED`. */
  code: Schema.optionalKey(Text),
  /** False when the step threw an error that no retry can help. */
  retryable: Schema.optionalKey(Schema.Boolean)
})
/** An error as a log keeps it, decoded: text throughout, so that it says the same in every process. */
export interface EventError extends Schema.Schema.Type<typeof EventError> {}

/** What a writer supplies for a run event, which names no entity. */
const runEvent = <const Type extends string, Fields extends Schema.Struct.Fields>(eventType: Type, fields: Fields) =>
  Schema.Struct({
    eventType: Schema.Literal(eventType),
    specVersion: Schema.Int,
    eventData: Schema.Struct(fields)
  })

/** What a writer supplies for an event of a step or a hook. */
const entityEvent = <const Type extends string, Fields extends Schema.Struct.Fields>(eventType: Type, fields: Fields) =>
  Schema.Struct({
    eventType: Schema.Literal(eventType),
    specVersion: Schema.Int,
    /** `step_0001`, `hook_0002`: the calls of the workflow code, counted in the order that replay makes them. */
    correlationId: Text,
    eventData: Schema.Struct(fields)
  })

/** The run exists. Written by `start()`, and counted in-band although no orchestrator writes it. (WORLD-27) */
export const RunCreatedInput = runEvent("run_created", {
  workflowName: Text,
  /** The workflow's arguments, serialised. */
  input: Text,
  deploymentId: Schema.optionalKey(Text)
})
/** An orchestrator has taken the run up, once per run. */
export const RunStartedInput = runEvent("run_started", {})
/** The workflow returned. */
export const RunCompletedInput = runEvent("run_completed", { output: Text })
/** The workflow threw, or the run could not be driven on. */
export const RunFailedInput = runEvent("run_failed", { error: EventError })
/** A client ended the run; always out-of-band. */
export const RunCancelledInput = runEvent("run_cancelled", { reason: Schema.optionalKey(Text) })

/** A background step's creation; its message is sent after this commits. */
export const StepCreatedInput = entityEvent("step_created", {
  stepName: Text,
  workflowName: Schema.optionalKey(Text),
  input: Text,
  inline: Schema.Boolean,
  /** The message whose delivery created the step, kept for diagnosis. (WORLD-20) */
  creatorMessageId: Text
})
/** An attempt begins. The first of an inline step is also its creation and carries what a creation does. (WORLD-14) */
export const StepStartedInput = entityEvent("step_started", {
  stepName: Text,
  attempt: Count,
  workflowName: Schema.optionalKey(Text),
  input: Schema.optionalKey(Text),
  inline: Schema.optionalKey(Schema.Literal(true))
})
/** An attempt failed and another one will follow, at `retryAfter` or later. */
export const StepRetryingInput = entityEvent("step_retrying", {
  stepName: Text,
  attempt: Count,
  error: EventError,
  /** Epoch milliseconds. */
  retryAfter: Millis,
  /** Set only by an orchestrator that moves an inline step's retry to the background; re-sends depend on it. (WORLD-19) */
  creatorMessageId: Schema.optionalKey(Text)
})
/** The step has a value. Terminal: every later event of the step is inert. (WORLD-10) */
export const StepCompletedInput = entityEvent("step_completed", { stepName: Text, result: Text })
/** The step has thrown for good. Terminal. `attempt` is the attempt that failed or was not allowed any more. */
export const StepFailedInput = entityEvent("step_failed", { stepName: Text, attempt: Count, error: EventError })

/** The workflow waits at a token. */
export const HookCreatedInput = entityEvent("hook_created", { token: Text, metadata: Schema.optionalKey(Text) })
/** A payload arrived for the hook. */
export const HookReceivedInput = entityEvent("hook_received", { token: Schema.optionalKey(Text), payload: Text })

const inputs = [
  RunCreatedInput,
  RunStartedInput,
  RunCompletedInput,
  RunFailedInput,
  RunCancelledInput,
  StepCreatedInput,
  StepStartedInput,
  StepRetryingInput,
  StepCompletedInput,
  StepFailedInput,
  HookCreatedInput,
  HookReceivedInput
] as const

/** What a writer sends: an event without the fields that the World decides (its slot and its time). */
export const EventInput = Schema.Union(inputs)
/** An event as its writer sends it, of any type, told apart by `eventType`. */
export type EventInput = typeof EventInput.Type
/** The name of an event type, such as `step_started`. */
export type EventType = EventInput["eventType"]
/** The input of one event type. */
export type EventInputOf<Type extends EventType> = Extract<EventInput, { readonly eventType: Type }>

const committed = {
  /** `evnt_` and the slot in decimal, zero-padded; text order is log order. */
  eventId: Text.check(Schema.isPattern(/^evnt_\d{16}$/)),
  runId: Text,
  /** Epoch milliseconds: the writer's `occurredAt` of an in-band write, otherwise the World's time. (WORLD-42) */
  createdAt: Millis
}

/** A committed event, as it is listed and reported. */
export const Event = Schema.Union([
  Schema.Struct({ ...committed, ...RunCreatedInput.fields }),
  Schema.Struct({ ...committed, ...RunStartedInput.fields }),
  Schema.Struct({ ...committed, ...RunCompletedInput.fields }),
  Schema.Struct({ ...committed, ...RunFailedInput.fields }),
  Schema.Struct({ ...committed, ...RunCancelledInput.fields }),
  Schema.Struct({ ...committed, ...StepCreatedInput.fields }),
  Schema.Struct({ ...committed, ...StepStartedInput.fields }),
  Schema.Struct({ ...committed, ...StepRetryingInput.fields }),
  Schema.Struct({ ...committed, ...StepCompletedInput.fields }),
  Schema.Struct({ ...committed, ...StepFailedInput.fields }),
  Schema.Struct({ ...committed, ...HookCreatedInput.fields }),
  Schema.Struct({ ...committed, ...HookReceivedInput.fields })
])
/** A committed event of any type: what its writer sent, with its slot, its run and its time. */
export type Event = typeof Event.Type
/** The committed event of one type. */
export type EventOf<Type extends EventType> = Extract<Event, { readonly eventType: Type }>

/** The id of the event in a slot. Sixteen digits hold every safe integer, so ids sort as their slots do. */
export const eventIdOf = (slot: number): string => `evnt_${String(slot).padStart(16, "0")}`

/** The slot of an event, read off its id. */
export const slotOf = (event: { readonly eventId: string }): number => Number(event.eventId.slice("evnt_".length))

/** True of the events that end a run. */
export const isTerminalRunEvent = (event: { readonly eventType: EventType }): boolean =>
  event.eventType === "run_completed" || event.eventType === "run_failed" || event.eventType === "run_cancelled"

/** The step or hook that an event belongs to, or undefined for a run event. */
export const correlationIdOf = (event: EventInput): string | undefined =>
  "correlationId" in event ? event.correlationId : undefined
