/**
 * The rotation spec, put together from its parts.
 *
 * No variables of its own: `State.ts` has them. What each action reads and changes is in `docs/protocol.md`.
 *
 * @module
 */
import { type Spec, type SpecParts, spec } from "../../checker/Language.ts"
import { type Config, setting } from "./Config.ts"
import { deliveryActions, deliveryFaults } from "./Deliveries.ts"
import { outsideActions } from "./Outside.ts"
import { properties } from "./Properties.ts"
import { queueActions } from "./Rotating.ts"
import type { Rules } from "./Rules.ts"
import { initial, type Part, type Vocabulary, vocabulary } from "./State.ts"

/** What a model of rotation adds to the spec: the situations that it is there to show, and what cannot happen in it. */
export type Shows = Pick<SpecParts<Vocabulary["declarations"]>, "sometimes" | "neverFires">

/** The rotation spec for a configuration, under these rules. */
export const rotation = (config: Config, rules: Rules, name = "rotation", shows: Shows = {}): Spec => {
  const given = setting(config, rules)
  const variables = vocabulary(given)
  const part: Part = { setting: given, action: variables.action }
  const works = { ...deliveryActions(part), ...queueActions(part) }
  const faults = { ...deliveryFaults(part), ...outsideActions(part) }
  const isSure = (action: string): boolean => action === "ThrottleStart" && given.alwaysThrottled
  return spec({
    name,
    variables,
    init: initial(given),
    actions: { ...works, ...faults },
    environment: Object.keys(faults).filter((action) => !isSure(action)),
    fairness: Object.fromEntries(
      [...Object.keys(works), ...Object.keys(faults).filter(isSure)].map((action) => [action, "weak" as const])
    ),
    ...properties(given, variables),
    ...shows,
    processes: Object.fromEntries(
      [
        ["PassTime", "clock"],
        ["Coalesce", "queue"],
        ["FailRun", "queue"]
      ].filter(([action = ""]) => action in works)
    ),
    owners: { log: "World", queue: "queue" },
    // A run that has ended leaves nothing to do.
    deadlock: "allowed"
  })
}
