/**
 * What the commands on runs have in common: naming a run, asking for its payloads, and what a refusal ends with.
 *
 * @module
 */
import { Argument, Flag } from "effect/cli"
import type { WakeNotSent } from "../../impl/runtime/index.ts"
import type { EventStorageError } from "../../impl/world/index.ts"
import { Ended } from "./Outcome.ts"
import { usage } from "./Targets.ts"
import { worldEnded } from "./WorldFile.ts"

/** The run that is meant. */
export const runId = Argument.String("run").pipe(
  Argument.withDescription("The run's id, as `onewriter runs list` has it")
)

/** `--payloads`. */
export const payloads = Flag.Boolean("payloads").pipe(
  Flag.withDescription("Show arguments, results, errors, tokens and payloads as well: they may hold secrets"),
  Flag.withDefault(false)
)

/** A refusal is a mistake in what was asked for, unless it is the World's own failure. */
export const refused = (error: EventStorageError | WakeNotSent): Ended => {
  if (error._tag === "WakeNotSent") return new Ended({ why: "world", message: error.message })
  return error._tag === "WorkflowWorldError" ? worldEnded(error) : usage(error.message)
}
