/**
 * The state of the protocol model: one run of one program, its World, its queue, and everybody who acts on them.
 * (WAIT-02, WAIT-07, WAIT-12, WAIT-31, WAIT-64, WAIT-65, WAIT-66, WAIT-83, QUEUE-15, QUEUE-17, ROT-06, STEP-37,
 * STEP-74, FENCE-05, FENCE-07, FENCE-16, FENCE-17, CAC-03, WORLD-45)
 *
 * | variable        | what it holds                                                                      |
 * | --------------- | ---------------------------------------------------------------------------------- |
 * | `log`           | the run's events by slot; `seq` is its length                                      |
 * | `seqInBand`     | how many slots were handed out to in-band writes                                   |
 * | `queue`         | orchestrator messages that nobody holds, a sorted bag                              |
 * | `lease`         | of each place for an orchestrator delivery: whether that delivery holds its lease  |
 * | `orchestrator`  | of each place: the delivery itself                                                 |
 * | `messages`      | of each step: its messages that nobody holds, a sorted bag                         |
 * | `invocations`   | of each step: the deliveries of its messages                                       |
 * | `begun`         | of each step: bodies begun inline, or by a step delivery that holds its lease      |
 * | `clients`       | what clients have half done: a wake, or a write, that they still owe               |
 * | `budget`        | how often the environment may still do what it does                                |
 * | `clock`         | the time, in ticks; it goes on while something waits for it                        |
 * | `timers`        | timers that are not due yet, a sorted bag; once due they are in `queue`            |
 * | `hops`          | intermediate hops of long sleeps: due ones, and their deliveries, a sorted bag     |
 * | `keys`          | keys of timers that the queue remembers, where it does so past their messages      |
 * | `asked`         | waits that `run.wakeUp()` was asked to end                                         |
 * | `armed`         | of each wait: timers that the queue took (only where they are counted)             |
 * | `abandoned`     | bodies that run on without a delivery (in `exact` detail alone)                    |
 * | `minted`        | how many message ids were handed out (in `exact` detail alone)                     |
 *
 * **Exact detail** is for traces: it keeps what no rule reads. Skip what is said of it.
 *
 * Time is modelled for sleeps alone. Any other message that waits out a delay or a back-off is one that has not been
 * delivered yet, which is true of every message; so such a delay needs no state, and every rule is shown to hold for
 * delays of any length. The clock counts ticks, and nobody is as fast as it: any number of ticks may pass between two
 * operations.
 *
 * @module
 */
import { Schema } from "effect"
import { type Action, each, type StateOf, type Update as UpdateOf, variables } from "../checker/Language.ts"
import type { BudgetName, Setting } from "./Config.ts"
import { Event, Write } from "./Log.ts"

/**
 * A timer's idempotency key (WAIT-64, WAIT-65, WAIT-66): of a wait, for one deadline of it, and which timer of the wait it
 * is. That is the hop due at `hopAt`; or, with an `attempt`, the hop armed again after a timer that was early; or what a
 * sender armed in one `second` of its clock, a tick here.
 */
export const TimerKey = Schema.Struct({
  wait: Schema.Int,
  resumeAt: Schema.optionalKey(Schema.Int),
  hopAt: Schema.optionalKey(Schema.Int),
  attempt: Schema.optionalKey(Schema.Int),
  second: Schema.optionalKey(Schema.Int)
})

/** A timer's idempotency key. */
export type TimerKey = typeof TimerKey.Type

/**
 * A message. `deliveryCount` counts its deliveries so far, and stops at 2 unless the detail is exact: no rule asks more
 * than whether a delivery is its message's first (QUEUE-15).
 */
export const Message = Schema.Struct({
  /** In `exact` detail from when it is sent. Otherwise only where the run sleeps, from its first delivery: see `Waits.ts`. */
  id: Schema.optionalKey(Schema.Int),
  deliveryCount: Schema.Int,
  /** `deliveryCount` less handoffs and re-runs (QUEUE-17). */
  attempt: Schema.optionalKey(Schema.Int),
  /** It is a timer, sent under this key (WAIT-02). */
  timer: Schema.optionalKey(TimerKey),
  /** It goes on for a message that was rotated, and so for one that was delivered before (ROT-06). */
  continues: Schema.optionalKey(Schema.Literal(true)),
  /** The waits that it asks to complete, whether they are due or not (WAIT-83). */
  completes: Schema.optionalKey(Schema.Array(Schema.Int))
})

/** A message. */
export type Message = typeof Message.Type

/**
 * Whether a message that is being delivered counts as delivered before. Then a delivery may have died that owed
 * something, or a timer may have been coalesced into it (STEP-37, WAIT-31).
 */
export const isLaterDelivery = ({ deliveryCount, continues }: Message): boolean =>
  deliveryCount > 1 || continues === true

