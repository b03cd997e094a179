/**
 * Tables in Markdown.
 *
 * @module
 */

/** A whole number as people write it. */
export const count = (value: number): string => Math.round(value).toLocaleString("en")

/** A table; all columns but the first are numbers. */
export const table = (header: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = header.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]!.length)))
  const line = (cells: ReadonlyArray<string>): string =>
    `| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join(" | ")} |`
  const rule = `| ${widths.map((width, i) => (i === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`)).join(" | ")} |`
  return [line(header), rule, ...rows.map(line)].join("\n")
}
