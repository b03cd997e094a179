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
  /** Aborted when the run is known to have ended while the body runs: what it does is for nothing then. */
  readonly signal: AbortSignal
}

/** What workflow code, or a step's body, may ask about its run. */
export interface WorkflowMetadata {
  readonly runId: string
  readonly workflowName: string
  /** When the run was created. */
  readonly startedAt: Date
}

/** Attributes to set, as texts; null removes one. */
export type AttributeChanges = ReadonlyArray<{ readonly key: string; readonly value: string | null }>

/** A step as its author defined it. */
export interface StepDefinition {
  readonly name: string
  /** Attempts after the first; a default applies when absent. */
  readonly maxRetries: number | undefined
  readonly body: (args: ReadonlyArray<unknown>) => unknown
}

/** What a hook is created with. */
export interface HookRequest {
  readonly token?: string
  readonly metadata?: unknown
  /** Takes the token from the run that holds it. */
  readonly force?: true
  /** Epoch milliseconds until which the token stays taken after the run's end. */
  readonly retainedUntil?: number
  readonly isWebhook?: true
}

/** A payload, or that there will be none any more because the code has disposed of the hook. */
export type Taken = { readonly value: unknown } | "over"

/** What the runtime does for a step's body while it runs. */
export interface BodyServices {
  readonly workflow: WorkflowMetadata
  /** Writes attributes of the run, at once and out-of-band. */
  readonly setAttributes: (changes: AttributeChanges) => Promise<void>
  /** A stream of the run. What the body has written to it is stored even if the body does not wait for that. */
  readonly writable: (name: string) => WritableStream<unknown>
  /** Answers a webhook's request through a stream of the run. */
  readonly respond: (name: string, response: Response) => void
}

/** A hook as workflow code holds it, before it is made awaitable. */
export interface HookHandle {
  readonly token: string
  /** Resolves with the next payload that nobody has taken; fails when the hook is another run's. */
  readonly take: () => Promise<Taken>
  /** Resolves with null once the hook is created, or with the run that holds its token. */
  readonly conflict: () => Promise<{ readonly runId: string | undefined } | null>
  readonly isDisposed: () => boolean
  readonly dispose: () => void
}

/** The end of a sleep: milliseconds from when it begins, or the moment itself, in epoch milliseconds. */
export type Until = { readonly ms: number } | { readonly at: number }

/** What the author's API needs of the place that it runs in. */
export interface Backend {
  readonly defineStep: (definition: StepDefinition) => void
  readonly callStep: (definition: StepDefinition, args: ReadonlyArray<unknown>) => Promise<unknown>
  readonly createHook: (request: HookRequest) => HookHandle
  readonly sleep: (until: Until) => Promise<void>
  readonly setAttributes: (changes: AttributeChanges) => Promise<void>
  readonly stepMetadata: () => StepMetadata
  readonly workflowMetadata: () => WorkflowMetadata
  readonly writable: (name: string) => WritableStream<unknown>
  readonly respond: (name: string, response: Response) => void
}

const definitions = new Map<string, StepDefinition>()
/** What a step's body is run with. */
interface BodyContext {
  readonly metadata: StepMetadata
  readonly services: BodyServices
}

const running = new AsyncLocalStorage<BodyContext>()

/** The definition of a step that some loaded module made, or undefined. */
export const definedStep = (name: string): StepDefinition | undefined => definitions.get(name)

/** Runs a body so that the API's functions answer in it and in everything it calls. */
export const runBody = (
  definition: StepDefinition,
  args: ReadonlyArray<unknown>,
  metadata: StepMetadata,
  services: BodyServices
): unknown => running.run({ metadata, services }, () => definition.body(args))

const contextFor = (what: string): BodyContext => {
  const context = running.getStore()
  if (context === undefined) throw new Error(`${what} is for step bodies; no step is running here.`)
  return context
}

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
  sleep: () => {
    throw new Error("sleep() is for workflow code: a step's body would hold its process for as long.")
  },
  setAttributes: (changes) => contextFor("setAttributes() outside of workflow code").services.setAttributes(changes),
  stepMetadata: () => contextFor("getStepMetadata()").metadata,
  writable: (name) => contextFor("getWritable()").services.writable(name),
  respond: (name, response) => contextFor("respondWith()").services.respond(name, response),
  workflowMetadata: () => contextFor("getWorkflowMetadata() outside of workflow code").services.workflow
}
