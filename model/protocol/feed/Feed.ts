/**
 * The feed spec, put together from its parts for a configuration.
 *
 * No variables of its own: `State.ts` has them. What each action reads and changes is in `docs/protocol.md`.
 *
 * @module
 */
import { type Spec, type SpecParts, spec } from "../../checker/Language.ts"
import { type Config, setting } from "./Config.ts"
import { deliveryActions, deliveryFaults } from "./Delivery.ts"
import { pollActions, pollFaults } from "./Polls.ts"
import { properties } from "./Properties.ts"
import { sourceActions, sourceFaults } from "./Source.ts"
import { initial, type Part, type Vocabulary, vocabulary } from "./State.ts"

/** What a model of the feed adds to the spec: the situations that it is there to show, and what cannot happen in it. */
export type Shows = Pick<SpecParts<Vocabulary["declarations"]>, "sometimes" | "neverFires">

const WORLD = "World"
const CLIENT = "LiveLogFeed"

/** The feed spec for a configuration. */
export const feed = (config: Config, name = "feed", shows: Shows = {}): Spec => {
  const given = setting(config)
  const variables = vocabulary()
  const part: Part = { setting: given, action: variables.action }
  const faults = { ...sourceFaults(part), ...pollFaults(part), ...deliveryFaults(part) }
  const works = { ...sourceActions(part), ...pollActions(part), ...deliveryActions(part) }
  const processes = {
    CommitOutside: "Outside",
    SendWake: "Outside",
    Subscribe: WORLD,
    Push: WORLD,
    Arrive: CLIENT,
    StartPoll: CLIENT,
    FinishPoll: CLIENT,
    Deliver: "Queue"
  }
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
        Object.entries(processes).find(([one]) => one === action)?.[1] ?? "Delivery"
      ])
    ),
    owners: { log: WORLD, source: WORLD, transit: WORLD, feed: CLIENT, handed: CLIENT, wake: "Queue" },
    deadlock: "allowed"
  })
}
