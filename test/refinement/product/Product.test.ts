import { Effect, Result } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { makeClient } from "../../../impl/runtime/Client.ts"
import { loadWorkflows, Workflows } from "../../../impl/runtime/Workflows.ts"
import { World } from "../../../impl/world/index.ts"
import { apply, type Operation, type OperationOf, type Step } from "../../../impl/worlds/memory/Operation.ts"
import { check, type SpecError } from "../../../model/checker/index.ts"
import { programs } from "../../../model/programs/index.ts"
import { learnSessions } from "../../../refinement/explore/LearnedSessions.ts"
import { interpreter, type OverlapOptions, scenarioOf } from "../../../refinement/explore/Overlap.ts"
import type { Scenario } from "../../../refinement/explore/Simulation.ts"
import type { Digest } from "../../../refinement/product/Automaton.ts"
import { byTracks } from "../../../refinement/product/Digest.ts"
import { type Configuration, type Explored, exploreRuntime, prepare } from "../../../refinement/product/Explore.ts"
import type { UnknownProgram } from "../../../refinement/Validate.ts"
import { byExecution, byProduct } from "./Oracle.ts"

let workflows: Workflows["Service"]
beforeAll(async () => {
  workflows = await Effect.runPromise(loadWorkflows([interpreter], { passTimeoutMs: 0, maxHeapMb: 0 }))
})

const run = <A>(effect: Effect.Effect<A, UnknownProgram | SpecError, Workflows>): Promise<A> =>
  Effect.runPromise(effect.pipe(Effect.provideService(Workflows, workflows)))

type Options = OverlapOptions & Partial<Configuration>

const configurationOf = ({ lapses = 0, crashes = 0, ...options }: Options): Configuration => ({
  name: "explored",
  budgets: { lapses, crashes },
  ...options,
  scenario: (learned) => scenarioOf(options, learned)
})

const explored = (options: Options): Promise<Explored> => run(exploreRuntime(configurationOf(options)))

const oneStep = programs["one-step"].program
const oneHook = programs["one-hook"].program

describe("the product of the World and what the runtime does: against running every schedule", {
  timeout: 300_000
}, () => {
  const schedules = [
    { about: "one hook, a lapse", program: oneHook, lapses: 1, crashes: 0, executions: 233 },
    { about: "one hook, a lapse and a crash", program: oneHook, lapses: 1, crashes: 1, executions: 2_849 },
    { about: "one inline step, two crashes", program: oneStep, lapses: 0, crashes: 2, executions: 58 }
  ] as const
  for (const { about, executions, ...given } of schedules) {
    it(`${about}: every schedule run again from the beginning: the same final Worlds, to the millisecond`, async () => {
      const options = { ...given, topology: "gated" } as const
      const found = await run(
        Effect.flatMap(prepare(configurationOf({ ...options, refines: false, clock: "moves" })), byProduct)
      )
      const plain = byExecution(scenarioOf(options, learnSessions(workflows)), false)
      expect(found.worlds).toEqual(plain.worlds)
      expect(plain.count).toBe(executions)
      expect(found.count).toBeLessThan(plain.count * 2)
    })
  }

  for (const topology of ["gated", "coalescing"] as const) {
    it(`one step moved to the background, a crash (${topology}): sleep sets: the same final Worlds`, async () => {
      const options = { program: oneStep, topology, maxInlineSteps: 0, lapses: 0, crashes: 1 } as const
      const found = await run(
        Effect.flatMap(prepare(configurationOf({ ...options, refines: false, clock: "moves" })), byProduct)
      )
      const reduced = byExecution(scenarioOf(options, learnSessions(workflows)), true)
      expect(found.worlds).toEqual(reduced.worlds)
      expect(found.worlds.length).toBeGreaterThan(1)
    })
  }

  it("another World: the final Worlds differ, so the comparison can fail", async () => {
    const options = { program: oneStep, topology: "gated", lapses: 0, crashes: 1 } as const
    const more = configurationOf({ ...options, crashes: 2, refines: false, clock: "moves" })
    const found = await run(Effect.flatMap(prepare(more), byProduct))
    expect(found.worlds).not.toEqual(byExecution(scenarioOf(options, learnSessions(workflows)), false).worlds)
  })
})

type Handler = ReturnType<Scenario["process"]>

/** A scenario whose handler is another one. */
const handled =
  (change: (handler: Handler) => Handler) =>
  (scenario: Scenario): Scenario => ({ ...scenario, process: () => change(scenario.process()) })

