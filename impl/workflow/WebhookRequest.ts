/**
 * A request that came to a webhook, as workflow code and step bodies have it: whole, so that it can be in a log.
 *
 * @module
 */
import { backend } from "./Backend.ts"

/** What a request is made of. */
export interface RequestParts {
  readonly method: string
  readonly url: string
  /** Names in lower case. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: Uint8Array
  /** The stream of the run through which it is answered; absent when it has been answered already. */
  readonly answer?: string
}

const brand: unique symbol = Symbol.for("onewriter/WebhookRequest")

/** True of requests of any copy of this module: the sealed VM has its own. */
export const isWebhookRequest = (value: unknown): value is WebhookRequest =>
  typeof value === "object" && value !== null && Object.hasOwn(value, brand)

const utf8 = (bytes: Uint8Array): string => {
  // Workflow code has no TextDecoder. Each byte as one escape, decoded as the UTF-8 that they are.
  let escaped = ""
  for (const byte of bytes) escaped += `%${byte.toString(16).padStart(2, "0")}`
  return decodeURIComponent(escaped)
}

/** A request to a webhook. */
export class WebhookRequest {
  readonly [brand] = true
  readonly parts: RequestParts

  constructor(parts: RequestParts) {
    this.parts = parts
  }

  get method(): string {
    return this.parts.method
  }
  get url(): string {
    return this.parts.url
  }
  /** The value of a header, whatever the case of its name; null when there is none. */
  header(name: string): string | null {
    const asked = name.toLowerCase()
    return this.parts.headers.find(([each]) => each === asked)?.[1] ?? null
  }
  bytes(): Uint8Array {
    return this.parts.body
  }
  /** The body as text. @throws URIError when it is no UTF-8. */
  text(): string {
    return utf8(this.parts.body)
  }
  /** The body, read as JSON. */
  json(): unknown {
    return JSON.parse(this.text())
  }

  /**
   * Answers the request; only in a step's body, and only where the webhook says `respondWith: "manual"`. The response is
   * sent in the background: the body may return before it is all on its way. The first answer counts.
   */
  async respondWith(response: Response): Promise<void> {
    const { answer } = this.parts
    if (answer === undefined) {
      throw new Error('This request was answered as it came: its webhook was not created with respondWith: "manual".')
    }
    backend.respond(answer, response)
  }
}
