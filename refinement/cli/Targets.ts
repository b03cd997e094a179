/**
 * What a command is about: models by name, and the specs and models that files export.
 *
 * @module
 */
import { Effect, Option } from "effect"
import type { Expectation, Model, Spec } from "../../model/checker/Language.ts"
import { thrownText } from "../../model/checker/Thrown.ts"
import { nearest } from "../Nearest.ts"
import { looksLikeFile } from "./FileKind.ts"
import { Ended } from "./Outcome.ts"
import { registry, rulesOf, setOf, specWithout } from "./Registry.ts"
import { type Exported, loadFile } from "./SpecFile.ts"
import { unknownName } from "./Suggest.ts"

/** One spec to check, and what it should give when anybody said so. */
export interface Target {
  readonly name: string
  /** The rules that are off. */
  readonly without: ReadonlyArray<string>
  readonly spec: Spec
  readonly expect: Expectation | undefined
  /** The file that exports it, as it was named; absent for a model that is known by name. */
  readonly file?: string
}

/** How a command line says what it is about. */
export interface Selection {
  /** Names of models, and files. */
  readonly names: ReadonlyArray<string>
  /** Rules that are to be off. */
  readonly without: ReadonlyArray<string>
  /** Of what a file exports, only this. */
  readonly spec: Option.Option<string>
  /** The models to take when nothing is named. Default: those of the set `ci`. */
  readonly set?: Model["set"]
}

/** The command line asks for something that does not make sense. */
export const usage = (message: string): Ended => new Ended({ why: "usage", message })

/** A model of a file may fail to make its spec. */
const modelTarget = (found: Found, off: ReadonlyArray<string>): Effect.Effect<Target, Ended> =>
  Effect.try({
    try: () => targetOf(found, off),
    catch: (error) =>
      new Ended({ why: "spec", message: `${found.model.name}: making its spec, it throws ${thrownText(error)}` })
  })

const targetOf = ({ model, file }: Found, off: ReadonlyArray<string>): Target => {
  const without = Object.keys(model.switches).filter((rule) => off.includes(rule))
  const [only] = without
  const expect = only === undefined ? model.expect : without.length === 1 ? model.without[only] : undefined
  const from = file === undefined ? {} : { file }
  return { name: model.name, without, spec: specWithout(model, without), expect, ...from }
}

/** A model, and the file that it was found in. */
interface Found {
  readonly model: Model
  readonly file?: string
}

const modelNamed = (name: string): Effect.Effect<Model, Ended> => {
  const model = registry.find((each) => each.name === name)
  const known = registry.map((each) => each.name)
  return model === undefined ? Effect.fail(usage(unknownName("model", name, known))) : Effect.succeed(model)
}

const chosen = (file: string, exported: ReadonlyArray<Exported>, wanted: Option.Option<string>) => {
  if (Option.isNone(wanted)) return Effect.succeed(exported)
  const found = exported.filter(({ name, value }) => name === wanted.value || value.name === wanted.value)
  return found.length > 0
    ? Effect.succeed(found)
    : Effect.fail(
        usage(
          `${file}: ${unknownName(
            "spec",
            wanted.value,
            exported.map(({ value }) => value.name)
          )}`
        )
      )
}

const several = (names: ReadonlyArray<string>): string =>
  names.length <= 4 ? names.join(", ") : `${names.slice(0, 3).join(", ")} and ${names.length - 3} others`

/** What to check. Every rule that is to be off must be one of something that is checked. */
export const targets = Effect.fn("targets")(function* (
  input: Selection
): Effect.fn.Return<ReadonlyArray<Target>, Ended> {
  const models: Array<Found> = []
  const specs: Array<Target> = []
  for (const name of input.names) {
    if (!looksLikeFile(name)) {
      models.push({ model: yield* modelNamed(name) })
      continue
    }
    for (const { value } of yield* chosen(name, yield* loadFile(name), input.spec)) {
      if (value._tag === "Model") models.push({ model: value, file: name })
      else specs.push({ name: value.name, without: [], spec: value, expect: undefined, file: name })
    }
  }
  const all = input.names.length === 0 ? setOf(input.set ?? "ci").map((model): Found => ({ model })) : models
  const rules = [...new Set(rulesOf(all.map(({ model }) => model)).map(({ name }) => name))]
  for (const rule of input.without) {
    if (rules.includes(rule)) continue
    const elsewhere = registry.filter(({ switches }) => rule in switches).map(({ name }) => name)
    return yield* usage(
      elsewhere.length === 0 || nearest(rule, rules).length > 0
        ? unknownName("rule", rule, rules)
        : `${rule} is not a rule of what is checked. It is one of ${several(elsewhere)}.`
    )
  }
  const having = ({ model }: Found): boolean =>
    input.names.length > 0 || input.without.length === 0 || input.without.some((rule) => rule in model.switches)
  const made = yield* Effect.forEach(all.filter(having), (found) => modelTarget(found, input.without))
  return [...made, ...specs]
})

/** A target as it is called in what is printed: `fence-3 without fence`. */
export const title = ({ name, without }: Target): string =>
  without.length === 0 ? name : `${name} without ${without.join(" and without ")}`
