/**
 * How large an event or a message may be, and how many events a page holds.
 *
 * A message repeats the input of the step or run that it starts. It is allowed to be larger than an event, so that an
 * accepted `step_created` never owes a message that the queue would refuse.
 *
 * @module
 */
import {
  type EventInput,
  PayloadTooLargeError,
  type WorkflowInvokePayload,
  type WorkflowWorldError
} from "../world/index.ts"
import { badRequest } from "./AppendRules.ts"

/** Bytes of UTF-8 that the JSON of an event's data, or of a message's payload, may have; events per page. */
export interface Limits {
  readonly maxEventBytes: number
  readonly maxMessageBytes: number
  readonly maxPageSize: number
  /** A page, or a report, ends with the event that brings its data to this many characters. */
  readonly maxPageChars: number
}

/** What the Worlds of this project store when nobody says otherwise: events of 8 MiB, messages of 16 MiB. */
export const defaultLimits: Limits = {
  maxEventBytes: 8 * 1024 * 1024,
  maxMessageBytes: 16 * 1024 * 1024,
  maxPageSize: 1000,
  maxPageChars: 16 * 1024 * 1024
}

const tooLarge = (subject: "event" | "message", text: string, limit: number): PayloadTooLargeError | undefined => {
  // A UTF-16 code unit is at least one byte and at most three, so most texts need no count.
  if (text.length * 3 <= limit) return undefined
  const bytes = Buffer.byteLength(text)
  return bytes <= limit ? undefined : new PayloadTooLargeError({ subject, bytes, limit })
}

/** The refusal of an event whose data is too large. */
export const eventTooLarge = (data: EventInput, limits: Limits): PayloadTooLargeError | undefined =>
  tooLarge("event", JSON.stringify(data.eventData), limits.maxEventBytes)

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
