/**
 * Everybody who writes the run, or sends it messages, outside of its deliveries. (VER-01, VER-03, VER-05, VER-06,
 * VER-17, VER-26, VER-27, VER-31, ROUTE-10, ROUTE-11, ROUTE-12, ROUTE-14, ROUTE-18, ROUTE-24, ROUTE-26, ROUTE-30,
 * ROUTE-36, ROUTE-39, OOB-14)
 *
 *     start    CreateRun, SendStart, in either order where the queue is not waited for
 *     cancel   CancelRun --> owes a wake --SendCancelWake--> done        --> refused: the World does not take its version
 *     a step's message   RunStep: its body, its outcome, its wake
 *     outside  SendFromOutside: a wake with another stamp, or with none
 *     the queue, processes and a backend   RotateStart | FlipEnvironment | RaiseVersion
 *
 * Changes `row`, `env`, `log`, `queue`, `client` and `budget`.
 *
 * @module
 */
import type { RoutingConfig } from "./Config.ts"
import {
  has,
  isEnded,
  put,
  type RoutedEvent,
  type RoutingActions,
  type RoutingState,
  routingVariables,
  spent
} from "./State.ts"
import { familyOf, mayRaise, mintedSpecVersion, versionForRunWrite } from "./Versions.ts"

const { action } = routingVariables

/** The version that `start` gives to a run (VER-05, VER-06). */
export const minted = ({ env, fence, rules }: RoutingConfig): number =>
  mintedSpecVersion({
    specVersion: env === 9 ? "9" : "8",
    inBandFence: fence !== false || !rules["mint-needs-fence"]
  }).version

/** The version that this release stamps a message of the run with (ROUTE-11, ROUTE-12, ROUTE-24, VER-26). */
const stampFor = ({ rules }: RoutingConfig, s: RoutingState): number => {
  if (!rules["stamp-every-send"]) return 0
  return rules["keep-stamp"] ? (s.row ?? 0) : s.env
}

/** The version that a backend may have next for a run. */
const raised = (version: number): number | undefined => {
  if (version === 5) return 8
  return version === 8 ? 9 : undefined
}

/** The actions of writers outside of the deliveries, and of the environment. */
export const routedWriters = (config: RoutingConfig): RoutingActions => {
  const { rules, budgets = {}, outside = [] } = config
  return {
    ...(config.created === undefined
      ? {
          /** `run_created`, with the version that the run is minted at. It converges with what the start message made. */
          CreateRun: action((s) => {
            if (!s.client.create) return
            const client = { ...s.client, create: false }
            if (s.row !== null) return { client }
            const version = minted(config)
            return { client, row: version, log: [{ type: "run_created", by: 0, stamp: version, knew: 0 }] }
          }),

          /** The run's first message, with the version that the run is given (ROUTE-14). */
          SendStart: action((s) => {
            if (!s.client.send || (s.client.create && config.eitherOrder !== true)) return
            return {
              client: { ...s.client, send: false },
              queue: put(s.queue, { kind: "start", from: "here", stamp: minted(config), count: 0 })
            }
          })
        }
      : {}),

    ...(config.step === "background"
      ? {
          /** The step's message: the body runs, the outcome is written, the orchestrator is woken (ROUTE-18). */
          RunStep: action((s) => {
            const at = s.queue.findIndex(({ kind }) => kind === "step")
            if (at < 0) return
            const rest = s.queue.toSpliced(at, 1)
            if (isEnded(s.log)) return { queue: rest }
            const event: RoutedEvent = { type: "step_completed", by: 0, stamp: s.row ?? 0, knew: 0 }
            return {
              log: has(s.log, "step_completed") ? s.log : [...s.log, event],
              queue: put(rest, { kind: "wake", from: "here", stamp: stampFor(config, s), count: 0 })
            }
          })
        }
      : {}),

    ...((budgets.cancels ?? 0) > 0
      ? {
          /**
           * Somebody cancels the run: the event is stamped with the run's version, which the World then takes (VER-27,
           * OOB-14).
           */
          CancelRun: action((s) => {
            if (s.budget.cancels === 0 || s.row === null || isEnded(s.log)) return
            const stamp = rules["stamp-by-run"] ? versionForRunWrite(s.row, 9) : s.env
            // A spec 9 run is written over the newest route alone (ROUTE-39).
            if (familyOf(stamp) < familyOf(s.row)) {
              return { ...spent(s, "cancels"), client: { ...s.client, cancel: "refused" } }
            }
            return {
              ...spent(s, "cancels"),
              client: { ...s.client, cancel: "owes-wake" },
              log: [...s.log, { type: "run_cancelled", by: 0, stamp, knew: 0 }]
            }
          }),

          /** The wake that follows, with the run's version (ROUTE-26). */
          SendCancelWake: action((s) => {
            if (s.client.cancel !== "owes-wake") return
            return {
              client: { ...s.client, cancel: "done" },
              queue: put(s.queue, { kind: "wake", from: "here", stamp: stampFor(config, s), count: 0 })
            }
          })
        }
      : {}),

    ...(outside.length > 0
      ? {
          /** A producer outside of this release sends a wake (ROUTE-30, ROUTE-36). */
          SendFromOutside: action({ stamp: outside }, (s, { stamp }) => {
            if (s.budget.outside === 0 || (s.row === null && config.eitherOrder !== true)) return
            return {
              ...spent(s, "outside"),
              queue: put(s.queue, { kind: "wake", from: "outside", stamp, count: 0 })
            }
          })
        }
      : {}),

    ...((budgets.rotations ?? 0) > 0
      ? {
          /** The queue's copy of a start message has become too old: a new message goes on, without `runInput` (ROUTE-10). */
          RotateStart: action((s) => {
            const at = s.queue.findIndex(({ kind }) => kind === "start")
            const start = s.queue[at]
            if (s.budget.rotations === 0 || start === undefined) return
            const stamp = rules["rotation-keeps-stamp"] ? start.stamp : 0
            return {
              ...spent(s, "rotations"),
              queue: put(s.queue.toSpliced(at, 1), { kind: "wake", from: "here", stamp, count: 0 })
            }
          })
        }
      : {}),

    ...((budgets.flips ?? 0) > 0
      ? {
          /** The variable is set, or unset, on every process (VER-01, VER-03, VER-17). */
          FlipEnvironment: action((s) => {
            if (s.budget.flips === 0) return
            return { ...spent(s, "flips"), env: s.env === 9 ? 8 : 9 }
          })
        }
      : {}),

    ...((budgets.raises ?? 0) > 0
      ? {
          /** A backend raises the run's version, which changes what it may use and never who drives it (VER-31). */
          RaiseVersion: action((s) => {
            const to = s.row === null ? undefined : raised(s.row)
            if (s.budget.raises === 0 || s.row === null || to === undefined) return
            if (rules["raise-within-family"] && !mayRaise(s.row, to)) return
            return { ...spent(s, "raises"), row: to }
          })
        }
      : {})
  }
}
