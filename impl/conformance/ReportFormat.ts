/**
 * The formats of a report, by name.
 *
 * @module
 */
/** The formats that a report can be written in. */
export const formats = ["text", "json", "junit"] as const
/** The name of a format. */
export type Format = (typeof formats)[number]
