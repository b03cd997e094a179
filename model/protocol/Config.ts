/**
 * What a protocol spec is made from: the program that the run executes, the queue's topology, and how often the
 * environment may do what it does. (COAL-01, COAL-07, COAL-18, WAIT-30, WAIT-34, WAIT-104, STEP-74, CAC-03, POST-14)
 *
 * No variables: a configuration is constant in a model.
 *
 * @module
 */
import { leavesOf, type Program, sleeps } from "../programs/index.ts"
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
  /** Timers that are delivered before they are due: the clock of the host is behind that of the queue. */
  readonly earlies?: Budget
  /** Calls of `run.wakeUp()` that find an open wait. */
  readonly wakeUps?: Budget
  /** Inline starts that the World refuses for load: they may be made later. */
  readonly throttles?: Budget
  /** Messages that are handed off near their expiry, and go on as new ones. */
  readonly rotations?: Budget
  /** Deliveries that stop between two passes, and let the run go on in the next delivery of their message. */
  readonly handoffs?: Budget
}

/** A number of times, or without a bound. */
export type Budget = number | "unlimited"

/** The name of a budget. */
export type BudgetName = keyof Budgets

/**
 * How long the queue remembers the key of a timer, and drops what else is sent under it (WAIT-104): for longer than any
 * run here lasts, acknowledged or not; or while the first message lives.
 */
export type TimerKeys = "remembered" | "while-alive"

/**
 * Seconds of a clock whose ticks are shorter: how many ticks one has, and when those began that a timer's key may hold, in
 * their order (WAIT-34). The others need no name.
 */
export interface Seconds {
  readonly ticks: number
  readonly begins: ReadonlyArray<number>
}

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
   * attempt, bodies whose delivery is gone, messages without their input (STEP-74) and reports that were cut short
   * (CAC-03). It makes the state space infinite unless every budget is small. Default
   * `abstract`: a count only says whether it is a message's first delivery.
   */
  readonly detail?: "abstract" | "exact"
  /**
   * How the log says that an inline step exists: by its first `step_started` alone, which carries what creates it; or, as
   * some passages have it, by a `step_created` of its own before that. Default `by-start`.
   */
  readonly inlineCreation?: "by-start" | "apart"
  /**
   * The most creations of steps and sleeps that one write makes (POST-14). Default 1. In exact detail a write may make
   * fewer than it could: a World without batches takes one event at a time, and a batch has a limit in bytes too.
   */
  readonly maxBatch?: number
  /** Re-runs of one coalescing delivery before it is handed off (COAL-07, COAL-18). Default: without a bound. */
  readonly maxReruns?: number
  /** Default: `remembered` where the queue coalesces, `while-alive` elsewhere. */
  readonly timerKeys?: TimerKeys
  /**
   * By how many ticks a timer may be early. Default 1. What an early timer arms again is found only if it is near due then:
   * recovery assumes `skewTicks` of at most `nearDueTicks`.
   */
  readonly skewTicks?: number
  /** A wait that is over in so many ticks is near due (WAIT-30). Default 1. */
  readonly nearDueTicks?: number
  /** A wait that is further away than so many ticks is reached in hops of that many. Default: every timer goes all the way. */
  readonly hopTicks?: number
  /** Default: a tick is a second. */
  readonly seconds?: Seconds
  /** Counts the timers of each wait that the queue took, for what the protocol says of their number. Default: no. */
  readonly countsTimers?: boolean
  /** Asks of every state that somebody sees to what is owed (see `Obligations.ts`). Default: where every rule is on. */
  readonly obligations?: boolean
  /** Asks for progress too: properties of whole behaviours (see `Progress.ts`). Default: no. */
  readonly progress?: boolean
}

/** A configuration with its defaults filled in, and the finite sets that the spec's families range over. */
export interface Setting {
  readonly program: Program
  readonly topology: Topology
  readonly maxInlineSteps: number
  readonly budgets: Budgets
  readonly rules: Rules
  readonly exact: boolean
  readonly inlineCreation: "by-start" | "apart"
  readonly maxBatch: number
  readonly maxReruns: number | "unlimited"
  readonly timerKeys: TimerKeys
  readonly skewTicks: number
  readonly nearDueTicks: number
  readonly hopTicks: number | "unlimited"
  readonly seconds: Seconds | "ticks"
  readonly countsTimers: boolean
  readonly obligations: boolean
  readonly progress: boolean
  /** `o1`, `o2`, …: places for orchestrator deliveries. A delivery keeps its place until it ends. */
  readonly deliveries: ReadonlyArray<string>
  /** The ids that the program's calls can have: 1, 2, … */
  readonly entities: ReadonlyArray<number>
  /** The budgets that are in the configuration: what can happen at all. */
  readonly budgetNames: ReadonlyArray<BudgetName>
  readonly can: Possibilities
}

