import { describe, expect, it } from "vitest"
import { faultOf, killRound } from "./kill/Rounds.ts"

describe("a recorded checkout on SQLite", () => {
  it("killed at six points, between operations and their lines too: it ends with the same result, and its trace refines", async () => {
    let seed = 20_261_130
    const random = (): number => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed / 2_147_483_647
    }
    for (let round = 0; round < 2; round++) {
      const played = await killRound(random, 3)
      expect(faultOf(played)).toBeUndefined()
      expect(played.kills).toBe(3)
    }
  }, 240_000)
})
