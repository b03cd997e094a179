/**
 * `npm run bench:runtime`: what the runtime adds to the bodies of steps, on each World.
 *
 *     node test/bench/runtime/main.ts [--on WORLD] [--runs N] [--no-write] [SHAPE…]
 *
 * Without a shape all are measured, and the tables are written to `docs/benchmarks.md`. Each measurement is a process of
 * its own; of several runs, the median of each figure is taken. A shape by itself prints its figures as JSON.
 *
 * @module
 */
import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { cpus, loadavg } from "node:os"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { Schema } from "effect"
import { table } from "../../../docs/generator/MarkdownTable.ts"
import { replacePart } from "../../../docs/generator/PagePart.ts"
import { argsOf } from "../Args.ts"
import { type Figures, measure, type On, places, shapes } from "./Measure.ts"

const page = join(resolve(import.meta.dirname, "../../.."), "docs/benchmarks.md")

const usage = `npm run bench:runtime -- [--on WORLD] [--runs N] [--no-write] [SHAPE…]

Measures what the runtime adds to the bodies of steps. Shapes:
${Object.entries(shapes)
  .map(([name, { about }]) => `  ${name.padEnd(20)} ${about}`)
  .join("\n")}
Worlds: ${places.join("; ")}.
Without a shape or a World all are measured, and docs/benchmarks.md is written. N measurements give their median.`

const { values, positionals } = argsOf(usage, {
  allowPositionals: true,
  allowNegative: true,
  options: {
    on: { type: "string" },
    runs: { type: "string", default: "1" },
    write: { type: "boolean", default: true },
    /** Measure one shape in this process: what the others are started with. */
    here: { type: "boolean", default: false }
  }
})

const chosen = places.filter((place) => values.on === undefined || place === values.on)
const unknown = positionals.find((name) => !(name in shapes))
const wrong =
  unknown !== undefined
    ? `There is no shape ${unknown}: there are ${Object.keys(shapes).join(", ")}.`
    : chosen.length === 0
      ? `There is no World ${values.on}: there are ${places.join("; ")}.`
      : undefined
if (wrong !== undefined) {
  console.error(wrong)
  process.exit(1)
}

const runs = Math.max(1, Number.parseInt(values.runs, 10) || 1)
const Printed = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Finite))

const once = (shape: string, on: On): Figures => {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [fileURLToPath(import.meta.url), "--here", "--on", on, shape],
    { encoding: "utf8" }
  )
  if (status !== 0) throw new Error(`${shape} on ${on} failed:\n${stderr}`)
  return Schema.decodeUnknownSync(Printed)(stdout)
}

const median = (all: ReadonlyArray<Figures>): Figures =>
  Object.fromEntries(
    Object.keys(all[0] ?? {}).map((name) => {
      const sorted = all.map((each) => each[name]!).toSorted((a, b) => a - b)
      return [name, sorted[Math.floor(sorted.length / 2)]!]
    })
  )

const figure = (value: number): string => (value < 100 ? value.toFixed(2) : value.toFixed(0))

const [only] = positionals
if (values.here && only !== undefined) {
  for (const on of chosen) console.log(JSON.stringify(await measure(only, on)))
  process.exit(0)
}

const measured = new Map<string, Map<On, Figures>>()
for (const shape of positionals.length > 0 ? positionals : Object.keys(shapes)) {
  const found = new Map<On, Figures>()
  for (const on of chosen) {
    process.stderr.write(`${shape}, ${on} …\n`)
    found.set(on, median(Array.from({ length: runs }, () => once(shape, on))))
  }
  measured.set(shape, found)
}

const tables = [...measured].map(([shape, found]) => {
  const names = Object.keys([...found.values()][0] ?? {})
  const rows = [...found].map(([on, figures]) => [on, ...names.map((name) => figure(figures[name]!))])
  return `\`${shape}\`: ${shapes[shape]?.about}.\n\n${table(["", ...names], rows)}`
})
const load = loadavg()[0] ?? 0
const crowd =
  load >= cpus().length + 1 ? ` The machine was crowded, with a load average of ${load.toFixed(0)}: all is slower.` : ""
const part = [
  `Measured with Node ${process.versions.node} on ${cpus()[0]?.model.trim() ?? "an unknown processor"}, ${cpus().length} cores, median of ${runs}, milliseconds unless it says otherwise.${crowd}`,
  ...tables
].join("\n\n")
console.log(part)
if (values.write && positionals.length === 0 && values.on === undefined) {
  writeFileSync(page, replacePart(readFileSync(page, "utf8"), "bench of the runtime", part))
}
