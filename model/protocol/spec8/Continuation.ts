/**
 * How a spec 8 delivery goes on later: `{ timeoutSeconds }`, answered with a new message before the old one is
 * acknowledged. (EDGE-25, EDGE-62, BUG-17, OUTBOX-24, ROUTE-48, TOPO-04, DEC-06)
 *
 * | variable   | what it holds                                                                       |
 * | ---------- | ------------------------------------------------------------------------------------ |
 * | `messages` | how often each live message of the run has been delivered, a sorted bag               |
 * | `lease`    | the count of the delivery under way, 0 for none, and whether its continuation is sent |
 * | `left`     | how long the run still has to wait, in units of 900 seconds                           |
 * | `end`      | how the run ended                                                                     |
 * | `crashes`  | deliveries that may still vanish                                                      |
 *
 *     message --Deliver--> delivery --SendContinuation--> delivery, sent --Acknowledge--> (acknowledged)
 *                                   --Redeliver-->        the same message, counted once more (without the rule)
 *                                   --Exhaust-->          (acknowledged), the run fails: past the cap
 *                                   --Finish-->           (acknowledged), the run completes: nothing left to wait
 *
 *     delivery --Crash--> the same message
 *     without the order: delivery --AcknowledgeFirst--> acknowledged, a message owed --SendAfterwards--> message
 *
 * The queue bounds the delay of a redelivery to 900 seconds and that of a new message to 23 hours, so a hop on a new
 * message is worth 92 of the others. The smaller model says two, which is enough to tell them apart.
 *
 * @module
 */
import { Schema } from "effect"
import { type Model, model, type Spec, type Switch, spec, variables } from "../../checker/Language.ts"
import { fails, holds } from "../Bounded.ts"

/** The switches of continuations. */
export const continuationSwitches = {
  "continue-on-new-message": {
    rule: "A spec 8 delivery that has to go on later is continued by a new message, whose deliveries are counted anew.",
    ids: ["EDGE-25", "BUG-17", "ROUTE-48"],
    violates: "NotExhaustedInv"
  },
  "continue-before-acknowledge": {
    rule: "The new message is sent before the old one is acknowledged.",
    ids: ["OUTBOX-24", "QUEUE-10", "BUG-17"],
    violates: "NoStrandInv"
  }
} as const satisfies { readonly [rule: string]: Switch }

/** The name of a switch of continuations. */
export type ContinuationRule = keyof typeof continuationSwitches

/** How long the run has to wait, how often a message may be delivered, and what goes wrong. */
export interface ContinuationConfig {
  /** How long the run waits, in the longest delays of a redelivery (900 seconds, EDGE-62). */
  readonly wait: number
  /** The longest delay of a new message, in the same unit: 23 hours are 92 of them. */
  readonly hop: number
  readonly cap: number
  readonly crashes: number
  readonly rules: { readonly [rule in ContinuationRule]: boolean }
}

const Lease = Schema.Struct({ count: Schema.Int, sent: Schema.Boolean })

