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
 * Rules: FENCE-01, FENCE-05, FENCE-06, FENCE-07, FENCE-16, POST-01, POST-03, POST-04, POST-11, POST-12, WORLD-24, WORLD-51, WORLD-52.
 *
 * @module
 */
import { Effect, Schema } from "effect"
import type { CreateEventParams, EventInput, EventStorage, EventStorageError } from "../world/index.ts"
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

/** Events that go out in one write. */
export type Batch = readonly [EventInput, ...ReadonlyArray<EventInput>]

/** What came of a write of several events. */
export interface BatchCommitted {
  /** The World reported events of somebody else below the write, which the decisions so far have not seen. */
  readonly isStale: boolean
  /** Of each event, in order, why it was refused; undefined when it was committed. */
  readonly refusals: ReadonlyArray<EventStorageError | undefined>
}

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

  /** Whether the World takes several events in one write. (WORLD-45) */
  get takesBatches(): boolean {
    return this.#events.createBatch !== undefined
  }

  /**
   * Commits one event and takes it into the log, behind the events that the World reports below it.
   *
   * Returns whether it reported any: events of somebody else, which the decisions so far have not seen.
   */
  commit(event: EventInput): Effect.Effect<boolean, InBandError> {
    return Effect.suspend(() => {
      if (this.#stoppedBy !== undefined) return Effect.fail(this.#stoppedBy)
      return this.#events.create(this.#runId, event, this.#params).pipe(
        Effect.map((result) => {
          this.#expectedSeqInBand += result.allocated
          return this.#log.absorb(result, [result.event])
        }),
        Effect.mapError((error) => this.#stopUnlessHarmless(event, error))
      )
    })
  }

  /**
   * Commits several creations in one write, each at the next slot. It is not atomic: the World may refuse some of them,
   * and what it does not refuse is taken into the log. (POST-11, POST-12, WORLD-46)
   *
   * Fails where the write as a whole was refused, and where an event of it was refused because the run has ended.
   */
  commitBatch(events: Batch): Effect.Effect<BatchCommitted, InBandError> {
    return Effect.suspend(() => {
      if (this.#stoppedBy !== undefined) return Effect.fail(this.#stoppedBy)
      const { createBatch } = this.#events
      if (createBatch === undefined) return Effect.die(new Error("The World takes one event at a time."))
      return createBatch(this.#runId, events, this.#params).pipe(
        Effect.mapError((error) => this.#stopUnlessHarmless(events[0], error)),
        Effect.flatMap(({ results, allocated, ...report }) => {
          this.#expectedSeqInBand += allocated
          const written = results.flatMap((item) => (item._tag === "Committed" ? [item.event] : []))
          const isStale = written.length > 0 || report.events.length > 0 ? this.#log.absorb(report, written) : false
          const refusals = results.map((item) => (item._tag === "Committed" ? undefined : item.error))
          for (const [at, error] of refusals.entries()) {
            const event = events[at]
            if (error === undefined || event === undefined) continue
            const failure = this.#stopUnlessHarmless(event, error)
            if (failure !== error) return Effect.fail(failure)
          }
          return Effect.succeed({ isStale, refusals })
        })
      )
    })
  }

  get #params(): CreateEventParams {
    return { inBand: true, expectedSeqInBand: this.#expectedSeqInBand, eventCount: this.#log.tail }
  }

  /** After some errors nothing may be written any more. */
  #stopUnlessHarmless(event: EventInput, error: EventStorageError): InBandError {
    const failure = this.#failureOf(event, error)
    if (failure !== error || !isRefusal(error)) this.#stoppedBy = failure
    return failure
  }

  #failureOf({ eventType }: EventInput, error: EventStorageError): InBandError {
    const runId = this.#runId
    if (error._tag === "InBandSupersededError") return new OrchestratorSuperseded({ runId, eventType })
    const hasEnded =
      error._tag === "RunExpiredError" || (error._tag === "EntityConflictError" && error.conflict === "run-ended")
    return hasEnded ? new RunEnded({ runId, eventType }) : error
  }
}
