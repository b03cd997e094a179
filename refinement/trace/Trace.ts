/**
 * What a trace consists of: a header line, then one line for each operation of the run that it records.
 *
 * A trace is NDJSON. Its lines carry the names that the model's actions and the implementation's functions carry, and
 * nothing of what a workflow computes: no inputs, no outputs, no payloads. Of its own words they have the names of steps
 * and the tokens of hooks. The order of the lines is the order in which the operations took effect. Where a program sleeps, lines also say
 * when they were written (`at`), on the clock of their process: no line is put before another by it, but no wait is over, and
 * no timer due, before its time.
 *
 * | line                             | the operation that it records                                             |
 * | -------------------------------- | ------------------------------------------------------------------------- |
 * | `OpenProcess`                    | a process begins to write; it may name the dead process that it replaces  |
 * | `CreateRun`                      | a client appended `run_created`, or found the run already created          |
 * | `SendStart` `SendWake` `SendStep` `SendTimer` | a message was sent, or dropped because its key's message lives |
 * | `Deliver`                        | the queue handed a message to a handler, or called it again (a re-run)     |
 * | `LoadLog`                        | a delivery read the whole log and its snapshot                             |
 * | `CommitInBand` `RefuseInBand`    | an orchestrator's fenced write was accepted, or refused                    |
 * | `CommitBatchInBand` `RefuseBatchInBand` | the same of one write of several creations                        |
 * | `CommitOutOfBand` `RefuseOutOfBand` | a write without a fence was accepted, or refused                        |
 * | `BeginBody` `EndBody`            | the body of a step began, or settled                                       |
 * | `Acknowledge` `AskRedelivery` `Reject` | the queue was given a delivery's answer                              |
 * | `Crash` `LapseLease`             | a driver lost a delivery, or let its lease lapse                           |
 *
 * Rules: WORLD-10, FENCE-01 (what the fields of a write stand for); the mapping table names those of each line.
 *
 * @module
 */
import { Schema } from "effect"
import { Program } from "../../model/programs/Program.ts"
import { EventType as ModelledEventType } from "../../model/protocol/Log.ts"

/** The types of events that writers send: those of the model, and those that no model of whole runs has yet. */
export const EventType = Schema.Literals([...ModelledEventType.literals, "hook_disposed", "attr_set"])
/** The types of events that writers send. */
export type EventType = typeof EventType.Type

/** The version that this module reads and writes, as the first field of every header. */
export const version = "onewriter/1"

const Natural = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const Positive = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

/** How the queue treats several orchestrator messages of one run. */
export const Topology = Schema.Literals(["gated", "coalescing", "unserialized"])
/** How the queue treats several orchestrator messages of one run. */
export type Topology = typeof Topology.Type

/** A delivery, by the message that it delivers and how often that message had been delivered by then. */
export const DeliveryRef = Schema.Struct({ messageId: Schema.NonEmptyString, deliveryCount: Positive })
/** A delivery, by the message that it delivers and how often that message had been delivered by then. */
export type DeliveryRef = typeof DeliveryRef.Type

/** A client of the run, by what it is doing: `start`, `resume`, `cancel` or another name. */
export const ClientRef = Schema.Struct({ client: Schema.NonEmptyString })
/** A client of the run, by what it is doing: `start`, `resume`, `cancel` or another name. */
export type ClientRef = typeof ClientRef.Type

/** Who performed an operation. */
export const Actor = Schema.Union([DeliveryRef, ClientRef])
/** Who performed an operation. */
export type Actor = typeof Actor.Type

/** How the runtime sleeps. All in milliseconds. */
export const Waits = Schema.Struct({
  /** How long a tick of the program's sleeps is. */
  tickMs: Positive,
  /** A wait that is further away is reached in hops of this length. */
  hopMs: Positive,
  /** A wait that is over so soon is near due. */
  nearDueMs: Natural
})
/** How the runtime sleeps. */
export type Waits = typeof Waits.Type

