/**
 * `onewriter conformance`: does a World keep the contract?
 *
 * @module
 */
import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { areas } from "../../impl/conformance/Area.ts"
import { formats } from "../../impl/conformance/ReportFormat.ts"
import { exitCodesHelp } from "./ExitCode.ts"
import { ended } from "./Outcome.ts"

/** The command. */
export const conformance = Command.make(
  "conformance",
  {
    world: Flag.String("world").pipe(
      Flag.withDescription("The World: a module that exports `open`, or `memory` or `sqlite` for those of this project")
    ),
    area: Flag.Literals("area", areas).pipe(
      Flag.withDescription("Makes the checks of one part of the contract only"),
      Flag.atLeast(0)
    ),
    format: Flag.Literals("format", formats).pipe(
      Flag.withDefault("text" as const),
      Flag.withDescription("text for people; json: one object; junit for continuous integration")
    )
  },
  Effect.fn("conformance")(function* ({ world, area, format }) {
    // The suite and the Worlds are loaded by the command that needs them.
    const { checks, report, verdictOf, written } = yield* Effect.promise(
      () => import("../../impl/conformance/index.ts")
    )
    const { openNamed } = yield* Effect.promise(() => import("./WorldModule.ts"))
    const open = yield* openNamed(world)
    const wanted = checks.filter((check) => area.length === 0 || area.includes(check.area))
    const found = yield* report(world, open, wanted)
    yield* Console.log(written(found, format).trimEnd())
    if (verdictOf(found) === "fails") return yield* ended("safety")
  })
).pipe(
  Command.withShortDescription("Check that a World keeps the contract of storage, queue, feed and streams"),
  Command.withDescription(
    [
      "Makes every check of the World contract, each on a World that is opened for it, and says of each which rules it is",
      "for. What a World lacks and need not have is reported as not made, never as passed.",
      "",
      exitCodesHelp(["holds", "usage", "safety", "load", "internal"], {
        holds: "nothing that was checked fails",
        usage: "the command line is wrong, or there is no such World",
        safety: "the World does not keep a rule",
        load: "the module cannot be loaded, or exports no `open`"
      })
    ].join("\n")
  )
)
