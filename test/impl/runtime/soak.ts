/**
 * N runs on one SQLite file under faulty Worlds and clocks that disagree: `node test/impl/runtime/soak.ts 10000 [seed]`.
 *
 * Exits with 1 when a run ended otherwise than it should, or when memory grew in the second half of the runs.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { fraction, randomOf } from "../../../impl/runtime/vm/kernel/Random.ts"
import { soak } from "./soak/Soak.ts"

/** In the second half of the runs, resident memory may grow by so much: allocators do not give back what is free. */
const GROWTH = 1.25

const [runs = "10000", seed = String(Date.now())] = process.argv.slice(2)
const draw = randomOf(seed)
const bodies = mkdtempSync(join(tmpdir(), "onewriter-soak-bodies-"))
process.env.KILL_FOLDER = bodies

const began = performance.now()
const startMb = Math.round(process.memoryUsage.rss() / 2 ** 20)
const came = await Effect.runPromise(
  soak({
    runs: Number(runs),
    random: () => fraction(draw),
    open: 48,
    onProgress: (line) => process.stdout.write(`${line}\n`)
  })
)
rmSync(bodies, { recursive: true })
const seconds = (performance.now() - began) / 1000
const { refused, throttled, lostAnswers, duplicates, redeliveries } = came.injected
const middleMb = came.rssMb[Math.floor(came.rssMb.length / 2) - 1] ?? startMb
const endMb = came.rssMb.at(-1) ?? startMb
const faults = [...came.faults, ...(endMb > middleMb * GROWTH ? [`memory grew from ${middleMb} to ${endMb} MiB`] : [])]
process.stdout.write(
  [
    `${came.runs} runs, ${came.events} events and ${came.bodies} bodies in ${seconds.toFixed(0)} s, seed ${seed}`,
    `injected: ${refused} of 503, ${throttled} of 429, ${lostAnswers} lost answers, ${duplicates} wakes sent twice, ${redeliveries} deliveries made again; clocks 1.5 s apart`,
    `steps that may be tried once and were lost: ${came.lost}`,
    `resident memory: ${startMb} MiB at the start, ${middleMb} in the middle, ${endMb} at the end`,
    ...faults,
    faults.length === 0 ? "Every run ended as it should." : `${faults.length} faults. The file is kept: ${came.folder}`,
    ""
  ].join("\n")
)
process.exitCode = faults.length === 0 ? 0 : 1
