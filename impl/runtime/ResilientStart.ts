/**
 * The log of a run whose creation may have been lost: `start()` sent the run's first message, and its `run_created` never
 * landed.
 *
 * The message repeats what creates the run. So its delivery writes a `run_started` that carries it, and the World puts the
 * `run_created` below that, in one step. The counts of that write are those of a run that has just been created: where
 * somebody else was first, the fence refuses it, and there is a log to load.
 *
 * Rules: RUN-35, TURBO-22.
 *
 * @module
 */
import { Effect } from "effect"
import {
  type EventStorage,
  type EventStorageError,
  SPEC_VERSION_SINGLE_ORCHESTRATOR,
  type WorkflowInvokePayload
} from "../world/index.ts"
import { type LogState, loadLog } from "./LogState.ts"

/** The in-band count, and the slots, of a run that has just been created. */
const AT_CREATION = 1

/** Loads the log of a message's run, and creates the run first where it does not exist and the message can. */
export const openLog = (
  events: EventStorage["Service"],
  { runId, runInput }: Pick<WorkflowInvokePayload, "runId" | "runInput">
): Effect.Effect<LogState, EventStorageError> => {
  const load = loadLog(events, runId)
  if (runInput === undefined) return load
  const { specVersion: _, ...creation } = runInput
  const create = events
    .create(
      runId,
      {
        eventType: "run_started",
        specVersion: SPEC_VERSION_SINGLE_ORCHESTRATOR,
        eventData: creation
      },
      { inBand: true, expectedSeqInBand: AT_CREATION, eventCount: AT_CREATION }
    )
    .pipe(Effect.catchTag("InBandSupersededError", () => Effect.void))
  return Effect.catchTag(load, "RunNotFoundError", () => Effect.andThen(create, load))
}
