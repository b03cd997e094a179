/**
 * `onewriter rules`: what can be switched off, and what fails then.
 *
 * @module
 */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { exitCodesHelp } from "./ExitCode.ts"
import { format } from "./Flags.ts"
import { type Rule, registry, rulesOf } from "./Registry.ts"

/** A model that shows what the rule is for, if there is one. */
const witnesses = ({ name, models }: Rule): ReadonlyArray<string> =>
  models.filter(({ without }) => without[name]?.result === "violation").map((model) => model.name)

const show = (rule: Rule): string => {
  const { rule: says, ids, violates, uncaught } = rule.definition
  const [model] = witnesses(rule)
  return [
    rule.name,
    `  ${says}`,
    ...(ids.length === 0 ? [] : [`  in the catalogue: ${ids.join(", ")}`]),
    uncaught === undefined
      ? `  without it ${violates} fails${model === undefined ? "" : `: onewriter check ${model} --without ${rule.name}`}`
      : `  nothing fails without it: ${uncaught}`
  ].join("\n")
}

/** The command. */
export const rules = Command.make(
  "rules",
  {
    format
  },
  Effect.fn("rules")(function* ({ format }) {
    const all = rulesOf(registry)
    yield* Console.log(
      format === "text"
        ? all.map(show).join("\n\n")
        : JSON.stringify(
            {
              rules: all.map((rule) => ({
                name: rule.name,
                ...rule.definition,
                models: rule.models.map(({ name }) => name),
                shownBy: witnesses(rule)
              }))
            },
            null,
            2
          )
    )
  })
).pipe(
  Command.withShortDescription("List the rules that can be switched off, and the property that fails without each"),
  Command.withDescription(
    [
      "Lists the rules that can be switched off, and the property that fails without each.",
      "",
      exitCodesHelp(["holds", "usage", "internal"], { holds: "they are listed", usage: "the command line is wrong" })
    ].join("\n")
  )
)
