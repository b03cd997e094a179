/**
 * What becomes of a run whose log the loaded code cannot replay.
 *
 * A replay from cold may help, where the code that was retained has gone another way than the log's; it is made in the same
 * delivery, up to the number of times that is set. Then the run fails with a code that says why.
 *
 * Rules: RUN-33, EDGE-20, EDGE-55, SET-41, SET-42, HAND-26.
 *
 * @module
 */
import { Schema } from "effect"
import type { EventError } from "../world/index.ts"
import type { ReplayError } from "./vm/ReplayError.ts"

/** This process has not loaded the run's workflow; another one, or a later deployment, may. */
export class WorkflowNotLoaded extends Schema.TaggedError<WorkflowNotLoaded>()("WorkflowNotLoaded", {
  runId: Schema.String,
  workflowName: Schema.String
}) {
  override get message(): string {
    return `No loaded module exports the workflow ${JSON.stringify(this.workflowName)} of ${this.runId}.`
  }
}

const codes: Record<ReplayError["_tag"], string> = {
  ReplayDivergence: "CORRUPTED_EVENT_LOG",
  ReplayOutOfMemory: "REPLAY_OUT_OF_MEMORY",
  ReplayRunaway: "REPLAY_RUNAWAY",
  ReplayTampered: "CORRUPTED_EVENT_LOG",
  ReplayUnreadable: "CORRUPTED_EVENT_LOG",
  WorkflowLoadError: "CORRUPTED_EVENT_LOG"
}

/** The error that such a run ends with. */
export const failureOfReplay = (failure: ReplayError): EventError => ({
  name: failure._tag,
  message: failure.message,
  code: codes[failure._tag]
})
