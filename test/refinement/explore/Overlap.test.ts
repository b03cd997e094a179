import { Effect } from "effect"
import { beforeAll, describe, expect, it, vi } from "vitest"
import { loadWorkflows, Workflows } from "../../../impl/runtime/Workflows.ts"
import {
  apply,
  type MemoryState,
  type Operation,
  type OperationOf,
  type Step
} from "../../../impl/worlds/memory/Operation.ts"
import { all, hook, programs, race, seq, step } from "../../../model/programs/index.ts"
import { learnSessions } from "../../../refinement/explore/LearnedSessions.ts"
import type { Move } from "../../../refinement/explore/Moves.ts"
import {
  decisionsOf,
  type ExplorationReport,
  exploreOverlap,
  interpreter,
  leavesChoice,
  type OverlapOptions,
  scenarioOf
} from "../../../refinement/explore/Overlap.ts"
import { follow, sample, search } from "../../../refinement/explore/Search.ts"
import { type Scenario, simulate } from "../../../refinement/explore/Simulation.ts"
import { formatTrace } from "../../../refinement/trace/Sink.ts"
import type { Trace } from "../../../refinement/trace/Trace.ts"
import { validator } from "../../../refinement/Validate.ts"

let workflows: Workflows["Service"]
beforeAll(async () => {
  workflows = await Effect.runPromise(loadWorkflows([interpreter], { passTimeoutMs: 0, maxHeapMb: 0 }))
})

const oneStep = programs["one-step"].program

const explored = (options: OverlapOptions): ExplorationReport =>
  Effect.runSync(Effect.orDie(exploreOverlap(options).pipe(Effect.provideService(Workflows, workflows))))

/** Numbers that look random, from 0 up to 1, the same every time. */
const seeded = (first: number) => {
  let seed = first
  return (): number => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed / 2_147_483_647
  }
}

/**
 * The trace of a schedule in which the first delivery is run again for the wake of each step, one after the other, while
 * the first step's message waits.
 */
const reRunForEachWake = (scenario: Scenario): Trace => {
  const execution = simulate(scenario).begin()
  const isAnswer = (key: string) => /^m1#1 \d+ Acknowledge/.test(key)
  for (let isOwed = false; ; ) {
    const enabled = execution.enabled()
    const first = (is: (key: string) => boolean) => enabled.find(({ key }) => is(key))
    const grant: Move | undefined =
      first((key) => !key.startsWith("queue ") && !isAnswer(key)) ??
      first((key) => key.startsWith("queue coalesce ")) ??
      (isOwed ? first(isAnswer) : undefined) ??
      first((key) => key.startsWith("queue deliver ") && !key.startsWith("queue deliver m2")) ??
      enabled[0]
    if (grant === undefined) return execution.outcome().trace
    isOwed = grant.key.startsWith("queue coalesce ") || (isOwed && !isAnswer(grant.key))
    execution.perform(grant)
  }
}

/** A World that takes every in-band write, whatever count it was decided at. */
const withoutFence: typeof apply = <Tag extends Operation["_tag"]>(
  state: MemoryState,
  operation: OperationOf<Tag>
): Step<Tag> => {
  const given: Operation = operation
  if (given._tag !== "Create" || given.params.inBand !== true || given.runId === null) {
    return apply<Tag>(state, operation)
  }
  const expectedSeqInBand = state.logs.get(given.runId)?.seqInBand ?? 0
  return apply<Tag>(state, { ...operation, params: { ...given.params, expectedSeqInBand } })
}

/** A World that reports no event below a write. */
const withoutReport: typeof apply = <Tag extends Operation["_tag"]>(
  state: MemoryState,
  operation: OperationOf<Tag>
): Step<Tag> => {
  const step = apply<Tag>(state, operation)
  const { outcome } = step
  if (operation._tag !== "Create" || !("success" in outcome)) return step
  const result: unknown = outcome.success
  if (typeof result === "object" && result !== null && "events" in result) Object.assign(result, { events: [] })
  return step
}

