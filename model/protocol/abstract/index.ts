/**
 * The abstract level of the protocol: a run as one linear history, and the mapping from the protocol's log to it.
 *
 * @module
 */
export { abstractRun, abstractSwitches, isAbstractStep, nextEvents } from "./AbstractRun.ts"
export { type History, HistoryEvent, historyOf } from "./History.ts"
export { abstractModels } from "./Models.ts"
