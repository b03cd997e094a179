/**
 * A soak: many runs on one SQLite file, under two runtimes with faulty Worlds and clocks that disagree.
 *
 * Each run is judged when it has ended, as those whose workers are killed are (`kill/Expectation.ts`), and then forgotten:
 * memory that grows with the number of runs that have ended is a leak.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Clock, ConfigProvider, Effect, Layer, Logger, type Scope } from "effect"
import {
  type Attempt,
  BodyObserver,
  loadWorkflows,
  makeClient,
  Runtime,
  Workflows
} from "../../../../impl/runtime/index.ts"
import { World } from "../../../../impl/world/index.ts"
import { make } from "../../../../impl/worlds/sqlite/index.ts"
import { faultsOf, type Kind, kinds, payloads } from "../kill/Expectation.ts"
import { faulty, type Injected, noneInjected } from "./Faults.ts"

/** What a soak is to do. `random` gives fractions in [0, 1). */
export interface SoakOptions {
  readonly runs: number
  readonly random: () => number
  /** Runs that are open at a time. */
  readonly open: number
  readonly onProgress?: (line: string) => void
}

/** What it came to. */
export interface Soaked {
  readonly runs: number
  readonly events: number
  readonly bodies: number
  readonly lost: number
  readonly injected: Injected
  /** Resident memory in MiB, at every tenth of the runs. */
  readonly rssMb: ReadonlyArray<number>
  readonly faults: ReadonlyArray<string>
  /** Where the file is; kept when there is a fault. */
  readonly folder: string
}

/** How far the second runtime's clock is ahead, in milliseconds; a lease is longer. */
const SKEW_MS = 1_500
const LEASE_MS = 10_000
/** Without an end of any run for so long, something is stuck. */
const PATIENCE_MS = 120_000

const workload = fileURLToPath(new URL("../kill/Workload.ts", import.meta.url))

/** A clock that is ahead of the machine's. */
const ahead = (ms: number): Clock.Clock => {
  const nanos = BigInt(ms) * 1_000_000n
  const clock = Clock.Clock.defaultValue()
  return {
    currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + ms,
    currentTimeMillis: Effect.map(clock.currentTimeMillis, (at) => at + ms),
    currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe() + nanos,
    currentTimeNanos: Effect.map(clock.currentTimeNanos, (at) => at + nanos),
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: clock.monotonicTimeNanos,
    sleep: (duration) => clock.sleep(duration)
  }
}

interface OpenRun {
  readonly runId: string
  readonly kind: Kind
  readonly n: number
  sent: number
  looks: number
}

/** Plays a soak. */
export const soak = Effect.fnUntraced(function* ({ runs, random, open: most, onProgress = () => {} }: SoakOptions) {
  const folder = mkdtempSync(join(tmpdir(), "onewriter-soak-"))
  const path = join(folder, "world.db")
  const workflows = yield* Effect.orDie(loadWorkflows([workload], { maxHeapMb: 0 }))
  const injected = noneInjected()
  const counts = { runs: 0, events: 0, bodies: 0, lost: 0 }
  const faults: Array<string> = []
  const rssMb: Array<number> = []
  /** The bodies of open runs, as lines of their record. */
  const bodies = new Map<string, Array<string>>()
  const observer = {
    begin: ({ runId, stepId, stepName, attempt }: Attempt) =>
      Effect.sync(() => {
        counts.bodies++
        bodies.get(runId)?.push(`${runId} ${stepId} ${stepName} ${attempt}`)
      }),
    end: () => Effect.void
  }
  const opened = Effect.map(
    make({
      path,
      pollMs: 20,
      durability: "process",
      queue: { leaseMs: LEASE_MS, backoffMs: 20, maxBackoffMs: 500 }
    }),
    ({ world }) => world
  )

  /** A runtime with its own connection to the file, until the scope closes. */
  const serveFaulty = Effect.gen(function* () {
    const world = faulty(yield* opened, random, injected)
    const context = yield* Layer.build(
      Runtime.layer.pipe(
        Layer.provide(World.layer(world)),
        Layer.provide(Layer.succeed(Workflows, workflows)),
        Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({})))
      )
    )
    const { serve } = yield* Effect.provideContext(Runtime, context)
    yield* serve
    return makeClient(world)
  }).pipe(Effect.provideService(BodyObserver, observer))

  const drive = Effect.gen(function* () {
    const client = makeClient(yield* opened)
    const starting = yield* serveFaulty
    yield* Effect.provideService(serveFaulty, Clock.Clock, ahead(SKEW_MS))
    let open: Array<OpenRun> = []
    let started = 0
    let progressAt = Date.now()
    while (counts.runs < runs) {
      while (started < runs && open.length < most) {
        const kind = kinds[started % kinds.length] ?? "chain"
        const n = started++
        const runId = `wrun_${kind}_${n}`
        bodies.set(runId, [])
        // A start whose answer was lost is made again, under the same id.
        yield* Effect.retry(starting.start(kind, [n], { runId }), { times: 50 })
        open.push({ runId, kind, n, sent: 0, looks: 0 })
      }
      yield* Effect.sleep(20)
      const remaining: Array<OpenRun> = []
      for (const run of open) {
        yield* care(client, run)
        const { terminal } = yield* client.run(run.runId)
        if (terminal === undefined) remaining.push(run)
        else {
          progressAt = Date.now()
          yield* judge(client, run)
        }
      }
      open = remaining
      if (Date.now() - progressAt > PATIENCE_MS)
        faults.push(`these do not end: ${open.map((run) => run.runId).join(", ")}`)
      if (faults.length > 5) return
    }
  })

  type Client = ReturnType<typeof makeClient>

  const care = Effect.fnUntraced(function* (client: Client, run: OpenRun) {
    run.looks++
    const payload = payloads[run.sent]
    if (run.kind === "approvals" && payload !== undefined) {
      const isTaken = yield* client.resumeHook(`approve-${run.n}`, payload).pipe(
        Effect.as(true),
        Effect.catchTag("HookNotFoundError", () => Effect.succeed(false))
      )
      if (isTaken) run.sent++
    }
    if (run.kind === "sleeper") yield* client.wakeUp(run.runId)
    if (run.kind === "endless" && run.looks === 3) yield* client.cancel(run.runId, "enough")
  })

  const judge = Effect.fnUntraced(function* (client: Client, run: OpenRun) {
    const log = yield* client.log(run.runId)
    const found = yield* Effect.provideService(faultsOf(run, log, bodies.get(run.runId) ?? []), Workflows, workflows)
    bodies.delete(run.runId)
    counts.runs++
    counts.events += log.length
    if (log.some((event) => event.eventType === "step_failed" && event.eventData.stepName === "once")) counts.lost++
    faults.push(...found.map((fault) => `${run.runId}: ${fault}`))
    if (counts.runs % Math.ceil(runs / 10) !== 0 && counts.runs !== runs) return
    rssMb.push(Math.round(process.memoryUsage.rss() / 2 ** 20))
    onProgress(`${counts.runs} runs have ended, with ${counts.events} events; ${rssMb.at(-1)} MiB`)
  })

  yield* (drive satisfies Effect.Effect<void, unknown, Scope.Scope>).pipe(
    Effect.scoped,
    Effect.provide(Logger.layer([]))
  )
  if (faults.length === 0) rmSync(folder, { recursive: true })
  const soaked: Soaked = { ...counts, injected, rssMb, faults, folder }
  return soaked
})
