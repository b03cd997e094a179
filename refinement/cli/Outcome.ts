/**
 * How a command ends when it does not end well: with a message, if there is anything left to say, and an exit code.
 *
 * @module
 */
import { Runtime, Schema } from "effect"
import { EXIT_CODES, type ExitName } from "./ExitCode.ts"

/** The command is over, and its exit code is not 0. */
export class Ended extends Schema.TaggedError<Ended>()("Ended", {
  why: Schema.Literals([
    "usage",
    "manifest",
    "bounded",
    "vacuous",
    "diverged",
    "deadlock",
    "safety",
    "liveness",
    "failed",
    "cancelled",
    "spec",
    "load",
    "trace",
    "world",
    "internal"
  ]),
  /** What is still to be printed on standard error; empty when everything has been said. */
  message: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = EXIT_CODES[this.why].code
  override readonly [Runtime.errorReported] = false
}

/** Ends the command with nothing more to say. */
export const ended = (why: Exclude<ExitName, "holds">): Ended => new Ended({ why, message: "" })