describe("code that is no function of what it is told", { timeout: 120_000 }, () => {
  const small = { program: oneHook, topology: "gated", lapses: 1, refines: false } as const

  it("what module-level state changes: explored: it is seen at once, and nothing is said to hold", async () => {
    const known = new Set<string>()
    const plant = handled((handler) => (payload, meta) => {
      const key = `${meta.messageId} ${meta.deliveryCount}`
      const isFirst = !known.has(key)
      known.add(key)
      return isFirst ? handler(payload, meta) : Effect.succeed({ timeoutSeconds: 5 })
    })
    const { result, diverged } = await explored({ ...small, plant })
    expect(result).toBe("diverged")
    expect(diverged).toMatchObject({ _tag: "ExecutionDiverged", process: "m1#1", by: "again" })
  })

  const hostValues = {
    "the time of day": () => Date.now() % 100_000_000_000,
    "a new date": () => new Date().getFullYear(),
    "the host's other clock": () => Math.floor(performance.now() / 3_600_000),
    "the host's random numbers": () => Math.floor(Math.random() * 1_000_000)
  }
  for (const [what, value] of Object.entries(hostValues)) {
    it(`${what} in an answer: explored: the execution elsewhere differs`, async () => {
      const plant = handled(() => () => Effect.sync(() => ({ timeoutSeconds: 1 + value() })))
      const { result, diverged } = await explored({ ...small, plant })
      expect(result).toBe("diverged")
      expect(diverged?.by).toBe("again")
    })
  }

  it("a digest that forgets what a delivery was answered: explored: histories that it takes for one are not alike", async () => {
    const forgetful: Digest = (history) => JSON.stringify(history.map(({ call }) => call).slice(0, 2))
    const { result, diverged } = await explored({
      program: oneStep,
      topology: "gated",
      lapses: 1,
      refines: false,
      digest: forgetful
    })
    expect(result).toBe("diverged")
    expect(diverged).toMatchObject({ by: "digest" })
  })

  it("a digest that forgets the order in which bodies ended: explored: an edge run again by the other history differs", async () => {
    // At rest both look alike, with one outcome being written; what is written next differs.
    const unordered: Digest = (history) => {
      const [loop, begun, ended] = JSON.parse(byTracks(history))
      return JSON.stringify([loop, begun, ended.toSorted()])
    }
    const { result, diverged } = await explored({
      program: programs["all-two"].program,
      topology: "gated",
      refines: false,
      digest: unordered
    })
    expect(result).toBe("diverged")
    expect(diverged).toMatchObject({ by: "digest" })
  })

  it("by tracks and by whole histories (STEP-03, STEP-04): explored: the same final Worlds, in fewer points", async () => {
    const options = { program: programs["all-two"].program, topology: "gated", crashes: 1, refines: false } as const
    const tracked = await run(prepare(configurationOf(options)))
    const whole = await run(prepare(configurationOf({ ...options, digest: "histories" })))
    const [byTrack, byHistory] = [await run(byProduct(tracked)), await run(byProduct(whole))]
    expect(byTrack.worlds).toEqual(byHistory.worlds)
    expect(tracked.product.grants.automata.points.size).toBeLessThan(whole.product.grants.automata.points.size)
  })
})

describe("every schedule of the runtime", { timeout: 300_000 }, () => {
  for (const topology of ["gated", "coalescing", "unserialized"] as const) {
    it(`one step, a lapse (${topology}; FENCE-04, FENCE-15): exhausted: every property holds, and each history is explained`, async () => {
      const { result, figures, finding } = await explored({
        program: oneStep,
        topology,
        lapses: 1,
        mayLapse: () => true,
        progress: true
      })
      expect({ result, finding }).toEqual({ result: "holds" })
      expect(figures).toMatchObject({ states: 643, transitions: 1_098, executions: 460, logs: 11 })
      expect(figures.explained?.largest).toBe(1)
    })
  }

  const resume = Effect.flatMap(World, (world) => makeClient(world).resumeHook("approval", "yes"))

  it("a client that resumes a hook at any time (HOOK-03, OOB-04): exhausted: every property holds", async () => {
    const options = { program: oneHook, topology: "gated", lapses: 1, clients: { resume } } as const
    const { result, finding, actions } = await explored(options)
    expect(finding?.verdict ?? finding?.property).toBe(undefined)
    expect(result).toBe("holds")
    expect(actions.ActClient).toBeGreaterThan(0)
  })

  it("a wake that is folded into a message while that waits (COAL-16): the model, which has no such step, still expects it", async () => {
    const options = { program: oneHook, topology: "coalescing", lapses: 1, clients: { resume } } as const
    const { finding } = await explored(options)
    expect(finding?.property).toBe("RestsInv")
    expect(finding?.schedule.map(({ says }) => says)).toContain("queue coalesce m2#1")
    const withoutModel = await explored({ ...options, refines: false })
    expect(withoutModel.result).toBe("holds")
  })

  it("an answer that is lost (POST-03): exhausted: every property holds", async () => {
    const options = configurationOf({ program: oneStep, topology: "gated" })
    const { result, finding, actions } = await run(exploreRuntime({ ...options, budgets: { losses: 1 } }))
    expect(finding?.verdict ?? finding?.property).toBe(undefined)
    expect(actions.LoseAnswer).toBeGreaterThan(0)
    // No two deliveries are alive at once: nothing ends a lease but an answer.
    expect(result).toBe("vacuous")
  })

  it("fewer places for deliveries than there are deliveries: explored: refused, and not cut off", async () => {
    const options = configurationOf({ program: oneStep, topology: "gated", lapses: 1, refines: false })
    const failed = await run(Effect.result(exploreRuntime({ ...options, room: { deliveries: 1 } })))
    expect(Result.isFailure(failed) && failed.failure.message).toContain("More than 1 deliveries are alive")
  })
})

