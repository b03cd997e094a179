/**
 * The SQLite World: log, fence, queue and leases in one file, which several processes on one machine may share.
 *
 * A process that is killed loses nothing that was answered: every call is one committed transaction, and its leases end
 * at once when another process, or the same program started again, sees that it is dead; otherwise after `leaseMs`.
 *
 * Processes are not told of each other's sends: a process looks again every `pollMs`, and at once for its own.
 *
 * Rules: those of `SqliteLog.ts` and `SqliteQueue.ts`; capabilities as `World.ts` has them for the topology.
 *
 * @module
 */
import { Clock, Effect, Layer, Queue, Result, Schema, type Scope } from "effect"
import {
  capabilitiesOf,
  EventInput,
  type EventStorage,
  type MessageQueue,
  mintedSpecVersion,
  type StreamStorage,
  Topology,
  WorkflowInvokePayload,
  WorkflowWorldError,
  World,
  type WorldServices
} from "../../world/index.ts"
import { badRequest, runIdRequired } from "../AppendRules.ts"
import { type DeliveryStore, serveFrom } from "../DeliveryLoop.ts"
import { type Followed, followLog, followStream, runsChangedBy } from "../Following.ts"
import { defaultLimits, type Limits } from "../Limits.ts"
import { defaultQueueSettings, type QueueSettings } from "../QueueRules.ts"
import { makeBells, makeWakeups } from "../Wakeups.ts"
import { type Database, type Durability, open } from "./Database.ts"
import { makeHooks } from "./HookRegistry.ts"
import { makeRows } from "./LogRows.ts"
import { thisProcess } from "./Owner.ts"
import { makeLog } from "./SqliteLog.ts"
import { makeQueue } from "./SqliteQueue.ts"
import { makeReads } from "./SqliteReads.ts"
import { makeStreams } from "./SqliteStreams.ts"
import { makeVolatileQueue } from "./VolatileQueue.ts"

/** Where the messages are: with the log, or in the memory of the one process that has the file open. */
export const QueuePlace = Schema.Literals(["file", "memory"])
/** Where the messages are. */
export type QueuePlace = typeof QueuePlace.Type

/** How a SQLite World is opened. */
export interface SqliteWorldOptions {
  /** The file; created when it does not exist. `:memory:` gives a World that ends with the process. */
  readonly path: string
  /**
   * Fixed when the file is created (`coalescing` when absent), because every process that shares a file must serialize
   * a run alike. Opening a file with another topology than its own fails.
   */
  readonly topology?: Topology
  /**
   * Fixed when the file is created (`file` when absent). With `memory`, messages are lost with the process, and every run
   * that has not ended is recovered when the file is opened; one process at a time may open it. See `VolatileQueue.ts`.
   */
  readonly queueIn?: QueuePlace
  /** What a commit survives; `power` when absent. See `Database.ts`. */
  readonly durability?: Durability
  /** Milliseconds to wait for another process's transaction; 5,000 when absent. */
  readonly busyTimeoutMs?: number
  /** The most bytes that the file may have; unlimited when absent. A write beyond it fails with `disk-full`. */
  readonly maxFileBytes?: number
  /** Milliseconds between looks for what other processes did; 100 when absent. */
  readonly pollMs?: number
  /** The most handlers that one `serve` runs at a time; 64 when absent. */
  readonly concurrency?: number
  /** Milliseconds of silence after which a live feed says that it lives; 5,000 when absent. */
  readonly heartbeatMs?: number
  readonly queue?: Partial<QueueSettings>
  readonly limits?: Partial<Limits>
  /** Gives ids to runs that are created without one. */
  readonly mintRunId?: Effect.Effect<string>
}

const isEventInput = Schema.is(EventInput)
const isPayload = Schema.is(WorkflowInvokePayload)

const mintRandomRunId = Effect.sync(() => `wrun_${globalThis.crypto.randomUUID().replaceAll("-", "")}`)

/** What every opening of a file must agree on, recorded on the first one. */
const settle = <A extends string>(
  { path, sql, write }: Database,
  name: string,
  known: Schema.Codec<A, string> & { readonly literals: ReadonlyArray<A> },
  wanted: A | undefined,
  otherwise: A
): Effect.Effect<A, WorkflowWorldError> =>
  write((): Result.Result<A, WorkflowWorldError> => {
    const chosen = wanted ?? otherwise
    if (!Schema.is(known)(chosen)) {
      const message = `There is no ${name} ${JSON.stringify(chosen)}: it is one of ${known.literals.join(", ")}.`
      return Result.fail(new WorkflowWorldError({ status: 400, code: `bad-${name}`, message }))
    }
    const row = sql("SELECT value FROM settings WHERE name = ?").get(name)
    if (row === undefined) {
      sql("INSERT INTO settings (name, value) VALUES (?, ?)").run(name, chosen)
      return Result.succeed(chosen)
    }
    const settled = Schema.decodeUnknownSync(known)(row.value)
    return wanted === undefined || wanted === settled
      ? Result.succeed(settled)
      : Result.fail(
          new WorkflowWorldError({
            status: 409,
            code: `${name}-mismatch`,
            message: `${path} was created with the ${name} ${settled} and cannot be opened with ${wanted}.`
          })
        )
  })

/** An open SQLite World. */
export interface SqliteWorld {
  readonly world: World["Service"]
  /** The queue's inner half, for a caller that makes deliveries one by one. */
  readonly deliveries: DeliveryStore
}

/**
 * Opens a World on a file, until the scope closes. Closing gives up the leases that are still held.
 *
 * Fails with a `WorkflowWorldError` whose code is `directory-missing`, `cannot-open`, `read-only`, `not-a-database`,
 * `foreign-database`, `newer-schema`, `topology-mismatch`, `queue-place-mismatch`, `corrupt`, `locked`, `disk-full` or `io`.
 */
