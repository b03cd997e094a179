/**
 * What a model of the slots is made from: who writes, what the run's workflow does, and how often what may go wrong
 * does. (WAKE-10, WAIT-92, FENCE-14, FENCE-46, POST-13, CAC-22, LOG-33)
 *
 * No variables: a configuration is constant in a model.
 *
 * @module
 */
import type { Rules } from "./Rules.ts"

/** What a writer outside the orchestrator wants to append. */
export type Purpose =
  /** The outcome of the background step, by one of the step's invocations. */
  | "outcome"
  /** `run_cancelled`, by a client. */
  | "cancel"
  /** `wait_completed`, by a client who has no business to (WAKE-10, WAIT-92). */
  | "wait"

/** How often something that may go wrong does. What is absent never happens, and its actions are not part of the spec. */
export interface Budgets {
  /** Slots that are sealed although their writer's put is still on its way. */
  readonly stalls?: number
  /** Deliveries whose process dies. A write of theirs that is under way goes on without them. */
  readonly crashes?: number
  /** Writes whose answer never arrives, although the World goes on with them. */
  readonly losses?: number
  /** Writes that the World itself forgets, in whatever state they are. */
  readonly drops?: number
  /** Leases that lapse while their delivery lives on. */
  readonly lapses?: number
  /** In-band writes that are refused by a conflict of rows, before or after their slot was handed out. */
  readonly conflicts?: number
  /** Reports that the World cuts short although it could complete them. */
  readonly cuts?: number
  /** Times that the World forgets the run's counters, after a while in which nobody wrote (FENCE-46). */
  readonly expiries?: number
}

/** The name of a budget. */
export type BudgetName = keyof Budgets

/** A configuration of the slots spec. */
export interface Config {
  /** Places for orchestrator deliveries: the most that are alive at once, a write that outlives its delivery included. */
  readonly deliveries: number
  /** The writers outside the orchestrator, by what they want. */
  readonly outside?: ReadonlyArray<Purpose>
  /**
   * How the workflow's first writes go out. `one-by-one`: each on its own. `creations`: the inline step's start and the
   * background step's creation as one batch. `group`: the creation, the start and the outcome of the inline step as one
   * batch, which only run-ahead sends (POST-13).
   */
  readonly writes: "one-by-one" | "creations" | "group"
  /** Whether the workflow has the background step that its inline step races. */
  readonly background?: boolean
  /** Whether the workflow first creates a hook, whose rows may conflict. */
  readonly hook?: boolean
  /** Whether the decision behind the inline step's outcome is made before the outcome commits (run-ahead, CAC-22). */
  readonly ahead?: boolean
  /** Slots to a page of a load. */
  readonly pageSize: number
  /** Whether somebody else reads the log too: an API client, or a feed. */
  readonly reader?: boolean
  /**
   * What becomes of a terminal run event when another one is committed: `inert`, it commits and changes nothing (LOG-33);
   * `conflict`, it is refused after its slot was handed out (FENCE-14).
   */
  readonly secondEnd?: "inert" | "conflict"
  readonly budgets?: Budgets
  readonly rules: Rules
}

/** A configuration with its defaults filled in, and the sets that the spec's families range over. */
export interface Setting {
  readonly rules: Rules
  readonly writes: Config["writes"]
  readonly background: boolean
  readonly hook: boolean
  readonly ahead: boolean
  readonly pageSize: number
  readonly reader: boolean
  readonly secondEnd: "inert" | "conflict"
  /** `o1`, `o2`, …: places for orchestrator deliveries. */
  readonly deliveries: ReadonlyArray<string>
  /** `x1`, `x2`, …: the writers outside the orchestrator. */
  readonly outside: ReadonlyArray<string>
  readonly purposes: { readonly [writer: string]: Purpose }
  /** Everybody who writes. */
  readonly writers: ReadonlyArray<string>
  readonly budgets: Budgets
  readonly budgetNames: ReadonlyArray<BudgetName>
}

/** Every budget. */
export const BUDGETS = ["stalls", "crashes", "losses", "drops", "lapses", "conflicts", "cuts", "expiries"] as const

/** Fills in the defaults of a configuration. */
export const setting = (config: Config): Setting => {
  const purposes = config.outside ?? []
  const deliveries = Array.from({ length: config.deliveries }, (_, at) => `o${at + 1}`)
  const outside = purposes.map((_, at) => `x${at + 1}`)
  const budgets = config.budgets ?? {}
  return {
    rules: config.rules,
    writes: config.writes,
    background: config.background ?? false,
    hook: config.hook ?? false,
    ahead: config.ahead ?? false,
    pageSize: config.pageSize,
    reader: config.reader ?? false,
    secondEnd: config.secondEnd ?? "inert",
    deliveries,
    outside,
    purposes: Object.fromEntries(outside.map((writer, at) => [writer, purposes[at] ?? "outcome"])),
    writers: [...deliveries, ...outside],
    budgets,
    budgetNames: BUDGETS.filter((name) => (budgets[name] ?? 0) > 0)
  }
}
