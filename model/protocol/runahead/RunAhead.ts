/**
 * The run-ahead spec, put together from its parts.
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
import { initial, type Log, type Part, vocabulary } from "./State.ts"
import { eventOf } from "./Workflow.ts"
import { writerActions } from "./Writer.ts"

/** The run-ahead spec for a configuration, under these rules. */
export const runAhead = (config: Config, rules: Rules, name = "runahead"): Spec => {
  const given = setting(config, rules)
  const variables = vocabulary(given)
  const part: Part = { setting: given, action: variables.action }
  const environment = environmentActions(part)
  const log: Log = [
    eventOf("run_created", 0, { by: "o1" }),
    eventOf("run_started", 0, { by: "o1" }),
    ...given.earlyHooks.map((id) => eventOf("hook_created", id, { by: "o1", name: "early" }))
  ]
  return spec({
    name,
    variables,
    init: initial(given, log),
    actions: {
      ...deliveryActions(part),
      ...writerActions(part),
      ...outsideActions(part, config.maxInlineSteps !== undefined),
      ...environment
    },
    environment: [...Object.keys(environment), ...(given.budgetNames.includes("throttles") ? ["ThrottleStart"] : [])],
    ...properties(given, variables),
    neverFires: given.canStop ? [] : ["Restart"],
    owners: { log: "World", message: "Queue", holder: "Queue" },
    // A run that has ended leaves nothing to do.
    deadlock: "allowed"
  })
}
