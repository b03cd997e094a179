/**
 * The states that were explored, as a graph: what liveness is decided on.
 *
 * An edge is a step that changes something, with the unit that takes it. Edges are worked out once, from the successors
 * kept by footprint, and lie in three typed arrays (the first edge of each state, targets, units): six bytes an edge,
 * where a state's row takes four for each of its columns. Working them out anew costs about as much as exploring did,
 * and every property needs them several times.
 *
 * @module
 */
import type { Compiled } from "./Compile.ts"
import { contribution, hashRow, type StateTable } from "./StateTable.ts"

/** The target of an edge whose state was left out of the exploration. Its unit is enabled all the same. */
export const OUTSIDE = -1

/** How much work a search does before it lets others run. */
export const PAUSE = 4096

/** What was explored. */
export interface Explored {
  readonly compiled: Compiled
  readonly table: StateTable
  /** States 0 up to this one, exclusive, were expanded: all their successors are known. */
  readonly expanded: number
  /** Their transitions, those that change nothing included. */
  readonly generated: number
}

/** The graph of the states that were expanded. */
export interface Graph {
  readonly states: number
  /** The edges of state s are numbered from `first[s]` up to `first[s + 1]`, exclusive. */
  readonly first: Uint32Array
  readonly targets: Int32Array
  readonly units: Uint16Array | Int32Array
  /** Steps from an initial state, by state; never less than that of a state with a smaller number. */
  readonly depth: Int32Array
}

/** Works out the graph; yields now and then. An allocation that fails throws a `RangeError`. */
export function* graphOf({ compiled, table, expanded, generated }: Explored): Generator<void, Graph> {
  const { machine, units, actionConstraint } = compiled
  const { rows, width } = machine.reader
  const first = new Uint32Array(expanded + 1)
  const targets = new Int32Array(generated)
  const labels = units.length <= 0xffff ? new Uint16Array(generated) : new Int32Array(generated)
  const depth = new Int32Array(expanded)
  let edges = 0
  for (let state = 0; state < expanded; state++) {
    if (state % PAUSE === 0) yield
    first[state] = edges
    const parent = table.parent(state)
    depth[state] = parent < 0 ? 0 : depth[parent]! + 1
    table.load(state, rows, 0)
    table.load(state, rows, width)
    const hash = hashRow(rows, 0, width)
    for (let unit = 0; unit < units.length; unit++) {
      const place = units[unit]!.answer()
      if (place === 0) continue
      const { data } = machine.successors
      let at = place + 1
      for (let successor = data[place]!; successor > 0; successor--) {
        const begin = at + 2
        const end = begin + 2 * data[at + 1]!
        let nextHash = hash
        for (at = begin; at < end; at += 2) {
          const column = data[at]!
          const id = data[at + 1]!
          nextHash ^= contribution(column, rows[width + column]!) ^ contribution(column, id)
          rows[width + column] = id
        }
        const target = table.find(rows, width, nextHash)
        if (target !== state) {
          const inside = target < expanded && actionConstraint.every((conjunct) => conjunct.answer(0))
          targets[edges] = inside ? target : OUTSIDE
          labels[edges++] = unit
        }
        for (let undo = begin; undo < end; undo += 2) rows[width + data[undo]!] = rows[data[undo]!]!
      }
    }
  }
  first[expanded] = edges
  return { states: expanded, first, targets, units: labels, depth }
}

/** The part of a graph that a search may move in: a state is inside when its label is `within`. */
export interface Region {
  readonly labels: Int32Array
  readonly within: number
}

/** A shortest way, as the edges taken. */
export interface Way {
  readonly states: ReadonlyArray<number>
  readonly edges: ReadonlyArray<number>
}

/**
 * A shortest way inside a region from a state to the nearest that is wanted, or over the nearest edge that is wanted.
 * The way lists the states after the first. Answers undefined when there is none.
 */
export const nearest = (
  { first, targets }: Graph,
  { labels, within }: Region,
  from: number,
  wanted: { readonly state: (state: number) => boolean; readonly edge: (edge: number) => boolean }
): Way | undefined => {
  const reached = new Map<number, readonly [from: number, edge: number]>()
  const seen = new Set([from])
  const queue = [from]
  const wayTo = (state: number, edge: number, target: number): Way => {
    const states = [target]
    const edges = [edge]
    for (let at = state; at !== from; ) {
      const [before, by] = reached.get(at)!
      states.unshift(at)
      edges.unshift(by)
      at = before
    }
    return { states, edges }
  }
  if (wanted.state(from)) return { states: [], edges: [] }
  for (const state of queue) {
    for (let edge = first[state]!; edge < first[state + 1]!; edge++) {
      const target = targets[edge]!
      if (target === OUTSIDE || labels[target] !== within) continue
      if (wanted.edge(edge) || wanted.state(target)) return wayTo(state, edge, target)
      if (seen.has(target)) continue
      seen.add(target)
      reached.set(target, [state, edge])
      queue.push(target)
    }
  }
  return undefined
}
