/**
 * `onewriter tour`, which is `npm start`: the three parts of the project at work, in about a minute.
 *
 * Nothing is prepared: the models are checked, the counterexample is found, the workflow runs on a real SQLite file, its
 * trace is held against the model, and the runtime is driven through every interleaving of an overlap. The command fails
 * when any of it is not as it should be.
 *
 * @module
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { Workflows } from "../../impl/runtime/Workflows.ts"
import { type Event, slotOf } from "../../impl/world/index.ts"
import {
  type Counterexample,
  check,
  type Model,
  type SpecError,
  showCounterexample
} from "../../model/checker/index.ts"
import { differences, needsAllStates } from "../../model/checker/Manifest.ts"
import { programs } from "../../model/programs/index.ts"
import { type ExplorationReport, exploreOverlap, interpreter } from "../explore/Overlap.ts"
import { recordRun } from "../Record.ts"
import { readTrace } from "../trace/ReadFile.ts"
import type { Trace } from "../trace/Trace.ts"
import { type TraceVerdict, validate } from "../Validate.ts"
import { showVerdict } from "../validate/Show.ts"
import { exitCodesHelp } from "./ExitCode.ts"
import { Ended, ended } from "./Outcome.ts"
import { smallModels, specWithout } from "./Registry.ts"

const colour = process.stdout.isTTY === true && process.env.NO_COLOR === undefined
const bold = (text: string): string => (colour ? `\u001B[1m${text}\u001B[0m` : text)
const good = (text: string): string => (colour ? `\u001B[32m${text}\u001B[0m` : text)
const bad = (text: string): string => (colour ? `\u001B[31m${text}\u001B[0m` : text)

const count = (n: number): string => n.toLocaleString("en")
const indent = (text: string): string => text.replaceAll(/^(?=.)/gm, "  ")

const heading = (number: number, title: string, about: string) =>
  Console.log(`\n${bold(`${number}. ${title}`)}\n${about}\n`)

/** What the tour keeps for its summary. */
interface Checked {
  readonly models: number
  readonly states: number
  readonly seconds: number
  readonly wrong: ReadonlyArray<string>
}

const specFailed = (error: SpecError): Ended => new Ended({ why: "spec", message: error.message })

/** Checks every registered model, and says of each whether it gives what its manifest says. */
const checkModels = Effect.fnUntraced(function* (): Effect.fn.Return<Checked, Ended> {
  const wrong: Array<string> = []
  let states = 0
  let seconds = 0
  const width = Math.max(...smallModels.map(({ name }) => name.length))
  for (const model of smallModels) {
    const report = yield* check(specWithout(model, []), { continue: needsAllStates(model.expect) }).pipe(
      Effect.mapError(specFailed)
    )
    const differs = differences(model.expect, report)
    if (differs.length > 0) wrong.push(`${model.name}: ${differs.join("; ")}`)
    states += report.distinct
    seconds += report.seconds
    const verdict =
      report.result === "ok"
        ? "every property holds"
        : `${model.expect.property ?? "a property"} fails, as its manifest says`
    const figures = `${count(report.distinct).padStart(9)} states ${report.seconds.toFixed(2).padStart(6)} s`
    yield* Console.log(
      `  ${model.name.padEnd(width)} ${figures}  ${differs.length === 0 ? good(verdict) : bad(differs.join("; "))}`
    )
  }
  return { models: smallModels.length, states, seconds, wrong }
})

/** The protocol model whose counterexample without the fence is the shortest. */
const shortestWithoutFence = (): Model | undefined =>
  smallModels
    .filter(({ without }) => without.fence?.result === "violation")
    .toSorted((a, b) => (a.without.fence?.steps ?? Infinity) - (b.without.fence?.steps ?? Infinity))
    .find(({ expect, switches }) => expect.result === "ok" && Object.keys(switches).length > 1)

const showWithoutFence = Effect.fnUntraced(function* (): Effect.fn.Return<Counterexample | undefined, Ended> {
  const model = shortestWithoutFence()
  if (model === undefined) return undefined
  const report = yield* check(specWithout(model, ["fence"]), {}).pipe(Effect.mapError(specFailed))
  const [found] = report.counterexamples
  if (found === undefined) return undefined
  yield* Console.log(`  onewriter check ${model.name} --without fence\n`)
  yield* Console.log(indent(showCounterexample(found)))
  return found
})

