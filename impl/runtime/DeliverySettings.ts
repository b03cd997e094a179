/**
 * What a runtime's deliveries are made with.
 *
 * @module
 */
import type { Scope } from "effect"
import type { World } from "../world/index.ts"
import type { BodyHost } from "./BodyHost.ts"
import type { ResendPasses } from "./ResendPasses.ts"
import type { RetainedRuns } from "./RetainedRuns.ts"
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
  /** Which invocations of this process have sent again what may have been owed. */
  readonly passes: ResendPasses
  /** Where the bodies run. */
  readonly host: BodyHost
  /** The runs that are kept between deliveries; without it every delivery replays from cold. */
  readonly retained?: RetainedRuns
  /** What bodies belong to: they may outlive the delivery that began them, not the runtime. */
  readonly scope: Scope.Scope
}
