/**
 * Reading a trace from a file. That of a text is apart (`Read.ts`), since it runs in a browser too.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import { Effect } from "effect"
import { parseTrace, TraceUnreadable } from "./Read.ts"
import type { Trace } from "./Trace.ts"

/** Reads a trace file. */
export const readTrace = (path: string): Effect.Effect<Trace, TraceUnreadable> =>
  Effect.flatMap(
    Effect.try({
      try: () => readFileSync(path, "utf8"),
      catch: (cause) =>
        new TraceUnreadable({
          source: path,
          line: 0,
          defect: "no-file",
          reason: `The file cannot be read: ${cause instanceof Error ? cause.message : String(cause)}.`,
          advice: "Name a trace that a recorder has written."
        })
    }),
    (text) => parseTrace(text, path)
  )
