/**
 * Webhooks: hooks that are resumed by an HTTP request, and may answer it.
 *
 * @module
 */
import { backend } from "./Backend.ts"
import { type Hook, type HookOptions, hookOf, requestOf } from "./Hook.ts"
import { isWebhookRequest, type WebhookRequest } from "./WebhookRequest.ts"

/** A response that is known when the webhook is created. */
export interface StaticResponse {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** How a webhook is found, and how its requests are answered. */
export interface WebhookOptions extends Omit<HookOptions, "metadata"> {
  /**
   * What a request is answered with as soon as it is in the log; 202 when absent. With `"manual"` it waits until a
   * step's body has called `respondWith` on it.
   */
  readonly respondWith?: StaticResponse | "manual"
}

/** What the runtime reads of a webhook's hook. */
export interface WebhookMetadata {
  readonly respondWith: StaticResponse | "manual"
}

/** An open webhook: each `await`, and each iteration, takes one request. */
export type Webhook = Hook<WebhookRequest>

const requestIn = (value: unknown): WebhookRequest => {
  if (isWebhookRequest(value)) return value
  throw new TypeError("A webhook was resumed with something that is no request: use resumeWebhook, not resumeHook.")
}

/**
 * Creates a webhook. Only in workflow code. Whoever has its token sends requests to it (`Client.resumeWebhook`).
 *
 * @example
 * const orders = createWebhook({ token: "orders", respondWith: "manual" })
 * for await (const request of orders) await accept(request)
 */
export const createWebhook = ({ respondWith = { status: 202 }, ...options }: WebhookOptions = {}): Webhook => {
  const metadata: WebhookMetadata = { respondWith }
  return hookOf(backend.createHook({ ...requestOf({ ...options, metadata }), isWebhook: true }), requestIn)
}
