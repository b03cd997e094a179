/**
 * The SQLite World: the embedded default, in one file, that survives being killed at any point.
 */
export { defaultLimits, type Limits } from "../Limits.ts"
export { defaultQueueSettings, type QueueSettings } from "../QueueRules.ts"
export type { Durability } from "./Database.ts"
export { layer, make, type SqliteWorldOptions } from "./SqliteWorld.ts"
