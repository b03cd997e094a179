/**
 * The model as the validator walks it: one compiled spec in exact detail with faults and clients unbounded, and for each
 * state its steps, with the lines that they may be.
 *
 * States are shared by every trace that is held against the same program, topology and limits, and so is what was found
 * out about them. Explorations validate thousands of traces that meet the same states.
 *
 * Everything is synchronous, and throws a `SpecError` when the model itself makes no sense.
 *
 * @module
 */
import { Effect, Result } from "effect"
import { MAX_IN_BAND_CREATION_BATCH_EVENTS } from "../../impl/runtime/LogState.ts"
import { MAX_COALESCED_RERUNS } from "../../impl/world/index.ts"
import { Behaviours, type Failure, type SpecError } from "../../model/checker/index.ts"
import { type Program, sleeps } from "../../model/programs/index.ts"
import { type Config, type Setting, setting } from "../../model/protocol/Config.ts"
import { protocol } from "../../model/protocol/Protocol.ts"
import type { State as Values } from "../../model/protocol/State.ts"
import { timePassed } from "../../model/protocol/Timers.ts"
import { project, projectCalled } from "../mapping/Project.ts"
import type { Projection } from "../mapping/Projection.ts"
import { mappingOf } from "../mapping/Table.ts"
import type { ActionName, Topology, Waits } from "../trace/Trace.ts"

/** What the model is made for. */
export interface Subject {
  readonly program: Program
  readonly topology: Topology
  readonly maxInlineSteps: number
  /** The most orchestrator deliveries that are alive at once. */
  readonly deliveries: number
  /** For a program that sleeps, and when the seconds began that keys of timers hold. */
  readonly waits?: Waits & { readonly seconds: ReadonlyArray<number> }
}

/** A step of the model as one of the lines that it may be. */
export interface Shown {
  readonly transition: Behaviours.Transition
  readonly projection: Projection
}

/** The model, walked by hand. */
export interface Walk {
  readonly setting: Setting
  readonly behaviours: Behaviours.Behaviours
  readonly initial: Behaviours.State
  readonly steps: (state: Behaviours.State) => ReadonlyArray<Behaviours.Transition>
  /** The steps that lines of one name may be. */
  readonly shows: (state: Behaviours.State, line: ActionName) => ReadonlyArray<Shown>
  /** The lines that may come next without a step. */
  readonly called: (state: Behaviours.State) => ReadonlyArray<Projection>
  readonly values: (state: Behaviours.State) => Values
  /** The state once it has become a time, in ticks of the model's clock. */
  readonly timePassed: (state: Behaviours.State, clock: number) => Behaviours.State
  /** The state as somebody sees it whose clock says this, while nothing comes due of it. */
  readonly withClock: (state: Behaviours.State, clock: number) => Behaviours.State
  /** The properties that fail on the step, and in the state that it leads to. */
  readonly broken: (from: Behaviours.State, to: Behaviours.State) => ReadonlyArray<Failure>
  /** Whether only the environment could act, and what of `whenStuck` fails then. */
  readonly stuck: (state: Behaviours.State) => { readonly isStuck: boolean; readonly failures: ReadonlyArray<Failure> }
  /** How many states have been met. */
  readonly size: () => number
}

/** How this runtime sleeps by default: a tick of a second, hops of 23 hours, and 5 seconds that are near. */
export const defaultWaits: Waits = { tickMs: 1_000, hopMs: 82_800_000, nearDueMs: 5_000 }

/** The program with sleeps in milliseconds. */
const inMilliseconds = (program: Program, tickMs: number): Program => {
  switch (program._tag) {
    case "Step":
    case "Hook":
      return program
    case "Sleep":
      return { ...program, ticks: program.ticks * tickMs }
    case "Seq":
    case "All":
    case "Race":
      return { ...program, parts: program.parts.map((part) => inMilliseconds(part, tickMs)) }
  }
}

