/**
 * What a spec 8 model is made from: the run's program, how the World hands out positions, what it guards, and what goes
 * wrong how often. (SIM-31, SIM-46, SIM-50, SIM-52, SIM-58, SIM-61, SIM-65, SIM-66, SIM-71, SIM-127, SIM-129, SIM-130,
 * DEC-04, DEC-05)
 *
 * No variables: a configuration is constant in a model.
 *
 * @module
 */
import { leavesOf, type Program } from "../../programs/index.ts"
import type { Spec8Rules } from "./Rules.ts"

/** A configuration of the spec 8 model (DEC-04, SIM-71). */
export interface Spec8Config {
  readonly program: Program
  /** How many orchestrator deliveries of the run may be under way at once (DEC-05). */
  readonly deliveries: number
  /**
   * When an outside event takes its position: `minted` when its request is accepted, before it is stored; `appended`
   * when it is stored (SIM-31, SIM-65, SIM-66).
   */
  readonly positions: "minted" | "appended"
  /** Whether ids number the slots without gaps, or only order the events, as ULIDs do (SIM-52, SIM-130). */
  readonly ids: "slots" | "sparse"
  /** The halves of the guard that the World arms (SIM-46, SIM-50, SIM-58). */
  readonly guards: ReadonlyArray<"precondition" | "count">
  /** A reader may seal an empty slot: an event that comes for it later takes another one. */
  readonly sealing?: boolean
  /** The World refuses to store an event below one that it has stored: it takes another slot (SIM-129). */
  readonly tailFence?: boolean
  /**
   * The tempo: when a payload that was accepted may be stored, only before or only after the run's branch was decided. With
   * the latter it is accepted while nobody works on the run (SIM-127, SIM-129). Default: at any time.
   */
  readonly hookLands?: "before-decision" | "after-decision"
  readonly budgets?: {
    /** Reads that miss an event which the log holds (SIM-61). */
    readonly withheld?: number
    /** Deliveries that vanish; their message comes back. */
    readonly crashes?: number
    /** Step messages that are delivered twice. */
    readonly duplicates?: number
    /** Orchestrator messages sent for no reason. */
    readonly spareWakes?: number
  }
  readonly rules: Spec8Rules
}

/** A configuration with everything that follows from it. */
export interface Spec8Setting extends Spec8Config {
  readonly places: ReadonlyArray<number>
  readonly entities: ReadonlyArray<number>
  readonly hasSteps: boolean
  readonly hasHook: boolean
  readonly hasSleep: boolean
  /** Positions are handed out before the event is stored, by the configuration or because the rule is off. */
  readonly mints: boolean
  readonly budgetOf: { readonly [name in BudgetName]: number }
}

/** What the environment may do a bounded number of times. */
export type BudgetName = "withheld" | "crashes" | "duplicates" | "spareWakes"

/** The names of the budgets. */
export const budgetNames: ReadonlyArray<BudgetName> = ["withheld", "crashes", "duplicates", "spareWakes"]

/** Works out what follows from a configuration. */
export const spec8Setting = (config: Spec8Config): Spec8Setting => {
  const leaves = leavesOf(config.program)
  return {
    ...config,
    places: Array.from({ length: config.deliveries }, (_, at) => at + 1),
    entities: leaves.map((_, at) => at + 1),
    hasSteps: leaves.some((leaf) => leaf._tag === "Step"),
    hasHook: leaves.some((leaf) => leaf._tag === "Hook"),
    hasSleep: leaves.some((leaf) => leaf._tag === "Sleep"),
    mints: config.positions === "minted" || !config.rules["position-at-commit"],
    budgetOf: {
      withheld: config.budgets?.withheld ?? 0,
      crashes: config.budgets?.crashes ?? 0,
      duplicates: config.budgets?.duplicates ?? 0,
      spareWakes: config.budgets?.spareWakes ?? 0
    }
  }
}
