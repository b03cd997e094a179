/**
 * Kills two workers on one SQLite file N times at random points, and says what came of it:
 * `node test/impl/runtime/kill.ts 500 [seed] [--stalls]`.
 *
 * Exits with 1 when a run was lost, stuck for longer than a lease, or had another result than the undisturbed one; when
 * anything is recorded twice; or when a log does not replay from cold. The file is kept then. The seed makes the choice of
 * points repeatable, though not what the machine makes of them.
 */
import { fraction, randomOf } from "../../../impl/runtime/vm/kernel/Random.ts"
import { campaign } from "./kill/Campaign.ts"

const [kills = "500", seed = String(Date.now())] = process.argv.slice(2).filter((word) => !word.startsWith("--"))
const stalls = process.argv.includes("--stalls")
const leaseMs = stalls ? 3_000 : 10_000

const draw = randomOf(seed)
const began = performance.now()
const { faults, folder, ...came } = await campaign({
  kills: Number(kills),
  random: () => fraction(draw),
  leaseMs,
  stalls,
  onProgress: (line) => process.stdout.write(`${line}\n`)
})
const seconds = ((performance.now() - began) / 1000).toFixed(0)
process.stdout.write(
  [
    `${came.kills} kills and ${came.stalls} stalls of two workers on one file, ${seconds} s, seed ${seed}`,
    `${came.runs} runs ended, with ${came.events} events and ${came.bodies} bodies; ${came.lost} steps that may be tried once were lost`,
    `the longest that a run was stuck while a worker served: ${came.longestStallMs} ms, of a lease of ${leaseMs} ms`,
    ...faults,
    faults.length === 0
      ? "No run was lost, nothing is recorded twice, and every log replays from cold."
      : `${faults.length} faults. The file is kept: ${folder}/world.db`,
    ""
  ].join("\n")
)
process.exitCode = faults.length === 0 ? 0 : 1
