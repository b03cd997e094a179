/**
 * Exhausting a bounded configuration of the runtime: the product of the World and its processes is built, given to the
 * model checker, and what the checker finds is told as a schedule and a trace.
 *
 * A finding is one of three. A property fails: of the World, or that the model explains the history. The code diverges: it
 * is no function of what it is told, and so nothing that was learned of it is worth anything. Or the search is cut off at
 * its limit, and says nothing of what it left out.
 *
 * Rules: those of `Properties.ts` and `Product.ts`.
 *
 * @module
 */
import { Effect, Result } from "effect"
import { Workflows } from "../../impl/runtime/Workflows.ts"
import {
  type Counterexample,
  check,
  type Options,
  type ParameterValues,
  type Report,
  type Spec,
  type SpecError
} from "../../model/checker/index.ts"
import { learnSessions } from "../explore/LearnedSessions.ts"
import { shortId } from "../explore/Moves.ts"
import { memorySink } from "../trace/Sink.ts"
import type { Trace } from "../trace/Trace.ts"
import { type TraceVerdict, type UnknownProgram, validate } from "../Validate.ts"
import { makeWalk } from "../validate/Walk.ts"
import type { ExecutionDiverged } from "./Automaton.ts"
import { byTracks } from "./Digest.ts"
import { ExplainedStates } from "./ExplainedStates.ts"
import type { ProductOptions } from "./Grants.ts"
import { nameOf } from "./Process.ts"
import { Product } from "./Product.ts"
import { propertiesOf } from "./Properties.ts"
import type { State } from "./Variables.ts"

/** What is explored, apart from what its workflows are loaded from. */
export interface Configuration extends Omit<ProductOptions, "explainer" | "scenario" | "digest"> {
  readonly name: string
  /** Makes the scenario, with sessions that are learned. */
  readonly scenario: (workflows: Workflows["Service"]) => ProductOptions["scenario"]
  /** Hold every history against the model. Default true. */
  readonly refines?: boolean
  /** Ask for progress too. Default false. */
  readonly progress?: boolean
  /** Which histories of a delivery are alike. Default: by tracks; `"histories"`: none. */
  readonly digest?: ProductOptions["digest"] | "histories"
}

/** One step of a schedule: the action with its parameters, who made it, and what it was. */
export interface ScheduledStep {
  readonly action: string
  readonly parameters: ParameterValues
  /** `m1#1 write run_started`, say. */
  readonly says: string
}

/** A behaviour of the implementation that is not as it should be. */
export interface Finding {
  readonly property: string
  readonly schedule: ReadonlyArray<ScheduledStep>
  readonly trace: Trace
  /** What the model says of the trace, and would have allowed. */
  readonly verdict?: TraceVerdict
  readonly counterexample: Counterexample
}

/** How large a search was. */
export interface Figures {
  readonly states: number
  readonly transitions: number
  /** Points and edges of the automata, and how often the real code was run for them, from the beginning. */
  readonly points: number
  readonly edges: number
  readonly executions: number
  readonly logs: number
  /** Sets of states of the model that explain histories, the largest one, and states of the model that were met. */
  readonly explained?: { readonly sets: number; readonly largest: number; readonly states: number }
  readonly seconds: number
}

/** What an exploration found. */
export interface Explored {
  readonly name: string
  /** `vacuous`: nothing fails, but a claim about what occurs is not met. */
  readonly result: "holds" | "violation" | "diverged" | "bounded" | "vacuous"
  readonly figures: Figures
  /** By action, how often it was taken. */
  readonly actions: { readonly [action: string]: number }
  readonly finding?: Finding
  readonly diverged?: ExecutionDiverged
  /** Actions that never happened, and what else is to be said. */
  readonly reasons: ReadonlyArray<string>
}

/** A configuration that is ready to be searched. */
export interface Prepared {
  readonly product: Product
  readonly spec: Spec
  readonly explained: ExplainedStates | undefined
}

/** Builds the product of a configuration. */
export const prepare = Effect.fnUntraced(function* (
  configuration: Configuration
): Effect.fn.Return<Prepared, SpecError, Workflows> {
  const { name, digest = byTracks, refines = true, progress = false, scenario: make, ...options } = configuration
  const workflows = learnSessions(yield* Workflows)
  const scenario = make(workflows)
  const { program, topology, maxInlineSteps } = scenario.header
  const explained =
    refines && typeof program !== "string"
      ? new ExplainedStates(yield* makeWalk({ program, topology, maxInlineSteps, deliveries: 4 }))
      : undefined
  const product = new Product({
    ...options,
    scenario,
    ...(digest === "histories" ? {} : { digest }),
    ...(explained === undefined ? {} : { explainer: explained })
  })
  const asks = { workflows, progress, ...(explained === undefined ? {} : { explained }) }
  return { product, spec: product.spec(name, propertiesOf(product, asks)), explained }
})

