/**
 * What somebody who misspelt a name probably meant.
 *
 * @module
 */

/** Edits of one character (insert, delete, replace) that lead from one word to another. */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    }
    row = next
  }
  return row[b.length]!
}

/** The known names that are close to the one given, or that contain it, closest first. */
export const near = (given: string, known: Iterable<string>): ReadonlyArray<string> => {
  const wanted = given.toLowerCase()
  return [...known]
    .map((name) => ({ name, edits: distance(wanted, name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= Math.max(2, wanted.length / 3) || name.toLowerCase().includes(wanted))
    .sort((a, b) => a.edits - b.edits)
    .slice(0, 3)
    .map(({ name }) => name)
}

/** A complaint about an unknown name: with what was probably meant, or else with everything there is. */
export const unknownName = (kind: string, given: string, known: ReadonlyArray<string>): string => {
  const close = near(given, known)
  if (close.length > 0) return `There is no ${kind} named ${given}. Did you mean ${close.join(" or ")}?`
  return known.length === 0
    ? `There is no ${kind} named ${given}; there are none at all.`
    : `There is no ${kind} named ${given}. There are: ${known.join(", ")}.`
}
