/**
 * Where code in the sealed VM finds the kernel that runs it.
 *
 * Two bundles meet in one context, the kernel's and the author's, and share nothing but the context's global object.
 *
 * @module
 */
import type { AttributeChanges, HookHandle, HookRequest, Until, WorkflowMetadata } from "./Backend.ts"

/** What the kernel offers to the author's code. */
export interface KernelPort {
  readonly callStep: (name: string, maxRetries: number | undefined, args: ReadonlyArray<unknown>) => Promise<unknown>
  readonly createHook: (request: HookRequest) => HookHandle
  readonly sleep: (until: Until) => Promise<void>
  readonly setAttributes: (changes: AttributeChanges) => Promise<void>
  readonly workflowMetadata: () => WorkflowMetadata
  /** Stands in for a module that workflow code must not use. */
  readonly stub: (specifier: string) => unknown
}

/** The property of the global object that holds the kernel. */
export const KERNEL: unique symbol = Symbol.for("onewriter/kernel")

/** The kernel of this context; only the sealed VM has one. */
export const kernel = (): KernelPort => {
  // The two bundles share no module, so the type is a promise between this file and `Kernel.ts`.
  const port: KernelPort | undefined = Reflect.get(globalThis, KERNEL)
  if (port === undefined) throw new Error("This code was bundled for a workflow's sealed VM and runs outside of one.")
  return port
}
