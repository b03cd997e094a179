/**
 * One rule off, in one model: every property that fails then, each with the length of its shortest counterexample.
 *
 * The search goes on after a violation, up to a limit on states. What the manifest pins is compared: when the limit came
 * first, the model is searched once more without it, up to its first violation.
 *
 * @module
 */
import { Effect, Stream } from "effect"
import type { Expectation, Model } from "../../model/checker/index.ts"
import { explore, type Progress, type Report, type SpecError } from "../../model/checker/index.ts"

/** A property that fails without a rule. */
export interface Caught {
  readonly property: string
  /** Steps of the shortest counterexample. */
  readonly steps: number
}

/** What came of one rule off, in one model. */
export interface Ablation {
  readonly model: string
  readonly rule: string
  /** What the model's manifest pins. */
  readonly expected: Expectation
  /** The shortest first, then by name. */
  readonly caught: ReadonlyArray<Caught>
  readonly distinct: number
  /** Whether the limit left states unexplored, so that more may fail, later. */
  readonly bounded: boolean
  /** How it differs from what is pinned. */
  readonly differences: ReadonlyArray<string>
  readonly seconds: number
}

/** How far one search is allowed to go, and who watches. */
export interface AblateOptions {
  /** Distinct states. */
  readonly maxStates: number
  readonly onProgress?: (progress: Progress) => void
}

const caughtIn = ({ counterexamples }: Report): ReadonlyArray<Caught> =>
  counterexamples.map(({ property, steps }) => ({ property, steps: steps.length - 1 }))

/** How what is pinned of a rule that is off differs from what was found; what fails besides is no difference. */
const differencesFrom = (expected: Expectation, caught: ReadonlyArray<Caught>): ReadonlyArray<string> => {
  if (expected.result !== "violation") {
    return caught.map(({ property }) => `the manifest says that nothing fails, and ${property} does`)
  }
  const found = caught.find(({ property }) => property === expected.property)
  if (expected.property !== undefined && found === undefined) {
    return [`${expected.property} does not fail, and the manifest says that it does`]
  }
  return found !== undefined && expected.steps !== undefined && found.steps !== expected.steps
    ? [`${found.property} fails after ${found.steps} steps, and the manifest says after ${expected.steps}`]
    : []
}

/** Searches a model with one rule off. Fails with a `SpecError` when the spec itself is wrong then. */
export const ablate = Effect.fn("ablate")(function* (
  model: Model,
  rule: string,
  options: AblateOptions
): Effect.fn.Return<Ablation, SpecError> {
  const expected: Expectation = model.without[rule] ?? { result: "ok" }
  const spec = model.spec(Object.fromEntries(Object.keys(model.switches).map((name) => [name, name !== rule])))
  const search = (limits: { readonly continue?: boolean; readonly maxStates?: number }) =>
    explore(spec, limits).pipe(
      Stream.tap((element) =>
        element._tag === "Progress" ? Effect.sync(() => options.onProgress?.(element)) : Effect.void
      ),
      Stream.filter((element) => element._tag === "Report"),
      Stream.runHead,
      Effect.flatMap((report) =>
        report._tag === "Some" ? Effect.succeed(report.value) : Effect.die(new Error("a search ended without a report"))
      )
    )
  const wide = yield* search({ continue: true, maxStates: options.maxStates })
  const bounded = Object.values(wide.properties).includes("unknown")
  const missed = differencesFrom(expected, caughtIn(wide)).length > 0 && bounded
  const deep = missed ? yield* search({}) : undefined
  const found = deep === undefined ? caughtIn(wide) : [...caughtIn(wide), ...caughtIn(deep)]
  const shortest = Map.groupBy(found, ({ property }) => property)
  const caught = [...shortest]
    .map(([property, each]) => ({ property, steps: Math.min(...each.map(({ steps }) => steps)) }))
    .toSorted((a, b) => a.steps - b.steps || a.property.localeCompare(b.property))
  return {
    model: model.name,
    rule,
    expected,
    caught,
    distinct: Math.max(wide.distinct, deep?.distinct ?? 0),
    bounded: deep === undefined ? bounded : true,
    differences: differencesFrom(expected, caught),
    seconds: wide.seconds + (deep?.seconds ?? 0)
  }
})
