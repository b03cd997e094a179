/**
 * `npm run bench`: how fast the checker is, what its states take, and Spin beside it. Prints tables, and writes them to
 * `docs/benchmarks.md`.
 *
 *     node test/bench/main.ts [--quick] [--large] [--runs N] [--no-write]
 *
 * `--quick` leaves out what takes longer than some seconds, and writes nothing. `--large` adds the model of 58 million
 * states, which takes minutes. Of several runs the one with the least processor time counts: wall-clock time depends on
 * what else the machine does, processor time less so.
 *
 * @module
 */
import { readFileSync, writeFileSync } from "node:fs"
import { cpus, loadavg } from "node:os"
import { join, resolve } from "node:path"
import { count, table } from "../../docs/generator/MarkdownTable.ts"
import { replacePart } from "../../docs/generator/PagePart.ts"
import { argsOf } from "./Args.ts"
import { type Measured, measure, type Run } from "./Measure.ts"
import { missingForSpin, type Verified, verify } from "./Spin.ts"

const page = join(resolve(import.meta.dirname, "../.."), "docs/benchmarks.md")

const usage = `npm run bench -- [--quick] [--large] [--runs N] [--no-write]

Measures the checker and writes the tables of docs/benchmarks.md.
  --quick     fewer models, printed and not written
  --large     larger models as well
  --runs N    the best of N runs
  --no-write  print only`

const { values } = argsOf(usage, {
  options: {
    quick: { type: "boolean", default: false },
    large: { type: "boolean", default: false },
    runs: { type: "string", default: "1" },
    write: { type: "boolean", default: true }
  },
  allowNegative: true
})
const runs = Math.max(1, Number.parseInt(values.runs, 10) || 1)

const before = loadavg()[0] ?? 0
/** Whether others want as much of the processor as there is. */
const crowded = (load: number): boolean => load >= cpus().length

interface Subject {
  readonly model: string
  /** Without footprints it ends within a minute. */
  readonly plain: boolean
  /** Threads are of no use to a search that is over before they have started. */
  readonly threads: boolean
  /** The bounds of its twin; absent when it has none. */
  readonly twin?: { readonly [macro: string]: number }
}

/** By size. */
const subjects: ReadonlyArray<Subject> = [
  { model: "two-phase-5", plain: true, threads: false },
  { model: "lease-stall-coalescing", plain: true, threads: false },
  { model: "fan-out-default-coalescing", plain: true, threads: true },
  { model: "fence-3", plain: true, threads: true, twin: {} },
  ...(values.quick ? [] : [{ model: "fence-3-longer", plain: false, threads: true, twin: { LONGEST_LOG: 7 } }]),
  ...(values.large && !values.quick ? [{ model: "fence-4", plain: false, threads: false }] : [])
]

const least = <A extends { readonly cpuSeconds: number }>(work: () => A): A =>
  Array.from({ length: runs }, work).reduce((best, each) => (each.cpuSeconds < best.cpuSeconds ? each : best))

const say = (what: string): void => {
  process.stderr.write(`${what}\n`)
}

const measured = (run: Run): Measured => {
  const variant = [
    ...(run.caching ? [] : ["without footprints"]),
    ...(run.workers > 1 ? [`${run.workers} threads`] : [])
  ]
  say(`${[run.model, ...variant].join(", ")} …`)
  return least(() => measure(run))
}

const rates = ({ distinct, generated, seconds, cpuSeconds }: Measured): ReadonlyArray<string> => [
  seconds.toFixed(2),
  cpuSeconds.toFixed(2),
  count(distinct / seconds),
  count(generated / seconds)
]

const one = subjects.map((subject) => ({
  subject,
  found: measured({ model: subject.model, caching: true, workers: 1 })
}))

