/**
 * The events of a run's log, and what a writer sends to have one appended.
 *
 * A run is one log: dense slots from 1, each holding one event, whose id is the slot. Everything else that a World
 * knows of a run is a fold of these events and two counters. Inputs, outputs and payloads are opaque here: strings
 * that the runtime has serialised, and that a World stores and returns byte for byte.
 *
 * | events                                     | in-band, by the orchestrator | out-of-band, by anybody else            |
 * | ------------------------------------------ | ---------------------------- | --------------------------------------- |
 * | `run_created`                              | by `start()`, and counted so |                                         |
 * | `run_started`, `run_completed`             | yes                          |                                         |
 * | `run_failed`                               | yes                          | a step's delivery that cannot set it up |
 * | `run_cancelled`                            |                              | `cancel()`                              |
 * | `step_…`                                   | of an inline step            | of a background step, by its delivery   |
 * | `wait_created`, `wait_completed`           | yes                          |                                         |
 * | `wake_requested`                           |                              | `wakeUp()`                              |
 * | `hook_created`, `hook_disposed`            | yes                          |                                         |
 * | `hook_received`                            | carried on its own message   | `resumeHook()`                          |
 * | `attr_set`                                 | by workflow code             | by a step's body, or a client           |
 * | `hook_conflict`, a disposal by force, `noop` | the World writes them: nobody may send one | |
 *
 * Rules: LOG-12, LOG-13, LOG-14, LOG-15, LOG-17, LOG-18, WORLD-14, WORLD-15, WORLD-16, WORLD-18, WORLD-19, WORLD-20,
 * WORLD-22, WORLD-23, WORLD-58, STEP-07, STEP-08, STEP-10, STEP-11, STEP-12, HOOK-02, HOOK-24, HOOK-29, WAIT-91, RUN-35,
 * TURBO-22.
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
  retryable: Schema.optionalKey(Schema.Boolean),
  /** The whole error, serialised, when it has more than this: a cause, members, fields of its own. */
  detail: Schema.optionalKey(Text)
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

/** What a writer supplies for an event of a step, a wait or a hook. */
const entityEvent = <const Type extends string, Fields extends Schema.Struct.Fields>(eventType: Type, fields: Fields) =>
  Schema.Struct({
    eventType: Schema.Literal(eventType),
    specVersion: Schema.Int,
    /** `step_0001`, `hook_0002`: the calls of the workflow code, counted in the order that replay makes them. */
    correlationId: Text,
    eventData: Schema.Struct(fields)
  })

/** A run's attributes: plain text by name. */
export const Attributes = Schema.Record(Text, Text)
/** A run's attributes: plain text by name. */
export type Attributes = typeof Attributes.Type

/** The run exists. Written by `start()`, and counted in-band although no orchestrator writes it. (WORLD-27) */
export const RunCreatedInput = runEvent("run_created", {
  workflowName: Text,
  /** The workflow's arguments, serialised. */
  input: Text,
  deploymentId: Schema.optionalKey(Text),
  /** What the run's attributes are at its start. (TURBO-22) */
  attributes: Schema.optionalKey(Attributes)
})
/**
 * An orchestrator has taken the run up, once per run.
 *
 * With a `workflowName` and an `input` it also creates a run whose `run_created` never landed: the World writes that
 * first, so that the writer's counts are those of a run that had been created. (RUN-35)
 */
export const RunStartedInput = runEvent("run_started", {
  workflowName: Schema.optionalKey(Text),
  input: Schema.optionalKey(Text),
  deploymentId: Schema.optionalKey(Text),
  attributes: Schema.optionalKey(Attributes)
})
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

/** The workflow sleeps. */
export const WaitCreatedInput = entityEvent("wait_created", {
  /** Epoch milliseconds. */
  resumeAt: Millis,
  /** The message whose delivery created the wait: all waits of one message are a chain. (WORLD-18) */
  creatorMessageId: Text
})
/** The sleep is over. Terminal: a second one is inert. */
export const WaitCompletedInput = entityEvent("wait_completed", { resumeAt: Schema.optionalKey(Millis) })
/**
 * A client asks for an end of the sleep. The orchestrator answers with a `wait_completed` of its own; an event cannot be
 * coalesced away, as a message that names the wait can. (WAIT-91)
 */
export const WakeRequestedInput = entityEvent("wake_requested", {})

/** A hook of a run: what a force-claim names. */
export const HookRef = Schema.Struct({ runId: Text, hookId: Text })
/** A hook of a run: what a force-claim names. */
export interface HookRef extends Schema.Schema.Type<typeof HookRef> {}

/** The hook that a force-claim took its token from, and what its run's wake needs. (HOOK-29, HOOK-30) */
export const ClaimedFrom = Schema.Struct({
  ...HookRef.fields,
  runSpecVersion: Schema.Int,
  workflowName: Text
})
/** The hook that a force-claim took its token from, and what its run's wake needs. (HOOK-29, HOOK-30) */
export interface ClaimedFrom extends Schema.Schema.Type<typeof ClaimedFrom> {}

const hookCreated = {
  token: Text,
  metadata: Schema.optionalKey(Text),
  /** Epoch milliseconds until which the token stays taken although the run has ended. */
  tokenRetentionUntil: Schema.optionalKey(Millis),
  /** Take the token from the run that has it. (HOOK-29) */
  force: Schema.optionalKey(Schema.Literal(true)),
  isWebhook: Schema.optionalKey(Schema.Literal(true)),
  /** The runtime's own hook, such as the one behind an abort signal. */
  isSystem: Schema.optionalKey(Schema.Literal(true))
}

