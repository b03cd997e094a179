/**
 * Spec 8, the orchestrator before this one, and the two modes of its log. (VER-35, ROUTE-46, DEC-04, SIM-139)
 *
 * Several orchestrator deliveries may write one run. No fence stands before the log: rows of the World refuse duplicates,
 * a guard refuses a reader that is behind, and a reader notices missing slots. Whether that is enough depends on one thing:
 * when an event takes its position. If it does so before it is stored (`minted`), it may appear beneath what a reader has
 * passed, and the log can end up telling another story than the one that was lived. If it does so when it is stored
 * (`appended`), it cannot. The models come in pairs for that reason.
 *
 * Read in this order: `Config` and `Rules`, `Positions` (the log and what a reader holds), `State`, `Rows` (the World's
 * side of a write), `Decisions` (replay, and its verdicts), `Deliveries`, `Writers`, `Properties`; `Spec8` puts them
 * together, and `Models` lists what is checked. `Continuation` is a spec of its own: how a delivery goes on later.
 *
 * @module
 */
import type { Model } from "../../checker/Language.ts"
import { continuationModels } from "./Continuation.ts"
import { spec8Models as logModels } from "./Models.ts"

export { type Spec8Config, spec8Setting } from "./Config.ts"
export { continuation, continuationModels, continuationSwitches } from "./Continuation.ts"
export { type ReplayVerdict, replayVerdict } from "./Decisions.ts"
export { approvalOrTimeout, stepAgainstStep } from "./Models.ts"
export type { Cell, Positions } from "./Positions.ts"
export { isStuck, logInvariants } from "./Properties.ts"
export { type Spec8Rule, type Spec8Rules, spec8Switches } from "./Rules.ts"
export { spec8 } from "./Spec8.ts"

/** The bounded models of spec 8. */
export const spec8Models: ReadonlyArray<Model> = [...logModels, ...continuationModels]
