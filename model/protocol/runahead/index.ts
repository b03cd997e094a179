/**
 * Run-ahead: a delivery that hands outcomes to its workflow, and begins the next bodies, before the writes commit.
 *
 * One run of one program, whose log begins with its creation and start. A delivery decides ahead of its own commits where
 * nobody else could change what comes next; others write at any slot all the same: hooks, steps elsewhere, cancellations,
 * a second delivery. The question is whether the log replays into the decisions in it, how often a body runs, and that a stop
 * ends well.
 *
 * Read `Config` and `Rules`, then `State` and `Workflow` (how a log is consumed), `Boundary` (who else could write),
 * `Deciding` (what a delivery does next), `Writer` (groups of writes, answers, stops), `Delivery` and `Outside`, and
 * `Properties`. `RunAhead` puts them together; `Models` lists the bounded models.
 *
 * The engine without run-ahead is the model with a depth of 0; that engine also has no recovery from a divergence
 * (AHEAD-02, AHEAD-38, RUN-50, EDGE-30, LIM-27).
 *
 * @module
 */
export type { Config } from "./Config.ts"
export { runaheadModels } from "./Models.ts"
export { replays } from "./Properties.ts"
export { type Rule as RunaheadRule, type Rules as RunaheadRules, switches as runaheadSwitches } from "./Rules.ts"
export { runAhead } from "./RunAhead.ts"
