/**
 * What becomes of a run whose log the loaded code cannot replay.
 *
 * A replay from cold may help, in another process or after another deployment, so the delivery fails and its message
 * comes back. When that has happened often enough the run fails with a code that says why.
 *
 * Rules: RUN-33 and EDGE-55, with a redelivery in place of the cold replay in the same delivery.
 *
 * @module
 */
import { Schema } from "effect"
import type { EventError } from "../world/index.ts"
import type { ReplayError } from "./vm/ReplayError.ts"

/** Attempts of one message, after which a run that cannot be replayed fails: the first, and three more. */
export const MAX_REPLAY_ATTEMPTS = 4

/** This process has not loaded the run's workflow; another one, or a later deployment, may. */
export class WorkflowNotLoaded extends Schema.TaggedError<WorkflowNotLoaded>()("WorkflowNotLoaded", {
  runId: Schema.String,
  workflowName: Schema.String
}) {
  override get message(): string {
    return `No loaded module exports the workflow ${JSON.stringify(this.workflowName)} of ${this.runId}.`
  }
}

/** The error that such a run ends with. */
export const failureOfReplay = (failure: ReplayError): EventError => ({
  name: failure._tag,
  message: failure.message,
  code: failure._tag === "ReplayRunaway" ? "REPLAY_RUNAWAY" : "CORRUPTED_EVENT_LOG"
})
