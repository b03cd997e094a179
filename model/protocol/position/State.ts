/**
 * The state of the spec of the quick exit.
 *
 * | variable   | what it holds                                                                                  |
 * | ---------- | ---------------------------------------------------------------------------------------------- |
 * | `log`      | the run's events, by slot                                                                       |
 * | `queue`    | orchestrator messages that nobody holds, timers among them, sorted                              |
 * | `delivery` | of each place: the delivery itself                                                              |
 * | `position` | of each process: how far a delivery of it had consumed the log when it ended, 0 for unknown     |
 * | `step`     | whether the background step's message is alive                                                  |
 * | `due`      | the sleep's time has come                                                                       |
 * | `client`   | the payload: nobody has sent it; it is committed and its wake is owed; it is on its message; done |
 * | `asked`    | `run.wakeUp()` was called                                                                       |
 * | `budget`   | how often what may go wrong still may                                                           |
 *
 * Abstractions. A background step runs and writes its outcome in one step, and so does its wake; a write is sent,
 * committed and answered in one step, with a full report. The sleep has one timer, and its chain is its own.
 *
 * @module
 */
import { Schema } from "effect"
import { type Action, each, type StateOf, type Update as UpdateOf, variables } from "../../checker/Language.ts"
import { BUDGETS, type BudgetName, type Setting } from "./Config.ts"

/** An event: the orchestrator's, but for the payload where it is written, and the step's outcome. */
export const EventType = Schema.Literals([
  "run_started",
  "hook_received",
  "step_created",
  "step_completed",
  "wait_created",
  "wait_completed",
  "run_completed",
  "payload_carried"
])

/** The type of an event. `payload_carried` is a `hook_received` that an orchestrator delivery wrote, in-band. */
export type EventType = typeof EventType.Type

/** The events of a run, in slot order. */
export type Log = ReadonlyArray<EventType>

/** An orchestrator message, by what it carries that the log does not have. */
export const Message = Schema.Struct({
  kind: Schema.Literals(["plain", "timer", "wakeUp", "recovery", "payload"]),
  /** Deliveries so far, counted up to 2: 1 on its first delivery alone. */
  count: Schema.Int
})

/** An orchestrator message. */
export type Message = typeof Message.Type

/** What a delivery still has to do. */
export const Operation = Schema.Union([
  Schema.Struct({ op: Schema.Literal("write"), event: EventType }),
  Schema.Struct({ op: Schema.Literals(["send", "arm", "record", "acknowledge", "redeliver"]) })
])

/** What a delivery still has to do. */
export type Operation = typeof Operation.Type

/** An orchestrator delivery. */
export const Delivery = Schema.Struct({
  message: Message,
  process: Schema.String,
  /** It holds its message: it has neither acknowledged it nor lost its lease. */
  holds: Schema.Boolean,
  /** Its lease has lapsed. */
  lapsed: Schema.Boolean,
  /** Its invocation has made the re-sends. */
  resent: Schema.Boolean,
  /** How much of the log it knows; 0 until it has read it. */
  known: Schema.Int,
  /** Its count of in-band events: that of the log that it read, advanced by its own writes. */
  expected: Schema.Int,
  todo: Schema.Array(Operation)
})

/** An orchestrator delivery. */
export type Delivery = typeof Delivery.Type

/** The variables of the spec. */
export const vocabulary = (setting: Setting) =>
  variables({
    log: Schema.Array(EventType),
    queue: Schema.Array(Message),
    delivery: each(setting.deliveries, Schema.NullOr(Delivery)),
    position: each(setting.processes, Schema.Int),
    step: Schema.Boolean,
    due: Schema.Boolean,
    client: Schema.Literals(["none", "owes", "carried", "done"]),
    asked: Schema.Boolean,
    budget: each(BUDGETS, Schema.Int)
  })

/** The typed constructors over the variables. */
export type Vocabulary = ReturnType<typeof vocabulary>

/** A state of the spec. */
export type State = StateOf<Vocabulary["declarations"]>

/** What an action changes. */
export type Update = UpdateOf<Vocabulary["declarations"]>

/** What a group of actions is made from. */
export interface Part {
  readonly setting: Setting
  readonly action: Vocabulary["action"]
}

/** Actions by name. */
export type Actions = { readonly [name: string]: Action }

/** The run was started, and its first message waits. */
export const initial = (setting: Setting): State => ({
  log: [],
  queue: [{ kind: "plain", count: 0 }],
  delivery: Object.fromEntries(setting.deliveries.map((d) => [d, null])),
  position: Object.fromEntries(setting.processes.map((p) => [p, 0])),
  step: false,
  due: false,
  client: "none",
  asked: false,
  budget: Object.fromEntries(BUDGETS.map((name) => [name, setting.budgets[name] ?? 0])) as State["budget"]
})

/** Whether something that nobody may count on may happen once more. */
export const affords = (s: State, name: BudgetName): boolean => s.budget[name] > 0

/** The budget after it did. */
export const spend = (s: State, name: BudgetName): Update => ({ budget: { [name]: s.budget[name] - 1 } })

const rank = ({ kind, count }: Message): string => `${kind} ${count}`

/** The queue with one message more. */
export const queued = (queue: ReadonlyArray<Message>, message: Message): ReadonlyArray<Message> =>
  [...queue, message].toSorted((a, b) => rank(a).localeCompare(rank(b)))

/** The different messages of the queue. */
export const distinct = (queue: ReadonlyArray<Message>): ReadonlyArray<Message> =>
  queue.filter((message, at) => at === 0 || rank(queue[at - 1] ?? message) !== rank(message))

/** The queue without one of the messages that are equal to this one. */
export const without = (queue: ReadonlyArray<Message>, message: Message): ReadonlyArray<Message> => {
  const at = queue.findIndex((other) => rank(other) === rank(message))
  return at < 0 ? queue : queue.toSpliced(at, 1)
}
