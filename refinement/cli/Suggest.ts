/**
 * What is said of a name that is not known.
 *
 * @module
 */
import { nearest } from "../Nearest.ts"

/** So many names are told one by one. */
const FEW = 20

/**
 * A complaint about an unknown name: with what was probably meant, or else with everything there is, or where that is
 * listed.
 */
export const unknownName = (kind: string, given: string, known: ReadonlyArray<string>): string => {
  const close = nearest(given, known)
  if (close.length > 0) return `There is no ${kind} named ${given}. Did you mean ${close.join(" or ")}?`
  if (known.length === 0) return `There is no ${kind} named ${given}; there are none at all.`
  const listed = kind === "model" || kind === "rule"
  return listed && known.length > FEW
    ? `There is no ${kind} named ${given}: \`onewriter ${kind}s\` lists the ${known.length} there are.`
    : `There is no ${kind} named ${given}. There are: ${known.join(", ")}.`
}
