/**
 * Runs, logs and values as a terminal shows them.
 *
 * Payloads (arguments, results, what was sent to hooks, the messages of errors) are shown only to who asks for them: they
 * may be secrets, and a terminal's text ends up in logs.
 *
 * @module
 */
import { inspect } from "node:util"
import { type Event, isTerminalRunEvent, type Run, slotOf } from "../../impl/world/index.ts"

/** A value: a text as it is, other values of JSON as JSON, and what JSON does not hold as Node shows it. */
export const showValue = (value: unknown): string => {
  if (typeof value === "string") return value
  if (value === undefined) return ""
  try {
    const text = JSON.stringify(value, null, 2)
    const isFaithful = inspect(JSON.parse(text), { depth: null }) === inspect(value, { depth: null })
    return isFaithful ? text : inspect(value, { depth: null })
  } catch {
    // A bigint, or a value that refers to itself.
    return inspect(value, { depth: null })
  }
}

/** A table with a head, as text. */
export const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)))
  const show = (row: ReadonlyArray<string>): string =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd()
  return [head, widths.map((width) => "-".repeat(width)), ...rows].map(show).join("\n")
}

/** A moment, to the millisecond, in UTC. */
export const showTime = (at: number): string => new Date(at).toISOString()

/** Who wrote an event. `world`: the World itself, on behalf of somebody else's call. */
export type Writer = "client" | "in-band" | "out-of-band" | "world"

/** The steps that their orchestrator runs itself, as far into the log as it has been read. */
class InlineSteps {
  readonly #ids = new Set<string>()

  writerOf(event: Event): Writer {
    switch (event.eventType) {
      case "run_created":
        return "client"
      case "run_started":
      case "run_completed":
      case "run_failed":
      case "wait_created":
      case "wait_completed":
      case "step_created":
      case "hook_created":
      case "hook_conflict":
        return "in-band"
      case "hook_disposed":
        return event.eventData.forceClaimedBy === undefined ? "in-band" : "world"
      case "attr_set":
        return event.eventData.writer.type === "workflow" ? "in-band" : "out-of-band"
      case "noop":
        return "world"
      case "step_started":
      case "step_completed":
      case "step_failed":
      case "step_retrying":
        return this.#writerOfStep(event)
      case "run_cancelled":
      case "wake_requested":
      case "hook_received":
        return "out-of-band"
    }
  }

  /** Every event of an inline step is its orchestrator's, up to the one that moves it to a message of its own. */
  #writerOfStep(event: Event & { readonly correlationId: string }): Writer {
    const { correlationId } = event
    if (event.eventType === "step_started" && event.eventData.inline === true) this.#ids.add(correlationId)
    const writer = this.#ids.has(correlationId) ? "in-band" : "out-of-band"
    if (event.eventType === "step_retrying" && event.eventData.creatorMessageId !== undefined) {
      this.#ids.delete(correlationId)
    }
    return writer
  }
}

/** An event with what a log does not hold of it: its writer, and the in-band count once it was written. */
export interface Written {
  readonly event: Event
  readonly slot: number
  readonly writer: Writer
  /** The World's count of in-band slots, up to and with this one. `run_created` is one of them. */
  readonly seqInBand: number
}

/** The whole log of a run, with the writers of its events. */
export const writtenOf = (log: ReadonlyArray<Event>): ReadonlyArray<Written> => {
  const inline = new InlineSteps()
  let seqInBand = 0
  return log.map((event) => {
    const writer = inline.writerOf(event)
    if (writer === "client" || writer === "in-band") seqInBand++
    return { event, slot: slotOf(event), writer, seqInBand }
  })
}

/** Fields of an event's data that may be secrets. */
const PAYLOADS: ReadonlySet<string> = new Set([
  "input",
  "output",
  "result",
  "payload",
  "error",
  "metadata",
  "token",
  "changes",
  "reason",
  "attributes"
])

/** An event's data, with the payloads left out unless they are asked for. */
export const dataOf = (event: Event, payloads: boolean): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(event.eventData).filter(([name]) => payloads || !PAYLOADS.has(name)))

/** Data in a cell of a table. */
const showData = (data: Readonly<Record<string, unknown>>): string =>
  Object.entries(data)
    .map(([name, value]) => {
      const isTime = name === "resumeAt" || name === "retryAfter" || name === "tokenRetentionUntil"
      if (isTime && typeof value === "number") return `${name}=${showTime(value)}`
      return `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`
    })
    .join(" ")

/** A log as a table. */
export const showLog = (written: ReadonlyArray<Written>, payloads: boolean): string =>
  table(
    ["slot", "time", "writer", "in-band", "event", "entity", "data"],
    written.map(({ event, slot, writer, seqInBand }) => [
      String(slot),
      showTime(event.createdAt),
      writer,
      String(seqInBand),
      event.eventType,
      "correlationId" in event ? (event.correlationId ?? "") : "",
      showData(dataOf(event, payloads))
    ])
  )

/** A run in one row of a list. */
export const rowOf = ({ runId, workflowName, status, createdAt, terminal }: Run): ReadonlyArray<string> => [
  runId,
  workflowName,
  status,
  showTime(createdAt),
  terminal === undefined ? "" : showTime(terminal.createdAt)
]

/** The head of a list of runs. */
export const RUNS_HEAD = ["run", "workflow", "status", "created", "ended"]

/** A run as JSON: no payloads, unless they are asked for. */
export const runJson = (run: Run, payloads: boolean): Readonly<Record<string, unknown>> => {
  const { terminal, attributes, ...rest } = run
  const ended = terminal !== undefined && isTerminalRunEvent(terminal) ? terminal : undefined
  return {
    ...rest,
    ...(ended === undefined ? {} : { endedAt: ended.createdAt, end: dataOf(ended, payloads) }),
    ...(payloads ? { attributes } : { attributes: Object.keys(attributes) })
  }
}
