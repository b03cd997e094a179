/**
 * Hooks that workflow code made since the last pass: each is created before any step of the pass. (STEP-02)
 *
 * @module
 */
import type { Effect } from "effect"
import { SPEC_VERSION_SINGLE_ORCHESTRATOR } from "../world/index.ts"
import type { DeliveryError, Orchestrator } from "./Orchestrator.ts"
import type { Call } from "./vm/Session.ts"

/** Writes the hooks among new calls. Returns whether foreign events were reported. */
export function* createHooks(
  orchestrator: Orchestrator,
  fresh: ReadonlyArray<Call>
): Effect.fn.Return<boolean, DeliveryError> {
  let isStale = false
  for (const call of fresh) {
    if (call.kind !== "hook") continue
    const reported = yield* orchestrator.CommitInBand({
      eventType: "hook_created",
      specVersion: SPEC_VERSION_SINGLE_ORCHESTRATOR,
      correlationId: call.id,
      eventData: { token: call.token }
    })
    isStale = reported || isStale
  }
  return isStale
}
