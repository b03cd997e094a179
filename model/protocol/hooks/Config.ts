/**
 * What a model of hooks is made from: the runs' workflows, who resumes, the World's rules of delivery, and what may go
 * wrong. (HOOK-07, HOOK-08, HOOK-10, HOOK-11, HOOK-12, HOOK-25, HOOK-27, HOOK-29, HOOK-31, HOOK-32, HOOK-33, HOOK-34,
 * HOOK-39, HOOK-44, HOOK-46)
 *
 * No variables: a configuration is constant in a model.
 *
 * @module
 */
import { Schema } from "effect"
import type { Rules } from "./Rules.ts"

/** The runs that there may be. All of them use the same token. */
export const Run = Schema.Literals(["a", "b"])

/** A run. */
export type Run = typeof Run.Type

/**
 * One operation of a workflow. A hook is the one that the workflow created last.
 *
 * - `create`, `claim`, `retain`: makes a hook on the token; `claim` takes it from another run (`experimental_force`,
 *   HOOK-29), and `retain` keeps it beyond the run's end for a while (`tokenRetentionUntil`, HOOK-39).
 * - `await`: takes the hook's next payload, and throws when there will be none (HOOK-25, HOOK-31).
 * - `conflict`: waits until it is known whether the hook's token was another run's, and ends the workflow if so
 *   (`getConflict`, HOOK-25).
 * - `dispose`: gives the hook up.
 * - `step`: calls the workflow's one step, and goes on; `join`: waits for its outcome.
 * - `rest`: waits for something that is neither, and does not come.
 * - `catch`: what an operation before it throws goes on here; otherwise the workflow fails.
 */
export type Operation =
  | "create"
  | "claim"
  | "retain"
  | "await"
  | "conflict"
  | "dispose"
  | "step"
  | "join"
  | "rest"
  | "catch"

/**
 * How often something that may go wrong does. What is absent never happens, and its actions are not part of the spec.
 */
export interface Budgets {
  /** Deliveries that die; their messages are delivered again. */
  readonly crashes?: number
  /** Runs that are cancelled from outside. */
  readonly cancels?: number
  /** Payloads that callers bring: each caller brings one. */
  readonly resumes?: number
  /** Payloads that the World does not take, for a reason that passes (HOOK-44). */
  readonly conflicts?: number
  /** Wakes that cannot be sent in spite of all attempts (HOOK-07, HOOK-08). */
  readonly wakeFailures?: number
  /** Wakes that are sent, and whose sender is not told so (HOOK-46). */
  readonly lostAnswers?: number
  /** Deliveries whose writes bring back none of the events that they cause (HOOK-27). */
  readonly blindDeliveries?: number
  /** A day passes since every creation so far (HOOK-32, HOOK-33). */
  readonly days?: number
}

/** The name of a budget. */
export type BudgetName = keyof Budgets

/** A configuration of the hooks spec. */
export interface Config {
  readonly workflows: { readonly [run in Run]: ReadonlyArray<Operation> }
  /** What a wake does that finds a delivery of its run: it waits behind it, or is told to it (HOOK-10, HOOK-11, HOOK-12). */
  readonly topology: "gated" | "coalescing"
  /** What a delivery does with a conflict that it was answered, of the readings in `docs/findings.md` (HOOK-27). */
  readonly afterConflict?: "continues-once" | "hands-off" | "continues"
  /** For how long a victim's wake is sent again by replays of its claimer (HOOK-32, HOOK-33). */
  readonly repay?: "a-day" | "always"
  readonly budgets?: Budgets
  readonly rules: Rules
}

/** A configuration with its defaults filled in. */
export interface Setting extends Required<Config> {
  readonly runs: ReadonlyArray<Run>
  readonly callers: ReadonlyArray<"p" | "q">
  readonly budgetNames: ReadonlyArray<BudgetName>
}

/** Who may resume. */
export const CALLERS = ["p", "q"] as const

/** Every budget. */
export const BUDGETS = [
  "crashes",
  "cancels",
  "resumes",
  "conflicts",
  "wakeFailures",
  "lostAnswers",
  "blindDeliveries",
  "days"
] as const satisfies ReadonlyArray<BudgetName>

/** How often a resume follows a token to its next owner (`MAX_FORCE_CLAIM_REDIRECTS`, HOOK-34). */
export const MAX_REDIRECTS = 3

/** Fills in the defaults of a configuration. */
export const setting = (config: Config): Setting => {
  const budgets = config.budgets ?? {}
  return {
    workflows: config.workflows,
    topology: config.topology,
    afterConflict: config.afterConflict ?? "continues-once",
    repay: config.repay ?? "a-day",
    budgets,
    rules: config.rules,
    runs: ["a", "b"],
    callers: CALLERS.slice(0, budgets.resumes ?? 0),
    budgetNames: BUDGETS.filter((name) => (budgets[name] ?? 0) > 0)
  }
}