/** A World that reports nothing of what lies below a write, and says that there is more. */
const withCutReport: typeof apply = <Tag extends Operation["_tag"]>(
  state: MemoryState,
  operation: OperationOf<Tag>
): Step<Tag> => {
  const step = apply<Tag>(state, operation)
  const { outcome } = step
  if (operation._tag !== "Create" || !("success" in outcome)) return step
  const result: unknown = outcome.success
  if (typeof result !== "object" || result === null || !("events" in result)) return step
  if (Array.isArray(result.events) && result.events.length > 0) Object.assign(result, { events: [], hasMore: true })
  return step
}

/** Whether a delivery crashes in one of the first executions. */
const crashesAmong = (options: OverlapOptions, executions: number): boolean => {
  let seen = 0
  for (const { outcome } of search(simulate(scenarioOf(options, learnSessions(workflows))), { reduce: true })) {
    if (outcome.trace.lines.some(({ line }) => line.action === "Crash")) return true
    if (++seen === executions) return false
  }
  return false
}

describe("the lease-stall overlap", { timeout: 180_000 }, () => {
  for (const topology of ["gated", "coalescing", "unserialized"] as const) {
    it(`one step (${topology}): every interleaving: each trace refines, each log replays cold, and the fence refuses`, () => {
      const report = explored({ program: oneStep, topology })
      expect(report.findings).toEqual([])
      expect(report.complete).toBe(true)
      expect(report.executions).toBeGreaterThan(100)
      expect(report.refusals).toBeGreaterThan(0)
    })
  }

  it("a background step beside an inline one: every interleaving of the first 1,500: nothing is found", () => {
    const report = explored({
      program: programs["all-two"].program,
      topology: "gated",
      maxInlineSteps: 1,
      maxExecutions: 1_500
    })
    expect(report.findings).toEqual([])
    expect(report.executions).toBe(1_500)
  })

  it("a crash as well: every interleaving of the first 1,500: nothing is found", () => {
    const options = { program: oneStep, topology: "coalescing", crashes: 1, maxExecutions: 1_500 } as const
    const report = explored(options)
    expect(report.findings).toEqual([])
    expect(report.executions).toBe(1_500)
    expect(report.refusals).toBeGreaterThan(0)
    expect(crashesAmong(options, 1_500)).toBe(true)
  })

  it("a crash between the commit of a start and its body (FENCE-17): it is among the schedules", () => {
    const system = simulate(
      scenarioOf({ program: oneStep, topology: "gated", lapses: 0, crashes: 1 }, learnSessions(workflows))
    )
    const between = [...search(system, { reduce: true })].filter(({ outcome: { trace } }) =>
      trace.lines.some(
        ({ line }, at) =>
          line.action === "CommitInBand" &&
          line.eventType === "step_started" &&
          trace.lines[at + 1]?.line.action === "Crash"
      )
    )
    expect(between.length).toBeGreaterThan(0)
  })

  it("a World that cuts its reports short (CAC-03): the runtime loads on, and each trace refines", () => {
    const judge = validator()
    const options = {
      program: programs["all-two"].program,
      topology: "gated",
      maxInlineSteps: 1,
      lapses: 0,
      plant: (scenario: Scenario): Scenario => ({ ...scenario, apply: withCutReport })
    } as const
    let cut = 0
    let seen = 0
    for (const { outcome } of search(simulate(scenarioOf(options, learnSessions(workflows))), { reduce: true })) {
      const verdict = Effect.runSync(Effect.orDie(judge(outcome.trace, { complete: true })))
      expect(verdict, formatTrace(outcome.trace)).toMatchObject({ result: "accepted", ended: true })
      cut += outcome.trace.lines.filter(({ line }) => line.action === "CommitInBand" && line.hasMore === true).length
      if (++seen === 300) break
    }
    expect(cut).toBeGreaterThan(0)
  })

  it("a race: every interleaving of the first 500: its ends differ, and that is not a finding", () => {
    const program = race(step("a"), step("b"))
    const options = { program, topology: "gated", maxInlineSteps: 2, lapses: 0 } as const
    const report = explored({ ...options, maxExecutions: 500 })
    expect(report.findings).toEqual([])
    expect(report.leavesChoice).toBe(true)
    const ends = new Set<string>()
    for (const { outcome } of search(simulate(scenarioOf(options, learnSessions(workflows))), { reduce: true })) {
      const end = outcome.log.find(({ eventType }) => eventType === "run_completed")
      ends.add(JSON.stringify(end?.eventData))
      if (ends.size === 2) break
    }
    expect(ends.size).toBe(2)
  })

  it("whether schedules may come to different ends: decided from the program, its bodies and the faults", () => {
    const of = (program: OverlapOptions["program"], options: Partial<OverlapOptions> = {}): boolean =>
      leavesChoice({ program, topology: "gated", ...options })
    expect(of(seq(step("a"), all(step("b"), step("c"))))).toBe(false)
    expect(of(race(step("a")))).toBe(false)
    expect(of(seq(step("a"), race(step("b"), step("c"))))).toBe(true)
    expect(of(hook("t"))).toBe(true)
    expect(of(all(step("a"), step("b")), { outcomeOf: () => "failed" })).toBe(true)
    expect(of(step("a", { maxRetries: 0 }))).toBe(true)
    expect(of(step("a", { maxRetries: 0 }), { lapses: 0 })).toBe(false)
  })

  it("a step that fails once and is moved to the background: every interleaving of the first 1,000: nothing is found", () => {
    const report = explored({
      program: oneStep,
      topology: "gated",
      outcomeOf: (_name, attempt) => (attempt === 1 ? "retry" : "completed"),
      maxExecutions: 1_000
    })
    expect(report.findings).toEqual([])
    expect(report.executions).toBe(1_000)
  })

  it("random schedules of every named program without hooks, with lapses and crashes: each trace refines", () => {
    const judge = validator()
    const random = seeded(77)
    for (const { program, name } of Object.values(programs)) {
      if (JSON.stringify(program).includes('"Hook"')) continue
      for (const topology of ["gated", "coalescing", "unserialized"] as const) {
        const options = { program, topology, maxInlineSteps: 1, lapses: 2, crashes: 1, mayLapse: () => true }
        const system = simulate(scenarioOf(options, learnSessions(workflows)))
        for (let i = 0; i < 4; i++) {
          const { outcome } = sample(system, random)
          const verdict = Effect.runSync(Effect.orDie(judge(outcome.trace, { complete: true })))
          expect(verdict, `${name} ${topology}\n${formatTrace(outcome.trace)}`).toMatchObject({ result: "accepted" })
        }
      }
    }
  })
})

