import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { fraction, randomOf } from "../../../impl/runtime/vm/kernel/Random.ts"
import { soak } from "./soak/Soak.ts"

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "onewriter-soak-bodies-"))
  process.env.KILL_FOLDER = folder
})
afterAll(() => rmSync(folder, { recursive: true }))

describe("two runtimes on one SQLite file", () => {
  it("503, 429, lost answers, wakes sent twice, deliveries made again, clocks apart: every run ends as it should", async () => {
    const draw = randomOf("soak")
    const came = await Effect.runPromise(soak({ runs: 120, random: () => fraction(draw), open: 24 }))
    expect(came.faults).toEqual([])
    expect(came.runs).toBe(120)
    for (const count of Object.values(came.injected)) expect(count).toBeGreaterThan(0)
  }, 300_000)
})
