/**
 * `onewriter log`: the event log of a run.
 *
 * @module
 */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { exitCodesHelp } from "./ExitCode.ts"
import { format } from "./Flags.ts"
import { Ended } from "./Outcome.ts"
import { payloads, refused, runId } from "./RunFlags.ts"
import { dataOf, showLog, showTime, writtenOf } from "./ShowRun.ts"
import { database, openExisting } from "./WorldFile.ts"

/** The command. */
export const log = Command.make(
  "log",
  {
    run: runId,
    payloads,
    database,
    format
  },
  Effect.fn("log")((input) =>
    Effect.gen(function* () {
      const world = yield* openExisting(input.database)
      const { makeClient } = yield* Effect.promise(() => import("../../impl/runtime/Client.ts"))
      const written = writtenOf(yield* makeClient(world).log(input.run).pipe(Effect.mapError(refused)))
      const { snapshot } = yield* world.events.list(input.run, { limit: 1 }).pipe(Effect.mapError(refused))
      if (input.format === "text") yield* Console.log(showLog(written, input.payloads))
      else {
        const events = written.map(({ event, slot, writer, seqInBand }) => ({
          slot,
          time: showTime(event.createdAt),
          writer,
          seqInBand,
          eventType: event.eventType,
          ...("correlationId" in event ? { correlationId: event.correlationId } : {}),
          data: dataOf(event, input.payloads)
        }))
        yield* Console.log(JSON.stringify({ runId: input.run, ...snapshot, events }, null, 2))
      }
      // The log may have grown between the two reads, but never in fewer slots than are shown.
      const counted = written.at(-1)?.seqInBand ?? 0
      if (snapshot.seq === written.length && snapshot.seqInBand !== counted) {
        const message = `The World counts ${snapshot.seqInBand} in-band slots, and the log has ${counted}: it was not written by the rules.`
        return yield* new Ended({ why: "world", message })
      }
    }).pipe(Effect.scoped)
  )
).pipe(
  Command.withShortDescription("Show the event log of a run: slot, time, writer, in-band count"),
  Command.withDescription(
    [
      "Shows the event log of a run: of each event its slot, when it was written, by whom, and how many slots were taken",
      "in-band by then. Arguments, results, errors, tokens and payloads are shown with --payloads only.",
      "",
      exitCodesHelp(["holds", "usage", "world", "internal"], {
        holds: "it is shown",
        usage: "the command line is wrong: an unknown file, run or flag"
      })
    ].join("\n")
  )
)
