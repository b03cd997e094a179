/**
 * A saved trace against a spec that may have changed since: is it still a behaviour, and does anything still fail?
 *
 * A trace need not say everything that the spec knows: a variable that only one of the two has is not compared, and a
 * trace of another tool names no actions. So the replay follows all the states that agree with the trace so far, and
 * stops where none is left.
 *
 * @module
 */
import { Effect } from "effect"
import { type Behaviours, make, type State, type StateValues, type Transition } from "./Behaviours.ts"
import type { Spec, Value } from "./Language.ts"
import type { SavedStep, SavedTrace } from "./SavedTrace.ts"
import { showChange, showParameters } from "./Show.ts"
import type { SpecError } from "./SpecError.ts"
import { NotAValue, Values } from "./Values.ts"
import type { Failure } from "./Verdict.ts"

/** What of a trace is followed: its actions with their parameters, its states, or both. */
export type Follow = "both" | "actions" | "states"

/** A property that fails on the way, and the number of the state in which, or of the step on which it does. */
export interface ReplayedFailure extends Failure {
  readonly at: number
}

/** Where a trace stops being a behaviour. */
export interface Stop {
  /** The number of the state that is not reached; 0 when no initial state is that of the trace. */
  readonly at: number
  /** The step that the trace takes there, when it says so. */
  readonly step?: string
  /** Why, in one sentence. */
  readonly reason: string
  /** What the spec does instead of what the trace says, a line for each difference; `trace → spec`. */
  readonly differences: ReadonlyArray<string>
  /** The state before it, and the steps that are enabled there. */
  readonly from?: StateValues
  readonly enabled: ReadonlyArray<string>
}

/** What a replay found. */
export interface Replay {
  /** Steps of the trace that were followed, and those that it has. */
  readonly followed: number
  readonly steps: number
  /** Absent when the whole trace is a behaviour. */
  readonly stop?: Stop
  /** What fails in the part that was followed, in order. */
  readonly failures: ReadonlyArray<ReplayedFailure>
  /** What could not be compared, a sentence each. */
  readonly remarks: ReadonlyArray<string>
}

/** Replays a saved trace against a spec. */
export const replay = Effect.fn("replay")(function* (
  spec: Spec,
  trace: SavedTrace,
  follow: Follow = "both"
): Effect.fn.Return<Replay, SpecError> {
  const behaviours = yield* make(spec)
  const compared = follow === "actions" ? [] : trace.variables.filter((name) => name in spec.declarations)
  const agree = agreement(behaviours, compared)
  const wanted = (number: number): SavedStep | undefined =>
    follow === "states" ? undefined : trace.states[number]?.step

  /** By state number, the states that agree with the trace up to there, each with one that it was reached from. */
  const reached: Array<ReadonlyMap<State, State | undefined>> = []
  const first = behaviours.initial.filter((state) => agree.with(state, trace.states[0]!.values))
  let stop: Stop | undefined
  if (first.length > 0) reached.push(new Map(first.map((state) => [state, undefined])))
  else {
    stop = {
      at: 0,
      reason: "No initial state of the spec has these values",
      differences: agree.nearest(behaviours.initial, trace.states[0]!.values),
      enabled: []
    }
  }

  for (let number = 1; number < trace.states.length && stop === undefined; number++) {
    const { values } = trace.states[number]!
    const from = [...reached[number - 1]!.keys()]
    const next = new Map<State, State>()
    const elsewhere: Array<State> = []
    for (const state of from) {
      for (const transition of yield* behaviours.successors(state)) {
        if (!takes(spec, agree, transition, wanted(number))) continue
        if (!agree.with(transition.next, values)) elsewhere.push(transition.next)
        else if (!next.has(transition.next)) next.set(transition.next, state)
      }
      // A trace that names no action may stutter.
      if (wanted(number) === undefined && !next.has(state) && agree.with(state, values)) next.set(state, state)
    }
    if (next.size > 0) reached.push(next)
    else stop = yield* explain(behaviours, { number, from, elsewhere, step: wanted(number), values, agree })
  }

  let path = pathOf(reached)
  const broken: Array<ReplayedFailure> = []
  if (stop === undefined && trace.loop !== undefined) {
    const [last] = reached.at(-1)!.keys()
    const loop = yield* closing(spec, behaviours, agree, trace, follow, reached)
    const verdict = loop === undefined ? undefined : yield* behaviours.lasso(loop.stem, loop.cycle)
    if (loop !== undefined) path = [...loop.stem, ...loop.cycle]
    if (verdict === undefined || verdict.unfair.length > 0) {
      stop = {
        at: trace.states.length,
        ...(trace.back === undefined ? {} : { step: labelOf(trace.back) }),
        reason:
          verdict === undefined
            ? `Nothing leads back from the last state to state ${trace.loop}`
            : `The way round from state ${trace.loop} is not fair to ${verdict.unfair.join(", ")}`,
        differences: [],
        ...(last === undefined ? {} : { from: behaviours.show(path.at(-1) ?? last) }),
        enabled: last === undefined ? [] : yield* enabledIn(behaviours, path.at(-1) ?? last)
      }
    } else broken.push(...verdict.broken)
  }

  return {
    followed: Math.max(0, reached.length - 1),
    steps: trace.states.length - 1,
    ...(stop === undefined ? {} : { stop }),
    failures: [...(yield* failuresAlong(behaviours, path, stop === undefined)), ...broken],
    remarks: remarksOn(spec, trace, follow)
  }
})

