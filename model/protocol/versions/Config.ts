/**
 * What a routing model is made from. (VER-06, ROUTE-30, ROUTE-32, ROUTE-36, ROUTE-49)
 *
 * No variables: a configuration is constant in a model.
 *
 * @module
 */
import type { RoutingRules } from "./Rules.ts"
import type { RoutingBudget } from "./State.ts"

/** A configuration of the routing model. */
export interface RoutingConfig {
  /** What the process that starts the run would mint; the run's version is worked out from it (VER-06). */
  readonly env: number
  /** The World declares the in-band fence. */
  readonly fence?: boolean
  /** The version of a run that an older release created; absent: this release starts one. */
  readonly created?: number
  /** Whether the run's step is inline or in the background. */
  readonly step: "inline" | "background"
  /** The run is created and its first message sent in either order (a resilient start). */
  readonly eitherOrder?: boolean
  /** What producers outside of this release stamp their messages with; 0 is nothing (ROUTE-30, ROUTE-36). */
  readonly outside?: ReadonlyArray<number>
  /** An inline body ends only when another delivery of its run tells it to (ROUTE-49). */
  readonly abortable?: boolean
  /** What a refused delivery of a message that the queue takes for spec 8 goes on with (ROUTE-32). */
  readonly refusedGoesOn?: "new-message" | "same-message"
  /** What is asked of the queue and of bodies: nothing, where outside producers may break it by the document's own words. */
  readonly promises: { readonly oneHolder: boolean; readonly bodyOnce: boolean }
  readonly budgets?: { readonly [name in RoutingBudget]?: number }
  readonly rules: RoutingRules
}
