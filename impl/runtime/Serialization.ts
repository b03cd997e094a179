/**
 * How values become the text that a log holds, and come back.
 *
 * JSON, and beyond it `undefined`, `NaN`, `-0`, `Date`, `Map`, `Set`, `bigint`, `RegExp`, `Error`, typed arrays, sparse
 * arrays, cyclic references and the requests of webhooks, by devalue's format. Host and sealed VM use this one module, each in its own realm, so
 * a value that crosses is always a copy made of the receiving realm's own prototypes. Parsing refuses `__proto__` keys.
 *
 * @module
 */
import { parse, stringify } from "devalue"
import { isWebhookRequest, type RequestParts, WebhookRequest } from "../workflow/WebhookRequest.ts"
import {
  hasMore,
  isErrorValue,
  type PlainError,
  plainError,
  reviveError,
  type WholeError,
  wholeError
} from "./ThrownError.ts"

/** A value that the log cannot hold. Trying again would not help, and the message says which part of it is to blame. */
export class SerializationError extends Error {
  override readonly name: string = "SerializationError"
}

/** Longer texts are refused before they are copied anywhere; Worlds have limits of their own well below. */
const MAX_TEXT_LENGTH = 2 ** 28

const reducers = {
  WebhookRequest: (value: unknown): RequestParts | false => isWebhookRequest(value) && value.parts,
  Error: (value: unknown): WholeError | false => isErrorValue(value) && wholeError(value)
}

const revivers = {
  WebhookRequest: (parts: RequestParts): WebhookRequest => new WebhookRequest(parts),
  Error: reviveError
}

/**
 * The text of a value.
 *
 * @param what names the value in the error's message, such as `the result of the step "charge"`.
 * @throws SerializationError for functions, symbols, promises, instances of classes, and objects whose getters throw.
 */
export const serialize = (value: unknown, what: string): string => {
  let text: string
  try {
    text = stringify(value, reducers)
  } catch (cause) {
    const path = cause instanceof Error && "path" in cause && cause.path !== "" ? ` at ${String(cause.path)}` : ""
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new SerializationError(`${what} cannot be stored in the log: ${reason}${path}`, { cause })
  }
  if (text.length <= MAX_TEXT_LENGTH) return text
  throw new SerializationError(`${what} cannot be stored in the log: it has ${text.length} characters.`)
}

/** The value of a text that `serialize` made; throws when the text is not one. */
export const deserialize = (text: string): unknown => parse(text, revivers)

/** What a log keeps of whatever was thrown. What of it cannot be stored is left out: it was thrown all the same. */
export const errorOf = (thrown: unknown): PlainError => {
  const plain = plainError(thrown)
  if (!isErrorValue(thrown) || !hasMore(wholeError(thrown))) return plain
  try {
    return { ...plain, detail: serialize(thrown, "An error") }
  } catch {
    return plain
  }
}

/** What is thrown where the log is replayed. A detail that cannot be read is left out, as one that was never stored. */
export const thrownOf = (plain: PlainError): unknown => {
  const { detail, ...rest } = plain
  if (detail === undefined) return reviveError(rest)
  try {
    return deserialize(detail)
  } catch {
    return reviveError(rest)
  }
}
