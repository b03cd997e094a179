/**
 * Whether what is to be compiled is a spec at all: every part is there, and is what it must be.
 *
 * The types of the spec language say all of this, but a spec may be written in JavaScript, or with a cast, or be taken
 * for something that it is not. What is wrong is said here, with the place and what belongs there, before anything is
 * made of it. Whether names and values fit each other is seen when the spec is compiled.
 *
 * @module
 */
import { Schema } from "effect"
import { kindOf } from "./Evaluation.ts"
import { showName } from "./Show.ts"
import { InvalidSpec } from "./SpecError.ts"
import { thrownText } from "./Thrown.ts"

type Complain = (site: string, problem: string, remedy: string) => InvalidSpec

const FORMS = ["always", "eventually", "alwaysEventually", "eventuallyAlways", "leadsTo"]

const isObject = (raw: unknown): raw is { readonly [field: string]: unknown } =>
  typeof raw === "object" && raw !== null && !Array.isArray(raw) && !(raw instanceof Set)

const isIndex = (raw: unknown): boolean => typeof raw === "string" || Number.isSafeInteger(raw)

/** Refuses what is no spec. Throws `InvalidSpec`. */
export const checkShape = (spec: unknown): void => {
  const name = isObject(spec) && typeof spec.name === "string" ? showName(spec.name) : "a spec without a name"
  const complain: Complain = (site, problem, remedy) =>
    new InvalidSpec({ spec: name, site, problem, remedy, state: "" })
  try {
    if (!isObject(spec)) throw complain("the spec", `it is ${kindOf(spec)}`, "Give what spec({ … }) returns.")
    new Shape(spec, complain).check()
  } catch (error) {
    if (error instanceof InvalidSpec) throw error
    throw complain("the spec", `reading it throws ${thrownText(error)}`, "A spec is made of plain data and functions.")
  }
}

class Shape {
  readonly #spec: { readonly [part: string]: unknown }
  readonly #complain: Complain

  constructor(spec: { readonly [part: string]: unknown }, complain: Complain) {
    this.#spec = spec
    this.#complain = complain
  }