const sizes = table(
  [
    "model",
    "distinct states",
    "transitions",
    "depth",
    "seconds",
    "cpu s",
    "states/s",
    "transitions/s",
    "bytes/state",
    "footprints, MiB",
    "peak RSS, MiB"
  ],
  one.map(({ subject, found }) => [
    subject.model,
    count(found.distinct),
    count(found.generated),
    String(found.depth),
    ...rates(found),
    (found.bytes.states / found.distinct).toFixed(1),
    (found.bytes.footprints / 2 ** 20).toFixed(1),
    count(found.peakRssMiB)
  ])
)

const footprints = table(
  ["model", "evaluations", "without", "cpu s", "without", "times as fast"],
  one
    .filter(({ subject }) => subject.plain)
    .map(({ subject: { model }, found }) => {
      const plain = measured({ model, caching: false, workers: 1 })
      return [
        model,
        count(found.evaluations),
        count(plain.evaluations),
        found.cpuSeconds.toFixed(2),
        plain.cpuSeconds.toFixed(2),
        (plain.cpuSeconds / found.cpuSeconds).toFixed(1)
      ]
    })
)

const threads = (): string => {
  if (crowded(before)) return "Not compared: where there is hardly time for one thread, a second one gains nothing."
  return table(
    ["model", "one thread, s", "two threads, s", "cpu s", "times as fast"],
    one
      .filter(({ subject }) => subject.threads)
      .map(({ subject: { model }, found }) => {
        const two = measured({ model, caching: true, workers: 2 })
        return [
          model,
          found.seconds.toFixed(2),
          two.seconds.toFixed(2),
          two.cpuSeconds.toFixed(2),
          (found.seconds / two.seconds).toFixed(2)
        ]
      })
  )
}

/** Spin's table has as many slots from the start as there will be states, which is what it is best with. */
const slotsFor = (states: number): number => Math.ceil(Math.log2(states))

const spinRow = (name: string, found: Measured | Verified): ReadonlyArray<string> => {
  const transitions = "generated" in found ? found.generated : found.transitions
  return [
    name,
    count(found.distinct),
    count(transitions),
    found.seconds.toFixed(2),
    found.cpuSeconds.toFixed(2),
    count(found.distinct / found.cpuSeconds),
    ("bytes" in found ? found.bytes.states / found.distinct : found.bytesPerState).toFixed(1)
  ]
}

const spin = (): string => {
  const missing = missingForSpin()
  if (missing.length > 0) return `Spin was not run: there is no ${missing.join(", and no ")}.`
  const rows = one.flatMap(({ subject: { model, twin }, found }) => {
    if (twin === undefined) return []
    say(`${model}, its twin in Spin …`)
    const beside = least(() => verify("fence", { defines: twin, slots: slotsFor(found.distinct) }))
    if (beside.distinct !== found.distinct || beside.transitions !== found.generated || beside.errors > 0) {
      throw new Error(`Spin found something else in the twin of ${model}: ${JSON.stringify(beside)}`)
    }
    return [spinRow(`${model}, onewriter`, found), spinRow(`${model}, Spin`, beside)]
  })
  return table(["", "distinct states", "transitions", "seconds", "cpu s", "states/cpu s", "bytes/state"], rows)
}

const crowd = (load: number): string =>
  crowded(load)
    ? ` The machine was crowded, with a load average of ${load.toFixed(0)}: what is by the second of wall-clock time says nothing then, and processor time is longer than it need be, since caches are shared.`
    : ""

const part = [
  `Measured with Node ${process.versions.node} on ${cpus()[0]?.model.trim() ?? "an unknown processor"}, ${cpus().length} cores, best of ${runs}.${crowd(Math.max(before, loadavg()[0] ?? 0))}`,
  "One thread:",
  sizes,
  "What footprints are worth: evaluations are runs of an action or a property that could not be looked up.",
  footprints,
  "Two threads:",
  threads(),
  "Spin:",
  spin()
].join("\n\n")

console.log(part)
if (values.write && !values.quick) writeFileSync(page, replacePart(readFileSync(page, "utf8"), "bench", part))
