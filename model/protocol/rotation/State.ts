/**
 * The state of the rotation spec: one run, the messages that wake its orchestrator, and their ages. (ROT-02, ROT-07,
 * WAKE-01, TOPO-12)
 *
 * | variable   | what it holds                                                                             |
 * | ---------- | ----------------------------------------------------------------------------------------- |
 * | `log`      | the run's events, by slot                                                                  |
 * | `sleep`    | for how long the wait that is open still runs; `null` when none is                         |
 * | `queue`    | orchestrator messages that nobody holds, a sorted bag                                      |
 * | `delivery` | of each place: the delivery itself                                                         |
 * | `wakeUp`   | `run.wakeUp()` was called; its message was folded into a delivery; it came after the wait had ended |
 * | `budget`   | how often the environment may still do what it does                                        |
 *
 * Abstractions. A write is sent, committed and answered in one step, a step's body runs as its start is written, and a
 * delivery reads the log as it begins. Time passes between deliveries, once nothing is left that is due, and when a
 * delivery runs into its deadline: the queue delivers what is due, and an invocation takes a quarter of an hour at most.
 * Where the queue folds a message into a delivery, the delivery runs again as often as that happens (the wake queue of the
 * part `queues` has the bound on that, and the handoff when it is used up).
 *
 * @module
 */
import { Schema } from "effect"
import { type Action, each, type StateOf, type Update as UpdateOf, variables } from "../../checker/Language.ts"
import { BUDGETS, type BudgetName, RETENTION, type Setting } from "./Config.ts"

/** An event. A wait is `woken` when `run.wakeUp()` completes it, and `wait_completed` when its time has come. */
export const Event = Schema.Literals([
  "step",
  "hook_created",
  "hook_received",
  "wait_created",
  "wait_completed",
  "woken",
  "run_completed",
  "run_failed"
])

/** An event. */
export type Event = typeof Event.Type

/** An orchestrator message: what it carries, and what the queue knows of it. */
export const Message = Schema.Struct({
  /** It is the run's first one, which names the run's version in its input (ROT-07). */
  input: Schema.Boolean,
  /** It names the run's version itself. */
  stamped: Schema.Boolean,
  /** It is a timer of the wait (`waitContinuation`), a wake-up that names it (`completeWaits`), or has a payload (`hookInput`). */
  carries: Schema.Literals(["nothing", "wait", "wakeUp", "payload"]),
  /** A delivery of it has created the wait: the wait is of its chain. */
  creator: Schema.Boolean,
  /** Deliveries so far that count as attempts, and those of them that came to nothing. */
  attempts: Schema.Int,
  failures: Schema.Int,
  handoffs: Schema.Int,
  /** For how long the queue still keeps it, and until it is due. */
  left: Schema.Int,
  delay: Schema.Int,
  /** It was sent within the last second, by a delivery that is about to acknowledge (ROT-02). */
  late: Schema.Boolean
})

/** An orchestrator message. */
export type Message = typeof Message.Type

/** An orchestrator delivery. See `Deliveries.ts`. */
export const Delivery = Schema.Struct({
  message: Message,
  at: Schema.Literals(["passing", "handing-off", "asking", "rotated"]),
  /** Its first pass is yet to come, which completes the waits that its message names (WAKE-01). */
  first: Schema.Boolean,
  /** It has sent the timer of a wait that it is about to create. */
  armed: Schema.Boolean,
  /** Messages were folded into it since it read the log. */
  recorded: Schema.Boolean
})

/** An orchestrator delivery. */
export type Delivery = typeof Delivery.Type

/** The variables of the spec. */
export const vocabulary = ({ deliveries }: Setting) =>
  variables({
    log: Schema.Array(Event),
    sleep: Schema.NullOr(Schema.Int),
    queue: Schema.Array(Message),
    delivery: each(deliveries, Schema.NullOr(Delivery)),
    wakeUp: Schema.Literals(["none", "sent", "coalesced", "late"]),
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

/** A message that was just sent, with the run's version on it. */
export const SENT: Message = {
  input: false,
  stamped: true,
  carries: "nothing",
  creator: false,
  attempts: 0,
  failures: 0,
  handoffs: 0,
  left: RETENTION,
  delay: 0,
  late: false
}

/** The run was created, and its first message is in the queue, sent just now or long ago. */
export const initial = ({ deliveries, left, handoffs, budgets }: Setting): State => ({
  log: [],
  sleep: null,
  queue: [{ ...SENT, input: true, stamped: false, left, handoffs }],
  delivery: Object.fromEntries(deliveries.map((d) => [d, null])),
  wakeUp: "none",
  budget: Object.fromEntries(BUDGETS.map((name) => [name, budgets[name] ?? 0])) as State["budget"]
})

/** Whether the environment may still do what the budget is for. */
export const affords = (s: State, name: BudgetName): boolean => s.budget[name] > 0

/** The budget, once more used. */
export const spend = (s: State, name: BudgetName): Update => ({ budget: { [name]: s.budget[name] - 1 } })

/** Whether the run has ended. */
export const isOver = (log: ReadonlyArray<Event>): boolean =>
  log.includes("run_completed") || log.includes("run_failed")

/** Whether the queue knows a message as one of a spec 9 run, of which it delivers one at a time (TOPO-12, ROT-07). */
export const isKeyed = ({ input, stamped }: Message): boolean => input || stamped

/** The delivery that holds the run's key. */
export const holder = (s: State, deliveries: ReadonlyArray<string>): string | undefined =>
  deliveries.find((d) => {
    const o = s.delivery[d]
    return o !== null && o !== undefined && isKeyed(o.message)
  })

/** An order of messages, so that the queue is a bag: two that are alike are not told apart. */
const inOrder = (a: Message, b: Message): number =>
  a.carries.localeCompare(b.carries) ||
  a.left - b.left ||
  a.delay - b.delay ||
  a.attempts - b.attempts ||
  a.failures - b.failures ||
  a.handoffs - b.handoffs ||
  Number(a.input) - Number(b.input) ||
  Number(a.stamped) - Number(b.stamped) ||
  Number(a.creator) - Number(b.creator) ||
  Number(a.late) - Number(b.late)

/** The queue with one message more, unless it has expired. */
export const queued = (queue: ReadonlyArray<Message>, message: Message): ReadonlyArray<Message> =>
  message.left === 0 ? queue : [...queue, message].toSorted(inOrder)

/** The queue without one of the messages that are equal to this one. */
export const without = (queue: ReadonlyArray<Message>, message: Message): ReadonlyArray<Message> => {
  const at = queue.findIndex((other) => inOrder(other, message) === 0)
  return at < 0 ? queue : queue.toSpliced(at, 1)
}

/** The queue once the second has passed in which a message was sent (ROT-02). */
export const settled = (queue: ReadonlyArray<Message>): ReadonlyArray<Message> =>
  queue.reduce((kept: ReadonlyArray<Message>, one) => queued(kept, { ...one, late: false }), [])

/** A message when so much time has passed. */
export const aged = (message: Message, by: number): Message => ({
  ...message,
  left: Math.max(0, message.left - by),
  delay: Math.max(0, message.delay - by)
})

/** The queue when so much time has passed: what has expired is gone. */
export const agedQueue = (queue: ReadonlyArray<Message>, by: number): ReadonlyArray<Message> =>
  queue.map((message) => aged(message, by)).reduce((kept: ReadonlyArray<Message>, one) => queued(kept, one), [])
