/**
 * Turbo and rotation: a run's first delivery, which starts before it has an answer to anything, and what keeps any later
 * one from being taken for it.
 *
 * A run begins with `start()`: its creation, and the only message that carries its input. The delivery of that message
 * loads no log, and begins bodies ahead of their starts, once `run_started` has committed. (The documents let them begin
 * while that is in flight: the switch `bodies-await-run-started` off.) Messages are
 * delivered again, coalesced, handed off at the inline deadline, and continued by others near their expiry. The question
 * is whether a body runs once where it should, whether the log is in order, and that neither the run's input nor its message gets lost.
 *
 * Read `Config` and `Rules`, then `State`, `Deciding`, `Delivery`, `Queue`, `Clients`, `Properties`. `Turbo` puts them
 * together; `Models` lists the bounded models.
 *
 * What is the implementation's alone: settings (TURBO-24, TURBO-26), metadata (TURBO-20, TURBO-21, TURBO-22, TURBO-23) and
 * the fields of a continuation that only measure, or count within one message (ROT-04, ROT-09, ROT-12, ROT-13). Rotation
 * by a message's age and handoffs, and what a continuation carries on, is the part `rotation`.
 *
 * @module
 */
export type { Config } from "./Config.ts"
export { turboModels } from "./Models.ts"
export { outcomesHaveStarts, startsFirst } from "./Properties.ts"
export { type Rule as TurboRule, type Rules as TurboRules, switches as turboSwitches } from "./Rules.ts"
export { turbo } from "./Turbo.ts"
