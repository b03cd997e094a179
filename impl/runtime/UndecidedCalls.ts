/**
 * The calls of workflow code that the log does not hold yet: what a pass has to decide.
 *
 * A call that is decided stays decided, so each is looked at until it is, and not again: a pass costs what is new in it,
 * however long the run is.
 *
 * @module
 */
import { isUndecided } from "./HookDecisions.ts"
import type { LogState } from "./LogState.ts"
import type { Call } from "./vm/Session.ts"

/** The calls of one session, held against one log. */
export class UndecidedCalls {
  readonly #log: LogState
  #seen = 0
  #undecided: ReadonlyArray<Call> = []

  constructor(log: LogState) {
    this.#log = log
  }

  /** Another session begins: its calls are looked at from the first on. */
  forget(): void {
    this.#seen = 0
    this.#undecided = []
  }

  /** The calls that came since the last look, and those that the log lacks, in the order in which they were made. */
  look(calls: ReadonlyArray<Call>): { readonly fresh: ReadonlyArray<Call>; readonly undecided: ReadonlyArray<Call> } {
    const fresh = calls.slice(this.#seen)
    this.#seen = calls.length
    this.#undecided = [...this.#undecided, ...fresh].filter((call) => isUndecided(this.#log, call))
    return { fresh, undecided: this.#undecided }
  }
}