const says = (product: Product, s: State, action: string, parameters: ScheduledStep["parameters"]): string => {
  const { delivery, call, message, client } = parameters
  const sent = typeof message === "number" ? s.message[message] : undefined
  if (typeof sent === "string") {
    // Not by its name, which says how many that look alike were met before.
    const { messageId, deliveryCount } = product.grants.world.messageOf(sent)
    return `queue ${action.toLowerCase()} ${shortId(messageId)}#${deliveryCount + 1}`
  }
  const name =
    typeof client === "string" ? s.client[client] : typeof delivery === "number" ? s.delivery[delivery] : null
  if (name === null || name === undefined) return `${String(client)} begins`
  const point = product.grants.pointOf(name)
  const waiting = product.grants.callsOf(point)[typeof call === "number" ? call - 1 : 0]
  const who = nameOf(point.root)
  if (action === "Lapse" || action === "Crash") return `${action.toLowerCase()} ${who}`
  const fault = { LoseAnswer: ", and the answer is lost", FailCall: " fails", Throttle: " is throttled" }[action] ?? ""
  return `${who} ${waiting?.key ?? ""}${fault}`
}

/** A counterexample as a schedule of the implementation, and the trace that it gives. */
export const scheduleOf = (
  product: Product,
  steps: ReadonlyArray<Pick<Counterexample["steps"][number], "action" | "parameters" | "state">>
): { readonly schedule: ReadonlyArray<ScheduledStep>; readonly trace: Trace } => {
  const sink = memorySink(product.grants.options.scenario.header)
  for (const line of product.firstLines) sink.append(line)
  const schedule = steps.flatMap(({ action, parameters }, at): ReadonlyArray<ScheduledStep> => {
    const before = steps[at - 1]
    if (action === undefined || before === undefined) return []
    // The checker's states are values of the product's own variables.
    const s = before.state as unknown as State
    const taken = product.moves[action]?.take(s, parameters)
    for (const line of taken?.lines ?? []) sink.append(line)
    return [{ action, parameters, says: says(product, s, action, parameters) }]
  })
  return { schedule, trace: sink.trace() }
}

const findingOf = Effect.fnUntraced(function* (
  { product }: Prepared,
  counterexample: Counterexample
): Effect.fn.Return<Finding, UnknownProgram | SpecError> {
  const { schedule, trace } = scheduleOf(product, counterexample.steps)
  const { property } = counterexample
  const verdict =
    property === "RefinesInv"
      ? yield* validate(trace)
      : property === "RestsInv"
        ? yield* validate(trace, { complete: true })
        : undefined
  return { property, schedule, trace, counterexample, ...(verdict === undefined ? {} : { verdict }) }
})

const resultOf = ({ result, sometimes }: Report): Explored["result"] => {
  if (result === "violation" || result === "bounded") return result
  // That an action never happens is told beside the result; that a claim is never met makes it say less.
  return Object.values(sometimes).includes("unmet") ? "vacuous" : "holds"
}

/** How to search: see the checker's options. `onProgress` is told of the figures after each slice. */
export interface ExploreOptions extends Pick<Options, "maxStates"> {
  readonly onProgress?: (figures: Figures) => Effect.Effect<void>
}

/** Explores every schedule of a configuration. Succeeds with what it found, whether or not there are findings. */
export const exploreRuntime = Effect.fn("exploreRuntime")(function* (
  configuration: Configuration,
  { onProgress, ...options }: ExploreOptions = {}
): Effect.fn.Return<Explored, UnknownProgram | SpecError, Workflows> {
  const began = performance.now()
  const prepared = yield* prepare(configuration)
  const { product, spec, explained } = prepared
  const figures = (states: number, transitions: number): Figures => ({
    states,
    transitions,
    points: product.grants.automata.points.size,
    edges: product.grants.automata.edges,
    executions: product.grants.automata.executions,
    logs: product.grants.world.logs,
    ...(explained === undefined ? {} : { explained: explained.counts }),
    seconds: (performance.now() - began) / 1000
  })
  const { name } = configuration
  const host =
    onProgress === undefined
      ? {}
      : {
          host: {
            sliced: ({ table, generated }: { readonly table: { readonly size: number }; readonly generated: number }) =>
              onProgress(figures(table.size, generated))
          }
        }
  const checked = yield* Effect.result(check(spec, { ...options, ...host }))
  const { diverged } = product.grants.automata
  if (diverged !== undefined) {
    return { name, result: "diverged", figures: figures(0, 0), actions: {}, diverged, reasons: [diverged.message] }
  }
  if (Result.isFailure(checked)) return yield* checked.failure
  const report = checked.success
  const [counterexample] = report.counterexamples
  return {
    name,
    result: resultOf(report),
    figures: figures(report.distinct, report.generated),
    actions: Object.fromEntries(Object.entries(report.actions).map(([action, { taken }]) => [action, taken])),
    ...(counterexample === undefined ? {} : { finding: yield* findingOf(prepared, counterexample) }),
    reasons: report.reasons
  }
})
