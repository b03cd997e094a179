/**
 * Rounds of killing under a recorder: one run of checkout whose process is killed again and again until the run ends, and
 * whose trace, continued by each process, is then held against the model.
 *
 * Half of the kills fall on a call of the World or the queue, before it or between it and its line; the others come from
 * outside at some moment. After a third of them half a line is left at the end of the trace, as a write that the kill cut
 * short would leave it.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { appendFileSync, existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { readTrace } from "../../../refinement/trace/ReadFile.ts"
import { formatTrace } from "../../../refinement/trace/Sink.ts"
import { type TraceVerdict, validate } from "../../../refinement/Validate.ts"
import { showVerdict } from "../../../refinement/validate/Show.ts"

const child = fileURLToPath(new URL("./Child.ts", import.meta.url))

/** Calls of the World and the queue in an undisturbed run of checkout. */
const CALLS = 12
const LONGEST_DELAY_MS = 900

/** What one round came to. */
export interface Round {
  readonly kills: number
  readonly result: unknown
  readonly verdict: TraceVerdict
  /** The trace, for a round that is not as it should be. */
  readonly text: string
}

const exitOf = (process: ChildProcess): Promise<NodeJS.Signals | number | null> =>
  new Promise((resolve) => process.once("exit", (code, signal) => resolve(signal ?? code)))

/** Kills until `most` kills have hit, then lets the run end. `random` gives numbers from 0 up to 1. */
export const killRound = async (random: () => number, most: number): Promise<Round> => {
  const folder = mkdtempSync(join(tmpdir(), "onewriter-refine-"))
  const trace = join(folder, "trace.ndjson")
  try {
    for (let kills = 0; ; ) {
      const isLast = kills >= most
      const atACall = random() < 0.5
      const call = !isLast && atACall ? 1 + Math.floor(random() * CALLS) : 0
      const run = spawn(process.execPath, [child, folder, String(call), random() < 0.5 ? "before" : "after"], {
        env: { ...process.env, CHECKOUT_DIR: folder },
        stdio: ["ignore", "pipe", "pipe"]
      })
      let output = ""
      let errors = ""
      run.stderr.on("data", (data) => {
        errors += String(data)
      })
      const delay = random() * LONGEST_DELAY_MS
      run.stdout.on("data", (data) => {
        if (output === "" && !isLast && !atACall) setTimeout(() => run.kill("SIGKILL"), delay)
        output += String(data)
      })
      const exit = await exitOf(run)
      if (exit === "SIGKILL") {
        kills++
        if (random() < 1 / 3 && existsSync(trace)) appendFileSync(trace, '{"n":9,"process":"p1","action":"Com')
      } else if (exit !== 0) throw new Error(`The process ended with ${exit}: ${errors}`)
      else {
        const read = await Effect.runPromise(readTrace(trace))
        const verdict = await Effect.runPromise(validate(read))
        return { kills, result: JSON.parse(output.trim().split("\n")[1] ?? ""), verdict, text: formatTrace(read) }
      }
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Why a round is not as it should be; undefined when it is. */
export const faultOf = ({ result, verdict, text }: Round): string | undefined => {
  if (result !== "charge-order-1") return `the result is ${JSON.stringify(result)}`
  if (verdict.result === "refused") return `${showVerdict(verdict, "trace")}\n${text}`
  return verdict.ended ? undefined : "the trace does not show the run's end"
}