describe("the explorer", () => {
  it("learned sessions: compared with a VM for every delivery: the same schedules and logs", () => {
    const options = { program: oneStep, topology: "gated" } as const
    const walked = (service: Workflows["Service"]) =>
      [...search(simulate(scenarioOf(options, service)), { reduce: true }).take(40)].map(({ schedule, outcome }) => [
        schedule,
        decisionsOf(outcome.log)
      ])
    expect(walked(learnSessions(workflows))).toEqual(walked(workflows))
  })

  it("a schedule: printed and followed again: the same trace to the byte", () => {
    const system = simulate(scenarioOf({ program: oneStep, topology: "coalescing" }, learnSessions(workflows)))
    let seen = 0
    for (const { schedule, outcome } of search(system, { reduce: true })) {
      const printed = schedule.join("\n")
      const again = follow(system, printed.split("\n")).outcome
      expect(formatTrace(again.trace)).toBe(formatTrace(outcome.trace))
      if (++seen === 60) break
    }
    expect(seen).toBe(60)
  })

  it("all schedules of a delivery that crashes: compared with the reduced search: the same final logs", () => {
    const options = { program: oneStep, topology: "gated", lapses: 0, crashes: 1 } as const
    const logs = (reduce: boolean) =>
      new Set(
        [...search(simulate(scenarioOf(options, learnSessions(workflows))), { reduce })].map(({ outcome }) =>
          decisionsOf(outcome.log)
        )
      )
    expect(logs(true)).toEqual(logs(false))
  })
})

