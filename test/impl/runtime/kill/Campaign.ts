/**
 * A campaign: two workers on one SQLite file, killed again and again while a client starts runs, resumes their hooks, ends
 * their sleeps and cancels them. It is over when the kills are done and every run has ended.
 *
 * Half of the kills fall on a call of the World or the queue, before it or after it; the others come from outside, some
 * moments after the worker began to serve. A worker that dies is replaced at once. Every fourth has its workflow code in a
 * process of its own.
 *
 * With stalls, a worker is also stopped at times for longer than its lease, and goes on then, beside the worker that took
 * its runs over.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { type Client, loadWorkflows, makeClient, Workflows } from "../../../../impl/runtime/index.ts"
import { type Event, isTerminalRunEvent } from "../../../../impl/world/index.ts"
import { make } from "../../../../impl/worlds/sqlite/index.ts"
import { faultsOf, type Kind, kinds, payloads } from "./Expectation.ts"
import { longestStall, spansOf } from "./Uptime.ts"

const url = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** What a campaign is to do. `random` gives fractions in [0, 1). */
export interface CampaignOptions {
  readonly kills: number
  readonly random: () => number
  readonly leaseMs: number
  /** Stops workers at times for longer than their leases. */
  readonly stalls?: boolean
  /** Told of every hundredth kill, or so. */
  readonly onProgress?: (line: string) => void
}

/** What it came to. */
export interface Campaign {
  readonly kills: number
  readonly stalls: number
  readonly runs: number
  readonly events: number
  /** Bodies that began, and runs whose step that may be tried once was lost. */
  readonly bodies: number
  readonly lost: number
  /** The longest time that a run was stuck while a worker served. */
  readonly longestStallMs: number
  readonly faults: ReadonlyArray<string>
  /** Where the file is: kept when there is a fault. */
  readonly folder: string
}

/** The calls of a worker's life among which the deadly one is drawn, and the longest life of one that is killed. */
const CALLS = 120
const LONGEST_LIFE_MS = 1_500
/** Runs that are open at a time. */
const OPEN_RUNS = 12
/** A run that has not ended so long after the last kill never will. */
const PATIENCE_MS = 60_000

interface OpenRun {
  readonly runId: string
  readonly kind: Kind
  readonly n: number
  /** When the campaign next does something for it, and what it has done so far. */
  readonly next: () => Promise<void>
}

type WorldClient = Client["Service"]

/** Calls of a client that may come too early, or too late, for what they are about: the campaign makes them again. */
const isDone = (call: Effect.Effect<unknown, { readonly _tag: string; readonly message: string }>): Promise<boolean> =>
  Effect.runPromise(
    call.pipe(
      Effect.as(true),
      Effect.catchIf(
        ({ _tag }) => _tag === "HookNotFoundError" || _tag === "EntityConflictError",
        () => Effect.succeed(false)
      )
    )
  )

/** What the campaign does for a run each time that it looks at it. */
const careOf = (client: WorldClient, runId: string, kind: Kind, n: number, random: () => number) => {
  let sent = 0
  let looks = 0
  const cancelAt = 1 + Math.floor(random() * 12)
  return async (): Promise<void> => {
    looks++
    if (kind === "approvals" && sent < payloads.length) {
      if (await isDone(client.resumeHook(`approve-${n}`, payloads[sent]))) sent++
    }
    if (kind === "sleeper") await isDone(client.wakeUp(runId))
    if (kind === "endless" && looks === cancelAt) await isDone(client.cancel(runId, "enough"))
  }
}

const exited = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => child.once("exit", (code, signal) => resolve(signal ?? String(code))))

