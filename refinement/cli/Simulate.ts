/**
 * `onewriter simulate`: random behaviours of models and specs.
 *
 * @module
 */
import { Console, Effect, Option, Ref, Schema, Stream } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import {
  type SimulationProgress,
  type SimulationReport,
  showSimulation,
  simulation,
  simulationJson
} from "../../model/checker/index.ts"
import { exitCodesHelp } from "./ExitCode.ts"
import { onlyTarget, printCounterexample, saveTrace } from "./Formats.ts"
import { Ended, ended } from "./Outcome.ts"
import { statusLine } from "./ProgressLine.ts"
import { type Selection, type Target, targets, title } from "./Targets.ts"

interface Input extends Selection {
  readonly seed: Option.Option<number>
  readonly walks: number
  readonly depth: number
  readonly seconds: Option.Option<number>
  readonly format: "text" | "json" | "mermaid" | "itf"
  readonly saveTrace: Option.Option<string>
}

const showProgress = ({ walks, steps, seconds, shortening }: SimulationProgress): string =>
  [
    `${walks.toLocaleString("en")} walks`,
    `${steps.toLocaleString("en")} steps`,
    ...(seconds > 0 ? [`${Math.round(steps / seconds).toLocaleString("en")}/s`] : []),
    ...(shortening ? ["making the counterexample shorter"] : [])
  ].join(", ")

const run = Effect.fnUntraced(function* (
  target: Target,
  input: Input,
  seed: number
): Effect.fn.Return<SimulationReport, Ended> {
  const line = statusLine()
  const last = yield* Ref.make("nothing")
  const options = {
    seed,
    walks: input.walks,
    depth: input.depth,
    ...(Option.isSome(input.seconds) ? { seconds: input.seconds.value } : {})
  }
  const report = yield* simulation(target.spec, options).pipe(
    Stream.tap((element) => {
      if (element._tag === "SimulationReport") return Effect.void
      const come = showProgress(element)
      line.show(`${title(target)}: ${come}`, element.seconds)
      return Ref.set(last, come)
    }),
    Stream.filter((element) => element._tag === "SimulationReport"),
    Stream.runHead,
    Effect.mapError((error) => new Ended({ why: "spec", message: error.message })),
    Effect.onInterrupt(() =>
      Effect.flatMap(Ref.get(last), (come) => {
        line.clear()
        return Console.error(`${title(target)}: interrupted after ${come}; the seed is ${seed}.`)
      })
    ),
    Effect.ensuring(Effect.sync(line.clear))
  )
  return Option.isSome(report) ? report.value : yield* Effect.die(new Error("a simulation ended without a report"))
})

const verdictOf = ({ counterexample }: SimulationReport) =>
  counterexample === undefined ? undefined : counterexample.kind === "deadlock" ? "deadlock" : "safety"

const positive = Schema.Int.check(Schema.isGreaterThan(0))

/** The command. */
export const simulate = Command.make(
  "simulate",
  {
    names: Argument.String("NAME|FILE.ts").pipe(
      Argument.withDescription("Models by name (see `onewriter models`), or files that export specs or models"),
      Argument.atLeast(1)
    ),
    without: Flag.String("without").pipe(
      Flag.withMetavar("RULE"),
      Flag.withDescription("Switch a rule off (see `onewriter rules`); may be repeated"),
      Flag.atLeast(0)
    ),
    spec: Flag.String("spec").pipe(
      Flag.withMetavar("NAME"),
      Flag.withDescription("Of what a file exports, only this"),
      Flag.optional
    ),
    seed: Flag.Int("seed").pipe(
      Flag.withMetavar("N"),
      Flag.withDescription("The same seed takes the same walks. Default: one that is drawn, and printed"),
      Flag.withSchema(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))),
      Flag.optional
    ),
    walks: Flag.Int("walks").pipe(
      Flag.withMetavar("N"),
      Flag.withDescription("Walks to take, unless one ends at a violation"),
      Flag.withSchema(positive),
      Flag.withDefault(1000)
    ),
    depth: Flag.Int("depth").pipe(
      Flag.withMetavar("N"),
      Flag.withDescription("Steps of a walk at most"),
      Flag.withSchema(positive),
      Flag.withDefault(100)
    ),
    seconds: Flag.Int("seconds").pipe(
      Flag.withMetavar("N"),
      Flag.withDescription("Start no further walk after so many seconds"),
      Flag.withSchema(positive),
      Flag.optional
    ),
    format: Flag.Literals("format", ["text", "json", "mermaid", "itf"]).pipe(
      Flag.withDescription(
        "Text for people, or JSON; of one model, its counterexample as a mermaid diagram or itf trace"
      ),
      Flag.withDefault("text" as const)
    ),
    saveTrace: Flag.String("save-trace").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription("Write the counterexample to a file, for `onewriter replay`"),
      Flag.optional
    )
  },
  Effect.fn("simulate")(function* (input: Input) {
    const all = yield* targets(input)
    if (input.format === "mermaid" || input.format === "itf") yield* onlyTarget(all, `--format ${input.format}`)
    if (Option.isSome(input.saveTrace)) yield* onlyTarget(all, "--save-trace")
    const seed = Option.getOrElse(input.seed, () => Math.floor(Math.random() * 2 ** 32))
    const verdicts: Array<"safety" | "deadlock"> = []
    const reports: Array<unknown> = []
    for (const target of all) {
      const report = yield* run(target, input, seed)
      const found = report.counterexample
      const json = { ...simulationJson(report), model: target.name, without: target.without }
      if (input.format === "json") reports.push(json)
      else if (input.format === "text") yield* Console.log(showSimulation(report, title(target)))
      else yield* printCounterexample(input.format, target, found)
      if (Option.isSome(input.saveTrace) && found !== undefined) yield* saveTrace(input.saveTrace.value, target, found)
      const verdict = verdictOf(report)
      if (verdict !== undefined) verdicts.push(verdict)
    }
    if (input.format === "json") {
      yield* Console.log(JSON.stringify(reports.length === 1 ? reports[0] : { models: reports }, null, 2))
    }
    const gravest = (["safety", "deadlock"] as const).find((each) => verdicts.includes(each))
    if (gravest !== undefined) return yield* ended(gravest)
  })
).pipe(
  Command.withShortDescription("Take random walks through models and specs that have too many states to check"),
  Command.withDescription(
    [
      "Takes random walks, and looks for violations on the way. Each walk may do only some of what the environment does,",
      "  and only so often. The counterexample is made as short as it can be before it is shown.",
      "",
      exitCodesHelp(["holds", "usage", "deadlock", "safety", "spec", "load", "internal"], {
        holds: "nothing fails in what was walked, which does not say that nothing can"
      })
    ].join("\n")
  ),
  Command.withExamples([
    { command: "onewriter simulate fan-out-default-gated --seconds 10", description: "Walk for ten seconds" },
    { command: "onewriter simulate fence-3 --without fence --seed 7", description: "The same walks each time" }
  ])
)
