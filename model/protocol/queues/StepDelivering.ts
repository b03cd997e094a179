/**
 * The deliveries of a step's message: from the claim, by way of the log where that has to be read, to the outcome.
 * (DEDUPE-05, DEDUPE-06, DEDUPE-07, DEDUPE-10, DEDUPE-13, DEDUPE-30, DEDUPE-32, QUEUE-02, QUEUE-03, QUEUE-04, HAND-16,
 * STEP-31, STEP-33, STEP-59, DEC-23, DEC-29, EDGE-29, SET-05, SET-06)
 *
 *     ready   --DeliverStep--> claimed | starting, of a plain first delivery
 *     claimed --ReadStepLog--> starting | ended; --AskForRest--> delayed
 *     starting --CommitStart--> running | ended; --ThrottleStart--> delayed
 *     running --CompleteStep--> ended | --RetryStep--> delayed
 *     ended   --AcknowledgeStep--> gone            delayed --StepComesDue--> ready
 *     any     --CrashStep | ThrowEarly--> ready | --FailStalled, past the cap--> ended
 *     ready   --GiveUp, without `keep-redelivering`--> gone
 *
 * Changes `log`, `resting`, `message`, `worker` and `budget`.
 *
 * @module
 */
import {
  COPIES,
  hasOutcome,
  paid,
  type StepActions,
  type StepPart,
  type StepState,
  type StepUpdate,
  startsOf,
  stepVariables,
  type Worker
} from "./StepState.ts"

type Copy = (typeof COPIES)[number]

const of = { message: COPIES }

/** The delivery ends, and its message comes again later. */
const again = (s: StepState, m: Copy): StepUpdate => ({
  worker: { [m]: null },
  message: { [m]: { ...s.message[m], at: "delayed" } }
})

