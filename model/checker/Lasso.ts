/**
 * A fair cycle through a fair component, kept short: what a violation of a property of behaviours ends in.
 *
 * The cycle is walked greedily, each time on a shortest way to the nearest state or step that something still asks for:
 * a state that does not enable a weakly fair action or a step of it, a state of the kind that the property needs. A
 * strongly fair action asks for a step only once the cycle comes by a state that enables it. Detours that turn out not
 * to be needed are cut out again.
 *
 * @module
 */
import { conditionsByUnit, type FairnessCondition } from "./Fairness.ts"
import { type Graph, nearest, type Region, type Way } from "./Graph.ts"

/** A cycle: the states after the first one up to the first one again, and the edges. Without any it is stuttering. */
export type Cycle = Way

/** How a cycle meets a condition. States are counted from 0, the first of the cycle; steps from 1. */
export type Met =
  | { readonly how: "step"; readonly step: number }
  | { readonly how: "not enabled"; readonly state: number }
  | { readonly how: "never enabled" }

/** Cycles longer than this are not searched for detours. */
const LONGEST_TO_SHORTEN = 1000

/** Decides which cycles of a graph are fair, and finds fair ones. */
export class Cycles {
  readonly #graph: Graph
  readonly #conditions: ReadonlyArray<FairnessCondition>
  readonly #conditionsOf: ReadonlyArray<ReadonlyArray<number>>

  constructor(graph: Graph, conditions: ReadonlyArray<FairnessCondition>, units: number) {
    this.#graph = graph
    this.#conditions = conditions
    this.#conditionsOf = conditionsByUnit(conditions, units)
  }

  /** The conditions that a state enables. */
  enabled(state: number): ReadonlySet<number> {
    const { first, units } = this.#graph
    const found = new Set<number>()
    for (let edge = first[state]!; edge < first[state + 1]!; edge++) {
      for (const condition of this.#conditionsOf[units[edge]!]!) found.add(condition)
    }
    return found
  }

  /** Whether fairness allows stuttering in a state for ever. */
  canStutter(state: number): boolean {
    return this.enabled(state).size === 0
  }

  /** How each condition is met by the cycle from `start`; undefined for one that is not. */
  met(start: number, cycle: Cycle): ReadonlyArray<Met | undefined> {
    const states = [start, ...cycle.states.slice(0, -1)]
    const enabled = states.map((state) => this.enabled(state))
    const steps = cycle.edges.map((edge, i) => this.#takenBy(states[i]!, edge))
    return this.#conditions.map(({ strength }, condition) => {
      const step = steps.findIndex((taken) => taken.has(condition))
      if (step >= 0) return { how: "step", step: step + 1 }
      const state = enabled.findIndex((conditions) => !conditions.has(condition))
      if (enabled.every((conditions) => !conditions.has(condition))) return { how: "never enabled" }
      return strength === "weak" && state >= 0 ? { how: "not enabled", state } : undefined
    })
  }

  /** A fair cycle in a fair component, from a state of it, by a state that is accepted. */
  find(start: number, region: Region, accepted: (state: number) => boolean): Cycle {
    const needed = new Set<number>()
    // Each round asks for steps of at least one condition more, and a fair component has steps of all it must.
    for (let round = 0; round <= this.#conditions.length; round++) {
      const cycle = this.#shorten(start, this.#walk(start, region, accepted, needed), accepted)
      const unmet = this.met(start, cycle).flatMap((how, condition) => (how === undefined ? [condition] : []))
      if (unmet.length === 0) return cycle
      for (const condition of unmet) needed.add(condition)
    }
    throw new Error("a component that was found fair has no fair cycle")
  }

  /** The conditions that the step by an edge is a step of, whichever of the actions that take the same step is meant. */
  #takenBy(from: number, edge: number): ReadonlySet<number> {
    const { first, targets, units } = this.#graph
    const found = new Set<number>()
    for (let other = first[from]!; other < first[from + 1]!; other++) {
      if (targets[other] !== targets[edge]) continue
      for (const condition of this.#conditionsOf[units[other]!]!) found.add(condition)
    }
    return found
  }

  #walk(start: number, region: Region, accepted: (state: number) => boolean, needed: ReadonlySet<number>): Cycle {
    const { units } = this.#graph
    const open = new Set(
      this.#conditions.flatMap(({ strength }, i) => (strength === "weak" || needed.has(i) ? [i] : []))
    )
    let accept = true
    const states: Array<number> = []
    const edges: Array<number> = []
    const serves = (state: number): boolean => {
      if (accept && accepted(state)) return true
      const enabled = this.enabled(state)
      for (const condition of open) {
        if (this.#conditions[condition]!.strength === "weak" && !enabled.has(condition)) return true
      }
      return false
    }
    const visit = (state: number): void => {
      if (accepted(state)) accept = false
      const enabled = this.enabled(state)
      for (const condition of open) {
        if (this.#conditions[condition]!.strength === "weak" && !enabled.has(condition)) open.delete(condition)
      }
    }
    const follow = (from: number, way: Way | undefined): number => {
      if (way === undefined) throw new Error("a component that was found fair lacks what fairness asks for")
      let at = from
      for (const [i, edge] of way.edges.entries()) {
        for (const condition of this.#takenBy(at, edge)) open.delete(condition)
        at = way.states[i]!
        visit(at)
        states.push(at)
        edges.push(edge)
      }
      return at
    }
    visit(start)
    let at = start
    while (accept || open.size > 0) {
      at = follow(
        at,
        nearest(this.#graph, region, at, {
          state: serves,
          edge: (edge) => this.#conditionsOf[units[edge]!]!.some((condition) => open.has(condition))
        })
      )
    }
    follow(at, nearest(this.#graph, region, at, { state: (state) => state === start, edge: () => false }))
    return { states, edges }
  }

  /** Cuts out parts that lead from a state back to it, as long as what is left is fair and has an accepted state. */
  #shorten(start: number, cycle: Cycle, accepted: (state: number) => boolean): Cycle {
    const good = (shorter: Cycle): boolean =>
      [start, ...shorter.states].some(accepted) && this.met(start, shorter).every((how) => how !== undefined)
    if (cycle.edges.length > LONGEST_TO_SHORTEN || !good(cycle)) return cycle
    let best = cycle
    for (let from = 0; from < best.edges.length; from++) {
      const state = from === 0 ? start : best.states[from - 1]!
      for (let to = best.edges.length; to > from; to--) {
        if (best.states[to - 1] !== state) continue
        const shorter = {
          states: best.states.toSpliced(from, to - from),
          edges: best.edges.toSpliced(from, to - from)
        }
        if (good(shorter)) {
          best = shorter
          break
        }
      }
    }
    return best
  }
}
