/**
 * The quick exit: a delivery that finds the log's end where its process's last delivery left it acknowledges unread.
 *
 * Each process remembers how far a delivery of it had consumed the log when that ended, in memory and nowhere else. A
 * wake that finds nothing above that position has nothing to replay; unless it carries something that the log does not
 * have, or somebody before it has died owing what only a reader of the log would send. The question is which deliveries
 * may leave; also those whose message says what no log does, a wake-up's, a recovery's or a payload's, which the documents do
 * not settle (`docs/findings.md`).
 *
 * Read `Config` and `Rules`, then `State`, `Deciding`, `Delivery`, `Outside`, `Properties`. `Position` puts them together;
 * `Models` lists the bounded models. The live feed's own use of a position is in `feed` (CAC-16, CAC-17, CAC-18).
 *
 * @module
 */
export type { Config as PositionConfig } from "./Config.ts"
export { positionModels } from "./Models.ts"
export { position } from "./Position.ts"
export { type Rule as PositionRule, type Rules as PositionRules, switches as positionSwitches } from "./Rules.ts"
