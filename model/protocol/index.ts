/**
 * The protocol model: the single-orchestrator protocol as a spec, its switches, and its bounded models.
 *
 * Read it in this order: `Config` and `Rules` (what can be set and switched), `Log`, `Fence`, `State`, `Bodies`, `Queue`,
 * `Decisions`, `Orchestrator`, `Steps`, `Clients`, `Faults`; for runs that sleep `Waits`, `TimerQueue`, `Timers`, `Hops` and
 * `WaitRules`; then what is promised, `Properties`, `Obligations` and `Progress`. `Protocol` puts them together, `Bounded`
 * makes models of it, and `Models`, `WaitModels`, `ObligationModels` and `Findings` list those. Each part of the protocol
 * opens with the rules that it covers, and with its state machine where it has one.
 *
 * An action is named as the operation that it stands for. Where several kinds of actors perform one operation, the name
 * goes on with who does: `DeliverStep` and `AcknowledgeStep` are of the delivery of a step's message, `SendWakeClient` and
 * `CommitOutOfBandHook` of clients. `SendStep` is an operation of its own, the orchestrator's.
 *
 * @module
 */
export { allModels, modelsByFile } from "./All.ts"
export type { Budget, BudgetName, Budgets, Config, Topology } from "./Config.ts"
export { findings } from "./Findings.ts"
export { type Event, EventType, type Log, resolutions, stepsIn, type Write } from "./Log.ts"
export { models } from "./Models.ts"
export {
  createsOnce,
  createsWhatReplayCalls,
  endsAsReplayDoes,
  endsOnce,
  followsItsCause,
  isDense,
  isOneChain,
  isStranded,
  isWrittenByItsOwner,
  outcomesStand
} from "./Properties.ts"
export { protocol } from "./Protocol.ts"
export { everyRule, type Rule, type Rules, switches } from "./Rules.ts"
export type { State } from "./State.ts"
