/**
 * Who holds the histories of an implementation against the model.
 *
 * @module
 */
import type { Entry } from "../trace/Trace.ts"

/** Names sets of states of the model: those that explain every line so far. */
export interface Explainer {
  /** The states that explain the first lines. */
  readonly begin: (lines: ReadonlyArray<Entry>) => string
  /** The states that explain some lines more, or what says that none does. */
  readonly next: (explained: string, lines: ReadonlyArray<Entry>) => string
}
