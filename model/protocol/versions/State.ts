/**
 * The state of the routing model: one run, its messages with their stamps, and the deliveries of both orchestrators.
 * (FENCE-09)
 *
 * | variable   | what it holds                                                                                     |
 * | ---------- | ------------------------------------------------------------------------------------------------- |
 * | `row`      | the version that the run records, `null` before it is created                                     |
 * | `env`      | the version that processes of this release would give to a new run                               |
 * | `log`      | the run's events: what, who wrote it, the version it is stamped with, and what its writer knew     |
 * | `queue`    | messages that nobody holds, a sorted bag; `stamp` 0 is none                                       |
 * | `delivery` | of each place for an orchestrator delivery: its message, the version it goes by, what it knows    |
 * | `client`   | what `start` and `cancel` still have to do                                                        |
 * | `begun`    | inline bodies that were begun                                                                     |
 * | `aborted`  | the inline body was told to stop                                                                  |
 * | `handed`   | whose message was last handed on to the other orchestrator, or that it had no stamp               |
 * | `budget`   | how often the environment may still do what it does                                               |
 *
 * Abstractions. The run calls one step, inline or in the background, and ends when the step has its outcome: every
 * decision is a function of which events the log holds. A background step's message is one action that runs the body,
 * writes the outcome and sends the wake; how a step message fares is what the protocol spec is about. Replies to writes
 * report what landed below them, so a writer whose write was accepted knows the whole log.
 *
 * @module
 */
import { Schema } from "effect"
import { type Action, each, type StateOf, type Update as UpdateOf, variables } from "../../checker/Language.ts"

/** An event. `by`: the orchestrator of that family, or 0 for anybody else. `knew`: in-band events that its writer knew of. */
export const RoutedEvent = Schema.Struct({
  type: Schema.Literals([
    "run_created",
    "step_started",
    "step_created",
    "step_completed",
    "run_completed",
    "run_cancelled"
  ]),
  by: Schema.Literals([0, 8, 9]),
  stamp: Schema.Int,
  knew: Schema.Int
})

/** An event. */
export type RoutedEvent = typeof RoutedEvent.Type

/** A message: what it is, who sent it (this release, or somebody outside of it), its stamp, how often it was delivered. */
export const RoutedMessage = Schema.Struct({
  kind: Schema.Literals(["start", "wake", "step"]),
  from: Schema.Literals(["here", "outside"]),
  stamp: Schema.Int,
  count: Schema.Int
})

/** A message. */
export type RoutedMessage = typeof RoutedMessage.Type

/** An orchestrator delivery. See `Deliveries.ts`. */
export const RoutedDelivery = Schema.Struct({
  message: RoutedMessage,
  /** The family of the orchestrator that handles it, 0 while that is not known. */
  family: Schema.Literals([0, 8, 9]),
  at: Schema.Literals(["claimed", "loaded", "refused"]),
  /** It holds the run's key. */
  keyed: Schema.Boolean,
  lease: Schema.Literals(["held", "lapsed"]),
  known: Schema.Int,
  expected: Schema.Int,
  body: Schema.Literals(["none", "running", "ended"]),
  /** It has committed a `step_created`, or must send again for one, and has not sent the step's message. */
  owes: Schema.Boolean
})

/** An orchestrator delivery. */
export type RoutedDelivery = typeof RoutedDelivery.Type

/** What the environment may do a bounded number of times. */
export const routingBudgets = ["outside", "crashes", "lapses", "flips", "raises", "cancels", "rotations"] as const

/** The name of a budget. */
export type RoutingBudget = (typeof routingBudgets)[number]

/** The places for orchestrator deliveries. */
export const PLACES = [1, 2] as const

/** The variables of the routing model. */
export const routingVariables = variables({
  row: Schema.NullOr(Schema.Int),
  env: Schema.Int,
  log: Schema.Array(RoutedEvent),
  queue: Schema.Array(RoutedMessage),
  delivery: each(PLACES, Schema.NullOr(RoutedDelivery)),
  client: Schema.Struct({
    create: Schema.Boolean,
    send: Schema.Boolean,
    cancel: Schema.Literals(["none", "owes-wake", "done", "refused"])
  }),
  begun: Schema.Int,
  aborted: Schema.Boolean,
  handed: Schema.Literals(["no", "outside", "here", "unstamped"]),
  budget: each(routingBudgets, Schema.Int)
})

/** A state of the routing model. */
export type RoutingState = StateOf<(typeof routingVariables)["declarations"]>

/** The variables that a step changes. */
export type RoutingUpdate = UpdateOf<(typeof routingVariables)["declarations"]>

/** Actions by name. */
export type RoutingActions = { readonly [name: string]: Action }

/** The queue with one more message. */
export const put = (queue: ReadonlyArray<RoutedMessage>, message: RoutedMessage): ReadonlyArray<RoutedMessage> =>
  [...queue, message].toSorted(
    (a, b) => a.kind.localeCompare(b.kind) || a.from.localeCompare(b.from) || a.stamp - b.stamp || a.count - b.count
  )

/** The budget after something of it happened. */
export const spent = (s: RoutingState, name: RoutingBudget): RoutingUpdate => ({
  budget: { [name]: s.budget[name] - 1 }
})

/** Whether the log holds an event of this type. */
export const has = (log: ReadonlyArray<RoutedEvent>, type: RoutedEvent["type"]): boolean =>
  log.some((event) => event.type === type)

/** Whether the run has ended. */
export const isEnded = (log: ReadonlyArray<RoutedEvent>): boolean =>
  has(log, "run_completed") || has(log, "run_cancelled")

/** The number of in-band events: the run's creation counts (FENCE-09). */
export const inBandCount = (log: ReadonlyArray<RoutedEvent>): number =>
  log.filter(({ by, type }) => by === 9 || type === "run_created").length
