/**
 * The matrix as `onewriter ablate` writes it: the shortest counterexamples that a full search found, for each rule and
 * property. The page is read, since a search for all of them takes too long here.
 *
 * @module
 */
import page from "../../../matrix.md?raw"

/** What is known of a property without a rule. */
export type Cell =
  | { readonly is: "fails"; readonly steps: number; readonly pinned: boolean }
  | { readonly is: "holds" }
  | { readonly is: "unknown" }

/** The matrix of a group of models. */
export interface MatrixGroup {
  readonly title: string
  readonly properties: ReadonlyArray<string>
  readonly rows: ReadonlyArray<{ readonly rule: string; readonly cells: ReadonlyArray<Cell> }>
}

const cellsOf = (line: string): ReadonlyArray<string> =>
  line
    .slice(1, -1)
    .split("|")
    .map((cell) => cell.trim())

const cellOf = (text: string): Cell => {
  if (text === "") return { is: "holds" }
  if (text === "?") return { is: "unknown" }
  const steps = Number(text.replaceAll("*", ""))
  if (!Number.isInteger(steps)) throw new Error(`The matrix has a cell that says ${text}.`)
  return { is: "fails", steps, pinned: text.startsWith("**") }
}

const bare = (text: string): string => text.replaceAll("`", "")

/** Reads the groups of a matrix page: of each, the first table. */
export const readMatrix = (text: string): ReadonlyArray<MatrixGroup> =>
  text
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const lines = section.split("\n")
      const begin = lines.findIndex((line) => line.startsWith("| without |"))
      const length = lines.slice(begin).findIndex((line) => !line.startsWith("|"))
      const table = begin < 0 ? [] : lines.slice(begin, length < 0 ? undefined : begin + length)
      const [head = "", , ...body] = table
      return {
        title: (lines[0] ?? "").trim(),
        properties: cellsOf(head).slice(1).map(bare),
        rows: body.map((line) => {
          const [rule = "", ...cells] = cellsOf(line)
          return { rule: bare(rule), cells: cells.map(cellOf) }
        })
      }
    })

/** The matrix. */
export const matrix = readMatrix(page)
