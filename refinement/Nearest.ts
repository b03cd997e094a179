/**
 * Which of the known names somebody who misspelt one probably meant.
 *
 * @module
 */

/** Edits of one character (insert, delete, replace) that lead from one word to another. */
const editsBetween = (a: string, b: string): number => {
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

/** The known names that are close to the one given, or that contain it: at most three, the closest first. */
export const nearest = (given: string, known: Iterable<string>): ReadonlyArray<string> => {
  const wanted = given.toLowerCase()
  return [...known]
    .map((name) => ({ name, edits: editsBetween(wanted, name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= Math.max(2, wanted.length / 3) || name.toLowerCase().includes(wanted))
    .sort((a, b) => a.edits - b.edits)
    .slice(0, 3)
    .map(({ name }) => name)
}
