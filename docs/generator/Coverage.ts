/**
 * What expresses each rule of the catalogue, what removes it, what implements it, and what tests it.
 *
 * @module
 */
import type { Model, Spec } from "../../model/checker/index.ts"
import { type CatalogueRule, type Family, isModelled } from "./Catalogue.ts"
import type { Citation } from "./Citations.ts"
import type { Reason } from "./Reasons.ts"

/** What in a model expresses a rule, or which function follows it. */
export interface Place {
  readonly file: string
  /** The declaration; absent for a module as a whole. */
  readonly symbol?: string
  readonly is: "action" | "property" | "declaration" | "module"
}

/** A switch that removes a rule. */
export interface Removal {
  readonly name: string
  /** The property that fails without it. */
  readonly violates: string
  /** A model that shows it, if there is one. */
  readonly model?: string
}

/** A test that names a rule. */
export interface NamingTest {
  readonly file: string
  readonly titles: ReadonlyArray<string>
}

/**
 * How a rule stands. `model`: a model expresses it. `reason`: none does, and it is said why. `missing`: none does, and
 * one should. `implementation`: it is about settings, fields, costs or the like, which no state machine expresses.
 */
export type Standing = "model" | "reason" | "missing" | "implementation"

/** One rule, and what there is of it. */
export interface Covered {
  readonly rule: CatalogueRule
  readonly standing: Standing
  readonly model: ReadonlyArray<Place>
  readonly switches: ReadonlyArray<Removal>
  readonly implementation: ReadonlyArray<Place>
  readonly refinement: ReadonlyArray<Place>
  readonly tests: ReadonlyArray<NamingTest>
  readonly reason?: string
}

/** The names that mean an action or a property in some model. */
export interface Vocabulary {
  readonly actions: ReadonlySet<string>
  readonly properties: ReadonlySet<string>
}

const everyRule = (model: Model): Spec =>
  model.spec(Object.fromEntries(Object.keys(model.switches).map((name) => [name, true])))

/** The names of actions and properties of some models. */
export const vocabularyOf = (models: ReadonlyArray<Model>): Vocabulary => {
  const specs = models.map(everyRule)
  const names = (of: (spec: Spec) => ReadonlyArray<object>) =>
    new Set(specs.flatMap(of).flatMap((each) => Object.keys(each)))
  return {
    actions: names(({ actions }) => [actions]),
    properties: names(({ invariants, stepProperties, whenStuck, temporal, sometimes }) => [
      invariants,
      stepProperties,
      whenStuck,
      temporal,
      sometimes
    ])
  }
}

const placeOf = ({ file, names }: Citation, vocabulary: Vocabulary): Place => {
  const action = names.findLast((name) => vocabulary.actions.has(name))
  if (action !== undefined) return { file, symbol: action, is: "action" }
  const property = names.findLast((name) => vocabulary.properties.has(name))
  if (property !== undefined) return { file, symbol: property, is: "property" }
  const [outermost] = names
  return outermost === undefined ? { file, is: "module" } : { file, symbol: outermost, is: "declaration" }
}

const ORDER: ReadonlyArray<Place["is"]> = ["action", "property", "declaration", "module"]

/** Each place once; a module as a whole only where nothing in it is named. */
const places = (citations: ReadonlyArray<Citation>, vocabulary: Vocabulary): ReadonlyArray<Place> => {
  const all = new Map(
    citations
      .map((each) => placeOf(each, vocabulary))
      .map((place): [string, Place] => [`${place.file}#${place.symbol ?? ""}`, place])
  )
  return [...all.values()]
    .filter(
      ({ is, file }) => is !== "module" || ![...all.values()].some((other) => other.file === file && other.symbol)
    )
    .toSorted(
      (a, b) =>
        ORDER.indexOf(a.is) - ORDER.indexOf(b.is) ||
        a.file.localeCompare(b.file) ||
        (a.symbol ?? "").localeCompare(b.symbol ?? "")
    )
}

const tests = (citations: ReadonlyArray<Citation>): ReadonlyArray<NamingTest> =>
  [...Map.groupBy(citations, ({ file }) => file)]
    .map(([file, inFile]) => ({
      file,
      titles: [...new Set(inFile.flatMap(({ title }) => (title === undefined ? [] : [title])))].toSorted()
    }))
    .toSorted((a, b) => a.file.localeCompare(b.file))

