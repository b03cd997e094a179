/**
 * The outbox spec, put together from its parts for a configuration.
 *
 * No variables of its own: `State.ts` has them. What each action reads and changes is in `docs/protocol.md`.
 *
 * @module
 */
import { type Spec, type SpecParts, spec } from "../../checker/Language.ts"
import { type Config, setting } from "./Config.ts"
import { deliveryActions, deliveryFaults } from "./Delivery.ts"
import { properties } from "./Properties.ts"
import { initial, type Part, type Vocabulary, vocabulary } from "./State.ts"
import { storeActions, storeFaults } from "./Store.ts"

/** What a model of the outbox adds to the spec: the situations that it is there to show, and what cannot happen in it. */
export type Shows = Pick<SpecParts<Vocabulary["declarations"]>, "sometimes" | "neverFires">

const QUEUE: ReadonlyArray<string> = ["Deliver", "RestartShard", "RefuseForNow", "PruneKey"]

/** The outbox spec for a configuration. */
export const outbox = (config: Config, name = "outbox", shows: Shows = {}): Spec => {
  const given = setting(config)
  const variables = vocabulary(given)
  const part: Part = { setting: given, action: variables.action }
  const store = storeActions(part)
  const faulty = storeFaults(part)
  const works = { ...store, ...deliveryActions(part) }
  const faults = { ...faulty, ...deliveryFaults(part) }
  return spec({
    name,
    variables,
    init: initial(given),
    actions: { ...works, ...faults },
    environment: Object.keys(faults),
    fairness: Object.fromEntries(Object.keys(works).map((action) => [action, "weak"])),
    ...properties(given, variables),
    ...shows,
    processes: Object.fromEntries(
      [...Object.keys(works), ...Object.keys(faults)].map((action) => [
        action,
        QUEUE.includes(action) ? "Queue" : action in store || action in faulty ? "Run store" : "Delivery"
      ])
    ),
    owners: { log: "Run store", row: "Run store", intent: "Run store", queue: "Queue", accepted: "Queue" },
    deadlock: "allowed"
  })
}
