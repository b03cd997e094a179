/**
 * Reading a trace, strictly: what is not exactly a trace is refused with the line, the reason and what to do.
 *
 * A reader that guesses would let the validator accept behaviours that nobody recorded, and so nothing is skipped,
 * defaulted or repaired here. A torn tail is the recorder's to repair, since it knows what it was about to write.
 *
 * @module
 */

import { Effect, Result, Schema } from "effect"
import { nearest } from "../Nearest.ts"
import { actionNames, Header, Line, type NumberedLine, type Trace, version } from "./Trace.ts"

/** What is wrong with a trace that cannot be read. */
export const Defect = Schema.Literals([
  "no-file",
  "empty",
  "torn-line",
  "not-json",
  "not-an-object",
  "no-header",
  "other-version",
  "bad-header",
  "second-header",
  "unknown-action",
  "bad-line",
  "unopened-process",
  "opened-twice",
  "wrong-sequence",
  "replaced-process"
])
/** What is wrong with a trace that cannot be read. */
export type Defect = typeof Defect.Type

/** A trace that is not one. `line` counts from 1 in the file; `advice` says what the caller can do about it. */
export class TraceUnreadable extends Schema.TaggedError<TraceUnreadable>()("TraceUnreadable", {
  source: Schema.String,
  line: Schema.Int,
  defect: Defect,
  reason: Schema.String,
  advice: Schema.String
}) {
  override get message(): string {
    return `${this.source}:${this.line}: ${this.reason} ${this.advice}`
  }
}

const suggestion = (name: string): string => {
  const [best] = nearest(name, actionNames)
  return best === undefined ? "" : ` Did you mean ${best}?`
}

const strict = { onExcessProperty: "error", errors: "first" } as const

const decodeHeader = Schema.decodeUnknownResult(Header, strict)

const decoders: ReadonlyMap<string, (input: unknown) => Result.Result<Line, { readonly message: string }>> = new Map(
  Line.members.map((member) => [
    member.fields.action.literal,
    Schema.decodeUnknownResult(Schema.Union([member]), strict)
  ])
)

const oneLine = (text: string): string => text.replaceAll(/\s*\n\s*/g, " ")

const excerpt = (text: string): string => (text.length > 60 ? `${text.slice(0, 57)}...` : text)

interface Opened {
  n: number
  replacedBy: string | undefined
}

/** Reads the text of a trace. `source` is what errors call it. */
export const parseTrace = (text: string, source = "trace"): Effect.Effect<Trace, TraceUnreadable> =>
  Effect.fromResult(parse(text, source))

const parse = (text: string, source: string): Result.Result<Trace, TraceUnreadable> => {
  const refuse = (line: number, defect: Defect, reason: string, advice: string) =>
    Result.fail(new TraceUnreadable({ source, line, defect, reason, advice }))

  if (text === "") {
    return refuse(1, "empty", "The trace is empty.", "A recorder writes the header before anything else: record again.")
  }
  const rows = text.split("\n")
  const tail = rows.pop()
  if (tail !== undefined && tail !== "") {
    return refuse(
      rows.length + 1,
      "torn-line",
      `The last line has no end (${excerpt(tail)}): its writer died while it wrote.`,
      "Continue the trace with a recorder, which cuts the torn line off, or remove the line by hand."
    )
  }

  let header: Header | undefined
  const lines: Array<NumberedLine> = []
  const processes = new Map<string, Opened>()

  for (const [index, row] of rows.entries()) {
    const number = index + 1
    const json = Result.try(() => JSON.parse(row) as unknown)
    if (Result.isFailure(json)) {
      return refuse(
        number,
        "not-json",
        `The line is not JSON (${excerpt(row)}).`,
        "Restore the line as it was written."
      )
    }
    const value = json.success
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return refuse(number, "not-an-object", `The line is not an object (${excerpt(row)}).`, "Each line is one object.")
    }
    if (header === undefined) {
      if (!("trace" in value)) {
        return refuse(
          number,
          "no-header",
          "The first line is not a header.",
          `It must say {"trace":"${version}", ...}.`
        )
      }
      if (value.trace !== version) {
        const other = typeof value.trace === "string" ? value.trace : JSON.stringify(value.trace)
        return refuse(number, "other-version", `The trace is of version ${other}.`, `This reader reads ${version}.`)
      }
      const decoded = decodeHeader(value)
      if (Result.isFailure(decoded)) {
        const reason = `The header does not fit its schema: ${oneLine(decoded.failure.message)}.`
        return refuse(number, "bad-header", reason, "Give the header the fields that the schema of headers lists.")
      }
      header = decoded.success
      continue
    }
    if ("trace" in value) {
      return refuse(number, "second-header", "A second header.", "One file holds one trace: split the file here.")
    }
    const action = "action" in value && typeof value.action === "string" ? value.action : undefined
    const decode = action === undefined ? undefined : decoders.get(action)
    if (action === undefined || decode === undefined) {
      const reason = action === undefined ? "The line names no action." : `There is no action ${action}.`
      const advice = `Actions are ${actionNames.join(", ")}.`
      return refuse(number, "unknown-action", `${reason}${action === undefined ? "" : suggestion(action)}`, advice)
    }
    const decoded = decode(value)
    if (Result.isFailure(decoded)) {
      const reason = `The ${action} line does not fit its schema: ${oneLine(decoded.failure.message)}.`
      return refuse(number, "bad-line", reason, "Restore the line as it was written.")
    }
    const line = decoded.success
    const process = processes.get(line.process)
    if (line.action === "OpenProcess") {
      if (process !== undefined) {
        const advice = "Each process opens once, under a name of its own."
        return refuse(number, "opened-twice", `Process ${line.process} is already open.`, advice)
      }
      if (line.replaces !== undefined) {
        const replaced = processes.get(line.replaces)
        if (replaced === undefined || replaced.replacedBy !== undefined) {
          const state = replaced === undefined ? "has no lines" : `was replaced by ${replaced.replacedBy} already`
          const reason = `Process ${line.process} replaces ${line.replaces}, which ${state}.`
          return refuse(number, "replaced-process", reason, "A process replaces one that wrote before it and has died.")
        }
        replaced.replacedBy = line.process
      }
    } else if (process === undefined) {
      const reason = `Process ${line.process} has not been opened.`
      return refuse(number, "unopened-process", reason, "A process begins with its OpenProcess line: it is missing.")
    }
    const last = process?.n ?? 0
    if (line.n !== last + 1) {
      const reason = `Line ${line.n} of process ${line.process} follows its line ${last}.`
      return refuse(number, "wrong-sequence", reason, "A line is missing, was moved, or was written twice.")
    }
    if (process?.replacedBy !== undefined) {
      const reason = `Process ${line.process} writes after ${process.replacedBy} took its place.`
      return refuse(number, "replaced-process", reason, "It was not dead: record it as a process beside the other.")
    }
    if (process === undefined) processes.set(line.process, { n: line.n, replacedBy: undefined })
    else process.n = line.n
    lines.push({ number, line })
  }
  return header === undefined
    ? refuse(1, "no-header", "The trace has no header.", `The first line must say {"trace":"${version}", ...}.`)
    : Result.succeed({ header, lines })
}
