/**
 * `onewriter run`: starts a run of a workflow, or goes on with one, and waits for its end.
 *
 * Standard output holds the run's value and nothing else; what is said on the way is on standard error.
 *
 * @module
 */
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { type Client, type RunCancelled, type RunFailed, serialize, type Workflows } from "../../impl/runtime/index.ts"
import type { EventStorageError, World } from "../../impl/world/index.ts"
import { exitCodesHelp } from "./ExitCode.ts"
import { format } from "./Flags.ts"
import { Ended } from "./Outcome.ts"
import { refused } from "./RunFlags.ts"
import { grace, load, logFormat, logging, serve } from "./Serving.ts"
import { showValue } from "./ShowRun.ts"
import { unknownName } from "./Suggest.ts"
import { usage } from "./Targets.ts"
import { database, openOrCreate } from "./WorldFile.ts"

/** The workflow that is meant: the named one, or the only one that there is. */
const chosen = (workflows: Workflows["Service"], wanted: Option.Option<string>, file: string) => {
  const { names } = workflows
  if (Option.isSome(wanted)) {
    return names.includes(wanted.value)
      ? Effect.succeed(wanted.value)
      : Effect.fail(usage(`${file}: ${unknownName("workflow", wanted.value, names)}`))
  }
  const [only] = names
  if (only === undefined) {
    return Effect.fail(new Ended({ why: "load", message: `${file} exports no workflow: export an async function.` }))
  }
  return names.length === 1
    ? Effect.succeed(only)
    : Effect.fail(usage(`${file} exports ${names.length} workflows: say which with --workflow, ${names.join(" or ")}.`))
}

/** The arguments: what a JSON array holds, or the one argument that any other JSON is. */
const argumentsOf = (text: string): Effect.Effect<ReadonlyArray<unknown>, Ended> =>
  Effect.try({
    try: (): ReadonlyArray<unknown> => {
      const value: unknown = JSON.parse(text)
      return Array.isArray(value) ? value : [value]
    },
    catch: (error) =>
      usage(`--input is not JSON: ${error instanceof Error ? error.message : String(error)}. A text is written '"so"'.`)
  })

/** A run that exists already must be the one that is meant. */
const agrees = Effect.fnUntraced(function* (
  client: Client["Service"],
  runId: string,
  workflow: string,
  args: ReadonlyArray<unknown> | undefined
) {
  const run = yield* client.run(runId).pipe(
    Effect.asSome,
    Effect.catchTag("RunNotFoundError", () => Effect.succeedNone),
    Effect.mapError(refused)
  )
  if (Option.isNone(run)) return false
  const { workflowName } = run.value
  if (workflowName !== workflow) {
    return yield* usage(`${runId} is a run of ${workflowName}, not of ${workflow}: take another --run-id.`)
  }
  const [created] = yield* client.log(runId).pipe(Effect.mapError(refused))
  const isSame =
    args === undefined ||
    (created?.eventType === "run_created" && created.eventData.input === serialize(args, "The arguments"))
  if (!isSame) return yield* usage(`${runId} was started with another input; without --input it goes on with its own.`)
  return true
})

/** What there is to say when the run has ended. */
const report = Effect.fnUntraced(function* (
  runId: string,
  as: "text" | "json",
  end: Effect.Effect<unknown, EventStorageError | RunFailed | RunCancelled>
) {
  const say = (record: Readonly<Record<string, unknown>>, text: string): Effect.Effect<void> =>
    as === "json" ? Console.log(JSON.stringify({ runId, ...record })) : text === "" ? Effect.void : Console.log(text)
  const value = yield* end.pipe(
    Effect.catchTags({
      RunFailed: ({ error, message }) =>
        Effect.andThen(
          as === "json" ? say({ status: "failed", error }, "") : Effect.void,
          Effect.fail(new Ended({ why: "failed", message }))
        ),
      RunCancelled: ({ reason, message }) =>
        Effect.andThen(
          as === "json" ? say({ status: "cancelled", reason }, "") : Effect.void,
          Effect.fail(new Ended({ why: "cancelled", message }))
        )
    }),
    Effect.mapError((error) => (error instanceof Ended ? error : refused(error)))
  )
  yield* say({ status: "completed", result: value }, showValue(value))
})

interface Input {
  readonly file: string
  readonly workflow: Option.Option<string>
  readonly input: Option.Option<string>
  readonly runId: Option.Option<string>
  readonly detach: boolean
  readonly database: string
  readonly grace: number
  readonly format: "text" | "json"
}

