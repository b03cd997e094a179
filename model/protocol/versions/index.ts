/**
 * Versions: which orchestrator drives a run, and what keeps everybody else from driving it. (VER-35, ROUTE-46, DEC-01)
 *
 * `Versions` has the decisions as functions: what a new run is given, how a message is routed, what takes the run's key.
 * The routing spec asks what becomes of a run whose messages say nothing of its version, or something wrong: read `Config`
 * and `Rules`, `State`, `Deliveries`, `Writers`, `Properties`; `Routing` puts them together, and `Models` lists what is
 * checked. `Rollback` is a spec of its own, about an older release that takes a run's messages, and so are `StepStamp`, about
 * the stamp on a step's message, and `Wakes`, about who must wake a run.
 *
 * @module
 */
import type { Model } from "../../checker/Language.ts"
import { routingModels } from "./Models.ts"
import { rollbackModels } from "./Rollback.ts"
import { stepStampModels } from "./StepStamp.ts"
import { wakeModels } from "./Wakes.ts"

export type { RoutingConfig } from "./Config.ts"
export { routingModels } from "./Models.ts"
export { type RollbackConfig, rollback, rollbackModels, rollbackSwitches } from "./Rollback.ts"
export { routing } from "./Routing.ts"
export { type RoutingRule, type RoutingRules, routingSwitches } from "./Rules.ts"
export { type StepStampConfig, stepStamp, stepStampModels, stepStampSwitches } from "./StepStamp.ts"
export {
  familyOf,
  lowerOf,
  type Minting,
  mayRaise,
  mintedSpecVersion,
  type RunRow,
  resolveRunSpec,
  type Stamped,
  stampOf,
  takesRunKey,
  versionForRunWrite
} from "./Versions.ts"
export { type WakeConfig, wakeModels, wakeSwitches, wakes } from "./Wakes.ts"

/** The bounded models of versions. */
export const versionModels: ReadonlyArray<Model> = [
  ...routingModels,
  ...rollbackModels,
  ...stepStampModels,
  ...wakeModels
]
