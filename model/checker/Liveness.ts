/**
 * Properties of whole behaviours, decided on the graph of the states that were explored.
 *
 * For each property: mark the states by its predicates; keep the region in which a behaviour that violates it must stay;
 * find the fair components of that region; of those, take the one that is reached soonest.
 *
 *     eventually P         stem and cycle where P is false
 *     always eventually P  any stem, cycle where P is false
 *     eventually always P  any stem, any cycle with a state where P is false
 *     P leads to Q         any stem to a state of P without Q; from there on, stem and cycle where Q is false
 *
 * @module
 */
import type { Compiled } from "./Compile.ts"
import { fairComponents } from "./Components.ts"
import type { Conjunct } from "./Conjunct.ts"
import { type Explored, type Graph, graphOf, OUTSIDE, PAUSE, type Region } from "./Graph.ts"
import { type Cycle, Cycles } from "./Lasso.ts"
import type { TemporalProperty } from "./Temporal.ts"

/** A property of behaviours that fails, with a fair behaviour that shows it, by numbers of states. */
export interface TemporalViolation {
  readonly property: TemporalProperty
  /** From an initial state to the first state of the cycle. */
  readonly stem: ReadonlyArray<number>
  readonly cycle: Cycle
  /** For `leadsTo`: the place in the stem of the state from which what should follow does not. */
  readonly since?: number
}

/** What was found about the properties of behaviours. */
export interface LivenessFound {
  readonly violations: ReadonlyArray<TemporalViolation>
  /** The properties that were looked at: each that is not among the violations holds, if everything was explored. */
  readonly decided: ReadonlySet<string>
  /** The `leadsTo` properties of which no state satisfies what has to hold first. */
  readonly vacuous: ReadonlyArray<string>
  readonly cycles: Cycles
}

/** Decides the properties of a spec, one by one; yields now and then the name of the one at hand. */
export function* liveness(
  explored: Explored,
  options: { readonly stopAtFirst: boolean }
): Generator<string, LivenessFound> {
  const { compiled } = explored
  const violations: Array<TemporalViolation> = []
  const decided = new Set<string>()
  const vacuous: Array<string> = []
  const graph = yield* named("the graph of the states", graphOf(explored))
  const cycles = new Cycles(graph, compiled.fairness, compiled.units.length)
  for (const property of compiled.temporal) {
    const decision = new Decision(explored, graph, cycles, property)
    const violation = yield* named(property.name, decision.decide())
    decided.add(property.name)
    if (decision.vacuous) vacuous.push(property.name)
    if (violation === undefined) continue
    violations.push(violation)
    if (options.stopAtFirst) break
  }
  return { violations, decided, vacuous, cycles }
}

function* named<A>(name: string, work: Generator<void, A>): Generator<string, A> {
  for (;;) {
    const { done, value } = work.next()
    if (done === true) return value
    yield name
  }
}

/** In small components, cycles from this many states are compared for the shortest lasso. */
const STARTS = 64
const SMALL = 2000

const HOLDS = 1
const WHEN = 2
const NOWHERE = -1

/** One property, being decided. */
class Decision {
  readonly #compiled: Compiled
  readonly #explored: Explored
  readonly #graph: Graph
  readonly #cycles: Cycles
  readonly #property: TemporalProperty
  readonly #marks: Uint8Array
  /** Steps from an initial state, by a way that a violating behaviour may take; NOWHERE without one. */
  #distance: Int32Array
  /** The state before, on that way inside the region; NOWHERE where the region is entered. */
  #before: Int32Array | undefined
  #antecedent = false

  constructor(explored: Explored, graph: Graph, cycles: Cycles, property: TemporalProperty) {
    this.#compiled = explored.compiled
    this.#explored = explored
    this.#graph = graph
    this.#cycles = cycles
    this.#property = property
    this.#marks = new Uint8Array(graph.states)
    this.#distance = graph.depth
  }

  /** Whether what has to hold first never does. */
  get vacuous(): boolean {
    return this.#property.form === "leadsTo" && !this.#antecedent
  }

  *decide(): Generator<void, TemporalViolation | undefined> {
    yield* this.#mark()
    const region = yield* this.#region()
    const { form } = this.#property
    const accepted = form === "eventuallyAlways" ? (state: number) => !this.#holds(state) : () => true
    const choice = new Choice(this.#distance, (state) => accepted(state) && this.#cycles.canStutter(state))
    yield* fairComponents({
      graph: this.#graph,
      conditions: this.#compiled.fairness,
      units: this.#compiled.units.length,
      region,
      ...(form === "eventuallyAlways" ? { accepted } : {}),
      found: (component) => choice.offer(component.states)
    })
    return choice.states === undefined ? undefined : this.#lasso(choice.states, choice.stutter, region, accepted)
  }

  #holds(state: number): boolean {
    return (this.#marks[state]! & HOLDS) !== 0
  }

  *#mark(): Generator<void, void> {
    const { rows } = this.#compiled.machine.reader
    const { holds, when, form } = this.#property
    const all = (conjuncts: ReadonlyArray<Conjunct>): boolean => conjuncts.every((conjunct) => conjunct.answer(0))
    for (let state = 0; state < this.#graph.states; state++) {
      if (state % PAUSE === 0) yield
      this.#explored.table.load(state, rows, 0)
      const antecedent = form === "leadsTo" && all(when)
      if (antecedent) this.#antecedent = true
      this.#marks[state] = (all(holds) ? HOLDS : 0) | (antecedent ? WHEN : 0)
    }
  }

