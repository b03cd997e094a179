/**
 * Specs that have nothing to do with any protocol of this project: examples of the language, and oracles for the engine.
 *
 * @module
 */
import type { Model } from "../Language.ts"
import { fence3 } from "./Fence.ts"
import { twoJugsModel } from "./TwoJugs.ts"
import { twoPhase3, twoPhase5 } from "./TwoPhase.ts"

/** The oracles, smallest first. Their counts are known from elsewhere. */
export const oracles: ReadonlyArray<Model> = [twoJugsModel, twoPhase3, twoPhase5, fence3]
