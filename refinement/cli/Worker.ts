/**
 * `onewriter worker`: serves the runs of a file until it is stopped.
 *
 * @module
 */
import { Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { exitCodesHelp } from "./ExitCode.ts"
import { warnOfOthers } from "./Run.ts"
import { endsBySignal, grace, load, logFormat, logging, serve } from "./Serving.ts"
import { database, openOrCreate } from "./WorldFile.ts"

/** The command. */
export const worker = Command.make(
  "worker",
  {
    files: Argument.String("file").pipe(
      Argument.withDescription("Modules that export workflows: all of those whose runs the file holds"),
      Argument.atLeast(1)
    ),
    database,
    grace,
    logFormat
  },
  Effect.fn("worker")((input) =>
    Effect.gen(function* () {
      yield* endsBySignal
      const workflows = yield* load(input.files)
      const world = yield* openOrCreate(input.database)
      yield* warnOfOthers(world, workflows)
      yield* serve(world, workflows, input.grace)
      yield* Console.error(
        `Serving ${workflows.names.join(", ")} on ${input.database}, as process ${process.pid}. SIGINT or SIGTERM ends it.`
      )
      return yield* Effect.never
    }).pipe(Effect.scoped, Effect.provide(logging(input.logFormat)))
  )
).pipe(
  Command.withShortDescription("Serve the runs of a file until it is stopped; several workers may share one"),
  Command.withDescription(
    [
      "Serves the runs of a file until it is stopped by SIGINT or SIGTERM. It then claims nothing more, lets the step bodies",
      "finish that run (for so many seconds as --grace says), and hands the rest over. Several workers may share one file on",
      "one machine. A worker that is killed loses nothing: its leases end at once when another worker sees it is gone. With 130 it has broken off a",
      "body that did not finish in time.",
      "",
      exitCodesHelp(["holds", "usage", "load", "world", "internal"], {
        holds: "it was stopped by a signal, and has finished or handed over what it had",
        usage: "the command line is wrong: an unknown file or flag"
      })
    ].join("\n")
  )
)
