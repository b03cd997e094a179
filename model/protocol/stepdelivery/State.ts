/**
 * The state of one background step: its message, the delivery of it, and what the log says of the step and its run.
 *
 * | variable    | what it holds                                                                              |
 * | ----------- | ------------------------------------------------------------------------------------------ |
 * | `message`   | where the step's message is, how often it was delivered, and in how many ticks it is due      |
 * | `phase`     | what its delivery is about to do; `none` while nobody has the message                        |
 * | `attempt`   | the attempt that the delivery makes                                                          |
 * | `body`      | the body of the delivery                                                                     |
 * | `begun`     | how often a body of the step began                                                           |
 * | `starts`    | the `step_started` events of the step                                                        |
 * | `retryIn`   | ticks until the step may be tried again, by its last `step_retrying`                         |
 * | `ended`     | the log has the step's outcome                                                               |
 * | `told`      | the orchestrator was woken for it                                                            |
 * | `cancelled` | the run is cancelled                                                                         |
 * | `early`     | deliveries that came before the step might be tried again, since it was last tried           |
 * | `budget`    | how often the environment may still do what it does                                          |
 *
 * Abstractions. The run is a bystander: it waits for the step, and may be cancelled. A delay is a number of ticks that are
 * still to pass, and only the back-off of a retry has one; any other redelivery may come at once. There is one delivery at
 * a time: what two of one message do to each other is the composed spec's.
 *
 * @module
 */
import { Schema } from "effect"
import { type Action, each, type StateOf, type Update as UpdateOf, variables } from "../../checker/Language.ts"
import type { Rules } from "./Rules.ts"

/** How often the environment may do what it does. What is absent never happens. */
export interface Budgets {
  /** Deliveries that vanish. */
  readonly crashes?: number
  /** Starts that the World refuses for now. */
  readonly throttles?: number
  /** Bodies that fail in a way that may be tried again. */
  readonly retries?: number
  /** Cancellations of the run. */
  readonly cancels?: number
}

/** The name of a budget. */
export type BudgetName = keyof Budgets

/** A configuration of the step delivery spec. */
export interface Config {
  readonly maxRetries: number
  /** The body begins while its start is in flight (`WORKFLOW_OPTIMISTIC_BACKGROUND_START`). Default: no. */
  readonly optimistic?: boolean
  /** Ticks that a step waits for before it is tried again. Default 0. */
  readonly backoffTicks?: number
  /** The longest delay that the queue keeps a message that was delivered before for. Default 1. */
  readonly clampTicks?: number
  readonly budgets?: Budgets
}

/** A configuration with its defaults filled in. */
export interface Setting extends Required<Omit<Config, "budgets">> {
  readonly budgets: Budgets
  readonly budgetNames: ReadonlyArray<BudgetName>
  readonly rules: Rules
}

const names = ["crashes", "throttles", "retries", "cancels"] as const satisfies ReadonlyArray<BudgetName>

/** Fills in the defaults of a configuration. */
export const setting = (config: Config, rules: Rules): Setting => {
  const budgets = config.budgets ?? {}
  return {
    maxRetries: config.maxRetries,
    optimistic: config.optimistic ?? false,
    backoffTicks: config.backoffTicks ?? 0,
    clampTicks: config.clampTicks ?? 1,
    budgets,
    budgetNames: names.filter((name) => (budgets[name] ?? 0) > 0),
    rules
  }
}

/** The variables of the spec. */
export const vocabulary = (given: Setting) =>
  variables({
    message: Schema.Struct({
      at: Schema.Literals(["queued", "held", "gone"]),
      deliveryCount: Schema.Int,
      dueIn: Schema.Int
    }),
    phase: Schema.Literals(["none", "claimed", "starting", "started", "exhausted", "asking", "waking", "done"]),
    attempt: Schema.Int,
    body: Schema.Literals(["none", "running", "completed", "failed"]),
    begun: Schema.Int,
    starts: Schema.Int,
    retryIn: Schema.Int,
    ended: Schema.Boolean,
    told: Schema.Boolean,
    cancelled: Schema.Boolean,
    early: Schema.Int,
    budget: each(given.budgetNames.length > 0 ? given.budgetNames : (["crashes"] as const), Schema.Int)
  })

/** The typed constructors over the variables. */
export type Vocabulary = ReturnType<typeof vocabulary>

/** A state of the spec. */
export type State = StateOf<Vocabulary["declarations"]>

/** What an action changes. */
export type Update = UpdateOf<Vocabulary["declarations"]>

/** Actions by name. */
export type Actions = { readonly [name: string]: Action }

/** The step was created, and its message was sent. */
export const initial = (given: Setting): State => ({
  message: { at: "queued", deliveryCount: 0, dueIn: 0 },
  phase: "none",
  attempt: 0,
  body: "none",
  begun: 0,
  starts: 0,
  retryIn: 0,
  ended: false,
  told: false,
  cancelled: false,
  early: 0,
  budget: Object.fromEntries(
    (given.budgetNames.length > 0 ? given.budgetNames : (["crashes"] as const)).map((name) => [
      name,
      given.budgets[name] ?? 0
    ])
  ) as State["budget"]
})

/** Whether the environment may still do what the budget is for. */
export const affords = (s: State, name: BudgetName): boolean => (s.budget[name] ?? 0) > 0

/** The budget, once more used. */
export const spend = (s: State, name: BudgetName): Update => ({ budget: { [name]: (s.budget[name] ?? 0) - 1 } })

/** How often the environment did what the budget is for. */
export const spent = (given: Setting, s: State, name: BudgetName): number =>
  given.budgetNames.includes(name) ? (given.budgets[name] ?? 0) - (s.budget[name] ?? 0) : 0
