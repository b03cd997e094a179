/**
 * What is said of a name that is not known.
 *
 * @module
 */
import { nearest } from "../Nearest.ts"

/** A complaint about an unknown name: with what was probably meant, or else with everything there is. */
export const unknownName = (kind: string, given: string, known: ReadonlyArray<string>): string => {
  const close = nearest(given, known)
  if (close.length > 0) return `There is no ${kind} named ${given}. Did you mean ${close.join(" or ")}?`
  return known.length === 0
    ? `There is no ${kind} named ${given}; there are none at all.`
    : `There is no ${kind} named ${given}. There are: ${known.join(", ")}.`
}
