/**
 * What a model of the quick exit is made from: what the run waits for, who holds its deliveries, and what may go wrong.
 *
 * No variables: a configuration is constant in a model.
 *
 * @module
 */
import type { Rules } from "./Rules.ts"

/** How often something happens that nobody may count on. What is absent never happens. */
export interface Budgets {
  /** Processes that die, with their deliveries and their memory. */
  readonly crashes?: number
  /** Sends that fail: the delivery is over, and its process lives on. */
  readonly rejects?: number
  /** Leases that lapse while their delivery lives on. */
  readonly lapses?: number
  /** Messages that nobody needs. */
  readonly spareWakes?: number
  /** Timers that come before their wait is due. */
  readonly earlies?: number
  /** Calls of `run.wakeUp()`, whose content is on its message alone. */
  readonly wakeUps?: number
  /** Restarts of a World whose queue is in memory. */
  readonly restarts?: number
}

/** The name of a budget. */
export type BudgetName = keyof Budgets

/** A configuration of the spec. */
export interface Config {
  /** The run sleeps. */
  readonly sleeps?: boolean
  /** The run runs a background step once it has been sent a payload. */
  readonly works?: boolean
  /** The payload is in the log before its wake; or on its message alone, as a resume of an older release has it. */
  readonly payload?: "written" | "carried"
  readonly topology?: "gated" | "coalescing"
  /** The processes that deliveries may land in. Default 1. */
  readonly processes?: number
  /** A process goes by what any other has recorded: no rule of the protocol, and no store that it has. Default: no. */
  readonly sharedPosition?: boolean
  readonly budgets?: Budgets
}

/** A configuration with its defaults filled in. */
export interface Setting extends Required<Omit<Config, "processes">> {
  readonly processes: ReadonlyArray<string>
  readonly deliveries: ReadonlyArray<string>
  readonly budgetNames: ReadonlyArray<BudgetName>
  readonly rules: Rules
}

/** Every budget. */
export const BUDGETS = [
  "crashes",
  "rejects",
  "lapses",
  "spareWakes",
  "earlies",
  "wakeUps",
  "restarts"
] as const satisfies ReadonlyArray<BudgetName>

/** Fills in the defaults of a configuration. */
export const setting = (config: Config, rules: Rules): Setting => {
  const budgets = config.budgets ?? {}
  return {
    sleeps: config.sleeps ?? false,
    works: config.works ?? false,
    payload: config.payload ?? "written",
    topology: config.topology ?? "gated",
    sharedPosition: config.sharedPosition ?? false,
    budgets,
    processes: Array.from({ length: config.processes ?? 1 }, (_, at) => `p${at + 1}`),
    deliveries: (budgets.lapses ?? 0) > 0 ? ["o1", "o2"] : ["o1"],
    budgetNames: BUDGETS.filter((name) => (budgets[name] ?? 0) > 0),
    rules
  }
}
