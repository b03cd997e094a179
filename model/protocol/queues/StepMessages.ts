/**
 * The spec of a step's message, put together from its parts, with what is asked of it. (DEDUPE-01, DEDUPE-04,
 * DEDUPE-05, DEDUPE-06, DEDUPE-07, DEDUPE-10, DEDUPE-20, DEDUPE-21, DEDUPE-30, STEP-33, STEP-45, STEP-59, DEC-15,
 * QUEUE-04)
 *
 * Reads `log`, `resting`, `message` and `worker`.
 *
 * @module
 */
import { type Process, type Spec, spec } from "../../checker/Language.ts"
import { deliveringActions } from "./StepDelivering.ts"
import type { StepMessageRules } from "./StepRules.ts"
import { sendingActions } from "./StepSending.ts"
import {
  COPIES,
  hasOutcome,
  isAlive,
  type StepMessageConfig,
  type StepState,
  startsOf,
  stepInitial,
  stepVariables
} from "./StepState.ts"

const { stepProperty, invariant, eventually } = stepVariables

const running = (s: StepState): number =>
  COPIES.filter((m) => {
    const worker = s.worker[m]
    return worker !== null && (worker.phase === "running" || (worker.phase === "starting" && worker.ahead))
  }).length

const alive = (s: StepState): number => COPIES.filter((m) => isAlive(s.message[m])).length

const started = (s: StepState, t: StepState): boolean => startsOf(t.log) > startsOf(s.log)

const processes: { readonly [action: string]: Process } = {
  SendFirst: "creator",
  CreatorDies: "creator",
  DecideToSend: "later delivery",
  SendAgain: "later delivery",
  PassTime: "time",
  RetryComesDue: "time",
  DeliverStep: "queue",
  StepComesDue: "queue",
  GiveUp: "queue"
}

/** What a configuration has no occasion for. */
const idle = ({ budgets = {}, throws, owed }: StepMessageConfig): ReadonlyArray<string> => [
  "GiveUp",
  ...(throws === true
    ? ["ReadStepLog", "AskForRest", "CommitStart", "CompleteStep", "RetryStep"]
    : ["ThrowEarly", "FailStalled"]),
  ...((budgets.deaths ?? 0) > 0 ? [] : ["CreatorDies"]),
  ...((budgets.deaths ?? 0) + (budgets.passes ?? 0) > 0 ? [] : ["DecideToSend", "SendAgain"]),
  ...((budgets.crashes ?? 0) > 0 ? [] : ["CrashStep"]),
  ...((budgets.throttles ?? 0) > 0 ? [] : ["ThrottleStart"]),
  ...((budgets.retries ?? 0) > 0 ? [] : ["RetryStep", ...(owed === "creation" ? ["RetryComesDue"] : [])]),
  ...((budgets.early ?? 0) > 0 ? [] : ["AskForRest"]),
  ...((budgets.throttles ?? 0) + (budgets.retries ?? 0) > 0 || owed === "moved-retry" ? [] : ["StepComesDue"])
]

/** The spec of the step's message for a configuration, under these rules. */
export const stepMessages = (config: StepMessageConfig, rules: StepMessageRules, name = "step-messages"): Spec =>
  spec({
    name,
    variables: stepVariables,
    init: stepInitial(config),
    actions: { ...sendingActions({ config, rules }), ...deliveringActions({ config, rules }) },
    environment: ["CreatorDies", "CrashStep", "ThrottleStart", "RetryStep", "GiveUp"],
    invariants: {
      /** A step has one message in the queue, or being delivered, at any time (DEDUPE-01, STEP-45). */
      OneLiveMessageInv: invariant((s) => alive(s) <= 1),
      /** Nobody else runs the body beside the one who does (DEDUPE-01, DEC-15). */
      OneBodyInv: invariant((s) => running(s) <= 1),
      /** A step is started so often as it may be tried (DEDUPE-30, STEP-59). */
      AttemptsInv: invariant((s) => startsOf(s.log) <= config.maxRetries + 1),
      /** No outcome of a body without its start (STEP-33). */
      OutcomeHasStartInv: invariant((s) => !s.log.includes("completed") || startsOf(s.log) > 0)
    },
    stepProperties: {
      /** A body does not begin after the step has its outcome (DEDUPE-10). */
      NoBodyAfterOutcomeProp: stepProperty((s, t) => !started(s, t) || !hasOutcome(s.log)),
      /** No body begins before its retry is due (QUEUE-04). */
      NotEarlyProp: stepProperty((s, t) => !started(s, t) || !s.resting),
      /** A send does not set back how often a message was tried (DEDUPE-04). */
      WaitingUntouchedProp: stepProperty((s, t) =>
        COPIES.every((m) => {
          const { at, deliveries } = s.message[m]
          return at === "absent" || t.message[m].deliveries >= deliveries
        })
      )
    },
    whenStuck: {
      /** The step has its outcome (DEDUPE-20, DEDUPE-21, DEDUPE-05). */
      NoStrandInv: (s) => hasOutcome(s.log)
    },
    temporal: {
      /** The step comes to its outcome (DEDUPE-06, DEDUPE-07). */
      StepEventuallyEnds: eventually((s) => hasOutcome(s.log))
    },
    fairness: {
      SendFirst: "weak",
      DecideToSend: "weak",
      SendAgain: "weak",
      PassTime: "weak",
      RetryComesDue: "weak",
      DeliverStep: { weak: ["message"] },
      ReadStepLog: { weak: ["message"] },
      AskForRest: { weak: ["message"] },
      CommitStart: { weak: ["message"] },
      CompleteStep: { weak: ["message"] },
      AcknowledgeStep: { weak: ["message"] },
      StepComesDue: { weak: ["message"] },
      ThrowEarly: { weak: ["message"] },
      FailStalled: { weak: ["message"] }
    },
    sometimes: { "the step has its outcome": (s) => hasOutcome(s.log) },
    neverFires: [...idle(config), ...(config.never ?? [])].filter((action, at, all) => all.indexOf(action) === at),
    processes,
    owners: { log: "World", key: "queue", message: "queue" },
    deadlock: "allowed"
  })
