/**
 * The variables of the feed spec. (FEED-07, FEED-38)
 *
 * | variable   | what it is                                                                                  |
 * | ---------- | ------------------------------------------------------------------------------------------- |
 * | `log`      | what the slots of the log hold: an event from outside, the orchestrator's own, or nothing ever |
 * | `body`     | the run's inline body is over                                                                |
 * | `ended`    | the run has ended                                                                            |
 * | `owed`     | writers outside that have committed, and have not sent their wake                            |
 * | `wake`     | a wake waits in the queue: the delivery that is alive goes first                              |
 * | `recorded` | the position that the last delivery recorded as consumed, 0 for none (CAC-17)                |
 * | `delivery` | the run's orchestrator delivery                                                              |
 * | `view`     | the slots that passes consumed, in the order in which they did                               |
 * | `handed`   | the slots that the feed has handed over and no pass has taken (FEED-03)                      |
 * | `feed`     | the client's side of the feed (FEED-15, FEED-16, FEED-17)                                           |
 * | `source`   | the World's side of the subscription (FEED-18)                                               |
 * | `transit`  | the slots whose push is on its way, in order                                                 |
 * | `wait`     | ticks until the run's sleep is over, 0 once it is; -1: its completion is in the log, or it has none |
 * | `unseen`   | for how many ticks the log has held a slot that the delivery does not hold                   |
 * | `budget`   | how often what may go wrong still may, and the events that are still to come                 |
 *
 * @module
 */
import { Schema } from "effect"
import { each, type StateOf, type Update as UpdateOf, variables } from "../../checker/Language.ts"
import { BUDGETS, type BudgetName, type Setting, TICKS } from "./Config.ts"

/** The run's orchestrator delivery. See `Delivery.ts` for its states. */
export const Delivery = Schema.Struct({
  at: Schema.Literals(["working", "lingering", "suspending", "read", "ending"]),
  /** Ticks that are left of its linger. */
  linger: Schema.Int,
  /** Ticks since it began, where it has a deadline. */
  clock: Schema.Int
})

/** The run's orchestrator delivery. */
export type Delivery = typeof Delivery.Type

/** The client's side of the feed. */
export const Feed = Schema.Struct({
  /** It subscribed, and has heard of no error (FEED-17): not that anything is pushed. */
  live: Schema.Boolean,
  /** The only slot that it hands over next (FEED-15). */
  next: Schema.Int,
  /** Slots above a gap, held until it fills (FEED-16). */
  pending: Schema.Array(Schema.Int),
  interval: Schema.Int,
  /** Ticks to the next poll. */
  pollIn: Schema.Int,
  /** The poll under way: whether the subscription was live when it began. */
  poll: Schema.Literals(["none", "begun-live", "begun-down", "hung"]),
  /** How the last poll came out, or whether there was trouble since (FEED-38). */
  last: Schema.Literals(["clean", "unclean"]),
  /** Polls since the last tick, no more than 2. */
  polls: Schema.Int,
  /** Ticks since the last heartbeat. */
  beat: Schema.Int
})

/** The client's side of the feed. */
export type Feed = typeof Feed.Type

/** The variables. */
export const vocabulary = () =>
  variables({
    log: Schema.Array(Schema.Literals(["foreign", "own", "noop"])),
    body: Schema.Boolean,
    ended: Schema.Boolean,
    owed: Schema.Int,
    wake: Schema.Boolean,
    recorded: Schema.Int,
    delivery: Schema.NullOr(Delivery),
    view: Schema.Array(Schema.Int),
    handed: Schema.Array(Schema.Int),
    feed: Schema.NullOr(Feed),
    source: Schema.Struct({ at: Schema.Literals(["none", "opening", "on", "silent"]), pushed: Schema.Int }),
    transit: Schema.Array(Schema.Int),
    wait: Schema.Int,
    unseen: Schema.Int,
    budget: each(["events", ...BUDGETS], Schema.Int)
  })

/** The typed constructors over the variables. */
export type Vocabulary = ReturnType<typeof vocabulary>

/** A state. */
export type State = StateOf<Vocabulary["declarations"]>

/** The variables that a step changes. */
export type Update = UpdateOf<Vocabulary["declarations"]>

/** What every part of the spec is given: the setting, and the constructor of actions. */
export interface Part {
  readonly setting: Setting
  readonly action: Vocabulary["action"]
}

/** Nobody is subscribed. */
export const unsubscribed = { at: "none", pushed: 0 } as const

/** The run was started, and its first message waits. */
export const initial = (setting: Setting): State => ({
  log: ["own"],
  body: setting.body === "over",
  ended: false,
  owed: 0,
  wake: true,
  recorded: 0,
  delivery: null,
  view: [],
  handed: [],
  feed: null,
  source: unsubscribed,
  transit: [],
  wait: setting.waitTicks > 0 ? setting.waitTicks : -1,
  unseen: 0,
  budget: {
    events: setting.events,
    ...(Object.fromEntries(BUDGETS.map((name) => [name, setting.budgets[name] ?? 0])) as Record<BudgetName, number>)
  }
})

/** A feed that has just been started behind these slots (FEED-07). */
export const started = (setting: Setting, held: number): Feed => ({
  live: setting.push,
  next: held + 1,
  pending: [],
  interval: setting.push ? TICKS.live : TICKS.short,
  pollIn: setting.polls === "busy" ? 0 : setting.push ? TICKS.live : TICKS.short,
  poll: "none",
  last: setting.push ? "clean" : "unclean",
  polls: 0,
  beat: 0
})

/** Whether something may go wrong once more. */
export const affords = (s: State, name: BudgetName): boolean => s.budget[name] > 0

/** The budget after it did. */
export const spend = (s: State, name: BudgetName): Update => ({ budget: { [name]: s.budget[name] - 1 } })
