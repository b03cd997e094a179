/**
 * Specs that have nothing to do with any protocol of this project: examples of the language, and oracles for the engine.
 *
 * @module
 */
import type { Model } from "../Language.ts"
import { fence3, fence3Longer, fence4 } from "./Fence.ts"
import { twoJugsModel } from "./TwoJugs.ts"
import { twoPhase3, twoPhase5 } from "./TwoPhase.ts"

/** The oracles, smallest first. Their counts are known from elsewhere. */
export const oracles: ReadonlyArray<Model> = [twoJugsModel, twoPhase3, twoPhase5, fence3]

/** Those that take longer than a test should, smallest first: what the engine is measured with. They are checked by name. */
export const largeOracles: ReadonlyArray<Model> = [fence3Longer, fence4]
