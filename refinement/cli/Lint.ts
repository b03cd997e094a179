/**
 * `onewriter lint`: is a spec inside the subset of TypeScript that can be checked and translated?
 *
 * @module
 */
import { Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { showFinding, Untranslatable } from "../export/Finding.ts"
import { exitCodesHelp } from "./ExitCode.ts"
import { expectFile } from "./FileKind.ts"
import { format } from "./Flags.ts"
import { Ended, ended } from "./Outcome.ts"

/** The command. */
export const lint = Command.make(
  "lint",
  {
    files: Argument.String("file").pipe(
      Argument.withDescription("Files of specs, with everything that they import"),
      Argument.atLeast(1)
    ),
    format
  },
  Effect.fn("lint")(function* ({ files, format }) {
    for (const file of files) yield* expectFile(file, "module")
    // The compiler that reads the files is large: only the commands that need it load it.
    const { lint } = yield* Effect.promise(() => import("../export/Lint.ts"))
    const found = yield* Effect.try({
      try: () => files.flatMap((file) => [...lint(file)]),
      catch: (error) => error
    }).pipe(
      Effect.catch((error) =>
        error instanceof Untranslatable
          ? Effect.fail(new Ended({ why: "load", message: error.message }))
          : Effect.die(error)
      )
    )
    // A file that several of the given ones import is found once.
    const findings = [...new Map(found.map((finding) => [JSON.stringify(finding), finding])).values()]
    yield* Console.log(
      format === "json"
        ? JSON.stringify({ findings }, null, 2)
        : findings.length === 0
          ? "Nothing is outside the subset of a spec."
          : findings.map(showFinding).join("\n")
    )
    if (findings.length > 0) return yield* ended("spec")
  })
).pipe(
  Command.withShortDescription("Say what in a spec's files is outside the subset of TypeScript that a spec may use"),
  Command.withDescription(
    [
      "Says what in the files of a spec is outside the subset of TypeScript that a spec may use, with file, line and column.",
      "",
      exitCodesHelp(["holds", "usage", "spec", "load", "internal"], {
        holds: "nothing is outside the subset",
        usage: "the command line is wrong, or there is no such file",
        spec: "something is outside the subset",
        load: "a file does not compile"
      })
    ].join("\n")
  )
)