/** The switches of some models, by the rule that they remove. */
const removals = (models: ReadonlyArray<Model>): ReadonlyMap<string, ReadonlyArray<Removal>> => {
  const found = new Map<string, Map<string, Removal>>()
  for (const model of models) {
    for (const [name, { ids, violates }] of Object.entries(model.switches)) {
      const shows = model.without[name]?.result === "violation"
      for (const id of ids) {
        const ofRule = found.get(id) ?? new Map<string, Removal>()
        const known = ofRule.get(name)
        if (known?.model === undefined) {
          ofRule.set(name, { name, violates, ...(shows ? { model: model.name } : {}) })
        }
        found.set(id, ofRule)
      }
    }
  }
  return new Map([...found].map(([id, ofRule]) => [id, [...ofRule.values()]]))
}

/** Where the ids of a switch are listed: the switch itself says so. */
const isListOfSwitch = ({ file, names }: Citation): boolean => file.startsWith("model/") && names.at(-1) === "ids"

/** How every rule of the catalogue stands, in its order. */
export const coverage = (given: {
  readonly families: ReadonlyArray<Family>
  readonly citations: ReadonlyArray<Citation>
  readonly models: ReadonlyArray<Model>
  readonly reasons: ReadonlyArray<Reason>
}): ReadonlyArray<Covered> => {
  const vocabulary = vocabularyOf(given.models)
  const byRule = Map.groupBy(given.citations, ({ id }) => id)
  const removed = removals(given.models)
  const reasons = new Map(given.reasons.flatMap(({ rules, reason }) => rules.map((id) => [id, reason] as const)))
  const all = given.families.flatMap(({ rules }) =>
    rules.map((rule): Covered => {
      const cited = byRule.get(rule.id) ?? []
      const under = (folder: string) => cited.filter(({ file }) => file.startsWith(`${folder}/`))
      const switches = removed.get(rule.id) ?? []
      const model = places(
        under("model").filter((each) => !isListOfSwitch(each)),
        vocabulary
      )
      const reason = reasons.get(rule.id)
      const standing: Standing =
        model.length + switches.length > 0
          ? "model"
          : !isModelled(rule)
            ? "implementation"
            : reason === undefined
              ? "missing"
              : "reason"
      return {
        rule,
        standing,
        model,
        switches,
        implementation: places(under("impl"), vocabulary),
        refinement: places(under("refinement"), vocabulary),
        tests: tests(under("test")),
        ...(reason === undefined ? {} : { reason })
      }
    })
  )
  const byId = new Map(all.map((covered) => [covered.rule.id, covered]))
  return all.map((covered) => restating(covered, byId))
}

/** A rule that says again what others say stands as they do: expressed when all are, with a reason when some have one. */
const restating = (covered: Covered, byId: ReadonlyMap<string, Covered>): Covered => {
  if (covered.standing === "model" || covered.rule.restates === undefined) return covered
  const restated = covered.rule.restates.flatMap((id) => {
    const other = byId.get(id)
    return other === undefined ? [] : [restating(other, byId)]
  })
  if (restated.every(({ standing }) => standing === "model")) return { ...covered, standing: "model" }
  const reasons = restated.flatMap(({ standing, reason }) =>
    standing === "reason" && reason !== undefined ? [reason] : []
  )
  const [reason] = reasons
  return covered.standing === "missing" &&
    reason !== undefined &&
    restated.every(({ standing }) => standing === "model" || standing === "reason")
    ? { ...covered, standing: "reason", reason }
    : covered
}

/** The rules with a reason for being expressed by no model, which a model does express: the reason can go. */
export const needlessReasons = (rules: ReadonlyArray<Covered>): ReadonlyArray<string> =>
  rules.flatMap(({ rule, standing, reason }) => (standing === "model" && reason !== undefined ? [rule.id] : []))

/** The rules that the sources name and the catalogue does not have, each with where. */
export const unknownRules = (
  citations: ReadonlyArray<Citation>,
  families: ReadonlyArray<Family>
): ReadonlyArray<string> => {
  const known = new Set(families.flatMap(({ rules }) => rules.map(({ id }) => id)))
  return citations.filter(({ id }) => !known.has(id)).map(({ id, file }) => `${file}: ${id}`)
}
