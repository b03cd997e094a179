import { describe, expect, test } from "vitest"
import { onewriter } from "./Command.ts"

interface Listed {
  readonly name: string
  readonly parts: ReadonlyArray<string>
  readonly set: string
}

const listed = async (...flags: ReadonlyArray<string>): Promise<ReadonlyArray<Listed>> =>
  JSON.parse((await onewriter("models", "--format", "json", ...flags)).out).models

describe("onewriter models", () => {
  test("every model: with its parts, its set, its manifest, and what it shows the need of", async () => {
    const { code, out } = await onewriter("models")
    expect(code).toBe(0)
    const block = out.split("\n\n").find((each) => each.startsWith("lease-stall-gated\n"))
    expect(block).toMatch(/^ {2}holds, [\d,]+ states, [\d,]+ transitions, depth \d+$/m)
    expect(block).toMatch(/^ {2}parts: log, fence, queue, orchestrator, steps/m)
    expect(block).toMatch(/^ {2}without fence: violates OneChainInv, in \d+ steps$/m)
    const all = await listed()
    expect(out).toMatch(new RegExp(`^${all.length} models.*, [\\d,]+ states as pinned\\.$`, "m"))
  })

  test("a part, or several: only models that are of one of them", async () => {
    const all = await listed()
    const hooks = await listed("--part", "hooks")
    expect(hooks.length).toBeGreaterThan(0)
    expect(hooks).toEqual(all.filter(({ parts }) => parts.includes("hooks")))
    expect(await listed("--part", "hooks", "--part", "steps")).toEqual(
      all.filter(({ parts }) => parts.includes("hooks") || parts.includes("steps"))
    )
  })

  test("a set: only its models; together they are all", async () => {
    const [all, ci, large] = [await listed(), await listed("--set", "ci"), await listed("--set", "large")]
    expect(ci).toEqual(all.filter(({ set }) => set === "ci"))
    expect(large).toEqual(all.filter(({ set }) => set === "large"))
    expect(ci.length).toBeGreaterThan(0)
    expect(ci.length + large.length).toBe(all.length)
  })

  test("a part that there is not: exits 1, and says what was meant", async () => {
    const { code, err } = await onewriter("models", "--part", "hook")
    expect(code).toBe(1)
    expect(err).toContain("There is no part named hook. Did you mean hooks?")
  })
})

describe("onewriter check --set", () => {
  test("large: takes the models of that set when none is named", async () => {
    const names = (await listed("--set", "large")).map(({ name }) => name)
    const { out } = await onewriter("check", "--set", "large", "--max-states", "2", "--format", "json")
    const report = JSON.parse(out)
    const models: ReadonlyArray<{ readonly model: string }> = report.models ?? [report]
    expect(models.map(({ model }) => model)).toEqual(names)
    expect(names.length).toBeGreaterThan(0)
  })
})
