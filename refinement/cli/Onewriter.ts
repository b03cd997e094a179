/**
 * The root command, its subcommands, and how a run of it ends.
 *
 * @module
 */
// Each by its own path: the package's root would load every service that it has, at twice the time to start.
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Effect, Runtime } from "effect"
import { CliError, CliOutput, Command } from "effect/cli"
import { ablate } from "./Ablate.ts"
import { check } from "./Check.ts"
import { conformance } from "./Conformance.ts"
import { exitCodesHelp } from "./ExitCode.ts"
import { explore } from "./Explore.ts"
import { exploreRuntimeCommand } from "./ExploreRuntime.ts"
import { exportCommand } from "./Export.ts"
import { lint } from "./Lint.ts"
import { log } from "./Log.ts"
import { models } from "./Models.ts"
import { Ended } from "./Outcome.ts"
import { presenter } from "./Presenting.ts"
import { refine } from "./Refine.ts"
import { replayTrace } from "./ReplayTrace.ts"
import { rules } from "./Rules.ts"
import { run } from "./Run.ts"
import { runs } from "./Runs.ts"
import { stoppedInOrder } from "./Serving.ts"
import { simulate } from "./Simulate.ts"
import { guardProcess, leave, SpecProcess } from "./SpecProcess.ts"
import { tour } from "./Tour.ts"
import { version } from "./Version.ts"
import { visible, visibleConsole } from "./Visible.ts"
import { worker } from "./Worker.ts"

/** Every subcommand: add yours here. Those that print what specs, traces and files say print it visibly. */
const commands = [
  ablate,
  check.pipe(Command.provideEffect(Console.Console, visibleConsole)),
  conformance.pipe(Command.provideEffect(Console.Console, visibleConsole)),
  explore,
  exploreRuntimeCommand.pipe(Command.provideEffect(Console.Console, visibleConsole)),
  exportCommand.pipe(Command.provideEffect(Console.Console, visibleConsole)),
  lint.pipe(Command.provideEffect(Console.Console, visibleConsole)),
  log.pipe(Command.provideEffect(Console.Console, visibleConsole)),
  models,
  refine.pipe(Command.provideEffect(Console.Console, visibleConsole)),
  replayTrace.pipe(Command.provideEffect(Console.Console, visibleConsole)),
  rules,
  run.pipe(Command.provideEffect(Console.Console, visibleConsole)),
  runs.pipe(Command.provideEffect(Console.Console, visibleConsole)),
  simulate.pipe(Command.provideEffect(Console.Console, visibleConsole)),
  tour,
  worker.pipe(Command.provideEffect(Console.Console, visibleConsole))
] as const

const onewriter = Command.make("onewriter").pipe(
  Command.withDescription(
    [
      "An executable, model-checked reference of the single-orchestrator durable-workflow protocol.",
      "",
      exitCodesHelp()
    ].join("\n")
  ),
  Command.withSubcommands(commands)
)

/** Says what is still to be said about a failure, and gives it its exit code. */
const finish = (cause: Cause.Cause<unknown>): Effect.Effect<never, unknown> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
  const error = Cause.squash(cause)
  if (error instanceof Ended) {
    return Effect.andThen(
      error.message === "" ? Effect.void : Console.error(visible(error.message)),
      Effect.fail(error)
    )
  }
  // The parser has already shown what is wrong with the command line.
  if (CliError.isCliError(error)) return Effect.fail(error)
  return Effect.andThen(
    Console.error(`onewriter itself failed, which is a defect in it. Please report this:\n${Cause.pretty(cause)}`),
    Effect.fail(new Ended({ why: "internal", message: "" }))
  )
}

/** The command, with the arguments given. It has said all there is to say; its failure carries the exit code. */
export const onewriterWith = (args: ReadonlyArray<string>): Effect.Effect<void, unknown> =>
  Command.runWith(onewriter, { version: version() })(args).pipe(
    Effect.provide(NodeServices.layer),
    Effect.provideService(CliOutput.Presenter, presenter),
    Effect.catchCause(finish)
  )

const INTERRUPTED = 130

/** Runs the command that the process was given, and sets its exit code. */
export const main = (): void =>
  NodeRuntime.runMain(Effect.provideService(onewriterWith(process.argv.slice(2)), SpecProcess, guardProcess), {
    disableErrorReporting: true,
    teardown: (exit) =>
      Runtime.defaultTeardown(exit, (given) => {
        const code = given === INTERRUPTED && stoppedInOrder() ? 0 : given
        // Leaving at once may cut off what is still on its way into a pipe; not leaving waits for what a spec has opened.
        process.exitCode = code
        process.stdout.write("", () => process.stderr.write("", () => leave(code)))
      })
  })
