/**
 * The hooks spec, put together from its parts for a configuration.
 *
 * No variables of its own: `State.ts` has them. What each action reads and changes is in `docs/protocol.md`.
 *
 * @module
 */
import { type Spec, type SpecParts, spec } from "../../checker/Language.ts"
import { callerActions, callerFaults } from "./Callers.ts"
import { type Config, setting } from "./Config.ts"
import { orchestratorActions, orchestratorFaults } from "./Orchestrator.ts"
import { properties } from "./Properties.ts"
import { retentionActions } from "./Retention.ts"
import { initial, type Part, type Vocabulary, vocabulary } from "./State.ts"
import { stepActions } from "./Steps.ts"

/** What a model of hooks adds to the spec: the situations that it is there to show, and what cannot happen in it. */
export type Shows = Pick<SpecParts<Vocabulary["declarations"]>, "sometimes" | "neverFires">

/** The hooks spec for a configuration. */
export const hooks = (config: Config, name = "hooks", shows: Shows = {}): Spec => {
  const given = setting(config)
  const variables = vocabulary()
  const part: Part = { setting: given, action: variables.action }
  const called = given.callers.length > 0 ? callerActions(part) : {}
  const failed = given.callers.length > 0 ? callerFaults(part) : {}
  const works = { ...orchestratorActions(part), ...stepActions(part), ...retentionActions(part), ...called }
  const faults = { ...orchestratorFaults(part), ...failed }
  return spec({
    name,
    variables,
    init: initial(given),
    actions: { ...works, ...faults },
    environment: Object.keys(faults),
    fairness: Object.fromEntries(
      Object.keys(works).map((action) => [action, action in called ? { weak: ["caller"] } : { weak: ["run"] }])
    ),
    ...properties(given, variables),
    ...shows,
    processes: Object.fromEntries(
      [...Object.keys(works), ...Object.keys(faults)].map((action) => [
        action,
        action === "PassDay" || action === "EndRetention"
          ? "Clock"
          : action in called || action in failed
            ? { by: "caller" }
            : { by: "run" }
      ])
    ),
    owners: { log: "World", token: "World", wakes: "Queue" },
    deadlock: "allowed"
  })
}
