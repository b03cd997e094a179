/**
 * The lease-stall overlap, driven through every interleaving: an orchestrator's lease lapses at any point, the queue
 * delivers its message again, and the two deliveries of one message run beside each other on the real runtime.
 *
 * Each complete execution is held to four things: its trace is a behaviour of the model; the run is not left behind; its
 * log, replayed from cold by the workflow's own code, gives the decisions that are in it; and its end is the one that
 * every other schedule comes to, where neither the program nor the faults leave a choice (see `leavesChoice`).
 *
 * Rules: FENCE-04, FENCE-15, FENCE-16, FENCE-17, FENCE-18, FENCE-22, FENCE-33, FENCE-36, CAC-01, WORLD-25, QUEUE-13.
 *
 * @module
 */
import { Effect, Result, Scope } from "effect"
import { makeClient } from "../../impl/runtime/Client.ts"
import { coldReplay } from "../../impl/runtime/ColdReplay.ts"
import { ResendPasses } from "../../impl/runtime/ResendPasses.ts"
import { makeHandler } from "../../impl/runtime/Runtime.ts"
import { defaultSettings } from "../../impl/runtime/Settings.ts"
import type { BodyOutcome, StepBodiesService } from "../../impl/runtime/StepBodies.ts"
import { Workflows } from "../../impl/runtime/Workflows.ts"
import { FatalError } from "../../impl/workflow/Failure.ts"
import { type Event, isTerminalRunEvent, World } from "../../impl/world/index.ts"
import type { Message } from "../../impl/worlds/memory/Queue.ts"
import type { SpecError } from "../../model/checker/index.ts"
import { defaultMaxRetries, type Program, stepsOf } from "../../model/programs/index.ts"
import type { Header, Trace } from "../trace/Trace.ts"
import { type TraceVerdict, type UnknownProgram, validator } from "../Validate.ts"
import { learnSessions } from "./LearnedSessions.ts"
import { type Schedule, type SearchCounts, search } from "./Search.ts"
import { type Outcome, type Scenario, simulate } from "./Simulation.ts"

/** The module of the workflow that interprets programs. */
export const interpreter = new URL(
  // Built, the sources are JavaScript.
  `../../impl/workflow/Interpreter.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`,
  import.meta.url
)

/** What is explored. */
export interface OverlapOptions {
  readonly program: Program
  readonly topology: Header["topology"]
  readonly maxInlineSteps?: number
  /** How often a lease may lapse while its delivery lives on. Default 1. */
  readonly lapses?: number
  /** How often a delivery may vanish. Default 0. */
  readonly crashes?: number
  /** Which messages' leases may lapse. Default: the run's first message, in its first delivery. */
  readonly mayLapse?: (message: Message) => boolean
  /** How a step's body ends; default: every one completes. */
  readonly outcomeOf?: (stepName: string, attempt: number) => BodyOutcome
  /** Executions after which the exploration stops, unfinished. Default: none. */
  readonly maxExecutions?: number
  /** Stop at the first finding. Default true. */
  readonly stopAtFinding?: boolean
  /** Explore every schedule, also those that differ only in the order of independent grants. Default false. */
  readonly everySchedule?: boolean
  /** Replay in a VM for every delivery instead of once for every log. Slow. Default false. */
  readonly realSessions?: boolean
  /** How often a step's own delivery may try it again, where that is not what the program says: a planted bug. */
  readonly retriesOf?: (stepName: string) => number | undefined
  /** A planted bug: it changes the scenario before it is explored. */
  readonly plant?: (scenario: Scenario) => Scenario
}

/** An execution that is not as it should be. */
export interface OverlapFinding {
  readonly schedule: Schedule
  readonly reason: string
  /** What the model says of its trace, when that is the reason. */
  readonly verdict?: TraceVerdict
  readonly trace: Trace
}

/** What an exploration found. */
export interface ExplorationReport extends SearchCounts {
  /** False when it stopped before every schedule was covered. */
  readonly complete: boolean
  /** The schedules may come to different ends: then they are not held to one. */
  readonly leavesChoice: boolean
  /** Different final logs, times aside. */
  readonly logs: number
  /** Executions in which the fence refused a write, and the refusals in all of them together. */
  readonly refusedExecutions: number
  readonly refusals: number
  /** Lines of traces that the model explained. */
  readonly lines: number
  readonly findings: ReadonlyArray<OverlapFinding>
  readonly seconds: number
}

const runId = "run_overlap"

/** Step bodies for a program's steps: they return their name, or end as they are told to. */
export const bodiesOf = (
  program: Program,
  outcomeOf: OverlapOptions["outcomeOf"],
  retriesOf?: OverlapOptions["retriesOf"]
): StepBodiesService => {
  const { maxRetries } = stepsOf(program)
  return {
    lookup: (stepName) =>
      maxRetries.has(stepName)
        ? {
            maxRetries: retriesOf?.(stepName) ?? maxRetries.get(stepName) ?? defaultMaxRetries,
            run: (_args, { attempt }) => {
              const outcome = outcomeOf?.(stepName, attempt) ?? "completed"
              if (outcome === "completed") return Effect.succeed(stepName)
              return Effect.fail(
                outcome === "failed" ? new FatalError(`${stepName} fails`) : new Error(`${stepName} may succeed later`)
              )
            }
          }
        : undefined
  }
}