/** The log as a table: what was written, by whom, and the count of in-band slots after it. */
export const logTable = (log: ReadonlyArray<Event>, { lines }: Pick<Trace, "lines">): string => {
  const inBand = new Set(
    lines.flatMap(({ line }) => (line.action === "CommitInBand" || line.action === "CreateRun" ? [line.slot] : []))
  )
  let seqInBand = 0
  const rows = log.map((event) => {
    const slot = slotOf(event)
    if (inBand.has(slot)) seqInBand += 1
    const writer = !inBand.has(slot) ? "out-of-band" : event.eventType === "run_created" ? "client" : "in-band"
    const entity = "correlationId" in event ? event.correlationId : ""
    const name = "stepName" in event.eventData ? event.eventData.stepName : ""
    return [String(slot), writer, event.eventType, entity, name, String(seqInBand)]
  })
  const head = ["slot", "writer", "event", "entity", "step", "seqInBand"]
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)))
  const show = (row: ReadonlyArray<string>): string =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd()
  return [head, widths.map((width) => "-".repeat(width)), ...rows].map(show).join("\n")
}

const example = fileURLToPath(new URL("../../docs/examples/checkout.ts", import.meta.url))

const temporaryDirectory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "onewriter-tour-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

/** Runs checkout on SQLite, shows its log, and holds its trace against the model. */
const runAndRefine = Effect.fnUntraced(function* () {
  const directory = yield* temporaryDirectory
  const path = join(directory, "checkout.ndjson")
  process.env.CHECKOUT_DIR = directory
  const { result, log } = yield* recordRun({
    database: join(directory, "checkout.db"),
    trace: path,
    module: example,
    workflow: "checkout",
    args: ["order-1"],
    runId: "wrun_tour",
    program: "checkout"
  })
  const trace = yield* readTrace(path)
  yield* Console.log(indent(logTable(log, trace)))
  yield* Console.log(`\n  checkout("order-1") returned ${JSON.stringify(result)}.`)
  yield* heading(
    4,
    "Hold its trace against the model",
    `While it ran, a recorder wrote one line for each operation: ${trace.lines.length} of them. Is that a behaviour of the model?`
  )
  const verdict = yield* validate(trace)
  yield* Console.log(indent(showVerdict(verdict, "checkout.ndjson")))
  return { result, verdict, events: log.length }
}, Effect.scoped)

const driveOverlap = Effect.fnUntraced(function* () {
  const report = yield* exploreOverlap({ program: programs["two-steps"].program, topology: "coalescing" }).pipe(
    Effect.provide(Workflows.layer([interpreter], { passTimeoutMs: 0, maxHeapMb: 0 }))
  )
  yield* Console.log(indent(showExploration(report)))
  return report
})

/** An exploration's figures, and its first finding. */
export const showExploration = (report: ExplorationReport): string => {
  const { executions, cut, complete, leavesChoice, logs, refusedExecutions, refusals, lines, findings, seconds } =
    report
  const [finding] = findings
  const covered = complete ? "executions cover every schedule" : "executions, which do not cover every schedule"
  return [
    `${count(executions)} ${covered} (${count(cut)} more were cut, being reorderings of these), in ${seconds.toFixed(1)} s.`,
    finding === undefined
      ? `${count(lines)} lines of traces, each explained by the model. ${count(logs)} different final logs, each replayed cold${leavesChoice ? "" : " to the same end"}.`
      : `${count(lines)} lines of traces, ${count(logs)} different final logs: ${count(findings.length)} of the executions not as they should be.`,
    refusals === 0
      ? "The fence refused nothing."
      : `The fence refused ${count(refusals)} writes, in ${count(refusedExecutions)} of the executions.`,
    ...(finding === undefined
      ? []
      : [
          bad(`A schedule that is not as it should be: ${finding.reason}`),
          ...finding.schedule.map((grant) => `  ${grant}`),
          ...(finding.verdict === undefined ? [] : [showVerdict(finding.verdict, "its trace")])
        ])
  ].join("\n")
}

/** What each part of the tour came to. */
export interface TourFindings {
  readonly checked: Checked
  /** What the checker found without the fence. */
  readonly counterexample: { readonly steps: ReadonlyArray<unknown> } | undefined
  /** What checkout returned, what the model says of its trace, and how many events its log has. */
  readonly result: unknown
  readonly verdict: TraceVerdict
  readonly events: number
  readonly explored: ExplorationReport
}

