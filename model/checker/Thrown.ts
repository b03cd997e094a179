/**
 * What code of a spec has thrown, in words.
 *
 * Anything can be thrown, and asking it what it is may run code again: a `toString`, a getter, a trap of a proxy. So it
 * is asked once, here, and what does not answer is replaced by an error that does.
 *
 * @module
 */

/** Something that was thrown. */
export interface Thrown {
  /** It, or an error in its place when it cannot be looked at. */
  readonly cause: unknown
  /** Its name, when it is an error. */
  readonly name: string | undefined
  readonly text: string
}

const UNSPEAKABLE = "something that throws again when it is asked what it is"

/** What was thrown. Does not throw. */
export const thrown = (cause: unknown): Thrown => {
  try {
    if (!(cause instanceof Error)) return { cause, name: undefined, text: String(cause) }
    const { name, message } = cause
    // `stack` is asked for by whoever prints the error.
    if (typeof name === "string" && typeof message === "string" && typeof `${cause.stack}` === "string") {
      return { cause, name, text: message }
    }
  } catch {
    // It is answered below, as what it is.
  }
  return { cause: new Error(UNSPEAKABLE), name: undefined, text: UNSPEAKABLE }
}

/** What was thrown, as it stands in a sentence: `Error: no such step`. */
export const thrownText = (cause: unknown): string => {
  const { name, text } = thrown(cause)
  return name === undefined ? text : `${name}: ${text}`
}
