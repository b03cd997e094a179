/**
 * Runs that a process keeps between deliveries: the log as the last one held it, and the session that consumed it.
 *
 * The next delivery then reads what the log has gained and goes on where the code stands, in place of a load and a replay
 * of all of it. A log only grows, and a session has consumed committed events in log order, so a cold replay would decide
 * the same; `compare` makes every delivery ask.
 *
 * A delivery takes a run out and puts it back when it has ended well: two that overlap never share one, and what a
 * delivery that failed or was superseded leaves behind is forgotten. The least recently used runs are given up first.
 *
 * Rules: RUN-23, RUN-37, CAC-01.
 *
 * @module
 */
import { Context } from "effect"
import type { LogState } from "./LogState.ts"
import type { Session } from "./vm/Session.ts"

/** How much is kept. */
export interface Retention {
  /** Runs at most; each has a context of its own, of a megabyte or two. With 0 every delivery replays from cold. */
  readonly maxRuns: number
  /** Events at most, over all runs together. */
  readonly maxEvents: number
  /** Every delivery of a kept run replays it from cold as well, and dies when that decides otherwise. For tests. */
  readonly compare: boolean
}

/** How much a runtime keeps: 64 runs with 100,000 events, without comparing. */
export const RunRetention = Context.Reference<Retention>("onewriter/runtime/RunRetention", {
  defaultValue: () => ({ maxRuns: 64, maxEvents: 100_000, compare: false })
})

/** A run that is kept. */
export interface RetainedRun {
  readonly log: LogState
  readonly session: Session
}

/** The runs that a process keeps. */
export class RetainedRuns {
  readonly retention: Retention
  /** The least recently used first. */
  readonly #runs = new Map<string, RetainedRun>()
  #events = 0

  constructor(retention: Retention) {
    this.retention = retention
  }

  /** How many runs, and how many events of them, are kept. */
  get size(): { readonly runs: number; readonly events: number } {
    return { runs: this.#runs.size, events: this.#events }
  }

  /** Takes a run out, for the one delivery that goes on with it. */
  take(runId: string): RetainedRun | undefined {
    const run = this.#runs.get(runId)
    if (run === undefined) return undefined
    this.#runs.delete(runId)
    this.#events -= run.log.tail
    return run
  }

  /** Keeps a run that has not ended, in place of an earlier state of it. */
  keep(runId: string, run: RetainedRun): void {
    this.#giveUp(runId)
    if (run.log.isEnded || run.log.isBehind) {
      run.session.close()
      return
    }
    this.#runs.set(runId, run)
    this.#events += run.log.tail
    for (const [oldest] of this.#runs) {
      if (this.#runs.size <= this.retention.maxRuns && this.#events <= this.retention.maxEvents) return
      this.#giveUp(oldest)
    }
  }

  #giveUp(runId: string): void {
    this.take(runId)?.session.close()
  }
}