/** The first line of a trace: what was run, and on what kind of queue. */
export const Header = Schema.Struct({
  trace: Schema.Literal(version),
  /** The program as data, or the name under which `model/programs` lists it. */
  program: Schema.Union([Schema.NonEmptyString, Program]),
  topology: Topology,
  maxInlineSteps: Natural,
  /** For a program that sleeps; the defaults of this runtime when absent. */
  waits: Schema.optionalKey(Waits),
  runId: Schema.NonEmptyString
})
/** The first line of a trace: what was run, and on what kind of queue. */
export type Header = typeof Header.Type

const place = {
  n: Positive,
  process: Schema.NonEmptyString,
  /** When the line was written, in epoch milliseconds on its process's clock. */
  at: Schema.optionalKey(Natural)
}

const anonymous = <const A extends string, F extends Schema.Struct.Fields>(name: A, fields: F) =>
  Schema.Struct({ ...place, action: Schema.Literal(name), ...fields })

const line = <const A extends string, F extends Schema.Struct.Fields>(name: A, fields: F) =>
  Schema.Struct({ ...place, action: Schema.Literal(name), by: Actor, ...fields })

const sent = {
  messageId: Schema.NonEmptyString,
  key: Schema.optionalKey(Schema.NonEmptyString),
  delaySeconds: Schema.optionalKey(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))),
  deduplicated: Schema.Boolean
}

const write = {
  eventType: EventType,
  correlationId: Schema.optionalKey(Schema.NonEmptyString),
  /** On every event of a step, as the event carries it. */
  stepName: Schema.optionalKey(Schema.String),
  /** On the events of a hook, as the event carries it. */
  token: Schema.optionalKey(Schema.String),
  attempt: Schema.optionalKey(Positive),
  inline: Schema.optionalKey(Schema.Boolean),
  /** On a `wait_created`: when the wait is over, in epoch milliseconds, and the message whose waits it is one of. */
  resumeAt: Schema.optionalKey(Natural),
  chain: Schema.optionalKey(Schema.NonEmptyString),
  /** On a `step_retrying`: it has a creator, and so says that the step was moved to a message of its own. */
  moved: Schema.optionalKey(Schema.Boolean)
}

/** Why the World refused a write: the fence (412), the run's end (410; 409 in-band), a conflict (409), no hook (404). */
export const Refusal = Schema.Literals(["superseded", "expired", "conflict", "not-found"])
/** Why the World refused a write: the fence (412), the run's end (410; 409 in-band), a conflict (409), no hook (404). */
export type Refusal = typeof Refusal.Type

/**
 * What the queue made of an answer. `done`: it was taken. `rerun`: an acknowledgment was refused and the handler is called
 * again in the same lease. `handoff`: the message is delivered again at once. `stale`: the lease had lapsed, so nothing
 * changed.
 */
export const AcceptedAs = Schema.Literals(["done", "rerun", "handoff", "stale"])
/**
 * What the queue made of an answer. `done`: it was taken. `rerun`: an acknowledgment was refused and the handler is called
 * again in the same lease. `handoff`: the message is delivered again at once. `stale`: the lease had lapsed, so nothing
 * changed.
 */
export type AcceptedAs = typeof AcceptedAs.Type

