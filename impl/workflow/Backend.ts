/**
 * What the author's API does outside the sealed VM: it registers step bodies, and it runs them.
 *
 * A workflow's module is loaded twice. In this process it is an ordinary module, and loading it registers the bodies of
 * its steps here. In the sealed VM the bundler puts `SealedBackend.ts` in this module's place, so the same calls become
 * entries of the run's log and no body runs there.
 *
 * The registry belongs to the process, as the module that fills it does: definitions are program text. A step's name is
 * what logs and messages hold, so it must be unique.
 *
 * @module
 */
import { AsyncLocalStorage } from "node:async_hooks"

/** What a step body may ask about the attempt that runs it. */
export interface StepMetadata {
  /** The step's id in its run, `step_<n>`: the same for every attempt. */
  readonly stepId: string
  /** 1 for the first attempt. */
  readonly attempt: number
  readonly stepName: string
  readonly runId: string
}

/** A step as its author defined it. */
export interface StepDefinition {
  readonly name: string
  /** Attempts after the first; a default applies when absent. */
  readonly maxRetries: number | undefined
  readonly body: (args: ReadonlyArray<unknown>) => unknown
}

/** A hook as workflow code holds it, before it is made awaitable. */
export interface HookHandle {
  readonly token: string
  /** Resolves with the next payload that nobody has taken. */
  readonly next: () => Promise<unknown>
}

/** What the author's API needs of the place that it runs in. */
export interface Backend {
  readonly defineStep: (definition: StepDefinition) => void
  readonly callStep: (definition: StepDefinition, args: ReadonlyArray<unknown>) => Promise<unknown>
  readonly createHook: (token: string | undefined) => HookHandle
  readonly stepMetadata: () => StepMetadata
}

const definitions = new Map<string, StepDefinition>()
const running = new AsyncLocalStorage<StepMetadata>()

/** The definition of a step that some loaded module made, or undefined. */
export const definedStep = (name: string): StepDefinition | undefined => definitions.get(name)

/** Runs a body so that `getStepMetadata()` answers in it and in everything it calls. */
export const runBody = (definition: StepDefinition, args: ReadonlyArray<unknown>, metadata: StepMetadata): unknown =>
  running.run(metadata, () => definition.body(args))

export const backend: Backend = {
  defineStep: (definition) => {
    // A definition made while a body runs is local to it, and no message can ever ask for it.
    if (definitions.has(definition.name)) {
      throw new Error(
        `Two steps are named ${JSON.stringify(definition.name)}. A step's name is what logs hold, so it must be unique.`
      )
    }
    definitions.set(definition.name, definition)
  },
  // Outside a workflow a step is the function that it wraps: one body may call another's, within its own attempt.
  callStep: async (definition, args) => definition.body(args),
  createHook: () => {
    throw new Error("createHook() is for workflow code; a step body or a client resumes a hook by its token.")
  },
  stepMetadata: () => {
    const metadata = running.getStore()
    if (metadata === undefined) throw new Error("getStepMetadata() is for step bodies; no step is running here.")
    return metadata
  }
}
