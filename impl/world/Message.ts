/**
 * Queue messages and what a handler is told and answers.
 *
 * Two kinds share one payload. A *step message* names a step and carries what the step's invocation needs to decide
 * from the message alone. Every other message asks the run's orchestrator to look at the log; its payload holds
 * nothing that the log does not, which is why a queue may hold it back or fold it into a running delivery. (COAL-22)
 *
 * Rules: QUEUE-01, QUEUE-02, QUEUE-06, QUEUE-11, QUEUE-14, QUEUE-15, QUEUE-17, QUEUE-28, QUEUE-30, DEDUPE-04,
 * DEDUPE-10, DEDUPE-11, DEDUPE-22, DEDUPE-24, DEDUPE-31, RUN-35, STEP-06, COAL-11, COAL-12, COAL-22, WAIT-02, WAIT-54, WAIT-55,
 * WAIT-65, WAIT-66, WAIT-71, TOPO-11.
 *
 * @module
 */
import { Schema } from "effect"
import { Attributes, SPEC_VERSION_SINGLE_ORCHESTRATOR } from "./Event.ts"

/** What the start message repeats of the run's creation. */
export const RunInput = Schema.Struct({
  workflowName: Schema.String,
  specVersion: Schema.Int,
  /** The workflow's arguments, serialised. */
  input: Schema.String,
  deploymentId: Schema.optionalKey(Schema.String),
  /** What the run's attributes are at its start. (TURBO-22) */
  attributes: Schema.optionalKey(Attributes)
})
/** The run's creation, repeated on its start message. `input` is the arguments as the log holds them. */
export interface RunInput extends Schema.Schema.Type<typeof RunInput> {}

/** The run's identity, for a handler that has not read the log. */
export const RunContext = Schema.Struct({
  workflowName: Schema.String,
  specVersion: Schema.Int,
  deploymentId: Schema.optionalKey(Schema.String),
  /** When the run was created, in epoch milliseconds. */
  createdAt: Schema.optionalKey(Schema.Int)
})
/** The run's identity on a message: its workflow, its protocol, where it was deployed, and when it began. */
export interface RunContext extends Schema.Schema.Type<typeof RunContext> {}

/**
 * The wait that a timer is for, and which of its timers it is. Every hop of a long wait but the last carries
 * `resumeAtMs` and `hopAtMs`, and by that it is known: the last hop is a timer like any other. (WAIT-02, WAIT-54)
 */
export const WaitContinuation = Schema.Struct({
  /** The wait's correlation id, `wait_<n>`. */
  correlationId: Schema.String,
  /** The deadline that the timer was sent for, epoch milliseconds: the wait may have been created with another one. */
  deadlineMs: Schema.Int,
  /** Above 1 when an early timer was armed again, and on every hop of that. (WAIT-65, WAIT-71) */
  attempt: Schema.optionalKey(Schema.Int),
  /** The sender's second, of a timer that stands in for one that may have been coalesced. (WAIT-66) */
  second: Schema.optionalKey(Schema.Int),
  /** The wait's deadline, on an intermediate hop only. */
  resumeAtMs: Schema.optionalKey(Schema.Int),
  /** When this hop is due, on an intermediate hop only. */
  hopAtMs: Schema.optionalKey(Schema.Int)
})
/** Which timer of which wait a message is. Times are epoch milliseconds. */
export interface WaitContinuation extends Schema.Schema.Type<typeof WaitContinuation> {}

/** A message's payload. Unknown keys are dropped when it is decoded, so that newer senders can add some. (DEDUPE-24) */
export const WorkflowInvokePayload = Schema.Struct({
  runId: Schema.String,
  /** The stamp by which a queue knows the run's protocol without reading the run. (QUEUE-01) */
  runSpecVersion: Schema.optionalKey(Schema.Int),
  runContext: Schema.optionalKey(RunContext),
  /** On the run's start message only. */
  runInput: Schema.optionalKey(RunInput),
  /** Set when the queue did not survive a restart: the delivery sends every open step message again. (DEDUPE-22) */
  recovery: Schema.optionalKey(Schema.Boolean),
  /** Makes this a timer. */
  waitContinuation: Schema.optionalKey(WaitContinuation),
  /** Makes this a step message: the step's correlation id. */
  stepId: Schema.optionalKey(Schema.String),
  stepName: Schema.optionalKey(Schema.String),
  /** The attempt that the message's first delivery makes; above 1 it reads the log first. */
  stepAttempt: Schema.optionalKey(Schema.Int),
  /** The step's arguments, serialised. */
  stepInput: Schema.optionalKey(Schema.String),
  stepCreatedEventId: Schema.optionalKey(Schema.String),
  /** Epoch milliseconds. */
  stepCreatedAt: Schema.optionalKey(Schema.Int),
  /** A copy sent by the re-send rule: its delivery reads the log even when it is the message's first. (DEDUPE-10) */
  stepResent: Schema.optionalKey(Schema.Boolean)
})
/** A message's payload, decoded. With a `stepId` it is the step's own message, without one a message to the orchestrator. */
export interface WorkflowInvokePayload extends Schema.Schema.Type<typeof WorkflowInvokePayload> {}