/** One recorded operation. `slot`, `seq` and `seqInBand` count from 1; `delaySeconds` and `timeoutSeconds` are seconds. */
export const Line = Schema.Union([
  anonymous("OpenProcess", {
    /** The process whose place this one takes, when it is known to be dead. */
    replaces: Schema.optionalKey(Schema.NonEmptyString),
    pid: Schema.optionalKey(Positive)
  }),
  anonymous("Crash", DeliveryRef.fields),
  anonymous("LapseLease", DeliveryRef.fields),
  line("CreateRun", { slot: Positive, allocated: Schema.Literals([0, 1]) }),
  line("SendStart", { ...sent, kind: Schema.Literal("orchestrator") }),
  line("SendWake", { ...sent, kind: Schema.Literal("orchestrator") }),
  line("SendStep", {
    ...sent,
    kind: Schema.Literal("step"),
    stepId: Schema.NonEmptyString,
    stepName: Schema.optionalKey(Schema.String),
    /** The message carries no input, for it is too large: the step's delivery reads it from the log. */
    inputOmitted: Schema.optionalKey(Schema.Literal(true)),
    stepAttempt: Schema.optionalKey(Positive),
    stepResent: Schema.optionalKey(Schema.Boolean)
  }),
  line("SendTimer", {
    ...sent,
    /** Whom it brings back: the orchestrator, or, before its wait is due, the sender of the next timer. */
    kind: Schema.Literals(["orchestrator", "hop"]),
    waitId: Schema.NonEmptyString,
    /** The deadline of the wait, and when the timer is due, in epoch milliseconds. */
    resumeAt: Natural,
    hopAt: Natural,
    /** Of its key: which timer of the hop it is, above 1; or when the second began in which it was sent. */
    timerAttempt: Schema.optionalKey(Positive),
    second: Schema.optionalKey(Natural)
  }),
  line("Deliver", {
    ...DeliveryRef.fields,
    kind: Schema.Literals(["orchestrator", "step", "hop"]),
    stepId: Schema.optionalKey(Schema.NonEmptyString),
    attempt: Positive
  }),
  line("LoadLog", { length: Natural, seq: Natural, seqInBand: Natural }),
  line("CommitInBand", {
    ...write,
    expectedSeqInBand: Natural,
    eventCount: Natural,
    slot: Positive,
    allocated: Schema.Literal(1),
    report: Schema.Array(Positive),
    /** The World cut the report short. */
    hasMore: Schema.optionalKey(Schema.Literal(true))
  }),
  line("RefuseInBand", {
    ...write,
    expectedSeqInBand: Natural,
    reason: Refusal
  }),
  line("CommitBatchInBand", {
    /** In the order of their slots. One that the World refused has none. */
    items: Schema.Array(Schema.Struct({ ...write, slot: Schema.optionalKey(Positive) })).check(Schema.isMinLength(2)),
    expectedSeqInBand: Natural,
    eventCount: Natural,
    allocated: Positive,
    report: Schema.Array(Positive),
    hasMore: Schema.optionalKey(Schema.Literal(true))
  }),
  line("RefuseBatchInBand", {
    items: Schema.Array(Schema.Struct(write)).check(Schema.isMinLength(2)),
    expectedSeqInBand: Natural,
    reason: Refusal
  }),
  line("CommitOutOfBand", { ...write, slot: Positive }),
  line("RefuseOutOfBand", { ...write, reason: Refusal }),
  line("BeginBody", { stepId: Schema.NonEmptyString, attempt: Positive }),
  line("EndBody", {
    stepId: Schema.NonEmptyString,
    attempt: Positive,
    outcome: Schema.Literals(["completed", "failed", "retry"])
  }),
  line("Acknowledge", { accepted: AcceptedAs }),
  line("AskRedelivery", {
    timeoutSeconds: Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)),
    accepted: AcceptedAs
  }),
  line("Reject", { error: Schema.String, accepted: AcceptedAs })
])
/** One recorded operation. `slot`, `seq` and `seqInBand` count from 1; `delaySeconds` and `timeoutSeconds` are seconds. */
export type Line = typeof Line.Type

/** The names that a line's `action` may have. */
export type ActionName = Line["action"]

/** The line of one action. */
export type LineOf<A extends ActionName> = Extract<Line, { readonly action: A }>

/** A line as a caller of the recorder gives it: the sink adds `n`, `process` and `at`. */
export type Entry = Line extends infer L ? (L extends Line ? Omit<L, "n" | "process" | "at"> : never) : never

/** Every action name, in the order of {@link Line}. */
export const actionNames: ReadonlyArray<ActionName> = Line.members.map(({ fields }) => fields.action.literal)

/** A trace that has been read: its header, and its lines in file order. The header is line 1 of the file. */
export interface Trace {
  readonly header: Header
  readonly lines: ReadonlyArray<NumberedLine>
}

/** A line of a trace, with its number in the file (the header is number 1). */
export interface NumberedLine {
  readonly number: number
  readonly line: Line
}

/** Whether an actor is a delivery (and not a client). */
export const isDelivery = (actor: Actor): actor is DeliveryRef => "messageId" in actor