  /** The states that a violating behaviour may stay in for ever, with the ways to them. */
  *#region(): Generator<void, Region> {
    const { states, depth } = this.#graph
    const labels = new Int32Array(states)
    const { form } = this.#property
    if (form === "eventuallyAlways" || form === "alwaysEventually") {
      for (let state = 0; state < states; state++) {
        if (form === "eventuallyAlways" || !this.#holds(state)) labels[state] = 1
      }
      return { labels, within: 1 }
    }
    this.#distance = new Int32Array(states).fill(NOWHERE)
    this.#before = new Int32Array(states).fill(NOWHERE)
    const enters = (state: number): boolean =>
      !this.#holds(state) && (form === "leadsTo" ? (this.#marks[state]! & WHEN) !== 0 : depth[state] === 0)
    yield* this.#spread(labels, enters)
    return { labels, within: 1 }
  }

  /** Breadth first through the states where the property's predicate is false, from those that enter the region. */
  *#spread(labels: Int32Array, enters: (state: number) => boolean): Generator<void, void> {
    const { states, first, targets, depth } = this.#graph
    const distance = this.#distance
    const before = this.#before!
    const queue = new Int32Array(states)
    let end = 0
    let head = 0
    // States are numbered in the order of their depth, so that those that enter the region are a second queue.
    let entry = 0
    for (let work = 1; ; work++) {
      if (work % PAUSE === 0) yield
      while (entry < states && (distance[entry] !== NOWHERE || !enters(entry))) entry++
      let state: number
      if (entry < states && (head === end || depth[entry]! <= distance[queue[head]!]!)) {
        state = entry++
        distance[state] = depth[state]!
        labels[state] = 1
      } else if (head < end) state = queue[head++]!
      else return
      for (let edge = first[state]!; edge < first[state + 1]!; edge++) {
        const target = targets[edge]!
        if (target === OUTSIDE || distance[target] !== NOWHERE || this.#holds(target)) continue
        distance[target] = distance[state]! + 1
        before[target] = state
        labels[target] = 1
        queue[end++] = target
      }
    }
  }

  /** The shortest lasso through the component that was chosen, or that stutters. */
  #lasso(
    states: Int32Array,
    stutter: number,
    { labels }: Region,
    accepted: (state: number) => boolean
  ): TemporalViolation {
    labels.fill(0)
    for (const state of states) labels[state] = 1
    const starts = states.toSorted((a, b) => this.#distance[a]! - this.#distance[b]! || a - b)
    const tried = starts.subarray(0, starts.length <= SMALL ? STARTS : 1)
    let best: { start: number; cycle: Cycle; length: number } | undefined
    if (stutter !== NOWHERE) {
      best = { start: stutter, cycle: { states: [], edges: [] }, length: this.#distance[stutter]! }
    }
    for (const start of tried) {
      const distance = this.#distance[start]!
      if (best !== undefined && distance >= best.length) break
      const cycle = this.#cycles.find(start, { labels, within: 1 }, accepted)
      const length = distance + cycle.edges.length
      if (best === undefined || length < best.length) best = { start, cycle, length }
    }
    if (best === undefined) throw new Error("a fair component has a state")
    return { property: this.#property, cycle: best.cycle, ...this.#stem(best.start) }
  }

  #stem(start: number): Pick<TemporalViolation, "stem" | "since"> {
    const inside = [start]
    if (this.#before !== undefined) {
      for (let at = this.#before[start]!; at !== NOWHERE; at = this.#before[at]!) inside.unshift(at)
    }
    const stem = inside.slice()
    const { table } = this.#explored
    for (let at = table.parent(stem[0]!); at >= 0; at = table.parent(at)) stem.unshift(at)
    return this.#property.form === "leadsTo" ? { stem, since: stem.length - inside.length } : { stem }
  }
}

/** Of the fair components that are offered, the one reached soonest; of the states that may stutter, likewise. */
class Choice {
  states: Int32Array | undefined
  stutter = NOWHERE
  #soonest = Number.POSITIVE_INFINITY
  readonly #distance: Int32Array
  readonly #mayStutter: (state: number) => boolean

  constructor(distance: Int32Array, mayStutter: (state: number) => boolean) {
    this.#distance = distance
    this.#mayStutter = mayStutter
  }

  offer(states: Int32Array): void {
    let soonest = Number.POSITIVE_INFINITY
    for (const state of states) {
      const distance = this.#distance[state]!
      if (distance < soonest) soonest = distance
      const sooner = this.stutter === NOWHERE || distance < this.#distance[this.stutter]!
      if (sooner && this.#mayStutter(state)) this.stutter = state
    }
    const smaller = this.states === undefined || states.length < this.states.length
    if (soonest > this.#soonest || (soonest === this.#soonest && !smaller)) return
    this.#soonest = soonest
    this.states = states.slice()
  }
}
