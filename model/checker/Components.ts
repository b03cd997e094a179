/**
 * Fair components: the parts of a graph that a fair behaviour can stay in for ever.
 *
 * A behaviour that goes on for ever ends up in one strongly connected component, or stutters in one state. A component
 * can be stayed in fairly when
 *
 * - for each weakly fair action, some state of it does not enable the action, or the action takes an edge inside it;
 * - for each strongly fair action, no state of it enables the action, or the action takes an edge inside it. Otherwise
 *   the states that enable the action cannot be visited for ever: they are taken away, and what is left is decomposed
 *   again.
 *
 * Each decomposition takes away states for at least one more condition, so the whole is polynomial in the size of the
 * graph and the number of conditions, where expanding the conditions into disjunctive normal form is not.
 *
 * Stuttering is an edge from each state to itself that no action takes, so that a single state is a component like any
 * other.
 *
 * @module
 */
import { conditionsByUnit, type FairnessCondition } from "./Fairness.ts"
import { type Graph, OUTSIDE, PAUSE, type Region } from "./Graph.ts"

/** What to look for. */
export interface Search {
  readonly graph: Graph
  readonly conditions: ReadonlyArray<FairnessCondition>
  readonly units: number
  /** The states to stay in. Its labels are the search's to change; none may be more than `within`. */
  readonly region: Region
  /** States of which a component must have at least one; any component will do without. */
  readonly accepted?: (state: number) => boolean
  /** Called with each fair component; what it is given is valid only during the call. */
  readonly found: (component: Component) => void
}

/** A fair component. */
export interface Component {
  readonly states: Int32Array
  /** The component as a region. */
  readonly region: Region
}

/** Finds every maximal fair component; yields now and then. An allocation that fails throws a `RangeError`. */
export function* fairComponents(search: Search): Generator<void, void> {
  const { graph, region } = search
  const decomposition = new Decomposition(search)
  const members: Array<number> = []
  for (let state = 0; state < graph.states; state++) if (region.labels[state] === region.within) members.push(state)
  decomposition.later.push({ states: Int32Array.from(members), label: region.within })
  for (let part = decomposition.later.pop(); part !== undefined; part = decomposition.later.pop()) {
    yield* decomposition.decompose(part.states, part.label)
  }
}

class Decomposition {
  /** Parts that are still to be decomposed. */
  readonly later: Array<{ readonly states: Int32Array; readonly label: number }> = []
  readonly #search: Search
  readonly #conditionsOf: ReadonlyArray<ReadonlyArray<number>>
  /** The order in which the states of the part at hand were met, from 1; 0 for a state that was not. */
  readonly #order: Int32Array
  readonly #low: Int32Array
  /** The next edge of each state to look at. */
  readonly #next: Uint32Array
  /** The states of components that are not complete, and those on the way to the state at hand. */
  readonly #open: Int32Array
  readonly #way: Int32Array
  #lastLabel: number
  // By condition: the states of the component at hand that enable it, and whether an edge inside it is one of its steps.
  readonly #enabling: Int32Array
  readonly #taken: Uint8Array
  readonly #stamps: Int32Array
  #stamp = 0

  constructor(search: Search) {
    const { graph, conditions, region, units } = search
    this.#search = search
    this.#conditionsOf = conditionsByUnit(conditions, units)
    this.#order = new Int32Array(graph.states)
    this.#low = new Int32Array(graph.states)
    this.#next = new Uint32Array(graph.states)
    this.#open = new Int32Array(graph.states)
    this.#way = new Int32Array(graph.states)
    this.#lastLabel = region.within
    this.#enabling = new Int32Array(conditions.length)
    this.#taken = new Uint8Array(conditions.length)
    this.#stamps = new Int32Array(conditions.length)
  }

  /** Tarjan's algorithm on the states with a label, without recursion. */
  *decompose(states: Int32Array, label: number): Generator<void, void> {
    const { first, targets } = this.#search.graph
    const { labels } = this.#search.region
    const order = this.#order
    const low = this.#low
    const next = this.#next
    const open = this.#open
    const way = this.#way
    let met = 0
    let opened = 0
    let work = 0
    for (const root of states) {
      if (labels[root] !== label || order[root] !== 0) continue
      let deep = 0
      const enter = (state: number): void => {
        order[state] = ++met
        low[state] = met
        next[state] = first[state]!
        open[opened++] = state
        way[deep++] = state
      }
      enter(root)
      while (deep > 0) {
        if (++work % PAUSE === 0) yield
        const state = way[deep - 1]!
        const end = first[state + 1]!
        let edge = next[state]!
        let down = OUTSIDE
        while (edge < end && down === OUTSIDE) {
          const target = targets[edge++]!
          if (target === OUTSIDE || labels[target] !== label) continue
          if (order[target] === 0) down = target
          else if (order[target]! < low[state]!) low[state] = order[target]!
        }
        next[state] = edge
        if (down !== OUTSIDE) {
          enter(down)
          continue
        }
        deep--
        if (deep > 0 && low[state]! < low[way[deep - 1]!]!) low[way[deep - 1]!] = low[state]!
        if (low[state] !== order[state]) continue
        let start = opened
        do start--
        while (open[start] !== state)
        this.#close(open.subarray(start, opened))
        opened = start
      }
    }
  }

  /** Decides on a complete component. Its states get another label, so that no later edge leads into it. */
  #close(states: Int32Array): void {
    const { labels } = this.#search.region
    const { conditions, accepted, found } = this.#search
    const label = ++this.#lastLabel
    for (const state of states) labels[state] = label
    if (accepted !== undefined && !states.some(accepted)) return
    this.#count(states, label)
    const excluded = new Set<number>()
    for (const [condition, { strength }] of conditions.entries()) {
      if (this.#taken[condition] === 1) continue
      if (strength === "weak" && this.#enabling[condition] === states.length) return
      if (strength === "strong" && this.#enabling[condition]! > 0) excluded.add(condition)
    }
    if (excluded.size === 0) found({ states, region: { labels, within: label } })
    else this.#takeAway(states, excluded)
  }

  /** Decomposes again what is left without the states that enable a condition that cannot be met. */
  #takeAway(states: Int32Array, excluded: ReadonlySet<number>): void {
    const { labels } = this.#search.region
    const label = ++this.#lastLabel
    const left = states.filter((state) => !this.#enables(state, excluded))
    for (const state of left) {
      labels[state] = label
      this.#order[state] = 0
    }
    if (left.length > 0) this.later.push({ states: left, label })
  }

  #enables(state: number, conditions: ReadonlySet<number>): boolean {
    const { first, units } = this.#search.graph
    for (let edge = first[state]!; edge < first[state + 1]!; edge++) {
      if (this.#conditionsOf[units[edge]!]!.some((condition) => conditions.has(condition))) return true
    }
    return false
  }

  #count(states: Int32Array, label: number): void {
    const { first, targets, units } = this.#search.graph
    const { labels } = this.#search.region
    this.#enabling.fill(0)
    this.#taken.fill(0)
    for (const state of states) {
      this.#stamp++
      for (let edge = first[state]!; edge < first[state + 1]!; edge++) {
        const target = targets[edge]!
        const inside = target !== OUTSIDE && labels[target] === label
        for (const condition of this.#conditionsOf[units[edge]!]!) {
          if (inside) this.#taken[condition] = 1
          if (this.#stamps[condition] === this.#stamp) continue
          this.#stamps[condition] = this.#stamp
          this.#enabling[condition]!++
        }
      }
    }
  }
}
