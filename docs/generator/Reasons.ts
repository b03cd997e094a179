/**
 * Why rules that a model should express are expressed by none: `docs/rules/reasons.json`, reviewed by hand.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Schema } from "effect"
import type { Family } from "./Catalogue.ts"

/** One reason, for all the rules that it holds of. */
export const Reason = Schema.Struct({
  reason: Schema.NonEmptyString,
  rules: Schema.NonEmptyArray(Schema.String)
})
/** One reason, for all the rules that it holds of. */
export type Reason = typeof Reason.Type

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Reason)), { onExcessProperty: "error" })

/** Reads the reasons of a repository. Dies when the file is not a list of them. */
export const readReasons = (root: string): ReadonlyArray<Reason> =>
  decode(readFileSync(join(root, "docs/rules/reasons.json"), "utf8"))

/** What is wrong with some reasons: a rule that the catalogue does not have, or one with two reasons. */
export const reasonFaults = (
  reasons: ReadonlyArray<Reason>,
  families: ReadonlyArray<Family>
): ReadonlyArray<string> => {
  const known = new Set(families.flatMap(({ rules }) => rules.map(({ id }) => id)))
  const given = reasons.flatMap(({ rules }) => rules)
  return [
    ...given.filter((id) => !known.has(id)).map((id) => `${id} is not in the catalogue`),
    ...given.filter((id, at) => given.indexOf(id) !== at).map((id) => `${id} has two reasons`)
  ]
}