const labelOf = ({ action, parameters }: { action: string; parameters: { readonly [name: string]: Value } }): string =>
  `${action}${showParameters(parameters)}`

interface Agreement {
  /** Whether two values have the same structure. */
  readonly same: (a: unknown, b: unknown) => boolean
  readonly with: (state: State, wanted: StateValues) => boolean
  /** How the one of these states that differs least from what is wanted differs from it. */
  readonly nearest: (states: ReadonlyArray<State>, wanted: StateValues) => ReadonlyArray<string>
}

const agreement = (behaviours: Behaviours, compared: ReadonlyArray<string>): Agreement => {
  const values = new Values()
  const same: Agreement["same"] = (a, b) => {
    try {
      return values.intern(a) === values.intern(b)
    } catch (error) {
      // A value that no variable can hold is like none that one does.
      if (!(error instanceof NotAValue)) throw error
      return false
    }
  }
  const differing = (state: State, wanted: StateValues): ReadonlyArray<string> => {
    const has = behaviours.read(state)
    return compared.filter((name) => !same(has[name], wanted[name]))
  }
  return {
    same,
    with: (state, wanted) => differing(state, wanted).length === 0,
    nearest: (states, wanted) => {
      const ranked = states
        .map((state) => ({ state, names: differing(state, wanted) }))
        .toSorted((a, b) => a.names.length - b.names.length)
      const [best] = ranked
      if (best === undefined) return []
      const has = behaviours.read(best.state)
      return best.names.flatMap((name) => showChange(name, values.canonical(wanted[name]), values.canonical(has[name])))
    }
  }
}

/** Whether a transition is the step that the trace takes; parameters that the action does not have are passed over. */
const takes = (
  spec: Spec,
  { same }: Agreement,
  { action, parameters }: Transition,
  wanted: SavedStep | undefined
): boolean =>
  wanted === undefined ||
  (action === wanted.action &&
    Object.entries(wanted.parameters).every(
      ([name, value]) => !(name in (spec.actions[action]?.domains ?? {})) || same(parameters[name], value)
    ))

const enabledIn = Effect.fnUntraced(function* (behaviours: Behaviours, state: State) {
  const transitions = yield* behaviours.successors(state)
  return [...new Set(transitions.map(labelOf))]
})

const explain = Effect.fnUntraced(function* (
  behaviours: Behaviours,
  at: {
    readonly number: number
    readonly from: ReadonlyArray<State>
    readonly elsewhere: ReadonlyArray<State>
    readonly step: SavedStep | undefined
    readonly values: StateValues
    readonly agree: Agreement
  }
): Effect.fn.Return<Stop, SpecError> {
  const { number, from, elsewhere, step, agree } = at
  const [state] = from
  const label = step === undefined ? undefined : labelOf(step)
  const rivals = new Set<string>()
  for (const each of from) {
    for (const transition of yield* behaviours.successors(each)) {
      if (agree.with(transition.next, at.values)) rivals.add(labelOf(transition))
    }
  }
  const instead = rivals.size === 0 ? "" : `; but ${[...rivals].join(" and ")} leads to the state that the trace has`
  const reason =
    label === undefined
      ? "No step leads to the state that the trace has"
      : !(step!.action in behaviours.spec.actions)
        ? `The spec has no action ${step!.action}${instead}`
        : elsewhere.length > 0
          ? `${label} is enabled, and leads to another state than the trace has${instead}`
          : `${label} is not enabled${instead}`
  return {
    at: number,
    ...(label === undefined ? {} : { step: label }),
    reason,
    differences: agree.nearest([...new Set(elsewhere)], at.values),
    ...(state === undefined ? {} : { from: behaviours.show(state) }),
    enabled: state === undefined ? [] : yield* enabledIn(behaviours, state)
  }
})

