/**
 * The parts of the contract, as checks and reports name them.
 *
 * @module
 */
/** The parts of the contract. */
export const areas = [
  "log",
  "batches",
  "hooks",
  "read side",
  "feed",
  "streams",
  "queue",
  "coalescing",
  "restart"
] as const
/** A part of the contract. */
export type Area = (typeof areas)[number]
