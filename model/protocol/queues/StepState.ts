/**
 * The state of the step's message: one step that is owed a message, the key of the message, and its deliveries.
 *
 * | variable   | what it holds                                                                                          |
 * | ---------- | ------------------------------------------------------------------------------------------------------ |
 * | `now`      | hours since the step was owed its message: 0 is under 23, 1 under 24, 2 is later                          |
 * | `log`      | the step's events; `moved` is the `step_retrying` with which an orchestrator moved a retry to the background |
 * | `resting`  | the retry is not due yet                                                                               |
 * | `creator`  | the delivery that committed what the message is owed for: owes it, has sent it, has died, has been followed by another |
 * | `sender`   | a later delivery, between its reading of the log and its send                                            |
 * | `key`      | when the queue first took a message under the key, for a queue that knows a key for a day                |
 * | `message`  | of each message that the queue took: where it is, how often it was delivered                             |
 * | `worker`   | of each message: its delivery                                                                          |
 * | `budget`   | how often the environment may still do what it does                                                     |
 *
 *     claimed --ReadStepLog--> starting --CommitStart--> running --CompleteStep--> ended --AcknowledgeStep--> (gone)
 *             --ReadStepLog--> ended                             --RetryStep--> (delayed)
 *             --AskForRest--> (delayed)   starting --ThrottleStart--> (delayed)
 *
 * Abstractions. A delivery of the orchestrator takes less than an hour, and so less than the margin between the bound of
 * a re-send and the time for which a key is known. That a dead delivery is followed by one that sends again is the wake
 * queue's (`WakeQueue.ts`): here it is taken for granted, within 23 hours (`prompt`), or later. A step's message and its
 * reschedule are one message on every World. Deliveries of a step's message do not outlive their leases.
 *
 * @module
 */
import { Schema } from "effect"
import { type Action, each, type StateOf, type Update as UpdateOf, variables } from "../../checker/Language.ts"
import type { StepMessageRules } from "./StepRules.ts"

/** What the environment may do a bounded number of times. */
export const stepBudgets = ["deaths", "passes", "crashes", "retries", "early", "throttles"] as const

/** The name of a budget. */
export type StepBudget = (typeof stepBudgets)[number]

/** A configuration of the step's message. */
export interface StepMessageConfig {
  /** For how long the queue drops what is sent under a key: a day, or while a message holds it. */
  readonly keys: "window" | "life"
  /** What the message is owed for. */
  readonly owed: "creation" | "moved-retry"
  /** The retry is due only after the day for which keys are known. */
  readonly longRest?: boolean
  readonly maxRetries: number
  /** The World refuses to start a step that has its outcome (`terminal-start-refused`). Default false: it need not. */
  readonly refuses?: boolean
  /** Bodies begin before their starts have committed, on plain first deliveries (`WORKFLOW_OPTIMISTIC_BACKGROUND_START`). */
  readonly optimistic?: boolean
  /** Every delivery of the step's message throws before it writes anything. */
  readonly throws?: boolean
  /** Deliveries of one message, past which its step is failed. Default 2. */
  readonly cap?: number
  /** A delivery that sends again follows a dead one within 23 hours. Default true. */
  readonly prompt?: boolean
  readonly budgets?: { readonly [name in StepBudget]?: number }
  readonly never?: ReadonlyArray<string>
}

/** The messages that the queue may take for the step. */
export const COPIES = ["m1", "m2"] as const

/** A message of the step. */
export const StepMessage = Schema.Struct({
  at: Schema.Literals(["absent", "ready", "held", "delayed", "gone"]),
  deliveries: Schema.Int,
  /** It was sent again, and says so. */
  resent: Schema.Boolean,
  /** It holds the step's key, and is tried again when its delivery dies. */
  keyed: Schema.Boolean
})

/** A message of the step. */
export type StepMessage = typeof StepMessage.Type

/** A delivery of a step's message. */
export const Worker = Schema.Struct({
  phase: Schema.Literals(["claimed", "starting", "running", "ended"]),
  /** The body runs ahead of its start. */
  ahead: Schema.Boolean
})

/** A delivery of a step's message. */
export type Worker = typeof Worker.Type

/** The variables of the spec. */
export const stepVariables = variables({
  now: Schema.Int,
  log: Schema.Array(Schema.Literals(["created", "moved", "started", "retrying", "completed", "failed"])),
  resting: Schema.Boolean,
  creator: Schema.Literals(["owing", "sent", "dead", "followed"]),
  sender: Schema.NullOr(Schema.Struct({ sends: Schema.Boolean, since: Schema.Int })),
  key: Schema.NullOr(Schema.Int),
  message: each(COPIES, StepMessage),
  worker: each(COPIES, Schema.NullOr(Worker)),
  budget: each(stepBudgets, Schema.Int)
})

/** A state of the spec. */
export type StepState = StateOf<(typeof stepVariables)["declarations"]>

/** What an action changes. */
export type StepUpdate = UpdateOf<(typeof stepVariables)["declarations"]>

/** Actions by name. */
export type StepActions = { readonly [name: string]: Action }

/** What a group of actions is made from. */
export interface StepPart {
  readonly config: StepMessageConfig
  readonly rules: StepMessageRules
}

const ABSENT: StepMessage = { at: "absent", deliveries: 0, resent: false, keyed: true }

/** What the message is owed for is committed, and nobody has sent it. */
export const stepInitial = ({ owed, budgets = {} }: StepMessageConfig): StepState => ({
  now: 0,
  log: owed === "creation" ? ["created"] : ["created", "started", "moved"],
  resting: owed === "moved-retry",
  creator: "owing",
  sender: null,
  key: null,
  message: { m1: ABSENT, m2: ABSENT },
  worker: { m1: null, m2: null },
  budget: {
    deaths: budgets.deaths ?? 0,
    passes: budgets.passes ?? 0,
    crashes: budgets.crashes ?? 0,
    retries: budgets.retries ?? 0,
    early: budgets.early ?? 0,
    throttles: budgets.throttles ?? 0
  }
})

/** The step's events. */
export type StepLog = StepState["log"]

/** Whether the step has its outcome. */
export const hasOutcome = (log: StepLog): boolean => log.includes("completed") || log.includes("failed")

/** How often the step was started. */
export const startsOf = (log: StepLog): number => log.filter((event) => event === "started").length

/** Whether a message is in the queue or being delivered. */
export const isAlive = ({ at }: StepMessage): boolean => at === "ready" || at === "held" || at === "delayed"

/** The budget, once more used. */
export const paid = (s: StepState, name: StepBudget): StepUpdate => ({ budget: { [name]: s.budget[name] - 1 } })
