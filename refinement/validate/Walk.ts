/**
 * The model as the validator walks it: one compiled spec in exact detail with faults and clients unbounded, and for each
 * state its steps with the lines that they may be.
 *
 * States are shared by every trace that is held against the same program, topology and limit, and so is what was found
 * out about them. Explorations validate thousands of traces that meet the same states.
 *
 * @module
 */
import { Effect } from "effect"
import { MAX_IN_BAND_CREATION_BATCH_EVENTS } from "../../impl/runtime/LogState.ts"
import { MAX_COALESCED_RERUNS } from "../../impl/world/index.ts"
import { Behaviours, type Failure, type SpecError } from "../../model/checker/index.ts"
import type { Program } from "../../model/programs/index.ts"
import { type Config, type Setting, setting } from "../../model/protocol/Config.ts"
import { protocol } from "../../model/protocol/Protocol.ts"
import type { State as Values } from "../../model/protocol/State.ts"
import { type Projection, project, projectCalled } from "../mapping/Project.ts"
import type { Topology } from "../trace/Trace.ts"

/** What the model is made for. */
export interface Subject {
  readonly program: Program
  readonly topology: Topology
  readonly maxInlineSteps: number
  /** The most orchestrator deliveries that are alive at once. */
  readonly deliveries: number
}

/** A step of the model, with the lines that it may be. */
export interface Walked {
  readonly transition: Behaviours.Transition
  readonly projections: ReadonlyArray<Projection>
}

/** The model, walked by hand. */
export interface Walk {
  readonly setting: Setting
  readonly behaviours: Behaviours.Behaviours
  readonly initial: Behaviours.State
  readonly steps: (state: Behaviours.State) => Effect.Effect<ReadonlyArray<Walked>, SpecError>
  /** The lines that may come next without a step. */
  readonly called: (state: Behaviours.State) => ReadonlyArray<Projection>
  readonly values: (state: Behaviours.State) => Values
  /** The properties that fail on the step, and in the state that it leads to. */
  readonly broken: (from: Behaviours.State, to: Behaviours.State) => Effect.Effect<ReadonlyArray<Failure>, SpecError>
  /** Whether only the environment could act, and what of `whenStuck` fails then. */
  readonly stuck: (
    state: Behaviours.State
  ) => Effect.Effect<{ readonly isStuck: boolean; readonly failures: ReadonlyArray<Failure> }, SpecError>
  /** How many states have been met. */
  readonly size: () => number
}

const configOf = ({ program, topology, maxInlineSteps, deliveries }: Subject): Config => ({
  program,
  topology,
  maxInlineSteps,
  deliveries,
  detail: "exact",
  maxBatch: MAX_IN_BAND_CREATION_BATCH_EVENTS,
  // As every World of this project counts them.
  maxReruns: MAX_COALESCED_RERUNS,
  budgets: {
    crashes: "unlimited",
    lapses: "unlimited",
    rejects: "unlimited",
    restarts: "unlimited",
    resumes: "unlimited",
    spareWakes: "unlimited",
    cancels: "unlimited",
    retries: "unlimited",
    fatals: "unlimited"
  }
})

/** Makes the walk of a subject. Fails when the model itself makes no sense. */
export const makeWalk = (subject: Subject): Effect.Effect<Walk, SpecError> =>
  Effect.gen(function* () {
    const config = configOf(subject)
    const given = setting(config)
    const behaviours = yield* Behaviours.make(protocol(config, "trace"))
    const walked = new Map<Behaviours.State, ReadonlyArray<Walked>>()
    const values = new Map<Behaviours.State, Values>()
    const invariants = new Map<Behaviours.State, ReadonlyArray<Failure>>()

    // The engine validates every value against the schemas that `Values` is the type of.
    const valuesOf = (state: Behaviours.State): Values => {
      const known = values.get(state) ?? (behaviours.read(state) as unknown as Values)
      values.set(state, known)
      return known
    }

    const steps = Effect.fnUntraced(function* (state: Behaviours.State) {
      const known = walked.get(state)
      if (known !== undefined) return known
      const from = valuesOf(state)
      const found = (yield* behaviours.successors(state)).map((transition) => ({
        transition,
        projections: project(given, {
          from,
          to: valuesOf(transition.next),
          action: transition.action,
          parameters: transition.parameters
        })
      }))
      walked.set(state, found)
      return found
    })

    const broken = Effect.fnUntraced(function* (from: Behaviours.State, to: Behaviours.State) {
      const known = invariants.get(to) ?? (yield* behaviours.brokenInvariants(to))
      invariants.set(to, known)
      return [...known, ...(yield* behaviours.brokenStepProperties(from, to))]
    })

    const stuck = Effect.fnUntraced(function* (state: Behaviours.State) {
      return {
        isStuck: yield* behaviours.isStuck(state),
        failures: yield* behaviours.brokenWhenStuck(state)
      }
    })

    return {
      setting: given,
      behaviours,
      initial: behaviours.initial[0],
      steps,
      called: (state) => projectCalled(valuesOf(state)),
      values: valuesOf,
      broken,
      stuck,
      size: behaviours.size
    }
  })