/**
 * The behaviour that goes round as the trace says: from a state that it goes back to, by its steps, and by the step back
 * (or by stuttering) to that same state again.
 */
const closing = Effect.fnUntraced(function* (
  spec: Spec,
  behaviours: Behaviours,
  agree: Agreement,
  trace: SavedTrace,
  follow: Follow,
  reached: ReadonlyArray<ReadonlyMap<State, State | undefined>>
): Effect.fn.Return<
  { readonly stem: ReadonlyArray<State>; readonly cycle: readonly [State, ...Array<State>] } | undefined,
  SpecError
> {
  const loop = trace.loop ?? 0
  const steps = trace.states.slice(loop + 1).map(({ step }) => step)
  /** Where a step of the trace leads to; one that it does not name may stutter. */
  const after = Effect.fnUntraced(function* (state: State, named: SavedStep | undefined) {
    const wanted = follow === "states" ? undefined : named
    const next = (yield* behaviours.successors(state))
      .filter((transition) => takes(spec, agree, transition, wanted))
      .map((transition) => transition.next)
    return wanted === undefined ? [...next, state] : next
  })
  for (const target of reached[loop]!.keys()) {
    const round: Array<ReadonlyMap<State, State | undefined>> = [new Map([[target, undefined]])]
    for (const [i, step] of steps.entries()) {
      const next = new Map<State, State>()
      for (const state of round[i]!.keys()) {
        for (const to of yield* after(state, step)) if (reached[loop + 1 + i]!.has(to)) next.set(to, state)
      }
      round.push(next)
    }
    for (const last of round.at(-1)!.keys()) {
      if (!(yield* after(last, trace.back)).includes(target)) continue
      const [, ...others] = pathOf(round, last)
      return { stem: pathOf(reached.slice(0, loop + 1), target).slice(0, -1), cycle: [target, ...others] }
    }
  }
  return undefined
})

/** One behaviour through the states that were reached, to one of the last. */
const pathOf = (
  reached: ReadonlyArray<ReadonlyMap<State, State | undefined>>,
  last: State | undefined = reached.at(-1)?.keys().next().value
): ReadonlyArray<State> => {
  const path: Array<State> = []
  let state = last
  for (let number = reached.length - 1; number >= 0 && state !== undefined; number--) {
    path.unshift(state)
    state = reached[number]!.get(state)
  }
  return path
}

const failuresAlong = Effect.fnUntraced(function* (
  behaviours: Behaviours,
  path: ReadonlyArray<State>,
  whole: boolean
): Effect.fn.Return<ReadonlyArray<ReplayedFailure>, SpecError> {
  const failures: Array<ReplayedFailure> = []
  for (const [at, state] of path.entries()) {
    const before = path[at - 1]
    if (before !== undefined) {
      for (const failure of yield* behaviours.brokenStepProperties(before, state)) failures.push({ ...failure, at })
    }
    for (const failure of yield* behaviours.brokenInvariants(state)) failures.push({ ...failure, at })
  }
  const last = path.at(-1)
  if (whole && last !== undefined) {
    for (const failure of yield* behaviours.brokenWhenStuck(last)) failures.push({ ...failure, at: path.length - 1 })
  }
  return failures
})

const remarksOn = (spec: Spec, trace: SavedTrace, follow: Follow): ReadonlyArray<string> => {
  if (follow === "actions") return []
  const mine = Object.keys(spec.declarations)
  const gone = trace.variables.filter((name) => !mine.includes(name))
  const added = mine.filter((name) => !trace.variables.includes(name))
  const parameters = new Set(
    trace.states.flatMap(({ step }) =>
      step === undefined || !(step.action in spec.actions)
        ? []
        : Object.keys(step.parameters)
            .filter((name) => !(name in spec.actions[step.action]!.domains))
            .map((name) => `${name} of ${step.action}`)
    )
  )
  const not = (names: Iterable<string>): string => [...names].join(", ")
  return [
    ...(gone.length === 0 ? [] : [`The spec has no variable ${not(gone)}: what the trace says of it is not compared.`]),
    ...(added.length === 0 ? [] : [`The trace says nothing of the variable ${not(added)}.`]),
    ...(parameters.size === 0 ? [] : [`The spec has no parameter ${not(parameters)}: it is not compared.`])
  ]
}
