/**
 * The seed of every property test.
 *
 * A run of the tests is repeatable: a change is judged by what it changed, not by the luck of the draw. To look for
 * something new, set ONEWRITER_TEST_SEED to another number, or to `random`; a failure prints the seed it was found with.
 */
import * as fc from "fast-check"

const given = process.env.ONEWRITER_TEST_SEED ?? "9"
if (given !== "random") fc.configureGlobal({ seed: Number(given) })
