/**
 * The protocol model: the single-orchestrator protocol as a spec, its switches, and its bounded models.
 *
 * Read it in this order: `Config` and `Rules` (what can be set and switched), `Log`, `Fence`, `State`, `Bodies`, `Queue`,
 * `Decisions`, `Orchestrator`, `Steps`, `Clients`, `Faults`; for runs that sleep `Waits`, `TimerQueue`, `Timers`, `Hops` and
 * `WaitRules`; then what is promised, `Properties`, `Obligations` and `Progress`. `Protocol` puts them together, `Bounded`
 * makes models of it, and `Models`, `WaitModels`, `ObligationModels` and `Findings` list those. Each module opens with the
 * rules that it covers, and with its state machine where it has one.
 *
 * That is the composed spec: an hour's reading. The folders are specs of their own, each of one part at a finer grain,
 * with what it leaves out said in its `index`. None needs another; in this order each builds on ideas of those before it:
 *
 * 1. `abstract`: what a run is, whoever writes it; the composed spec refines it.
 * 2. `slots`: how the World writes an event, in steps. `queues`: who is delivered when, and what becomes of a message.
 * 3. `stepdelivery`: one background step's deliveries. `hooks`: two runs and one token. `rotation`: a message that is
 *    continued by a new one before it expires.
 * 4. What makes it fast, and what that may not break: `position` (a wake that is answered unread), `feed` (events that are
 *    pushed to a delivery that waits), `turbo` (a run's first delivery), `runahead` (decisions ahead of their commits).
 * 5. Beside it: `versions` (which orchestrator drives a run), `spec8` (the one before this), `outbox` (a World whose stores
 *    share no transaction).
 *
 * In a folder read `Config` and `Rules`, then `State`, the functions that decide, the actions, and `Properties`.
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
