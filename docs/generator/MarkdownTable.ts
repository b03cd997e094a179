/**
 * Tables in Markdown, with their columns padded as the formatter pads them.
 *
 * @module
 */

/** A table. Which columns are numbers, and so stand to the right, is asked by index: all but the first, unless said. */
export const table = (
  header: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  isNumber: (column: number) => boolean = (column) => column > 0
): string => {
  const widths = header.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]!.length)))
  const line = (cells: ReadonlyArray<string>): string =>
    `| ${cells.map((cell, i) => (isNumber(i) ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!))).join(" | ")} |`
  const rule = `| ${widths.map((width, i) => (isNumber(i) ? `${"-".repeat(width - 1)}:` : "-".repeat(width))).join(" | ")} |`
  return [line(header), rule, ...rows.map(line)].join("\n")
}

/** A whole number as people write it. */
export const count = (value: number): string => Math.round(value).toLocaleString("en")
