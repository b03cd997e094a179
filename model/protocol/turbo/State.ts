/**
 * The state of the turbo spec.
 *
 * | variable   | what it holds                                                                                   |
 * | ---------- | ----------------------------------------------------------------------------------------------- |
 * | `log`      | the run's events by slot; the fence's count is the number of those written in-band                |
 * | `start`    | what `start()` has done: whether it wrote `run_created`, and whether it sent the first message    |
 * | `queue`    | orchestrator messages that nobody holds                                                           |
 * | `holder`   | the delivery that holds the run's lease, where deliveries are serialized                          |
 * | `delivery` | of each place: the delivery itself                                                                |
 * | `steps`    | of each step: its own message, once it was created in the background                              |
 * | `bodies`   | of each step: bodies begun inline, those of them whose start never committed, and any begun late  |
 * | `budget`   | how often the environment may still do what it does                                               |
 *
 * A write is sent, committed and answered in one step, with a full report; a background step runs and writes its outcome
 * in one step, and its message is sent with its creation (the composed spec takes these apart). Time is how far a
 * delivery has come towards its inline deadline; a message's age is whether it is near its expiry.
 *
 * @module
 */
import { Schema } from "effect"
import { type Action, each, type StateOf, type Update as UpdateOf, variables } from "../../checker/Language.ts"
import type { BudgetName, Setting } from "./Config.ts"

/** An event of the log, or one that is to be written. */
export const Event = Schema.Struct({
  type: Schema.Literals([
    "run_created",
    "run_started",
    "step_created",
    "step_started",
    "step_completed",
    "step_failed",
    "hook_created",
    "hook_received",
    "attr_set",
    "run_completed",
    "run_failed",
    "run_cancelled"
  ]),
  entity: Schema.Int,
  /** The delivery that wrote it in-band, `start`, or `outside`. */
  by: Schema.String
})

/** An event of the log. */
export type Event = typeof Event.Type

/** The events of a run, in slot order. */
export type Log = ReadonlyArray<Event>

/** An orchestrator message. */
export const Message = Schema.Struct({
  /** It carries the run input: what the run is created from, if need be. */
  input: Schema.Boolean,
  /** It carries a payload that the log may not have. */
  hookInput: Schema.Boolean,
  /** Deliveries so far, counted up to 2: 1 on a message's first delivery alone. */
  count: Schema.Int,
  /** It is near its expiry. */
  old: Schema.Boolean,
  /** It was handed off near its expiry, and may expire. */
  spent: Schema.Boolean
})

/** An orchestrator message. */
export type Message = typeof Message.Type

/** How far a delivery is from its inline deadline. */
export const Time = Schema.Literals(["early", "margin", "past"])

/** An orchestrator delivery. */
export const Delivery = Schema.Struct({
  message: Message,
  phase: Schema.Literals(["loading", "running", "done", "handoff", "rotating", "rotated"]),
  lapsed: Schema.Boolean,
  /** Bodies may begin before their starts commit. */
  early: Schema.Boolean,
  known: Schema.Int,
  expected: Schema.Int,
  /** Writes it has decided on, in order. `begun`: the body of that start runs already. */
  todo: Schema.Array(Schema.Struct({ event: Event, begun: Schema.Boolean })),
  bodies: Schema.Array(Schema.Int),
  reruns: Schema.Int,
  /** Messages were coalesced into it since its pass began. */
  recorded: Schema.Boolean,
  time: Time,
  /** The time that it goes by. */
  believes: Time
})

/** An orchestrator delivery. */
export type Delivery = typeof Delivery.Type

/** The variables of the spec. */
export const vocabulary = (setting: Setting) =>
  variables({
    log: Schema.Array(Event),
    start: Schema.Struct({ created: Schema.Boolean, sent: Schema.Boolean }),
    queue: Schema.Array(Message),
    holder: Schema.NullOr(Schema.String),
    delivery: each(setting.deliveries, Schema.NullOr(Delivery)),
    steps: each(setting.entities, Schema.Literals(["none", "queued", "old"])),
    bodies: each(setting.entities, Schema.Struct({ begun: Schema.Int, lost: Schema.Int, late: Schema.Boolean })),
    budget: each(budgetIndex(setting), Schema.Int)
  })

// A family has at least one index: a run to which nothing happens has no crash left.
const budgetIndex = ({ budgetNames }: Setting): ReadonlyArray<BudgetName> =>
  budgetNames.length > 0 ? budgetNames : ["crashes"]

const family = <T>(index: ReadonlyArray<string | number>, value: T): { readonly [i: string | number]: T } =>
  Object.fromEntries(index.map((i) => [i, value]))

/** The state before `start` was called. */
export const initial = (setting: Setting): State => ({
  log: [],
  start: { created: false, sent: false },
  queue: [],
  holder: null,
  delivery: family(setting.deliveries, null),
  steps: family(setting.entities, "none"),
  bodies: family(setting.entities, { begun: 0, lost: 0, late: false }),
  budget: Object.fromEntries(budgetIndex(setting).map((name) => [name, setting.budgets[name] ?? 0])) as State["budget"]
})

/** The variables of the spec. */
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

/** The actions that there is a budget for. */
export const afforded = (
  setting: Setting,
  actions: { readonly [name: string]: readonly [budget: BudgetName, action: Action] }
): Actions =>
  Object.fromEntries(
    Object.entries(actions)
      .filter(([, [budget]]) => setting.budgetNames.includes(budget))
      .map(([name, [, action]]) => [name, action])
  )

/** Whether the environment may still do what the budget is for. */
export const affords = (s: State, budget: BudgetName): boolean => (s.budget[budget] ?? 0) > 0

/** The budget, once more used. */
export const spend = (s: State, budget: BudgetName): Update => ({ budget: { [budget]: (s.budget[budget] ?? 0) - 1 } })

/** A plain wake. */
export const WAKE: Message = { input: false, hookInput: false, count: 0, old: false, spent: false }

/** The queue with one message more. Its order does not matter, so it is kept sorted. */
export const queued = (queue: ReadonlyArray<Message>, message: Message): ReadonlyArray<Message> =>
  [...queue, message].toSorted((a, b) => weight(a) - weight(b))

const weight = ({ input, hookInput, count, old, spent }: Message): number =>
  (input ? 1 : 0) + (hookInput ? 2 : 0) + count * 4 + (old ? 16 : 0) + (spent ? 32 : 0)
