/**
 * `onewriter check`: explores models and specs, and compares what it finds with their manifests.
 *
 * @module
 */
import { Console, Effect, Option, Ref, Schema, Stream } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import {
  explore,
  type Progress,
  type Report,
  reportJson,
  type SpecError,
  showReport
} from "../../model/checker/index.ts"
import { differences, needsAllStates } from "../../model/checker/Manifest.ts"
import { EXIT_CODES, type ExitName, exitCodesHelp } from "./ExitCode.ts"
import { spec, without } from "./Flags.ts"
import { type ForeseeInput, foresee, foreseeFlags, foreseeOnly } from "./Foresee.ts"
import {
  type Finding,
  FORMATS,
  type Format,
  isReportFormat,
  onlyTarget,
  printDot,
  printFindings,
  saveTrace
} from "./Formats.ts"
import { type KeepInput, keepFlags, keeping } from "./Keep.ts"
import { Ended, ended } from "./Outcome.ts"
import { progressLine, showProgress } from "./ProgressLine.ts"
import { comparableExpectation, type ReduceInput, reduceFlags } from "./Reduce.ts"
import { type Selection, type Target, targets, title } from "./Targets.ts"
import { helped, workersFlag } from "./Workers.ts"

/** What came out of checking a target. */
interface Checked {
  readonly target: Target
  readonly report: Report
  /** How it differs from its manifest; absent when there is none, or when it was not explored as the manifest was. */
  readonly differences: ReadonlyArray<string> | undefined
}

interface Input extends Selection, KeepInput, ReduceInput, ForeseeInput {
  readonly format: Format
  readonly saveTrace: Option.Option<string>
  readonly maxStates: Option.Option<number>
  readonly cache: boolean
  readonly continue: boolean
  readonly workers: number
}

/** Explores one target, with progress on a terminal; an interruption says how far it came. */
const run = Effect.fn("run")(function* (target: Target, input: Input): Effect.fn.Return<Checked, Ended> {
  const size = yield* foresee(target, input)
  const name = size === undefined ? title(target) : `${title(target)} (${size})`
  const line = progressLine()
  const last = yield* Ref.make<Option.Option<Progress>>(Option.none())
  const options = {
    caching: input.cache,
    continue: input.continue || needsAllStates(target.expect),
    symmetry: input.symmetry,
    partialOrder: input.partialOrder,
    shared: input.workers > 1,
    ...(Option.isSome(input.maxStates) ? { maxStates: input.maxStates.value } : {})
  }
  const { spec, without } = target
  const { host, interrupted } = keeping(input, {
    spec,
    without,
    options: { continue: options.continue, symmetry: input.symmetry, partialOrder: input.partialOrder }
  })
  const threads = helped(host, target, input.workers, input.cache)
  const report = yield* explore(spec, { ...options, host: threads.host }).pipe(
    Stream.tap((element) => {
      if (element._tag === "Report") return Effect.void
      line.show(name, element)
      return Ref.set(last, Option.some(element))
    }),
    Stream.filter((element) => element._tag === "Report"),
    Stream.runHead,
    Effect.mapError((error: SpecError | Ended) =>
      error._tag === "Ended" ? error : new Ended({ why: "spec", message: error.message })
    ),
    Effect.onInterrupt(() =>
      Effect.flatMap(Ref.get(last), (progress) => {
        line.clear()
        const come = Option.isSome(progress) ? showProgress(progress.value) : "nothing"
        return Console.error(`${title(target)}: interrupted after ${come}.`).pipe(Effect.andThen(interrupted))
      })
    ),
    Effect.ensuring(Effect.andThen(Effect.sync(line.clear), threads.end))
  )
  if (Option.isNone(report)) return yield* Effect.die(new Error("an exploration ended without a report"))
  const outOfBudget = Option.isSome(input.memory) && report.value.result === "bounded"
  const comparable = Option.isNone(input.maxStates) && !outOfBudget
  const expect =
    target.expect === undefined || !comparable
      ? undefined
      : comparableExpectation(target.expect, input, spec.symmetry.length > 0)
  return {
    target: expect === undefined ? target : { ...target, expect },
    report: report.value,
    differences: expect === undefined ? undefined : differences(expect, report.value)
  }
})