/** The scenario of an overlap: the runtime as it is, with a fresh handler in every process. */
export const scenarioOf = (options: OverlapOptions, workflows: Workflows["Service"]): Scenario => {
  const { program, topology, maxInlineSteps = 3, lapses = 1, crashes = 0 } = options
  const bodies = bodiesOf(program, options.outcomeOf, options.retriesOf)
  const scenario: Scenario = {
    header: { trace: "onewriter/1", program, topology, maxInlineSteps, runId },
    client: Effect.flatMap(World, (world) => makeClient(world).start("interpret", [program], { runId })),
    process: () => {
      // What a process remembers from one call of its handler to the next.
      const passes = new ResendPasses()
      return (payload, meta) =>
        Effect.gen(function* () {
          const world = yield* World
          // Bodies belong to the process, and a process never closes: it ends its work, or is abandoned.
          const handler = yield* makeHandler({
            world,
            workflows,
            bodies,
            passes,
            tuning: { ...defaultSettings, orchestratorPollIntervalMs: 0, maxInlineSteps },
            scope: Scope.makeUnsafe()
          })
          return yield* handler(payload, meta)
        })
    },
    lapses,
    crashes,
    mayLapse: options.mayLapse ?? (({ sequence, deliveryCount }) => sequence === 1 && deliveryCount === 1)
  }
  return options.plant?.(scenario) ?? scenario
}

/** A log without what differs from one schedule to the next for no reason but time. */
export const decisionsOf = (log: ReadonlyArray<Event>): string =>
  JSON.stringify(
    log.map(({ createdAt: _, eventData, ...event }) => {
      const { retryAfter: __, ...data } = { retryAfter: undefined, ...eventData }
      return { ...event, data }
    })
  )

const endOf = (log: ReadonlyArray<Event>): string => {
  const end = log.find(isTerminalRunEvent)
  return end === undefined ? "no end" : JSON.stringify([end.eventType, end.eventData])
}

/** What is wrong with a finished execution apart from its trace and its log's replay. */
const standing = ({ endless, stalled, messages }: Outcome): string | undefined => {
  if (endless) return "The execution does not end."
  if (stalled.length > 0) return `${stalled.join(", ")} waits for something that never comes.`
  return messages.length > 0 ? `${messages.length} messages are left.` : undefined
}

/**
 * Whether schedules may come to different ends and none of them be wrong: a race has several winners, a hook or a
 * sleep waits for something outside, and a step may fail, because it is told to or because faults use up its attempts.
 */
export const leavesChoice = ({ program, outcomeOf, lapses = 1, crashes = 0 }: OverlapOptions): boolean =>
  outcomeOf !== undefined || mayChoose(program, lapses + crashes)

const mayChoose = (program: Program, faults: number): boolean => {
  if (program._tag === "Step") return (program.maxRetries ?? defaultMaxRetries) < faults
  if (program._tag === "Hook" || program._tag === "Sleep") return true
  return (program._tag === "Race" && program.parts.length > 1) || program.parts.some((part) => mayChoose(part, faults))
}

/** Explores every interleaving. Succeeds with a report, whether or not there are findings. */
export const exploreOverlap = (
  options: OverlapOptions
): Effect.Effect<ExplorationReport, UnknownProgram | SpecError, Workflows> =>
  Effect.gen(function* () {
    const workflows = yield* Workflows
    const sessions = options.realSessions === true ? workflows : learnSessions(workflows)
    const system = simulate(scenarioOf(options, sessions))
    const validate = validator()
    const began = performance.now()
    const counts: SearchCounts = { executions: 0, cut: 0, grants: 0 }
    const replayed = new Map<string, string | undefined>()
    const findings: Array<OverlapFinding> = []
    let refusals = 0
    let refusedExecutions = 0
    let lines = 0
    let end: string | undefined
    const choice = leavesChoice(options)

    /** The reason why the log does not replay to what is in it, if so; each different log is replayed once. */
    const replayFault = Effect.fnUntraced(function* (log: ReadonlyArray<Event>) {
      const key = decisionsOf(log)
      if (!replayed.has(key)) {
        const result = yield* Effect.result(coldReplay(log))
        replayed.set(
          key,
          Result.isFailure(result) ? `A cold replay of the log diverges: ${result.failure.message}` : undefined
        )
      }
      return replayed.get(key)
    })

    const executions = search(system, { reduce: options.everySchedule !== true, counts })
    const report = (complete: boolean): ExplorationReport => ({
      ...counts,
      complete,
      leavesChoice: choice,
      logs: replayed.size,
      refusedExecutions,
      refusals,
      lines,
      findings,
      seconds: (performance.now() - began) / 1000
    })
    for (const { schedule, outcome } of executions) {
      if (counts.executions % 64 === 0) yield* Effect.yieldNow
      refusals += outcome.refusals
      refusedExecutions += outcome.refusals > 0 ? 1 : 0
      lines += outcome.trace.lines.length
      const found = (reason: string, verdict?: TraceVerdict): void => {
        findings.push({ schedule, reason, trace: outcome.trace, ...(verdict === undefined ? {} : { verdict }) })
      }
      const verdict = yield* validate(outcome.trace, { complete: true })
      const fault = yield* replayFault(outcome.log)
      const left = standing(outcome)
      end ??= endOf(outcome.log)
      if (verdict.result === "refused") found(verdict.reason, verdict)
      else if (fault !== undefined) found(fault)
      else if (left !== undefined) found(left)
      else if (!choice && endOf(outcome.log) !== end) {
        found(`The run ends with ${endOf(outcome.log)}, in other schedules with ${end}.`)
      }
      if (findings.length > 0 && options.stopAtFinding !== false) return report(false)
      if (options.maxExecutions !== undefined && counts.executions >= options.maxExecutions) return report(false)
    }
    return report(true)
  })