/** A timer that is not due yet. */
export const Delayed = Schema.Struct({ due: Schema.Int, message: Message })

/** A timer that is not due yet. */
export type Delayed = typeof Delayed.Type

/**
 * An intermediate hop that is due (see `Hops.ts`): queued; or in a delivery, which has sent the next hop or not. `due` is
 * the hop's own time.
 */
export const Hop = Schema.Struct({ ...Delayed.fields, at: Schema.Literals(["queued", "held", "sent"]) })

/** An intermediate hop that is due. */
export type Hop = typeof Hop.Type

/**
 * A step's message. `retry`: it was sent for a later attempt than the first. `resent`: by the re-send rule. `bare`: it
 * carries no input, which its delivery then reads from the log (STEP-74; in `exact` detail alone).
 */
export const StepMessage = Schema.Struct({
  ...Message.fields,
  retry: Schema.optionalKey(Schema.Literal(true)),
  resent: Schema.optionalKey(Schema.Literal(true)),
  bare: Schema.optionalKey(Schema.Literal(true))
})

/** A step's message. */
export type StepMessage = typeof StepMessage.Type

/** How a body ended: with a value, with a failure for good, or with one that may be tried again. */
export const Outcome = Schema.Literals(["completed", "failed", "retry"])

/** How a body ended. */
export type Outcome = typeof Outcome.Type

/** An inline step body of an orchestrator delivery. It is `due` once its start committed. */
export const Body = Schema.Struct({
  entity: Schema.Int,
  attempt: Schema.Int,
  at: Schema.Union([Schema.Literals(["due", "running"]), Outcome])
})

/** An inline step body of an orchestrator delivery. */
export type Body = typeof Body.Type

/** One operation that an orchestrator delivery has decided on. */
export const Operation = Schema.Union([
  Schema.Struct({ op: Schema.Literal("write"), event: Write }),
  /** Creations that may go out in one write (WORLD-45): two or more. */
  Schema.Struct({ op: Schema.Literal("create"), events: Schema.Array(Write) }),
  Schema.Struct({
    op: Schema.Literal("send"),
    entity: Schema.Int,
    retry: Schema.optionalKey(Schema.Literal(true)),
    resent: Schema.optionalKey(Schema.Literal(true))
  }),
  Schema.Struct({
    op: Schema.Literal("arm"),
    wait: Schema.Int,
    resumeAt: Schema.Int,
    /** Which key it is sent under. */
    under: Schema.Literals(["hop", "attempt", "second"])
  }),
  Schema.Struct({ op: Schema.Literals(["acknowledge", "redeliver", "handoff", "suspend"]) })
])

/** One operation that an orchestrator delivery has decided on. */
export type Operation = typeof Operation.Type

/** An orchestrator delivery. See `Orchestrator.ts` for its states. */
export const Delivery = Schema.Struct({
  message: Message,
  /** How many slots of the log it knows, 0 before it loaded it. It always knows all slots up to that one. */
  known: Schema.Int,
  /** Its count of in-band slots: from the snapshot of its load, advanced by its own writes (FENCE-05, FENCE-07). */
  expected: Schema.Int,
  /** What it has decided to do and not done yet, in order. Empty: it waits for its bodies. */
  todo: Schema.Array(Operation),
  bodies: Schema.Array(Body),
  /** An in-band write of it was refused: it writes no more, and starts no body (FENCE-16, FENCE-17). */
  refused: Schema.optionalKey(Schema.Literals(["superseded", "expired"])),
  /** A write of it has its slot and is not appended yet: only without the rule `allocate-with-append`. */
  allocated: Schema.optionalKey(Schema.Int),
  /**
   * The slot of its last write, since the report of one was cut short: it loads the log further before it replays, and
   * until then it knows its own writes by their slots alone (CAC-03; in `exact` detail alone).
   */
  behind: Schema.optionalKey(Schema.Int),
  /** Chains of the waits that it completed: it owns them (WAIT-12). */
  owns: Schema.optionalKey(Schema.Array(Schema.Int)),
  /** Waits that it has sent a timer of (WAIT-07). */
  timed: Schema.optionalKey(Schema.Array(Schema.Int)),
  /**
   * It decides nothing more, and once its bodies have settled it asks to come again: later, since a start of it was refused
   * for load; or at once, which is a handoff.
   */
  deferred: Schema.optionalKey(Schema.Literals(["redeliver", "handoff"])),
  /** What it has to do is what a pass decided, and nothing of it is done (where deliveries hand off). */
  decided: Schema.optionalKey(Schema.Literal(true)),
  /** It starts no new step in its own process (where deliveries hand off). */
  late: Schema.optionalKey(Schema.Literal(true)),
  /** It is a re-run, and an earlier run of its invocation has made the re-send pass; kept until it has loaded and sent. */
  passed: Schema.optionalKey(Schema.Literal(true)),
  /** Re-runs so far, where they are bounded. */
  reruns: Schema.optionalKey(Schema.Int)
})

