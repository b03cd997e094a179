/**
 * An action with its constant parameters bound: the unit that is evaluated, and whose answers are kept by footprint.
 *
 * Parameters whose domain depends on the state stay inside: the domain is part of what is evaluated, and the values that
 * were chosen are kept with each successor.
 *
 * @module
 */
import { guarded, kindOf, type Machine, patchesOf, type Site, wrongAnswer } from "./Evaluation.ts"
import { Footprint } from "./Footprint.ts"
import type { Action, Value } from "./Language.ts"
import { showParameters } from "./Show.ts"
import type { Successor } from "./Successors.ts"
import { NotAValue } from "./Values.ts"

/** The values that an action's parameters are bound to, in the order of declaration. */
export type ParameterValues = { readonly [parameter: string]: Value }

type StateDomain = (s: unknown) => unknown

const DOMAIN = "A domain answers an array of values: the parameter takes each of them."

/** One action, with those parameters bound that range over constant sets. */
export class ActionUnit {
  /** The action's number in the order of the spec. */
  readonly action: number
  readonly name: string
  readonly environment: boolean
  readonly constants: ParameterValues
  readonly footprint: Footprint
  readonly #machine: Machine
  readonly #next: Action["next"]
  readonly #domains: ReadonlyArray<readonly [name: string, domain: StateDomain | undefined]>
  readonly #dependent: boolean

  constructor(
    machine: Machine,
    of: Pick<ActionUnit, "action" | "name" | "environment" | "constants"> & { definition: Action; caching: boolean }
  ) {
    this.#machine = machine
    this.#next = of.definition.next
    this.#domains = Object.entries(of.definition.domains).map(([name, domain]) => [
      name,
      typeof domain === "function" ? domain : undefined
    ])
    this.#dependent = this.#domains.some(([, domain]) => domain !== undefined)
    this.action = of.action
    this.name = of.name
    this.environment = of.environment
    this.constants = Object.freeze(of.constants)
    this.footprint = new Footprint(of.caching)
  }

  /** The place of the successors of the state `s` in the reader; 0 when there are none. */
  answer(): number {
    const { reader, successors, exchange } = this.#machine
    if (!this.footprint.pays) return successors.write(this.evaluate())
    const known = this.footprint.find(reader.rows, 0)
    if (known >= 0) return known
    if (exchange?.hear() === true) {
      const heard = this.footprint.known(reader.rows, 0)
      if (heard >= 0) return heard
    }
    reader.record()
    const list = this.evaluate()
    const place = successors.write(list)
    if (this.#machine.learn(this.footprint, this.#site(this.constants), place)) successors.keep(place)
    return place
  }

  /** The parameters that go with a successor, in the order of declaration. */
  parameters(id: number): ParameterValues {
    const bound: Value = this.#machine.values.value(id)
    return Object.fromEntries(this.#domains.map(([name]) => [name, Reflect.get(Object(bound), name)]))
  }

  /** The successors of the state `s` in the reader, worked out anew. */
  evaluate(): ReadonlyArray<Successor> {
    this.#machine.evaluations++
    const found: Array<Successor> = []
    if (this.#dependent) this.#choose(0, {}, found)
    else this.#take(this.constants, found)
    return found
  }

  #choose(next: number, bound: ParameterValues, found: Array<Successor>): void {
    const entry = this.#domains[next]
    if (entry === undefined) {
      this.#take(Object.freeze(bound), found)
      return
    }
    const [name, domain] = entry
    const values = domain === undefined ? [this.constants[name]!] : this.#range(name, domain)
    for (const value of values) this.#choose(next + 1, { ...bound, [name]: value }, found)
  }

  /** A domain is a set: a value that it lists twice is one value. */
  #range(name: string, domain: StateDomain): Iterable<Value> {
    const { reader, values } = this.#machine
    const site: Site = { text: () => `action ${this.name}, the domain of ${name}`, base: 0 }
    const listed: unknown = guarded(this.#machine, site, () => {
      const answer = domain(reader.s)
      return Array.isArray(answer) ? [...answer] : answer
    })
    if (!Array.isArray(listed)) throw wrongAnswer(this.#machine, site, `it answers ${kindOf(listed)}`, DOMAIN)
    const range = new Set<Value>()
    for (const [i, raw] of listed.entries()) {
      try {
        range.add(values.canonical(raw))
      } catch (error) {
        if (!(error instanceof NotAValue)) throw error
        throw wrongAnswer(
          this.#machine,
          site,
          `its element [${i}]${error.path} is not a value: ${error.problem}`,
          DOMAIN
        )
      }
    }
    return range
  }

  #take(parameters: ParameterValues, found: Array<Successor>): void {
    const { reader, values } = this.#machine
    const site = this.#site(parameters)
    const next = this.#next
    // A list may be a proxy as well, so it is copied where whatever it throws is caught.
    const result: unknown = guarded(this.#machine, site, () => {
      const answer = next(reader.s, parameters)
      return Array.isArray(answer) ? [...answer] : answer
    })
    if (result === undefined) return
    const id = values.intern(parameters)
    if (!Array.isArray(result)) {
      found.push({ parameters: id, patches: patchesOf(this.#machine, result, site) })
      return
    }
    const count = result.length
    for (const [i, update] of result.entries()) {
      const which: Site = { text: () => `${site.text()}, update ${i + 1} of ${count}`, base: 0 }
      found.push({ parameters: id, patches: patchesOf(this.#machine, update, which) })
    }
  }

  #site(parameters: ParameterValues): Site {
    return { text: () => `action ${this.name}${showParameters(parameters)}`, base: 0 }
  }
}
