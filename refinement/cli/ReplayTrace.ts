/**
 * `onewriter replay`: is a saved trace still a behaviour of a spec that has changed, and does it still fail?
 *
 * @module
 */
import { readFileSync } from "node:fs"
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { type Replay, replay, replayJson, showReplay } from "../../model/checker/index.ts"
import { readSavedTrace, type SavedTrace } from "../../model/checker/SavedTrace.ts"
import { EXIT_CODES } from "./ExitCode.ts"
import { expectFile } from "./FileKind.ts"
import { format, spec, without } from "./Flags.ts"
import { Ended, ended } from "./Outcome.ts"
import { type Target, targets, title, usage } from "./Targets.ts"

const read = Effect.fnUntraced(function* (file: string): Effect.fn.Return<SavedTrace, Ended> {
  yield* expectFile(file, "counterexample")
  const text = yield* Effect.try({
    try: () => readFileSync(file, "utf8"),
    catch: (error) => usage(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  })
  return yield* readSavedTrace(text).pipe(
    Effect.mapError(({ message }) => new Ended({ why: "trace", message: `${file}: ${message}` }))
  )
})

interface Input {
  readonly file: string
  readonly model: Option.Option<string>
  readonly spec: Option.Option<string>
  readonly without: ReadonlyArray<string>
}

/** What the trace is held against: what the command line says, and otherwise what the trace says it was found in. */
const targetOf = Effect.fnUntraced(function* (input: Input, trace: SavedTrace): Effect.fn.Return<Target, Ended> {
  const saved = trace.file ?? trace.model
  const named = Option.getOrElse(input.model, () => saved)
  if (named === undefined) {
    return yield* usage(
      `${input.file} does not say what it is a trace of: give --model, the name of a model or a file.`
    )
  }
  const spec = Option.isSome(input.model)
    ? input.spec
    : Option.orElse(input.spec, () => Option.fromUndefinedOr(trace.model))
  const without = input.without.length > 0 || Option.isSome(input.model) ? input.without : trace.without
  const all = yield* targets({
    names: [named],
    without,
    spec: named === trace.model && trace.file === undefined ? input.spec : spec
  })
  const [only] = all
  if (only !== undefined && all.length === 1) return only
  return yield* usage(
    `${named} has ${all.length} specs: say which with --spec, ${all.map(({ name }) => name).join(" or ")}.`
  )
})

const verdictOf = ({ stop, failures }: Replay) => {
  const [failure] = failures
  if (failure !== undefined) {
    return failure.kind === "deadlock" ? "deadlock" : failure.kind === "temporal" ? "liveness" : "safety"
  }
  return stop === undefined ? "holds" : "diverged"
}

const code = (name: keyof typeof EXIT_CODES): string => String(EXIT_CODES[name].code).padStart(3)

/** The command. */
export const replayTrace = Command.make(
  "replay",
  {
    file: Argument.String("trace").pipe(
      Argument.withDescription("A trace that --save-trace wrote, or any other in the Informal Trace Format")
    ),
    model: Flag.String("model").pipe(
      Flag.withMetavar("NAME|FILE.ts"),
      Flag.withDescription("What to hold it against. Default: what the trace was found in, with the same rules off"),
      Flag.optional
    ),
    spec,
    without,
    follow: Flag.Literals("follow", ["both", "actions", "states"]).pipe(
      Flag.withDescription("What of the trace must agree: its actions with their parameters, its states, or both"),
      Flag.withDefault("both" as const)
    ),
    format
  },
  Effect.fn("replay")(function* (input) {
    const trace = yield* read(input.file)
    const target = yield* targetOf(input, trace)
    const found = yield* replay(target.spec, trace, input.follow).pipe(
      Effect.mapError((error) => new Ended({ why: "spec", message: error.message }))
    )
    yield* Console.log(
      input.format === "json"
        ? JSON.stringify({ trace: input.file, model: title(target), ...replayJson(found) }, null, 2)
        : showReplay(found, title(target), trace.property)
    )
    const verdict = verdictOf(found)
    if (verdict !== "holds") return yield* ended(verdict)
  })
).pipe(
  Command.withShortDescription("Hold a saved counterexample against a spec that may have changed since"),
  Command.withDescription(
    [
      "Says whether a saved trace is still a behaviour of a spec, and if not, where it stops being one and what is",
      "enabled there; and which properties fail on the way. One that goes round for ever is a behaviour only if its last",
      "step leads back to the state that it says, and if the way round is fair.",
      "",
      "Exit codes:",
      `  ${code("holds")}  it is a behaviour, and no property was seen to fail`,
      `  ${code("usage")}  the command line is wrong, or there is no such file`,
      `  ${code("diverged")}  it is not a behaviour, and nothing fails before it stops being one`,
      `  ${code("deadlock")}  it ends in a deadlock`,
      `  ${code("safety")}  a safety property fails`,
      `  ${code("liveness")}  it goes round for ever, is fair, and a liveness property fails`,
      `  ${code("trace")}  it is not a trace`
    ].join("\n  ")
  ),
  Command.withExamples([
    { command: "onewriter check fence-3 --without fence --save-trace found.itf.json", description: "Save one" },
    { command: "onewriter replay found.itf.json", description: "Does it still fail?" },
    { command: "onewriter replay found.itf.json --model fence-3", description: "And with the rule on?" }
  ])
)
