/**
 * A delivery of an intermediate hop of a long wait: it asks whether the run has ended, and sends the next hop if not.
 *
 * It is no orchestrator delivery: nothing holds it back, it reads no log, and it writes nothing. A hop that is delivered
 * again sends the next one under the key that the first time used.
 *
 * Rules: WAIT-55, WAIT-56, WAIT-57, WAIT-58, WAIT-95, WAIT-100, WAIT-101, WAIT-110, DEDUPE-29.
 *
 * @module
 */
import { Effect } from "effect"
import type { EventStorageError, HandlerResult, MessageQueueError, WorkflowInvokePayload } from "../world/index.ts"
import type { DeliverySettings } from "./DeliverySettings.ts"
import { SendNextHop } from "./Timers.ts"

/** Why a hop's delivery failed; its message is delivered again. */
export type HopDeliveryError = EventStorageError | MessageQueueError

/** Handles one intermediate hop. */
export const deliverHop = Effect.fnUntraced(function* (
  { world, tuning }: DeliverySettings,
  { runId, waitContinuation }: WorkflowInvokePayload
): Effect.fn.Return<HandlerResult, HopDeliveryError> {
  const { resumeAtMs, hopAtMs } = waitContinuation ?? {}
  if (waitContinuation === undefined || resumeAtMs === undefined || hopAtMs === undefined) return undefined
  const hasEnded = yield* world.events.getRun(runId).pipe(
    Effect.map(({ terminal }) => terminal !== undefined),
    // A run that is gone waits for nothing.
    Effect.catchTag("RunNotFoundError", () => Effect.succeed(true))
  )
  if (hasEnded) return undefined
  yield* SendNextHop(world.queue, runId, waitContinuation, { resumeAtMs, hopAtMs }, tuning.waitHopSeconds * 1_000)
  return undefined
})
