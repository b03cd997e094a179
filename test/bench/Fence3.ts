/**
 * How fast the engine is on the fence model, and what footprint caching and properties are worth or cost there.
 *
 * Each configuration runs in a process of its own, so that none finds the code of another compiled or its garbage lying
 * about. Wall-clock time depends on what else the machine does; the processor time beside it hardly does.
 *
 *     node test/bench/Fence3.ts [--json] [--runs N]
 *
 * @module
 */
import { execFileSync } from "node:child_process"
import { cpus } from "node:os"
import { parseArgs } from "node:util"
import { Effect, Schema } from "effect"
import { fence3 } from "../../model/checker/examples/Fence.ts"
import { check } from "../../model/checker/index.ts"
import type { Spec } from "../../model/checker/Language.ts"

const Measured = Schema.Struct({
  distinct: Schema.Int,
  generated: Schema.Int,
  depth: Schema.Int,
  seconds: Schema.Finite,
  cpuSeconds: Schema.Finite,
  evaluations: Schema.Int,
  bytesPerState: Schema.Finite,
  footprintBytes: Schema.Int
})
type Measured = typeof Measured.Type

interface Configuration {
  readonly name: string
  readonly caching: boolean
  readonly properties: boolean
}

const configurations: ReadonlyArray<Configuration> = [
  { name: "footprints", caching: true, properties: true },
  { name: "footprints, no properties", caching: true, properties: false },
  { name: "no footprints", caching: false, properties: true },
  { name: "no footprints, no properties", caching: false, properties: false }
]

const bare = (spec: Spec): Spec => ({ ...spec, invariants: {}, stepProperties: {} })

/** Runs one configuration in this process. */
const measure = Effect.fn("measure")(function* ({ caching, properties }: Configuration) {
  const spec = fence3.spec({ fence: true })
  const before = process.cpuUsage()
  const report = yield* check(properties ? spec : bare(spec), { caching })
  const used = process.cpuUsage(before)
  return {
    distinct: report.distinct,
    generated: report.generated,
    depth: report.depth,
    seconds: report.seconds,
    cpuSeconds: (used.user + used.system) / 1e6,
    evaluations: report.evaluations,
    bytesPerState: report.bytes.states / report.distinct,
    footprintBytes: report.bytes.footprints
  } satisfies Measured
})

/** Runs one configuration in a process of its own, and answers the fastest of several runs. */
const measureApart = (configuration: Configuration, runs: number): Measured => {
  const results = Array.from({ length: runs }, () => {
    const output = execFileSync(process.execPath, [import.meta.filename, "--configuration", configuration.name], {
      encoding: "utf8"
    })
    return Schema.decodeUnknownSync(Schema.fromJsonString(Measured))(output)
  })
  return results.reduce((best, each) => (each.seconds < best.seconds ? each : best))
}

const count = (value: number): string => Math.round(value).toLocaleString("en")

const table = (rows: ReadonlyArray<readonly [Configuration, Measured]>): string => {
  const cells = [
    ["", "seconds", "cpu s", "states/s", "transitions/s", "evaluations", "bytes/state"],
    ...rows.map(([{ name }, each]) => [
      name,
      each.seconds.toFixed(2),
      each.cpuSeconds.toFixed(2),
      count(each.distinct / each.seconds),
      count(each.generated / each.seconds),
      count(each.evaluations),
      each.bytesPerState.toFixed(1)
    ])
  ]
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)))
  return cells
    .map((row) =>
      row
        .map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    runs: { type: "string", default: "1" },
    configuration: { type: "string" }
  }
})

const only = configurations.find(({ name }) => name === values.configuration)
if (only !== undefined) {
  console.log(JSON.stringify(await Effect.runPromise(measure(only))))
} else {
  const runs = Math.max(1, Number.parseInt(values.runs, 10) || 1)
  const rows = configurations.map((configuration) => [configuration, measureApart(configuration, runs)] as const)
  const [, first] = rows[0]!
  if (values.json) {
    const machine = { node: process.versions.node, cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length }
    const results = rows.map(([configuration, measured]) => ({ ...configuration, ...measured }))
    console.log(JSON.stringify({ model: fence3.name, runs, machine, results }, null, 2))
  } else {
    console.log(
      [
        `${fence3.name}: ${count(first.distinct)} distinct states, ${count(first.generated)} transitions, depth ${first.depth}`,
        `Node ${process.versions.node}, one thread, best of ${runs}`,
        "",
        table(rows)
      ].join("\n")
    )
  }
}
