/**
 * Serving runs in the command's process: workflows are loaded, messages are handled, and at the end all is let go of in
 * order.
 *
 * ```
 * serving ──SIGINT, SIGTERM──> draining: no message is claimed, bodies that run may finish ──> handed over
 *                                 └── a second signal, or --grace is over ──> what runs is broken off, and runs again elsewhere
 * ```
 *
 * @module
 */
import { existsSync } from "node:fs"
import { Config, Console, Effect, Layer, Logger, Scope } from "effect"
import { Flag } from "effect/cli"
import { type Client, makeClient, Runtime, type RuntimeHandler, Workflows } from "../../impl/runtime/index.ts"
import { Drain, Draining, World } from "../../impl/world/index.ts"
import { Ended } from "./Outcome.ts"
import { usage } from "./Targets.ts"
import { exporting } from "./Telemetry.ts"
import { worldEnded } from "./WorldFile.ts"

/** `--grace SECONDS`. */
export const grace = Flag.Finite("grace").pipe(
  Flag.withMetavar("SECONDS"),
  Flag.withDescription("How long the bodies that run may take to finish after a signal. Default: 10"),
  Flag.withDefault(10)
)

/** `--log-format`. */
export const logFormat = Flag.Literals("log-format", ["logfmt", "json"]).pipe(
  Flag.withDescription("How the lines of the log are written, on standard error"),
  Flag.withDefault("logfmt" as const)
)

/** What serves, and what is asked of it. */
export interface Serving {
  readonly client: Client["Service"]
  readonly workflows: Workflows["Service"]
}

/** Loads modules, whose bodies and workflows the process then has. */
export const load = Effect.fn("load")(function* (
  files: ReadonlyArray<string>
): Effect.fn.Return<Workflows["Service"], Ended, Scope.Scope> {
  for (const file of files) if (!existsSync(file)) return yield* usage(`There is no file ${file}.`)
  const context = yield* Layer.build(Workflows.layer(files)).pipe(
    Effect.mapError(({ message }) => new Ended({ why: "load", message }))
  )
  return yield* Effect.provideContext(Workflows, context)
})

const signalled: Effect.Effect<void> = Effect.callback((resume) => {
  const told = () => resume(Effect.void)
  process.once("SIGINT", told)
  process.once("SIGTERM", told)
  return Effect.sync(() => {
    process.removeListener("SIGINT", told)
    process.removeListener("SIGTERM", told)
  })
})

const LOOK_EVERY_MS = 20

/** Deliveries that are under way in this process. */
class UnderWay {
  count = 0

  around(handler: RuntimeHandler): RuntimeHandler {
    return (payload, meta) =>
      Effect.suspend(() => {
        this.count++
        return Effect.ensuring(
          handler(payload, meta),
          Effect.sync(() => {
            this.count--
          })
        )
      })
  }

  /** Waits until there are none; false when the time is over, or a signal comes, before. */
  settled(seconds: number): Effect.Effect<boolean> {
    const none: Effect.Effect<boolean> = Effect.suspend(() =>
      this.count === 0 ? Effect.succeed(true) : Effect.andThen(Effect.sleep(LOOK_EVERY_MS), none)
    )
    const over = Effect.as(Effect.raceFirst(signalled, Effect.sleep(seconds * 1000)), false)
    return Effect.raceFirst(none, over)
  }
}

let isBrokenOff = false
let isInOrder = false

/** Whether a worker of this process was stopped, and left nothing half done: then it ends with 0, as it was asked to. */
export const stoppedInOrder = (): boolean => isInOrder

/** Says that a signal is the way in which the command is to end. */
export const endsBySignal: Effect.Effect<void, never, Scope.Scope> = Effect.addFinalizer(() =>
  Effect.sync(() => {
    isInOrder = !isBrokenOff
  })
)

/** What a person reads when the process lets go: nothing where there is nothing to let go of. */
const letGo = Effect.fnUntraced(function* (drain: Drain, underWay: UnderWay, seconds: number) {
  drain.begin()
  if (underWay.count === 0) return
  const count = (n: number) => (n === 1 ? "1 delivery" : `${n} deliveries`)
  yield* Console.error(
    `Finishing ${count(underWay.count)}, for at most ${seconds} s. Another signal ends that at once.`
  )
  if (yield* underWay.settled(seconds)) yield* Console.error("All are finished, or handed over.")
  else {
    isBrokenOff = true
    yield* Console.error(
      `${count(underWay.count)} broken off: another worker, or this one when it runs again, goes on.`
    )
  }
})

/** Serves until the scope closes, and lets go of its work in order then. */
export const serve = Effect.fn("serve")(function* (
  world: World["Service"],
  workflows: Workflows["Service"],
  seconds: number
): Effect.fn.Return<Serving, Ended, Scope.Scope> {
  const runtime = yield* Layer.build(
    Runtime.layer.pipe(Layer.provide(World.layer(world)), Layer.provide(Layer.succeed(Workflows, workflows)))
  ).pipe(
    Effect.flatMap((context) => Effect.provideContext(Runtime, context)),
    Effect.mapError((error) =>
      error instanceof Config.ConfigError
        ? usage(`A setting in the environment is wrong: ${error.cause.message}`)
        : new Ended({ why: "world", message: error.message })
    )
  )
  const drain = new Drain()
  const underWay = new UnderWay()
  // Deliveries belong to a scope of their own, which closes after they were let go of.
  const deliveries = yield* Scope.make()
  yield* world.queue.serve(underWay.around(runtime.handler)).pipe(
    Effect.provideService(Draining, drain),
    Effect.provideService(Scope.Scope, deliveries),
    Effect.mapError((error) => (error._tag === "WorkflowWorldError" ? worldEnded(error) : usage(error.message)))
  )
  yield* Effect.addFinalizer((exit) => Effect.andThen(letGo(drain, underWay, seconds), Scope.close(deliveries, exit)))
  return { client: makeClient(world), workflows }
})

/** The logger of a process that serves: standard error, so that standard output is what was asked for; and the exporter. */
export const logging = (format: "logfmt" | "json"): Layer.Layer<never, Ended> =>
  Layer.mergeAll(
    Logger.layer([Logger.withConsoleError(format === "json" ? Logger.formatJson : Logger.formatLogFmt)]),
    exporting
  )