/** An orchestrator delivery. */
export type Delivery = typeof Delivery.Type

/** One operation that a step delivery still has to do. */
export const StepOperation = Schema.Union([
  Schema.Struct({ op: Schema.Literals(["load", "wake", "acknowledge", "redeliver"]) }),
  Schema.Struct({ op: Schema.Literal("write"), event: Write }),
  Schema.Struct({ op: Schema.Literals(["begin", "end"]), attempt: Schema.Int }),
  Schema.Struct({ op: Schema.Literal("report"), attempt: Schema.Int, outcome: Outcome })
])

/** One operation that a step delivery still has to do. */
export type StepOperation = typeof StepOperation.Type

/** A delivery of a step's message. */
export const Invocation = Schema.Struct({
  message: StepMessage,
  lease: Schema.Literals(["held", "lapsed"]),
  todo: Schema.Array(StepOperation)
})

/** A delivery of a step's message. */
export type Invocation = typeof Invocation.Type

/** What a client has half done: it still owes the queue a message, or (without `write-before-wake`) the log a write. */
export const Errand = Schema.Struct({
  client: Schema.Literals(["start", "resume", "cancel", "wakeUp"]),
  owes: Schema.Literals(["message", "write"]),
  hook: Schema.optionalKey(Schema.Int)
})

/** What a client has half done. */
export type Errand = typeof Errand.Type

/** The variables of the protocol, for a setting. */
export const vocabulary = (setting: Setting) =>
  variables({
    log: Schema.Array(Schema.NullOr(Event)),
    seqInBand: Schema.Int,
    queue: Schema.Array(Message),
    lease: each(setting.deliveries, Schema.NullOr(Schema.Literals(["held", "lapsed"]))),
    orchestrator: each(setting.deliveries, Schema.NullOr(Delivery)),
    messages: each(setting.entities, Schema.Array(StepMessage)),
    invocations: each(setting.entities, Schema.Array(Invocation)),
    begun: each(setting.entities, Schema.Int),
    clients: Schema.Array(Errand),
    budget: each(budgetIndex(setting), Schema.Union([Schema.Int, Schema.Literal("unlimited")])),
    clock: Schema.Int,
    timers: Schema.Array(Delayed),
    hops: Schema.Array(Hop),
    keys: Schema.Array(TimerKey),
    asked: Schema.Array(Schema.Int),
    armed: each(setting.entities, Schema.Int),
    abandoned: Schema.Array(Schema.Struct({ entity: Schema.Int, attempt: Schema.Int })),
    minted: Schema.Int
  })

/** The typed constructors over the protocol's variables. */
export type Vocabulary = ReturnType<typeof vocabulary>

/** A state of the protocol. */
export type State = StateOf<Vocabulary["declarations"]>

/** The variables that a step of the protocol changes. */
export type Update = UpdateOf<Vocabulary["declarations"]>

/** What every part of the protocol is given: the setting, and the constructor of actions. */
export interface Part {
  readonly setting: Setting
  readonly action: Vocabulary["action"]
}

/** Actions by name: what a part of the protocol contributes to the spec. */
export type Actions = { readonly [name: string]: Action }

/** The actions of something that can happen in a setting; none where it cannot, for an action that never happens is a mistake. */
export const only = (possible: boolean, actions: Actions): Actions => (possible ? actions : {})

/** The state before anybody called `start`. */
export const initial = (setting: Setting): State => ({
  log: [],
  seqInBand: 0,
  queue: [],
  lease: family(setting.deliveries, null),
  orchestrator: family(setting.deliveries, null),
  messages: family(setting.entities, []),
  invocations: family(setting.entities, []),
  begun: family(setting.entities, 0),
  clients: [],
  budget: Object.fromEntries(budgetIndex(setting).map((name) => [name, setting.budgets[name] ?? 0])) as State["budget"],
  clock: 0,
  timers: [],
  hops: [],
  keys: [],
  asked: [],
  armed: family(setting.entities, 0),
  abandoned: [],
  minted: 0
})

/** A family has at least one index: a run to which nothing happens has no crash left. */
const budgetIndex = ({ budgetNames }: Setting): ReadonlyArray<BudgetName> =>
  budgetNames.length > 0 ? budgetNames : ["crashes"]

const family = <T>(index: ReadonlyArray<string | number>, value: T): { readonly [i: string | number]: T } =>
  Object.fromEntries(index.map((i) => [i, value]))

/** Whether something the environment does may happen once more. */
export const affords = (s: State, name: BudgetName): boolean => s.budget[name] !== undefined && s.budget[name] !== 0

/** The budget after it happened. */
export const spend = (s: State, name: BudgetName): Update => {
  const left = s.budget[name]
  return typeof left === "number" ? { budget: { [name]: left - 1 } } : {}
}
