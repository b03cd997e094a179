import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { serialize, Workflows } from "../../../impl/runtime/index.ts"
import { fraction, randomOf } from "../../../impl/runtime/vm/kernel/Random.ts"
import { type Event, type EventInput, eventIdOf } from "../../../impl/world/index.ts"
import { workflows } from "./Harness.ts"
import { campaign } from "./kill/Campaign.ts"
import { faultsOf, repeatsOf } from "./kill/Expectation.ts"
import { covered, longestStall, spansOf } from "./kill/Uptime.ts"

const specVersion = 9

/** A log out of its events and their times. */
const logOf = (...events: ReadonlyArray<readonly [EventInput, number]>): ReadonlyArray<Event> =>
  events.map(([event, createdAt], at) => ({ ...event, eventId: eventIdOf(at + 1), runId: "wrun_naps_1", createdAt }))

const created: EventInput = {
  eventType: "run_created",
  specVersion,
  eventData: { workflowName: "checkout", input: serialize(["order-1"], "the arguments") }
}
const started: EventInput = { eventType: "run_started", specVersion, eventData: {} }
const begun = (attempt: number): EventInput => ({
  eventType: "step_started",
  specVersion,
  correlationId: "step_0001",
  eventData: { stepName: "once", attempt, ...(attempt === 1 ? { input: "[]", inline: true } : {}) }
})
const completed: EventInput = {
  eventType: "step_completed",
  specVersion,
  correlationId: "step_0001",
  eventData: { stepName: "once", result: "[1]" }
}
const slept: EventInput = {
  eventType: "wait_created",
  specVersion,
  correlationId: "wait_0001",
  eventData: { resumeAt: 9_000, creatorMessageId: "m" }
}
const woke: EventInput = { eventType: "wait_completed", specVersion, correlationId: "wait_0001", eventData: {} }
const asked: EventInput = { eventType: "wake_requested", specVersion, correlationId: "wait_0001", eventData: {} }

describe("two workers on one SQLite file", () => {
  it("kill -9: twenty times, at random calls and moments: every run ends as if nothing had happened", async () => {
    const draw = randomOf("kill -9")
    const came = await campaign({ kills: 20, random: () => fraction(draw), leaseMs: 10_000 })
    expect(came.faults).toEqual([])
    expect(came.kills).toBe(20)
    expect(came.runs).toBeGreaterThan(12)
  }, 600_000)
})

describe("what a campaign judges by", () => {
  const judged = async (log: ReadonlyArray<Event>, bodies: ReadonlyArray<string> = []) =>
    Effect.runPromise(
      faultsOf({ runId: "wrun_naps_1", kind: "naps", n: 1 }, log, bodies).pipe(
        Effect.provideService(Workflows, await workflows)
      )
    )

  it("a log: without its end, or without a slot: is a fault", async () => {
    expect(await judged(logOf([created, 0], [started, 1]))).toEqual(["it has not ended"])
    const [first, second] = logOf([created, 0], [started, 1])
    expect(await judged([first!, { ...second!, eventId: eventIdOf(3) }])).toContain("a slot below 3 is missing")
  })

  it("a log: with another result, or one that its code does not lead to: is a fault", async () => {
    const ended: EventInput = { eventType: "run_completed", specVersion, eventData: { output: "[7]" } }
    const faults = await judged(logOf([created, 0], [started, 1], [ended, 2]))
    expect(faults).toHaveLength(2)
    expect(faults[0]).toBe("its result is 7")
    expect(faults[1]).toContain("it does not replay")
  })

  it("an outcome, a creation or an end: recorded twice: is a fault; a second attempt is none", () => {
    expect(repeatsOf(logOf([created, 0], [begun(1), 1], [begun(2), 2], [completed, 3]))).toEqual([])
    expect(repeatsOf(logOf([created, 0], [completed, 1], [completed, 2]))).toEqual([
      "the outcome of step_0001 is recorded twice"
    ])
    expect(repeatsOf(logOf([begun(1), 0], [begun(1), 1]))).toEqual(["the creation of step_0001 is recorded twice"])
    expect(repeatsOf(logOf([created, 0], [woke, 1], [woke, 2]))).toHaveLength(1)
  })

  it("a body: of a step that may be tried once, run twice, or never: is a fault", async () => {
    const log = logOf([created, 0], [started, 1], [begun(1), 2], [completed, 3])
    const line = "wrun_naps_1 step_0001 once 1"
    expect(await judged(log, [line])).not.toContain("the body of step_0001, once, ran 2 times")
    expect(await judged(log, [line, line])).toContain("the body of step_0001, once, ran 2 times")
    expect(await judged(log)).toContain("step_0001 has a result, and no body ran")
  })

  it("the time that a run is stuck: sleeps and times without a worker do not count, a wake-up ends a sleep", () => {
    const always = [{ from: 0, to: Number.POSITIVE_INFINITY }]
    expect(longestStall(logOf([created, 0], [started, 400], [slept, 450]), always)).toEqual({ ms: 400, slot: 2 })
    expect(longestStall(logOf([created, 0], [started, 1], [slept, 2], [woke, 9_050]), always).ms).toBe(50)
    expect(longestStall(logOf([created, 0], [slept, 2], [asked, 100], [woke, 700]), always)).toEqual({
      ms: 600,
      slot: 4
    })
    expect(longestStall(logOf([created, 0], [started, 1_000]), [{ from: 900, to: 5_000 }]).ms).toBe(100)
    expect(longestStall(logOf([created, 0], [asked, 5_000]), always).ms).toBe(0)
  })

  it("the time that workers serve: counts once where they serve side by side", () => {
    const spans = [
      { from: 50, to: 80 },
      { from: 0, to: 60 },
      { from: 90, to: 95 }
    ]
    expect(covered(spans, 10, 100)).toBe(75)
    expect(covered([], 0, 10)).toBe(0)
    expect(spansOf([0, 100, 210, 2_000, 2_090])).toEqual([
      { from: 0, to: 100 },
      { from: 100, to: 210 },
      { from: 2_000, to: 2_090 }
    ])
  })
})
