/**
 * The matrix of rules against properties as text, as Markdown, and as JSON.
 *
 * @module
 */
import { type Cell, faultsOf, type Group, type Matrix, type Row } from "./Matrix.ts"

const stepsOf = ({ steps, pinned }: Cell): string => (pinned ? `${steps}*` : `${steps}`)

const letter = (at: number): string =>
  (at < 26 ? "" : letter(Math.floor(at / 26) - 1)) + String.fromCharCode(97 + (at % 26))

const bounded = ({ ablations }: Row): boolean => ablations.some((each) => each.bounded)

/** A matrix as text: a line for each rule, a column for each property under a letter, and what the letters mean. */
const matrixText = (matrix: Matrix): string => {
  const width = Math.max(0, ...matrix.rows.map(({ rule }) => rule.name.length))
  const columns = matrix.properties.map((property, at) => ({ property, head: letter(at) }))
  const line = (name: string, cells: ReadonlyArray<string>) =>
    `  ${name.padEnd(width)}${cells.map((cell) => cell.padStart(6)).join("")}`.trimEnd()
  const open = matrix.rows.some((row) => bounded(row) && row.cells.length < matrix.properties.length)
  return [
    matrix.title,
    "",
    line(
      "",
      columns.map(({ head }) => head)
    ),
    ...matrix.rows.map((row) =>
      line(
        row.rule.name,
        columns.map(({ property }) => {
          const cell = row.cells.find((each) => each.property === property)
          return cell === undefined ? (bounded(row) ? "?" : ".") : stepsOf(cell)
        })
      )
    ),
    "",
    ...columns.map(({ property, head }) => `  ${head}  ${property}`),
    ...matrix.rows
      .filter(({ cells, rule }) => cells.length === 0 && rule.definition.uncaught !== undefined)
      .map(({ rule }) => `  Nothing fails without ${rule.name}: ${rule.definition.uncaught}`),
    ...(open ? ["  ?  did not fail in the states that were explored, and there are more"] : [])
  ].join("\n")
}

const LEGEND = "Steps of the shortest counterexample with the rule off; * is what a manifest pins; . holds."

/** What is wrong, as a line each; none when all is as it should be. */
export const showFaults = (matrices: ReadonlyArray<Matrix>): ReadonlyArray<string> => matrices.flatMap(faultsOf)

const amount = (count: number, one: string, more = `${one}s`): string => `${count} ${count === 1 ? one : more}`

/** Matrices as text for a terminal. */
export const matricesText = (matrices: ReadonlyArray<Matrix>): string => {
  const rows = matrices.flatMap((matrix) => matrix.rows)
  const faults = showFaults(matrices)
  const searches = rows.flatMap(({ ablations }) => ablations)
  const seconds = searches.reduce((sum, each) => sum + each.seconds, 0)
  return [
    LEGEND,
    ...matrices.map(matrixText),
    `${amount(rows.length, "rule")} in ${amount(searches.length, "search", "searches")} (${seconds.toFixed(1)} s): ${
      faults.length === 0 ? "all is as it should be." : [`${amount(faults.length, "fault")}:`, ...faults].join("\n  ")
    }`
  ].join("\n\n")
}

/** One JSON object: a matrix for each group, and what is wrong. */
export const matricesJson = (matrices: ReadonlyArray<Matrix>) => {
  const faults = showFaults(matrices)
  return {
    result: faults.length === 0 ? "ok" : "failed",
    faults,
    matrices: matrices.map(({ title, properties, rows }) => ({
      title,
      properties,
      rules: rows.map(({ rule, cells, ablations }) => ({
        name: rule.name,
        ...rule.definition,
        caught: cells,
        searches: ablations.map(({ rule: _, ...ablation }) => ablation)
      }))
    }))
  }
}

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

const cellText = (text: string): string => text.replaceAll("|", "\\|")

const matrixMarkdown = (matrix: Matrix): string =>
  table(
    ["without", ...matrix.properties.map((property) => `\`${property}\``)],
    matrix.rows.map((row) => [
      `\`${row.rule.name}\``,
      ...matrix.properties.map((property) => {
        const cell = row.cells.find((each) => each.property === property)
        return cell === undefined ? (bounded(row) ? "?" : "") : cell.pinned ? `**${cell.steps}**` : `${cell.steps}`
      })
    ])
  )

/** What the manifests pin of a group's rules, as a Markdown table: it needs no search. */
export const pinnedMarkdown = ({ rules }: Group): string =>
  table(
    ["switch", "the rule", "in the catalogue", "shown by"],
    rules.map(({ name, definition, witnesses }) => [
      `\`${name}\``,
      cellText(definition.rule),
      definition.ids.map((id) => `[${id}](rules/${id.split("-")[0]?.toLowerCase()}.md#${id.toLowerCase()})`).join(", "),
      witnesses.length === 0
        ? `nothing: ${cellText(definition.uncaught ?? "no model pins it")}`
        : witnesses
            .map(({ name: model, without }) => {
              const { result, property, steps } = without[name] ?? { result: "ok" }
              return result === "violation"
                ? `\`${model}\`: \`${property}\` after ${steps ?? "?"}`
                : `\`${model}\`: ${result}`
            })
            .join("<br>")
    ])
  )

const INTRODUCTION = `<!-- biome-ignore-all format: generated by \`onewriter ablate\`, not to be edited -->

# Rules against properties

What fails without each rule that can be switched off: in the first table of each section the steps of the shortest counterexample, by property, in bold where a manifest pins it. An empty cell is a property that holds without the rule in every model that shows it; \`?\` is one that did not fail in the states that were explored, when there are more. The second table is what the manifests pin, and tests check it on every change. One of them is shown in full by \`onewriter check MODEL --without SWITCH\`; the whole page is written by \`onewriter ablate --format markdown\`.`

/** Matrices as a page, with what the manifests pin of each group. */
export const matricesMarkdown = (matrices: ReadonlyArray<{ readonly group: Group; readonly matrix: Matrix }>): string =>
  [
    INTRODUCTION,
    ...matrices.flatMap(({ group, matrix }) => [`## ${matrix.title}`, matrixMarkdown(matrix), pinnedMarkdown(group)])
  ].join("\n\n")
