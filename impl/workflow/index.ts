/**
 * What the author of a workflow imports.
 *
 * A workflow is an exported async function. It decides, and nothing else: whatever it learns comes from its arguments,
 * its steps and its hooks, and the same log always leads it to the same decisions. It runs in a sealed VM, where time
 * and randomness come from the log and there is no I/O.
 *
 * @example
 * import { createHook, step } from "onewriter/workflow"
 *
 * const reserve = step("reserve", async (sku: string) => ({ sku, shelf: 4 }))
 *
 * export async function order(sku: string) {
 *   const reserved = await reserve(sku)
 *   const approved = await createHook<boolean>({ token: `approve-${sku}` })
 *   return approved ? reserved.shelf : undefined
 * }
 *
 * @module
 */
export { setAttributes } from "./Attributes.ts"
export { type ErrorClass, registerError } from "./ErrorClasses.ts"
export * from "./Failure.ts"
export { createHook, type Hook, type HookConflict, type HookOptions } from "./Hook.ts"
export * from "./HookErrors.ts"
export * from "./Sleep.ts"
export {
  getStepMetadata,
  getWorkflowMetadata,
  type Step,
  type StepMetadata,
  type StepOptions,
  step,
  type WorkflowMetadata
} from "./Step.ts"
export { DEFAULT_STREAM, getWritable } from "./Streams.ts"
export { createWebhook, type Webhook, type WebhookOptions } from "./Webhook.ts"
export { WebhookRequest } from "./WebhookRequest.ts"
