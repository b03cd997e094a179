/**
 * Where a recorder writes: a trace in memory, or a file that outlives the process.
 *
 * A line is given to the operating system with one synchronous write, right after the operation that it records. What a
 * killed process loses is therefore at most the line of an operation that had just taken effect, whole or in part. The
 * next process that continues the file cuts a torn line off and says whose place it takes; the validator allows one
 * unrecorded operation for each delivery that was alive then.
 *
 * @module
 */

import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs"
import { Effect, Result, Schema, type Scope } from "effect"
import { programs, sleeps } from "../../model/programs/index.ts"
import { parseTrace, type TraceUnreadable } from "./Read.ts"
import { type Entry, Header, Line, type NumberedLine, type Trace } from "./Trace.ts"

/** A trace that is being written. */
export interface Sink {
  readonly header: Header
  /** The name under which this process writes. */
  readonly process: string
  /** Adds a line, synchronously. Throws {@link TraceUnwritable} when the file cannot be written. */
  readonly append: (entry: Entry) => void
}

/** A trace that is kept in memory. */
export interface MemorySink extends Sink {
  /** What has been written so far. */
  readonly trace: () => Trace
}

/** A trace file that cannot be opened, continued or written. */
export class TraceUnwritable extends Schema.TaggedError<TraceUnwritable>()("TraceUnwritable", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `${this.path}: ${this.reason}`
  }
}

const encodeLine = Schema.encodeSync(Line)
const encodeHeader = Schema.encodeSync(Header)
const sameHeader = (a: Header, b: Header): boolean =>
  JSON.stringify(encodeHeader(a)) === JSON.stringify(encodeHeader(b))

/** A line as it stands in a file, with its end. */
export const formatLine = (line: Line): string => `${JSON.stringify(encodeLine(line))}\n`

/** A whole trace as it stands in a file. */
export const formatTrace = (trace: Trace): string =>
  `${JSON.stringify(encodeHeader(trace.header))}\n${trace.lines.map(({ line }) => formatLine(line)).join("")}`

/** Whether a header's program sleeps, as far as is known. Then lines say when they were written. */
export const maySleep = (program: Header["program"]): boolean =>
  typeof program === "string" ? !Object.hasOwn(programs, program) : sleeps(program)

const numbering = (process: string, header: Header, now: () => number) => {
  let n = 0
  const isTimed = maySleep(header.program)
  return (entry: Entry): Line => {
    n += 1
    return { n, process, ...(isTimed ? { at: Math.max(0, Math.floor(now())) } : {}), ...entry } as Line
  }
}

/** A trace in memory, opened for the process `p1`. `now` is its clock, in epoch milliseconds. */
export const memorySink = (header: Header, now: () => number = Date.now): MemorySink => {
  const lines: Array<NumberedLine> = []
  const number = numbering("p1", header, now)
  const append = (entry: Entry): void => {
    lines.push({ number: lines.length + 2, line: number(entry) })
  }
  append({ action: "OpenProcess" })
  return { header, process: "p1", append, trace: () => ({ header, lines: [...lines] }) }
}

/** Whether a process of this id runs on this host. */
const isAlive = (pid: number): boolean =>
  Result.match(
    Result.try({
      try: () => globalThis.process.kill(pid, 0),
      catch: (cause) => (cause instanceof Error && "code" in cause ? cause.code : undefined)
    }),
    { onSuccess: () => true, onFailure: (code) => code === "EPERM" }
  )

interface Previous {
  readonly length: number
  readonly process: string
  readonly replaces: string | undefined
}

/** What a file already holds: how much of it is whole lines, and which name and predecessor its next process has. */
const inspect = Effect.fnUntraced(function* (path: string, header: Header) {
  const bytes = readFileSync(path)
  const length = bytes.lastIndexOf(0x0a) + 1
  if (length === 0) return { length, process: "p1", replaces: undefined } satisfies Previous
  const trace = yield* parseTrace(bytes.subarray(0, length).toString("utf8"), path)
  if (!sameHeader(trace.header, header)) {
    return yield* new TraceUnwritable({
      path,
      reason: "The file holds a trace of another run, program, topology or limit. Name another file, or remove it."
    })
  }
  const opened = trace.lines.flatMap(({ line }) => (line.action === "OpenProcess" ? [line] : []))
  const replaced = new Set(opened.flatMap((line) => (line.replaces === undefined ? [] : [line.replaces])))
  const dead = opened.filter((line) => !replaced.has(line.process) && line.pid !== undefined && !isAlive(line.pid))
  const previous: Previous = { length, process: `p${opened.length + 1}`, replaces: dead.at(0)?.process }
  return previous
})

/**
 * Opens a trace file for this process, and closes it with the scope.
 *
 * A file that does not exist is created, with its header. One that exists is continued: a torn last line is cut off,
 * and the process that wrote it is named as replaced when it no longer runs on this host. A file that another run, program
 * or topology wrote is refused, and so is one that is not a trace.
 */
export const fileSink = (
  path: string,
  header: Header,
  now: () => number = Date.now
): Effect.Effect<Sink, TraceUnwritable | TraceUnreadable, Scope.Scope> =>
  Effect.gen(function* () {
    const previous: Previous = existsSync(path)
      ? yield* inspect(path, header)
      : { length: 0, process: "p1", replaces: undefined }
    const unwritable = (cause: unknown) =>
      new TraceUnwritable({ path, reason: cause instanceof Error ? cause.message : String(cause) })
    const file = yield* Effect.acquireRelease(
      Effect.try({ try: () => openSync(path, "a"), catch: unwritable }),
      (descriptor) => Effect.sync(() => closeSync(descriptor))
    )
    const write = (text: string): void => {
      const bytes = Buffer.from(text, "utf8")
      const written = Result.try({ try: () => writeSync(file, bytes), catch: unwritable })
      if (Result.isFailure(written)) throw written.failure
      if (written.success !== bytes.length) throw new TraceUnwritable({ path, reason: "The disk took half a line." })
    }
    const number = numbering(previous.process, header, now)
    const append = (entry: Entry): void => write(formatLine(number(entry)))
    yield* Effect.try({
      try: () => {
        if (fstatSync(file).size > previous.length) ftruncateSync(file, previous.length)
        if (previous.length === 0) write(`${JSON.stringify(encodeHeader(header))}\n`)
        append({
          action: "OpenProcess",
          pid: globalThis.process.pid,
          ...(previous.replaces === undefined ? {} : { replaces: previous.replaces })
        })
      },
      catch: (cause) => (cause instanceof TraceUnwritable ? cause : unwritable(cause))
    })
    return { header, process: previous.process, append }
  })
