import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { onewriter } from "./Command.ts"

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "onewriter-explore-"))
})
afterAll(() => rmSync(folder, { recursive: true }))

describe("onewriter explore-runtime", { timeout: 120_000 }, () => {
  test("a configuration that holds: it says so with figures, and succeeds", async () => {
    const { code, out } = await onewriter("explore-runtime", "hook-lapse-gated")
    expect(code).toBe(0)
    expect(out).toContain("hook-lapse-gated: every property holds, and the model explains every history")
    expect(out).toContain("96 states, 148 transitions")
  })

  test("as JSON: what was found of each configuration", async () => {
    const { code, out } = await onewriter("explore-runtime", "hook-lapse-gated", "--format", "json")
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject([
      { configuration: "hook-lapse-gated", result: "holds", figures: { states: 96 } }
    ])
  })

  test("a limit on states: what is left out is not said to hold", async () => {
    const { code, out } = await onewriter("explore-runtime", "hook-lapse-gated", "--max-states", "20")
    expect(code).toBe(4)
    expect(out).toContain("nothing fails in what was explored, and not all was")
  })

  test("without a rule: the schedule is shown, saved, and followed again; with the rule it comes to nothing", async () => {
    const file = join(folder, "fence.json")
    const found = await onewriter("explore-runtime", "--without", "fence", "--save-schedule", file)
    expect(found.code).toBe(12)
    expect(found.out).toContain("RefinesInv fails after this schedule")
    expect(found.out).toContain("lapse m1#1")
    const again = await onewriter("explore-runtime", "--follow", file)
    expect(again.code).toBe(12)
    expect(again.out).toContain("followed to its end. What fails there: RefinesInv")
    const saved = JSON.parse(readFileSync(file, "utf8"))
    const { without: _, ...whole } = saved
    writeFileSync(file, JSON.stringify(whole))
    const mended = await onewriter("explore-runtime", "--follow", file)
    expect(mended.code).toBe(0)
    expect(mended.out).toContain("does not fail there any more")
    writeFileSync(file, JSON.stringify({ ...saved, steps: saved.steps.toReversed() }))
    const reversed = await onewriter("explore-runtime", "--follow", file)
    expect(reversed.code).toBe(6)
    expect(reversed.out).toContain("is not possible there any more")
  })

  test("names that are not there, and a file that is no schedule: refused, with what was meant", async () => {
    const configuration = await onewriter("explore-runtime", "hook-lapse-gate")
    expect(configuration).toMatchObject({ code: 1 })
    expect(configuration.err).toContain("Did you mean hook-lapse-gated")
    expect((await onewriter("explore-runtime", "--without", "nothing")).code).toBe(1)
    expect((await onewriter("explore-runtime", "--follow", join(folder, "none.json"))).code).toBe(1)
    const file = join(folder, "no.json")
    writeFileSync(file, "{}")
    const unreadable = await onewriter("explore-runtime", "--follow", file)
    expect(unreadable.code).toBe(151)
    expect(unreadable.err).toContain("It is no saved schedule")
  })

  test("--list: every configuration with what it is", async () => {
    const { code, out } = await onewriter("explore-runtime", "--list")
    expect(code).toBe(0)
    expect(out).toContain("all-two-crash-lapse-gated")
    expect(out).toContain("(large)")
  })
})
