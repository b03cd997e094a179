/**
 * What a protocol spec is made from: the program that the run executes, the queue's topology, and how often the
 * environment may do what it does.
 *
 * @module
 */
import { leavesOf, type Program } from "../programs/index.ts"
import { everyRule, type Rules } from "./Rules.ts"

/**
 * How the queue treats the orchestrator messages of a run while a delivery of that run is in flight (COAL-01).
 *
 * - `gated`: they wait.
 * - `coalescing`: they are dropped and recorded on that delivery, which is run again before it is acknowledged.
 * - `unserialized`: they are delivered beside it.
 */
export type Topology = "gated" | "coalescing" | "unserialized"

/**
 * How often something that the environment does may happen: a number of times, or `"unlimited"`. What is absent never
 * happens, and its actions are not part of the spec.
 */
export interface Budgets {
  /** Deliveries that vanish. */
  readonly crashes?: Budget
  /** Leases that lapse while their delivery lives on. */
  readonly lapses?: Budget
  /** Deliveries that fail on an error of a World or queue call, while their process lives on. */
  readonly rejects?: Budget
  /** Calls of `start` after the first one. */
  readonly restarts?: Budget
  /** Calls of `resumeHook` that find their hook. */
  readonly resumes?: Budget
  /** Orchestrator messages sent for no reason. */
  readonly spareWakes?: Budget
  /** Calls of `cancel`. */
  readonly cancels?: Budget
  /** Step bodies that fail in a way that may be tried again. */
  readonly retries?: Budget
  /** Step bodies that fail for good. */
  readonly fatals?: Budget
}

/** A number of times, or without a bound. */
export type Budget = number | "unlimited"

/** The name of a budget. */
export type BudgetName = keyof Budgets

/** A configuration of the protocol spec. */
export interface Config {
  readonly program: Program
  readonly topology: Topology
  /** New steps run inline while fewer than this many inline steps are open (`WORKFLOW_MAX_INLINE_STEPS`). Default 3. */
  readonly maxInlineSteps?: number
  readonly budgets?: Budgets
  readonly rules?: Rules
  /** The most orchestrator deliveries alive at once. Default: one, or two unserialized, and one for each lapse. */
  readonly deliveries?: number
  /**
   * `exact` keeps what a recorded trace shows and no rule of the protocol reads: message ids, counts above two, the
   * attempt, and bodies whose delivery is gone. It makes the state space infinite unless every budget is small. Default
   * `abstract`: a count only says whether it is a message's first delivery.
   */
  readonly detail?: "abstract" | "exact"
  /** Re-runs of one coalescing delivery before it is handed off (COAL-07, COAL-18). Default: without a bound. */
  readonly maxReruns?: number
}

/** A configuration with its defaults filled in, and the finite sets that the spec's families range over. */
export interface Setting {
  readonly program: Program
  readonly topology: Topology
  readonly maxInlineSteps: number
  readonly budgets: Budgets
  readonly rules: Rules
  readonly exact: boolean
  readonly maxReruns: number | "unlimited"
  /** `o1`, `o2`, …: places for orchestrator deliveries. A delivery keeps its place until it ends. */
  readonly deliveries: ReadonlyArray<string>
  /** The ids that the program's calls can have: 1, 2, … */
  readonly entities: ReadonlyArray<number>
  /** The budgets that are in the configuration. */
  readonly budgetNames: ReadonlyArray<BudgetName>
}

/** Fills in the defaults of a configuration. */
export const setting = (config: Config): Setting => {
  const budgets = config.budgets ?? {}
  const lapses = budgets.lapses ?? 0
  const places =
    config.deliveries ?? (config.topology === "unserialized" ? 2 : 1) + (lapses === "unlimited" ? 3 : lapses)
  return {
    program: config.program,
    topology: config.topology,
    maxInlineSteps: config.maxInlineSteps ?? 3,
    budgets,
    rules: config.rules ?? everyRule,
    exact: config.detail === "exact",
    maxReruns: config.maxReruns ?? "unlimited",
    deliveries: Array.from({ length: places }, (_, at) => `o${at + 1}`),
    entities: leavesOf(config.program).map((_, at) => at + 1),
    budgetNames: budgetNames.filter((name) => budgets[name] !== undefined && budgets[name] !== 0)
  }
}

const budgetNames = [
  "crashes",
  "lapses",
  "rejects",
  "restarts",
  "resumes",
  "spareWakes",
  "cancels",
  "retries",
  "fatals"
] as const satisfies ReadonlyArray<BudgetName>
