/**
 * `onewriter refine`: is a recorded trace a behaviour of the model?
 *
 * @module
 */
import { Console, Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { readTrace } from "../trace/ReadFile.ts"
import { validate } from "../Validate.ts"
import { showVerdict, verdictJson } from "../validate/Show.ts"
import { EXIT_CODES } from "./ExitCode.ts"
import { expectFile } from "./FileKind.ts"
import { format } from "./Flags.ts"
import { Ended, ended } from "./Outcome.ts"

const exitCodes = [
  "Exit codes:",
  "    0  the trace is a behaviour of the model",
  "    1  the command line is wrong, or there is no such file",
  `  ${String(EXIT_CODES.safety.code).padStart(3)}  the model does not explain a line, or a property fails after it`,
  `  ${EXIT_CODES.trace.code}  ${EXIT_CODES.trace.says}`
].join("\n")

/** The command. */
export const refine = Command.make(
  "refine",
  {
    trace: Argument.String("trace").pipe(Argument.withDescription("A trace, as a recorder writes it (NDJSON)")),
    complete: Flag.Boolean("complete").pipe(
      Flag.withDescription("Nothing more will happen: a run that is left behind is refused at the end"),
      Flag.withDefault(false)
    ),
    format
  },
  Effect.fn("refine")(
    function* ({ trace: path, complete, format }) {
      // A file that is not there is a mistake in the command line, as for every command, and not in a trace.
      yield* expectFile(path, "trace")
      const trace = yield* readTrace(path)
      const verdict = yield* validate(trace, { complete })
      yield* Console.log(format === "text" ? showVerdict(verdict, path) : verdictJson(verdict, path))
      if (verdict.result === "refused") return yield* ended("safety")
    },
    Effect.catchTags({
      TraceUnreadable: ({ message }) => Effect.fail(new Ended({ why: "trace", message })),
      UnknownProgram: ({ message }) => Effect.fail(new Ended({ why: "trace", message }))
    })
  )
).pipe(
  Command.withShortDescription("Say whether a recorded trace is a behaviour of the protocol's model"),
  Command.withDescription(
    [
      "Says whether a recorded trace is a behaviour of the model, and if not, the first line that is not explained and",
      "what the model allows there instead.",
      "",
      "What a runtime may do that the model does not have is refused at its line: a hook token that another run holds, an",
      "event that is too large, what is not found, a run that fails because it cannot be replayed, and a log load of",
      "several pages during which the log grows (see refinement/mapping/Project.ts).",
      "",
      exitCodes
    ].join("\n  ")
  )
)
