/**
 * The protocol model: the single-orchestrator protocol as a spec, its switches, and its bounded models.
 *
 * Read it in this order: `Log`, `Fence`, `State`, `Queue`, `Decisions`, `Orchestrator`, `Steps`, `Clients`, `Faults`,
 * `Properties`. Each opens with the rules that it covers and its state machine. An action is named as the operation that
 * it stands for; the operations of a step delivery end in `Step`, those of a client in what it does.
 *
 * @module
 */
export type { Budget, BudgetName, Budgets, Config, Repairs, Topology } from "./Config.ts"
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