describe("the explorer, with a planted bug", () => {
  const found = (report: ExplorationReport) => {
    const [finding] = report.findings
    if (finding === undefined) throw new Error("The planted bug was not found.")
    return finding
  }

  it("a World without the fence (FENCE-01): found, with the schedule and the line that the model refuses", () => {
    const plant = (scenario: Scenario): Scenario => ({ ...scenario, apply: withoutFence })
    const finding = found(explored({ program: oneStep, topology: "gated", plant }))
    const { verdict } = finding
    if (verdict?.result !== "refused") throw new Error("The model does not refuse its trace.")
    expect(verdict.allowed.some(({ line, fields }) => line === "RefuseInBand" && fields.reason === "superseded")).toBe(
      true
    )
    expect(verdict.rules).toContain("FENCE-01")
    expect(finding.schedule.some((grant) => grant.startsWith("lapse "))).toBe(true)
  })

  it("a refused delivery that acknowledges instead of asking again (FENCE-15): found, at the acknowledgment", () => {
    const plant = (scenario: Scenario): Scenario => ({
      ...scenario,
      process: () => {
        const handler = scenario.process()
        return (payload, meta) =>
          Effect.map(handler(payload, meta), (result) =>
            result?.timeoutSeconds === 1 && payload.stepId === undefined ? undefined : result
          )
      }
    })
    const { verdict } = found(explored({ program: oneStep, topology: "gated", plant }))
    expect(verdict).toMatchObject({ result: "refused", line: { action: "Acknowledge" } })
    expect(verdict?.result === "refused" && verdict.rules).toContain("FENCE-15")
  })

  it("a re-run that makes its invocation's re-send pass once more (DEDUPE-20): refused at a send, which the runtime is not", () => {
    // The first step runs inline: its outcome is the last in-band write, and a re-run that follows the pass owes nothing.
    const program = all(step("inline"), step("a"), step("b"), step("c"))
    const kept = scenarioOf({ program, topology: "coalescing", maxInlineSteps: 1, lapses: 0 }, learnSessions(workflows))
    // A process that is new for each call of the handler remembers no pass.
    const forgetful: Scenario = { ...kept, process: () => (payload, meta) => kept.process()(payload, meta) }
    const judge = validator()
    const verdictOf = (scenario: Scenario) =>
      Effect.runSync(Effect.orDie(judge(reRunForEachWake(scenario), { complete: true })))
    expect(verdictOf(kept)).toMatchObject({ result: "accepted" })
    expect(verdictOf(forgetful)).toMatchObject({ result: "refused", line: { action: "SendStep", stepId: "step_0002" } })
  })

  it("a report that is dropped, so that an outcome is consumed before what lies below it (CAC-02): found", () => {
    const plant = (scenario: Scenario): Scenario => ({ ...scenario, apply: withoutReport })
    // A background step's outcome lands between the orchestrator's load and its next write.
    const { verdict } = found(
      explored({ program: programs["all-two"].program, topology: "gated", maxInlineSteps: 1, lapses: 0, plant })
    )
    if (verdict?.result !== "refused") throw new Error("The model does not refuse its trace.")
    expect(verdict.line).toMatchObject({ action: "CommitInBand" })
    expect(verdict.allowed[0]?.differences.map(({ field }) => field)).toContain("report")
    expect(verdict.rules).toContain("CAC-02")
  })
})

describe("what an exploration says", () => {
  it("two steps in a row, coalesced: every schedule is covered, by as many executions as ever", () => {
    // Whatever the runtime does by the clock is one more thing to interleave: a look at the run beside each body made
    // these executions endless.
    const { complete, executions, findings } = explored({
      program: programs["two-steps"].program,
      topology: "coalescing",
      maxExecutions: 10_000
    })
    expect({ complete, executions, findings }).toEqual({ complete: true, executions: 4356, findings: [] })
  }, 240_000)

  it("executions in which deliveries are superseded again and again: none of them writes to the console", () => {
    const written = vi.spyOn(console, "log")
    const { refusals } = explored({ program: oneStep, topology: "gated" })
    expect(refusals).toBeGreaterThan(0)
    expect(written).not.toHaveBeenCalled()
    written.mockRestore()
  })
})
