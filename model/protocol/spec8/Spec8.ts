/**
 * The spec 8 spec: one run, put together from its parts for a configuration. (SIM-82, SIM-143)
 *
 * No variables of its own: `State.ts` has them.
 *
 * @module
 */
import { type Spec, spec } from "../../checker/Language.ts"
import { type Spec8Config, spec8Setting } from "./Config.ts"
import { deliveryActions } from "./Deliveries.ts"
import { endsTheRun, isEvent } from "./Positions.ts"
import { spec8Properties } from "./Properties.ts"
import { type Spec8State, spec8Initial, spec8Vocabulary } from "./State.ts"
import { writerActions } from "./Writers.ts"

const ENVIRONMENT = ["AcceptPayload", "DuplicateStep", "SendSpareWake", "Crash", "ReadStale"]

/** The spec 8 spec for a configuration. */
export const spec8 = (config: Spec8Config, name = "spec8"): Spec => {
  const setting = spec8Setting(config)
  const variables = spec8Vocabulary(setting)
  const part = { setting, action: variables.action }
  const actions = { ...deliveryActions(part), ...writerActions(part) }
  const client = ["AcceptPayload", "StorePayload", "MovePayload", "RefusePayload"]
  return spec({
    name,
    variables,
    init: spec8Initial(setting),
    actions,
    environment: ENVIRONMENT.filter((action) => action in actions),
    ...spec8Properties(setting),
    temporal: {
      /** Every run ends: its sleep elapses, its steps complete, and no guard refuses for ever (SIM-82, SIM-143). */
      EventuallyEnds: variables.eventually((s) => s.log.some(endsTheRun))
    },
    fairness: Object.fromEntries(
      Object.keys(actions).flatMap((action) => (ENVIRONMENT.includes(action) ? [] : [[action, "weak"] as const]))
    ),
    sometimes: {
      /** Some behaviour takes the run to its end. */
      "the run completes": (s: Spec8State) => s.log.some((cell) => cell.type === "run_completed"),
      ...(setting.hasHook
        ? {
            /** A payload is stored, so that what the tempo allows is not empty. */
            "a payload is stored": (s: Spec8State) =>
              s.log.some((cell) => isEvent(cell) && cell.type === "hook_received")
          }
        : {})
    },
    processes: Object.fromEntries(
      [...client.map((action) => [action, "client"]), ["ElapseSleep", "Time"], ["SendSpareWake", "client"]].filter(
        ([action]) => action !== undefined && action in actions
      )
    ),
    owners: { log: "World", wakes: "Queue" },
    // A run that has ended leaves nothing to do. What must not stop is told apart by `NoStrandInv`.
    deadlock: "allowed"
  })
}
