/**
 * What a run-ahead spec is made from: the program, who else may write to its run, and what may go wrong.
 *
 * No variables: a configuration is constant in a model.
 *
 * @module
 */
import { leavesOf, type Program } from "../../programs/index.ts"
import type { Rules } from "./Rules.ts"

/** How often the environment may do what it does. What is absent never happens. */
export interface Budgets {
  /** Payloads for hooks that the run has created, awaited or not. */
  readonly payloads?: number
  /** Payloads for a hook that nobody ever awaits. */
  readonly unread?: number
  readonly cancels?: number
  /** Second deliveries of a background step, that write its outcome once more. */
  readonly strays?: number
  /** Completions of a wait by somebody else than the orchestrator (`run.wakeUp()` with a write of its own). */
  readonly wakeUps?: number
  /** Starts in a speculative group that the World refuses for a reason that passes, as a throttle does. */
  readonly throttles?: number
  /** Deliveries that vanish. */
  readonly crashes?: number
  /** Leases that lapse while their delivery lives on. */
  readonly lapses?: number
  /** Retained VMs that come to hold something else than the log. */
  readonly slips?: number
}

/** The name of a budget. */
export type BudgetName = keyof Budgets

/** A configuration of the run-ahead spec. */
export interface Config {
  readonly program: Program
  /** New steps run inline while fewer than this many are open, and elsewhere beyond. Default 3, which nothing exceeds. */
  readonly maxInlineSteps?: number
  /** `WORKFLOW_RUN_AHEAD_DEPTH`. Default 2; 0 turns run-ahead off. */
  readonly depth?: number
  /**
   * What the depth bounds: unconfirmed outcomes alone, as the settings say, or starts as well, as the drawing of the
   * boundary may be read. Default `starts-too`: only with it a stop re-runs no more bodies than the depth.
   */
  readonly depthCounts?: "outcomes" | "starts-too"
  /** Ids of hook calls that are hooks created when the run starts, and awaited where the program has the call. */
  readonly earlyHooks?: ReadonlyArray<number>
  /** Whether a wait can come due while a delivery of the run lives. Default true. */
  readonly waitsComeDue?: boolean
  /** Whether the World stores a write at the time it was sent with. Default true. */
  readonly keepsTime?: boolean
  /** A fault of the classification: it does not see steps that run elsewhere. */
  readonly missesElsewhere?: boolean
  /** A rule that the protocol lists as a follow-up: a speculative creation shares no group with the outcome below it. */
  readonly separateCreations?: boolean
  readonly budgets?: Budgets
  /** Places for deliveries: 2 where a lapsed one may live on. Default 1, or 2 with lapses. */
  readonly deliveries?: number
  /** Whether some boundary of the program is inert while outcomes are unconfirmed. Default true. */
  readonly runsAhead?: boolean
  /** Promise that the run ends, of a program that no client has to go on with. */
  readonly ends?: boolean
}

/** A configuration with its defaults filled in. */
export interface Setting {
  readonly program: Program
  readonly maxInlineSteps: number
  readonly depth: number
  readonly countsStarts: boolean
  readonly earlyHooks: ReadonlyArray<number>
  /** The ids of the program's sleeps, which have to be those of their places in its text. */
  readonly waits: ReadonlyArray<number>
  readonly waitsComeDue: boolean
  readonly keepsTime: boolean
  readonly missesElsewhere: boolean
  readonly separateCreations: boolean
  readonly budgets: Budgets
  readonly budgetNames: ReadonlyArray<BudgetName>
  readonly rules: Rules
  /** `o1`, `o2`: places for deliveries. */
  readonly deliveries: ReadonlyArray<string>
  /** The ids that the program's calls can have. */
  readonly entities: ReadonlyArray<number>
  readonly runsAhead: boolean
  /** Whether anything can stop a delivery that runs ahead, with every rule on. */
  readonly canStop: boolean
  readonly ends: boolean
}

/** Fills in the defaults of a configuration. */
export const setting = (config: Config, rules: Rules): Setting => {
  const budgets = config.budgets ?? {}
  const places = config.deliveries ?? 1 + (budgets.lapses ?? 0)
  return {
    program: config.program,
    maxInlineSteps: config.maxInlineSteps ?? 3,
    depth: config.depth ?? 2,
    countsStarts: config.depthCounts !== "outcomes",
    earlyHooks: config.earlyHooks ?? [],
    waits: leavesOf(config.program).flatMap((leaf, at) => (leaf._tag === "Sleep" ? [at + 1] : [])),
    waitsComeDue: config.waitsComeDue ?? true,
    keepsTime: config.keepsTime ?? true,
    missesElsewhere: config.missesElsewhere ?? false,
    separateCreations: config.separateCreations ?? false,
    budgets,
    budgetNames: names.filter((name) => (budgets[name] ?? 0) > 0),
    rules,
    deliveries: Array.from({ length: places }, (_, at) => `o${at + 1}`),
    entities: leavesOf(config.program).map((_, at) => at + 1),
    runsAhead: config.runsAhead ?? true,
    canStop:
      config.keepsTime === false ||
      config.missesElsewhere === true ||
      (budgets.throttles ?? 0) + (budgets.cancels ?? 0) > 0,
    ends: config.ends ?? false
  }
}

const names = [
  "payloads",
  "unread",
  "cancels",
  "strays",
  "wakeUps",
  "throttles",
  "crashes",
  "lapses",
  "slips"
] as const satisfies ReadonlyArray<BudgetName>
