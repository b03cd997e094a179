/**
 * The state of the spec 8 model: one run, its log by position, and everybody who writes it. (SIM-52)
 *
 * | variable     | what it holds                                                                             |
 * | ------------ | ----------------------------------------------------------------------------------------- |
 * | `log`        | what each slot holds, see `Positions.ts`                                                  |
 * | `wakes`      | orchestrator messages that nobody holds; a spec 8 message carries nothing the log lacks   |
 * | `delivery`   | of each place for an orchestrator delivery: what it has read, and what it is about to do  |
 * | `steps`      | of each step: the deliveries of its message that still have something to do, a sorted bag |
 * | `hook`       | the payload that somebody is sending: whether it was accepted, and its slot               |
 * | `sleep`      | whether the run's sleep has its timer, and whether it is due                              |
 * | `budget`     | how often the environment may still do what it does                                       |
 *
 * Abstractions. A write of an orchestrator or of a step is stored where it was accepted, in one step; only the payload's
 * write is held between the two, because its writer alone is a process of its own that blocks nobody (SIM-32, SIM-64).
 * The message of a step is sent with the step's creation and an orchestrator's wake with the event that it tells of:
 * how a message is lost is what the protocol spec is about. The due time of a sleep is a flag.
 *
 * @module
 */
import { Schema } from "effect"
import { type Action, each, type StateOf, type Update as UpdateOf, variables } from "../../checker/Language.ts"
import { type BudgetName, budgetNames, type Spec8Setting } from "./Config.ts"
import { Cell } from "./Positions.ts"

/**
 * An orchestrator delivery. `gap`: what it read misses a slot; `again`: it does so after it was read again; `writing`: it
 * has replayed what it knows. See `Deliveries.ts`.
 */
export const Spec8Delivery = Schema.Struct({
  at: Schema.Literals(["claimed", "gap", "again", "writing"]),
  /** The positions that it knows, by reading, by its own writes, and by the reports on them. */
  known: Schema.Array(Schema.Int),
  /** The highest position that it has read: where it reads on, and what it tells the guards (SIM-52). */
  mark: Schema.Int,
  /** How many positions it has read up to there. */
  loaded: Schema.Int,
  todo: Schema.Array(Cell)
})

/** An orchestrator delivery. */
export type Spec8Delivery = typeof Spec8Delivery.Type

/** A payload on its way: its slot is 0 before it has one. */
export const Payload = Schema.Struct({ at: Schema.Literals(["none", "accepted", "done"]), slot: Schema.Int })

/** The variables of the spec 8 model, for a setting. */
export const spec8Vocabulary = (setting: Spec8Setting) =>
  variables({
    log: Schema.Array(Cell),
    wakes: Schema.Int,
    delivery: each(setting.places, Schema.NullOr(Spec8Delivery)),
    steps: each(setting.entities, Schema.Array(Schema.Literals(["queued", "running"]))),
    hook: Payload,
    sleep: Schema.Literals(["none", "armed", "due"]),
    budget: each(budgetNames, Schema.Int)
  })

/** The typed constructors over the variables. */
export type Spec8Vocabulary = ReturnType<typeof spec8Vocabulary>

/** A state of the spec 8 model. */
export type Spec8State = StateOf<Spec8Vocabulary["declarations"]>

/** The variables that a step changes. */
export type Spec8Update = UpdateOf<Spec8Vocabulary["declarations"]>

/** What every module of actions is given. */
export interface Spec8Part {
  readonly setting: Spec8Setting
  readonly action: Spec8Vocabulary["action"]
}

/** Actions by name. */
export type Spec8Actions = { readonly [name: string]: Action }

/** The run was created, and its first message sent. */
export const spec8Initial = (setting: Spec8Setting): Spec8State => ({
  log: [{ type: "run_created" }],
  wakes: 1,
  delivery: Object.fromEntries(setting.places.map((place) => [place, null])),
  steps: Object.fromEntries(setting.entities.map((entity) => [entity, []])),
  hook: { at: "none", slot: 0 },
  sleep: "none",
  budget: setting.budgetOf
})

/** The budget after something of it happened. */
export const spent = (s: Spec8State, name: BudgetName): Spec8Update => ({ budget: { [name]: s.budget[name] - 1 } })
