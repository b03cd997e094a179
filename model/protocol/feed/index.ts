/**
 * The live feed: how a delivery that waits sees what writers outside the orchestrator commit, by pushes and polls,
 * and how long it lingers for that.
 *
 * Read `Config` and `Rules`, then `State`; `Offer` is the client's feed as functions; `Source`, `Polls` and
 * `Delivery` are the actions, `Properties` what must hold; `Feed` puts them together, `Models` makes bounded models
 * of it.
 *
 * What is abstracted: an event is whether it came from outside; decisions, the fence and the queue's topology are the
 * composed spec's. Time is ticks of about 2 s. A push takes as long as it likes, so that notifications, timed reads,
 * regions, throttling and backpressure are one thing. Caps on feeds are subscriptions that end. A poll reads the log at
 * one moment. A delivery loads, makes its first pass and starts its feed in one step, and reports of its own writes are
 * complete.
 *
 * @module
 */
export { type Config, setting, TICKS } from "./Config.ts"
export { feed } from "./Feed.ts"
export { feedModels } from "./Models.ts"
export { type Rule, type Rules, switches as feedSwitches } from "./Rules.ts"
