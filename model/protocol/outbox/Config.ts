/**
 * What a model of the outbox is made from: the steps of the run, the queue's limits, and what may go wrong. (OUTBOX-02,
 * OUTBOX-07, OUTBOX-14, OUTBOX-20, OUTBOX-22, OUTBOX-25, OUTBOX-26, OUTBOX-27, OUTBOX-30)
 *
 * No variables: a configuration is constant in a model.
 *
 * @module
 */
import type { Rules } from "./Rules.ts"

/**
 * How often something that may go wrong does. What is absent never happens, and its actions are not part of the spec.
 */
export interface Budgets {
  /** Resets of the run's store: what it had not committed is gone (OUTBOX-02, OUTBOX-26). */
  readonly resets?: number
  /** Publications that the queue accepts, and whose answer is lost (OUTBOX-07). */
  readonly lostAnswers?: number
  /** Publications that the queue refuses for now: too deep, or reset (OUTBOX-26). */
  readonly refusals?: number
  /** Deliveries that fail or die, or whose acknowledgment is lost: the queue counts them (OUTBOX-14). */
  readonly failures?: number
  /** Restarts of the queue's shard, the part of it that this run's messages are in, in the middle of deliveries (OUTBOX-20). */
  readonly restarts?: number
  /** Deliveries of a wake that hand off to a next one (OUTBOX-25). */
  readonly handoffs?: number
  /** Keys that are pruned from what the queue has accepted, without the rule that keeps them (OUTBOX-30). */
  readonly prunes?: number
}

/** A step of the run. */
export type Step = "x" | "y"

/** The name of a budget. */
export type BudgetName = keyof Budgets

/** A configuration of the outbox spec. */
export interface Config {
  /** Steps of the run; it ends when it has seen the outcome of each. */
  readonly steps: 1 | 2
  /** Whether the first step's message is larger than the queue takes (OUTBOX-27). */
  readonly oversized?: boolean
  /** Whether every delivery of a wake fails, until core gives the run up (OUTBOX-22). */
  readonly poisoned?: boolean
  /** The attempt after which core, the runtime, fails the run, and the one after which the World buries the message (OUTBOX-22). */
  readonly limits?: { readonly core: number; readonly world: number }
  readonly budgets?: Budgets
  readonly rules: Rules
}

/** A configuration with its defaults filled in. */
export interface Setting extends Required<Config> {
  readonly budgetNames: ReadonlyArray<BudgetName>
  readonly stepIds: ReadonlyArray<Step>
  /** What the run's store may owe to the queue: each step's message, and the wake for its outcome. */
  readonly intentIds: ReadonlyArray<string>
}

/** Every budget. */
export const BUDGETS = [
  "resets",
  "lostAnswers",
  "refusals",
  "failures",
  "restarts",
  "handoffs",
  "prunes"
] as const satisfies ReadonlyArray<BudgetName>

/** The intent to send a step's message. */
export const dispatchOf = (step: Step) => (step === "x" ? "dispatch-x" : "dispatch-y")

/** The intent to wake the run for a step's outcome. */
export const wakeOf = (step: Step) => (step === "x" ? "wake-x" : "wake-y")

/** Fills in the defaults of a configuration. */
export const setting = (config: Config): Setting => {
  const budgets = config.budgets ?? {}
  const stepIds: ReadonlyArray<Step> = config.steps === 1 ? ["x"] : ["x", "y"]
  return {
    steps: config.steps,
    oversized: config.oversized ?? false,
    poisoned: config.poisoned ?? false,
    limits: config.limits ?? { core: 8, world: 9 },
    budgets,
    rules: config.rules,
    budgetNames: BUDGETS.filter((name) => (budgets[name] ?? 0) > 0),
    stepIds,
    intentIds: stepIds.flatMap((step) => [dispatchOf(step), wakeOf(step)])
  }
}
