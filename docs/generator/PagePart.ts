/**
 * The parts of a written page that are generated: each stands between `<!-- name -->` and `<!-- end of name -->`.
 *
 * @module
 */

/** A page with its part of this name replaced. Throws when it has no such part. */
export const replacePart = (page: string, name: string, part: string): string => {
  const [open, close] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`]
  const [from, to] = [page.indexOf(open), page.indexOf(close)]
  if (from < 0 || to < from) throw new Error(`the page has no part between ${open} and ${close}`)
  return `${page.slice(0, from + open.length)}\n\n${part}\n\n${page.slice(to)}`
}
