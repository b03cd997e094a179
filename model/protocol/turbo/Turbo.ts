/**
 * The turbo spec, put together from its parts.
 *
 * No variables of its own: `State.ts` has them.
 *
 * @module
 */
import { type Spec, spec } from "../../checker/Language.ts"
import { clientActions, environmentActions } from "./Clients.ts"
import { type Config, setting } from "./Config.ts"
import { deliveryActions } from "./Delivery.ts"
import { properties } from "./Properties.ts"
import { queueActions } from "./Queue.ts"
import type { Rules } from "./Rules.ts"
import { initial, type Part, vocabulary } from "./State.ts"

const FAULTS = ["ThrottleStart", "SetAttribute", "PassTime", "Age", "Expire", "Crash", "LapseLease"]

/** The turbo spec for a configuration, under these rules. */
export const turbo = (config: Config, rules: Rules, name = "turbo"): Spec => {
  const given = setting(config, rules)
  const variables = vocabulary(given)
  const part: Part = { setting: given, action: variables.action }
  const { maxLog } = given
  const environment = environmentActions(part)
  const actions = { ...clientActions(part), ...deliveryActions(part), ...queueActions(part), ...environment }
  return spec({
    name,
    variables,
    init: initial(given),
    actions,
    environment: [...Object.keys(environment), ...FAULTS.filter((fault) => fault in actions)],
    ...properties(given, variables),
    // Only a message that no rotation continued can expire.
    neverFires: ["Expire"].filter((action) => action in actions),
    constraint: variables.invariant((s) => maxLog === "unlimited" || s.log.length <= maxLog),
    processes: { CreateRun: "client", SendStart: "client" },
    owners: { log: "World", queue: "Queue", holder: "Queue", steps: "Queue" },
    // A run that has ended leaves nothing to do.
    deadlock: "allowed"
  })
}
