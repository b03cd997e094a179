/**
 * One shape, measured once in this process: on a World that is new, with a runtime that has run one run before.
 *
 * @module
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, Layer } from "effect"
import { type Client, Runtime, Workflows } from "../../../impl/runtime/index.ts"
import type { World } from "../../../impl/world/index.ts"
import { layer as memoryLayer } from "../../../impl/worlds/memory/index.ts"
import { layer as sqliteLayer } from "../../../impl/worlds/sqlite/index.ts"
import { begun } from "./Shapes.ts"

/** On what a shape is measured. `process` and `power` say what a commit to the SQLite file survives. */
export type On = "memory" | "sqlite, process" | "sqlite, power"
export const places: ReadonlyArray<On> = ["memory", "sqlite, process", "sqlite, power"]

/** What was measured, by what it is called: milliseconds, or what the name says. */
export type Figures = { readonly [name: string]: number }

type Measure = (client: Client["Service"]) => Effect.Effect<Figures, unknown>

const quantile = (values: ReadonlyArray<number>, at: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(at * sorted.length))] ?? Number.NaN
}

/** A run, and what a caller sees of it: when it was asked for, and when its result was there. */
const timed = Effect.fnUntraced(function* (client: Client["Service"], workflow: "sequential" | "fanOut", size: number) {
  begun.length = 0
  const asked = performance.now()
  const result = yield* client.result(yield* client.start(workflow, [size]))
  const done = performance.now()
  const expected = workflow === "sequential" ? size - 1 : size
  if (result !== expected || begun.length !== size) {
    return yield* Effect.die(new Error(`${workflow}(${size}) gave ${String(result)} after ${begun.length} bodies.`))
  }
  return { asked, done, first: begun[0]! - asked, last: begun.at(-1)! - asked, joined: done - asked }
})

const steps =
  (size: number): Measure =>
  (client) =>
    Effect.map(timed(client, "sequential", size), ({ joined }) => {
      const gaps = begun.slice(1).map((at, i) => at - begun[i]!)
      const tenth = Math.max(1, Math.floor(gaps.length / 10))
      return {
        "per step, median": quantile(gaps, 0.5),
        "95 of 100 within": quantile(gaps, 0.95),
        "first tenth, median": quantile(gaps.slice(0, tenth), 0.5),
        "last tenth, median": quantile(gaps.slice(-tenth), 0.5),
        "whole run": joined
      }
    })

const fan =
  (size: number): Measure =>
  (client) =>
    Effect.map(timed(client, "fanOut", size), ({ first, last, joined }) => ({
      "first branch": first,
      "last branch": last,
      join: joined
    }))

const firstStep: Measure = Effect.fnUntraced(function* (client) {
  const times: Array<number> = []
  for (let run = 0; run < 50; run++) times.push((yield* timed(client, "sequential", 1)).first)
  return { median: quantile(times, 0.5), "95 of 100 within": quantile(times, 0.95) }
})

const RUNS = 300
const runsPerSecond: Measure = Effect.fnUntraced(function* (client) {
  const asked = performance.now()
  const ids = yield* Effect.forEach(Array.from({ length: RUNS }), () => client.start("sequential", [3]), {
    concurrency: 16
  })
  yield* Effect.forEach(ids, (id) => client.result(id), { concurrency: "unbounded" })
  return { "runs per second": (1000 * RUNS) / (performance.now() - asked) }
})

/** The shapes, by name. */
export const shapes: { readonly [name: string]: { readonly about: string; readonly measure: Measure } } = {
  "first-step": { about: "from asking for a run until its first body begins, 50 times", measure: firstStep },
  "steps-250": { about: "250 steps in a row, from the beginning of one body to that of the next", measure: steps(250) },
  "steps-2000": { about: "2,000 steps in a row", measure: steps(2000) },
  "fan-out-16": { about: "16 steps at once", measure: fan(16) },
  "fan-out-64": { about: "64 steps at once", measure: fan(64) },
  "fan-out-256": { about: "256 steps at once", measure: fan(256) },
  "fan-out-1024": { about: "1,024 steps at once", measure: fan(1024) },
  "runs-per-second": { about: `${RUNS} runs of three steps each, all at once`, measure: runsPerSecond }
}

const worldOn = (on: On, folder: string): Layer.Layer<World, unknown> =>
  on === "memory"
    ? memoryLayer()
    : sqliteLayer({ path: join(folder, "world.db"), durability: on === "sqlite, power" ? "power" : "process" })

/** Measures a shape. The environment's settings of the runtime hold. */
export const measure = async (shape: string, on: On): Promise<Figures> => {
  const found = shapes[shape]
  if (found === undefined) throw new Error(`There is no shape ${shape}: there are ${Object.keys(shapes).join(", ")}.`)
  const folder = mkdtempSync(join(tmpdir(), "onewriter-bench-"))
  try {
    const runtime = Runtime.layer.pipe(
      Layer.provide(Workflows.layer([fileURLToPath(new URL("./Shapes.ts", import.meta.url))])),
      Layer.provide(worldOn(on, folder))
    )
    return await Effect.gen(function* () {
      const { client, serve } = yield* Runtime
      yield* serve
      yield* timed(client, "sequential", 20)
      return yield* found.measure(client)
    }).pipe(Effect.scoped, Effect.provide(runtime), Effect.runPromise)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