/** The spec of one run that waits for a long time. */
export const continuation = ({ wait, hop, cap, crashes, rules }: ContinuationConfig, name = "continuation"): Spec => {
  const vars = variables({
    messages: Schema.Array(Schema.Int),
    lease: Schema.NullOr(Lease),
    left: Schema.Int,
    end: Schema.Literals(["none", "completed", "failed"]),
    crashes: Schema.Int
  })
  const { action } = vars
  const put = (messages: ReadonlyArray<number>, count: number): ReadonlyArray<number> =>
    [...messages, count].toSorted((a, b) => a - b)

  /** A message is delivered, and the delivery counted. Two messages of the run may be live after a crash; either goes on. */
  const Deliver = action({ at: (s) => s.messages.map((_, at) => at) }, (s, { at }) => {
    const count = s.messages[at]
    if (s.lease !== null || count === undefined) return
    return { lease: { count: count + 1, sent: false }, messages: s.messages.toSpliced(at, 1) }
  })

  /** The wait is over, or the run has ended: there is nothing to go on with. */
  const Finish = action((s) => {
    if (s.lease === null || s.lease.sent || (s.left > 0 && s.end === "none")) return
    return { lease: null, ...(s.end === "none" ? { end: "completed" as const } : {}) }
  })

  const mustWait = (s: { readonly lease: typeof Lease.Type | null; readonly left: number; readonly end: string }) =>
    s.lease !== null && s.left > 0 && s.end === "none"

  /**
   * The continuation: a new message, not delivered yet (OUTBOX-24). Its delay is a whole hop (BUG-17, ROUTE-48,
   * TOPO-04, DEC-06).
   */
  const SendContinuation = action((s) => {
    if (s.lease === null || s.lease.sent || !mustWait(s) || s.lease.count > cap) return
    return {
      messages: put(s.messages, 0),
      left: Math.max(0, s.left - hop),
      lease: { count: s.lease.count, sent: true }
    }
  })

  /** The old message is acknowledged once the new one is sent. */
  const Acknowledge = action((s) => {
    if (s.lease?.sent !== true) return
    return { lease: null }
  })

  /** Without the order: the old message is acknowledged, and the new one is still to be sent. */
  const AcknowledgeFirst = action((s) => {
    if (s.lease === null || s.lease.count === 0 || !mustWait(s) || s.lease.count > cap) return
    return { lease: { count: 0, sent: false } }
  })

  /** Without the order: the new message, from a delivery whose old one is gone. */
  const SendAfterwards = action((s) => {
    if (s.lease?.count !== 0) return
    return { messages: put(s.messages, 0), left: Math.max(0, s.left - hop), lease: null }
  })

  /** Without the rule: the same message again, after at most 900 seconds, and counted (EDGE-62). */
  const Redeliver = action((s) => {
    if (s.lease === null || !mustWait(s) || s.lease.count > cap) return
    return { messages: put(s.messages, s.lease.count), left: s.left - 1, lease: null }
  })

  /** A message that was delivered too often fails its run, and is acknowledged. */
  const Exhaust = action((s) => {
    if (s.lease === null || s.lease.count <= cap || !mustWait(s)) return
    return { lease: null, end: "failed" as const }
  })

  /** The delivery vanishes. Its message comes back, unless it was acknowledged. */
  const Crash = action((s) => {
    if (s.lease === null || s.crashes === 0) return
    const back = s.lease.count === 0 ? s.messages : put(s.messages, s.lease.count)
    return { crashes: s.crashes - 1, lease: null, messages: back }
  })

  const inOrder = rules["continue-before-acknowledge"]
  const forward = !rules["continue-on-new-message"]
    ? { Redeliver, Exhaust }
    : inOrder
      ? { SendContinuation, Acknowledge }
      : { AcknowledgeFirst, SendAfterwards }
  return spec({
    name,
    variables: vars,
    init: { messages: [0], lease: null, left: wait, end: "none", crashes },
    actions: { Deliver, Finish, ...forward, ...(crashes > 0 ? { Crash } : {}) },
    environment: crashes > 0 ? ["Crash"] : [],
    invariants: {
      /**
       * A run is not failed for how long it waits (EDGE-25). Nothing but `Exhaust` fails one, and that is an action only
       * without `continue-on-new-message`: with it each message is delivered once, and once more for a crash, so that the
       * cap is out of reach where it is higher than the crashes.
       */
      NotExhaustedInv: (s) => s.end !== "failed"
    },
    whenStuck: {
      /** A run that waits has a message, or a delivery that will send one (OUTBOX-24). */
      NoStrandInv: (s) => s.end !== "none"
    },
    temporal: {
      /** However long the wait, the run completes. */
      EventuallyCompletes: vars.eventually((s) => s.end === "completed")
    },
    fairness: "weak",
    sometimes: { "the run completes": (s) => s.end === "completed" },
    processes: Object.fromEntries(
      ["Finish", ...Object.keys(forward), ...(crashes > 0 ? ["Crash"] : [])].map((action) => [action, "delivery"])
    ),
    owners: { messages: "Queue" },
    deadlock: "allowed"
  })
}

const chain = (
  name: string,
  about: string,
  set: "ci" | "large",
  bounds: Omit<ContinuationConfig, "rules">,
  expect: Model["expect"],
  without: { readonly [rule in ContinuationRule]?: Model["expect"] } = {}
): Model<ContinuationRule> =>
  model<ContinuationRule>({
    name,
    about,
    parts: ["spec 8", "queue"],
    set,
    switches: continuationSwitches,
    spec: (rules) => continuation({ ...bounds, rules }, name),
    expect,
    without
  })

/** The bounded models of continuations. */
export const continuationModels: ReadonlyArray<Model<ContinuationRule>> = [
  chain(
    "retry-chain",
    "A spec 8 run waits for longer than one message may be delivered, and a delivery crashes.",
    "ci",
    { wait: 12, hop: 2, cap: 4, crashes: 2 },
    holds(333, 473, 25),
    {
      "continue-on-new-message": fails("NotExhaustedInv", 10),
      "continue-before-acknowledge": fails("NoStrandInv", 3)
    }
  ),
  chain(
    "retry-chain-documented",
    "The same with the documented figures: 48 deliveries, hops of 23 hours, and a wait of 60 hours.",
    "large",
    { wait: 240, hop: 92, cap: 48, crashes: 3 },
    holds(330, 519, 18),
    { "continue-on-new-message": fails("NotExhaustedInv", 98) }
  )
]
