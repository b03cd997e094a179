/**
 * One orchestrator delivery, as the kinds of calls that it decides see it: the log that it holds, and its writes.
 *
 * Each kind of call (steps, hooks, waits) has a module of its own, which reads this and commits through it. The loop that
 * puts them in order is `Delivery.ts`.
 *
 * Rules: CAC-02, RUN-24.
 *
 * @module
 */
import { Effect } from "effect"
import type { WorkflowMetadata } from "../workflow/Backend.ts"
import type { EventInput, EventStorageError, MessageMeta, MessageQueueError } from "../world/index.ts"
import { workflowOf } from "./BodyHost.ts"
import type { DeliverySettings } from "./DeliverySettings.ts"
import { type Batch, type BatchCommitted, type InBandError, InBandWriter } from "./InBandWriter.ts"
import { catchUp, type LogState, loadLog } from "./LogState.ts"
import type { WorkflowNotLoaded } from "./ReplayFailure.ts"
import type { StepNotRegistered } from "./StepAttempt.ts"
import type { ReplayError } from "./vm/ReplayError.ts"

/** Why an orchestrator delivery failed; its message is delivered again. A refusal by the fence is an answer, not a failure. */
export type DeliveryError = InBandError | MessageQueueError | ReplayError | WorkflowNotLoaded | StepNotRegistered

/** What the kinds of calls share within one delivery. */
export class Orchestrator {
  readonly settings: DeliverySettings
  readonly runId: string
  readonly meta: MessageMeta
  readonly log: LogState
  readonly workflow: WorkflowMetadata
  readonly #writer: InBandWriter

  constructor(settings: DeliverySettings, runId: string, meta: MessageMeta, log: LogState) {
    this.settings = settings
    this.runId = runId
    this.meta = meta
    this.log = log
    this.workflow = workflowOf(runId, log.events[0])
    this.#writer = new InBandWriter(settings.world.events, runId, log)
  }

  /**
   * Commits one event and takes it into the log.
   *
   * Returns whether the World reported events of somebody else below it, which the decisions so far have not seen.
   */
  CommitInBand(event: EventInput): Effect.Effect<boolean, InBandError> {
    return this.#writer.commit(event)
  }

  /** Whether the World takes several creations in one write. */
  get takesBatches(): boolean {
    return this.#writer.takesBatches
  }

  /** Commits several creations in one write, and takes those that the World did not refuse into the log. */
  CommitBatchInBand(events: Batch): Effect.Effect<BatchCommitted, InBandError> {
    return this.#writer.commitBatch(events)
  }

  /** Reads the whole log again, for a replay from cold. A World that gives other events than before breaks its contract. */
  reload(): Effect.Effect<void, EventStorageError> {
    return Effect.flatMap(loadLog(this.settings.world.events, this.runId), ({ events, snapshot, cursor }) =>
      Effect.suspend(() => {
        const changed = this.log.events.find((held, at) => events[at]?.eventType !== held.eventType)
        if (changed !== undefined) {
          return Effect.die(new Error(`The World has changed the log of ${this.runId}: ${changed.eventId} is another.`))
        }
        this.log.catchUp({ data: events, snapshot, cursor })
        return Effect.void
      })
    )
  }

  /** Loads what the log lacks. Only to be called when it is behind. */
  catchUp(): Effect.Effect<void, EventStorageError> {
    return catchUp(this.settings.world.events, this.runId, this.log)
  }
}
