/**
 * The orchestrator's side, reduced to what it owes: to read the log, to send what it or somebody else left unsent, and
 * to end its delivery in one of the ways that the queue knows. (QUEUE-03, QUEUE-07, QUEUE-37, QUEUE-38, QUEUE-39,
 * QUEUE-40, QUEUE-43, HAND-04, HAND-06, HAND-07, HAND-11, HAND-13, HAND-15, HAND-20, HAND-21, COAL-02, COAL-05,
 * COAL-06, COAL-19, DEDUPE-01, DEDUPE-07, DEDUPE-20, DEDUPE-23, DEDUPE-25, LOCALPG-09, SET-03, CONF-17, RUN-44,
 * EDGE-22, EDGE-33, FENCE-30)
 *
 *     claimed --Load--> loaded | --SkipAsNoOp--> done
 *     loaded  --SendAgain--> loaded
 *             | --CreateStep--> owing --SendStepMessage--> loaded
 *             | --CompleteRun--> owing --Finish--> done
 *             | --CreateStep | CompleteRun, and the fence refuses--> refused --AskRedelivery--> delayed
 *             | --Suspend--> done
 *             | --HandOff | EndEarly--> handed off | --EndEarly, and the message is continued--> done
 *             | --AskNonFinite--> delayed
 *     capped  --FailRun--> done
 *
 *     the step     --StartStep--> running --CommitOutcome--> owes a wake --SendWake--> done
 *     a payload    --CommitPayload--> owes a wake --SendWake--> done
 *     anybody      --WakeForNothing--> a wake that nothing is owed to
 *
 * Changes `log`, `consumed`, `step`, `writer`, `message`, `key`, `delivery` and `budget`.
 *
 * @module
 */
import { STEP } from "./Config.ts"
import { delay, handOff } from "./Queueing.ts"
import {
  type Actions,
  affords,
  type Delivery,
  inBand,
  isOver,
  messageOf,
  only,
  type Part,
  READY,
  type State,
  spend,
  type Update
} from "./State.ts"

