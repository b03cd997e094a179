/**
 * Rounds of killing: one run of checkout on an SQLite file, whose process is killed again and again until the run ends.
 *
 * Half of the kills fall on a call of the World or the queue, before it or after it; the others come from outside, some
 * moments after the process began to serve.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { coldReplay, loadWorkflows, makeClient, Workflows } from "../../../../impl/runtime/index.ts"
import type { Event } from "../../../../impl/world/index.ts"
import { make } from "../../../../impl/worlds/sqlite/index.ts"

const url = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Calls of the World and the queue in an undisturbed run of checkout; a kill at a later one falls on nothing. */
const CALLS = 13
const LONGEST_DELAY_MS = 60

/** What one round came to. */
export interface Round {
  readonly kills: number
  /** The result that the surviving process printed. */
  readonly result: unknown
  readonly charges: ReadonlyArray<string>
  readonly receipts: number
  readonly log: ReadonlyArray<Event>
}

const exitOf = (child: ChildProcess): Promise<NodeJS.Signals | number | null> =>
  new Promise((resolve) => child.once("exit", (code, signal) => resolve(signal ?? code)))

const lines = (file: string): ReadonlyArray<string> => {
  try {
    return readFileSync(file, "utf8").trim().split("\n")
  } catch {
    // No step has written it yet.
    return []
  }
}

/** One round: kills until `most` kills have hit, then lets the run end. `random` gives fractions in [0, 1). */
export const killRound = async (random: () => number, most: number): Promise<Round> => {
  const folder = mkdtempSync(join(tmpdir(), "onewriter-kill-"))
  const path = join(folder, "world.db")
  try {
    for (let kills = 0; ; ) {
      const atACall = random() < 0.5
      const isLast = kills >= most
      const call = !isLast && atACall ? 1 + Math.floor(random() * CALLS) : 0
      const side = random() < 0.5 ? "before" : "after"
      const child = spawn(process.execPath, [url("./Child.ts"), path, "run_1", String(call), side], {
        env: { ...process.env, CHECKOUT_DIR: folder },
        stdio: ["ignore", "pipe", "pipe"]
      })
      let output = ""
      let errors = ""
      child.stderr.on("data", (data) => {
        errors += String(data)
      })
      const delay = random() * LONGEST_DELAY_MS
      child.stdout.on("data", (data) => {
        if (output === "" && !isLast && !atACall) setTimeout(() => child.kill("SIGKILL"), delay)
        output += String(data)
      })
      const exit = await exitOf(child)
      if (exit === "SIGKILL") kills++
      else if (exit !== 0) throw new Error(`The process ended with ${exit}: ${errors}`)
      else {
        const result: unknown = JSON.parse(output.trim().split("\n")[1] ?? "")
        const charges = lines(join(folder, "charges.txt"))
        const receipts = lines(join(folder, "receipts.txt")).length
        return { kills, result, charges, receipts, log: await logOf(path) }
      }
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const logOf = (path: string): Promise<ReadonlyArray<Event>> =>
  make({ path }).pipe(
    Effect.flatMap(({ world }) => makeClient(world).log("run_1")),
    Effect.scoped,
    Effect.runPromise
  )

const workflows = Effect.runPromise(loadWorkflows([url("../../../../docs/examples/checkout.ts")]))

/** Why a round is not as it should be; undefined when nothing was lost and nothing was done twice. */
export const faultOf = async ({ result, charges, receipts, log }: Round): Promise<string | undefined> => {
  if (result !== "charge-order-1") return `the result is ${JSON.stringify(result)}`
  if (charges.length !== 1) return `the card was charged ${charges.length} times`
  if (receipts < 1) return "no receipt was sent"
  const replayed = await coldReplay(log).pipe(
    Effect.provideService(Workflows, await workflows),
    Effect.match({ onSuccess: () => undefined, onFailure: (error) => error.message }),
    Effect.runPromise
  )
  return replayed
}
