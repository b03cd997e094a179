/**
 * `onewriter models`: what can be checked by name.
 *
 * @module
 */
import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import type { Expectation, Model } from "../../model/checker/Language.ts"
import { exitCodesHelp } from "./ExitCode.ts"
import { format } from "./Flags.ts"
import { registry } from "./Registry.ts"
import { unknownName } from "./Suggest.ts"
import { usage } from "./Targets.ts"

const expectation = (expect: Expectation): string => {
  const figures = [
    expect.result === "ok" ? "holds" : `violates ${expect.property ?? "a property"}`,
    ...(expect.steps === undefined ? [] : [`in ${expect.steps} steps`]),
    ...(expect.distinct === undefined ? [] : [`${expect.distinct.toLocaleString("en")} states`]),
    ...(expect.generated === undefined ? [] : [`${expect.generated.toLocaleString("en")} transitions`]),
    ...(expect.depth === undefined ? [] : [`depth ${expect.depth}`])
  ]
  return figures.join(", ")
}

const show = (model: Model): string =>
  [
    model.name,
    `  ${model.about}`,
    `  ${expectation(model.expect)}${model.set === "ci" ? "" : `, ${model.set} set`}`,
    ...(model.parts.length === 0 ? [] : [`  parts: ${model.parts.join(", ")}`]),
    ...Object.entries(model.without).map(([rule, expect]) =>
      expect === undefined ? "" : `  without ${rule}: ${expectation(expect)}`
    )
  ].join("\n")

/** What there is, in a line: how many models of which sets, and how large they are together. */
const total = (all: ReadonlyArray<Model>): string => {
  const distinct = all.reduce((sum, { expect }) => sum + (expect.distinct ?? 0), 0)
  const large = all.filter(({ set }) => set === "large").length
  const sets = large === 0 ? "" : ` (${large} of them large)`
  return `${all.length} ${all.length === 1 ? "model" : "models"}${sets}, ${distinct.toLocaleString("en")} states as pinned.`
}

/** The models of some of the parts (of any, when none is named), and of a set. */
const selected = (parts: ReadonlyArray<string>, set: Model["set"] | "all"): ReadonlyArray<Model> =>
  registry.filter(
    (model) =>
      (parts.length === 0 || model.parts.some((part) => parts.includes(part))) && (set === "all" || model.set === set)
  )

/** The command. */
export const models = Command.make(
  "models",
  {
    part: Flag.String("part").pipe(
      Flag.withMetavar("PART"),
      Flag.withDescription("Only models of this part of the protocol; may be repeated"),
      Flag.atLeast(0)
    ),
    set: Flag.Literals("set", ["ci", "large", "all"]).pipe(
      Flag.withDescription("ci: what `check` takes when no model is named; large: what goes deeper"),
      Flag.withDefault("all" as const)
    ),
    format
  },
  Effect.fn("models")(function* ({ part, set, format }) {
    const parts = [...new Set(registry.flatMap((model) => model.parts))]
    const unknown = part.find((name) => !parts.includes(name))
    if (unknown !== undefined) return yield* usage(unknownName("part", unknown, parts))
    const all = selected(part, set)
    yield* Console.log(
      format === "text"
        ? [...all.map(show), total(all)].join("\n\n")
        : JSON.stringify(
            {
              models: all.map(({ name, about, parts, set, switches, expect, without }) => ({
                name,
                about,
                parts,
                set,
                rules: Object.keys(switches),
                expect,
                without
              }))
            },
            null,
            2
          )
    )
  })
).pipe(
  Command.withShortDescription("List the models that are checked by name, and what each is expected to give"),
  Command.withDescription(
    [
      "Lists the models that are checked by name, and what each is expected to give.",
      "",
      exitCodesHelp(["holds", "usage", "internal"], { holds: "they are listed", usage: "the command line is wrong" })
    ].join("\n")
  )
)
