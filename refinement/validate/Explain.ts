/**
 * A behaviour of the model that explains a trace, line by line: what a reader wants to see of a trace that is accepted,
 * and of the lines before the one that is refused.
 *
 * The search itself keeps only places, and not how it came to them, since there may be many; so the way is found again
 * from its end, among the places of each line.
 *
 * @module
 */
import { Effect } from "effect"
import type { Behaviours, SpecError } from "../../model/checker/index.ts"
import type { NumberedLine, Trace } from "../trace/Trace.ts"
import { subjectOf, type UnknownProgram } from "../Validate.ts"
import { gather, misplaced } from "./Evidence.ts"
import { frontier, initialPlace, keyOf, type Place } from "./Frontier.ts"
import { makeWalk, type Walk } from "./Walk.ts"

/** A line, and the steps of the model that explain it: hidden ones first. None for a line that is no step. */
export interface ExplainedLine {
  readonly line: NumberedLine
  readonly steps: ReadonlyArray<Behaviours.Transition>
}

/** The longest prefix of a trace that the model explains, and how. */
export interface Explanation {
  readonly behaviours: Behaviours.Behaviours
  readonly lines: ReadonlyArray<ExplainedLine>
}

/** A shortest way from one state of the model to another; a line and its hidden steps lead from one to the other. */
const wayBetween = Effect.fnUntraced(function* (
  walk: Walk,
  from: Behaviours.State,
  to: Behaviours.State
): Effect.fn.Return<ReadonlyArray<Behaviours.Transition>, SpecError> {
  const ways = new Map<Behaviours.State, ReadonlyArray<Behaviours.Transition>>([[from, []]])
  // The map grows while it is gone through.
  for (const [state, way] of ways) {
    if (state === to) return way
    for (const { transition } of yield* walk.steps(state)) {
      if (!ways.has(transition.next)) ways.set(transition.next, [...way, transition])
    }
  }
  throw new Error("a place was reached that no steps of the model lead to")
})

/** The places after each line, as far as lines can be explained. */
const placesOf = Effect.fnUntraced(function* (
  trace: Trace,
  walk: Walk,
  eager: boolean
): Effect.fn.Return<ReadonlyArray<ReadonlyArray<Place>>, SpecError> {
  const evidence = gather(trace)
  const { advance } = frontier(walk, evidence)
  const all: Array<ReadonlyArray<Place>> = [[initialPlace(walk)]]
  for (const line of trace.lines) {
    if (misplaced(line, evidence) !== undefined) break
    const reached = yield* advance(all.at(-1) ?? [], line, eager)
    const sound: Array<Place> = []
    for (const place of reached) if ((yield* walk.broken(place.from, place.state)).length === 0) sound.push(place)
    if (sound.length === 0) break
    all.push(sound)
  }
  return all
})

/** Explains as many lines of a trace as the model allows, with as few hidden steps as it needs. */
export const explain = Effect.fn("explain")(function* (
  trace: Trace
): Effect.fn.Return<Explanation, SpecError | UnknownProgram> {
  const walk = yield* makeWalk(yield* subjectOf(trace))
  const lazy = yield* placesOf(trace, walk, false)
  const eager = lazy.length <= trace.lines.length
  const again = eager ? yield* placesOf(trace, walk, true) : lazy
  const isLonger = again.length > lazy.length
  const places = isLonger ? again : lazy
  const { advance } = frontier(walk, gather(trace))

  let here = places.at(-1)?.toSorted((a, b) => a.hidden - b.hidden)[0] ?? initialPlace(walk)
  const lines: Array<ExplainedLine> = []
  for (let at = places.length - 1; at > 0; at--) {
    const line = trace.lines[at - 1]!
    const key = keyOf(here)
    let before: Place | undefined
    for (const place of places[at - 1]!.toSorted((a, b) => a.hidden - b.hidden)) {
      const reached = yield* advance([place], line, isLonger && eager)
      if (!reached.some((one) => keyOf(one) === key)) continue
      before = place
      break
    }
    if (before === undefined) throw new Error(`line ${line.number} was explained, and now it is not`)
    lines.unshift({ line, steps: yield* wayBetween(walk, before.state, here.state) })
    here = before
  }
  return { behaviours: walk.behaviours, lines }
})
