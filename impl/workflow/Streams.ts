/**
 * Streams of a run: what a step's body tells the outside while it works, value by value.
 *
 * Streams are no part of the log, and nothing that a run decides depends on them. A body that is run again writes again.
 *
 * Rules: TURBO-10, OUTBOX-41.
 *
 * @module
 */
import { backend } from "./Backend.ts"

/** The name of a run's stream when none is given. */
export const DEFAULT_STREAM = "default"

/**
 * A stream of the run, to be written to in a step's body. Values are what the log can hold; they are stored in order.
 *
 * Whoever closes it ends the stream for good. What was written is stored even when the body returns before that; a
 * body that wants to know awaits its writes.
 *
 * @example
 * const tell = step("tell", async (words: ReadonlyArray<string>) => {
 *   const writer = getWritable<string>().getWriter()
 *   for (const word of words) await writer.write(word)
 *   await writer.close()
 * })
 */
export const getWritable = <Value = unknown>(name: string = DEFAULT_STREAM): WritableStream<Value> =>
  backend.writable(name)
