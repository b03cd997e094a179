/**
 * Deliveries of the run's messages, by whichever orchestrator they are routed to. (ROUTE-01, ROUTE-02, ROUTE-04,
 * ROUTE-05, ROUTE-06, ROUTE-08, ROUTE-09, ROUTE-15, ROUTE-31, ROUTE-32, ROUTE-33, ROUTE-34, ROUTE-35, ROUTE-36,
 * ROUTE-48, ROUTE-49, VER-01, VER-25, TOPO-01, TOPO-12, TOPO-14, TOPO-18, TOPO-21, STEP-37, STEP-61)
 *
 *     queued  --Deliver--> claimed; unstamped, its family is not known before --ReadRow-->
 *     claimed --LoadRun--> loaded | --HandOn--> gone, and sent again with a stamp: the run is of the other family
 *             | --DropMissing--> gone: there is no such run
 *     loaded --SendStep--> loaded: the message of a step that it created, or must send again
 *            | --CommitDecision | EndBody--> loaded | --DropDecision--> loaded: it has ended, or a row has it (spec 8)
 *            | --RefuseDecision--> refused --AskAgain--> gone, and the message again
 *            | --Acknowledge--> gone
 *     any    --Crash--> gone, and the message again | --LapseLease--> lives on without its lease
 *
 * The queue decides by the message alone whether it takes the run's key, unless it looks up what is not stamped.
 *
 * Changes `row`, `log`, `queue`, `delivery`, `begun`, `aborted`, `handed` and `budget`; reads `env` besides.
 *
 * @module
 */
import type { RoutingConfig } from "./Config.ts"
import {
  has,
  inBandCount,
  isEnded,
  PLACES,
  put,
  type RoutedDelivery,
  type RoutedEvent,
  type RoutedMessage,
  type RoutingActions,
  type RoutingState,
  routingVariables,
  spent
} from "./State.ts"
import { familyOf, LEGACY, resolveRunSpec, SINGLE_ORCHESTRATOR, type Stamped, takesRunKey } from "./Versions.ts"
import { minted } from "./Writers.ts"

const { action } = routingVariables

/** How often the run's inline step is started at most. */
const LAST_ATTEMPT = 2

/** A message as the functions of `Versions.ts` take it: the start carries `runInput`, a step's message `runContext`. */
const fields = ({ kind, stamp }: RoutedMessage): Stamped => {
  const of = kind === "step" ? "step" : "orchestrator"
  if (stamp === 0) return { kind: of }
  if (kind === "start") return { kind: of, runInput: stamp }
  return kind === "step" ? { kind: of, runContext: stamp } : { kind: of, runSpecVersion: stamp }
}

/**
 * The version by which the queue knows an unstamped message, where it looks it up. A message of a run that is not there
 * yet waits its turn: taken for spec 8, it could end up beside the holder once the run is (`message-before-run`)
 * (ROUTE-32).
 */
const lookedUp = ({ rules }: RoutingConfig, s: RoutingState): number =>
  rules["resolve-before-gating"] ? (s.row ?? SINGLE_ORCHESTRATOR) : LEGACY

/** Whether the queue treats the message as one of a spec 9 run. */
const isSpec9ToQueue = (config: RoutingConfig, s: RoutingState, message: RoutedMessage): boolean =>
  familyOf(message.stamp === 0 ? lookedUp(config, s) : message.stamp) === 9

/** Whether the message takes the run's key. */
const isKeyed = (config: RoutingConfig, s: RoutingState, message: RoutedMessage): boolean =>
  !config.rules["gate-by-version"] || takesRunKey(fields(message), lookedUp(config, s))

