/**
 * The workflows that a runtime can run: modules, loaded twice.
 *
 * Loading happens before the first delivery, because it is the only part that waits: the module is imported, so that its
 * step bodies are registered, and bundled for the sealed VM, and evaluated there once so that a module that does not
 * load says so now. Opening a session afterwards is synchronous.
 *
 * A workflow is named by its export. Names are unique over the modules that are loaded together.
 *
 * @module
 */
import { isAbsolute, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { Context, Effect, Layer } from "effect"
import { isStep } from "../workflow/Step.ts"
import { eventIdOf, SPEC_VERSION_SINGLE_ORCHESTRATOR } from "../world/index.ts"
import { bundleKernel, bundleWorkflow } from "./vm/Bundle.ts"
import { IsolatedSession } from "./vm/isolation/IsolatedSession.ts"
import { Isolation } from "./vm/isolation/Isolation.ts"
import { WorkflowLoadError } from "./vm/ReplayError.ts"
import type { Bundle } from "./vm/Scripts.ts"
import { SealedSession, type Session } from "./vm/Session.ts"

/** A workflow function, as client code may name it. */
export type WorkflowFunction = (...args: ReadonlyArray<never>) => unknown

/** Where a workflow's module is: an absolute path, a path below the working directory, or a `file:` URL. */
export type WorkflowModule = string | URL

/** How workflow modules are loaded, and how long their code may run. */
export interface LoadOptions {
  /** Packages that workflow code must not use; they are replaced by stubs, as Node's built-in modules are. */
  readonly hostOnly?: ReadonlyArray<string>
  /** Milliseconds that a pass over the log may take in the sealed VM; 10,000 when absent, no limit when 0. */
  readonly passTimeoutMs?: number
  /**
   * MiB of memory that workflow code may have, that of all runs together whose sessions are kept; 512 when absent. With
   * a limit the code runs in a process of its own. With 0 it runs in this one, without a limit: what uses up its memory
   * ends the process then, and what loops is cut off less surely.
   */
  readonly maxHeapMb?: number
}

const DEFAULT_PASS_TIMEOUT_MS = 10_000
const DEFAULT_MAX_HEAP_MB = 512

/** The loaded workflows of a runtime. */
export class Workflows extends Context.Service<
  Workflows,
  {
    readonly names: ReadonlyArray<string>
    /** The name of a workflow function that a loaded module exports. */
    readonly nameOf: (workflow: WorkflowFunction | string) => string | undefined
    /** A fresh session of a run of the named workflow, or undefined when no module exports it. */
    readonly open: (workflowName: string, runId: string) => Session | undefined
    /** The id of the process that the code runs in; undefined when that is this one, or when none has begun. */
    readonly evaluator: () => number | undefined
    /** Ends the process that the code runs in, if it has one. */
    readonly close: () => void
  }
>()("onewriter/runtime/Workflows") {
  /** Loads modules. Fails with `WorkflowLoadError` when one cannot be loaded, or when two export the same name. */
  static readonly layer = (
    modules: ReadonlyArray<WorkflowModule>,
    options?: LoadOptions
  ): Layer.Layer<Workflows, WorkflowLoadError> =>
    Layer.effect(
      Workflows,
      Effect.acquireRelease(loadWorkflows(modules, options), ({ close }) => Effect.sync(close))
    )
}

const fileOf = (module: WorkflowModule): string => {
  if (module instanceof URL || module.startsWith("file:")) return fileURLToPath(module)
  return isAbsolute(module) ? module : resolve(module)
}

const importModule = (file: string): Effect.Effect<object, WorkflowLoadError> =>
  Effect.tryPromise({
    try: async (): Promise<object> => await import(pathToFileURL(file).href),
    catch: (cause) => new WorkflowLoadError({ file, reason: cause instanceof Error ? cause.message : String(cause) })
  })

/** Evaluates the module in a sealed context once, as the first event of every run will. */
const probe = Effect.fnUntraced(function* (
  bundle: Bundle,
  session: Session
): Effect.fn.Return<void, WorkflowLoadError> {
  const failure = session.consume([
    {
      eventType: "run_created",
      eventId: eventIdOf(1),
      runId: "probe",
      createdAt: 0,
      specVersion: SPEC_VERSION_SINGLE_ORCHESTRATOR,
      eventData: { workflowName: "", input: "[]" }
    }
  ])
  session.close()
  if (failure !== undefined) {
    return yield* new WorkflowLoadError({
      file: bundle.file,
      reason: failure._tag === "WorkflowLoadError" ? failure.reason : failure.message
    })
  }
})

/** What `Workflows.layer` makes. */
export const loadWorkflows = Effect.fn("Workflows.load")(function* (
  modules: ReadonlyArray<WorkflowModule>,
  options: LoadOptions = {}
): Effect.fn.Return<Workflows["Service"], WorkflowLoadError> {
  const { hostOnly, passTimeoutMs: timeoutMs = DEFAULT_PASS_TIMEOUT_MS, maxHeapMb = DEFAULT_MAX_HEAP_MB } = options
  const isolation = maxHeapMb === 0 ? undefined : new Isolation({ maxHeapMb, timeoutMs })
  const open = (bundle: Bundle, runId: string, workflowName: string): Session =>
    isolation === undefined
      ? new SealedSession(bundle, { runId, workflowName, timeoutMs })
      : new IsolatedSession(isolation, bundle, runId, workflowName)
  const bundles = new Map<string, Bundle>()
  const functions = new Map<unknown, string>()
  const kernel = yield* bundleKernel
  for (const file of modules.map(fileOf)) {
    const exports = yield* importModule(file)
    const bundle = yield* bundleWorkflow(kernel, file, hostOnly)
    yield* probe(bundle, open(bundle, "probe", ""))
    for (const [name, value] of Object.entries(exports)) {
      if (typeof value !== "function" || isStep(value)) continue
      const other = bundles.get(name)
      if (other !== undefined && other.file !== file) {
        return yield* new WorkflowLoadError({ file, reason: `${other.file} exports a workflow ${name} as well` })
      }
      bundles.set(name, bundle)
      functions.set(value, name)
    }
  }
  return Workflows.of({
    names: [...bundles.keys()],
    nameOf: (workflow) =>
      typeof workflow === "string" ? (bundles.has(workflow) ? workflow : undefined) : functions.get(workflow),
    open: (workflowName, runId) => {
      const bundle = bundles.get(workflowName)
      return bundle === undefined ? undefined : open(bundle, runId, workflowName)
    },
    evaluator: () => isolation?.pid,
    close: () => isolation?.end()
  })
})
