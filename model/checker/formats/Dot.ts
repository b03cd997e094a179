/**
 * The graph of a small spec's states, in DOT.
 *
 * A node is a state, with its variables; an edge is what leads from one to the next, with the actions that do. Initial
 * states have a double border, states in which an invariant fails (and stuck ones in which a `whenStuck` property does)
 * are red, and so are the steps that a step property forbids. Steps that change nothing are left out. A lasso is a path
 * of bold edges into a cycle of bold red ones; the state that it goes back to, or stays in, says so.
 *
 * @module
 */
import { Effect } from "effect"
import { digraph, type NodeAttributesObject, toDot } from "ts-graphviz"
import { type Behaviours, make, type State } from "../Behaviours.ts"
import type { Counterexample } from "../Counterexample.ts"
import type { Spec } from "../Language.ts"
import { showParameters } from "../Show.ts"
import type { SpecError } from "../SpecError.ts"
import { stateLines } from "./Narrative.ts"

/** A graph of states. */
export interface Drawing {
  readonly dot: string
  readonly states: number
  /** Whether states are missing because the limit was reached; those whose successors are missing are dashed. */
  readonly cut: boolean
}

const RED = "#c62828"

/** A counterexample as a path through the graph. */
interface Drawn {
  /** By the states that they lead from and to: whether a step is on the cycle. */
  readonly steps: ReadonlyMap<string, boolean>
  /** The state in which the cycle begins, and what is said of it. */
  readonly loop?: State
  readonly says: string
}

const NOTHING: Drawn = { steps: new Map(), says: "" }

const drawnOf = Effect.fnUntraced(function* (
  behaviours: Behaviours,
  { steps, property, lasso }: Counterexample
): Effect.fn.Return<Drawn, SpecError> {
  const path = yield* Effect.forEach(steps, ({ state }) => behaviours.state(state))
  const loop = lasso === undefined ? undefined : path[lasso.backTo]
  const round = lasso?.step === undefined || loop === undefined ? path : [...path, loop]
  const on = round.slice(1).map((to, i): [string, boolean] => {
    return [`${round[i]} ${to}`, lasso !== undefined && i >= lasso.backTo]
  })
  const says = `↻ ${property} fails: ${lasso?.step === undefined ? "it stays here" : "it goes round from here"} for ever`
  return { steps: new Map(on), ...(loop === undefined ? {} : { loop }), says }
})

/**
 * Draws the states that are found first, up to `limit` of them. A counterexample that is given is marked in the graph:
 * that is of use for a lasso, as what fails in a state or on a step is marked in any case.
 */
export const dot = Effect.fn("dot")(function* (
  spec: Spec,
  limit: number,
  found?: Counterexample
): Effect.fn.Return<Drawing, SpecError> {
  const behaviours = yield* make(spec)
  const { steps: path, loop, says } = found === undefined ? NOTHING : yield* drawnOf(behaviours, found)
  const order: Array<State> = behaviours.initial.slice(0, limit)
  const drawn = new Set<State>(order)
  const initial = new Set<State>(behaviours.initial)
  let cut = behaviours.initial.length > limit
  const graph = digraph({ rankdir: "TB", label: escaped(spec.name), fontname: "sans-serif" })
  graph.node({ shape: "box", fontname: "monospace", fontsize: 10 })
  graph.edge({ fontname: "sans-serif", fontsize: 9 })

  // The list grows while it is walked: this is the search's queue.
  for (const state of order) {
    const broken = [...(yield* behaviours.brokenInvariants(state)), ...(yield* behaviours.brokenWhenStuck(state))]
    const edges = new Map<State, { readonly labels: Array<string>; readonly broken: ReadonlyArray<string> }>()
    let missing = false
    for (const { action, parameters, next } of yield* behaviours.successors(state)) {
      if (next === state) continue
      if (!drawn.has(next)) {
        if (order.length >= limit) {
          missing = true
          cut = true
          continue
        }
        drawn.add(next)
        order.push(next)
      }
      const label = `${action}${showParameters(parameters)}`
      const known = edges.get(next)
      if (known === undefined) {
        const failures = yield* behaviours.brokenStepProperties(state, next)
        edges.set(next, { labels: [label], broken: failures.map(({ property }) => property) })
      } else if (!known.labels.includes(label)) known.labels.push(label)
    }
    const attributes: NodeAttributesObject = {
      label: left([
        ...stateLines(behaviours.show(state)),
        ...broken.map(({ property }) => `✗ ${property}`),
        ...(state === loop ? [says] : [])
      ]),
      ...(initial.has(state) ? { peripheries: 2 } : {}),
      ...(missing ? { style: "dashed" } : {}),
      ...(broken.length > 0 ? { color: RED, penwidth: 2 } : {})
    }
    graph.node(`s${state}`, attributes)
    for (const [next, edge] of edges) {
      const onCycle = path.get(`${state} ${next}`)
      graph.edge([`s${state}`, `s${next}`], {
        label: left([...edge.labels, ...edge.broken.map((property) => `✗ ${property}`)]),
        ...(edge.broken.length > 0 || onCycle === true ? { color: RED } : {}),
        ...(edge.broken.length > 0 || onCycle !== undefined ? { style: "bold" } : {})
      })
    }
  }
  return { dot: toDot(graph), states: order.length, cut }
})

/** In a DOT string a backslash starts an escape. The printer lets a quote alone that has one before it. */
const escaped = (text: string): string => text.replace(/[\\"]/g, "\\$&")

/** Lines that are aligned to the left. */
const left = (lines: ReadonlyArray<string>): string => lines.map((line) => `${escaped(line)}\\l`).join("")