/** The workflow waits at a token. On a token that another hook has, the World writes a `hook_conflict`. (HOOK-24) */
export const HookCreatedInput = entityEvent("hook_created", hookCreated)
/** A payload arrived for the hook. */
export const HookReceivedInput = entityEvent("hook_received", {
  token: Schema.optionalKey(Text),
  payload: Text,
  /** Names one resume: a second event with it is not written. (WORLD-58) */
  resumeId: Schema.optionalKey(Text)
})
/** The workflow gives the hook up; its token is free. Terminal. */
export const HookDisposedInput = entityEvent("hook_disposed", { token: Schema.optionalKey(Text) })

/** One change of a run's attributes; a value of null removes the attribute. */
export const AttributeChange = Schema.Struct({ key: Text, value: Schema.NullOr(Text) })
/** One change of a run's attributes; a value of null removes the attribute. */
export interface AttributeChange extends Schema.Schema.Type<typeof AttributeChange> {}

/** Attributes change, by workflow code (with a correlation id, as it is a call of the code) or from outside. */
export const AttrSetInput = Schema.Struct({
  eventType: Schema.Literal("attr_set"),
  specVersion: Schema.Int,
  correlationId: Schema.optionalKey(Text),
  eventData: Schema.Struct({
    changes: Schema.Array(AttributeChange),
    writer: Schema.Union([
      Schema.Struct({ type: Schema.Literal("workflow") }),
      Schema.Struct({ type: Schema.Literal("step"), stepId: Text, attempt: Count }),
      Schema.Struct({ type: Schema.Literal("client") })
    ])
  })
})

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
  WaitCreatedInput,
  WaitCompletedInput,
  WakeRequestedInput,
  HookCreatedInput,
  HookReceivedInput,
  HookDisposedInput,
  AttrSetInput
] as const

/** What a writer sends: an event without the fields that the World decides (its slot and its time). */
export const EventInput = Schema.Union(inputs)
/** An event as its writer sends it, of any type, told apart by `eventType`. */
export type EventInput = typeof EventInput.Type
/** The input of one event type. */
export type EventInputOf<Type extends EventInput["eventType"]> = Extract<EventInput, { readonly eventType: Type }>

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
  Schema.Struct({ ...committed, ...WaitCreatedInput.fields }),
  Schema.Struct({ ...committed, ...WaitCompletedInput.fields }),
  Schema.Struct({ ...committed, ...WakeRequestedInput.fields }),
  Schema.Struct({
    ...committed,
    ...entityEvent("hook_created", {
      ...hookCreated,
      /** The hook that the token was taken from by force; its run is owed a wake. */
      forceClaimedFrom: Schema.optionalKey(ClaimedFrom)
    }).fields
  }),
  Schema.Struct({ ...committed, ...HookReceivedInput.fields }),
  Schema.Struct({
    ...committed,
    ...entityEvent("hook_disposed", {
      token: Schema.optionalKey(Text),
      /** The hook that took the token by force. The World wrote this event, out-of-band. (HOOK-02) */
      forceClaimedBy: Schema.optionalKey(HookRef)
    }).fields
  }),
  Schema.Struct({ ...committed, ...AttrSetInput.fields }),
  /** In place of a `hook_created` whose token another hook has. Terminal for the hook. (HOOK-24) */
  Schema.Struct({
    ...committed,
    ...entityEvent("hook_conflict", { token: Text, conflictingRunId: Schema.optionalKey(Text) }).fields
  }),
  /** A slot that was handed out and whose event never came. (LOG-17) */
  Schema.Struct({ ...committed, ...runEvent("noop", {}).fields })
])
/** A committed event of any type: what its writer sent, with its slot, its run and its time. */
export type Event = typeof Event.Type
/** The name of an event type, such as `step_started`. */
export type EventType = Event["eventType"]
/** What an event is before it has a slot: what writers send, and what a World writes of its own accord. */
export type EventBody = Event extends infer Each
  ? Each extends Event
    ? Omit<Each, "eventId" | "runId" | "createdAt">
    : never
  : never
/** The committed event of one type. */
export type EventOf<Type extends EventType> = Extract<Event, { readonly eventType: Type }>

/** The id of the event in a slot. Sixteen digits hold every safe integer, so ids sort as their slots do. */
export const eventIdOf = (slot: number): string => `evnt_${String(slot).padStart(16, "0")}`

/** The slot of an event, read off its id. */
export const slotOf = (event: { readonly eventId: string }): number => Number(event.eventId.slice("evnt_".length))

/** True of the events that a batch may hold: those of steps and waits. (WORLD-49) */
export const isBatchable = (event: { readonly eventType: EventType }): boolean =>
  event.eventType.startsWith("step_") || event.eventType.startsWith("wait_")

/** True of the events that end a run. */
export const isTerminalRunEvent = (event: { readonly eventType: EventType }): boolean =>
  event.eventType === "run_completed" || event.eventType === "run_failed" || event.eventType === "run_cancelled"

/** The step, wait or hook that an event belongs to, or undefined for a run event. */
export const correlationIdOf = (event: EventBody): string | undefined =>
  "correlationId" in event ? event.correlationId : undefined
