/**
 * Times on both sides: epoch milliseconds here, Dates in a World of the documents' shape.
 *
 * @module
 */

/** The fields of an event's data that are times. */
const TIMES = ["resumeAt", "retryAfter", "tokenRetentionUntil"] as const

const changing =
  (change: (value: unknown) => unknown) =>
  (data: object): { readonly [field: string]: unknown } =>
    Object.fromEntries(
      Object.entries(data).map(([field, value]) => [
        field,
        TIMES.some((time) => time === field) ? change(value) : value
      ])
    )

/** An event's data with Dates. */
export const withDates = changing((value) => (typeof value === "number" ? new Date(value) : value))

/** An event's data with milliseconds. What is no date stays as it is, and does not decode. */
export const withMillis = changing((value) => (value instanceof Date ? value.getTime() : value))
