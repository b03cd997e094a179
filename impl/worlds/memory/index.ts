/**
 * The memory World: deterministic, steppable, in every topology.
 *
 * @module
 */
export type { DeliveryStore } from "../DeliveryLoop.ts"
export { defaultLimits, type Limits } from "../Limits.ts"
export { defaultQueueSettings, type QueueSettings } from "../QueueRules.ts"
export { Gate, type GateService } from "./Gate.ts"
export type { Logs, RunLog } from "./Log.ts"
export { layer, type MemoryWorld, type MemoryWorldOptions, make } from "./MemoryWorld.ts"
export * from "./Operation.ts"
export {
  type Claimability,
  type ClaimOutcome,
  claimabilityOf,
  inOrder,
  type Message,
  type QueueState
} from "./Queue.ts"