  check(): void {
    const { name, init, deadlock, fairness } = this.#spec
    if (typeof name !== "string" || name === "") {
      throw this.#complain("name", `it is ${kindOf(name)}`, "Give the spec a name, which is what reports call it.")
    }
    this.#name("name", name)
    this.#each("declarations", "variables", (site, declared) => this.#declaration(site, declared))
    for (const [i, state] of this.#list("init", init).entries()) {
      if (isObject(state)) continue
      const site = this.#list("init", init).length === 1 ? "init" : `init, state ${i + 1}`
      throw this.#complain(site, `it is ${kindOf(state)}`, "Give one state, { variable: value }, or a list of states.")
    }
    this.#each("actions", "action", (site, action) => this.#action(site, action))
    for (const kind of ["invariants", "stepProperties", "whenStuck", "sometimes"]) {
      this.#each(kind, kind, (site, predicate) => this.#predicate(site, predicate))
    }
    this.#each("temporal", "temporal", (site, property) => this.#temporal(site, property))
    this.#predicate("constraint", this.#spec.constraint)
    this.#predicate("actionConstraint", this.#spec.actionConstraint)
    for (const list of ["environment", "neverFires"]) this.#list(list, this.#spec[list])
    if (deadlock !== "error" && deadlock !== "allowed") {
      throw this.#complain("deadlock", `it is ${kindOf(deadlock)}`, 'It is "error" or "allowed".')
    }
    if (typeof fairness === "string") this.#strength("fairness", fairness)
    else this.#each("fairness", "fairness", (site, stated) => this.#fairness(site, stated))
    for (const [i, elements] of this.#list("symmetry", this.#spec.symmetry).entries()) {
      const site = `symmetry, set ${i + 1}`
      for (const element of this.#list(site, elements)) {
        if (isIndex(element)) continue
        throw this.#complain(site, `${kindOf(element)} is no index`, "List the strings or integers that are alike.")
      }
    }
    this.#each("processes", "processes", (site, process) => {
      const by = isObject(process) && typeof process.by === "string"
      const as = isObject(process) && (process.as === undefined || typeof process.as === "string")
      if (typeof process === "string" || (by && as)) return
      throw this.#complain(site, `it is ${kindOf(process)}`, 'Name the process, or say { by: "parameter" }.')
    })
    this.#each("owners", "owners", (site, owner) => {
      if (typeof owner !== "string") throw this.#complain(site, `it is ${kindOf(owner)}`, "Name the process.")
    })
  }

  #each(part: string, site: string, check: (site: string, value: unknown) => void): void {
    const values = this.#spec[part]
    if (!isObject(values)) {
      throw this.#complain(part, `it is ${kindOf(values)}`, "It is an object: what is in it, each under its name.")
    }
    for (const [name, value] of Object.entries(values)) check(`${site} ${this.#name(site, name)}`, value)
  }

  /** What is said of a spec has its lines, and a name is part of one. */
  #name(site: string, name: string): string {
    if (showName(name) === name) return name
    throw this.#complain(`${site} ${showName(name)}`, "it has a line break", "Name it in one line.")
  }

  #list(site: string, values: unknown): ReadonlyArray<unknown> {
    if (Array.isArray(values)) return values
    throw this.#complain(site, `it is ${kindOf(values)}`, "It is a list.")
  }

  #declaration(site: string, declared: unknown): void {
    if (Schema.isSchema(declared)) return
    if (!isObject(declared) || declared._tag !== "Family") {
      throw this.#complain(site, `it is ${kindOf(declared)}`, "Declare a variable as a Schema, or with each(…).")
    }
    for (const index of this.#list(`${site}, its index`, declared.index)) {
      if (typeof index === "string") this.#name(`${site}, its index`, index)
      if (isIndex(index)) continue
      throw this.#complain(`${site}, its index`, `it has ${kindOf(index)}`, "Index by strings or integers.")
    }
    if (!Schema.isSchema(declared.schema)) {
      throw this.#complain(site, `its schema is ${kindOf(declared.schema)}`, "Give each(index, schema) a Schema.")
    }
  }

  #action(site: string, action: unknown): void {
    if (!isObject(action) || action._tag !== "Action") {
      const remedy = "Make it with action(…), of what variables({ … }) returns."
      throw this.#complain(site, `it is ${kindOf(action)}, and no action`, remedy)
    }
    if (!isObject(action.domains)) {
      const remedy = "Write action({ parameter: values }, (s, { parameter }) => …)."
      throw this.#complain(site, `its parameters are ${kindOf(action.domains)}`, remedy)
    }
    for (const parameter of Object.keys(action.domains)) this.#name(`${site}, its parameter`, parameter)
    if (typeof action.next === "function") return
    throw this.#complain(site, `what it does is ${kindOf(action.next)}`, "Give action(…) a function of the state.")
  }

  #predicate(site: string, predicate: unknown): void {
    if (typeof predicate === "function") return
    if (!isObject(predicate)) {
      const remedy = "A property is a function of the state, or an object of several, its conjuncts."
      throw this.#complain(site, `it is ${kindOf(predicate)}`, remedy)
    }
    for (const [conjunct, holds] of Object.entries(predicate)) {
      this.#name(`${site}, conjunct`, conjunct)
      if (typeof holds === "function") continue
      throw this.#complain(`${site}, conjunct ${conjunct}`, `it is ${kindOf(holds)}`, "A conjunct is a function.")
    }
  }

  #temporal(site: string, property: unknown): void {
    if (!isObject(property) || property._tag !== "Temporal") {
      const remedy = `Make it with one of ${FORMS.join(", ")}, of what variables({ … }) returns.`
      throw this.#complain(site, `it is ${kindOf(property)}, and no temporal property`, remedy)
    }
    if (typeof property.form !== "string" || !FORMS.includes(property.form)) {
      throw this.#complain(site, `its form is ${kindOf(property.form)}`, `It is one of ${FORMS.join(", ")}.`)
    }
    if (property.form === "leadsTo") this.#predicate(`${site}, what leads to it`, property.when)
    this.#predicate(site, property.holds)
  }

  #strength(site: string, strength: unknown): void {
    if (strength === "weak" || strength === "strong") return
    throw this.#complain(site, `it is ${kindOf(strength)}`, 'It is "weak" or "strong".')
  }

  #fairness(site: string, stated: unknown): void {
    if (!isObject(stated)) {
      this.#strength(site, stated)
      return
    }
    const parameters = stated.weak ?? stated.strong
    if (Array.isArray(parameters) && Object.keys(stated).length === 1) return
    const remedy = 'Write "weak", "strong", { weak: ["parameter"] } or { strong: ["parameter"] }.'
    throw this.#complain(site, "it does not say what behaviours are fair to", remedy)
  }
}
