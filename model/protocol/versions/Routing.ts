/**
 * The routing spec: one run, whose messages say or do not say which version it has. (ROUTE-31, ROUTE-33)
 *
 * Reads `row`, `log`, `delivery` and `client`.
 *
 * @module
 */
import { type Spec, spec } from "../../checker/Language.ts"
import type { RoutingConfig } from "./Config.ts"
import { routedDeliveries } from "./Deliveries.ts"
import { routingProperties } from "./Properties.ts"
import { isEnded, PLACES, type RoutingState, routingVariables } from "./State.ts"
import { routedWriters } from "./Writers.ts"

const ENVIRONMENT = [
  "SendFromOutside",
  "FlipEnvironment",
  "RaiseVersion",
  "CancelRun",
  "RotateStart",
  "Crash",
  "LapseLease"
]

const initial = ({ created, env, budgets = {} }: RoutingConfig): RoutingState => ({
  row: created ?? null,
  env,
  log: created === undefined ? [] : [{ type: "run_created", by: 0, stamp: created, knew: 0 }],
  queue: created === undefined ? [] : [{ kind: "wake", from: "here", stamp: created, count: 0 }],
  delivery: { 1: null, 2: null },
  client: { create: created === undefined, send: created === undefined, cancel: "none" },
  begun: 0,
  aborted: false,
  handed: "no",
  budget: {
    outside: budgets.outside ?? 0,
    crashes: budgets.crashes ?? 0,
    lapses: budgets.lapses ?? 0,
    flips: budgets.flips ?? 0,
    raises: budgets.raises ?? 0,
    cancels: budgets.cancels ?? 0,
    rotations: budgets.rotations ?? 0
  }
})

/** The routing spec for a configuration. */
export const routing = (config: RoutingConfig, name = "routing"): Spec => {
  const actions = { ...routedDeliveries(config), ...routedWriters(config) }
  const clients = ["CreateRun", "SendStart", "CancelRun", "SendCancelWake"].map((one): [string, string] => [
    one,
    "client"
  ])
  const others: ReadonlyArray<[string, string]> = [
    ["SendFromOutside", "outside"],
    ["FlipEnvironment", "operator"],
    ["RaiseVersion", "backend"],
    ["RunStep", "step"]
  ]
  return spec({
    name,
    variables: routingVariables,
    init: initial(config),
    actions,
    // Whether a run is cancelled is up to its clients, unless that is what its body waits for.
    environment: ENVIRONMENT.filter(
      (action) => action in actions && (action !== "CancelRun" || config.abortable !== true)
    ),
    ...routingProperties(config),
    temporal: {
      /** Every run ends: no message is handed on, and no delivery refused, for ever (ROUTE-31, ROUTE-33). */
      EventuallyEnds: routingVariables.eventually((s) => isEnded(s.log))
    },
    fairness: Object.fromEntries(
      Object.keys(actions).flatMap((action) =>
        ENVIRONMENT.includes(action) && (action !== "CancelRun" || config.abortable !== true)
          ? []
          : [[action, "weak"] as const]
      )
    ),
    sometimes: {
      "the run ends": (s) => isEnded(s.log),
      ...(config.eitherOrder === true
        ? {
            /** The start message made the run. */
            "the run is there before its client wrote it": (s: RoutingState) => s.row !== null && s.client.create
          }
        : {}),
      ...((config.outside ?? []).length > 0 && !config.promises.oneHolder
        ? {
            "two deliveries are under way": (s: RoutingState) => PLACES.every((d) => s.delivery[d] !== null)
          }
        : {})
    },
    processes: Object.fromEntries([...clients, ...others].filter(([action]) => action in actions)),
    owners: { log: "World", row: "World", queue: "Queue" },
    deadlock: "allowed"
  })
}
