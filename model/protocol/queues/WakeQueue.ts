/**
 * The spec of the queue of a run's orchestrator messages, put together from its parts.
 *
 * No variables of its own: `State.ts` has them. What each action reads and changes is in `docs/protocol.md`.
 *
 * @module
 */
import { type Process, type Spec, spec } from "../../checker/Language.ts"
import { type Setting, setting, type WakeQueueConfig } from "./Config.ts"
import { orchestratorActions, writerActions } from "./Orchestrating.ts"
import { properties } from "./Properties.ts"
import { faultActions, queueActions } from "./Queueing.ts"
import type { WakeQueueRules } from "./Rules.ts"
import { initial, type Part, type State, vocabulary } from "./State.ts"

const processes: { readonly [action: string]: Process } = {
  Coalesce: "queue",
  ComeDue: "queue",
  StartStep: "step",
  CommitOutcome: "step",
  CommitPayload: { by: "writer" },
  SendWake: { by: "writer" },
  WakeForNothing: "writer",
  Restart: "process"
}

/** What a configuration has no occasion for. */
const idle = ({ handler, budgetNames, deliveries, rotates, step, writers }: Setting): ReadonlyArray<string> => [
  ...(handler === "works" ? [] : ["SkipAsNoOp", "SendStepMessage", "Finish", "Suspend", "StartStep", "CommitOutcome"]),
  // A run that waits for nothing may complete at once, and that is refused.
  ...(handler === "works" || (handler === "refused" && !step && writers.length === 0) ? [] : ["CompleteRun"]),
  ...(handler === "refused" || deliveries.length > 1 ? [] : ["AskRedelivery"]),
  ...(handler === "works" && deliveries.length === 1 && !budgetNames.includes("rejections")
    ? ["FailRun", ...(rotates ? [] : ["ComeDue"])]
    : [])
]

/** The spec of the wake queue for a configuration, under these rules. */
export const wakeQueue = (
  config: WakeQueueConfig,
  rules: WakeQueueRules,
  name = "wake-queue",
  shows: { readonly [name: string]: (s: State) => boolean } = {}
): Spec => {
  const given = setting(config, rules)
  const variables = vocabulary(given)
  const part: Part = { setting: given, action: variables.action }
  const faults = faultActions(part)
  const actions = { ...queueActions(part), ...orchestratorActions(part), ...writerActions(part), ...faults }
  const promised = properties(given, variables)
  return spec({
    name,
    variables,
    init: initial(given),
    actions,
    environment: [...Object.keys(faults), "EndEarly", "CommitPayload", "WakeForNothing"].filter(
      (action) => action in actions
    ),
    ...promised,
    sometimes: { ...promised.sometimes, ...shows },
    neverFires: [...idle(given), ...(config.never ?? [])].filter((action) => action in actions),
    processes: Object.fromEntries(Object.entries(processes).filter(([action]) => action in actions)),
    owners: { log: "World", key: "queue", message: "queue", step: "queue" },
    // A run that has ended leaves nothing to do.
    deadlock: "allowed"
  })
}
