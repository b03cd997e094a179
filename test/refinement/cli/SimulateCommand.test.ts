import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { onewriter } from "./Command.ts"

const counters = "test/refinement/cli/fixtures/Counters.ts"

let scratch = ""
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), "onewriter-simulate-"))
})
afterAll(() => rmSync(scratch, { recursive: true }))

describe("onewriter simulate", () => {
  test("a violation: exits 12, with the counterexample made shorter, and a trace that replays", async () => {
    const file = join(scratch, "found.itf.json")
    const ran = await onewriter("simulate", "fence-3", "--without", "fence", "--seed", "7", "--save-trace", file)
    expect(ran.code).toBe(12)
    expect(ran.out).toContain("fence-3 without fence: violated: OneChainProp")
    expect(ran.out).toContain("OneChainProp fails after 4 steps; walk ")
    const again = await onewriter("replay", file)
    expect([again.code, again.out]).toEqual([12, expect.stringContaining("OneChainProp fails on step 4, as when")])
  })

  test("nothing fails: exits 0, and says that this is no proof", async () => {
    const ran = await onewriter("simulate", "two-phase-3", "--walks", "20", "--depth", "10")
    expect(ran.code).toBe(0)
    expect(ran.out).toMatch(/two-phase-3: nothing fails in what was walked\n {2}seed \d+: 20 walks/)
  })

  test("the same seed, as JSON: one object, the same every time", async () => {
    const args = ["simulate", "fence-3", "--seed", "3", "--walks", "30", "--format", "json"]
    const [one, two] = [await onewriter(...args), await onewriter(...args)].map(({ out }) => JSON.parse(out))
    expect(one).toMatchObject({
      model: "fence-3",
      result: "bounded",
      seed: 3,
      walks: 30,
      actions: { Load: expect.any(Number) }
    })
    expect({ ...two, seconds: 0 }).toEqual({ ...one, seconds: 0 })
  })

  test("a deadlock exits 11; a diagram is printed as one; several models are walked one after the other", async () => {
    expect((await onewriter("simulate", counters, "--spec", "dead", "--seed", "1")).code).toBe(11)
    const diagram = await onewriter("simulate", "two-jugs", "--seed", "1", "--format", "mermaid")
    expect([diagram.code, diagram.out]).toEqual([12, expect.stringMatching(/^sequenceDiagram/)])
    const both = await onewriter(
      "simulate",
      "two-phase-3",
      "two-jugs",
      "--walks",
      "50",
      "--seed",
      "1",
      "--format",
      "json"
    )
    expect(JSON.parse(both.out)).toMatchObject({ models: [{ result: "bounded" }, { result: "violation" }] })
  })

  test.each<[string, ReadonlyArray<string>, number]>([
    ["no model", ["simulate"], 1],
    ["an unknown model", ["simulate", "no-such-model"], 1],
    ["a negative seed", ["simulate", "two-jugs", "--seed", "-1"], 1],
    ["no walks", ["simulate", "two-jugs", "--walks", "0"], 1],
    ["a diagram of two", ["simulate", "two-jugs", "two-phase-3", "--format", "mermaid"], 1],
    ["a spec that throws", ["simulate", counters, "--spec", "throws"], 75]
  ])("%s: refused", async (_, args, code) => {
    const ran = await onewriter(...args)
    expect([ran.code, ran.err]).toEqual([code, expect.not.stringContaining("defect")])
  })
})
