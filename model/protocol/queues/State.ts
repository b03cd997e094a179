/**
 * The state of the wake queue: one run, the messages that wake its orchestrator, and the deliveries of them. (HAND-18,
 * TOPO-12, TOPO-13)
 *
 * | variable   | what it holds                                                                                       |
 * | ---------- | --------------------------------------------------------------------------------------------------- |
 * | `log`      | the run's events, in order                                                                            |
 * | `consumed` | how much of the log some delivery had read when it ended cleanly                                      |
 * | `step`     | the background step: not created, without a message (`unsent`), with one, running, running without one (`orphan`), done |
 * | `writer`   | of the step and of each payload: nothing yet, committed and owing the wake, wake sent                  |
 * | `message`  | of each message: where it is, how often it was delivered, how many others were coalesced into it       |
 * | `key`      | the message that holds the run's key, or its place at the run's gate                                   |
 * | `delivery` | of each place: the delivery itself                                                                    |
 * | `budget`   | how often the environment may still do what it does                                                   |
 *
 *     absent --SendWake--> ready --Deliver--> held --Acknowledge--> gone
 *                          ready --Coalesce--> gone, and recorded on the holder
 *                                             held --RunAgain--> held
 *                                             held --HandOff | Crash | LapseLease--> ready
 *                                             held --AskRedelivery | Reject--> delayed --ComeDue--> ready
 *
 * Abstractions. What a delivery does inside is reduced to what it owes: it has to read the log after whatever woke it, to
 * create the run's one background step and send the step's message, and to complete the run when everything it waits for
 * is there. A write, its answer and its report are one step. A step's own message is delivered until it has an outcome.
 * A delay is that the message has not come due. Messages that wait are claimed in any order, but for those that are handed
 * off where a configuration says in which.
 *
 * @module
 */
import { Schema } from "effect"
import { type Action, each, type StateOf, type Update as UpdateOf, variables } from "../../checker/Language.ts"
import { Count, NEVER } from "./Accounting.ts"
import type { BudgetName, Setting } from "./Config.ts"

/** A message of the run's orchestrator. */
export const Message = Schema.Struct({
  at: Schema.Literals(["absent", "ready", "held", "delayed", "gone"]),
  count: Count,
  /** Messages that were coalesced into its present delivery. */
  recorded: Schema.Int,
  /** Messages that were waiting when it was handed off, and come before it (HAND-18). */
  behind: Schema.Array(Schema.String),
  /** What became of it that is an attempt, counted up to the cap and one more. */
  failures: Schema.Int
})

/** A message of the run's orchestrator. */
export type Message = typeof Message.Type

/** A delivery. */
export const Delivery = Schema.Struct({
  message: Schema.String,
  phase: Schema.Literals(["claimed", "loaded", "owing", "refused", "capped", "done"]),
  /** The delivery count that its handler was told. */
  told: Schema.Int,
  /** It is its message's very first. */
  first: Schema.Boolean,
  rerun: Schema.Int,
  /** Coalesced messages that its next acknowledgment covers. */
  covers: Schema.Int,
  /** How much of the log it has read, and how many in-band events it expects there. */
  known: Schema.Int,
  expected: Schema.Int,
  /** Re-send passes of its invocation, and whether the present pass may still make one. */
  passes: Schema.Int,
  resent: Schema.Boolean,
  /**
   * It has its lease; or has it from before its re-run, and nobody renewed it (`aging`, without `renew-before-re-run`); or
   * lost one that nobody renewed (`lapsed`), or one that it stalled past itself (`stalled`). Only the last is a delivery
   * that the queue may find beside another one.
   */
  lease: Schema.Literals(["held", "aging", "lapsed", "stalled"]),
  /** Its invocation is past its deadline. */
  past: Schema.Boolean
})

/** A delivery. */
export type Delivery = typeof Delivery.Type

/** The variables of the spec. */
export const vocabulary = (setting: Setting) =>
  variables({
    log: Schema.Array(Schema.String),
    consumed: Schema.Int,
    step: Schema.Literals(["none", "unsent", "queued", "running", "orphan", "done"]),
    writer: each(writerIndex(setting), Schema.Literals(["idle", "owing", "done"])),
    message: each(setting.messages, Message),
    key: Schema.NullOr(Schema.String),
    delivery: each(setting.deliveries, Schema.NullOr(Delivery)),
    budget: each(budgetIndex(setting), Schema.Int)
  })

// A family has at least one index.
const writerIndex = ({ writers }: Setting): ReadonlyArray<string> => (writers.length > 0 ? writers : ["nobody"])

const budgetIndex = ({ budgetNames }: Setting): ReadonlyArray<BudgetName> =>
  budgetNames.length > 0 ? budgetNames : ["crashes"]

/** A message that nobody has sent. */
export const ABSENT: Message = { at: "absent", count: NEVER, recorded: 0, behind: [], failures: 0 }

/** A message that was just sent, or is to be delivered again at once. */
export const READY: Message = { ...ABSENT, at: "ready" }

const family = <T>(index: ReadonlyArray<string>, value: T): { readonly [i: string]: T } =>
  Object.fromEntries(index.map((i) => [i, value]))

/** The run was created, and its start message was sent. */
export const initial = (setting: Setting): State => ({
  log: ["run_created"],
  consumed: 0,
  step: "none",
  writer: family(writerIndex(setting), "idle"),
  message: { ...family(setting.messages, ABSENT), start: READY },
  key: null,
  delivery: family(setting.deliveries, null),
  budget: Object.fromEntries(budgetIndex(setting).map((name) => [name, setting.budgets[name] ?? 0])) as State["budget"]
})

/** The variables of the spec. */
export type Vocabulary = ReturnType<typeof vocabulary>

/** A state of the spec. */
export type State = StateOf<Vocabulary["declarations"]>

/** What an action changes. */
export type Update = UpdateOf<Vocabulary["declarations"]>

/** What a group of actions is made from. */
export interface Part {
  readonly setting: Setting
  readonly action: Vocabulary["action"]
}

/** Actions by name. */
export type Actions = { readonly [name: string]: Action }

/** Some actions, if they can happen in this configuration at all. */
export const only = (can: boolean, actions: Actions): Actions => (can ? actions : {})

/** Whether the environment may still do what the budget is for. */
export const affords = (s: State, budget: BudgetName): boolean => (s.budget[budget] ?? 0) > 0

/** The budget, once more used. */
export const spend = (s: State, budget: BudgetName): Update => ({ budget: { [budget]: (s.budget[budget] ?? 0) - 1 } })

/** A message, which every state has. */
export const messageOf = (s: State, m: string): Message => s.message[m] ?? ABSENT

/** Whether a log ends its run. */
export const isOver = (log: ReadonlyArray<string>): boolean =>
  log.includes("run_completed") || log.includes("run_failed")

/** The in-band events of a log. */
export const inBand = (log: ReadonlyArray<string>): number =>
  log.filter((event) => event === "step_created" || event === "run_completed").length

/** Whether a delivery still has its lease. */
export const isLive = (o: Delivery): boolean => o.lease === "held" || o.lease === "aging"

/** Whether a message takes part in its run's key or gate (TOPO-12, TOPO-13). */
export const isKeyed = (setting: Setting, m: string): boolean =>
  setting.topology !== "unserialized" && setting.rules["key-is-sent"] && m !== "replacement"

/** An attempt of a message that came to nothing. */
export const failed = (setting: Setting, message: Message): Message => ({
  ...message,
  failures: Math.min(setting.cap + 1, message.failures + 1)
})
