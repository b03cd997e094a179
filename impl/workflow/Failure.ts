/**
 * The errors by which a step's body says what is to become of it.
 *
 * | thrown by the body   | what follows                                                          |
 * | -------------------- | --------------------------------------------------------------------- |
 * | `FatalError`         | the step fails at once, whatever `maxRetries` allows                   |
 * | `RetryableError`     | another attempt, no earlier than `retryAfter`, while `maxRetries` allows |
 * | anything else        | another attempt after about a second, while `maxRetries` allows         |
 *
 * Workflow code and step bodies may hold different copies of these classes (the sealed VM has its own), and so
 * `instanceof` looks for a brand instead of a prototype.
 *
 * Rules: STEP-30, STEP-31, ONCE-12.
 *
 * @module
 */
import type { Duration } from "./Duration.ts"

const fatal: unique symbol = Symbol.for("onewriter/FatalError")
const retryable: unique symbol = Symbol.for("onewriter/RetryableError")

/** Milliseconds until the next attempt after a failure that names no time of its own. */
export const DEFAULT_RETRY_DELAY_MS = 1000

const isBranded = (value: unknown, brand: symbol): boolean =>
  typeof value === "object" && value !== null && Object.hasOwn(value, brand)

/** The brand speaks for the class itself; a subclass keeps the ordinary meaning of `instanceof`. */
const isInstance = (asked: unknown, branded: unknown, brand: symbol, value: unknown): boolean =>
  asked === branded ? isBranded(value, brand) : Function.prototype[Symbol.hasInstance].call(asked, value)

/** A failure that no retry can help: the step fails at once. Workflow code sees the same error where it awaits. */
export class FatalError extends Error {
  override readonly name: string = "FatalError"
  readonly [fatal] = true

  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: the class that was asked, which may be a subclass
    return isInstance(this, FatalError, fatal, value)
  }
}

/** When to try again. */
export interface RetryOptions {
  /** How long from now (milliseconds, or a text such as `"30s"`), or the moment itself. About a second when absent. */
  readonly retryAfter?: Duration | Date
}

/** A failure that another attempt may help, with the time before which that attempt is pointless. */
export class RetryableError extends Error {
  override readonly name: string = "RetryableError"
  readonly [retryable] = true
  /** How long from now, or the moment itself. */
  readonly retryAfter: Duration | Date

  constructor(message?: string, options?: RetryOptions & ErrorOptions) {
    super(message, options)
    this.retryAfter = options?.retryAfter ?? DEFAULT_RETRY_DELAY_MS
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: the class that was asked, which may be a subclass
    return isInstance(this, RetryableError, retryable, value)
  }
}
