/**
 * What rotation promises: that a run has a message for as long as it needs one, whatever happens to that message's age.
 * (TOPO-01, ROT-01, ROT-02, ROT-06, ROT-07, HAND-03, HAND-08, QUEUE-43, WAKE-01)
 *
 * Reads `log`, `queue`, `delivery`, `wakeUp` and `budget`.
 *
 * @module
 */
import type { SpecParts } from "../../checker/Language.ts"
import type { Setting } from "./Config.ts"
import { isOver, type State, type Vocabulary } from "./State.ts"

/** The properties, for a setting. */
export const properties = (
  setting: Setting,
  { eventually }: Vocabulary
): Required<
  Pick<SpecParts<Vocabulary["declarations"]>, "invariants" | "stepProperties" | "whenStuck" | "temporal">
> => {
  const { deliveries, cap, budgets, program } = setting
  const messages = (s: State) => [
    ...s.queue,
    ...deliveries.flatMap((d) => {
      const o = s.delivery[d]
      return o ? [o.message] : []
    })
  ]
  /** A payload was sent that is not in the log. */
  const isOwedPayload = (s: State): boolean =>
    s.budget.payloads < (budgets.payloads ?? 0) && !s.log.includes("hook_received")
  return {
    invariants: {
      /** Deliveries of a run come one at a time (TOPO-01, ROT-07). */
      OneHolderInv: (s) => deliveries.filter((d) => s.delivery[d] !== null).length <= 1,
      /** A run is failed only once so many attempts of a message have come to nothing: handoffs are none (HAND-03, QUEUE-43). */
      FailedForCauseInv: (s) =>
        messages(s).every(({ attempts, failures }) => attempts < cap || failures >= cap || isOver(s.log))
    },
    stepProperties: {
      /**
       * A wait that a wake-up names does not run its full time, unless the wake-up was folded into a delivery, or came too
       * late (WAKE-01, ROT-06).
       */
      WakeUpProp: (s, t) =>
        s.wakeUp !== "sent" || t.wakeUp !== "sent" || s.log.length === t.log.length || t.log.at(-1) !== "wait_completed"
    },
    whenStuck: {
      /** The run has ended, or waits for a payload that nobody has sent (ROT-01, ROT-02, HAND-08). */
      NoStrandInv: (s) => isOver(s.log) || (s.log.at(-1) === "hook_created" && !isOwedPayload(s))
    },
    temporal: program.includes("hook")
      ? {}
      : {
          /** Every run ends: it completes, or its messages come to nothing too often (QUEUE-43). */
          RunEventuallyEnds: eventually((s) => isOver(s.log))
        }
  }
}
