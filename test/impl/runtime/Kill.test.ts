import { describe, expect, it } from "vitest"
import { randomOf } from "../../../impl/runtime/vm/kernel/Random.ts"
import { faultOf, killRound } from "./kill/Rounds.ts"

describe("checkout on SQLite", () => {
  it("kill -9: at random calls and moments, again and again: the run ends as if nothing had happened", async () => {
    const draw = randomOf("kill -9")
    const round = await killRound(() => draw() / 2 ** 32, 5)
    expect(round.kills).toBe(5)
    expect(round.log.at(-1)?.eventType).toBe("run_completed")
    expect(await faultOf(round)).toBeUndefined()
  }, 240_000)

  it("the check itself: a second charge, another result, or another log: is a fault", async () => {
    const round = { kills: 0, result: "charge-order-1", charges: ["charge-order-1 1007"], receipts: 1, log: [] }
    expect(await faultOf(round)).toBeUndefined()
    expect(await faultOf({ ...round, charges: ["one", "two"] })).toContain("2 times")
    expect(await faultOf({ ...round, result: "other" })).toContain("other")
    expect(await faultOf({ ...round, receipts: 0 })).toContain("receipt")
  })
})
