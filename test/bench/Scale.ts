/**
 * How far the engine goes: the fence model with raised bounds, with its rate and its memory after each million states.
 *
 *     node test/bench/Scale.ts [--deliveries 4] [--longest-log 6] [--outside 2] [--crashes 2] [--redeliveries 2]
 *                              [--states 50000000]
 *
 * Prints a line of JSON for each million states expanded, and one at the end. It takes minutes, and gigabytes of memory
 * when it is asked for hundreds of millions of states, so no test runs it.
 *
 * @module
 */
import { parseArgs } from "node:util"
import { compile } from "../../model/checker/Compile.ts"
import { Exploration } from "../../model/checker/Exploration.ts"
import { fence } from "../../model/checker/examples/Fence.ts"

const { values } = parseArgs({
  options: {
    deliveries: { type: "string", default: "4" },
    "longest-log": { type: "string", default: "6" },
    outside: { type: "string", default: "2" },
    crashes: { type: "string", default: "2" },
    redeliveries: { type: "string", default: "2" },
    states: { type: "string", default: "50000000" }
  }
})

const bounds = {
  deliveries: Array.from({ length: Number(values.deliveries) }, (_, i) => i + 1),
  longestLog: Number(values["longest-log"]),
  outsideWrites: Number(values.outside),
  crashes: Number(values.crashes),
  redeliveries: Number(values.redeliveries)
}

const EACH = 1_000_000
const SLICE = 20_000

const exploration = new Exploration(compile(fence(`fence-${values.deliveries}`, bounds), { caching: true }), {
  maxStates: Number(values.states),
  stopAtFirst: true
})

const now = (): { readonly wall: number; readonly cpu: number } => {
  const { user, system } = process.cpuUsage()
  return { wall: performance.now() / 1000, cpu: (user + system) / 1e6 }
}

const began = now()
let last = { ...began, expanded: 0, generated: 0 }

const line = (end: boolean): string => {
  const { wall, cpu } = now()
  const { expanded, generated, table, bytes, bounded } = exploration
  const since = end ? { ...began, expanded: 0, generated: 0 } : last
  last = { wall, cpu, expanded, generated }
  return JSON.stringify({
    ...(end ? { bounded, violations: exploration.violations.length, depth: exploration.depth } : {}),
    expanded,
    distinct: table.size,
    generated,
    seconds: Number((wall - began.wall).toFixed(1)),
    statesPerSecond: Math.round((expanded - since.expanded) / (wall - since.wall)),
    statesPerCpuSecond: Math.round((expanded - since.expanded) / (cpu - since.cpu)),
    transitionsPerCpuSecond: Math.round((generated - since.generated) / (cpu - since.cpu)),
    bytesPerState: Number((bytes.states / table.size).toFixed(2)),
    footprintBytes: bytes.footprints,
    rssMiB: Math.round(process.memoryUsage.rss() / 2 ** 20)
  })
}

while (!exploration.done) {
  exploration.advance(SLICE)
  if (exploration.expanded - last.expanded >= EACH) console.log(line(false))
}
console.log(line(true))
console.log(JSON.stringify({ peakRssMiB: Math.round(process.resourceUsage().maxRSS / 1024) }))
