/**
 * Kills a recorded checkout on SQLite N times, and holds the traces against the model:
 * `node test/refinement/kill.ts 200 [seed]`.
 *
 * Exits with 1 when a run had another result than the undisturbed one, or a trace that the model does not explain. The
 * seed makes the choice of points repeatable, though not what the machine makes of them.
 */
import { faultOf, killRound } from "./kill/Rounds.ts"

const wanted = Number(process.argv[2] ?? 200)
let seed = Number(process.argv[3] ?? (Date.now() % 2_147_483_646) + 1)
const given = seed
const random = (): number => {
  seed = (seed * 48_271) % 2_147_483_647
  return seed / 2_147_483_647
}

const began = performance.now()
let kills = 0
let rounds = 0
let promised = 0
let hidden = 0
let lines = 0
const faults: Array<string> = []

const play = async (): Promise<void> => {
  while (promised < wanted) {
    const most = Math.min(4, wanted - promised)
    promised += most
    const round = await killRound(random, most)
    promised -= most - round.kills
    kills += round.kills
    rounds += 1
    if (round.verdict.result === "accepted") {
      hidden += round.verdict.hidden
      lines += round.verdict.lines
    }
    const fault = faultOf(round)
    if (fault !== undefined) faults.push(`a run with ${round.kills} kills: ${fault}`)
  }
}
await Promise.all([play(), play()])

const seconds = ((performance.now() - began) / 1000).toFixed(1)
process.stdout.write(
  `${kills} kills in ${rounds} recorded runs of checkout, ${seconds} s, seed ${given}: ${lines} lines, ${hidden} hidden steps\n`
)
for (const fault of faults) process.stdout.write(`${fault}\n`)
process.stdout.write(faults.length === 0 ? "Every run ended with the same result, and every trace refines.\n" : "")
process.exitCode = faults.length === 0 ? 0 : 1