/** The run's protocol as far as the message says; undefined when it is not stamped. */
export const messageRunSpecVersion = (payload: WorkflowInvokePayload): number | undefined =>
  payload.runInput?.specVersion ?? payload.runContext?.specVersion ?? payload.runSpecVersion

/** True of every message of a run with one orchestrator, step messages included. */
export const isSingleOrchestratorMessage = (payload: WorkflowInvokePayload): boolean =>
  (messageRunSpecVersion(payload) ?? 0) >= SPEC_VERSION_SINGLE_ORCHESTRATOR

/** True of a step's own message. */
export const isStepMessage = (payload: WorkflowInvokePayload): boolean => payload.stepId !== undefined

/**
 * True of a timer that is due before its wait is. Its delivery only sends the next one, so it is never held back, and
 * never folded into another delivery, which would not send it. (WAIT-55, WAIT-56, COAL-12)
 */
export const isIntermediateWaitHop = (payload: WorkflowInvokePayload): boolean =>
  payload.waitContinuation?.resumeAtMs !== undefined

/** True of a message that its run's orchestrator is to look at the log for: neither a step's nor an intermediate hop. */
export const isOrchestratorMessage = (payload: WorkflowInvokePayload): boolean =>
  !isStepMessage(payload) && !isIntermediateWaitHop(payload)

/**
 * The run that a message is an orchestrator delivery for, when that run has one orchestrator; otherwise undefined.
 * A queue gates or coalesces by this and by nothing else, so step messages and intermediate hops are never held back. (TOPO-11)
 */
export const singleOrchestratorRunIdOf = (payload: WorkflowInvokePayload): string | undefined =>
  isOrchestratorMessage(payload) && isSingleOrchestratorMessage(payload) ? payload.runId : undefined

/**
 * True when what the message says is in the log as well, so that it may be folded into a running delivery. A recovery
 * is not: its delivery sends what no other would.
 */
export const mayBeCoalesced = (payload: WorkflowInvokePayload): boolean => payload.recovery !== true

/** What the queue tells a handler of the delivery that it runs. */
export const MessageMeta = Schema.Struct({
  /** Stable over every delivery of one message. (QUEUE-14) */
  messageId: Schema.String,
  /** 1 on the message's first delivery and on no other; one more for every further delivery or re-run. (QUEUE-15) */
  deliveryCount: Schema.Int,
  /** The deliveries that count as tries: not those that follow a handoff, nor re-runs in one lease. (QUEUE-17) */
  attempt: Schema.Int,
  /** Epoch milliseconds at which this invocation began: the same for every re-run of a delivery. (QUEUE-28) */
  invocationStartedAt: Schema.Int
})
/** What a handler is told of its delivery: its message, its place among that message's deliveries, and its attempt. */
export interface MessageMeta extends Schema.Schema.Type<typeof MessageMeta> {}

/**
 * What a handler answers. Nothing acknowledges the message. `timeoutSeconds` above 0 asks for the same message again
 * after that many seconds, as a counted attempt; 0 is a handoff: the same message again at once, not counted as an
 * attempt. (QUEUE-02, QUEUE-06, QUEUE-11)
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler that returns nothing acknowledges
export type HandlerResult = { readonly timeoutSeconds: number } | undefined | void

/** How a message is sent. */
export interface SendOptions {
  /** While a message with this key lives (waiting, delayed or leased), a further send under it is dropped. (DEDUPE-04) */
  readonly idempotencyKey?: string
  /** Seconds before the first delivery; 0 when absent. */
  readonly delaySeconds?: number
  /** Seconds for which the queue must keep the message at least. (DEDUPE-31) */
  readonly retentionSeconds?: number
}

/** What became of a send. */
export interface SendResult {
  /** The message, or the living one that the send's key belongs to. */
  readonly messageId: string
  /** True when the send made no new message. */
  readonly deduplicated: boolean
}
