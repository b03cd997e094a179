/**
 * How a bounded model of the protocol is made of a configuration and what the checker is expected to find.
 *
 * No variables: it makes models of the spec.
 *
 * @module
 */
import { type Expectation, type Model, model } from "../checker/Language.ts"
import { type Config, setting } from "./Config.ts"
import { protocol } from "./Protocol.ts"
import { type Rule, type Rules, switches } from "./Rules.ts"

/** Every property holds, in so many distinct states and transitions, on shortest paths of so many states. */
export const holds = (distinct: number, generated: number, depth: number): Expectation => ({
  result: "ok",
  distinct,
  generated,
  depth
})

/** A property fails, after so many steps and no fewer. */
export const fails = (property: string, steps: number): Expectation => ({ result: "violation", property, steps })

/** The parts of the protocol that a configuration reaches. */
const partsOf = (config: Omit<Config, "rules">): ReadonlyArray<string> => {
  const { can, budgetNames } = setting(config)
  return [
    "log",
    "fence",
    "queue",
    "orchestrator",
    ...(can.inline || can.background ? ["steps"] : []),
    ...(budgetNames.includes("resumes") ? ["hooks"] : []),
    ...(can.wait ? ["waits"] : [])
  ]
}

const lacking = (rules: Rules, lacks: ReadonlyArray<Rule>): Rules => ({
  ...rules,
  ...Object.fromEntries(lacks.map((rule) => [rule, false]))
})

/** Makes a bounded model of the protocol. */
export const bounded = (parts: {
  readonly name: string
  readonly about: string
  readonly set?: "ci" | "large"
  readonly config: Omit<Config, "rules">
  readonly expect: Expectation
  /** The rules that this model is without, whatever is switched: another rule covers for them. */
  readonly lacks?: ReadonlyArray<Rule>
  readonly without?: { readonly [rule in Rule]?: Expectation }
}): Model<Rule> =>
  model<Rule>({
    name: parts.name,
    about: parts.about,
    parts: partsOf(parts.config),
    ...(parts.set === undefined ? {} : { set: parts.set }),
    switches,
    spec: (rules) => protocol({ ...parts.config, rules: lacking(rules, parts.lacks ?? []) }, parts.name),
    expect: parts.expect,
    without: parts.without ?? {}
  })

/** Makes a bounded model for each of the topologies that serialize a run's deliveries: `NAME-gated`, `NAME-coalescing`. */
export const inBoth = (parts: {
  readonly name: string
  readonly about: string
  readonly config: Omit<Config, "rules" | "topology">
  readonly gated: Expectation
  readonly coalescing: Expectation
  readonly lacks?: ReadonlyArray<Rule>
  /** What is found with a rule off, in both. */
  readonly without?: { readonly [rule in Rule]?: Expectation }
  /** What is found with a rule off in the gated one alone. */
  readonly withoutGated?: { readonly [rule in Rule]?: Expectation }
  /** What is found with a rule off in the coalescing one alone. */
  readonly withoutCoalescing?: { readonly [rule in Rule]?: Expectation }
}): ReadonlyArray<Model<Rule>> => {
  const { name, about, config, without, lacks = [] } = parts
  return [
    bounded({
      name: `${name}-gated`,
      about,
      config: { ...config, topology: "gated" },
      expect: parts.gated,
      lacks,
      without: { ...without, ...parts.withoutGated }
    }),
    bounded({
      name: `${name}-coalescing`,
      about,
      config: { ...config, topology: "coalescing" },
      expect: parts.coalescing,
      lacks,
      without: { ...without, ...parts.withoutCoalescing }
    })
  ]
}