/** Plays one campaign. */
export const campaign = async (options: CampaignOptions): Promise<Campaign> => {
  const { random, leaseMs, onProgress = () => {} } = options
  const folder = mkdtempSync(join(tmpdir(), "onewriter-kill-"))
  const path = join(folder, "world.db")
  /** The beats of every worker that there was. */
  const beats: Array<Array<number>> = []
  const faults: Array<string> = []
  const living = new Set<ChildProcess>()
  const counts = { kills: 0, stalls: 0, runs: 0, events: 0, lost: 0, longestStallMs: 0, promised: 0, workers: 0 }
  let over = false

  /** Stops the process for longer than its lease, and lets it go on. */
  const stall = async (child: ChildProcess): Promise<void> => {
    child.kill("SIGSTOP")
    counts.stalls++
    await pause(leaseMs * 1.5)
    child.kill("SIGCONT")
  }

  const work = async (): Promise<void> => {
    while (!over) {
      const dies = counts.promised < options.kills
      if (dies) counts.promised++
      const atACall = dies && random() < 0.5
      const call = atACall ? 1 + Math.floor(random() * CALLS) : 0
      const life = random() * LONGEST_LIFE_MS
      const stalls = options.stalls === true && dies && !atACall && random() < 0.5
      const side = random() < 0.5 ? "before" : "after"
      const heap = counts.workers++ % 4 === 3 ? "256" : "0"
      const child = spawn(process.execPath, [url("./Worker.ts"), path, String(leaseMs), String(call), side, heap], {
        env: { ...process.env, KILL_FOLDER: folder },
        stdio: ["ignore", "pipe", "pipe"]
      })
      living.add(child)
      const own: Array<number> = []
      beats.push(own)
      let said = ""
      child.stderr.on("data", (data) => {
        said = (said + String(data)).slice(-4_000)
      })
      createInterface(child.stdout).on("line", (line) => {
        own.push(Number(line))
        if (own.length > 1 || !dies || atACall) return
        void pause(life)
          .then(() => (stalls ? stall(child).then(() => pause(life)) : undefined))
          .then(() => child.kill("SIGKILL"))
      })
      // A deadly call may never come, when there is too little to do: then the kill comes from outside after all.
      const late = atACall ? setTimeout(() => child.kill("SIGKILL"), 20_000) : undefined
      const exit = await exited(child)
      clearTimeout(late)
      living.delete(child)
      if (over) return
      if (exit !== "SIGKILL") faults.push(`a worker ended by itself, with ${exit}: ${said}`)
      if (exit !== "SIGKILL" && faults.length > 5) return
      if (dies) counts.kills++
      if (dies && counts.kills % 50 === 0) onProgress(`${counts.kills} kills, ${counts.runs} runs have ended`)
    }
  }

  const bodies = (): ReadonlyArray<string> =>
    existsSync(join(folder, "bodies.txt")) ? readFileSync(join(folder, "bodies.txt"), "utf8").trim().split("\n") : []

  const drive = Effect.fnUntraced(function* (client: WorldClient) {
    const workflows = yield* Effect.promise(() => loaded)
    let open: ReadonlyArray<OpenRun> = []
    let started = 0
    let quietSince = Date.now()
    for (;;) {
      const isOver = counts.kills >= options.kills
      while (!isOver && open.length < OPEN_RUNS) {
        const kind = kinds[started % kinds.length] ?? "chain"
        const n = started++
        const runId = `wrun_${kind}_${n}`
        yield* client.start(kind, [n], { runId })
        open = [...open, { runId, kind, n, next: careOf(client, runId, kind, n, random) }]
      }
      if (!isOver) quietSince = Date.now()
      yield* Effect.sleep(60)
      const remaining: Array<OpenRun> = []
      for (const run of open) {
        yield* Effect.promise(run.next)
        const { terminal } = yield* client.run(run.runId)
        if (terminal === undefined) remaining.push(run)
        else {
          const log = yield* client.log(run.runId)
          yield* Effect.provideService(judge(run, log), Workflows, workflows)
        }
      }
      open = remaining
      if (isOver && open.length === 0) return
      if (Date.now() - quietSince > PATIENCE_MS || faults.length > 5) {
        for (const { runId } of open) {
          const log = yield* client.log(runId)
          faults.push(`${runId} has not ended: ${log.slice(-6).map(lineOf).join(", ")}`)
        }
        return
      }
    }
  })

  const judge = Effect.fnUntraced(function* (run: OpenRun, log: ReadonlyArray<Event>) {
    counts.runs++
    counts.events += log.length
    const ran = bodies()
    if (log.some((event) => event.eventType === "step_failed" && event.eventData.stepName === "once")) counts.lost++
    const stalled = longestStall(log, beats.flatMap(spansOf))
    counts.longestStallMs = Math.max(counts.longestStallMs, stalled.ms)
    if (stalled.ms > leaseMs) faults.push(`${run.runId} was stuck for ${stalled.ms} ms before its slot ${stalled.slot}`)
    for (const fault of yield* faultsOf(run, log, ran)) {
      faults.push(`${run.runId}: ${fault}\n  ${log.map(lineOf).join("\n  ")}`)
    }
  })

  const loaded = Effect.runPromise(loadWorkflows([url("./Workload.ts")], { maxHeapMb: 0 }))
  const workers = [work(), work()]
  try {
    await Effect.runPromise(
      make({ path, pollMs: 50, durability: "process", queue: { leaseMs } }).pipe(
        Effect.flatMap(({ world }) => drive(makeClient(world))),
        Effect.scoped
      )
    )
  } finally {
    over = true
    for (const child of living) child.kill("SIGKILL")
    await Promise.all(workers)
  }
  const ran = bodies().length
  if (faults.length === 0) rmSync(folder, { recursive: true })
  const { promised: _promised, workers: _workers, ...rest } = counts
  return { ...rest, bodies: ran, faults, folder }
}

const lineOf = (event: Event): string => {
  const end = isTerminalRunEvent(event) ? ` ${JSON.stringify(event.eventData)}` : ""
  return `${Number(event.eventId.slice(5))} ${event.eventType} ${"correlationId" in event ? event.correlationId : ""}${end} ${event.createdAt}`
}
