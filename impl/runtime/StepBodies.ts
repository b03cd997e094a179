/**
 * Where step bodies come from, and who is told when one runs.
 *
 * By default a body is what a loaded module defined with `step`. A test or an explorer supplies bodies of its own, for
 * instance for the steps of a program given as data, which have names and nothing else.
 *
 * Rules: ONCE-11 (the attempt that a body is told).
 *
 * @module
 */
import { Context, Effect } from "effect"
import { defaultMaxRetries } from "../../model/programs/Program.ts"
import { type BodyServices, definedStep, runBody, type StepMetadata } from "../workflow/Backend.ts"

/** How a step is run: by its own message's deliveries, which do not know the workflow, as by the orchestrator. */
export interface StepBody {
  readonly maxRetries: number
  /** Runs the body once. Its failure is what the body threw. */
  readonly run: (
    args: ReadonlyArray<unknown>,
    metadata: StepMetadata,
    services: BodyServices
  ) => Effect.Effect<unknown, unknown>
}

/** The bodies by step name. */
export interface StepBodiesService {
  readonly lookup: (stepName: string) => StepBody | undefined
}

/** The bodies that loaded modules registered. */
export const registeredBodies: StepBodiesService = {
  lookup: (stepName) => {
    const definition = definedStep(stepName)
    if (definition === undefined) return undefined
    return {
      maxRetries: definition.maxRetries ?? defaultMaxRetries,
      run: (args, metadata, services) =>
        Effect.tryPromise({
          try: async () => runBody(definition, args, metadata, services),
          catch: (thrown) => thrown
        })
    }
  }
}

/** The bodies of a runtime. */
export const StepBodies = Context.Reference<StepBodiesService>("onewriter/runtime/StepBodies", {
  defaultValue: () => registeredBodies
})

/** One attempt of a step's body. */
export interface Attempt {
  readonly runId: string
  readonly stepId: string
  readonly stepName: string
  readonly attempt: number
}

/** How a body ended: with a value, for good, or so that another attempt may help (whether or not one is left). */
export type BodyOutcome = "completed" | "failed" | "retry"

/**
 * Told of every body that begins and ends, in the fiber that runs it. The body begins when `begin` returns, and its
 * outcome is known to the delivery when `end` returns, so an observer can hold a body at either point.
 */
export interface BodyObserverService {
  readonly begin: (attempt: Attempt) => Effect.Effect<void>
  readonly end: (attempt: Attempt, outcome: BodyOutcome) => Effect.Effect<void>
}

/** The observer of the current fiber and its children; nobody by default. */
export const BodyObserver = Context.Reference<BodyObserverService>("onewriter/runtime/BodyObserver", {
  defaultValue: () => ({ begin: () => Effect.void, end: () => Effect.void })
})
