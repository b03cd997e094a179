/**
 * One conjunct of a property: the unit that is evaluated on a state or on a step, and whose verdicts are kept by
 * footprint.
 *
 * @module
 */
import { guarded, kindOf, type Machine, type Site, wrongAnswer } from "./Evaluation.ts"
import { Footprint } from "./Footprint.ts"

/** What a property speaks of: every state, every step that changes something, or every stuck state. */
export type PropertyKind = "invariant" | "step" | "stuck"

/** A conjunct of a property; a property that is a single function is its own and only conjunct. */
export class Conjunct {
  readonly kind: PropertyKind
  readonly property: string
  /** Absent when the property is a single function. */
  readonly name: string | undefined
  readonly footprint: Footprint
  readonly #machine: Machine
  readonly #holds: (s: unknown, t: unknown) => unknown

  constructor(
    machine: Machine,
    of: Pick<Conjunct, "kind" | "property" | "name"> & {
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
      this.kind === "step" ? this.#holds(s, t) : this.#holds(base === 0 ? s : t, undefined)
    )
    if (typeof holds !== "boolean") {
      throw wrongAnswer(machine, site, `it answers ${kindOf(holds)}`, "A property answers true or false.")
    }
    return holds
  }

  #site(): string {
    const kind = { invariant: "invariant", step: "step property", stuck: "whenStuck property" }[this.kind]
    return `${kind} ${this.property}${this.name === undefined ? "" : `, conjunct ${this.name}`}`
  }
}
