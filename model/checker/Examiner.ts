/**
 * What one search finds out about properties: which fail, which claims are met, and whether symmetry is what it is said
 * to be.
 *
 *     initial state, successor ──▶ invariants, claims
 *     step                     ──▶ step properties
 *     stuck state              ──▶ whenStuck, deadlock          first of its property? ──▶ violations
 *     expanded state           ──▶ its images under symmetry
 *
 * The states and steps that it looks at are in the reader: the state that is expanded at 0, the one that a step leads to
 * at the width of a row, which is written `t`.
 *
 * @module
 */
import { type Compiled, DEADLOCK } from "./Compile.ts"
import type { Conjunct } from "./Conjunct.ts"
import type { Settled } from "./Scout.ts"
import type { Position } from "./Snapshot.ts"
import type { StateTable } from "./StateTable.ts"
import { stepsFrom } from "./Steps.ts"
import { stuckAmong, type Violation, violationOf } from "./Violation.ts"

/** Of the states on which nothing new was run, one in so many is compared with one of its images. */
const CHECKED_ONE_IN = 16

/** The place of a violation: a state, or a step from it. */
type Where = Pick<Violation, "state" | "next">

/** Examines the states and steps of one search. */
export class Examiner {
  /** The claims that no state found so far satisfies, each with its conjuncts. */
  readonly claims: Map<string, Array<Conjunct<"sometimes">>>
  /** States on which a predicate was run that had not been run on what it read there. */
  readonly suspects = new Set<number>()
  /** In the order found. */
  readonly violations: Array<Violation> = []
  /** Whether a violation was found that ends the search. */
  ended = false
  readonly #compiled: Compiled
  readonly #table: StateTable
  readonly #stopAtFirst: boolean
  readonly #level: () => { readonly from: number; readonly to: number }
  readonly #violated = new Set<string>()
  /** With symmetry: by column and id, whether a state had it; and whether the last step led to a state with a new one. */
  readonly #met: ReadonlyArray<Array<boolean>>
  #newValue = false

  /** `level` answers the states of the level at hand that are not expanded yet: from one number up to another, exclusive. */
  constructor(
    compiled: Compiled,
    table: StateTable,
    options: {
      readonly stopAtFirst: boolean
      readonly level: () => { readonly from: number; readonly to: number }
    }
  ) {
    this.#compiled = compiled
    this.#table = table
    this.#stopAtFirst = options.stopAtFirst
    this.#level = options.level
    this.#met = Array.from({ length: compiled.machine.reader.width }, () => [])
    this.claims = Map.groupBy(compiled.sometimes, ({ property }) => property)
  }

  /** What need not be looked at any more. */
  get settled(): Settled {
    return {
      violated: (property) => this.#violated.has(property),
      met: (claim) => !this.claims.has(claim)
    }
  }

  /** Goes on where another examiner of the same spec was. */
  goOn({ claims, suspects }: Pick<Position, "claims" | "suspects">, violations: ReadonlyArray<Violation>): void {
    for (const claim of [...this.claims.keys()]) if (!claims.includes(claim)) this.claims.delete(claim)
    for (const state of suspects) this.suspects.add(state)
    for (const { property } of violations) this.#violated.add(property)
    this.violations.splice(0, this.violations.length, ...violations)
  }

