/**
 * How large an event, a batch, a message or a chunk may be, and how many items a page holds.
 *
 * A message repeats the input of the step or run that it starts. It is allowed to be larger than an event, so that an
 * accepted `step_created` never owes a message that the queue would refuse.
 *
 * @module
 */
import {
  type EventInput,
  isBatchable,
  type ListParams,
  type Page,
  PayloadTooLargeError,
  type WorkflowInvokePayload,
  type WorkflowWorldError
} from "../world/index.ts"
import { badRequest } from "./AppendRules.ts"

/** Bytes of UTF-8 that the JSON of an event's data, or of a message's payload, may have; items per page and batch. */
export interface Limits {
  readonly maxEventBytes: number
  readonly maxMessageBytes: number
  /** Bytes of one chunk of a stream. */
  readonly maxChunkBytes: number
  /** Events of one batch, whose data together may have as many bytes as four events. */
  readonly maxBatchSize: number
  readonly maxPageSize: number
  /** A page, or a report, ends with the event that brings its data to this many characters. */
  readonly maxPageChars: number
}

/** What the Worlds of this project store when nobody says otherwise: events of 8 MiB, messages of 16, chunks of 4. */
export const defaultLimits: Limits = {
  maxEventBytes: 8 * 1024 * 1024,
  maxMessageBytes: 16 * 1024 * 1024,
  maxChunkBytes: 4 * 1024 * 1024,
  maxBatchSize: 1000,
  maxPageSize: 1000,
  maxPageChars: 16 * 1024 * 1024
}

const tooLarge = (
  subject: PayloadTooLargeError["subject"],
  text: string,
  limit: number
): PayloadTooLargeError | undefined => {
  // A UTF-16 code unit is at least one byte and at most three, so most texts need no count.
  if (text.length * 3 <= limit) return undefined
  const bytes = Buffer.byteLength(text)
  return bytes <= limit ? undefined : new PayloadTooLargeError({ subject, bytes, limit })
}

/** The refusal of an event whose data is too large. */
export const eventTooLarge = (data: EventInput, limits: Limits): PayloadTooLargeError | undefined =>
  tooLarge("event", JSON.stringify(data.eventData), limits.maxEventBytes)

/** The refusal of a batch as a whole: by what it holds, by its number of items, or by their size. (WORLD-49) */
export const batchRefusal = (
  data: ReadonlyArray<EventInput>,
  limits: Limits
): PayloadTooLargeError | WorkflowWorldError | undefined => {
  if (data.length === 0) return badRequest("empty-batch", "A batch holds at least one event.")
  if (data.length > limits.maxBatchSize) {
    return badRequest("batch-too-long", `A batch holds at most ${limits.maxBatchSize} events, not ${data.length}.`)
  }
  const stranger = data.find((item) => !isBatchable(item))
  if (stranger !== undefined) {
    return badRequest("not-batchable", `A batch holds events of steps and waits, not ${stranger.eventType}.`)
  }
  const text = data.map((item) => JSON.stringify(item.eventData)).join()
  return tooLarge("batch", text, 4 * limits.maxEventBytes)
}

/** The refusal of chunks, one of which is too large. */
export const chunksTooLarge = (chunks: ReadonlyArray<Uint8Array>, limits: Limits): PayloadTooLargeError | undefined => {
  const large = chunks.find(({ byteLength }) => byteLength > limits.maxChunkBytes)
  return large && new PayloadTooLargeError({ subject: "chunk", bytes: large.byteLength, limit: limits.maxChunkBytes })
}

/** The refusal of a message whose payload is too large. */
export const messageTooLarge = (payload: WorkflowInvokePayload, limits: Limits): PayloadTooLargeError | undefined =>
  tooLarge("message", JSON.stringify(payload), limits.maxMessageBytes)

/** The size of a page that was asked for, within the World's own limit. */
export const pageSizeOf = (limit: number | undefined, limits: Limits): number | WorkflowWorldError => {
  if (limit === undefined) return limits.maxPageSize
  if (!Number.isSafeInteger(limit) || limit < 1)
    return badRequest("bad-limit", `A page holds at least one event, not ${limit}.`)
  return Math.min(limit, limits.maxPageSize)
}

/** The slot after which a page begins. A cursor is the id of the last event that the caller holds. */
export const slotOfCursor = (cursor: string | undefined): number | WorkflowWorldError => {
  if (cursor === undefined) return 0
  const slot = /^evnt_(\d{16})$/.exec(cursor)?.[1]
  return slot === undefined
    ? badRequest("bad-cursor", `${JSON.stringify(cursor)} is no cursor of this World.`)
    : Number(slot)
}

/** A cursor that names no item of the list. */
export const badCursor = (cursor: string): WorkflowWorldError =>
  badRequest("bad-cursor", `${JSON.stringify(cursor)} is no cursor of this list.`)

/** One page of a list whose items have ids; a cursor is the id of the last item that the caller holds. */
export const pageOf = <A>(
  items: ReadonlyArray<A>,
  idOf: (item: A) => string,
  { cursor, limit }: ListParams,
  limits: Limits
): Page<A> | WorkflowWorldError => {
  const size = pageSizeOf(limit, limits)
  if (typeof size !== "number") return size
  const after = cursor === undefined ? 0 : items.findIndex((item) => idOf(item) === cursor) + 1
  if (cursor !== undefined && after === 0) return badCursor(cursor)
  const data = items.slice(after, after + size)
  const last = data.at(-1)
  return {
    data,
    cursor: last === undefined ? (cursor ?? null) : idOf(last),
    hasMore: after + data.length < items.length
  }
}