type World_ = typeof apply

/** A World that does some operations otherwise. */
const world = (change: (operation: Operation, step: Step<"Create">) => Step<"Create">): World_ => {
  const changed = <Tag extends Operation["_tag"]>(
    state: Parameters<World_>[0],
    operation: OperationOf<Tag>
  ): Step<Tag> => {
    const step = apply<Tag>(state, operation)
    return operation._tag === "Create" ? (change(operation, step as Step<"Create">) as Step<Tag>) : step
  }
  return changed
}

describe("a property of the implementation that fails", { timeout: 120_000 }, () => {
  const found = async (options: Partial<Options>): Promise<string> => {
    const { finding } = await explored({ program: oneStep, topology: "gated", refines: false, ...options })
    expect(finding?.schedule.length).toBeGreaterThan(0)
    return finding?.property ?? "nothing"
  }
  const planted = (changed: World_) => ({ plant: (scenario: Scenario): Scenario => ({ ...scenario, apply: changed }) })

  it("a World that takes a write at any count (FENCE-01): the model does not explain it, and says what it would", async () => {
    const withoutFence: World_ = <Tag extends Operation["_tag"]>(
      state: Parameters<World_>[0],
      operation: OperationOf<Tag>
    ): Step<Tag> => {
      const given: Operation = operation
      if (given._tag !== "Create" || given.params.inBand !== true || given.runId === null) {
        return apply<Tag>(state, operation)
      }
      const expectedSeqInBand = state.logs.get(given.runId)?.seqInBand ?? 0
      return apply<Tag>(state, { ...operation, params: { ...given.params, expectedSeqInBand } })
    }
    const { finding } = await explored({
      program: oneStep,
      topology: "gated",
      lapses: 1,
      plant: (scenario) => ({ ...scenario, apply: withoutFence })
    })
    expect(finding?.property).toBe("RefinesInv")
    expect(finding?.schedule.map(({ says }) => says)).toContain("lapse m1#1")
    // The World took no notice of the count, and found another reason.
    expect(finding?.verdict).toMatchObject({ result: "refused", line: { action: "RefuseInBand", reason: "conflict" } })
    expect(finding?.verdict?.result === "refused" && finding.verdict.rules).toContain("FENCE-01")
  })

  it("a refused delivery that acknowledges (FENCE-15): the model would have asked again", async () => {
    const plant = handled(
      (handler) => (payload, meta) =>
        Effect.map(handler(payload, meta), (result) => (result?.timeoutSeconds === 1 ? undefined : result))
    )
    const { finding } = await explored({ program: oneStep, topology: "gated", lapses: 1, plant })
    expect(finding?.property).toBe("RefinesInv")
    expect(finding?.verdict).toMatchObject({ result: "refused", line: { action: "Acknowledge" } })
  })

  it("a delivery that writes an end that the code does not come to: a cold replay finds it (CAC-01)", async () => {
    const plant = planted(
      world((_, step) => {
        const logs = [...step.state.logs].map(([id, log]) => {
          const events = log.events.map((event) =>
            event.eventType === "run_completed" ? { ...event, eventData: { output: '["else"]' } } : event
          )
          return [id, { ...log, events }] as const
        })
        return { ...step, state: { ...step.state, logs: new Map(logs) } }
      })
    )
    expect(await found(plant)).toBe("ColdReplayInv")
  })

  it("a World that numbers its slots wrongly (WORLD-29): the log is not dense", async () => {
    const plant = planted(
      world((_, step) => {
        const logs = [...step.state.logs].map(([id, log]) => {
          const events = log.events.map((event) =>
            event.eventType === "run_completed" ? { ...event, eventId: `${event.eventId.slice(0, -1)}9` } : event
          )
          return [id, { ...log, events }] as const
        })
        return { ...step, state: { ...step.state, logs: new Map(logs) } }
      })
    )
    expect(await found(plant)).toBe("SlotsDenseInv")
  })

  it("a World that changes what it holds: what is in a slot changes", async () => {
    const plant = planted(
      world((_, step) => {
        const logs = [...step.state.logs].map(([id, log]) => {
          const events = log.events.map((event) =>
            event.eventType === "run_started" && log.ended ? { ...event, createdAt: event.createdAt + 1 } : event
          )
          return [id, { ...log, events }] as const
        })
        return { ...step, state: { ...step.state, logs: new Map(logs) } }
      })
    )
    expect(await found(plant)).toBe("AppendOnlyProp")
  })

  it("a World that takes an end of a run that has ended (LOG-33): it ends twice", async () => {
    const plant = planted(
      world((operation, step) => {
        if (operation._tag !== "Create" || operation.data.eventType !== "run_completed") return step
        const [[id, log] = []] = step.state.logs
        const end = log?.events.at(-1)
        if (id === undefined || log === undefined || end === undefined) return step
        const again = {
          ...end,
          eventId: end.eventId.replace(/\d+$/, (n) => String(Number(n) + 1).padStart(n.length, "0"))
        }
        const logs = new Map(step.state.logs).set(id, { ...log, events: [...log.events, again] })
        return { ...step, state: { ...step.state, logs } }
      })
    )
    expect(await found(plant)).toBe("LifecycleInv")
  })

  it("a queue that knows no keys (DEDUPE-01, DEDUPE-04): a step has two messages", async () => {
    const changed: World_ = <Tag extends Operation["_tag"]>(
      state: Parameters<World_>[0],
      operation: OperationOf<Tag>
    ): Step<Tag> => {
      if (operation._tag !== "Send") return apply<Tag>(state, operation)
      // Nothing of the queue has the key when the message comes, and afterwards the message has it.
      const keyless = [...state.queue.messages].map(([id, { key: _, ...message }]) => [id, message] as const)
      const { outcome, state: sent } = apply<Tag>(
        { ...state, queue: { ...state.queue, messages: new Map(keyless) } },
        operation
      )
      const messages = new Map([...sent.queue.messages, ...state.queue.messages])
      return { outcome, state: { ...sent, queue: { ...sent.queue, messages } } }
    }
    expect(await found({ ...planted(changed), maxInlineSteps: 0, crashes: 1 })).toBe("OneMessageInv")
  })

  it("a delivery that waits for nothing: it stalls", async () => {
    expect(await found({ plant: handled(() => () => Effect.never) })).toBe("NoStallInv")
  })

  it("a delivery that fails although nothing was made to: it is told", async () => {
    expect(await found({ plant: handled(() => () => Effect.fail("no")) })).toBe("NoFailureInv")
  })

  it("a delivery that does nothing: the run is left behind (RUN-48)", async () => {
    expect(await found({ plant: handled(() => () => Effect.void) })).toBe("NoStrandInv")
  })

  it("a queue that keeps a message for ever: something is left", async () => {
    const changed: World_ = <Tag extends Operation["_tag"]>(
      state: Parameters<World_>[0],
      operation: OperationOf<Tag>
    ): Step<Tag> => {
      const step = apply<Tag>(state, operation)
      const before = [...state.queue.messages][0]
      if (operation._tag !== "Answer" || before === undefined) return step
      const [id, { lease: _, ...message }] = before
      // Held by nobody who could answer.
      const lease = { claimedAtCount: 99, startedAt: 0, expiresAt: Number.MAX_SAFE_INTEGER, reruns: 0, coalesced: 0 }
      const queue = { ...step.state.queue, messages: new Map([[id, { ...message, lease }]]) }
      return { ...step, state: { ...step.state, queue } }
    }
    expect(await found(planted(changed))).toBe("NothingLeftInv")
  })

  it("a delivery that does nothing, explored to the end: no behaviour comes to the run's end (RUN-48)", async () => {
    const plant = handled(() => () => Effect.void)
    const configuration = configurationOf({
      program: oneStep,
      topology: "gated",
      refines: false,
      progress: true,
      plant
    })
    const report = await run(Effect.flatMap(prepare(configuration), ({ spec }) => check(spec, { continue: true })))
    expect(report.properties.RunLeadsToEnd).toBe("violated")
  })

  it("more states than the limit: explored: what was left out is not said to hold", async () => {
    const configuration = configurationOf({ program: oneStep, topology: "gated", lapses: 1, refines: false })
    const { result, reasons } = await run(exploreRuntime(configuration, { maxStates: 100 }))
    expect(result).toBe("bounded")
    expect(reasons[0]).toContain("more states than the limit of 100")
  })
})
