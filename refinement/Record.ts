/**
 * Runs one workflow on an SQLite file with everything that it does recorded, until the run ends.
 *
 * Interrupted or killed, it can be called again with the same files: the run goes on where it was, and the trace is
 * continued by a new process.
 *
 * @module
 */
import { type Config, Effect, Layer } from "effect"
import type { RunCancelled, RunFailed, ValueNotStorable } from "../impl/runtime/Client.ts"
import { Runtime, type WorldWithoutFence } from "../impl/runtime/Runtime.ts"
import { readSettings, type Settings } from "../impl/runtime/Settings.ts"
import { BodyObserver } from "../impl/runtime/StepBodies.ts"
import type { WorkflowLoadError } from "../impl/runtime/vm/ReplayError.ts"
import { type WorkflowModule, Workflows } from "../impl/runtime/Workflows.ts"
import {
  type Event,
  type EventStorageError,
  type MessageQueueError,
  type Topology,
  World
} from "../impl/world/index.ts"
import { make } from "../impl/worlds/sqlite/index.ts"
import type { TraceUnreadable } from "./trace/Read.ts"
import { bodyRecorder, recorder } from "./trace/Recorder.ts"
import { fileSink, maySleep, type TraceUnwritable } from "./trace/Sink.ts"
import { type Header, version, type Waits } from "./trace/Trace.ts"
import { defaultWaits } from "./validate/Walk.ts"

/** What is run, and where it is recorded. */
export interface RecordOptions {
  /** The SQLite file; created when it does not exist. */
  readonly database: string
  /** The trace file; created, or continued. */
  readonly trace: string
  /** The module that exports the workflow. */
  readonly module: WorkflowModule
  readonly workflow: string
  readonly args: ReadonlyArray<unknown>
  readonly runId: string
  /** The model's program for this workflow: its name, or the program itself. */
  readonly program: Header["program"]
  readonly topology?: Topology
  /** How many milliseconds a tick of the program's sleeps is. Default: a second. */
  readonly tickMs?: number
  /** Milliseconds between looks for what other processes did. */
  readonly pollMs?: number
  /** Put between the World and the recorder, by who wants to see what a fault of the World does. */
  readonly beneath?: (world: World["Service"]) => World["Service"]
}

/** What the run came to. */
export interface Recorded {
  readonly result: unknown
  readonly log: ReadonlyArray<Event>
}

/** Why a run was not recorded to its end: files, workflow or World failed, or the run itself did not end with a value. */
/** What recording a run may fail with. */
export type RecordError =
  | TraceUnreadable
  | TraceUnwritable
  | WorkflowLoadError
  | WorldWithoutFence
  | Config.ConfigError
  | EventStorageError
  | MessageQueueError
  | ValueNotStorable
  | RunFailed
  | RunCancelled

/** How a runtime with these settings sleeps, as the header of a trace says it. */
export const waitsOf = (
  { waitHopSeconds, nearDueSeconds }: Pick<Settings, "waitHopSeconds" | "nearDueSeconds">,
  tickMs = defaultWaits.tickMs
): Waits => ({ tickMs, hopMs: waitHopSeconds * 1_000, nearDueMs: nearDueSeconds * 1_000 })

/** Runs a workflow to its end, recorded. Starting a run that exists already converges on it. */
export const recordRun = Effect.fn("recordRun")(function* (
  options: RecordOptions
): Effect.fn.Return<Recorded, RecordError> {
  const { database: path, runId, program, topology = "coalescing", pollMs } = options
  const run = Effect.gen(function* () {
    const { world } = yield* make({ path, topology, ...(pollMs === undefined ? {} : { pollMs }) })
    const settings = yield* readSettings
    const { maxInlineSteps } = settings
    const waits = { waits: waitsOf(settings, options.tickMs) }
    const sink = yield* fileSink(options.trace, {
      trace: version,
      program,
      topology,
      maxInlineSteps,
      ...(maySleep(program) ? waits : {}),
      runId
    })
    const runtime = Runtime.layer.pipe(
      Layer.provide(World.layer(recorder(options.beneath?.(world) ?? world, sink))),
      Layer.provide(Workflows.layer([options.module]))
    )
    const drive = Effect.gen(function* () {
      const { client, serve } = yield* Runtime
      yield* serve
      yield* client.start(options.workflow, options.args, { runId })
      const result = yield* client.result(runId)
      return { result, log: yield* client.log(runId) }
    })
    return yield* drive.pipe(
      Effect.scoped,
      Effect.provide(runtime),
      Effect.provideService(BodyObserver, bodyRecorder(sink))
    )
  })
  return yield* Effect.scoped(run)
})
