/**
 * The slots spec, put together from its parts for a configuration.
 *
 * No variables of its own: `State.ts` has them. What each action reads and changes is in `docs/protocol.md`.
 *
 * @module
 */
import { type Spec, type SpecParts, spec } from "../../checker/Language.ts"
import { type Config, setting } from "./Config.ts"
import { deliveryActions } from "./Deliveries.ts"
import { faultActions } from "./Faults.ts"
import { outsideActions, outsideCalls } from "./Outside.ts"
import { properties } from "./Properties.ts"
import { readerActions, strangerActions } from "./Readers.ts"
import { initial, type Part, type Vocabulary, vocabulary } from "./State.ts"
import { worldActions } from "./World.ts"

/** What a model of the slots adds to the spec: the situations that it is there to show, and what cannot happen in it. */
export type Shows = Pick<SpecParts<Vocabulary["declarations"]>, "sometimes" | "neverFires">

/** The slots spec for a configuration. */
export const slots = (config: Config, name = "slots", shows: Shows = {}): Spec => {
  const given = setting(config)
  const variables = vocabulary(given)
  const part: Part = { setting: given, action: variables.action }
  const calls = { ...outsideCalls(part), ...strangerActions(part), ...faultActions(part) }
  const works = { ...worldActions(part), ...deliveryActions(part), ...outsideActions(part), ...readerActions(part) }
  return spec({
    name,
    variables,
    init: initial(given),
    actions: { ...works, ...calls },
    environment: Object.keys(calls),
    fairness: Object.fromEntries(Object.keys(works).map((action) => [action, "weak"])),
    ...properties(given, variables),
    ...shows,
    owners: { log: "World", seqInBand: "World", reported: "World", request: "World", due: "Queue", holder: "Queue" },
    deadlock: "allowed"
  })
}
