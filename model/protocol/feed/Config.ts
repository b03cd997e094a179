/**
 * What a model of the live feed is made from: the World's feed, the client's polls, the run, and what may go wrong.
 * (WORLD-56, FEED-04, FEED-09, FEED-11, FEED-13, FEED-29, FEED-30, FEED-31, FEED-32, FEED-36, FEED-37, FEED-39,
 * FEED-41, FEED-42, FEED-44, FEED-45, FEED-46, FEED-47, FEED-48, FEED-51, SET-17, SET-22, SET-30, FENCE-53, NEXT-03,
 * NEXT-22)
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
  /** Pushes that are lost on their way, with nothing said (WORLD-56). */
  readonly losses?: number
  /** Pushes that arrive before an earlier one (FEED-37). */
  readonly reorders?: number
  /** Subscriptions of another delivery that take this one's place, from the log's end on (FEED-09, FEED-48). */
  readonly replacements?: number
  /** Feeds that stop pushing while the client sees them as live (FEED-44, FEED-45, FEED-46, FEED-47). */
  readonly silences?: number
  /** Feeds that end and say so (FEED-13, FEED-51). */
  readonly ends?: number
  /** Polls that fail (FEED-42). */
  readonly failures?: number
  /** Polls that never return (FEED-29). */
  readonly hangs?: number
  /** Deliveries that die. */
  readonly crashes?: number
}

/** The name of a budget. */
export type BudgetName = keyof Budgets

/**
 * What the client's tail poll does (FEED-32, SET-17, SET-22).
 *
 * - `on`: as its settings are by default.
 * - `off`, `until-trouble`, `busy`: three readings of `WORKFLOW_ORCHESTRATOR_POLL_INTERVAL_MS=0`. There are no polls;
 *   there are those at the live interval, until trouble sets the interval to 0; there are polls without a pause.
 */
export type Polls = "on" | "off" | "until-trouble" | "busy"

/** A configuration of the feed spec. */
export interface Config {
  /** Events that writers outside the orchestrator commit, all of which the run waits for. */
  readonly events: number
  /** Whether the World pushes (`events.subscribe`, FEED-04, FEED-41). */
  readonly push: boolean
  readonly polls?: Polls
  /**
   * The inline body of the run: it ends by itself, or once the workflow has seen an event (FENCE-53). Default: it is
   * over.
   */
  readonly body?: "ends" | "awaits"
  /** Whether sealed slots stand between the events (FEED-11). */
  readonly noops?: boolean
  /** A pushed event above a gap is held until the gap fills, or dropped (FEED-36, FEED-37). */
  readonly gap?: "held" | "dropped"
  /** After trouble, a clean poll doubles the interval, or sets it to the live one (FEED-30, FEED-39). */
  readonly afterTrouble?: "doubles" | "jumps"
  /** Whether polls on a World that does not push back off while they find nothing (NEXT-03). */
  readonly backOff?: boolean
  /**
   * Whether the World's feed sends heartbeats and the client watches for them, in place of the live poll (NEXT-22).
   */
  readonly heartbeat?: boolean
  /** Ticks that a delivery lingers after each pass; 0: it does not (SET-30). */
  readonly lingerTicks?: number
  /** Ticks that the run sleeps beside all that; 0: it does not. */
  readonly waitTicks?: number
  /** Ticks from the delivery's start to its inline deadline; without it there is none. */
  readonly deadlineTicks?: number
  readonly budgets?: Budgets
  readonly rules: Rules
}

/** A configuration with its defaults filled in. */
export interface Setting extends Required<Omit<Config, "body" | "deadlineTicks">> {
  readonly body: "over" | "ends" | "awaits"
  readonly deadlineTicks: number | "none"
  readonly budgetNames: ReadonlyArray<BudgetName>
}

/**
 * The polls' intervals and the margin in ticks: the 2 s, 10 s and 20 s of the documents, and 2 s of a minute
 * (FEED-30, FEED-31).
 */
export const TICKS = { short: 1, live: 4, cap: 8, beat: 2, margin: 1 } as const

/** Every budget. */
export const BUDGETS = [
  "losses",
  "reorders",
  "replacements",
  "silences",
  "ends",
  "failures",
  "hangs",
  "crashes"
] as const satisfies ReadonlyArray<BudgetName>

/** Fills in the defaults of a configuration. */
export const setting = (config: Config): Setting => {
  const budgets = config.budgets ?? {}
  return {
    events: config.events,
    push: config.push,
    polls: config.polls ?? "on",
    body: config.body ?? "over",
    noops: config.noops ?? false,
    gap: config.gap ?? "held",
    afterTrouble: config.afterTrouble ?? "doubles",
    backOff: config.backOff ?? false,
    heartbeat: config.heartbeat ?? false,
    lingerTicks: config.lingerTicks ?? 0,
    waitTicks: config.waitTicks ?? 0,
    deadlineTicks: config.deadlineTicks ?? "none",
    budgets,
    rules: config.rules,
    budgetNames: BUDGETS.filter((name) => (budgets[name] ?? 0) > 0)
  }
}
