/**
 * The outbox of a World whose stores share no transaction: how a committed event becomes a message, and how a hook's
 * token changes hands.
 *
 * Two specs. The outbox: `Config`, `State`, then `Store` (events, debts, publication) and `Delivery` (messages, limits,
 * dead letters), `Properties`, and `Outbox` that puts them together. Claims: `ClaimState`, `ClaimPhases`, `Claims`.
 * `Rules` has the switches of both, `Models` the bounded models.
 *
 * What is abstracted: a back-off, whatever its length, is a message that is not delivered yet (OUTBOX-21, OUTBOX-23); an
 * alarm and the cron are one action that is fair. A run is its steps, each created at its start, and ends with the last
 * outcome; the log of a run that core fails is that fact. The run's serialized replay, coalescing and the fence are the
 * composed spec's (OUTBOX-18, OUTBOX-19). A delivery that dies, fails or whose acknowledgment is lost is one fault, since
 * the queue cannot tell them apart (OUTBOX-14).
 *
 * @module
 */
export { type ClaimConfig, pair, type Request } from "./ClaimState.ts"
export { claims, isLive } from "./Claims.ts"
export { type Config, dispatchOf, setting, wakeOf } from "./Config.ts"
export { outboxModels } from "./Models.ts"
export { outbox } from "./Outbox.ts"
export { type Rule, type Rules, switches as outboxSwitches } from "./Rules.ts"