/** A sentence for each part of the tour, as it came out, and what is not as it should be; none when all is. */
export const account = (
  found: TourFindings
): { readonly sentences: ReadonlyArray<string>; readonly problems: ReadonlyArray<string> } => {
  const { checked, counterexample, result, verdict, events, explored } = found
  const problems: Array<string> = [...checked.wrong]
  const sentences: Array<string> = []
  const say = (holds: boolean, good: string, otherwise: string, problem: string): void => {
    sentences.push(holds ? good : otherwise)
    if (!holds) problems.push(problem)
  }
  const models = `${count(checked.models)} models, ${count(checked.states)} states:`
  sentences.push(
    checked.wrong.length === 0
      ? `${models} each comes out as its manifest says.`
      : `${models} ${count(checked.wrong.length)} of them not as the manifest says.`
  )
  say(
    counterexample !== undefined,
    `Without the fence two orchestrators both write, after ${(counterexample?.steps.length ?? 1) - 1} steps.`,
    "Without the fence nothing is found.",
    "without the fence, the checker finds nothing"
  )
  say(
    result === "charge-order-1",
    "checkout ran on SQLite, and returned what it should.",
    `checkout ran on SQLite, and returned ${JSON.stringify(result)}.`,
    `checkout returned ${JSON.stringify(result)}`
  )
  say(
    verdict.result === "accepted" && verdict.ended,
    `Its ${events} events came about in a way that the model allows.`,
    verdict.result === "accepted"
      ? `Its ${events} events came about in a way that the model allows, and do not end the run.`
      : "The model does not explain how its events came about.",
    "the trace of checkout is not a behaviour of the model that ends"
  )
  const executions = `${count(explored.executions)} executions of the real runtime, two orchestrators at once:`
  say(
    explored.complete && explored.findings.length === 0,
    `${executions} every schedule, each one a behaviour of the model${explored.leavesChoice ? "" : ", and one outcome"}.`,
    explored.findings.length === 0
      ? `${executions} nothing found, and not every schedule covered.`
      : `${executions} a schedule that is not as it should be.`,
    explored.findings.length === 0
      ? "the exploration of the overlap is not complete"
      : "the overlap has schedules that are not as they should be"
  )
  say(
    explored.refusals > 0,
    `The fence had to refuse in ${count(explored.refusedExecutions)} of them.`,
    "The fence never had to refuse.",
    "the fence never had to refuse anything, so the overlap shows nothing"
  )
  return { sentences, problems }
}

const tourOf = Effect.gen(function* () {
  if (!existsSync(example)) {
    return yield* new Ended({
      why: "usage",
      message: `The tour runs ${example}, which is part of the repository only.`
    })
  }
  const began = performance.now()
  yield* Console.log(
    [
      bold("Onewriter: a durable-workflow protocol, as a model that is checked and a runtime that runs."),
      "A run is one log. One orchestrator at a time drives it, but two may overlap; a fence in the log admits one of them."
    ].join("\n")
  )

  yield* heading(
    1,
    "Check the models",
    "Every reachable state of each bounded model, with crashes and stalls at every point."
  )
  const checked = yield* checkModels()

  yield* heading(
    2,
    "Take the fence away",
    "The same model with one rule switched off. The checker shows the shortest way to the damage."
  )
  const counterexample = yield* showWithoutFence()

  yield* heading(3, "Run it", "The documents' example on the real runtime, in a SQLite file. This is its whole log.")
  const { result, verdict, events } = yield* runAndRefine()

  yield* heading(
    5,
    "Drive the runtime through every overlap",
    "The same runtime, under a scheduler that decides everything: a lease lapses at any point, and two deliveries of one\nmessage run beside each other, in every order."
  )
  const explored = yield* driveOverlap()

  const { sentences, problems } = account({ checked, counterexample, result, verdict, events, explored })
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  yield* Console.log(`\n${bold("In short")}`)
  yield* Console.log(
    [
      ...sentences.map((sentence) => `  ${sentence}`),
      `  ${seconds} s in all.`,
      "",
      "Try next:",
      "  npm run onewriter -- rules                                what each rule is for",
      "  npm run onewriter -- check lease-stall-gated --without redeliver-on-refusal",
      "  npm run onewriter -- models                               what there is to check",
      "  npm run onewriter -- refine TRACE                         is your runtime's trace a behaviour of the model?"
    ].join("\n")
  )
  if (problems.length > 0) {
    yield* Console.log(`\n${bad("Not as it should be:")}\n${problems.map((problem) => `  ${problem}`).join("\n")}`)
    return yield* ended("manifest")
  }
})

/** The command. */
export const tour = Command.make("tour", {}, () =>
  tourOf.pipe(
    Effect.catchTags({
      TraceUnreadable: ({ message }) => Effect.fail(new Ended({ why: "trace", message })),
      WorkflowWorldError: ({ message }) => Effect.fail(new Ended({ why: "internal", message }))
    })
  )
).pipe(
  Command.withShortDescription(
    "See the three parts at work: models checked, a workflow run and refined, an overlap explored"
  ),
  Command.withDescription(
    [
      "Shows the three parts at work: models checked, a workflow run and refined, an overlap explored.",
      "",
      exitCodesHelp(["holds", "usage", "manifest", "spec", "trace", "internal"], {
        holds: "all is as it should be",
        usage: "the command line is wrong",
        manifest: "something is not as it should be: each is said at the end"
      })
    ].join("\n")
  )
)
