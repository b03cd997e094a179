/**
 * Kills checkout on SQLite N times at random points, and says what came of it: `node test/impl/runtime/kill.ts 200 [seed]`.
 *
 * Exits with 1 when a run lost anything: another result than the undisturbed one, a second charge, or a log that does not
 * replay from cold. The seed makes the choice of points repeatable, though not what the machine makes of them.
 */
import { randomOf } from "../../../impl/runtime/vm/kernel/Random.ts"
import { faultOf, killRound } from "./kill/Rounds.ts"

const wanted = Number(process.argv[2] ?? 200)
const seed = process.argv[3] ?? String(Date.now())
const draw = randomOf(seed)
const random = () => draw() / 2 ** 32

const began = performance.now()
let promised = 0
let kills = 0
let rounds = 0
const faults: Array<string> = []
const logs = new Map<string, number>()

/** Plays rounds until the wanted number of kills is reached, or promised by a round under way. */
const play = async (): Promise<void> => {
  while (promised < wanted) {
    const most = Math.min(4, wanted - promised)
    promised += most
    const round = await killRound(random, most)
    promised -= most - round.kills
    kills += round.kills
    rounds++
    const fault = await faultOf(round)
    if (fault !== undefined) faults.push(`a run with ${round.kills} kills: ${fault}`)
    const shape = `${round.log.length} events`
    logs.set(shape, (logs.get(shape) ?? 0) + 1)
  }
}
await Promise.all([play(), play()])

const seconds = ((performance.now() - began) / 1000).toFixed(1)
process.stdout.write(`${kills} kills in ${rounds} runs of checkout, ${seconds} s, seed ${seed}\n`)
process.stdout.write(
  `logs: ${[...logs].map(([shape, times]) => `${times} of ${shape}`).join(", ")}; every run ended with the same result, one charge, and a log that replays: ${faults.length === 0 ? "yes" : "NO"}\n`
)
for (const fault of faults) process.stdout.write(`${fault}\n`)
process.exitCode = faults.length === 0 ? 0 : 1