/** The orchestrator's actions. */
export const orchestratorActions = ({ setting, action }: Part): Actions => {
  const { deliveries, messages, rules, writers, handler, budgetNames } = setting
  const ofDelivery = { delivery: deliveries }

  /** What a delivery is to send again, and may (DEDUPE-20, DEDUPE-23). */
  const mayResend = (o: Delivery): boolean => {
    if (o.resent) return false
    if (o.message === "recovery" && rules["recovery-is-marked"]) return true
    // The creator of the step is the start message, which alone would send it again.
    return o.told > 1 && (rules["re-send-by-anybody"] || o.message === "start")
  }

  /** Everything the run waits for is in what the delivery has read. */
  const isReady = (s: State, o: Delivery): boolean =>
    writers.every((w) => s.log.slice(0, o.known).includes(w)) && !s.log.slice(0, o.known).includes("run_completed")

  const createsStep = (s: State, o: Delivery): boolean =>
    setting.step && !s.log.slice(0, o.known).includes("step_created")

  /** The delivery's next write, which the fence lets pass, or does not. */
  const written = (s: State, d: string, o: Delivery, event: string, more: Update): Update => {
    if (handler === "refused" || o.expected !== inBand(s.log)) return { delivery: { [d]: { ...o, phase: "refused" } } }
    const log = [...s.log, event]
    // The answer reports what landed below.
    return { ...more, log, delivery: { [d]: { ...o, phase: "owing", known: log.length, expected: o.expected + 1 } } }
  }

  return {
    /**
     * The log is read from its beginning to its end, after whatever the delivery was woken for was committed (COAL-02,
     * COAL-05, DEDUPE-07).
     */
    Load: action(ofDelivery, (s, { delivery: d }) => {
      const o = s.delivery[d]
      if (o?.phase !== "claimed") return
      if (o.rerun > 0 && !rules["re-run-reads-log"]) return { delivery: { [d]: { ...o, phase: "done" } } }
      const known = s.log.length
      const phase = isOver(s.log) ? "done" : "loaded"
      return { delivery: { [d]: { ...o, phase, known, expected: inBand(s.log) } } }
    }),

    /** Nothing is new since a delivery last ended cleanly, and nothing is owed that only this pass would send (LOCALPG-09). */
    SkipAsNoOp: action(ofDelivery, (s, { delivery: d }) => {
      const o = s.delivery[d]
      if (o?.phase !== "claimed" || s.consumed !== s.log.length || handler !== "works") return
      if (mayResend(o) && rules["no-op-after-re-send"]) return
      return { delivery: { [d]: { ...o, phase: "done" } } }
    }),

    /**
     * The re-send pass: once in an invocation that is counted above one, or that stands for a lost queue (DEDUPE-20,
     * COAL-19).
     */
    SendAgain: action(ofDelivery, (s, { delivery: d }) => {
      const o = s.delivery[d]
      if (o?.phase !== "loaded" || !mayResend(o)) return
      const read = s.log.slice(0, o.known)
      const owed = read.includes("step_created") && !read.includes(STEP)
      const lost = s.step === "unsent" || (s.step === "orphan" && o.message === "recovery")
      return {
        delivery: { [d]: { ...o, resent: true, passes: Math.min(2, o.passes + 1) } },
        ...(owed && lost ? { step: "queued" as const } : {})
      }
    }),

    ...only(setting.step, {
      /** The run's background step is created. */
      CreateStep: action(ofDelivery, (s, { delivery: d }) => {
        const o = s.delivery[d]
        if (o?.phase !== "loaded" || handler === "hands-off" || handler === "non-finite") return
        if (mayResend(o) || !createsStep(s, o)) return
        return written(s, d, o, "step_created", { step: "unsent" })
      }),

      /** The step's message, under its own key: one that is there already stays the only one (DEDUPE-01). */
      SendStepMessage: action(ofDelivery, (s, { delivery: d }) => {
        const o = s.delivery[d]
        if (o?.phase !== "owing" || isOver(s.log)) return
        return {
          delivery: { [d]: { ...o, phase: "loaded" } },
          ...(s.step === "unsent" ? { step: "queued" as const } : {})
        }
      })
    }),

    /** Everything is there: the run completes. */
    CompleteRun: action(ofDelivery, (s, { delivery: d }) => {
      const o = s.delivery[d]
      if (o?.phase !== "loaded" || handler === "hands-off" || handler === "non-finite") return
      if (mayResend(o) || createsStep(s, o) || !isReady(s, o)) return
      return written(s, d, o, "run_completed", {})
    }),

    /** The run has ended, by this delivery's own hand. */
    Finish: action(ofDelivery, (s, { delivery: d }) => {
      const o = s.delivery[d]
      if (o?.phase !== "owing" || !isOver(s.log)) return
      return { delivery: { [d]: { ...o, phase: "done" } } }
    }),

    /** There is nothing to decide: the position is kept for those that come after (LOCALPG-09). */
    Suspend: action(ofDelivery, (s, { delivery: d }) => {
      const o = s.delivery[d]
      if (o?.phase !== "loaded" || mayResend(o) || createsStep(s, o) || isReady(s, o) || handler !== "works") return
      return { delivery: { [d]: { ...o, phase: "done" } }, consumed: Math.max(s.consumed, o.known) }
    }),

    /**
     * A refused delivery asks for its own message again, counted (QUEUE-40, HAND-21, SET-03, CONF-17, QUEUE-03,
     * QUEUE-38, QUEUE-39).
     */
    AskRedelivery: action(ofDelivery, (s, { delivery: d }) => {
      const o = s.delivery[d]
      if (o?.phase !== "refused") return
      if (messages.includes("replacement") && messageOf(s, "replacement").at === "absent") {
        return { delivery: { [d]: { ...o, phase: "done" } }, message: { replacement: READY } }
      }
      return rules["refusal-is-counted"] ? delay(setting, s, d, o) : uncounted(s, d, o)
    }),

    ...only(handler === "non-finite", {
      /** The handler asks for a delay that is no number (QUEUE-07). */
      AskNonFinite: action(ofDelivery, (s, { delivery: d }) => {
        const o = s.delivery[d]
        if (o?.phase !== "loaded" || mayResend(o)) return
        return rules["non-finite-is-counted"] ? delay(setting, s, d, o) : uncounted(s, d, o)
      })
    }),

    ...only(handler === "hands-off", {
      /** A delivery that hands off without getting anywhere (HAND-11, HAND-06, HAND-20). */
      HandOff: action(ofDelivery, (s, { delivery: d }) => {
        const o = s.delivery[d]
        if (o?.phase !== "loaded" || mayResend(o)) return
        return handOff(setting, s, d, o)
      })
    }),

    ...only(budgetNames.includes("deadlines"), {
      /**
       * The invocation has to end before its work does, and all that its writes owe is sent (HAND-04, HAND-07, HAND-15,
       * RUN-44, EDGE-22, HAND-13, COAL-06).
       */
      EndEarly: action(ofDelivery, (s, { delivery: d }) => {
        const o = s.delivery[d]
        if (o?.phase !== "loaded" && (o?.phase !== "owing" || rules["owed-before-the-end"] || isOver(s.log))) return
        if (mayResend(o) || !affords(s, "deadlines")) return
        if (rules["continue-by-handoff"] && !setting.rotates)
          return { ...handOff(setting, s, d, o), ...spend(s, "deadlines") }
        if (messageOf(s, "continuation").at !== "absent") return
        return {
          delivery: { [d]: { ...o, phase: "done", past: true } },
          message: {
            continuation: setting.rotates && rules["continuation-comes-later"] ? { ...READY, at: "delayed" } : READY
          },
          ...spend(s, "deadlines")
        }
      })
    }),

    /** Past the cap the run is failed, by an event that is not fenced (QUEUE-43, FENCE-30, SET-03, EDGE-33). */
    FailRun: action(ofDelivery, (s, { delivery: d }) => {
      const o = s.delivery[d]
      if (o?.phase !== "capped") return
      const end: Update = { delivery: { [d]: { ...o, phase: "done" } } }
      return isOver(s.log) ? end : { ...end, log: [...s.log, "run_failed"] }
    })
  }

  // A redelivery that is taken for a handoff, and so is no attempt, whatever the queue's bound.
  function uncounted(s: State, d: string, o: Delivery): Update {
    const before = messageOf(s, o.message)
    const update = handOff(setting, s, d, o)
    const after = update.message?.[o.message]
    if (after === undefined || after.at === "delayed") return update
    return {
      ...update,
      message: { [o.message]: { ...after, failures: Math.min(setting.cap + 1, before.failures + 1) } }
    }
  }
}

