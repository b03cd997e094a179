import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { BodyObserver } from "../../../impl/runtime/StepBodies.ts"
import {
  type EventInput,
  EventStorage,
  MessageQueue,
  SPEC_VERSION_SINGLE_ORCHESTRATOR
} from "../../../impl/world/index.ts"
import { follow, type Schedule, type SearchCounts, search } from "../../../refinement/explore/Search.ts"
import { type Outcome, type Scenario, simulate } from "../../../refinement/explore/Simulation.ts"
import { formatTrace } from "../../../refinement/trace/Sink.ts"
import type { Topology } from "../../../refinement/trace/Trace.ts"

const runId = "run_1"
const specVersion = SPEC_VERSION_SINGLE_ORCHESTRATOR

/** Starts a run, and does nothing else. */
const client = Effect.gen(function* () {
  const events = yield* EventStorage
  const queue = yield* MessageQueue
  const runInput = { workflowName: "w", input: "[]", specVersion }
  yield* events.create(runId, { eventType: "run_created", specVersion, eventData: { workflowName: "w", input: "[]" } })
  yield* queue.send({ runId, runInput, runSpecVersion: specVersion })
})

/** A delivery that writes until the log holds three in-band events, and ends the run; it stops when it is refused. */
type Handler = ReturnType<Scenario["process"]>

const handler: Handler = () =>
  Effect.gen(function* () {
    const events = yield* EventStorage
    const { end } = yield* BodyObserver
    const page = yield* events.list(runId)
    let { seq, seqInBand } = page.snapshot
    if (page.data.some(({ eventType }) => eventType === "run_completed")) return
    const write = (data: EventInput) =>
      Effect.map(
        events.create(runId, data, { inBand: true, expectedSeqInBand: seqInBand, eventCount: seq }),
        ({ events: report }) => {
          seq += 1 + report.length
          seqInBand += 1
        }
      )
    if (seqInBand === 1) yield* write({ eventType: "run_started", specVersion, eventData: {} })
    const body = { runId, stepId: "step_0001", stepName: "work", attempt: 1 }
    yield* end(body, "completed")
    yield* write({ eventType: "run_completed", specVersion, eventData: { output: "1" } })
  }).pipe(Effect.catchTag("InBandSupersededError", () => Effect.succeed({ timeoutSeconds: 1 })))

const scenario = (topology: Topology, faults: Partial<Scenario> = {}): Scenario => ({
  header: { trace: "onewriter/1", program: "w", topology, maxInlineSteps: 1, runId },
  client,
  process: () => handler,
  ...faults
})

const all = (given: Scenario, reduce: boolean) => {
  const counts: SearchCounts = { executions: 0, cut: 0, grants: 0 }
  const found = [...search(simulate(given), { reduce, counts })]
  return { counts, found }
}

const finalWorld = ({ log, messages, stalled }: Outcome): string =>
  JSON.stringify([log.map(({ eventType, createdAt }) => [eventType, createdAt]), messages, stalled])

const finalWorlds = (found: ReadonlyArray<{ readonly outcome: Outcome }>): ReadonlyArray<string> =>
  [...new Set(found.map(({ outcome }) => finalWorld(outcome)))].sort()

describe("simulate", () => {
  it("one delivery without faults: searched: there is one schedule, and its trace has every operation", () => {
    const { found } = all(scenario("gated"), false)
    expect(found).toHaveLength(1)
    const { outcome, schedule } = found[0]!
    expect(schedule).toEqual([
      "queue deliver m1#1",
      "m1#1 1 list",
      "m1#1 2 write run_started",
      "m1#1 3 end step_0001",
      "m1#1 4 write run_completed",
      "m1#1 5 Acknowledge"
    ])
    expect(outcome.trace.lines.map(({ line }) => line.action)).toEqual([
      "OpenProcess",
      "CreateRun",
      "SendStart",
      "Deliver",
      "LoadLog",
      "CommitInBand",
      "EndBody",
      "CommitInBand",
      "Acknowledge"
    ])
    expect(outcome).toMatchObject({ messages: [], stalled: [], refusals: 0, endless: false })
  })

  for (const topology of ["gated", "coalescing", "unserialized"] as const) {
    it(`a lapse (${topology}): sleep sets: they reach the final Worlds that all schedules reach`, () => {
      const given = scenario(topology, { lapses: 1 })
      const plain = all(given, false)
      const reduced = all(given, true)
      expect(finalWorlds(reduced.found)).toEqual(finalWorlds(plain.found))
      expect(reduced.counts.executions).toBeLessThan(plain.counts.executions)
      expect(plain.found.some(({ outcome }) => outcome.refusals > 0)).toBe(true)
      expect(plain.found.every(({ outcome }) => outcome.messages.length === 0 && !outcome.endless)).toBe(true)
    })
  }

  it("a schedule: followed twice: trace and log are the same to the byte", () => {
    const given = scenario("coalescing", { lapses: 1 })
    const { found } = all(given, true)
    for (const { schedule, outcome } of found) {
      const again = follow(simulate(given), schedule satisfies Schedule).outcome
      expect(formatTrace(again.trace)).toBe(formatTrace(outcome.trace))
      expect(again.log).toEqual(outcome.log)
    }
  })

  it("a handler that waits for nothing: run: it is reported as stalled", () => {
    const { found } = all(scenario("gated", { process: () => () => Effect.never }), false)
    expect(found.map(({ outcome }) => outcome.stalled)).toEqual([["m1#1"]])
  })

  it("a handler that asks for its message for ever: run: the execution is given up as endless", () => {
    const given = scenario("gated", { process: () => () => Effect.succeed({ timeoutSeconds: 1 }), maxGrants: 50 })
    expect(all(given, false).found.map(({ outcome }) => outcome.endless)).toEqual([true])
  })

  it("a handler that fails: run: the rejection is answered and recorded, and the message comes back", () => {
    let calls = 0
    const failing: Handler = (payload, meta) =>
      Effect.suspend(() => (calls++ % 2 === 0 ? Effect.fail("no") : handler(payload, meta)))
    const { found } = all(scenario("gated", { process: () => failing }), false)
    const lines = found[0]?.outcome.trace.lines.map(({ line }) => line) ?? []
    expect(lines.find(({ action }) => action === "Reject")).toMatchObject({ accepted: "done" })
    expect(lines.filter(({ action }) => action === "Deliver")).toMatchObject([
      { deliveryCount: 1 },
      { deliveryCount: 2 }
    ])
  })
})