const verdictOf = ({ report, differences }: Checked): ExitName => {
  if (differences !== undefined && differences.length > 0) return "manifest"
  if (report.result === "bounded" || report.result === "vacuous") return report.result
  const [first] = report.counterexamples
  if (first === undefined) return "holds"
  if (first.kind === "deadlock") return "deadlock"
  return first.kind === "temporal" ? "liveness" : "safety"
}

const asExpected = ({ report, differences }: Checked): boolean =>
  differences === undefined ? report.result === "ok" : differences.length === 0

/** What the manifest says about the report, as text. */
const showManifest = ({ target, report, differences }: Checked): string => {
  if (differences === undefined) return ""
  if (differences.length === 0) {
    if (report.result === "violation") return "\n\nThis violation is the expected one."
    return `\n\nThe ${target.expect?.distinct === undefined ? "verdict is that" : "figures are those"} of the manifest.`
  }
  return [`\n\n${title(target)} is not as its manifest says:`, ...differences.map((each) => `  ${each}`)].join("\n")
}

const summary = (checked: Checked): string => {
  const { report, target } = checked
  const found = report.counterexamples[0]
  const result =
    found === undefined
      ? report.result
      : `${found.property} fails after ${found.steps.length - 1} steps${asExpected(checked) ? ", as expected" : ""}`
  const size = `${report.distinct.toLocaleString("en")} states, ${report.generated.toLocaleString("en")} transitions, depth ${report.depth}`
  return `${asExpected(checked) ? "ok  " : "FAIL"}  ${title(target)}: ${result} (${size}, ${report.seconds.toFixed(2)} s)`
}

const checkedJson = ({ target, report, differences }: Checked) => ({
  ...reportJson(report),
  model: target.name,
  without: target.without,
  ...(differences === undefined ? {} : { expected: differences.length === 0, differences })
})

/** A finding for the other formats. In a set, a violation that the manifest expects is no bad news. */
const findingOf = (checked: Checked, inSet: boolean): Finding => ({
  target: checked.target,
  report: checked.report,
  expected: inSet && asExpected(checked) ? checked.report.counterexamples.map(({ property }) => property) : [],
  differences: checked.differences ?? []
})

/** A single target: everything about it, and the exit code that says what was found, expected or not. */
const checkOne = Effect.fn("checkOne")(function* (target: Target, input: Input) {
  const checked = yield* run(target, input)
  if (isReportFormat(input.format)) yield* printFindings(input.format, [findingOf(checked, false)])
  else {
    yield* Console.log(
      input.format === "json"
        ? JSON.stringify(checkedJson(checked), null, 2)
        : `${showReport({ ...checked.report, spec: title(target) })}${showManifest(checked)}`
    )
  }
  const [found] = checked.report.counterexamples
  if (Option.isSome(input.saveTrace) && found !== undefined) yield* saveTrace(input.saveTrace.value, target, found)
  const verdict = verdictOf(checked)
  if (verdict !== "holds") return yield* ended(verdict)
})

/** Several targets: a line each and whatever is not as expected in full; what is expected counts as success. */
const checkAll = Effect.fn("checkAll")(function* (all: ReadonlyArray<Target>, input: Input) {
  const results: Array<Checked> = []
  for (const target of all) {
    const checked = yield* run(target, input)
    results.push(checked)
    if (input.format !== "text") continue
    yield* Console.log(summary(checked))
    for (const warning of checked.report.warnings) yield* Console.log(`      warning: ${warning}`)
    if (!asExpected(checked)) yield* Console.log(`\n${showReport(checked.report)}${showManifest(checked)}\n`)
  }
  const failed = results.filter((checked) => !asExpected(checked))
  if (input.format === "json") {
    yield* Console.log(
      JSON.stringify({ result: failed.length === 0 ? "ok" : "failed", models: results.map(checkedJson) }, null, 2)
    )
  } else if (isReportFormat(input.format)) {
    yield* printFindings(
      input.format,
      results.map((checked) => findingOf(checked, true))
    )
  } else {
    yield* Console.log(
      failed.length === 0
        ? `\nAll ${results.length} are as they should be.`
        : `\n${failed.length} of ${results.length} are not as they should be: ${failed.map(({ target }) => title(target)).join(", ")}.`
    )
  }
  // The gravest comes first: a manifest that is wrong says less than a property that fails.
  const verdicts = failed.map(verdictOf)
  const gravest = (["safety", "liveness", "deadlock", "manifest", "vacuous", "bounded"] as const).find((each) =>
    verdicts.includes(each)
  )
  if (gravest !== undefined) return yield* ended(gravest)
})

