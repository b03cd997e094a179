import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Deferred, Effect } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { layer } from "../../../impl/worlds/sqlite/index.ts"
import { all, hook, type Program, race, seq, sleep, step } from "../../../model/programs/Program.ts"
import { type Bodies, bodiesOf, confirmed, serving } from "./Harness.ts"

const directory = mkdtempSync(join(tmpdir(), "onewriter-recovery-"))
afterAll(() => rmSync(directory, { recursive: true }))
let files = 0

/** Runs a program until a body of it says so, loses the process with its queue, and runs it to its end. */
const throughALoss = async (program: Program, name: string, maxInlineSteps: number) => {
  const path = join(directory, `${files++}.db`)
  const world = () => layer({ path, queueIn: "memory", durability: "process", pollMs: 10 })
  const reached = Deferred.makeUnsafe<void>()
  const hangs: Bodies = { [name]: () => Effect.andThen(Deferred.succeed(reached, undefined), Effect.never) }
  const first = bodiesOf(program, hangs)
  await serving(world(), { bodies: first, maxInlineSteps }, (client) =>
    Effect.andThen(client.start("interpret", [program], { runId: "wrun_1" }), Deferred.await(reached))
  )
  const second = bodiesOf(program)
  const log = await serving(world(), { bodies: second, maxInlineSteps }, (client) =>
    Effect.gen(function* () {
      yield* client.result("wrun_1")
      return yield* confirmed(client, "wrun_1")
    })
  )
  return { log, ran: [first.ran, second.ran] }
}

describe("a run whose queue was lost", () => {
  it("a background step that had started: is sent again, and the run ends (DEDUPE-22, DEDUPE-23, LOCALPG-30)", async () => {
    const { log, ran } = await throughALoss(seq(step("a"), step("b")), "b", 0)
    expect(ran).toEqual([["a/1", "b/1"], ["b/2"]])
    expect(log.filter((line) => line.includes("step_started"))).toHaveLength(3)
    expect(log.at(-1)).toMatch(/run_completed/)
  })

  it("an inline step whose body died: is run again by the recovery (DEDUPE-23)", async () => {
    const { log, ran } = await throughALoss(seq(step("a"), step("b")), "b", 1)
    expect(ran).toEqual([["a/1", "b/1"], ["b/2"]])
    expect(log.at(-1)).toMatch(/run_completed/)
  })

  it("a sleep whose timer died with the queue: is armed by the recovery (DEDUPE-23, WAKE-20)", async () => {
    const { log } = await throughALoss(all(sleep(1), step("b")), "b", 0)
    expect(log.some((line) => line.includes("wait_completed"))).toBe(true)
    expect(log.at(-1)).toMatch(/run_completed/)
  })

  it("steps that have their outcome: are not sent again (DEDUPE-23)", async () => {
    const { ran } = await throughALoss(all(step("a"), step("b"), step("c"), race(hook("t"), step("d"))), "c", 0)
    expect(ran[1]?.filter((attempt) => ran[0]?.some((before) => before !== "c/1" && before === attempt))).toEqual([])
    expect(ran[1]).toContain("c/2")
  })
})
