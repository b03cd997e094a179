/**
 * What a runtime's deliveries are made with.
 *
 * @module
 */
import type { Scope } from "effect"
import type { World } from "../world/index.ts"
import type { BodyHost } from "./BodyHost.ts"
import type { Settings } from "./Settings.ts"
import type { StepBodiesService } from "./StepBodies.ts"
import type { Workflows } from "./Workflows.ts"

/** What deliveries are made with. */
export interface DeliverySettings {
  readonly world: World["Service"]
  readonly workflows: Workflows["Service"]
  readonly bodies: StepBodiesService
  /** What the environment sets. */
  readonly tuning: Settings
  /** Where the bodies run. */
  readonly host: BodyHost
  /** What bodies belong to: they may outlive the delivery that began them, not the runtime. */
  readonly scope: Scope.Scope
}
