import { describe, expect, test } from "vitest"
import type { Event } from "../../../impl/world/index.ts"
import { eventIdOf } from "../../../impl/world/index.ts"
import { account, logTable, showExploration, type TourFindings } from "../../../refinement/cli/Tour.ts"
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
    leavesChoice: false,
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

  test("not complete, a choice, no refusal: none of them is said to be otherwise", () => {
    const text = showExploration({ ...report, complete: false, leavesChoice: true, refusals: 0 })
    expect(text).toContain("1,234 executions, which do not cover every schedule")
    expect(text).not.toContain("to the same end")
    expect(text).toContain("The fence refused nothing.")
  })

  test("a finding: its reason and its whole schedule, and not that every line is explained", () => {
    const finding = {
      schedule: ["queue deliver m1#1", "lapse m1#1"],
      reason: "It broke.",
      trace: { header, lines: [] }
    }
    const text = showExploration({ ...report, findings: [finding] })
    expect(text).toContain("It broke.")
    expect(text).not.toContain("explained by the model")
    expect(text).toContain("  queue deliver m1#1\n  lapse m1#1")
  })
})

describe("the tour's summary", () => {
  const explored: ExplorationReport = {
    executions: 10,
    cut: 0,
    grants: 9,
    complete: true,
    leavesChoice: false,
    logs: 2,
    refusedExecutions: 7,
    refusals: 8,
    lines: 43,
    findings: [],
    seconds: 1
  }
  const accepted = {
    result: "accepted",
    lines: 9,
    hidden: 0,
    places: 1,
    states: 9,
    ended: true,
    quiescent: true
  } as const
  const good: TourFindings = {
    checked: { models: 2, states: 30, seconds: 1, wrong: [] },
    counterexample: { steps: ["initially", "a", "b"] },
    result: "charge-order-1",
    verdict: accepted,
    events: 8,
    explored
  }
  const refused = {
    result: "refused",
    number: 3,
    reason: "No.",
    failures: [],
    nearMisses: [],
    allowed: [],
    rules: []
  } as const
  const finding = { schedule: [], reason: "It broke.", trace: { header, lines: [] } }

  test("all as it should be: no problem, and a sentence for each part", () => {
    const { sentences, problems } = account(good)
    expect(problems).toEqual([])
    expect(sentences.join(" ")).toContain("each comes out as its manifest says")
    expect(sentences.join(" ")).toContain("in a way that the model allows.")
    expect(sentences.join(" ")).toContain("and one outcome")
    expect(sentences.join(" ")).toContain("after 2 steps")
  })

  const cases: ReadonlyArray<readonly [what: string, change: Partial<TourFindings>, unsaid: string]> = [
    ["a manifest", { checked: { ...good.checked, wrong: ["m: result"] } }, "each comes out as"],
    ["the counterexample", { counterexample: undefined }, "both write"],
    ["the result", { result: 5 }, "returned what it should"],
    ["the trace", { verdict: refused }, "that the model allows"],
    ["the trace's end", { verdict: { ...accepted, ended: false } }, "that the model allows."],
    ["a schedule", { explored: { ...explored, findings: [finding] } }, "and one outcome"],
    ["the coverage", { explored: { ...explored, complete: false } }, "every schedule, each"],
    ["the fence", { explored: { ...explored, refusals: 0, refusedExecutions: 0 } }, "had to refuse in"]
  ]
  for (const [what, change, unsaid] of cases) {
    test(`${what} not as it should be: one problem, and no sentence that says otherwise`, () => {
      const { sentences, problems } = account({ ...good, ...change })
      expect(problems).toHaveLength(1)
      expect(account(good).sentences.join(" ")).toContain(unsaid)
      expect(sentences.join(" ")).not.toContain(unsaid)
    })
  }
})
