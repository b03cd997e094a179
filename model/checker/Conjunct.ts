/**
 * One conjunct of a property: the unit that is evaluated on a state or on a step, and whose verdicts are kept by
 * footprint.
 *
 * @module
 */
import { guarded, kindOf, type Machine, type Site, wrongAnswer } from "./Evaluation.ts"
import { Footprint } from "./Footprint.ts"
import type { StatePredicate, StepPredicate } from "./Language.ts"
import { InvalidSpec } from "./SpecError.ts"

/** What a property speaks of: every state, every step that changes something, every stuck state, or whole behaviours. */
export type PropertyKind = "invariant" | "step" | "stuck" | "temporal"

const SITE = {
  invariant: "invariant",
  step: "step property",
  stuck: "whenStuck property",
  temporal: "temporal property",
  sometimes: "reachability claim",
  constraint: "constraint",
  actionConstraint: "action constraint"
} as const

/** What a predicate is for: a property, a claim that some state is reached, or a bound of the model. */
export type PredicateKind = keyof typeof SITE

/** A conjunct of a property; a property that is a single function is its own and only conjunct. */
export class Conjunct<K extends PredicateKind = PropertyKind> {
  readonly kind: K
  readonly property: string
  /** Absent when the property is a single function. */
  readonly name: string | undefined
  readonly footprint: Footprint
  readonly #machine: Machine
  readonly #holds: (s: unknown, t: unknown) => unknown

  constructor(
    machine: Machine,
    of: Pick<Conjunct<K>, "kind" | "property" | "name"> & {
      holds: (s: unknown, t: unknown) => unknown
      caching: boolean
    }
  ) {
    this.#machine = machine
    this.#holds = of.holds
    this.kind = of.kind
    this.property = of.property
    this.name = of.name
    this.footprint = new Footprint(of.caching)
  }

  /** Whether it holds in the state at `base` in the reader, or on the step from `s` to `t` when it is about steps. */
  answer(base: number): boolean {
    const { reader } = this.#machine
    if (!this.footprint.pays) return this.evaluate(base)
    const known = this.footprint.find(reader.rows, base)
    if (known >= 0) return known === 1
    reader.record()
    const holds = this.evaluate(base)
    this.#machine.learn(this.footprint, { text: () => this.#site(), base }, holds ? 1 : 0)
    return holds
  }

  /** The verdict, worked out anew. */
  evaluate(base: number): boolean {
    const machine = this.#machine
    machine.evaluations++
    const { s, t } = machine.reader
    const site: Site = { text: () => this.#site(), base }
    const holds = guarded(machine, site, () =>
      this.kind === "step" || this.kind === "actionConstraint"
        ? this.#holds(s, t)
        : this.#holds(base === 0 ? s : t, undefined)
    )
    if (typeof holds !== "boolean") {
      throw wrongAnswer(machine, site, `it answers ${kindOf(holds)}`, "A property answers true or false.")
    }
    return holds
  }

  #site(): string {
    return `${SITE[this.kind]} ${this.property}${this.name === undefined ? "" : `, conjunct ${this.name}`}`
  }
}

/** The conjuncts of a property. Throws `InvalidSpec` for one that says nothing. */
export const conjunctsOf = <K extends PredicateKind>(
  machine: Machine,
  kind: K,
  property: string,
  predicate: StatePredicate<unknown> | StepPredicate<unknown>,
  caching: boolean
): ReadonlyArray<Conjunct<K>> => {
  if (typeof predicate === "function") {
    return [new Conjunct(machine, { kind, property, name: undefined, holds: predicate, caching })]
  }
  const parts = Object.entries(predicate)
  if (parts.length === 0) {
    throw new InvalidSpec({
      spec: machine.spec,
      site: `property ${property}`,
      problem: "it has no conjunct, so it says nothing",
      remedy: "Give it at least one, or remove it.",
      state: ""
    })
  }
  return parts.map(([name, holds]) => new Conjunct(machine, { kind, property, name, holds, caching }))
}
