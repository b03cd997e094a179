/**
 * One delivery of a background step's message, from its claim to its answer. (STEP-21, STEP-22, STEP-23, STEP-24,
 * STEP-25, STEP-26, STEP-27, STEP-28, STEP-29, STEP-31, STEP-32, STEP-33, STEP-57, OOB-12, QUEUE-02, QUEUE-04, SET-13,
 * SET-36, SET-37, SET-38, EDGE-12, EDGE-29, LIM-22)
 *
 *     queued --Deliver--> claimed --StartPlainFirst, ReadLog--> starting | exhausted | asking | waking | done
 *       starting  --CommitStart--> started | --RefuseStart--> done | --ThrottleStart--> asking
 *       started   --CommitOutcome | CommitFailure--> waking | --CommitRetry--> asking
 *       exhausted --CommitFailure--> waking
 *       waking    --SendWake--> done
 *       done      --Acknowledge--> gone
 *       asking    --AskRedelivery--> queued, for the rest of its back-off and no longer than the queue keeps a delay
 *       any       --Crash--> queued
 *
 * Time passes by `Tick`, and the run may be cancelled (`Cancel`).
 *
 * Beside it a body: `none --BeginBody--> running --EndBody--> completed | failed`. It begins once its start has committed;
 * or, as a setting, while that is in flight.
 *
 * Changes `message`, `phase`, `attempt`, `body`, `begun`, `starts`, `retryIn`, `ended`, `told`, `cancelled`, `early`
 * and `budget`.
 *
 * @module
 */
import { type Spec, spec } from "../../checker/Language.ts"
import type { Rules } from "./Rules.ts"
import {
  type Actions,
  affords,
  type Config,
  initial,
  type Setting,
  type State,
  setting,
  spend,
  spent,
  type Update,
  type Vocabulary,
  vocabulary
} from "./State.ts"

const released: Update = { phase: "none", body: "none", attempt: 0 }

/** Whether the delivery is one that may begin its body before the start has committed. */
const mayBeginEarly = ({ optimistic, maxRetries, rules }: Setting, s: State): boolean =>
  !rules["background-body-awaits-start"] ||
  (optimistic &&
    (maxRetries > 0 || !rules["early-body-allows-retries"]) &&
    (s.message.deliveryCount === 1 || !rules["early-body-on-plain-first"]))

/** What a delivery that read the log goes on to do (STEP-22, STEP-23, STEP-24, STEP-25, STEP-26). */
const decided = ({ maxRetries, rules }: Setting, s: State): Update => {
  if (s.ended) return { phase: "waking" }
  if (s.cancelled) return { phase: "done" }
  if (s.retryIn > 0 && rules["early-redelivery-asks-again"]) return { phase: "asking", early: s.early + 1 }
  const attempt = s.starts + 1
  return { attempt, phase: attempt > maxRetries + 1 ? "exhausted" : "starting" }
}

