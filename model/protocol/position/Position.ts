/**
 * The spec of the quick exit, put together from its parts.
 *
 * No variables of its own: `State.ts` has them. What each action reads and changes is in `docs/protocol.md`.
 *
 * @module
 */
import { type Spec, spec } from "../../checker/Language.ts"
import { type Config, setting } from "./Config.ts"
import { deliveryActions } from "./Delivery.ts"
import { environmentActions, outsideActions } from "./Outside.ts"
import { properties } from "./Properties.ts"
import type { Rules } from "./Rules.ts"
import { initial, type Part, vocabulary } from "./State.ts"

const PROCESSES: { readonly [action: string]: string } = {
  Resume: "Client",
  SendWake: "Client",
  WakeUp: "Client",
  ResumeByMessage: "Client",
  RunStep: "Step",
  Elapse: "Queue",
  Deliver: "Queue",
  DeliverEarly: "Queue"
}

/** The spec of the quick exit for a configuration, under these rules. */
export const position = (config: Config, rules: Rules, name = "position"): Spec => {
  const given = setting(config, rules)
  const variables = vocabulary(given)
  const part: Part = { setting: given, action: variables.action }
  const works = { ...deliveryActions(part), ...outsideActions(part) }
  const environment = environmentActions(part)
  const fair = [...Object.keys(works), ...["Elapse"].filter((name) => name in environment)]
  return spec({
    name,
    variables,
    init: initial(given),
    actions: { ...works, ...environment },
    environment: Object.keys(environment),
    fairness: Object.fromEntries(fair.map((action) => [action, "weak"])),
    ...properties(given, variables),
    processes: Object.fromEntries(
      [...Object.keys(works), ...Object.keys(environment)].map((action) => [action, PROCESSES[action] ?? "Delivery"])
    ),
    owners: { log: "World", queue: "Queue", step: "Queue" },
    // A run that has ended leaves nothing to do.
    deadlock: "allowed"
  })
}
