/**
 * Tables in Markdown, and the part of a page that they stand in.
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

/** A page with its part between `<!-- name -->` and `<!-- end of name -->` replaced. Throws when it has no such part. */
export const replacePart = (page: string, name: string, part: string): string => {
  const [open, close] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`]
  const [from, to] = [page.indexOf(open), page.indexOf(close)]
  if (from < 0 || to < from) throw new Error(`the page has no part between ${open} and ${close}`)
  return `${page.slice(0, from + open.length)}\n\n${part}\n\n${page.slice(to)}`
}