const started = Effect.fnUntraced(function* (
  client: Client["Service"],
  workflow: string,
  input: Input,
  args: ReadonlyArray<unknown> | undefined
) {
  const wanted = Option.getOrUndefined(input.runId)
  const exists = wanted !== undefined && (yield* agrees(client, wanted, workflow, args))
  if (wanted !== undefined && exists) {
    // Its start may have been cut short before the message was sent; a wake costs nothing.
    yield* client.wake(wanted).pipe(Effect.mapError(refused))
    return wanted
  }
  return yield* client
    .start(workflow, args ?? [], wanted === undefined ? {} : { runId: wanted })
    .pipe(Effect.mapError((error) => (error._tag === "ValueNotStorable" ? usage(error.message) : refused(error))))
})

/** Runs of workflows that this process does not have. It would take their messages, and could do nothing with them. */
export const warnOfOthers = Effect.fnUntraced(function* (world: World["Service"], workflows: Workflows["Service"]) {
  const others = new Set<string>()
  for (const status of ["pending", "running"] as const) {
    const { data } = yield* world.events.listRuns({ status }).pipe(Effect.mapError(refused))
    for (const { workflowName } of data) if (!workflows.names.includes(workflowName)) others.add(workflowName)
  }
  if (others.size === 0) return
  yield* Console.error(
    `Warning: there are open runs of ${[...others].join(", ")}, which this process does not load. It takes their messages too, and those fail: name every module whose runs the file holds.`
  )
})

const runOf = Effect.fnUntraced(function* (input: Input) {
  const args = Option.isSome(input.input) ? yield* argumentsOf(input.input.value) : undefined
  const workflows = yield* load([input.file])
  const workflow = yield* chosen(workflows, input.workflow, input.file)
  const world = yield* openOrCreate(input.database)
  if (input.detach) {
    const { makeClient } = yield* Effect.promise(() => import("../../impl/runtime/Client.ts"))
    const runId = yield* started(makeClient(world), workflow, input, args)
    yield* Console.log(input.format === "json" ? JSON.stringify({ runId, status: "pending" }) : runId)
    return
  }
  yield* warnOfOthers(world, workflows)
  const { client } = yield* serve(world, workflows, input.grace)
  const runId = yield* started(client, workflow, input, args)
  yield* Console.error(`${runId} (${workflow}) runs.`)
  yield* report(runId, input.format, client.result(runId)).pipe(
    Effect.onInterrupt(() =>
      Console.error(
        `${runId} has not ended. A worker goes on with it, and so does \`onewriter run ${input.file} --workflow ${workflow} --run-id ${runId}\`.`
      )
    )
  )
})

/** The command. */
export const run = Command.make(
  "run",
  {
    file: Argument.String("file").pipe(Argument.withDescription("The module that exports the workflow")),
    workflow: Flag.String("workflow").pipe(
      Flag.withMetavar("NAME"),
      Flag.withDescription("Of what the module exports, this one"),
      Flag.optional
    ),
    input: Flag.String("input").pipe(
      Flag.withMetavar("JSON"),
      Flag.withDescription("The workflow's arguments: a JSON array of them, or any other JSON for a single one"),
      Flag.optional
    ),
    runId: Flag.String("run-id").pipe(
      Flag.withMetavar("ID"),
      Flag.withDescription("The run's id. A run that exists goes on, or tells its end once more"),
      Flag.optional
    ),
    detach: Flag.Boolean("detach").pipe(
      Flag.withDescription("Only start it, and print its id: a worker does the rest"),
      Flag.withDefault(false)
    ),
    database,
    grace,
    logFormat,
    format
  },
  Effect.fn("run")((input) => runOf(input).pipe(Effect.scoped, Effect.provide(logging(input.logFormat))))
).pipe(
  Command.withShortDescription("Start a run of a workflow, or go on with one, and wait for its end"),
  Command.withDescription(
    [
      "Starts a run of a workflow that a module exports, or goes on with one, and waits for its end. Standard output holds",
      "the value that it returned, and nothing else. While it waits, this process is a worker of the file as well.",
      "",
      exitCodesHelp(["holds", "usage", "failed", "cancelled", "load", "world", "internal"], {
        holds: "the run has returned; or, detached, it is started",
        usage: "the command line is wrong: an unknown file, flag or workflow, an input that is not JSON, an id in use"
      })
    ].join("\n")
  )
)
