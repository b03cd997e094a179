/**
 * What a spec of the wake queue is made from: whose queue it is, who wakes the run, and what may go wrong. (HAND-18,
 * HAND-19, NEXT-18)
 *
 * No variables: a configuration is constant in a model.
 *
 * @module
 */
import type { World } from "./Accounting.ts"
import type { WakeQueueRules } from "./Rules.ts"

/** How often the environment may do what it does. What is absent never happens. */
export interface Budgets {
  readonly crashes?: number
  /** Deliveries that stall past their lease, and go on. */
  readonly lapses?: number
  /** Handlers that throw. */
  readonly rejections?: number
  /** Deliveries that must end before their work does: a deadline, a stream that is still being flushed. */
  readonly deadlines?: number
  /** Restarts of a process that keeps its queue in memory. */
  readonly restarts?: number
}

/** The name of a budget. */
export type BudgetName = keyof Budgets

/** A configuration of the wake queue. */
export interface WakeQueueConfig {
  readonly world: World
  readonly topology: "coalescing" | "gated" | "unserialized"
  /**
   * Where a message goes that is handed off: it is the run's next one, or comes behind those that wait (HAND-18, HAND-19).
   * Default: anywhere, which is each of these and more.
   */
  readonly handsOffTo?: "front" | "back" | "anywhere"
  /** The run creates a background step, whose outcome wakes it. */
  readonly step: boolean
  /** Payloads from outside, each of which wakes the run. */
  readonly payloads: ReadonlyArray<string>
  /** Somebody may wake the run again and again, for ever. */
  readonly storm?: boolean
  /** What becomes of a delivery's work. Default `works`. */
  readonly handler?: "works" | "refused" | "hands-off" | "non-finite"
  /** Attempts of a message, past which its delivery fails the run. Default 2. */
  readonly cap?: number
  readonly maxReruns?: number
  /** A delivery that ends early is near its message's expiry, and goes on with a new message. */
  readonly rotates?: boolean
  readonly handoffLimit?: number | "none"
  readonly budgets?: Budgets
  /**
   * Whether `AttemptInv` is asked: that a message's `attempt` is one more than what failed of it. Default true. A model of
   * what the documents leave for later (a delay that forgets attempts, NEXT-18) does not ask it.
   */
  readonly attempts?: boolean
  /** Also asks what becomes of every behaviour. */
  readonly ends?: boolean
  /** Actions that this configuration has no use for. */
  readonly never?: ReadonlyArray<string>
}

/** A configuration with its defaults filled in. */
export interface Setting {
  readonly world: World
  readonly topology: WakeQueueConfig["topology"]
  /** Whether a message that waits out a delay leaves its run's key to others. */
  readonly whileDelayed: "free" | "kept"
  readonly handsOffTo: "front" | "back" | "anywhere"
  readonly step: boolean
  readonly writers: ReadonlyArray<string>
  readonly handler: "works" | "refused" | "hands-off" | "non-finite"
  readonly cap: number
  readonly maxReruns: number
  readonly rotates: boolean
  readonly handoffLimit: number | "none"
  readonly budgets: Budgets
  readonly budgetNames: ReadonlyArray<BudgetName>
  readonly attempts: boolean
  readonly ends: boolean
  readonly rules: WakeQueueRules
  readonly deliveries: ReadonlyArray<string>
  readonly messages: ReadonlyArray<string>
  /** Wakes that may be sent again once they are gone. */
  readonly spares: ReadonlyArray<string>
}

/** The writer of the background step's outcome. */
export const STEP = "step"

const names = ["crashes", "lapses", "rejections", "deadlines", "restarts"] as const satisfies ReadonlyArray<BudgetName>

/** Fills in the defaults of a configuration. */
export const setting = (config: WakeQueueConfig, rules: WakeQueueRules): Setting => {
  const budgets = config.budgets ?? {}
  const budgetNames = names.filter((name) => (budgets[name] ?? 0) > 0)
  const writers = [...(config.step ? [STEP] : []), ...config.payloads]
  const replaced = !rules["no-unkeyed-replacement"] && budgetNames.includes("lapses")
  const continued = (config.rotates === true || !rules["continue-by-handoff"]) && budgetNames.includes("deadlines")
  const overlap =
    config.topology === "unserialized" || budgetNames.includes("lapses") || replaced || !rules["key-is-sent"]
  const spares = config.storm === true ? ["spare1", "spare2"] : []
  return {
    spares,
    world: config.world,
    topology: config.topology,
    whileDelayed: config.topology === "coalescing" && rules["delay-keeps-key"] ? "kept" : "free",
    handsOffTo: config.handsOffTo ?? "anywhere",
    step: config.step,
    writers,
    handler: config.handler ?? "works",
    cap: config.cap ?? 2,
    rotates: config.rotates ?? false,
    maxReruns: config.maxReruns ?? 2,
    handoffLimit: config.handoffLimit ?? (config.world === "postgres" ? "none" : 1),
    budgets,
    budgetNames,
    attempts: config.attempts ?? true,
    ends: config.ends ?? false,
    rules,
    deliveries: overlap || !rules["renew-before-re-run"] ? ["o1", "o2"] : ["o1"],
    messages: [
      "start",
      ...writers,
      ...spares,
      ...(budgetNames.includes("restarts") ? ["recovery"] : []),
      ...(replaced ? ["replacement"] : []),
      ...(continued ? ["continuation"] : [])
    ]
  }
}
