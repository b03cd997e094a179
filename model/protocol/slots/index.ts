/**
 * The slots of the log at fine grain: a slot is handed out, and then filled or sealed; counters, fence, reports, pages and
 * batches, and answers that never arrive.
 *
 * The composed protocol spec writes an event in one step. Here a write is several: the World checks the count and hands out
 * slots, puts events into them one by one, and answers; readers wait for a slot that is still empty, and seal it when they
 * have waited too long. Two deliveries, writers outside the orchestrator and a reader come between any two of these steps.
 *
 * Read `Config` and `Rules`, then `Log`, `Workflow`, `State`; `World`, `Deliveries`, `Readers`, `Outside` and `Faults` are
 * the actions, `Properties` what must hold; `Slots` puts them together, `Models` makes bounded models of it.
 *
 * What is abstracted: step bodies are not modelled, and an outcome is there when it is decided to write it. The queue is
 * one message. Times are not: how long a put may take is a budget. A write keeps the place of the delivery that sent it
 * until it is through. A page lists no slot above the `seq` of the load's first page: the least that a World owes
 * (WORLD-29).
 *
 * @module
 */
export { type Config, type Purpose, setting } from "./Config.ts"
export { type Cell, type Log, type Seen, status, winner } from "./Log.ts"
export { slotsModels } from "./Models.ts"
export { followsCreation, isOneChain, sawWhatIsThere } from "./Properties.ts"
export { type Rule, type Rules, switches as slotsSwitches } from "./Rules.ts"
export { slots } from "./Slots.ts"
