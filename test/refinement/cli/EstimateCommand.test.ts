import { describe, expect, test } from "vitest"
import { onewriter } from "./Command.ts"

describe("onewriter check --estimate", () => {
  test("a model that the sample exhausts: the exact number is said, and then it is checked", async () => {
    const ran = await onewriter("check", "two-phase-5", "--estimate", "--format", "json")
    expect(ran.code).toBe(0)
    expect(ran.err).toContain("two-phase-5: exactly 8,832 states, depth 17")
    expect(JSON.parse(ran.out)).toMatchObject({ model: "two-phase-5", result: "ok", distinct: 8832 })
  })

  test("without the flag: nothing is said", async () => {
    expect((await onewriter("check", "two-phase-3")).err).toBe("")
  })
})

describe("onewriter check --estimate-only", () => {
  test("a model that is larger than the sample: the true number is in the range, and nothing is checked", async () => {
    const text = await onewriter("check", "fence-3", "--estimate-only")
    expect(text).toMatchObject({ code: 0, err: "" })
    expect(text.out).toMatch(
      /^fence-3: an estimated [\d,]+ to [\d,]+ states, most likely about [\d,]+; depth about 22; /
    )
    const json = JSON.parse((await onewriter("check", "fence-3", "--estimate-only", "--format", "json")).out)
    expect(json).toMatchObject({ model: "fence-3", without: [], kind: "range", depth: 22 })
    expect(json.low).toBeLessThan(1_927_191)
    expect(json.high).toBeGreaterThan(1_927_191)
    expect(json).not.toHaveProperty("result")
  })

  test("several models, with a rule off: a line for each, or one object", async () => {
    const ran = await onewriter("check", "two-phase-3", "two-phase-5", "--without", "unanimity", "--estimate-only")
    expect(ran.out.split("\n").slice(0, 2)).toEqual([
      expect.stringMatching(/^two-phase-3 without unanimity: exactly /),
      expect.stringMatching(/^two-phase-5 without unanimity: exactly /)
    ])
    const json = await onewriter("check", "two-phase-3", "two-jugs", "--estimate-only", "--format", "json")
    expect(JSON.parse(json.out)).toMatchObject({
      models: [
        { model: "two-phase-3", kind: "exact", states: 288 },
        { model: "two-jugs", kind: "exact", states: 16 }
      ]
    })
  })

  test("a format for counterexamples: refused", async () => {
    const ran = await onewriter("check", "two-jugs", "--estimate-only", "--format", "junit")
    expect(ran.code).toBe(1)
  })
})
