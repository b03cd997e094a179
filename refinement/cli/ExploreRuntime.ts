/**
 * `onewriter explore-runtime`: exhausts bounded configurations of the runtime itself, and follows a schedule that was saved.
 *
 * @module
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { Console, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Workflows } from "../../impl/runtime/Workflows.ts"
import { interpreter } from "../explore/Overlap.ts"
import { configurations, type NamedConfiguration } from "../product/Configurations.ts"
import { type Explored, exploreRuntime, type Figures } from "../product/Explore.ts"
import { explorationMarkdown, exploredJson, showExplored, showFigures } from "../product/ExploreText.ts"
import { type Fault, faultNamed, faults } from "../product/Mutants.ts"
import { followSchedule, parseSchedule, type SavedSchedule } from "../product/Schedule.ts"
import { validate } from "../Validate.ts"
import { showVerdict } from "../validate/Show.ts"
import { exitCodesHelp } from "./ExitCode.ts"
import { Ended, ended } from "./Outcome.ts"
import { statusLine } from "./ProgressLine.ts"
import { unknownName } from "./Suggest.ts"
import { usage } from "./Targets.ts"

const named = (name: string): Effect.Effect<NamedConfiguration, Ended> => {
  const found = configurations.find((one) => one.name === name)
  const known = configurations.map(({ name }) => name)
  return found === undefined ? Effect.fail(usage(unknownName("configuration", name, known))) : Effect.succeed(found)
}

const faultOf = (rule: string | undefined) => {
  if (rule === undefined) return Effect.succeed(undefined)
  const fault = faultNamed(rule)
  const known = faults.map(({ rule }) => rule)
  return fault === undefined
    ? Effect.fail(usage(unknownName("rule that the test build can be without", rule, known)))
    : Effect.succeed(fault)
}

const specFailed = ({ message }: { readonly message: string }): Ended => new Ended({ why: "spec", message })

const listed = (): string => {
  const width = Math.max(...configurations.map(({ name }) => name.length))
  return configurations
    .map(({ name, about, set }) => `${name.padEnd(width)}  ${about}${set === "large" ? " (large)" : ""}`)
    .join("\n")
}

interface Input {
  readonly names: ReadonlyArray<string>
  readonly list: boolean
  readonly without: Option.Option<string>
  readonly maxStates: Option.Option<number>
  readonly saveSchedule: Option.Option<string>
  readonly follow: Option.Option<string>
  readonly format: "text" | "json" | "markdown"
}

/** Follows a saved schedule, and says what became of it. */
const followSaved = Effect.fnUntraced(function* (file: string) {
  if (!existsSync(file)) return yield* usage(`There is no file ${file}.`)
  const saved = yield* parseSchedule(readFileSync(file, "utf8")).pipe(
    Effect.mapError(({ message }) => new Ended({ why: "trace", message: `${file}: ${message}` }))
  )
  const configuration = (yield* named(saved.configuration)).configuration(yield* faultOf(saved.without))
  const { stoppedAt, failing, trace } = yield* followSchedule(configuration, saved.steps).pipe(
    Effect.mapError(specFailed)
  )
  if (stoppedAt !== undefined) {
    const step = saved.steps[stoppedAt - 1]?.says ?? ""
    yield* Console.log(`${file}: step ${stoppedAt} of ${saved.steps.length}, ${step}, is not possible there any more.`)
    return yield* ended("diverged")
  }
  if (failing.length === 0) {
    yield* Console.log(`${file}: followed to its end. ${saved.property} does not fail there any more.`)
    return
  }
  yield* Console.log(`${file}: followed to its end. What fails there: ${failing.join(", ")}.`)
  const verdict = yield* validate(trace).pipe(Effect.mapError(specFailed))
  if (verdict.result === "refused") yield* Console.log(showVerdict(verdict, "its trace"))
  return yield* ended("safety")
})

const save = (file: string, { name, finding }: Explored, rule: string | undefined): void => {
  if (finding === undefined) return
  const steps = finding.schedule.map(({ action, parameters, says }) => ({ action, parameters, says }))
  const saved = {
    schedule: "onewriter-schedule/1",
    configuration: name,
    ...(rule === undefined ? {} : { without: rule }),
    property: finding.property,
    steps
  } satisfies { readonly [field in keyof SavedSchedule]: unknown }
  writeFileSync(file, `${JSON.stringify(saved, null, 2)}\n`)
}

const worst = (found: ReadonlyArray<Explored>): Ended | undefined => {
  const results = new Set(found.map(({ result }) => result))
  if (results.has("diverged")) return ended("diverged")
  if (results.has("violation")) return ended("safety")
  if (results.has("bounded")) return ended("bounded")
  return results.has("vacuous") ? ended("vacuous") : undefined
}

/** Explores configurations, one after the other, each in the build that `faulty` says. */
const exploreEach = Effect.fnUntraced(function* (
  chosen: ReadonlyArray<readonly [NamedConfiguration, Fault | undefined]>,
  input: Input,
  each: (explored: Explored) => Effect.Effect<"stop" | "go on">
) {
  const line = statusLine()
  const found: Array<Explored> = []
  for (const [one, fault] of chosen) {
    const label = `[${found.length + 1}/${chosen.length}] ${one.name}${fault === undefined ? "" : ` without ${fault.rule}`}`
    const explored = yield* exploreRuntime(one.configuration(fault), {
      onProgress: (figures: Figures) =>
        Effect.sync(() => line.show(`${label}: ${showFigures(figures)}`, performance.now() / 1000)),
      ...(Option.isSome(input.maxStates) ? { maxStates: input.maxStates.value } : {})
    }).pipe(
      Effect.mapError(specFailed),
      Effect.onExit(() => Effect.sync(line.clear))
    )
    found.push(explored)
    if ((yield* each(explored)) === "stop") break
  }
  return found
})