  /** Looks at a new state, which is at `t`. */
  meet(state: number): void {
    const { machine, symmetry } = this.#compiled
    const evaluated = machine.evaluations
    this.lookAt({ state })
    for (const [claim, conjuncts] of this.claims) {
      if (conjuncts.every((conjunct) => conjunct.answer(machine.reader.width))) this.claims.delete(claim)
    }
    if (symmetry === undefined) return
    this.#newValue = this.#hasNewValue()
    if (this.#newValue || machine.evaluations !== evaluated) this.suspects.add(state)
  }

  /** Looks at the invariants of the state at `t`. */
  lookAt(where: Where): void {
    const { invariants, machine } = this.#compiled
    for (const conjunct of invariants) {
      if (!conjunct.answer(machine.reader.width)) this.#note(violationOf(conjunct, where))
    }
  }

  /** Looks at the step from a state, which is at 0, to the one at `t`. */
  lookAtStep(state: number): void {
    const { machine, stepProperties, symmetry } = this.#compiled
    const { rows, width } = machine.reader
    const evaluated = machine.evaluations
    for (const conjunct of stepProperties) {
      if (!conjunct.answer(0)) this.#note(violationOf(conjunct, { state, next: rows.slice(width) }))
    }
    if (symmetry !== undefined && (this.#newValue || machine.evaluations !== evaluated)) {
      symmetry.checkStep(rows.slice(0, width), rows.slice(width), stepProperties)
    }
    this.#newValue = false
  }

  /** Looks at a state, which is at 0, in which nothing is enabled, or nothing but what the environment does. */
  lookAtStuck(state: number, enabled: boolean): void {
    for (const conjunct of this.#compiled.whenStuck) {
      if (!conjunct.answer(0)) this.#note(violationOf(conjunct, { state }))
    }
    if (!enabled && this.#compiled.spec.deadlock === "error") {
      this.#note({ kind: "deadlock", property: DEADLOCK, state })
    }
  }

  /**
   * Compares a state with its images under symmetry when something was run on it that had not been run before, and now
   * and then. Throws `InvalidSpec` when the spec tells them apart.
   */
  compareImages(state: number, ranAnew: boolean): void {
    const compiled = this.#compiled
    const { symmetry, invariants, whenStuck, sometimes, constraint } = compiled
    const suspect = ranAnew || this.suspects.delete(state)
    if (!suspect && state % CHECKED_ONE_IN !== 0) return
    const predicates = [...invariants, ...whenStuck, ...sometimes, ...constraint]
    const which = suspect ? "all" : state / CHECKED_ONE_IN
    symmetry?.checkState(this.#table.row(state), { steps: (row) => stepsFrom(compiled, row), predicates }, which)
  }

  /**
   * Compares what constraints say of the step from the state at 0 to the one at `t` with what they say of its images
   * under symmetry. A state outside the model is met nowhere else, so it is compared with its images here. Throws
   * `InvalidSpec` when the spec tells them apart.
   */
  compareBounds(outside: boolean, ranAnew: boolean): void {
    const { machine, symmetry, invariants, constraint, actionConstraint } = this.#compiled
    if (symmetry === undefined || this.ended) return
    if (outside) this.#newValue = this.#hasNewValue()
    if (!ranAnew && !this.#newValue) return
    const { rows, width } = machine.reader
    const [from, to] = [rows.slice(0, width), rows.slice(width)]
    if (actionConstraint.length > 0) symmetry.checkStep(from, to, actionConstraint)
    if (outside) symmetry.checkState(to, { steps: () => [], predicates: [...constraint, ...invariants] }, "all")
    rows.set(from, 0)
    rows.set(to, width)
  }

  /** Whether a variable has a value at `t` that it had nowhere before: something may read it in an image alone. */
  #hasNewValue(): boolean {
    const { rows, width } = this.#compiled.machine.reader
    let found = false
    for (let column = 0; column < width; column++) {
      const id = rows[width + column]!
      const met = this.#met[column]!
      if (met[id] === true) continue
      met[id] = true
      found = true
    }
    return found
  }

  /** Only the first violation of a property is kept, and when the search stops at the first, only that one. */
  #note(violation: Violation): void {
    if (this.ended || this.#violated.has(violation.property)) return
    const first = this.#stopAtFirst ? this.#nearest(violation) : violation
    this.ended = this.#stopAtFirst
    this.#violated.add(first.property)
    this.violations.push(first)
  }

  /** A stuck state of this level is nearer than a violation one step on, but is noticed only when it is expanded. */
  #nearest(violation: Violation): Violation {
    if (violation.kind === "stuck" || violation.kind === "deadlock") return violation
    const { from, to } = this.#level()
    return stuckAmong(this.#compiled, this.#table, from, to) ?? violation
  }
}
