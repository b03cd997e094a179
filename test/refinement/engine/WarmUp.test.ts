import { describe, expect, test } from "vitest"
import { ENOUGH, warmUp } from "../../../refinement/engine/WarmUp.ts"

describe("practice", () => {
  test("a thread that nobody wants: it practises until it has found enough states, and fails at nothing", () => {
    expect(warmUp(() => false)).toBe(ENOUGH)
  })

  test("a thread that is wanted meanwhile: it stops", () => {
    let asked = 0
    expect(warmUp(() => ++asked > 1)).toBeLessThan(ENOUGH)
    expect(asked).toBe(2)
  })
})
