/**
 * `onewriter runs`: what runs there are, and what can be done to one from outside.
 *
 * A command writes its event, wakes the run's orchestrator and ends. A worker that serves the file does the rest.
 *
 * @module
 */
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { makeClient } from "../../impl/runtime/Client.ts"
import type { Run, World } from "../../impl/world/index.ts"
import { RunStatus } from "../../impl/world/index.ts"
import { exitCodesHelp } from "./ExitCode.ts"
import { format } from "./Flags.ts"
import type { Ended } from "./Outcome.ts"
import { payloads, refused, runId } from "./RunFlags.ts"
import { RUNS_HEAD, rowOf, runJson, showTime, table } from "./ShowRun.ts"
import { usage } from "./Targets.ts"
import { database, openExisting } from "./WorldFile.ts"

const codes = (holds: string): string =>
  exitCodesHelp(["holds", "usage", "world", "internal"], {
    holds,
    usage: "the command line is wrong: an unknown file, run or flag, or something that the run does not allow any more"
  })

/** Reads every page, up to so many runs. */
const pages = Effect.fnUntraced(function* (
  world: World["Service"],
  filter: Parameters<World["Service"]["events"]["listRuns"]>[0],
  most: number
): Effect.fn.Return<{ readonly runs: ReadonlyArray<Run>; readonly hasMore: boolean }, Ended> {
  const runs: Array<Run> = []
  let cursor: string | null = null
  for (;;) {
    const page: Effect.Success<ReturnType<World["Service"]["events"]["listRuns"]>> = yield* world.events
      .listRuns({ ...filter, limit: most - runs.length, ...(cursor === null ? {} : { cursor }) })
      .pipe(Effect.mapError(refused))
    runs.push(...page.data)
    if (!page.hasMore || runs.length >= most) return { runs, hasMore: page.hasMore }
    cursor = page.cursor
  }
})

const list = Command.make(
  "list",
  {
    status: Flag.Literals("status", RunStatus.literals).pipe(Flag.withDescription("Only these"), Flag.optional),
    workflow: Flag.String("workflow").pipe(
      Flag.withMetavar("NAME"),
      Flag.withDescription("Only runs of this workflow"),
      Flag.optional
    ),
    limit: Flag.Int("limit").pipe(Flag.withDescription("At most so many, the oldest first"), Flag.withDefault(100)),
    database,
    format
  },
  Effect.fn("runs list")((input) =>
    Effect.gen(function* () {
      if (input.limit < 1) return yield* usage(`--limit is ${input.limit}, and has to be at least 1.`)
      const world = yield* openExisting(input.database)
      const { runs, hasMore } = yield* pages(
        world,
        {
          ...(Option.isSome(input.status) ? { status: input.status.value } : {}),
          ...(Option.isSome(input.workflow) ? { workflowName: input.workflow.value } : {})
        },
        input.limit
      )
      if (input.format === "json") {
        yield* Console.log(JSON.stringify({ runs: runs.map((run) => runJson(run, false)), hasMore }, null, 2))
        return
      }
      yield* Console.log(runs.length === 0 ? "There are no such runs." : table(RUNS_HEAD, runs.map(rowOf)))
      if (hasMore) yield* Console.error(`There are more: --limit says how many are listed.`)
    }).pipe(Effect.scoped)
  )
).pipe(
  Command.withShortDescription("List runs, the oldest first"),
  Command.withDescription(["Lists runs, the oldest first.", "", codes("they are listed")].join("\n"))
)

const show = Command.make(
  "show",
  { run: runId, payloads, database, format },
  Effect.fn("runs show")((input) =>
    Effect.gen(function* () {
      const world = yield* openExisting(input.database)
      const run = yield* world.events.getRun(input.run).pipe(Effect.mapError(refused))
      const { data: steps } = yield* world.events.listSteps(input.run).pipe(Effect.mapError(refused))
      const { data: hooks } = yield* world.events.listHooks({ runId: input.run }).pipe(Effect.mapError(refused))
      const told = runJson(run, input.payloads)
      const openHooks = hooks.map(({ hookId, token, createdAt }) => ({
        hookId,
        createdAt,
        ...(input.payloads ? { token } : {})
      }))
      if (input.format === "json") {
        const shown = steps.map(({ input: given, result, error, ...step }) =>
          input.payloads ? { ...step, input: given, result, error } : step
        )
        yield* Console.log(JSON.stringify({ ...told, steps: shown, hooks: openHooks }, null, 2))
        return
      }
      const facts = Object.entries(told).map(([name, value]) => [
        name,
        name.endsWith("At") && typeof value === "number"
          ? showTime(value)
          : typeof value === "string"
            ? value
            : JSON.stringify(value)
      ])
      yield* Console.log(facts.map(([name = "", value = ""]) => `${name.padEnd(14)}${value}`).join("\n"))
      if (steps.length > 0) {
        const rows = steps.map(({ stepId, stepName, status, attempt, inline, retryAfter }) => [
          stepId,
          stepName,
          status,
          String(attempt),
          inline ? "inline" : "background",
          retryAfter === undefined ? "" : showTime(retryAfter)
        ])
        yield* Console.log(`\n${table(["step", "name", "status", "attempt", "runs", "next attempt"], rows)}`)
      }
      if (openHooks.length > 0) {
        const rows = hooks.map(({ hookId, token, createdAt }) => [
          hookId,
          showTime(createdAt),
          input.payloads ? token : "(with --payloads)"
        ])
        yield* Console.log(`\n${table(["hook", "created", "token"], rows)}`)
      }
    }).pipe(Effect.scoped)
  )
).pipe(
  Command.withShortDescription("Show a run, its steps and its open hooks"),
  Command.withDescription(["Shows a run, its steps and its open hooks.", "", codes("it is shown")].join("\n"))
)

