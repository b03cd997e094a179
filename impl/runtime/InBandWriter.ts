/**
 * The one in-band writer of a delivery.
 *
 * It carries the count of in-band slots from the log load, advances it by what each accepted write allocated, and makes
 * one write at a time. The first refusal by the fence stops it for good, and so does a write whose outcome is unknown:
 * the count may then be wrong, and only a fresh load can tell.
 *
 * ```
 * writing --accepted--> writing (count + allocated)
 *    ├──── 412 ────────────> stopped: OrchestratorSuperseded
 *    ├──── the run ended ──> stopped: RunEnded
 *    ├──── other 4xx ──────> writing (nothing was allocated)
 *    └──── anything else ──> stopped
 * ```
 *
 * Rules: FENCE-01, FENCE-05, FENCE-06, FENCE-07, FENCE-16, POST-01, POST-03, POST-04, WORLD-24, WORLD-51, WORLD-52.
 *
 * @module
 */
import { Effect, Schema } from "effect"
import type { EventInput, EventStorage, EventStorageError } from "../world/index.ts"
import type { LogState } from "./LogState.ts"

/** The fence refused a write: another delivery has written since this one loaded the log. */
export class OrchestratorSuperseded extends Schema.TaggedError<OrchestratorSuperseded>()("OrchestratorSuperseded", {
  runId: Schema.String,
  eventType: Schema.String
}) {
  override get message(): string {
    return `This delivery of ${this.runId} was superseded at its ${this.eventType}.`
  }
}

/** The run ended before a write that needs it to go on. */
export class RunEnded extends Schema.TaggedError<RunEnded>()("RunEnded", {
  runId: Schema.String,
  eventType: Schema.String
}) {
  override get message(): string {
    return `${this.runId} ended before its ${this.eventType}.`
  }
}

/** Why a write of the orchestrator was not accepted: it is stopped for good, the run has ended, or the World refused it. */
export type InBandError = OrchestratorSuperseded | RunEnded | EventStorageError

const isRefusal = (error: EventStorageError): boolean => error.status >= 400 && error.status < 500

export class InBandWriter {
  readonly #events: EventStorage["Service"]
  readonly #runId: string
  readonly #log: LogState
  #expectedSeqInBand: number
  #stoppedBy: InBandError | undefined

  constructor(events: EventStorage["Service"], runId: string, log: LogState) {
    this.#events = events
    this.#runId = runId
    this.#log = log
    this.#expectedSeqInBand = log.snapshot.seqInBand
  }

  /**
   * Commits one event and takes it into the log, behind the events that the World reports below it.
   *
   * Returns whether it reported any: events of somebody else, which the decisions so far have not seen.
   */
  commit(event: EventInput): Effect.Effect<boolean, InBandError> {
    return Effect.suspend(() => {
      if (this.#stoppedBy !== undefined) return Effect.fail(this.#stoppedBy)
      const write = this.#events.create(this.#runId, event, {
        inBand: true,
        expectedSeqInBand: this.#expectedSeqInBand,
        eventCount: this.#log.tail
      })
      return write.pipe(
        Effect.map((result) => {
          this.#expectedSeqInBand += result.allocated
          return this.#log.absorb(result)
        }),
        Effect.mapError((error) => {
          const failure = this.#failureOf(event, error)
          if (failure !== error || !isRefusal(error)) this.#stoppedBy = failure
          return failure
        })
      )
    })
  }

  #failureOf({ eventType }: EventInput, error: EventStorageError): InBandError {
    const runId = this.#runId
    if (error._tag === "InBandSupersededError") return new OrchestratorSuperseded({ runId, eventType })
    const hasEnded =
      error._tag === "RunExpiredError" || (error._tag === "EntityConflictError" && error.conflict === "run-ended")
    return hasEnded ? new RunEnded({ runId, eventType }) : error
  }
}
