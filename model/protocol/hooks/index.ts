/**
 * Hooks: two runs that want one token, the callers that resume them, and who has to hear of what.
 *
 * Read `Config` and `Rules`, then `State`; `Workflow` replays a workflow over its log; `Orchestrator`, `Steps`,
 * `Retention` and `Callers` are the actions, `Properties` what must hold; `Hooks` puts them together, `Models` makes
 * bounded models of it.
 *
 * What is abstracted: the World is one store, so that a claim is one step (the stores of the outbox's part share no
 * transaction). A run has one delivery at a time; what happens when it has more is the fence's. A delivery loads its log
 * as it begins, and no two writes are in flight. A payload is that it was received. A resume that finds the token of
 * nobody waits for it. A workflow has one step at the most. Waits, run-ahead and the feed are left out.
 *
 * @module
 */
export { type Config, MAX_REDIRECTS, setting } from "./Config.ts"
export { hooks } from "./Hooks.ts"
export { hookModels } from "./Models.ts"
export { type Rule, type Rules, switches as hookSwitches } from "./Rules.ts"