const cancel = Command.make(
  "cancel",
  {
    run: runId,
    reason: Flag.String("reason").pipe(Flag.withDescription("Why; kept in the log"), Flag.optional),
    database
  },
  Effect.fn("runs cancel")((input) =>
    Effect.gen(function* () {
      const client = makeClient(yield* openExisting(input.database))
      yield* client.cancel(input.run, Option.getOrUndefined(input.reason)).pipe(Effect.mapError(refused))
      yield* Console.log(`${input.run} is cancelled.`)
    }).pipe(Effect.scoped)
  )
).pipe(
  Command.withShortDescription("Cancel a run that has not ended"),
  Command.withDescription(["Cancels a run that has not ended.", "", codes("it is cancelled")].join("\n"))
)

const wake = Command.make(
  "wake",
  {
    run: runId,
    wait: Flag.String("wait").pipe(
      Flag.withMetavar("ID"),
      Flag.withDescription("Only this sleep, wait_<n>; may be repeated"),
      Flag.atLeast(0)
    ),
    database,
    format
  },
  Effect.fn("runs wake")((input) =>
    Effect.gen(function* () {
      const client = makeClient(yield* openExisting(input.database))
      const { stoppedCount } = yield* client
        .wakeUp(input.run, input.wait.length === 0 ? {} : { correlationIds: input.wait })
        .pipe(Effect.mapError(refused))
      // A run that is not asleep may be waiting for a message that was lost with another queue.
      if (stoppedCount === 0) yield* client.wake(input.run).pipe(Effect.mapError(refused))
      yield* Console.log(
        input.format === "json"
          ? JSON.stringify({ runId: input.run, stoppedCount })
          : stoppedCount === 0
            ? `${input.run} has no such sleep; it will look at its log.`
            : `${stoppedCount} ${stoppedCount === 1 ? "sleep" : "sleeps"} of ${input.run} will end now.`
      )
    }).pipe(Effect.scoped)
  )
).pipe(
  Command.withShortDescription("End sleeps of a run before their time"),
  Command.withDescription(
    [
      "Ends sleeps of a run before their time, all of them unless --wait names some.",
      "",
      codes("it is asked for")
    ].join("\n")
  )
)

const resume = Command.make(
  "resume",
  {
    token: Argument.String("token").pipe(Argument.withDescription("The token of an open hook")),
    payload: Flag.String("payload").pipe(
      Flag.withMetavar("JSON"),
      Flag.withDescription("What is sent to the hook; nothing when absent"),
      Flag.optional
    ),
    database
  },
  Effect.fn("runs resume")((input) =>
    Effect.gen(function* () {
      const payload = Option.isNone(input.payload) ? undefined : yield* parsed(input.payload.value)
      const client = makeClient(yield* openExisting(input.database))
      yield* client
        .resumeHook(input.token, payload)
        .pipe(Effect.mapError((error) => (error._tag === "ValueNotStorable" ? usage(error.message) : refused(error))))
      yield* Console.log("The hook has its payload.")
    }).pipe(Effect.scoped)
  )
).pipe(
  Command.withShortDescription("Send a payload to the open hook that has a token"),
  Command.withDescription(
    ["Sends a payload to the open hook that has a token.", "", codes("the hook has its payload")].join("\n")
  )
)

const parsed = (text: string): Effect.Effect<unknown, Ended> =>
  Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: (error) => usage(`--payload is not JSON: ${error instanceof Error ? error.message : String(error)}.`)
  })

/** The command. */
export const runs = Command.make("runs").pipe(
  Command.withShortDescription("List and show runs, cancel one, end its sleeps, resume its hooks"),
  Command.withDescription("Lists and shows the runs of a file, cancels one, ends its sleeps and resumes its hooks."),
  Command.withSubcommands([list, show, cancel, wake, resume])
)
