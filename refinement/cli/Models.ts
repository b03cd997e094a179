/**
 * `onewriter models`: what can be checked by name.
 *
 * @module
 */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import type { Model } from "../../model/checker/Language.ts"
import { format } from "./Flags.ts"
import { registry } from "./Registry.ts"

const expectation = ({ expect }: Model): string => {
  const figures = [
    expect.result === "ok" ? "holds" : `violates ${expect.property ?? "a property"}`,
    ...(expect.steps === undefined ? [] : [`in ${expect.steps} steps`]),
    ...(expect.distinct === undefined ? [] : [`${expect.distinct.toLocaleString("en")} states`]),
    ...(expect.generated === undefined ? [] : [`${expect.generated.toLocaleString("en")} transitions`]),
    ...(expect.depth === undefined ? [] : [`depth ${expect.depth}`])
  ]
  return figures.join(", ")
}

const show = (model: Model): string => {
  const rules = Object.keys(model.switches)
  return [
    model.name,
    `  ${model.about}`,
    `  ${expectation(model)}`,
    ...(rules.length === 0 ? [] : [`  rules: ${rules.join(", ")}`])
  ].join("\n")
}

/** The command. */
export const models = Command.make(
  "models",
  {
    format
  },
  Effect.fn("models")(function* ({ format }) {
    yield* Console.log(
      format === "text"
        ? registry.map(show).join("\n\n")
        : JSON.stringify(
            {
              models: registry.map(({ name, about, switches, expect, without }) => ({
                name,
                about,
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
).pipe(Command.withDescription("List the models that are checked by name, and what each is expected to give"))
