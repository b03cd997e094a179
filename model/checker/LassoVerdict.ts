/**
 * A behaviour without end that is given and not searched for: is it fair, and which properties of behaviours does it
 * violate?
 *
 * It is a stem and a cycle of states. A step of it is a step of every action that leads from the one state to the other,
 * as ⟨A⟩_v is about states and not about names.
 *
 * @module
 */
import type { ActionUnit } from "./ActionUnit.ts"
import type { Compiled } from "./Compile.ts"
import type { Conjunct } from "./Conjunct.ts"
import { movesOf, sameRow } from "./Path.ts"
import { type Failure, failureOf } from "./Verdict.ts"

/** What is true of a lasso. */
export interface LassoVerdict {
  /** The conditions that it is not fair to: `Enter(w = 1) (strongly)`. */
  readonly unfair: ReadonlyArray<string>
  /** The properties of behaviours that fail on it, and the place in stem and cycle of the state that shows it. */
  readonly broken: ReadonlyArray<Failure & { readonly at: number }>
}

/** Judges a lasso by the rows of its states. The last state of the cycle leads to its first, or stays in it. */
export const judgeLasso = (
  compiled: Compiled,
  stem: ReadonlyArray<Int32Array>,
  cycle: ReadonlyArray<Int32Array>
): LassoVerdict => {
  const movesFrom = cycle.map((row) => {
    const moves = new Map<number, ReadonlyArray<Int32Array>>()
    return (unit: number): ReadonlyArray<Int32Array> => {
      const known = moves.get(unit) ?? movesOf(compiled, unitAt(compiled, unit), row).map((move) => move.row)
      moves.set(unit, known)
      return known
    }
  })
  const unfair = compiled.fairness.filter(({ strength, units }) => {
    const taken = movesFrom.some((moves, i) => {
      const next = cycle[(i + 1) % cycle.length]!
      return units.some((unit) => moves(unit).some((row) => sameRow(row, next)))
    })
    if (taken) return false
    const enabled = (moves: (typeof movesFrom)[number]): boolean => units.some((unit) => moves(unit).length > 0)
    return strength === "weak" ? movesFrom.every(enabled) : movesFrom.some(enabled)
  })
  return {
    unfair: unfair.map(({ label, strength }) => `${label} (${strength === "weak" ? "weakly" : "strongly"})`),
    broken: brokenOn(compiled, [...stem, ...cycle], stem.length)
  }
}

const unitAt = ({ units }: Compiled, number: number): ActionUnit => {
  const unit = units[number]
  if (unit === undefined) throw new Error(`fairness names the unit ${number}, which there is not`)
  return unit
}

const brokenOn = (
  compiled: Compiled,
  rows: ReadonlyArray<Int32Array>,
  backTo: number
): ReadonlyArray<Failure & { readonly at: number }> => {
  const { reader } = compiled.machine
  const fails = (conjunct: Conjunct, at: number): boolean => {
    reader.rows.set(rows[at]!, 0)
    return !conjunct.answer(0)
  }
  const all = [...rows.keys()]
  const round = all.slice(backTo)
  return compiled.temporal.flatMap(({ form, when, holds }) => {
    const failsAt = (at: number): boolean => holds.some((conjunct) => fails(conjunct, at))
    const never = round.every(failsAt)
    const violated = {
      eventually: () => never && all.every(failsAt),
      alwaysEventually: () => never,
      eventuallyAlways: () => round.some(failsAt),
      // Once the cycle is without it, only the stem can have what should follow.
      leadsTo: () =>
        never &&
        all.some(
          (at) => when.every((conjunct) => !fails(conjunct, at)) && all.slice(at, Math.max(at, backTo)).every(failsAt)
        )
    }[form]()
    const at = round.find(failsAt)
    if (!violated || at === undefined) return []
    // A conjunct that is false all the way round says more than one that is false now and then.
    const always = holds.find((conjunct) => round.every((state) => fails(conjunct, state)))
    const predicate = always ?? holds.find((conjunct) => fails(conjunct, at))
    if (predicate === undefined) return []
    reader.rows.set(rows[at]!, 0)
    return [{ ...failureOf(compiled, predicate), at }]
  })
}
