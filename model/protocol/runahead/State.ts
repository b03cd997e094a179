/**
 * The state of the run-ahead spec. (AHEAD-17)
 *
 * | variable   | what it holds                                                                                    |
 * | ---------- | ------------------------------------------------------------------------------------------------ |
 * | `log`      | the run's events by slot; the fence's count is the number of those that a delivery wrote           |
 * | `message`  | whether a message is queued that will be delivered when nobody holds the run's lease             |
 * | `holder`   | the delivery that holds the run's lease, or nothing                                                |
 * | `delivery` | of each place: the delivery itself (`Delivery.ts` has its states)                                  |
 * | `bodies`   | of each step: bodies begun, and how many of those had a start that never committed                 |
 * | `due`      | of each wait: whether its time has come                                                            |
 * | `world`    | whether this process still runs ahead on this World, and the hazards it has seen                   |
 * | `budget`   | how often the environment may still do what it does                                                |
 *
 * What is left out: the run's creation and `run_started`, which every log here begins with; reports that are cut short,
 * and unknown outcomes of writes (the composed spec has them); a background step is its creation and its outcome, since
 * only these reach a workflow; time is whether an event was stored at the time it was sent with.
 *
 * @module
 */
import { Schema } from "effect"
import { type Action, each, type StateOf, type Update as UpdateOf, variables } from "../../checker/Language.ts"
import type { BudgetName, Setting } from "./Config.ts"

/** What a call was made with: whose result the workflow had just consumed, and whether its clock had moved since. */
export const Input = Schema.Struct({ of: Schema.Int, late: Schema.Boolean })

/** The types of events. */
export const EventType = Schema.Literals([
  "run_created",
  "run_started",
  "step_created",
  "step_started",
  "step_completed",
  "step_failed",
  "hook_created",
  "hook_received",
  "wait_created",
  "wait_completed",
  "run_completed",
  "run_failed",
  "run_cancelled",
  "noop"
])

/** An event of the log, or one that is to be written. */
export const Event = Schema.Struct({
  type: EventType,
  /** The call it is about; 0: none of the program's. */
  entity: Schema.Int,
  /** The step or token that the event creates; how the run ended; else empty. */
  name: Schema.String,
  input: Schema.NullOr(Input),
  /** Stored at another time than it was sent with. */
  late: Schema.Boolean,
  /** The delivery that wrote it in-band, or `outside`. */
  by: Schema.String
})

/** An event of the log. */
export type Event = typeof Event.Type

/** The events of a run, in slot order: the event of slot n is at n - 1. */
export type Log = ReadonlyArray<Event>

/** A write that waits in a delivery's writer. */
export const Write = Schema.Struct({
  event: Event,
  /** It was decided before the writes below it committed. */
  ahead: Schema.Boolean,
  /** The slot that the writer expects for it. */
  predicted: Schema.Int,
  /** Hooks that the workflow awaited where the write was decided (AHEAD-17). */
  sensitive: Schema.Array(Schema.Int)
})

/** A write that waits in a delivery's writer. */
export type Write = typeof Write.Type

/** A resolution as the workflow consumed it: whose result it was handed, and at what time. */
export const Consumed = Schema.Struct({
  id: Schema.Int,
  as: Schema.Literals(["completed", "failed", "received", "elapsed"]),
  result: Schema.Int,
  late: Schema.Boolean
})

/** A resolution as the workflow consumed it. */
export type Consumed = typeof Consumed.Type

/** An orchestrator delivery. */
export const Delivery = Schema.Struct({
  phase: Schema.Literals(["loading", "running", "stopping", "done"]),
  /** Whether it may run ahead. */
  ahead: Schema.Boolean,
  restarts: Schema.Int,
  divergences: Schema.Int,
  /** The log that it holds ends at this slot; everything up to it is confirmed. */
  known: Schema.Int,
  /** What its workflow has consumed, in the order in which it did. */
  view: Schema.Array(Consumed),
  /** Its in-band count. */
  expected: Schema.Int,
  queue: Schema.Array(Write),
  /** How many writes at the head of the queue are in flight. */
  sent: Schema.Int,
  /** The slots of those that are committed, 0 for one that was refused; empty until then. */
  landed: Schema.Array(Schema.Int),
  bodies: Schema.Array(Schema.Struct({ entity: Schema.Int, ended: Schema.Boolean })),
  /** Bodies of it that ran, or run, without a start that committed. */
  lost: Schema.Int,
  /** Payloads prepared for replay: the slot they were prepared for, and the step whose result they are. */
  cache: Schema.Array(Schema.Struct({ slot: Schema.Int, entity: Schema.Int }))
})

/** An orchestrator delivery. */
export type Delivery = typeof Delivery.Type

/** The variables of the spec. */
export const vocabulary = (setting: Setting) =>
  variables({
    log: Schema.Array(Event),
    message: Schema.Boolean,
    holder: Schema.NullOr(Schema.String),
    delivery: each(setting.deliveries, Schema.NullOr(Delivery)),
    bodies: each(setting.entities, Schema.Struct({ begun: Schema.Int, lost: Schema.Int })),
    due: each(waitIndex(setting), Schema.Boolean),
    world: Schema.Struct({ aheadOff: Schema.Boolean, hazards: Schema.Int }),
    budget: each(budgetIndex(setting), Schema.Int)
  })

// A family has at least one index: a run without waits has one that never comes due, one without faults a used budget.
const waitIndex = ({ waits }: Setting): ReadonlyArray<number> => (waits.length > 0 ? waits : [0])

const budgetIndex = ({ budgetNames }: Setting): ReadonlyArray<BudgetName> =>
  budgetNames.length > 0 ? budgetNames : ["crashes"]

const family = <T>(index: ReadonlyArray<string | number>, value: T): { readonly [i: string | number]: T } =>
  Object.fromEntries(index.map((i) => [i, value]))

/** The state in which the run was created and started, with its early hooks, and its message was sent. */
export const initial = (setting: Setting, log: Log): State => ({
  log,
  message: true,
  holder: null,
  delivery: family(setting.deliveries, null),
  bodies: family(setting.entities, { begun: 0, lost: 0 }),
  due: family(waitIndex(setting), false),
  world: { aheadOff: false, hazards: 0 },
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

/** Whether the environment may still do what the budget is for. */
export const affords = (s: State, budget: BudgetName): boolean => (s.budget[budget] ?? 0) > 0

/** The budget, once more used. */
export const spend = (s: State, budget: BudgetName): Update => ({ budget: { [budget]: (s.budget[budget] ?? 0) - 1 } })

/** The counts of bodies, with so many more begun and so many more found to have had no start. */
export const counted = (
  s: State,
  setting: Setting,
  begun: ReadonlyArray<number>,
  lost: ReadonlyArray<number> = []
): NonNullable<Update["bodies"]> =>
  Object.fromEntries(
    setting.entities.map((entity) => {
      const count = s.bodies[entity] ?? { begun: 0, lost: 0 }
      return [
        entity,
        {
          begun: count.begun + (begun.includes(entity) ? 1 : 0),
          lost: count.lost + (lost.includes(entity) ? 1 : 0)
        }
      ]
    })
  )
