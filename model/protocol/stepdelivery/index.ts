/**
 * One background step's message and its deliveries: when a body may begin, and how a retry waits for its time.
 *
 * The composed spec has the same deliveries beside the orchestrator, with starts that commit at once. Here a start is in
 * flight before it commits, may be refused for now or for good, and a retry has a time. Read `Rules`, then `State`, then
 * `StepDelivery`; `Models` lists the bounded models.
 *
 * What is the implementation's alone: that `WORKFLOW_OPTIMISTIC_INLINE_START=0` wins over the setting (SET-12, STEP-35).
 *
 * @module
 */
export { stepDeliveryModels } from "./Models.ts"
export {
  type Rule as StepDeliveryRule,
  type Rules as StepDeliveryRules,
  switches as stepDeliverySwitches
} from "./Rules.ts"
export type { Config as StepDeliveryConfig } from "./State.ts"
export { stepDelivery } from "./StepDelivery.ts"
