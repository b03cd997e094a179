/**
 * The queue in full: who is delivered when, how often, and what every World makes of it.
 *
 * - The wake queue (`WakeQueue.ts`): the messages that wake one run's orchestrator. Claims, leases, coalescing and
 *   re-runs, gates, handoffs, delays, the delivery cap, a queue that is lost. Read `Accounting`, `Config`, `Rules`, `State`,
 *   `Queueing`, `Orchestrating`, `Properties`; `Models` and `CapModels` list the bounded models.
 *
 * - The step's message (`StepMessages.ts`): the one message that a background step is owed, the key that keeps it one, and
 *   its deliveries. Read `StepRules`, `StepState`, `StepSending`, `StepDelivering`; `StepModels` lists the bounded models.
 *
 * Rotation and the fresh start of a run's first message are another part's.
 *
 * @module
 */
export {
  askedFor,
  attemptOf,
  type Count,
  delayOf,
  delivered,
  deliveryCountOf,
  handedOff,
  NEVER,
  ownsChain,
  rescheduled,
  takesHandoff,
  type World
} from "./Accounting.ts"
export type { WakeQueueConfig } from "./Config.ts"
export { wakeQueueModels } from "./Models.ts"
export { type WakeQueueRule, type WakeQueueRules, wakeQueueSwitches } from "./Rules.ts"
export { stepMessages } from "./StepMessages.ts"
export { stepMessageModels } from "./StepModels.ts"
export { type StepMessageRule, type StepMessageRules, stepMessageSwitches } from "./StepRules.ts"
export type { StepMessageConfig } from "./StepState.ts"
export { wakeQueue } from "./WakeQueue.ts"

import type { Model } from "../../checker/Language.ts"
import { wakeQueueModels } from "./Models.ts"
import { stepMessageModels } from "./StepModels.ts"

/** Every bounded model of the queue. */
export const queuesModels: ReadonlyArray<Model> = [...wakeQueueModels, ...stepMessageModels]
