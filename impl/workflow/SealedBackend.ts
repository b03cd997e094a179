/**
 * What the author's API does inside the sealed VM: a call becomes an entry of the run's log.
 *
 * The bundler puts this module in the place of `Backend.ts`. It only passes calls on to the kernel, which was evaluated
 * in the context before any code of the author's.
 *
 * @module
 */
import type { Backend } from "./Backend.ts"
import { kernel } from "./KernelPort.ts"

export const backend: Backend = {
  // Bodies run in the host; here a definition is only something to call.
  defineStep: () => undefined,
  callStep: (definition, args) => kernel().callStep(definition.name, definition.maxRetries, args),
  createHook: (request) => kernel().createHook(request),
  sleep: (until) => kernel().sleep(until),
  setAttributes: (changes) => kernel().setAttributes(changes),
  workflowMetadata: () => kernel().workflowMetadata(),
  writable: () => {
    throw new Error("getWritable() is for step bodies: workflow code has no I/O. Write to the stream in a step.")
  },
  respond: () => {
    throw new Error("respondWith() is for step bodies: workflow code has no I/O. Pass the request to a step.")
  },
  stepMetadata: () => {
    throw new Error("getStepMetadata() is for step bodies; workflow code has no step of its own.")
  }
}
