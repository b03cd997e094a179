import { describe, expect, test } from "vitest"
import { comparableExpectation } from "../../../refinement/cli/Reduce.ts"
import { onewriter } from "./Command.ts"

const file = "test/refinement/cli/fixtures/Lamp.ts"

const checked = (name: string, ...flags: ReadonlyArray<string>) => onewriter("check", file, "--spec", name, ...flags)

describe("onewriter check: properties of behaviours, and how much is explored", () => {
  test("a property of behaviours fails: exits 13, and shows the lasso", async () => {
    const { code, out } = await checked("unfair")
    expect(code).toBe(13)
    expect(out).toContain("  …  and then nothing changes any more, for ever")
    expect(out).toContain("The temporal property Lights fails on this behaviour")
  })

  test("it holds of fair behaviours: exits 0", async () => {
    expect((await checked("fair")).code).toBe(0)
  })

  test("what leads to something never holds: exits 5, and says so", async () => {
    const { code, out } = await checked("empty")
    expect(code).toBe(5)
    expect(out).toContain("NeverLeadsTo says nothing: what leads to it never holds.")
  })

  test("symmetry: made use of, unless it is switched off", async () => {
    const { out } = await checked("lamps", "--format", "json")
    expect(JSON.parse(out)).toMatchObject({ distinct: 4, symmetry: { permutations: 6, states: 8 } })
    const all = await checked("lamps", "--format", "json", "--no-symmetry")
    expect(JSON.parse(all.out).distinct).toBe(8)
  })

  test("partial order: refused together with symmetry, and without it fewer states", async () => {
    const both = await checked("lamps", "--partial-order")
    expect(both.code).toBe(75)
    expect(both.err).toContain("it cannot be combined with symmetry")
    const { out } = await checked("lamps", "--partial-order", "--no-symmetry", "--format", "json")
    expect(JSON.parse(out)).toMatchObject({ result: "ok", distinct: 4, partialOrder: { states: 2 } })
  })

  test("a manifest: its figures are compared only when a check explored what it is about", () => {
    const expectation = { result: "violation", property: "P", distinct: 4, depth: 2, steps: 1 } as const
    const verdict = { result: "violation", property: "P" }
    expect(comparableExpectation(expectation, { symmetry: true, partialOrder: false }, true)).toEqual(expectation)
    expect(comparableExpectation(expectation, { symmetry: false, partialOrder: false }, false)).toEqual(expectation)
    expect(comparableExpectation(expectation, { symmetry: false, partialOrder: false }, true)).toEqual(verdict)
    expect(comparableExpectation(expectation, { symmetry: true, partialOrder: true }, false)).toEqual(verdict)
  })
})
