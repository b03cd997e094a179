/**
 * Partial-order reduction: of steps that commute, one order is explored.
 *
 * In each state a *stubborn set* of action instances is chosen: it has an enabled one that is not the environment's; with
 * an enabled instance it has all those that depend on it; with one that is not enabled, all those that may write what it
 * may read. Only the enabled instances of the set are taken, if none of them may write what a property looks at, and if
 * one of their steps leads to a state that is still to be expanded: otherwise all are.
 *
 * Why verdicts are kept. Take a behaviour from a state to a violation. If it has an instance of the set, the first of them
 * is enabled already and commutes to the front, so the rest is shorter. If it has none, a step of the set is taken first:
 * it changes nothing that the violated property sees, and leads to a state that is expanded later, which can go on only
 * finitely often. A stuck state has no enabled instance that is not the environment's, so that the behaviour to it does
 * contain one of the set, and it is reached itself. Lengths and counts are not kept.
 *
 * Which instances depend on each other is taken from {@link reach}, and holds of every reachable state, visited or not.
 * Properties of behaviours, action constraints and symmetry are not combined with it.
 *
 * @module
 */
import type { ActionUnit } from "./ActionUnit.ts"
import type { Compiled } from "./Compile.ts"
import { type Reach, reach } from "./Reach.ts"
import { InvalidSpec } from "./SpecError.ts"

const meets = (a: ReadonlySet<number>, b: ReadonlySet<number>): boolean => {
  for (const column of a) if (b.has(column)) return true
  return false
}

/** Chooses what to take in a state. */
export class PartialOrder {
  /** Why no reduction is possible; absent when one is. */
  readonly refused: string | undefined
  /** States in which not everything was taken, and the enabled instances that were left out there. */
  reduced = 0
  skipped = 0
  readonly #units: ReadonlyArray<ActionUnit>
  readonly #visible: ReadonlyArray<boolean>
  readonly #dependent: ReadonlyArray<ReadonlyArray<number>>
  /** By unit, those that may write what it may read. */
  readonly #enabling: ReadonlyArray<ReadonlyArray<number>>
  /** What was chosen, by which units are enabled. */
  readonly #chosen = new Map<string, ReadonlyArray<ActionUnit> | undefined>()

  /** Throws `InvalidSpec` for a spec with what cannot be combined with the reduction. */
  constructor(compiled: Compiled) {
    refuse(compiled)
    const { units } = compiled
    this.#units = units
    const known: Reach = reach(compiled)
    this.refused = known._tag === "Unknown" ? known.why : undefined
    const touch = known._tag === "Unknown" ? [] : known.units
    const visible = known._tag === "Unknown" ? new Set<number>() : known.visible
    this.#visible = touch.map(({ writes }) => meets(writes, visible))
    this.#dependent = touch.map((a) =>
      touch.flatMap((b, other) =>
        meets(a.writes, b.reads) || meets(a.writes, b.writes) || meets(b.writes, a.reads) ? [other] : []
      )
    )
    this.#enabling = touch.map(({ reads }) => touch.flatMap((b, other) => (meets(b.writes, reads) ? [other] : [])))
  }

  /** What to take first in the state in the reader; undefined when everything has to be taken. */
  choose(): ReadonlyArray<ActionUnit> | undefined {
    if (this.refused !== undefined) return undefined
    const enabled = this.#units.map((unit) => unit.answer() !== 0)
    const key = enabled.map(Number).join("")
    if (!this.#chosen.has(key)) this.#chosen.set(key, this.#smallest(enabled))
    return this.#chosen.get(key)
  }

  #smallest(enabled: ReadonlyArray<boolean>): ReadonlyArray<ActionUnit> | undefined {
    let best: ReadonlyArray<number> | undefined
    for (const [first, unit] of this.#units.entries()) {
      if (!enabled[first] || unit.environment) continue
      const taken = [...this.#stubborn(first, enabled)].filter((number) => enabled[number])
      if (taken.some((number) => this.#visible[number])) continue
      if (best === undefined || taken.length < best.length) best = taken
    }
    if (best === undefined || best.length === enabled.filter(Boolean).length) return undefined
    return best.map((number) => this.#units[number]!)
  }

  #stubborn(first: number, enabled: ReadonlyArray<boolean>): ReadonlySet<number> {
    const set = new Set([first])
    for (const number of set) {
      for (const other of (enabled[number] ? this.#dependent : this.#enabling)[number]!) set.add(other)
    }
    return set
  }
}

const refuse = ({ spec, temporal, actionConstraint, symmetry }: Compiled): void => {
  const invalid = (what: string, remedy: string): InvalidSpec =>
    new InvalidSpec({
      spec: spec.name,
      site: "partial-order reduction",
      problem: `it cannot be combined with ${what}`,
      remedy,
      state: ""
    })
  if (temporal.length > 0) {
    throw invalid(`properties of behaviours, such as ${temporal[0]!.name}`, "Check them without the reduction.")
  }
  if (actionConstraint.length > 0) throw invalid("an action constraint", "Use a state constraint, or no reduction.")
  if (symmetry !== undefined) throw invalid("symmetry", "Switch one of the two off.")
}