/** The delivery's own steps, the queue's and the body's. */
const deliveryActions = (given: Setting, { action }: Vocabulary): Actions => {
  const { rules, maxRetries, backoffTicks, clampTicks, budgetNames } = given
  /** A delivery that takes itself for a plain first one, and reads no log. */
  const isPlainFirst = (s: State): boolean =>
    s.message.deliveryCount === 1 || (given.optimistic && !rules["early-body-on-plain-first"])
  const rereads = budgetNames.some((name) => name !== "cancels")
  return {
    /** The queue delivers the message. */
    Deliver: action((s) => {
      if (s.message.at !== "queued" || s.message.dueIn > 0) return
      const deliveryCount = Math.min(2, s.message.deliveryCount + 1)
      return { message: { at: "held", deliveryCount, dueIn: 0 }, phase: "claimed" }
    }),

    /** A plain first delivery starts the step from its message alone (STEP-21). */
    StartPlainFirst: action((s) =>
      s.phase === "claimed" && isPlainFirst(s) ? { phase: "starting", attempt: 1 } : undefined
    ),

    ...(rereads && (rules["early-body-on-plain-first"] || !given.optimistic)
      ? {
          /** Any other delivery reads the run's log first (STEP-21). */
          ReadLog: action((s) => (s.phase === "claimed" && !isPlainFirst(s) ? decided(given, s) : undefined))
        }
      : {}),

    /** The World commits the step's start. */
    CommitStart: action((s) => {
      if (s.phase !== "starting" || s.cancelled) return
      return { phase: "started", starts: s.starts + 1, retryIn: 0, early: 0 }
    }),

    ...(budgetNames.includes("cancels")
      ? {
          /** The run has ended: the start is refused, and whatever an early body made of it is discarded (STEP-27, STEP-33). */
          RefuseStart: action((s) =>
            s.phase === "starting" && s.cancelled ? { phase: "done", body: "none" } : undefined
          )
        }
      : {}),

    /** The body begins. */
    BeginBody: action((s) => {
      if (s.body !== "none") return
      if (s.phase !== "started" && (s.phase !== "starting" || !mayBeginEarly(given, s))) return
      return { body: "running", begun: s.begun + 1 }
    }),

    /** The body ends, with a value or with a failure that may be tried again. */
    EndBody: action((s) => {
      if (s.body !== "running") return
      if (!budgetNames.includes("retries") || !affords(s, "retries")) return { body: "completed" }
      return [{ body: "completed" }, { body: "failed", ...spend(s, "retries") }]
    }),

    /** The outcome, which the World takes also when the run has ended (STEP-28). */
    CommitOutcome: action((s) => {
      if (s.body !== "completed") return
      if (s.phase !== "started" && (s.phase !== "starting" || rules["early-outcome-awaits-start"])) return
      return { ended: true, phase: "waking", body: "none" }
    }),

    ...(budgetNames.includes("retries") && maxRetries > 0
      ? {
          /**
           * The step is to be tried again, once its back-off is over (STEP-31). Of the wake that the composed spec sends
           * with it nothing depends here: the run waits for the outcome alone.
           */
          CommitRetry: action((s) => {
            if (s.phase !== "started" || s.body !== "failed" || s.attempt > maxRetries) return
            return s.cancelled
              ? { phase: "done", body: "none" }
              : { phase: "asking", body: "none", retryIn: backoffTicks }
          })
        }
      : {}),

    ...(rereads
      ? {
          /** The step has used up its attempts (STEP-25), or has just failed the last one. */
          CommitFailure: action((s) => {
            const failed = s.phase === "started" && s.body === "failed" && s.attempt > maxRetries
            return s.phase === "exhausted" || failed ? { ended: true, phase: "waking", body: "none" } : undefined
          })
        }
      : {}),

    /** One wake of the orchestrator, behind the outcome and ahead of the acknowledgment (STEP-28, STEP-29). */
    SendWake: action((s) => (s.phase === "waking" ? { phase: "done", told: true } : undefined)),

    /** The step's message is gone. */
    Acknowledge: action((s) =>
      s.phase === "done" ? { ...released, message: { ...s.message, at: "gone" } } : undefined
    ),

    ...(budgetNames.includes("throttles") || budgetNames.includes("retries")
      ? {
          /** The same message again, for the rest of the back-off or what the queue makes of it (QUEUE-02, QUEUE-04). */
          AskRedelivery: action((s) => {
            if (s.phase !== "asking") return
            return { ...released, message: { ...s.message, at: "queued", dueIn: Math.min(s.retryIn, clampTicks) } }
          })
        }
      : {}),

    ...(backoffTicks > 0
      ? {
          /** Time passes. */
          Tick: action((s) => {
            if (s.message.at !== "queued" || s.message.dueIn === 0) return
            return { message: { ...s.message, dueIn: s.message.dueIn - 1 }, retryIn: Math.max(0, s.retryIn - 1) }
          })
        }
      : {})
  }
}

