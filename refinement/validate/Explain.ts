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
import { attempt } from "../../model/checker/SpecError.ts"
import type { NumberedLine, Trace } from "../trace/Trace.ts"
import { subjectOf, type UnknownProgram } from "../Validate.ts"
import { gather, misplaced } from "./Evidence.ts"
import { frontier, initialPlace, keyOf, type Place } from "./Frontier.ts"
import { type Times, timesOf } from "./Times.ts"
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

/**
 * A shortest way from one state of the model to another; a line and its hidden steps lead from one to the other. Where the
 * program sleeps, time passes first; and what was decided at another time than the line's is no step that is found here.
 */
const wayBetween = (walk: Walk, from: Behaviours.State, to: Behaviours.State): ReadonlyArray<Behaviours.Transition> => {
  const { clock } = walk.values(to)
  const isTimed = walk.setting.can.wait
  const begin = isTimed && walk.values(from).clock < clock ? walk.timePassed(from, clock) : from
  const ways = new Map<Behaviours.State, ReadonlyArray<Behaviours.Transition>>([[begin, []]])
  // The map grows while it is gone through.
  for (const [state, way] of ways) {
    if (state === to) return way
    // A line is one step, and few others come before it. Without a clock nothing else can be.
    if (isTimed && way.length > MOST_STEPS) return []
    for (const transition of walk.steps(state)) {
      if (!ways.has(transition.next)) ways.set(transition.next, [...way, transition])
    }
  }
  throw new Error("a place was reached that no steps of the model lead to")
}

/** The most steps of one line that are looked for where the program sleeps. */
const MOST_STEPS = 3

/** The places after each line, as far as lines can be explained. */
const placesOf = (
  trace: Trace,
  walk: Walk,
  times: Times | undefined,
  eager: boolean
): ReadonlyArray<ReadonlyArray<Place>> => {
  const evidence = gather(trace)
  const { advance } = frontier(walk, evidence, times)
  const all: Array<ReadonlyArray<Place>> = [[initialPlace(walk, times)]]
  for (const line of trace.lines) {
    if (misplaced(line, evidence) !== undefined) break
    const reached = advance(all.at(-1) ?? [], line, eager)
    const sound = reached.filter((place) => walk.broken(place.from, place.state).length === 0)
    if (sound.length === 0) break
    all.push(sound)
  }
  return all
}

/** Explains as many lines of a trace as the model allows, with as few hidden steps as it needs. */
export const explain = Effect.fn("explain")(function* (
  trace: Trace
): Effect.fn.Return<Explanation, SpecError | UnknownProgram> {
  const { program, waits, ...rest } = yield* subjectOf(trace)
  const walk = yield* makeWalk({ program, ...(waits === undefined ? {} : { waits }), ...rest })
  const times = waits === undefined ? undefined : timesOf(trace, program, waits)
  return yield* attempt(() => explainOn(trace, walk, times))
})

const explainOn = (trace: Trace, walk: Walk, times: Times | undefined): Explanation => {
  const lazy = placesOf(trace, walk, times, false)
  const eager = lazy.length <= trace.lines.length
  const again = eager ? placesOf(trace, walk, times, true) : lazy
  const isLonger = again.length > lazy.length
  const places = isLonger ? again : lazy
  const { advance } = frontier(walk, gather(trace), times)

  let here = places.at(-1)?.toSorted((a, b) => a.hidden - b.hidden)[0] ?? initialPlace(walk, times)
  const lines: Array<ExplainedLine> = []
  for (let at = places.length - 1; at > 0; at--) {
    const line = trace.lines[at - 1]!
    const key = keyOf(here)
    const before = places[at - 1]!.toSorted((a, b) => a.hidden - b.hidden).find((place) =>
      advance([place], line, isLonger && eager).some((one) => keyOf(one) === key)
    )
    if (before === undefined) throw new Error(`line ${line.number} was explained, and now it is not`)
    lines.unshift({ line, steps: wayBetween(walk, before.state, here.state) })
    here = before
  }
  return { behaviours: walk.behaviours, lines }
}