/** The step's own message and the payloads: what each wakes the run for is committed before the wake is sent (COAL-02). */
export const writerActions = ({ setting, action }: Part): Actions => {
  const { writers, spares, rules } = setting
  const payloads = writers.filter((w) => w !== STEP)
  return {
    ...only(setting.step, {
      /** The step's message is delivered, and its start is committed. */
      StartStep: action((s) => (s.step === "queued" && !isOver(s.log) ? { step: "running" } : undefined)),

      /** The step's outcome is committed. */
      CommitOutcome: action((s) => {
        if (s.step !== "running" || isOver(s.log)) return
        return { log: [...s.log, STEP], writer: { [STEP]: "owing" }, step: "done" }
      })
    }),

    ...only(payloads.length > 0, {
      /** Somebody outside commits a payload. */
      CommitPayload: action({ writer: payloads }, (s, { writer: w }) => {
        if (s.writer[w] !== "idle" || isOver(s.log)) return
        return { log: [...s.log, w], writer: { [w]: "owing" } }
      })
    }),

    ...only(spares.length > 0, {
      /** Somebody wakes the run for nothing, and may do so again. */
      WakeForNothing: action({ message: spares }, (s, { message: m }) => {
        const { at } = messageOf(s, m)
        return !isOver(s.log) && (at === "absent" || at === "gone") ? { message: { [m]: READY } } : undefined
      })
    }),

    ...only(writers.length > 0, {
      /** One wake, undelayed, that carries no idempotency key (QUEUE-37, DEDUPE-25). */
      SendWake: action({ writer: writers }, (s, { writer: w }) => {
        if (s.writer[w] !== "owing") return
        const known = writers.some((other) => other !== w && messageOf(s, other).at !== "absent")
        const dropped = known && !rules["wakes-without-identity"]
        return { writer: { [w]: "done" }, ...(dropped ? {} : { message: { [w]: READY } }) }
      })
    })
  }
}
