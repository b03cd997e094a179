/**
 * What a rotation spec is made from: the run's program, the message that it begins with, and what may happen to it.
 * Times are in quarters of an hour, which is the longest time by which a redelivery is delayed. (HAND-04, HAND-08,
 * ROT-01, QUEUE-02, QUEUE-43, WAIT-22)
 *
 * No variables: a configuration is constant in a model.
 *
 * @module
 */
import type { Rules } from "./Rules.ts"

/** For how long a queue keeps an orchestrator message, from its first send: 24 hours (HAND-08). */
export const RETENTION = 96

/** How long before its message's expiry a delivery that is to go on continues on a new one: 4 hours (ROT-01). */
export const EXPIRY_MARGIN = 16

/** How many handoffs before the queue's bound it does (ROT-01). */
export const HANDOFF_MARGIN = 100

/** The longest delay of a message, a timer's that is: 23 hours (`VERCEL_QUEUE_MAX_DELAY_SECONDS`). */
export const LONGEST_DELAY = 92

/** The longest delay of a redelivery: 900 seconds (QUEUE-02). */
export const LONGEST_REDELIVERY = 1

/** Attempts of a message, past which its run is failed (`WORKFLOW_MAX_QUEUE_DELIVERIES`, QUEUE-43). */
export const DELIVERY_CAP = 48

/** An operation of the program, which runs them one after the other: an inline step, a sleep, or a hook's payload. */
export type Operation = "step" | "sleep" | "hook"

/** How often the environment may do what it does. What is absent never happens. */
export interface Budgets {
  /** Deliveries that run into the deadline of their invocation before a pass, the first one included (HAND-04). */
  readonly deadlines?: number
  /** Steps whose start the World refuses for now, for as long as a redelivery is delayed at most. */
  readonly throttles?: number
  readonly crashes?: number
  /** Calls of `run.wakeUp()`. */
  readonly wakeUps?: number
  /** Payloads that come on a message (`hookInput`). */
  readonly payloads?: number
  /** Wakes that nothing is owed to. */
  readonly spareWakes?: number
}

/** The name of a budget. */
export type BudgetName = keyof Budgets

/** A configuration of the rotation spec. */
export interface Config {
  readonly program: ReadonlyArray<Operation>
  /** What a message does that is due while another one holds the run's key. Default: it is coalesced. */
  readonly topology?: "coalescing" | "gated"
  /** How long the run's first message is still kept. Default: it was just sent. */
  readonly left?: number
  /** How many handoffs of a message the queue takes. Default: so many that none of these models gets near. */
  readonly handoffLimit?: number
  /** How many of them the run's first message has used up. Default 0. */
  readonly handoffs?: number
  readonly handoffMargin?: number
  readonly cap?: number
  /** How long the program's sleeps are. Default: a quarter of an hour. */
  readonly sleep?: number
  /** The longest delay that this World's queue takes. */
  readonly longestDelay?: number
  /** When a delivery sends the timer of a wait that it creates: before the creation (WAIT-22), or as it suspends. */
  readonly arms?: "before-creation" | "as-it-suspends"
  /** The World refuses every start. */
  readonly alwaysThrottled?: boolean
  readonly budgets?: Budgets
}

/** A configuration with its defaults filled in. */
export interface Setting extends Required<Config> {
  readonly rules: Rules
  readonly budgetNames: ReadonlyArray<BudgetName>
  /** The places for deliveries: a message that is not known to be of a spec 9 run is delivered beside the run's holder. */
  readonly deliveries: ReadonlyArray<string>
}

/** Every budget. */
export const BUDGETS = [
  "deadlines",
  "throttles",
  "crashes",
  "wakeUps",
  "payloads",
  "spareWakes"
] as const satisfies ReadonlyArray<BudgetName>

/** Fills in the defaults of a configuration. */
export const setting = (config: Config, rules: Rules): Setting => {
  const budgets = config.budgets ?? {}
  return {
    program: config.program,
    topology: config.topology ?? "coalescing",
    left: config.left ?? RETENTION,
    handoffLimit: config.handoffLimit ?? 10 * HANDOFF_MARGIN,
    handoffs: config.handoffs ?? 0,
    handoffMargin: config.handoffMargin ?? HANDOFF_MARGIN,
    cap: config.cap ?? DELIVERY_CAP,
    sleep: config.sleep ?? 1,
    longestDelay: config.longestDelay ?? LONGEST_DELAY,
    arms: config.arms ?? "before-creation",
    alwaysThrottled: config.alwaysThrottled ?? false,
    budgets,
    budgetNames: BUDGETS.filter((name) => (budgets[name] ?? 0) > 0),
    rules,
    deliveries: rules["continuation-is-stamped"] ? ["o1"] : ["o1", "o2"]
  }
}
