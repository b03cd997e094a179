/**
 * What was thrown, as a log keeps it, and as it is thrown again.
 *
 * A log keeps an error's name, message, stack and code, and whether a retry could have helped. Whoever replays the log
 * throws an error that says the same: of the class that is registered, of the built-in class of that name where there is
 * one, of `FatalError` or `RetryableError`, or a plain `Error` with the name set. A thrown value that is no error is
 * thrown again as an error that describes it.
 *
 * What an error has beyond that (a cause, members, fields of its own) is in `detail`: the whole error, serialised.
 *
 * @module
 */
import { errorClassNamed, registeredNameOf } from "../workflow/ErrorClasses.ts"
import { FatalError, RetryableError } from "../workflow/Failure.ts"

/** The fields of an error that are kept; the shape of `EventError` in the World contract. */
export interface PlainError {
  readonly name: string
  readonly message: string
  readonly stack?: string
  readonly code?: string
  readonly retryable?: boolean
  /** The whole error, serialised, when it has more than the fields above. */
  readonly detail?: string
}

/** A field of an error that is kept: what is no object has no life of its own. */
type FieldValue = string | number | boolean | bigint | null

/** An error within a serialised value. */
export interface WholeError extends PlainError {
  /** The name of its registered class. */
  readonly class?: string
  readonly fields?: Readonly<Record<string, FieldValue>>
  readonly cause?: unknown
  readonly errors?: ReadonlyArray<unknown>
}

/** The code of a thrown value that was not an error. */
export const NON_ERROR_THROWN = "NON_ERROR_THROWN"

const builtIn: Readonly<Record<string, (message: string) => Error>> = {
  Error: (message) => new Error(message),
  EvalError: (message) => new EvalError(message),
  RangeError: (message) => new RangeError(message),
  ReferenceError: (message) => new ReferenceError(message),
  SyntaxError: (message) => new SyntaxError(message),
  TypeError: (message) => new TypeError(message),
  URIError: (message) => new URIError(message),
  AggregateError: (message) => new AggregateError([], message),
  FatalError: (message) => new FatalError(message),
  RetryableError: (message) => new RetryableError(message)
}

/** Whether the test holds of a thrown value. Asking may run its code: what throws at that does not pass. */
export const passes = (test: () => boolean): boolean => {
  try {
    return test()
  } catch {
    // A revoked proxy, a trap or a getter: the value says nothing of itself, and is reported as one that is no error.
    return false
  }
}

/** True of errors of this realm, and of objects that claim to be errors as another realm's do. */
export const isErrorValue = (value: unknown): value is Error =>
  passes(() => value instanceof Error || Object.prototype.toString.call(value) === "[object Error]")

const describe = (value: unknown): string => {
  try {
    if (typeof value === "string") return value
    return typeof value === "object" && value !== null ? (JSON.stringify(value) ?? String(value)) : String(value)
  } catch {
    // A value that throws while it is described still has to be reported as something.
    return `a value of type ${typeof value} that cannot be described`
  }
}

const field = (error: object, key: string): unknown => {
  try {
    return Reflect.get(error, key)
  } catch {
    return undefined
  }
}

/** The kept fields of whatever was thrown. */
export const plainError = (thrown: unknown): PlainError => {
  if (!isErrorValue(thrown)) {
    return { name: "Error", message: describe(thrown), code: NON_ERROR_THROWN }
  }
  const name = field(thrown, "name")
  const message = field(thrown, "message")
  const stack = field(thrown, "stack")
  const code = field(thrown, "code")
  return {
    name: typeof name === "string" && name !== "" ? name : "Error",
    message: typeof message === "string" ? message : describe(message),
    ...(typeof stack === "string" ? { stack } : {}),
    ...(typeof code === "string" ? { code } : {}),
    ...(passes(() => thrown instanceof FatalError) ? { retryable: false } : {})
  }
}

const kept: ReadonlySet<string> = new Set(["name", "message", "stack", "code", "cause", "errors"])

const isFieldValue = (value: unknown): value is FieldValue =>
  value === null || ["string", "number", "boolean", "bigint"].includes(typeof value)

const fieldsOf = (error: Error): Readonly<Record<string, FieldValue>> => {
  const fields: Array<readonly [string, FieldValue]> = []
  for (const key of Object.keys(error)) {
    const value = kept.has(key) || key === "__proto__" ? undefined : field(error, key)
    if (isFieldValue(value)) fields.push([key, value])
  }
  return Object.fromEntries(fields)
}

/** All that is kept of an error, as one value; its cause and its members may be anything. */
export const wholeError = (error: Error): WholeError => {
  const cause = field(error, "cause")
  const errors = field(error, "errors")
  const fields = fieldsOf(error)
  const registered = registeredNameOf(error)
  return {
    ...plainError(error),
    ...(registered === undefined ? {} : { class: registered }),
    ...(Object.keys(fields).length === 0 ? {} : { fields }),
    ...(cause === undefined ? {} : { cause }),
    ...(Array.isArray(errors) ? { errors } : {})
  }
}

/** Whether an error is more than the fields of a {@link PlainError}. */
export const hasMore = (whole: WholeError): boolean =>
  whole.class !== undefined || whole.fields !== undefined || "cause" in whole || whole.errors !== undefined

/** An error that says what the kept one said. */
export const reviveError = (plain: WholeError): Error => {
  const registered = plain.class === undefined ? undefined : errorClassNamed(plain.class)
  const make = Object.hasOwn(builtIn, plain.name) ? builtIn[plain.name] : undefined
  const error = make === undefined ? new Error(plain.message) : make(plain.message)
  if (registered !== undefined) Object.setPrototypeOf(error, registered.prototype)
  for (const [key, value] of Object.entries(plain.fields ?? {})) {
    Object.defineProperty(error, key, { value, configurable: true, writable: true, enumerable: true })
  }
  const define = (key: string, value: unknown) =>
    Object.defineProperty(error, key, { value, configurable: true, writable: true, enumerable: false })
  if (error.name !== plain.name) define("name", plain.name)
  // The stack of the place where it was thrown first; the reviver's own would say nothing, and differ between replays.
  define("stack", plain.stack ?? `${plain.name}: ${plain.message}`)
  if (plain.code !== undefined) define("code", plain.code)
  if ("cause" in plain) define("cause", plain.cause)
  if (plain.errors !== undefined) define("errors", plain.errors)
  return error
}