/** What the orchestrator writes next on the events that it knows, if anything: the run's whole program. */
export const nextWrite = (
  config: RoutingConfig,
  o: RoutedDelivery,
  known: ReadonlyArray<RoutedEvent>
): RoutedEvent["type"] | undefined => {
  if (isEnded(known)) return
  if (has(known, "step_completed")) return "run_completed"
  if (config.step === "background") return has(known, "step_created") ? undefined : "step_created"
  if (o.body === "ended") return "step_completed"
  if (o.body === "running") return
  // Past its attempts the step is failed, which is an outcome like any other here (STEP-61).
  if (known.filter(({ type }) => type === "step_started").length >= LAST_ATTEMPT) return "step_completed"
  // A step that somebody has started: a spec 9 start names no owner, so this delivery starts it again (ROUTE-34).
  return o.family === 9 || !has(known, "step_started") ? "step_started" : undefined
}

/** Whether the step's message lives: it has a key, so there is one at most. */
const isStepMessageAlive = ({ queue }: RoutingState): boolean => queue.some(({ kind }) => kind === "step")

const isWriting = (s: RoutingState, d: 1 | 2): RoutedDelivery | undefined => {
  const o = s.delivery[d]
  return o?.at === "loaded" ? o : undefined
}

/** The actions of orchestrator deliveries. */
export const routedDeliveries = (config: RoutingConfig): RoutingActions => {
  const { rules, budgets = {} } = config
  const outside = config.outside ?? []
  const mayMismatch = outside.some((stamp) => stamp !== 0) || !rules["route-by-stored-version"] || !rules["keep-stamp"]
  const isFenced = (o: RoutedDelivery): boolean =>
    o.family === 9 && rules["unserialized-fence"] && config.fence !== false
  const unstamped = outside.includes(0) || !rules["stamp-every-send"] || !rules["rotation-keeps-stamp"]
  const mayChangeRoute = mayMismatch || (config.eitherOrder === true && (budgets.flips ?? 0) > 0)
  const family = familyOf(config.created ?? minted(config))
  const overlaps = family === 9 && ((unstamped && !rules["resolve-before-gating"]) || (budgets.lapses ?? 0) > 0)
  return {
    /**
     * A message is claimed. One that takes the run's key waits while another delivery holds it (TOPO-01, TOPO-12,
     * TOPO-14, ROUTE-09, ROUTE-49).
     */
    Deliver: action({ delivery: PLACES, at: (s) => s.queue.map((_, at) => at) }, (s, { delivery: d, at }) => {
      const message = s.queue[at]
      if (s.delivery[d] !== null || message === undefined || message.kind === "step") return
      const keyed = isKeyed(config, s, message)
      if (keyed && PLACES.some((other) => s.delivery[other]?.keyed && s.delivery[other]?.lease === "held")) return
      const family = message.stamp === 0 ? 0 : familyOf(message.stamp)
      return {
        queue: s.queue.toSpliced(at, 1),
        delivery: {
          [d]: {
            message: { ...message, count: Math.min(2, message.count + 1) },
            family,
            at: "claimed",
            keyed,
            lease: "held",
            known: 0,
            expected: 0,
            body: "none",
            owes: false
          }
        }
      }
    }),

    ...(unstamped
      ? {
          /**
           * A message without a stamp: the run is read, once, for its version (ROUTE-02, ROUTE-04, ROUTE-06, ROUTE-31,
           * ROUTE-01, ROUTE-05, VER-01, VER-25).
           */
          ReadRow: action({ delivery: PLACES }, (s, { delivery: d }) => {
            const o = s.delivery[d]
            if (o?.at !== "claimed" || o.family !== 0) return
            const row = s.row === null ? null : { specVersion: s.row }
            const found = resolveRunSpec(fields(o.message), row, s.env).version
            const version = rules["route-by-stored-version"] ? found : s.env
            return { delivery: { [d]: { ...o, family: familyOf(version) } } }
          })
        }
      : {}),

    /** The run and its log are loaded. A start message creates a run that is not there yet. */
    LoadRun: action({ delivery: PLACES }, (s, { delivery: d }) => {
      const o = s.delivery[d]
      if (o?.at !== "claimed" || o.family === 0) return
      if (s.row === null && o.message.kind !== "start") return
      if (s.row !== null && rules["hand-on-wrong-hint"] && familyOf(s.row) !== o.family) return
      const created: RoutedEvent = { type: "run_created", by: 0, stamp: o.message.stamp, knew: 0 }
      const log = s.row === null ? [created] : s.log
      // A delivery that is not its message's first sends again for a step that nobody has started (STEP-37).
      const resends =
        o.family === 9 &&
        o.message.count > 1 &&
        has(log, "step_created") &&
        !has(log, "step_completed") &&
        !isEnded(log)
      return {
        ...(s.row === null ? { row: o.message.stamp, log } : {}),
        // An orchestrator of spec 8 that sees its run ended stops the body that another delivery of it runs.
        ...(o.family === 8 && isEnded(log) && config.abortable === true ? { aborted: true } : {}),
        delivery: { [d]: { ...o, at: "loaded", known: log.length, expected: inBandCount(log), owes: resends } }
      }
    }),

    ...(mayChangeRoute && rules["hand-on-wrong-hint"]
      ? {
          /** The run is of the other family: the message is sent again, with the run's version (ROUTE-08, ROUTE-36). */
          HandOn: action({ delivery: PLACES }, (s, { delivery: d }) => {
            const o = s.delivery[d]
            if (o?.at !== "claimed" || o.family === 0 || s.row === null || familyOf(s.row) === o.family) return
            // A run that was not there when it was looked up may turn out to be of either family (ROUTE-04).
            const from = o.message.stamp === 0 && config.eitherOrder !== true ? "unstamped" : o.message.from
            return {
              handed: s.handed === "no" || s.handed === "outside" ? from : s.handed,
              queue: put(s.queue, { kind: "wake", from: "here", stamp: s.row, count: 0 }),
              delivery: { [d]: null }
            }
          })
        }
      : {}),

    ...(config.eitherOrder === true && outside.length > 0
      ? {
          /** There is no such run, and the message cannot make it: nothing to do (ROUTE-04). */
          DropMissing: action({ delivery: PLACES }, (s, { delivery: d }) => {
            const o = s.delivery[d]
            if (o?.at !== "claimed" || o.family === 0 || s.row !== null || o.message.kind === "start") return
            return { delivery: { [d]: null } }
          })
        }
      : {}),

    ...(config.step === "background"
      ? {
          /** The message of the step that it created, under the step's key: one that lives is enough (ROUTE-15). */
          SendStep: action({ delivery: PLACES }, (s, { delivery: d }) => {
            const o = s.delivery[d]
            if (!o?.owes) return
            const queue = isStepMessageAlive(s)
              ? s.queue
              : put(s.queue, { kind: "step", from: "here", stamp: s.row ?? 0, count: 0 })
            return { queue, delivery: { [d]: { ...o, owes: false } } }
          })
        }
      : {}),

    /**
     * The next decision: in-band and fenced for a spec 9 delivery, past the rows for a spec 8 one (TOPO-18, TOPO-21).
     */
    CommitDecision: action({ delivery: PLACES }, (s, { delivery: d }) => {
      const o = isWriting(s, d)
      const next = o && !o.owes ? nextWrite(config, o, s.log.slice(0, o.known)) : undefined
      if (!o || o.family === 0 || next === undefined) return
      if (isEnded(s.log)) return
      if (isFenced(o) && o.expected !== inBandCount(s.log)) return
      if (o.family === 8 && has(s.log, next)) return
      const event: RoutedEvent = { type: next, by: o.family, stamp: s.row ?? 0, knew: o.expected }
      const log = [...s.log, event]
      const after = { ...o, known: log.length, expected: o.family === 9 ? o.expected + 1 : o.expected }
      return {
        log,
        ...(next === "step_started" ? { begun: s.begun + 1 } : {}),
        delivery: {
          [d]: {
            ...after,
            body: next === "step_started" ? "running" : next === "step_completed" ? "none" : o.body,
            owes: next === "step_created"
          }
        }
      }
    }),

    ...((family === 8 && outside.length > 0) || (budgets.cancels ?? 0) > 0
      ? {
          /** The run has ended, or a row has the event: the write is refused, and the log is what it is. */
          DropDecision: action({ delivery: PLACES }, (s, { delivery: d }) => {
            const o = isWriting(s, d)
            const next = o && !o.owes ? nextWrite(config, o, s.log.slice(0, o.known)) : undefined
            if (!o || next === undefined || (isFenced(o) && o.expected !== inBandCount(s.log))) return
            if (!isEnded(s.log) && (o.family !== 8 || !has(s.log, next))) return
            return { delivery: { [d]: { ...o, known: s.log.length, body: "none" } } }
          })
        }
      : {}),

    ...(overlaps && rules["unserialized-fence"] && config.fence !== false
      ? {
          /** The fence refuses the write: the delivery stops for good (ROUTE-33, ROUTE-35). It owes nothing by then. */
          RefuseDecision: action({ delivery: PLACES }, (s, { delivery: d }) => {
            const o = isWriting(s, d)
            const next = o && !o.owes ? nextWrite(config, o, s.log.slice(0, o.known)) : undefined
            if (!o || next === undefined || !isFenced(o) || o.expected === inBandCount(s.log)) return
            return { delivery: { [d]: { ...o, at: "refused", body: "none" } } }
          }),

          /**
           * It asks for its message again. To the queue an unstamped one is of spec 8, and goes on as a new message
           * (ROUTE-48).
           */
          AskAgain: action({ delivery: PLACES }, (s, { delivery: d }) => {
            const o = s.delivery[d]
            if (o?.at !== "refused") return
            if (o.lease === "lapsed") return { delivery: { [d]: null } }
            const same = isSpec9ToQueue(config, s, o.message) || config.refusedGoesOn === "same-message"
            const message = same ? o.message : { ...o.message, count: 0 }
            return { queue: put(s.queue, message), delivery: { [d]: null } }
          })
        }
      : {}),

    ...(config.step === "inline"
      ? {
          /** The inline body ends by itself, or because it was told to. */
          EndBody: action({ delivery: PLACES }, (s, { delivery: d }) => {
            const o = isWriting(s, d)
            if (o?.body !== "running" || (config.abortable === true && !s.aborted)) return
            return { delivery: { [d]: { ...o, body: "ended" } } }
          })
        }
      : {}),

    /** Nothing left to decide: the run has ended, or waits for its step. */
    Acknowledge: action({ delivery: PLACES }, (s, { delivery: d }) => {
      const o = isWriting(s, d)
      if (!o || o.owes || o.body === "running") return
      if (nextWrite(config, o, s.log.slice(0, o.known)) !== undefined) return
      return { delivery: { [d]: null } }
    }),

    ...((budgets.crashes ?? 0) > 0
      ? {
          /** A delivery vanishes. Its message comes back, counted, if its lease has not lapsed before. */
          Crash: action({ delivery: PLACES }, (s, { delivery: d }) => {
            const o = s.delivery[d]
            if (s.budget.crashes === 0 || !o) return
            const queue = o.lease === "held" ? put(s.queue, o.message) : s.queue
            return { ...spent(s, "crashes"), queue, delivery: { [d]: null } }
          })
        }
      : {}),

    ...((budgets.lapses ?? 0) > 0
      ? {
          /** A delivery outlives its lease: its message comes back, and it lives on. */
          LapseLease: action({ delivery: PLACES }, (s, { delivery: d }) => {
            const o = s.delivery[d]
            if (s.budget.lapses === 0 || o?.lease !== "held") return
            return {
              ...spent(s, "lapses"),
              queue: put(s.queue, o.message),
              delivery: { [d]: { ...o, lease: "lapsed" } }
            }
          })
        }
      : {})
  }
}
