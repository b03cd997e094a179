/**
 * What a turbo spec is made from: the program, the queue's topology, and what may happen to a run's messages.
 *
 * No variables: a configuration is constant in a model.
 *
 * @module
 */
import { leavesOf, type Program } from "../../programs/index.ts"
import type { Rules } from "./Rules.ts"

/** How often the environment may do what it does. What is absent never happens. */
export interface Budgets {
  /** Calls of `start` whose `run_created` never lands. */
  readonly lostCreations?: number
  readonly crashes?: number
  readonly lapses?: number
  readonly cancels?: number
  /** Starts of steps that the World refuses for a reason that passes. */
  readonly throttles?: number
  readonly payloads?: number
  /** Resumes whose payload is on the message alone (`hookInput`). */
  readonly legacyResumes?: number
  readonly spareWakes?: number
  /** Wakes that may come before the start message does. */
  readonly earlyWakes?: number
  /** Start messages that are sent once more. */
  readonly secondStarts?: number
  /** Messages that come near their expiry. */
  readonly ages?: number
  /** Messages that expire. Only one that was handed off near its expiry can. */
  readonly expiries?: number
  /** Moves of a delivery's clock: into the margin of its inline deadline, and past the deadline. */
  readonly ticks?: number
  /** Attributes that a body sets. */
  readonly attributes?: number
}

/** The name of a budget. */
export type BudgetName = keyof Budgets

/** A configuration of the turbo spec. */
export interface Config {
  readonly program: Program
  readonly topology: "gated" | "coalescing" | "unserialized"
  /** New steps run inline while fewer than this many are open. Default 3. */
  readonly maxInlineSteps?: number
  readonly budgets?: Budgets
  /** `WORKFLOW_TURBO`. Default true. */
  readonly turbo?: boolean
  /** Re-runs of a coalescing delivery before the queue hands it off. Default 1. */
  readonly maxReruns?: number
  /** Leave out what comes after so many events: deliveries that are not serialized may refuse each other without end. */
  readonly maxLog?: number
  readonly ends?: boolean
}

/** A configuration with its defaults filled in. */
export interface Setting {
  readonly program: Program
  readonly topology: Config["topology"]
  readonly maxInlineSteps: number
  readonly budgets: Budgets
  readonly budgetNames: ReadonlyArray<BudgetName>
  readonly turbo: boolean
  readonly maxReruns: number
  readonly rules: Rules
  readonly deliveries: ReadonlyArray<string>
  readonly entities: ReadonlyArray<number>
  readonly hasSteps: boolean
  readonly maxLog: number | "unlimited"
  /** Whether a step may run in the background. */
  readonly background: boolean
  readonly ends: boolean
  /** Bodies of one step are counted up to this many: one more than any property allows. */
  readonly mostCounted: number
}

/** Fills in the defaults of a configuration. */
export const setting = (config: Config, rules: Rules): Setting => {
  const budgets = config.budgets ?? {}
  const budgetNames = names.filter((name) => (budgets[name] ?? 0) > 0)
  const hasSteps = leavesOf(config.program).some((leaf) => leaf._tag === "Step")
  const places = config.topology === "unserialized" || budgetNames.includes("lapses") ? 2 : 1
  const turbo = config.turbo ?? true
  const background =
    hasSteps && (config.maxInlineSteps !== undefined || (budgetNames.includes("ticks") && rules["inline-start-margin"]))
  const { crashes = 0, throttles = 0, lapses = 0 } = budgets
  return {
    program: config.program,
    topology: config.topology,
    maxInlineSteps: config.maxInlineSteps ?? 3,
    budgets,
    budgetNames,
    turbo,
    maxReruns: config.maxReruns ?? 1,
    rules,
    deliveries: Array.from({ length: places }, (_, at) => `o${at + 1}`),
    entities: leavesOf(config.program).map((_, at) => at + 1),
    hasSteps,
    background,
    maxLog: config.maxLog ?? "unlimited",
    ends: config.ends ?? false,
    mostCounted:
      config.topology === "unserialized"
        ? 2
        : 1 + bodiesAllowed({ budgetNames, background, turbo }, { crashes, throttles, lapses })
  }
}

/** What leaves a run with the one message that it began with, on its first delivery, until that delivery's lease lapses. */
const LEAVES_FIRST: ReadonlyArray<BudgetName> = ["lapses", "lostCreations", "attributes"]

/**
 * How often the body of one step may begin where deliveries are serialized, after so many faults.
 *
 * - Once without a fault, and once more for each crash and each refused start: they cost the delivery that runs the body.
 * - Twice more for each lapsed lease. The delivery that lives on without its lease (L) begins the body. The next holder (H)
 *   begins it as well; then a write of L moves the count, H is refused, and H's redelivery begins it a third time. There L
 *   ends: the start that the redelivery commits before its body moves the count, and refuses L.
 * - Once more, not twice, for the lapse of turbo's own delivery before it read anything: it takes the count to be the
 *   creation's, and so refuses nobody. That is the case when the lapse is the run's first fault, and nothing but a fault
 *   brings a delivery that reads the log.
 */
export const bodiesAllowed = (
  { budgetNames, background, turbo }: Pick<Setting, "budgetNames" | "background" | "turbo">,
  faults: Pick<Required<Budgets>, "crashes" | "throttles" | "lapses">
): number => {
  const { crashes, throttles, lapses } = faults
  const isTurbosLapse = turbo && !background && budgetNames.every((name) => LEAVES_FIRST.includes(name))
  return 1 + crashes + throttles + 2 * lapses - (isTurbosLapse && lapses > 0 ? 1 : 0)
}

const names = [
  "lostCreations",
  "crashes",
  "lapses",
  "cancels",
  "throttles",
  "payloads",
  "legacyResumes",
  "spareWakes",
  "earlyWakes",
  "secondStarts",
  "ages",
  "expiries",
  "ticks",
  "attributes"
] as const satisfies ReadonlyArray<BudgetName>
