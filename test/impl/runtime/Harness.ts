/**
 * Runs programs on a World with bodies under the test's control.
 *
 * A body is a function of its attempt, by step name; a step without one returns its own name.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Cause, ConfigProvider, Effect, Exit, Layer, type Scope } from "effect"
import {
  type Attempt,
  type BodyOutcome,
  type Client,
  coldReplay,
  loadWorkflows,
  RunRetention,
  Runtime,
  StepBodies,
  type StepBodiesService,
  Workflows,
  type WorldWithoutFence
} from "../../../impl/runtime/index.ts"
import type { StepMetadata } from "../../../impl/workflow/index.ts"
import { correlationIdOf, type Event, slotOf, World } from "../../../impl/world/index.ts"
import { layer as memoryLayer } from "../../../impl/worlds/memory/index.ts"
import { layer as sqliteLayer } from "../../../impl/worlds/sqlite/index.ts"
import { type Program, stepsOf } from "../../../model/programs/Program.ts"

export type { Attempt, BodyOutcome }

const url = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The program interpreter, checkout, and the workflows of the fixtures. */
export const workflows: Promise<Workflows["Service"]> = Effect.runPromise(
  loadWorkflows(
    [
      url("../../../impl/workflow/Interpreter.ts"),
      url("../../../docs/examples/checkout.ts"),
      url("./fixtures/Nasty.ts"),
      url("./fixtures/Told.ts"),
      url("./examples/Workflows.ts"),
      url("./fixtures/Sleeper.ts")
    ],
    { passTimeoutMs: 0, maxHeapMb: 0 }
  )
)

export type Bodies = Readonly<Record<string, (attempt: StepMetadata) => Effect.Effect<unknown, unknown>>>

/** The bodies of a program's steps, and a record of the attempts that ran. */
export const bodiesOf = (
  program: Program,
  bodies: Bodies = {}
): StepBodiesService & { readonly ran: Array<string> } => {
  const { maxRetries } = stepsOf(program)
  const ran: Array<string> = []
  return {
    ran,
    lookup: (name) => {
      const retries = maxRetries.get(name)
      if (retries === undefined) return undefined
      return {
        maxRetries: retries,
        run: (_, attempt) =>
          Effect.suspend(() => {
            ran.push(`${name}/${attempt.attempt}`)
            return bodies[name]?.(attempt) ?? Effect.succeed(name)
          })
      }
    }
  }
}

/** The Worlds that the suite runs on. */
export const worlds = {
  memory: (): Layer.Layer<World, unknown> => memoryLayer(),
  sqlite: (): Layer.Layer<World, unknown> =>
    Layer.unwrap(
      Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "onewriter-"))),
        (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
      ).pipe(Effect.map((folder) => sqliteLayer({ path: join(folder, "world.db"), pollMs: 10, durability: "process" })))
    )
}

/** The same World, without a live feed. */
export const withoutFeed = (world: Layer.Layer<World, unknown>): Layer.Layer<World, unknown> =>
  Layer.effect(
    World,
    Effect.map(World, (given) => {
      const { subscribe: _, ...events } = given.events
      return { ...given, events }
    })
  ).pipe(Layer.provide(world))

export interface RunOptions {
  readonly bodies?: StepBodiesService
  readonly maxInlineSteps?: number
  /** Further settings, by their names in the environment. */
  readonly environment?: Readonly<Record<string, string>>
}

/** Serves a World while an effect uses its client. */
export const serving = async <A, E>(
  world: Layer.Layer<World, unknown>,
  options: RunOptions,
  use: (client: Client["Service"]) => Effect.Effect<A, E, Scope.Scope | Workflows>
): Promise<A> => {
  const loaded = await workflows
  const runtime: Layer.Layer<Runtime, unknown | WorldWithoutFence, World> = Runtime.layer.pipe(
    Layer.provide(Layer.succeed(Workflows, loaded)),
    Layer.provide(
      ConfigProvider.layer(
        ConfigProvider.fromUnknown({
          WORKFLOW_MAX_INLINE_STEPS: String(options.maxInlineSteps ?? 3),
          ...options.environment
        })
      )
    ),
    Layer.provide(options.bodies === undefined ? Layer.empty : Layer.succeed(StepBodies, options.bodies))
  )
  return Effect.gen(function* () {
    const { client, serve } = yield* Runtime
    yield* serve
    return yield* use(client)
  }).pipe(
    Effect.scoped,
    Effect.provide(runtime.pipe(Layer.provide(world))),
    // Whatever a kept run decides is compared with a cold replay.
    Effect.provideService(RunRetention, { maxRuns: 8, maxEvents: 10_000, compare: true }),
    Effect.provideService(Workflows, loaded),
    Effect.runPromise
  )
}

/** What a delivery failed with; nothing when it did not fail. */
export const failureOf = (exit: Exit.Exit<unknown, unknown> | "crashed"): unknown =>
  exit !== "crashed" && Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined

/** A log as lines: the slot, the event, the entity, and the attempt where there is one. */
export const linesOf = (log: ReadonlyArray<Event>): ReadonlyArray<string> =>
  log.map((event) => {
    const data: Readonly<Record<string, unknown>> = event.eventData
    const parts = [String(slotOf(event)), event.eventType, correlationIdOf(event)]
    if (data.attempt !== undefined) parts.push(`#${data.attempt}`)
    if (data.inline === true) parts.push("inline")
    if (event.eventType === "step_retrying" && data.creatorMessageId !== undefined) parts.push("moved")
    return parts.filter((part) => part !== undefined).join(" ")
  })

/** The lines of a run's log, once a cold replay has confirmed it. */
export const confirmed = Effect.fnUntraced(function* (client: Client["Service"], runId: string) {
  const log = yield* client.log(runId)
  yield* coldReplay(log)
  return linesOf(log)
})