const { holds, safety } = EXIT_CODES

/** Those that a check can end with. */
const CODES: ReadonlyArray<ExitName> = [
  "holds",
  "usage",
  "manifest",
  "bounded",
  "vacuous",
  "deadlock",
  "safety",
  "liveness",
  "spec",
  "load",
  "internal"
]

/** The command. */
export const check = Command.make(
  "check",
  {
    names: Argument.String("NAME|FILE.ts").pipe(
      Argument.withDescription("Models by name (see `onewriter models`), or files that export specs or models"),
      Argument.variadic()
    ),
    without,
    spec,
    set: Flag.Literals("set", ["ci", "large"]).pipe(
      Flag.withDescription("Without a name: ci, the models that are small, or large, those that go deeper"),
      Flag.withDefault("ci" as const)
    ),
    format: Flag.Literals("format", FORMATS).pipe(
      Flag.withDescription(
        "text for people; json: exactly one object, a report or { result, models: [report, …] }; junit and sarif for continuous integration; of one model, its counterexample as a mermaid diagram or an itf trace, its report as an html page, its states as a dot graph"
      ),
      Flag.withDefault("text" as const)
    ),
    saveTrace: Flag.String("save-trace").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription("Write the counterexample to a file, for `onewriter replay` (Informal Trace Format)"),
      Flag.optional
    ),
    maxStates: Flag.Int("max-states").pipe(
      Flag.withMetavar("N"),
      Flag.withDescription("Stop at this many distinct states; nothing is compared with the manifest then"),
      Flag.withSchema(Schema.Int.check(Schema.isGreaterThan(0))),
      Flag.optional
    ),
    cache: Flag.Boolean("cache").pipe(
      Flag.withDescription(
        "Keep what actions answer, by the values that they read (--no-cache runs them on every state)"
      ),
      Flag.withDefault(true)
    ),
    ...reduceFlags,
    ...foreseeFlags,
    continue: Flag.Boolean("continue").pipe(
      Flag.withDescription("Go on after a violation, and show one for each property that fails"),
      Flag.withDefault(false)
    ),
    ...keepFlags,
    ...workersFlag
  },
  Effect.fn("check")(function* (input: Input) {
    const all = yield* targets(input)
    if (all.length === 0) return yield* new Ended({ why: "usage", message: "There is nothing to check." })
    if (input.estimateOnly) return yield* foreseeOnly(all, input)
    if (input.format === "dot") {
      return yield* printDot(yield* onlyTarget(all, "--format dot"), Option.getOrUndefined(input.maxStates))
    }
    if (input.format === "mermaid" || input.format === "itf" || input.format === "html") {
      yield* onlyTarget(all, `--format ${input.format}`)
    }
    if (Option.isSome(input.saveTrace)) yield* onlyTarget(all, "--save-trace")
    if (Option.isSome(input.checkpoint)) yield* onlyTarget(all, "--checkpoint")
    if (Option.isSome(input.resume)) yield* onlyTarget(all, "--resume")
    if (input.partialOrder && (Option.isSome(input.checkpoint) || Option.isSome(input.resume))) {
      return yield* new Ended({ why: "usage", message: "A search with --partial-order cannot be kept or resumed." })
    }
    const [only] = all
    if (only !== undefined && all.length === 1) return yield* checkOne(only, input)
    return yield* checkAll(all, input)
  })
).pipe(
  Command.withShortDescription("Explore every reachable state of models and specs, and check their properties"),
  Command.withDescription(
    [
      "Explores every reachable state of models and specs breadth first, and checks their properties. Without arguments, every model of the set `ci` is checked.",
      "",
      `  A single model exits with what was found, even when its manifest expects it: ${safety.code} for a violation. In a set, what is expected counts as ${holds.code}.`,
      "",
      exitCodesHelp(CODES)
    ].join("\n")
  ),
  Command.withExamples([
    { command: "onewriter check fence-3", description: "Check one model" },
    { command: "onewriter check fence-3 --without fence", description: "See what the fence is for" },
    { command: "onewriter check my-spec.ts", description: "Check every spec that a file exports" }
  ])
)
