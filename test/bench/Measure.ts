/**
 * One measured run of `onewriter check`, in a process of its own: so that none finds the code of another compiled or its
 * garbage lying about, and so that what is measured is what a user gets.
 *
 * @module
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { Schema } from "effect"

const root = resolve(import.meta.dirname, "../..")
const command = join(root, "refinement/cli/main.ts")

/** How to check. */
export interface Run {
  readonly model: string
  readonly caching: boolean
  readonly workers: number
}

const Report = Schema.Struct({
  result: Schema.String,
  expected: Schema.Boolean,
  distinct: Schema.Int,
  generated: Schema.Int,
  depth: Schema.Int,
  seconds: Schema.Finite,
  evaluations: Schema.Int,
  bytes: Schema.Struct({ states: Schema.Int, footprints: Schema.Int })
})

const Usage = Schema.Struct({ cpuSeconds: Schema.Finite, peakRssMiB: Schema.Finite })

/** What came out, and what it took. `seconds` is the check alone, `cpuSeconds` the whole process on all its threads. */
export type Measured = typeof Report.Type & typeof Usage.Type

/** Runs a check once. Throws when its figures are not those of the model's manifest: then its rate says nothing. */
export const measure = ({ model, caching, workers }: Run): Measured => {
  const folder = mkdtempSync(join(tmpdir(), "onewriter-bench-"))
  try {
    const usage = join(folder, "usage.json")
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [
        "--import",
        pathToFileURL(join(import.meta.dirname, "Usage.ts")).href,
        command,
        "check",
        model,
        "--format",
        "json",
        ...(caching ? [] : ["--no-cache"]),
        ...(workers > 1 ? ["--workers", String(workers)] : [])
      ],
      { cwd: root, encoding: "utf8", env: { ...process.env, ONEWRITER_USAGE: usage }, maxBuffer: 2 ** 28 }
    )
    if (stdout === "") throw new Error(`onewriter check ${model} printed nothing:\n${stderr}`)
    const report = Schema.decodeUnknownSync(Schema.fromJsonString(Report))(stdout)
    if (!report.expected) throw new Error(`${model} is not as its manifest says:\n${stdout.slice(0, 4000)}`)
    return { ...report, ...Schema.decodeUnknownSync(Schema.fromJsonString(Usage))(readFileSync(usage, "utf8")) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
