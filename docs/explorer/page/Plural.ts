/**
 * Numbers with what they count.
 *
 * @module
 */

/** A number with separators. */
export const count = (n: number): string => n.toLocaleString("en")

/** A number and its noun: `1 step`, `2 steps`. */
export const plural = (n: number, one: string, more = `${one}s`): string => `${count(n)} ${n === 1 ? one : more}`