export const make = Effect.fnUntraced(function* (
  options: SqliteWorldOptions
): Effect.fn.Return<SqliteWorld, WorkflowWorldError, Scope.Scope> {
  const { durability = "power", busyTimeoutMs = 5_000, pollMs = 100, concurrency = 64 } = options
  const settings: QueueSettings = { ...defaultQueueSettings, ...options.queue }
  const limits: Limits = { ...defaultLimits, ...options.limits }
  const mintRunId = options.mintRunId ?? mintRandomRunId

  const database = yield* Effect.acquireRelease(open({ ...options, durability, busyTimeoutMs }), (opened) =>
    Effect.sync(() => opened.close())
  )
  const topology = yield* settle(database, "topology", Topology, options.topology, "coalescing")
  const place = yield* settle(database, "queue-place", QueuePlace, options.queueIn, "file")
  const rows = makeRows(database, limits)
  const hooks = makeHooks(database, rows)
  const log = makeLog(database, rows, hooks, limits)
  const reads = makeReads(database, rows, hooks, limits)
  const made =
    place === "file"
      ? makeQueue(database, thisProcess(), topology, settings, limits)
      : makeVolatileQueue(database, topology, settings, limits, yield* Clock.currentTimeMillis)
  const inner = yield* Effect.acquireRelease(made, (opened) =>
    Effect.flatMap(Clock.currentTimeMillis, opened.resign).pipe(
      Effect.catch((error) => Effect.logWarning("The leases of this process end when others see it is gone.", error))
    )
  )
  const wakeups = makeWakeups()
  const now = Clock.currentTimeMillis

  const appended = makeBells()
  const followed: Followed = { appended, lookEveryMs: pollMs, heartbeatMs: options.heartbeatMs ?? 5_000 }

  const list: EventStorage["Service"]["list"] = (runId, params = {}) => log.list(runId, params)
  const events: EventStorage["Service"] = {
    create: Effect.fnUntraced(function* (runId, data, params = {}) {
      if (runId === null && data.eventType !== "run_created") {
        return yield* runIdRequired(data)
      }
      // What is stored unread cannot be read later, so a caller without types is told now.
      if (!isEventInput(data)) return yield* badRequest("bad-event", "The event does not have its type's fields.")
      const result = yield* log.create(runId ?? (yield* mintRunId), data, params, yield* now)
      for (const changed of runsChangedBy(result.event)) yield* appended.ring(changed)
      return result
    }),
    createBatch: Effect.fnUntraced(function* (runId, data, params = {}) {
      if (!data.every((item) => isEventInput(item))) {
        return yield* badRequest("bad-event", "An event of the batch does not have its type's fields.")
      }
      const result = yield* log.createBatch(runId, data, params, yield* now)
      yield* appended.ring(runId)
      return result
    }),
    list,
    subscribe: (runId, afterSlot) => followLog(list, followed, runId, afterSlot),
    getRun: reads.getRun,
    listRuns: reads.listRuns,
    getStep: reads.getStep,
    listSteps: reads.listSteps,
    getHookByToken: (token) => Effect.flatMap(now, (at) => reads.getHookByToken(token, at)),
    listHooks: (params = {}) => Effect.flatMap(now, (at) => reads.listHooks(params, at))
  }

  const stored = makeStreams(database, rows, limits)
  const streams: StreamStorage["Service"] = {
    ...stored,
    write: (runId, name, chunks) => Effect.andThen(stored.write(runId, name, chunks), appended.ring(runId)),
    close: (runId, name) => Effect.andThen(stored.close(runId, name), appended.ring(runId)),
    read: (runId, name, startIndex = 0) => followStream(stored, followed, runId, name, startIndex)
  }

  const deliveries: DeliveryStore = {
    claim: Effect.flatMap(now, inner.claim),
    answer: Effect.fnUntraced(function* (lease, answer) {
      const answered = yield* inner.answer(lease, answer, yield* now)
      yield* wakeups.ring
      return answered
    }),
    renew: (lease) => Effect.flatMap(now, (at) => inner.renew(lease, at)),
    release: (lease) => Effect.flatMap(now, (at) => inner.release(lease, at)).pipe(Effect.andThen(wakeups.ring)),
    idle: Effect.fnUntraced(function* (rings) {
      const at = yield* now
      const next = (yield* inner.nextChangeAt(at)) ?? Number.POSITIVE_INFINITY
      return yield* Effect.raceFirst(Queue.take(rings), Effect.sleep(Math.max(0, Math.min(pollMs, next - at))))
    }),
    wakeups: wakeups.subscribe,
    concurrency,
    renewEveryMs: Math.ceil(settings.leaseMs / 3)
  }

  const queue: MessageQueue["Service"] = {
    send: Effect.fnUntraced(function* (payload, sendOptions = {}) {
      if (!isPayload(payload)) return yield* badRequest("bad-message", "The payload does not have a message's fields.")
      const sent = yield* inner.send(payload, sendOptions, yield* now)
      yield* wakeups.ring
      return sent
    }),
    serve: (handler) => serveFrom(deliveries, handler)
  }

  const capabilities = capabilitiesOf(topology)
  const specVersion = mintedSpecVersion(capabilities)
  return { world: { name: "sqlite", specVersion, topology, capabilities, events, queue, streams }, deliveries }
})

/** A World on a file, for as long as the layer lives. See `make` for the errors. */
export const layer = (options: SqliteWorldOptions): Layer.Layer<WorldServices, WorkflowWorldError> =>
  Layer.unwrap(Effect.map(make(options), ({ world }) => World.layer(world)))