/** What the environment does. */
const environmentActions = ({ budgetNames }: Setting, { action }: Vocabulary): Actions => ({
  ...(budgetNames.includes("throttles")
    ? {
        /** The World refuses the start for now, and an early body's outcome is discarded (STEP-27, STEP-33). */
        ThrottleStart: action((s) =>
          s.phase === "starting" && affords(s, "throttles")
            ? { ...spend(s, "throttles"), phase: "asking", body: "none" }
            : undefined
        )
      }
    : {}),
  ...(budgetNames.includes("crashes")
    ? {
        /** The delivery vanishes, and its body with it: its message comes back, counted. */
        Crash: action((s) =>
          s.phase !== "none" && affords(s, "crashes")
            ? { ...spend(s, "crashes"), ...released, message: { ...s.message, at: "queued", dueIn: 0 } }
            : undefined
        )
      }
    : {}),
  ...(budgetNames.includes("cancels")
    ? {
        /** Somebody cancels the run. */
        Cancel: action((s) => (affords(s, "cancels") ? { ...spend(s, "cancels"), cancelled: true } : undefined))
      }
    : {})
})

/** What is promised of a background step's body, and of the step. */
const properties = (given: Setting, { invariant, stepProperty, eventually }: Vocabulary) => {
  const { optimistic, maxRetries, backoffTicks, clampTicks } = given
  const settled = (s: State): boolean => (s.ended && s.told) || s.cancelled
  return {
    invariants: {
      /** No outcome is in the log without a start of the step (SET-36, STEP-32). */
      OutcomeHasStartInv: invariant((s) => !s.ended || s.starts > 0),
      /** The body of a step that is never tried again begins once at most (SET-13, STEP-57). */
      AtMostOnceInv: invariant((s) => maxRetries > 0 || s.begun <= 1),
      /** Waiting for a retry costs one delivery for each delay that the queue keeps, and one for a crash (EDGE-29, LIM-22). */
      EarlyDeliveriesInv: invariant(
        (s) => s.early * clampTicks <= Math.max(0, backoffTicks - 1) + clampTicks * spent(given, s, "crashes")
      ),
      ...(optimistic
        ? {
            /** Each body without a start is the fault's that refused it, or that took its delivery (SET-37, EDGE-12). */
            LostBodiesInv: invariant(
              (s) =>
                s.begun - s.starts <=
                spent(given, s, "throttles") +
                  spent(given, s, "cancels") +
                  spent(given, s, "crashes") +
                  (s.phase === "starting" ? 1 : 0)
            )
          }
        : {
            /** No body begins without a start of its own: none of a cancelled run's step, none for a throttle (OOB-12, STEP-27). */
            BodyHasStartInv: invariant((s) => s.begun <= s.starts)
          })
    },
    stepProperties: {
      /** No body begins for a step that has its outcome (SET-38). */
      EndedStepRunsNoBodyProp: stepProperty((s, t) => t.begun === s.begun || !s.ended),
      /** The step is not started again before it may be (STEP-24). */
      RetryNotEarlyProp: stepProperty((s, t) => t.starts === s.starts || s.retryIn === 0)
    },
    whenStuck: {
      /** The step has its outcome and the orchestrator was told, or the run has ended (STEP-29). */
      NoStrandInv: invariant(settled)
    },
    temporal: {
      /** With finitely many faults, the step gets its outcome, and the orchestrator its wake. */
      StepEventuallyEnds: eventually(settled)
    },
    sometimes: {
      "the step completes": invariant((s: State) => s.ended && s.starts > 0)
    }
  }
}

/** The spec of the deliveries of one background step's message. */
export const stepDelivery = (config: Config, rules: Rules, name = "step-delivery"): Spec => {
  const given = setting(config, rules)
  const vars = vocabulary(given)
  const environment = environmentActions(given, vars)
  const actions = { ...deliveryActions(given, vars), ...environment }
  const own = Object.keys(actions).filter((one) => !(one in environment))
  return spec({
    name,
    variables: vars,
    init: initial(given),
    actions,
    environment: Object.keys(environment),
    ...properties(given, vars),
    fairness: Object.fromEntries(own.map((one) => [one, "weak" as const])),
    processes: Object.fromEntries(
      Object.keys(actions).map((one) => [
        one,
        one === "Deliver" || one === "Tick" ? "Queue" : one === "Cancel" ? "client" : "step"
      ])
    ),
    owners: { message: "Queue", starts: "World", ended: "World", retryIn: "World", cancelled: "World" },
    deadlock: "allowed"
  })
}