/**
 * What can happen at all in a setting. The actions of what cannot are left out of the spec, so that an action that never
 * happens is a mistake.
 */
export interface Possibilities {
  /** A step may run inline. */
  readonly inline: boolean
  /** A step may run in the background. */
  readonly background: boolean
  /** An orchestrator message may be delivered more than once, or its delivery run again. */
  readonly redeliver: boolean
  /** A step's message may be sent again. */
  readonly resend: boolean
  /** Two orchestrator deliveries may be alive at once. */
  readonly overlap: boolean
  /** The run may end while a step of it runs in the background. */
  readonly endEarly: boolean
  /** The program may sleep. */
  readonly wait: boolean
  /** It may sleep for longer than a timer goes. */
  readonly hop: boolean
  /** One write may create several steps and sleeps. */
  readonly batch: boolean
}

/** Fills in the defaults of a configuration. */
export const setting = (config: Config): Setting => {
  const budgets = config.budgets ?? {}
  const rules = config.rules ?? everyRule
  const lapses = budgets.lapses ?? 0
  const names = budgetNames.filter((name) => budgets[name] !== undefined && budgets[name] !== 0)
  const overlap = config.topology === "unserialized" || names.includes("lapses")
  const redeliver =
    overlap ||
    names.includes("crashes") ||
    names.includes("rejects") ||
    names.includes("throttles") ||
    names.includes("handoffs") ||
    config.topology === "coalescing"
  // What may wake the run while a background step waits for its start.
  const wakes =
    leavesOf(config.program).length > 1 ||
    (["resumes", "spareWakes", "restarts", "cancels"] as const).some((name) => names.includes(name))
  const maxInlineSteps = config.maxInlineSteps ?? 3
  const maxBatch = config.maxBatch ?? 1
  const places =
    config.deliveries ?? (config.topology === "unserialized" ? 2 : 1) + (lapses === "unlimited" ? 3 : lapses)
  return {
    program: config.program,
    topology: config.topology,
    maxInlineSteps,
    budgets,
    rules,
    exact: config.detail === "exact",
    inlineCreation: config.inlineCreation ?? "by-start",
    maxBatch,
    maxReruns: config.maxReruns ?? "unlimited",
    timerKeys: config.timerKeys ?? (config.topology === "coalescing" ? "remembered" : "while-alive"),
    skewTicks: config.skewTicks ?? 1,
    nearDueTicks: config.nearDueTicks ?? 1,
    hopTicks: config.hopTicks ?? "unlimited",
    seconds: config.seconds ?? "ticks",
    countsTimers: config.countsTimers ?? false,
    obligations: config.obligations ?? Object.values(rules).every((isOn) => isOn),
    progress: config.progress ?? false,
    deliveries: Array.from({ length: places }, (_, at) => `o${at + 1}`),
    entities: leavesOf(config.program).map((_, at) => at + 1),
    budgetNames: names,
    can: {
      inline: maxInlineSteps > 0 && stepsAtOnce(config.program) > 0,
      background: names.includes("retries") || stepsAtOnce(config.program) > maxInlineSteps,
      redeliver,
      resend: redeliver || (rules["first-delivery-re-sends"] && wakes),
      overlap,
      endEarly: names.includes("cancels") || losesBranches(config.program, names.includes("fatals")),
      wait: sleeps(config.program),
      batch: maxBatch > 1 && callsAtOnce(config.program) > 1,
      hop: leavesOf(config.program).some(
        (leaf) => leaf._tag === "Sleep" && config.hopTicks !== undefined && leaf.ticks > config.hopTicks
      )
    }
  }
}

/** The most steps that a program may have open at once, or more: branches that nobody awaits any longer go on. */
const stepsAtOnce = (program: Program): number => openAtOnce(program, 0)

/** The most steps and sleeps that a program may have open at once, or more. */
const callsAtOnce = (program: Program): number => openAtOnce(program, 1)

/** What a program may have open at once, each of its sleeps counting for so much. */
const openAtOnce = (program: Program, sleep: number): number => {
  if (program._tag === "Step") return 1
  if (program._tag === "Hook") return 0
  if (program._tag === "Sleep") return sleep
  const parts = program.parts.map((part) => openAtOnce(part, sleep))
  return program._tag === "Seq" && !losesBranches(program, true) ? Math.max(...parts) : parts.reduce((a, b) => a + b, 0)
}

/** Whether a part of the program may go on after the program, or the part that holds it, has settled. */
const losesBranches = (program: Program, stepsFail: boolean): boolean => {
  if (program._tag === "Step" || program._tag === "Hook" || program._tag === "Sleep") return false
  if (program._tag === "Race" || (program._tag === "All" && stepsFail)) return program.parts.length > 1
  return program.parts.some((part) => losesBranches(part, stepsFail))
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
  "fatals",
  "earlies",
  "wakeUps",
  "throttles",
  "rotations",
  "handoffs"
] as const satisfies ReadonlyArray<BudgetName>
