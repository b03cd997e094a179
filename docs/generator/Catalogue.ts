/**
 * The catalogue of rules: `docs/rules/catalogue`, a file for each family, read strictly.
 *
 * It is the one home of what the documents ask for. A rule's id is its family and a number of two or three digits, and is
 * never given to another rule.
 *
 * @module
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Schema } from "effect"

/** What a rule is about. The first three are what a state machine can be held to. */
export const Kind = Schema.Literals([
  "safety",
  "liveness",
  "step",
  "contract",
  "cost",
  "decision",
  "default",
  "follow-up",
  "limitation",
  "observability"
])
/** What a rule is about. */
export type Kind = typeof Kind.Type

/** The kinds that a model must express, or say why it does not. */
export const MODELLED: ReadonlyArray<Kind> = ["safety", "liveness", "step"]

/** One rule. */
export const CatalogueRule = Schema.Struct({
  id: Schema.String.check(Schema.isPattern(/^[A-Z]+-\d{2,3}$/)),
  /** What it says. */
  rule: Schema.NonEmptyString,
  kinds: Schema.NonEmptyArray(Kind),
  /** The rules that it says again, seen from elsewhere: what expresses all of them expresses it. */
  restates: Schema.optionalKey(Schema.NonEmptyArray(Schema.String)),
  /** What may express it in a model; a suggestion. */
  hint: Schema.optionalKey(Schema.NonEmptyString),
  /** What breaks it, and the shortest story that shows it. Partly inference. */
  without: Schema.optionalKey(Schema.NonEmptyString),
  /** Where the documents say it: headings, outermost first, with ` > ` between. */
  sources: Schema.Array(Schema.NonEmptyString)
})
/** One rule. */
export type CatalogueRule = typeof CatalogueRule.Type

/** The rules about one subject. */
export const Family = Schema.Struct({
  family: Schema.String.check(Schema.isPattern(/^[A-Z]+$/)),
  title: Schema.NonEmptyString,
  about: Schema.NonEmptyString,
  rules: Schema.NonEmptyArray(CatalogueRule)
})
/** The rules about one subject. */
export type Family = typeof Family.Type

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Family), { onExcessProperty: "error" })

/** Whether a rule is of a kind that a model must express. */
export const isModelled = ({ kinds }: CatalogueRule): boolean => kinds.some((kind) => MODELLED.includes(kind))

/** What is wrong with the ids of some families: a rule in the file of another family, or an id that is given twice. */
export const idFaults = (families: ReadonlyArray<Family>): ReadonlyArray<string> => {
  const seen = new Set<string>()
  const faults: Array<string> = []
  for (const { family, rules } of families) {
    for (const { id } of rules) {
      if (!id.startsWith(`${family}-`)) faults.push(`${id} is among the rules of ${family}`)
      if (seen.has(id)) faults.push(`${id} is given twice`)
      seen.add(id)
    }
  }
  return faults
}

/** What is wrong with what rules say again: a rule that there is not, or one that comes back to itself. */
export const restatementFaults = (families: ReadonlyArray<Family>): ReadonlyArray<string> => {
  const rules = new Map(families.flatMap((family) => family.rules.map((rule) => [rule.id, rule] as const)))
  const faults: Array<string> = []
  const visit = (rule: CatalogueRule, trail: ReadonlyArray<string>): void => {
    for (const id of rule.restates ?? []) {
      const next = rules.get(id)
      if (next === undefined) faults.push(`${rule.id} says again what ${id} says, which there is not`)
      else if (trail.includes(id)) faults.push(`${[...trail, id].join(" says again ")}`)
      else visit(next, [...trail, id])
    }
  }
  for (const rule of rules.values()) visit(rule, [rule.id])
  return [...new Set(faults)]
}

/** Reads the catalogue of a repository. Dies when a file of it is not a family. */
export const readCatalogue = (root: string): ReadonlyArray<Family> => {
  const folder = join(root, "docs/rules/catalogue")
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .toSorted()
    .map((name) => decode(readFileSync(join(folder, name), "utf8")))
}