const configOf = ({ program, topology, maxInlineSteps, deliveries, waits }: Subject): Config => {
  const { tickMs, hopMs, nearDueMs } = waits ?? defaultWaits
  const isAsleep = sleeps(program)
  return {
    program: inMilliseconds(program, tickMs),
    topology,
    maxInlineSteps,
    deliveries,
    detail: "exact",
    maxBatch: MAX_IN_BAND_CREATION_BATCH_EVENTS,
    // As every World of this project counts them, and keeps keys.
    maxReruns: MAX_COALESCED_RERUNS,
    timerKeys: "while-alive",
    ...(isAsleep
      ? {
          hopTicks: hopMs,
          nearDueTicks: nearDueMs,
          skewTicks: Number.MAX_SAFE_INTEGER,
          seconds: { ticks: 1_000, begins: waits?.seconds ?? [] }
        }
      : {}),
    budgets: {
      crashes: "unlimited",
      lapses: "unlimited",
      rejects: "unlimited",
      restarts: "unlimited",
      resumes: "unlimited",
      spareWakes: "unlimited",
      cancels: "unlimited",
      retries: "unlimited",
      fatals: "unlimited",
      throttles: "unlimited",
      handoffs: "unlimited",
      ...(isAsleep ? { earlies: "unlimited", wakeUps: "unlimited" } : {})
    }
  }
}

/** What the engine answers, or the fault of the spec thrown. */
const now = <A>(effect: Effect.Effect<A, SpecError>): A => Result.getOrThrow(Effect.runSync(Effect.result(effect)))

/** Makes the walk of a subject. Fails when the model itself makes no sense. */
export const makeWalk = (subject: Subject): Effect.Effect<Walk, SpecError> => {
  const config = configOf(subject)
  const given = setting(config)
  return Effect.map(Behaviours.make(protocol(config, "trace")), (behaviours): Walk => {
    const walked = new Map<Behaviours.State, ReadonlyArray<Behaviours.Transition>>()
    const shown = new Map<Behaviours.State, Map<ActionName, ReadonlyArray<Shown>>>()
    const called = new Map<Behaviours.State, ReadonlyArray<Projection>>()
    const values = new Map<Behaviours.State, Values>()
    const invariants = new Map<Behaviours.State, ReadonlyArray<Failure>>()
    const properties = new Map<Behaviours.State, Map<Behaviours.State, ReadonlyArray<Failure>>>()
    const clocks = new Map<string, Behaviours.State>()

    const kept = <K, A>(map: Map<K, A>, key: K, make: () => A): A => {
      const known = map.get(key)
      if (known !== undefined) return known
      const made = make()
      map.set(key, made)
      return made
    }

    // The engine validates every value against the schemas that `Values` is the type of.
    const valuesOf = (state: Behaviours.State): Values =>
      kept(values, state, () => behaviours.read(state) as unknown as Values)

    const steps = (state: Behaviours.State) => kept(walked, state, () => now(behaviours.successors(state)))

    const shows = (state: Behaviours.State, line: ActionName): ReadonlyArray<Shown> =>
      kept(
        kept(shown, state, () => new Map<ActionName, ReadonlyArray<Shown>>()),
        line,
        () => {
          const { actions } = mappingOf(line)
          return steps(state).flatMap((transition) =>
            actions.includes(transition.action)
              ? project(given, {
                  from: valuesOf(state),
                  to: valuesOf(transition.next),
                  action: transition.action,
                  parameters: transition.parameters
                }).map((projection) => ({ transition, projection }))
              : []
          )
        }
      )

    const changed = (state: Behaviours.State, update: (values: Values) => object): Behaviours.State => {
      const before = valuesOf(state)
      return now(behaviours.state({ ...before, ...update(before) }))
    }

    const withClock = (state: Behaviours.State, clock: number): Behaviours.State =>
      valuesOf(state).clock === clock
        ? state
        : kept(clocks, `${state} at ${clock}`, () => changed(state, () => ({ clock })))

    return {
      setting: given,
      behaviours,
      initial: behaviours.initial[0],
      steps,
      shows,
      called: (state) => kept(called, state, () => projectCalled(valuesOf(state))),
      values: valuesOf,
      timePassed: (state, clock) =>
        kept(clocks, `${state} until ${clock}`, () => changed(state, (before) => timePassed(before, given, clock))),
      withClock,
      broken: (from, to) => {
        const known = kept(invariants, to, () => now(behaviours.brokenInvariants(to)))
        const onStep = kept(
          kept(properties, from, () => new Map<Behaviours.State, ReadonlyArray<Failure>>()),
          to,
          () => now(behaviours.brokenStepProperties(from, to))
        )
        return onStep.length === 0 ? known : [...known, ...onStep]
      },
      stuck: (state) => ({
        isStuck: now(behaviours.isStuck(state)),
        failures: now(behaviours.brokenWhenStuck(state))
      }),
      size: behaviours.size
    }
  })
}
