/**
 * Every bounded model with its manifest, as a page.
 *
 * @module
 */
import type { Expectation, Model } from "../../model/checker/index.ts"
import { cell, table } from "./Reference.ts"

const expectation = (expect: Expectation): string =>
  [
    expect.result === "violation" ? `\`${expect.property ?? "a property"}\` fails` : expect.result,
    ...(expect.steps === undefined ? [] : [`after ${expect.steps} steps`]),
    ...(expect.distinct === undefined ? [] : [`${expect.distinct.toLocaleString("en")} states`]),
    ...(expect.generated === undefined ? [] : [`${expect.generated.toLocaleString("en")} transitions`]),
    ...(expect.depth === undefined ? [] : [`depth ${expect.depth}`])
  ].join(", ")

/** The page. */
export const modelsPage = (models: ReadonlyArray<Model>): string => {
  const groups = Map.groupBy(models, ({ parts }) => (parts.length === 0 ? "Examples" : parts.join(", ")))
  return [
    "# Bounded models",
    `${models.length} models. Each is checked against what its manifest pins; \`onewriter check NAME\` checks one.`,
    ...[...groups].flatMap(([name, all]) => [
      `## ${name}`,
      table(
        ["model", "what it shows", "expected", "without a rule"],
        all.map((model) => [
          `\`${model.name}\`${model.set === "large" ? " (large)" : ""}`,
          cell(model.about),
          expectation(model.expect),
          Object.entries(model.without)
            .map(([rule, expect]) => (expect === undefined ? "" : `\`${rule}\`: ${expectation(expect)}`))
            .join("<br>")
        ])
      )
    ])
  ].join("\n\n")
}
