/**
 * `onewriter ablate`: the matrix of rules against properties. Each rule is switched off in the models that show what it
 * is for, and every property that fails then is shown.
 *
 * @module
 */
import { Console, Effect, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import type { Model } from "../../model/checker/index.ts"
import { type Ablation, ablate as ablateOne } from "../ablation/Ablate.ts"
import { type Choice, chosen, type Group, groupsOf, matrixOf } from "../ablation/Matrix.ts"
import { matricesJson, matricesMarkdown, matricesText, showFaults } from "../ablation/MatrixText.ts"
import { exitCodesHelp } from "./ExitCode.ts"
import { Ended, ended } from "./Outcome.ts"
import { showProgress, statusLine } from "./ProgressLine.ts"
import { registry } from "./Registry.ts"
import { unknownName } from "./Suggest.ts"
import { usage } from "./Targets.ts"

/** States of one search, when every model is searched, and in a quick run. */
const WHOLE_STATES = 300_000
const QUICK_STATES = 20_000

const several = (name: string, metavar: string, says: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(`${says}; may be repeated`), Flag.atLeast(0))

/** Every name that the command line gives must be one that there is. */
const known = (
  kind: string,
  given: ReadonlyArray<string>,
  names: ReadonlyArray<string>
): Effect.Effect<void, Ended> => {
  const wrong = given.find((name) => !names.includes(name))
  return wrong === undefined ? Effect.void : Effect.fail(usage(unknownName(kind, wrong, names)))
}

/** Switches off every rule that was chosen, in every model that was. */
const search = Effect.fn("search")(function* (
  groups: ReadonlyArray<Group>,
  maxStates: number
): Effect.fn.Return<ReadonlyArray<Ablation>, Ended> {
  const pairs = groups.flatMap(({ rules }) =>
    rules.flatMap(({ name, witnesses }) => witnesses.map((model): readonly [Model, string] => [model, name]))
  )
  const line = statusLine()
  const found: Array<Ablation> = []
  for (const [model, rule] of pairs) {
    const label = `[${found.length + 1}/${pairs.length}] ${model.name} without ${rule}`
    found.push(
      yield* ablateOne(model, rule, {
        maxStates,
        onProgress: (progress) => line.show(`${label}: ${showProgress(progress)}`, performance.now() / 1000)
      }).pipe(
        Effect.mapError(
          (error) => new Ended({ why: "spec", message: `${model.name} without ${rule}: ${error.message}` })
        ),
        Effect.onExit(() => Effect.sync(line.clear))
      )
    )
  }
  return found
})

interface Input {
  readonly rule: ReadonlyArray<string>
  readonly model: ReadonlyArray<string>
  readonly part: ReadonlyArray<string>
  readonly quick: boolean
  readonly maxStates: { readonly _tag: "None" } | { readonly _tag: "Some"; readonly value: number }
  readonly format: "text" | "json" | "markdown"
}

const choiceOf = ({ rule, model, part, quick }: Input): Choice => ({ rules: rule, models: model, parts: part, quick })

/** The command. */
export const ablate = Command.make(
  "ablate",
  {
    rule: several("rule", "RULE", "Only this rule (see `onewriter rules`)"),
    model: several("model", "NAME", "Only in this model (see `onewriter models`)"),
    part: several("part", "PART", "Only in models of this part"),
    quick: Flag.Boolean("quick").pipe(
      Flag.withDescription("Each rule in one model, the smallest that shows it, and fewer states: what CI runs"),
      Flag.withDefault(false)
    ),
    maxStates: Flag.Int("max-states").pipe(
      Flag.withMetavar("N"),
      Flag.withDescription(
        `Stop each search at this many distinct states, unless what is pinned comes later (${WHOLE_STATES}, with --quick ${QUICK_STATES})`
      ),
      Flag.withSchema(Schema.Int.check(Schema.isGreaterThan(0))),
      Flag.optional
    ),
    format: Flag.Literals("format", ["text", "json", "markdown"]).pipe(
      Flag.withDescription("Text for people, one JSON object, or a page in Markdown"),
      Flag.withDefault("text" as const)
    )
  },
  Effect.fn("ablate")(function* (input: Input) {
    const all = groupsOf(registry)
    yield* known("rule", input.rule, [...new Set(all.flatMap(({ rules }) => rules.map(({ name }) => name)))])
    yield* known(
      "model",
      input.model,
      registry.map(({ name }) => name)
    )
    yield* known("part", input.part, [...new Set(registry.flatMap(({ parts }) => parts))])
    const groups = chosen(all, choiceOf(input))
    if (groups.length === 0) return yield* usage("No model that was chosen pins what is found without a rule.")
    const maxStates =
      input.maxStates._tag === "Some" ? input.maxStates.value : input.quick ? QUICK_STATES : WHOLE_STATES
    const found = yield* search(groups, maxStates)
    const matrices = groups.map((group) => ({ group, matrix: matrixOf(group, found) }))
    const bare = matrices.map(({ matrix }) => matrix)
    yield* Console.log(
      input.format === "json"
        ? JSON.stringify(matricesJson(bare), null, 2)
        : input.format === "markdown"
          ? matricesMarkdown(matrices)
          : matricesText(bare)
    )
    const faults = showFaults(bare)
    if (faults.length === 0) return
    if (input.format === "markdown") for (const fault of faults) yield* Console.error(fault)
    return yield* ended("manifest")
  })
).pipe(
  Command.withShortDescription("Switch off each rule, and show the matrix of rules against the properties that fail"),
  Command.withDescription(
    [
      "Switches off each rule in the models that show what it is for, and shows the matrix: which properties fail without which rule, after how many steps.",
      "",
      exitCodesHelp(["holds", "usage", "manifest", "spec", "internal"], {
        holds: "every rule is caught as a manifest pins it, or it is said why nothing fails without it",
        usage: "the command line is wrong: an unknown rule, model, part or flag",
        manifest: "something differs from what a manifest pins, or nothing fails without a rule and no reason is given"
      })
    ].join("\n")
  ),
  Command.withExamples([
    { command: "onewriter ablate --quick", description: "Each rule in one small model" },
    { command: "onewriter ablate --rule fence", description: "What one rule is for, in every model that shows it" },
    { command: "onewriter ablate --format markdown > docs/matrix.md", description: "Write the page" }
  ])
)
