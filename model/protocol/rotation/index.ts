/**
 * Rotation: a message that is about to expire, or to be handed off too often, is continued by a new one between any two
 * passes of its delivery.
 *
 * The question is whether the run keeps a message, in numbers: for how long a queue keeps one, by how much it delays one, how
 * often it hands one off, and after how many attempts the run is failed. And it is whether what a message is a wake for
 * gets across. The part `turbo` has what a continuation must not be taken for, and the last re-run of a delivery; the part
 * `queues` has the continuation beside its predecessor; the composed spec has rotated timers beside other messages.
 *
 * Read `Config` and `Rules`, then `State`; `Deliveries`, `Rotating` and `Outside` are the actions, `Properties` what must
 * hold; `Rotation` puts them together, `Models` lists the bounded models.
 *
 * @module
 */
export type { Config as RotationConfig } from "./Config.ts"
export { rotationModels } from "./Models.ts"
export { rotation } from "./Rotation.ts"
export { type Rule as RotationRule, type Rules as RotationRules, switches as rotationSwitches } from "./Rules.ts"
