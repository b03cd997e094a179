/**
 * The SQLite World: the embedded default, in one file, that survives being killed at any point.
 *
 * @module
 */
export type { DeliveryStore } from "../DeliveryLoop.ts"
export { defaultLimits, type Limits } from "../Limits.ts"
export { defaultQueueSettings, type QueueSettings } from "../QueueRules.ts"
export type { Durability } from "./Database.ts"
export { layer, make, QueuePlace, type SqliteWorld, type SqliteWorldOptions } from "./SqliteWorld.ts"