/** The actions of the step's invocations, and of the queue that delivers to them. */
export const deliveringActions = ({ config, rules }: StepPart): StepActions => {
  const { action } = stepVariables
  const cap = config.cap ?? 2

  /** A plain first delivery decides from the message alone; a moved retry is not the step's first attempt. */
  const isPlain = (s: StepState, m: Copy): boolean => {
    const { deliveries, resent } = s.message[m]
    const told = rules["delivery-is-counted"] ? deliveries + 1 : 1
    return told === 1 && config.owed === "creation" && !(resent && rules["re-sent-copy-reads"])
  }

  return {
    /** The queue delivers the message: what it is told decides whether the log is read (DEDUPE-10, DEDUPE-30). */
    DeliverStep: action(of, (s, { message: m }) => {
      const message = s.message[m]
      if (message.at !== "ready" || s.worker[m] !== null) return
      const plain = isPlain(s, m)
      const ahead = plain && config.optimistic === true && config.maxRetries > 0
      const worker: Worker = { phase: plain ? "starting" : "claimed", ahead }
      return {
        worker: { [m]: worker },
        message: { [m]: { ...message, at: "held", deliveries: Math.min(cap + 1, message.deliveries + 1) } }
      }
    }),

    /** The step is over, has no attempt left, or is to be started (STEP-59, DEC-23). */
    ReadStepLog: action(of, (s, { message: m }) => {
      const worker = s.worker[m]
      if (worker?.phase !== "claimed" || config.throws === true) return
      if (hasOutcome(s.log)) return { worker: { [m]: { ...worker, phase: "ended" } } }
      if (s.resting && rules["early-delivery-asks-again"]) return
      if (startsOf(s.log) > config.maxRetries) {
        return { worker: { [m]: { ...worker, phase: "ended" } }, log: [...s.log, "failed"] }
      }
      return { worker: { [m]: { ...worker, phase: "starting" } } }
    }),

    /** The retry is not due: the delivery asks for the rest (QUEUE-04). */
    AskForRest: action(of, (s, { message: m }) => {
      if (s.worker[m]?.phase !== "claimed" || !s.resting || hasOutcome(s.log) || config.throws === true) return
      return rules["early-delivery-asks-again"] ? again(s, m) : undefined
    }),

    /** The start is committed; a World may refuse that of a step that has its outcome (DEDUPE-13). */
    CommitStart: action(of, (s, { message: m }) => {
      const worker = s.worker[m]
      if (worker?.phase !== "starting" || config.throws === true) return
      if (hasOutcome(s.log) && config.refuses === true && rules["terminal-start-refused"]) {
        return { worker: { [m]: { phase: "ended", ahead: false } } }
      }
      return { worker: { [m]: { phase: "running", ahead: false } }, log: [...s.log, "started"] }
    }),

    /** The World refuses the start for load (STEP-33, QUEUE-03). */
    ThrottleStart: action(of, (s, { message: m }) => {
      const worker = s.worker[m]
      if (worker?.phase !== "starting" || s.budget.throttles === 0) return
      if (worker.ahead && !rules["throttled-start-drops-outcome"]) {
        return { worker: { [m]: { phase: "running", ahead: false } }, ...paid(s, "throttles") }
      }
      return { ...again(s, m), ...paid(s, "throttles") }
    }),

    /** The body is done; the first outcome of a step is the one that counts. */
    CompleteStep: action(of, (s, { message: m }) => {
      const worker = s.worker[m]
      if (worker?.phase !== "running") return
      return {
        worker: { [m]: { ...worker, phase: "ended" } },
        ...(hasOutcome(s.log) ? {} : { log: [...s.log, "completed"] })
      }
    }),

    /**
     * The body failed, and may be tried again: the same message comes again when that is due (QUEUE-02, STEP-31,
     * HAND-16).
     */
    RetryStep: action(of, (s, { message: m }) => {
      const worker = s.worker[m]
      if (worker?.phase !== "running" || s.budget.retries === 0 || startsOf(s.log) > config.maxRetries) return
      if (hasOutcome(s.log)) return
      const rest: StepUpdate = { log: [...s.log, "retrying"], resting: true, ...paid(s, "retries") }
      if (rules["retry-in-place"]) return { ...rest, ...again(s, m) }
      // Another message in its place is sent while this one holds the key, and so is dropped.
      return { ...rest, worker: { [m]: { ...worker, phase: "ended" } } }
    }),

    /** The message is acknowledged, after the wake was sent. */
    AcknowledgeStep: action(of, (s, { message: m }) => {
      if (s.worker[m]?.phase !== "ended") return
      return { worker: { [m]: null }, message: { [m]: { ...s.message[m], at: "gone" } } }
    }),

    /** A delay is over: the retry is due, or the queue's own longest delay is (EDGE-29). */
    StepComesDue: action(of, (s, { message: m }) => {
      if (s.message[m].at !== "delayed") return
      if (s.resting && s.budget.early === 0) return
      return { message: { [m]: { ...s.message[m], at: "ready" } }, ...(s.resting ? paid(s, "early") : {}) }
    }),

    /** A delivery dies, and its body with it (DEDUPE-07). A job that lost its key was given no further try. */
    CrashStep: action(of, (s, { message: m }) => {
      if (s.worker[m] === null || s.budget.crashes === 0) return
      const { keyed } = s.message[m]
      return {
        worker: { [m]: null },
        message: { [m]: { ...s.message[m], at: keyed ? "ready" : "gone" } },
        ...paid(s, "crashes")
      }
    }),

    /** A delivery throws before it has written anything, and is tried again (DEDUPE-05). */
    ThrowEarly: action(of, (s, { message: m }) => {
      if (config.throws !== true || s.worker[m] === null || s.message[m].deliveries > cap) return
      return { worker: { [m]: null }, message: { [m]: { ...s.message[m], at: "ready" } } }
    }),

    /**
     * Past the cap, a step whose log shows nothing for the stall window is failed (DEDUPE-06, DEC-29, SET-05, SET-06). It is
     * there only where every delivery throws before it writes anything, and so the log of none shows a start.
     */
    FailStalled: action(of, (s, { message: m }) => {
      const worker = s.worker[m]
      if (config.throws !== true || worker === null || s.message[m].deliveries <= cap) return
      return {
        worker: { [m]: { ...worker, phase: "ended" } },
        ...(hasOutcome(s.log) ? {} : { log: [...s.log, "failed"] })
      }
    }),

    /** A queue that gives up on a message too soon (DEDUPE-05, DEDUPE-32). */
    GiveUp: action(of, (s, { message: m }) => {
      if (rules["keep-redelivering"] || s.message[m].at !== "ready" || s.message[m].deliveries < cap) return
      return { message: { [m]: { ...s.message[m], at: "gone" } } }
    })
  }
}
