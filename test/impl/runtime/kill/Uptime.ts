/**
 * How long a run was stuck: for how long its log did not grow although it could have, and a worker served.
 *
 * What a run waits for does not count (a sleep, a retry that is not due, somebody outside), nor does the time in which no
 * worker was there to serve it.
 */
import type { Event } from "../../../../impl/world/index.ts"

/** Milliseconds after which a worker that serves says again that it does. */
export const BEAT_MS = 100

/** From when until when a worker served, in epoch milliseconds. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** The spans that the beats of one worker tell of: between two of them, unless the machine did not let it run. */
export const spansOf = (beats: ReadonlyArray<number>): ReadonlyArray<Span> =>
  beats.flatMap((to, at) => {
    const from = beats[at - 1]
    return from === undefined || to - from > 5 * BEAT_MS ? [] : [{ from, to }]
  })

/** How many milliseconds between two moments at least one of the spans covers. */
export const covered = (spans: ReadonlyArray<Span>, from: number, to: number): number => {
  let total = 0
  let reached = from
  const near = spans.filter((span) => span.from < to && span.to > from)
  for (const span of near.toSorted((a, b) => a.from - b.from)) {
    const begin = Math.max(span.from, reached)
    const end = Math.min(span.to, to)
    if (end <= begin) continue
    total += end - begin
    reached = end
  }
  return total
}

/** Written by whoever is outside, whenever they please. */
const fromOutside: ReadonlySet<Event["eventType"]> = new Set([
  "run_created",
  "hook_received",
  "wake_requested",
  "run_cancelled"
])

/** When what an event says was due: the moment of a sleep's end, or of a retry; otherwise 0. */
const dueOf = (event: Event, before: ReadonlyArray<Event>): number => {
  if (!("correlationId" in event)) return 0
  const same = before.filter((earlier) => "correlationId" in earlier && earlier.correlationId === event.correlationId)
  if (event.eventType === "wait_completed") {
    if (same.some(({ eventType }) => eventType === "wake_requested")) return 0
    return same.find((earlier) => earlier.eventType === "wait_created")?.eventData.resumeAt ?? 0
  }
  if (event.eventType !== "step_started") return 0
  return same.findLast((earlier) => earlier.eventType === "step_retrying")?.eventData.retryAfter ?? 0
}

/** The longest time that a run was stuck, in milliseconds, and the slot at which that ended. */
export const longestStall = (
  log: ReadonlyArray<Event>,
  spans: ReadonlyArray<Span>
): { readonly ms: number; readonly slot: number } => {
  let longest = { ms: 0, slot: 0 }
  log.forEach((event, at) => {
    const previous = log[at - 1]
    if (previous === undefined || fromOutside.has(event.eventType)) return
    const from = Math.max(previous.createdAt, dueOf(event, log.slice(0, at)))
    const ms = covered(spans, from, event.createdAt)
    if (ms > longest.ms) longest = { ms, slot: at + 1 }
  })
  return longest
}
