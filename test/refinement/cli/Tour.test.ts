import { describe, expect, test } from "vitest"
import type { Event } from "../../../impl/world/index.ts"
import { eventIdOf } from "../../../impl/world/index.ts"
import { logTable, showExploration } from "../../../refinement/cli/Tour.ts"
import type { ExplorationReport } from "../../../refinement/explore/Overlap.ts"
import { memorySink } from "../../../refinement/trace/Sink.ts"

const header = { trace: "onewriter/1", program: "one-step", topology: "gated", maxInlineSteps: 0, runId: "r" } as const
const common = { runId: "r", createdAt: 0, specVersion: 9 }

describe("the tour's table of a log", () => {
  test("writes of a client, of the orchestrator and of a step: each is told, with the count that only in-band writes move", () => {
    const log: ReadonlyArray<Event> = [
      { ...common, eventId: eventIdOf(1), eventType: "run_created", eventData: { workflowName: "w", input: "[]" } },
      { ...common, eventId: eventIdOf(2), eventType: "run_started", eventData: {} },
      {
        ...common,
        eventId: eventIdOf(3),
        eventType: "step_started",
        correlationId: "step_0001",
        eventData: { stepName: "work", attempt: 1 }
      }
    ]
    const sink = memorySink(header)
    const by = { messageId: "m", deliveryCount: 1 }
    sink.append({ action: "CreateRun", by: { client: "start" }, slot: 1, allocated: 1 })
    sink.append({
      action: "CommitInBand",
      by,
      eventType: "run_started",
      expectedSeqInBand: 1,
      eventCount: 1,
      slot: 2,
      allocated: 1,
      report: []
    })
    sink.append({
      action: "CommitOutOfBand",
      by,
      eventType: "step_started",
      correlationId: "step_0001",
      attempt: 1,
      slot: 3
    })
    expect(logTable(log, sink.trace()).split("\n")).toEqual([
      "slot  writer       event         entity     step  seqInBand",
      "----  -----------  ------------  ---------  ----  ---------",
      "1     client       run_created                    1",
      "2     in-band      run_started                    2",
      "3     out-of-band  step_started  step_0001  work  2"
    ])
  })
})

describe("the tour's account of an exploration", () => {
  const report: ExplorationReport = {
    executions: 1234,
    cut: 5,
    grants: 99,
    complete: true,
    logs: 2,
    refusedExecutions: 7,
    refusals: 8,
    lines: 4321,
    findings: [],
    seconds: 1.25
  }

  test("nothing found: the figures, and no more", () => {
    const text = showExploration(report)
    expect(text).toContain("1,234 executions cover every schedule")
    expect(text).toContain("refused 8 writes, in 7 of the executions")
    expect(text.split("\n")).toHaveLength(3)
  })

  test("a finding: its reason and its whole schedule", () => {
    const finding = {
      schedule: ["queue deliver m1#1", "lapse m1#1"],
      reason: "It broke.",
      trace: { header, lines: [] }
    }
    const text = showExploration({ ...report, findings: [finding] })
    expect(text).toContain("It broke.")
    expect(text).toContain("  queue deliver m1#1\n  lapse m1#1")
  })
})
