/**
 * How values become the text that a log holds, and come back.
 *
 * JSON, and beyond it `undefined`, `NaN`, `-0`, `Date`, `Map`, `Set`, `bigint`, `RegExp`, `Error`, typed arrays, sparse
 * arrays and cyclic references, by devalue's format. Host and sealed VM use this one module, each in its own realm, so
 * a value that crosses is always a copy made of the receiving realm's own prototypes. Parsing refuses `__proto__` keys.
 *
 * @module
 */
import { parse, stringify } from "devalue"
import { isErrorValue, type PlainError, plainError, reviveError } from "./ThrownError.ts"

/** A value that the log cannot hold. Trying again would not help, and the message says which part of it is to blame. */
export class SerializationError extends Error {
  override readonly name: string = "SerializationError"
}

interface SerializedError extends PlainError {
  readonly cause?: unknown
  readonly errors?: ReadonlyArray<unknown>
}

const reducers = {
  Error: (value: unknown): SerializedError | false =>
    isErrorValue(value) && {
      ...plainError(value),
      ...(value.cause === undefined ? {} : { cause: value.cause }),
      ...("errors" in value && Array.isArray(value.errors) ? { errors: value.errors } : {})
    }
}

const revivers = {
  Error: (value: SerializedError): Error => {
    const error = reviveError(value)
    if ("cause" in value)
      Object.defineProperty(error, "cause", { value: value.cause, configurable: true, writable: true })
    if ("errors" in value)
      Object.defineProperty(error, "errors", { value: value.errors, configurable: true, writable: true })
    return error
  }
}

/**
 * The text of a value.
 *
 * @param what names the value in the error's message, such as `the result of the step "charge"`.
 * @throws SerializationError for functions, symbols, promises, instances of classes, and objects whose getters throw.
 */
export const serialize = (value: unknown, what: string): string => {
  try {
    return stringify(value, reducers)
  } catch (cause) {
    const path = cause instanceof Error && "path" in cause && cause.path !== "" ? ` at ${String(cause.path)}` : ""
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new SerializationError(`${what} cannot be stored in the log: ${reason}${path}`, { cause })
  }
}

/** The value of a text that `serialize` made; throws when the text is not one. */
export const deserialize = (text: string): unknown => parse(text, revivers)