const exploreAll = Effect.fnUntraced(function* (input: Input) {
  const rule = Option.getOrUndefined(input.without)
  const fault = yield* faultOf(rule)
  const names = input.names.length === 0 && fault !== undefined ? [fault.shownBy] : input.names
  const chosen =
    names.length > 0 ? yield* Effect.forEach(names, named) : configurations.filter(({ set }) => set === "ci")
  const found = yield* exploreEach(
    chosen.map((one) => [one, fault]),
    input,
    Effect.fnUntraced(function* (explored) {
      if (input.format === "text") yield* Console.log(showExplored(explored))
      if (explored.finding === undefined || Option.isNone(input.saveSchedule)) return "go on"
      save(input.saveSchedule.value, explored, rule)
      return "stop"
    })
  )
  if (input.format === "json") yield* Console.log(JSON.stringify(found.map(exploredJson), null, 2))
  if (input.format === "markdown") {
    const shown = yield* Effect.forEach(faults, (fault) =>
      Effect.map(named(fault.shownBy), (one) => [one, fault] as const)
    )
    const broken = yield* exploreEach(shown, input, () => Effect.succeed("go on"))
    const caught = broken.flatMap((explored, at) => {
      const fault = faults[at]
      return fault === undefined ? [] : [{ fault, explored }]
    })
    yield* Console.log(explorationMarkdown(found, caught))
    const missed = caught.filter(({ explored }) => explored.finding === undefined).map(({ fault }) => fault.rule)
    if (missed.length > 0) {
      return yield* new Ended({ why: "manifest", message: `Nothing is found without ${missed.join(", ")}.` })
    }
  }
  const end = worst(found)
  if (end !== undefined) return yield* end
})

/** The command. */
export const exploreRuntimeCommand = Command.make(
  "explore-runtime",
  {
    names: Argument.String("configuration").pipe(
      Argument.withDescription("Which configurations (all but the large ones); --list shows them"),
      Argument.atLeast(0)
    ),
    list: Flag.Boolean("list").pipe(
      Flag.withDescription("List the configurations, and explore nothing"),
      Flag.withDefault(false)
    ),
    without: Flag.String("without").pipe(
      Flag.withMetavar("RULE"),
      Flag.withDescription("A test build of the runtime or the World without this rule, under the model's name for it"),
      Flag.optional
    ),
    maxStates: Flag.Int("max-states").pipe(
      Flag.withMetavar("N"),
      Flag.withDescription("Stop each search at this many distinct states"),
      Flag.withSchema(Schema.Int.check(Schema.isGreaterThan(0))),
      Flag.optional
    ),
    saveSchedule: Flag.String("save-schedule").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription("Save the first schedule that is not as it should be, and stop there"),
      Flag.optional
    ),
    follow: Flag.String("follow").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription("Run a saved schedule again, from the beginning, instead of exploring"),
      Flag.optional
    ),
    format: Flag.Literals("format", ["text", "json", "markdown"]).pipe(
      Flag.withDescription(
        "Text for people, JSON, or a page in Markdown that tells of the faults of the test build too"
      ),
      Flag.withDefault("text" as const)
    )
  },
  Effect.fn("explore-runtime")(function* (input: Input) {
    if (input.list) return yield* Console.log(listed())
    const work = Option.isSome(input.follow) ? followSaved(input.follow.value) : exploreAll(input)
    return yield* work.pipe(
      Effect.provide(Workflows.layer([interpreter], { passTimeoutMs: 0, maxHeapMb: 0 })),
      Effect.catchTag("WorkflowLoadError", ({ message }) => Effect.fail(new Ended({ why: "internal", message })))
    )
  })
).pipe(
  Command.withShortDescription(
    "Exhaust bounded configurations of the runtime itself, and hold each history against the model"
  ),
  Command.withDescription(
    [
      "Runs the runtime on the memory World through every schedule of small configurations: every World call, queue call,",
      "delivery and body boundary is a point at which somebody else goes on, a lease lapses or a process dies. What the",
      "deliveries do is learned by running the real code, and the model checker searches. Beside each state stand the states",
      "of the model that explain the histories that lead there; a history that none explains is shown as a schedule and a trace.",
      "",
      exitCodesHelp(
        ["holds", "usage", "manifest", "bounded", "vacuous", "diverged", "safety", "spec", "trace", "internal"],
        {
          holds:
            "every property holds in every state, and the model explains every history; or a followed schedule fails no more",
          usage: "the command line is wrong: an unknown configuration, rule, flag or file",
          manifest: "a fault of the test build is not caught, where all are shown",
          diverged: "the code does something else when it is run again; or a saved schedule cannot be followed",
          trace: "a file is no saved schedule"
        }
      )
    ].join("\n  ")
  ),
  Command.withExamples([
    { command: "onewriter explore-runtime", description: "All configurations that CI explores" },
    { command: "onewriter explore-runtime step-lapse-gated", description: "One of them" },
    {
      command: "onewriter explore-runtime --without fence --save-schedule fence.json",
      description: "What happens without the fence"
    },
    { command: "onewriter explore-runtime --format markdown > docs/exploration.md", description: "Write the page" },
    { command: "onewriter explore-runtime --follow fence.json", description: "Run that schedule again" }
  ])
)
