/**
 * What the protocol promises, as predicates. Each can be violated: by switching off the rule that it needs, or, where
 * no single rule stands behind it, by a log written by hand in the tests. (FENCE-01, FENCE-08, FENCE-09, FENCE-15,
 * FENCE-33, FENCE-36, WORLD-29, LOG-33, STEP-01, STEP-36, WAIT-01, WAIT-18, WAIT-32, WAIT-53, WAIT-59, WAIT-84,
 * WAIT-87, WAIT-91, WAIT-92, WAIT-95, WAIT-109, WAIT-111, DEDUPE-01, ONCE-06, ONCE-07, ONCE-08, RUN-45, RUN-48,
 * CONF-06, DEDUPE-20)
 *
 * Reads `log`, `seqInBand`, `orchestrator`, `messages`, `invocations`, `begun`, `clock`, `timers`, `asked` and `armed`.
 *
 * @module
 */
import type { SpecParts } from "../checker/Language.ts"
import { leavesOf, type Program, replay } from "../programs/index.ts"
import { isAbstractStep } from "./abstract/AbstractRun.ts"
import type { BudgetName, Setting } from "./Config.ts"
import { lastAttempt, sendsOnce } from "./Decisions.ts"
import {
  countInBand,
  creates,
  creationOf,
  type Event,
  endsRun,
  hasEnded,
  inBand,
  type Log,
  lastInBand,
  openWaits,
  resolutions,
  stepsIn
} from "./Log.ts"
import { somebodyComes, stepsAreSeenTo, waitsAreArmed } from "./Obligations.ts"
import type { Rules } from "./Rules.ts"
import type { State, Vocabulary } from "./State.ts"
import { isHop } from "./TimerQueue.ts"

/** Whether a predicate holds of each event, given the log below it. */
const everyEvent = (log: Log, holds: (event: Event, below: Log) => boolean): boolean =>
  log.every((event, at) => event === null || holds(event, log.slice(0, at)))

/** Each in-band event was decided by a writer that knew every in-band event below it (FENCE-01, FENCE-33, FENCE-36). */
export const isOneChain = (log: Log): boolean =>
  everyEvent(log, (event, below) => !inBand(event) || event.after === lastInBand(below))

/** Every slot up to `seq` holds an event (FENCE-08, WORLD-29). */
export const isDense = (log: Log): boolean => log.every((event) => event !== null)

/** Each step, hook and wait that the log creates is the call that a cold replay of the events below it makes under that id. */
export const createsWhatReplayCalls =
  (program: Program, rules: Rules) =>
  (log: Log): boolean =>
    everyEvent(log, (event, below) => {
      const { type, entity, name } = event
      if (entity === undefined || !creates(event)) return true
      const call = replay(program, resolutions(below, rules)).calls[entity - 1]
      if (type === "wait_created") return call?.kind === "wait"
      return type === "hook_created"
        ? call?.kind === "hook" && call.token === name
        : call?.kind === "step" && call.name === name
    })

/** The run ended as a cold replay of the events below its end ends. */
export const endsAsReplayDoes =
  (program: Program, rules: Rules) =>
  (log: Log): boolean =>
    everyEvent(log, ({ type, result }, below) => {
      if (type !== "run_completed" && type !== "run_failed") return true
      const { settled } = replay(program, resolutions(below, rules))
      const found = settled?.as === "returned" ? settled.value : settled?.step
      return (
        (type === "run_completed") === (settled?.as === "returned") && JSON.stringify(found) === JSON.stringify(result)
      )
    })

/** The outcome that a reader of the log found for a step or hook is the one that every later reader finds. */
export const outcomesStand =
  (rules: Rules) =>
  (log: Log): boolean => {
    const last = resolutions(log, rules)
    return everyEvent(log, (_, below) =>
      resolutions(below, rules).every(({ id, as }) => last.some((other) => other.id === id && other.as === as))
    )
  }

/** A run ends once. By LOG-33 a second end may be committed, and is inert; the Worlds here refuse it. */
export const endsOnce = (log: Log): boolean => everyEvent(log, ({ type }, below) => !(endsRun(type) && hasEnded(below)))

/** Each step, hook and wait is created once. */
export const createsOnce = (log: Log): boolean =>
  everyEvent(log, (event, below) => {
    return event.entity === undefined || !creates(event) || creationOf(below, event.entity) === undefined
  })

/** An event of a step, hook or wait is above its creation; an outcome of a body, or its retry, is above its start. */
export const followsItsCause = (log: Log): boolean =>
  everyEvent(log, (event, below) => {
    const { type, entity } = event
    if (entity === undefined || creates(event)) return true
    if (creationOf(below, entity) === undefined) return false
    return (
      (type !== "step_completed" && type !== "step_retrying") ||
      below.some((other) => other?.entity === entity && other.type === "step_started")
    )
  })

/**
 * Nobody writes a step's events but its owner: the orchestrator until it moves the step, its message from then on
 * (STEP-01). The orchestrator alone writes what creates and completes a wait (WAIT-01, WAIT-92).
 */
export const isWrittenByItsOwner = (log: Log): boolean =>
  everyEvent(log, (event, below) => {
    if (event.type === "wait_created" || event.type === "wait_completed") return inBand(event)
    const step = stepsIn(below).find(({ entity }) => entity === event.entity)
    return step === undefined || inBand(event) === (step.inline && !step.moved)
  })

/**
 * Nothing more will happen to this run, and it should: it has neither ended, nor does it wait for hooks alone that are
 * created and that nobody has resumed. A sleep is not among what may last: time goes on, and so somebody should come.
 */
export const isStranded =
  (program: Program, rules: Rules) =>
  (log: Log): boolean => {
    if (log.length === 0 || hasEnded(log)) return false
    const { calls, resolved, settled } = replay(program, resolutions(log, rules))
    const open = calls.filter(({ id }) => !resolved.includes(id))
    const waitsForHooks = open.every((call) => call.kind === "hook" && creationOf(log, call.id) !== undefined)
    return settled !== undefined || open.length === 0 || !waitsForHooks
  }

/** What may make a body begin again. */
const COSTS_A_BODY: ReadonlyArray<BudgetName> = ["crashes", "lapses", "rejects", "retries"]

const longestSleep = (program: Program): number =>
  Math.max(0, ...leavesOf(program).map((leaf) => (leaf._tag === "Sleep" ? leaf.ticks : 0)))

/** The protocol's properties, for a setting. */
export const properties = (
  setting: Setting
): Required<Pick<SpecParts<Vocabulary["declarations"]>, "invariants" | "stepProperties" | "whenStuck">> => {
  const { program, rules, entities, deliveries, can } = setting
  const onLog = (holds: (log: Log) => boolean) => (s: State) => holds(s.log)
  const refines = isAbstractStep(program)
  return {
    invariants: {
      ...(!setting.obligations
        ? {}
        : {
            /** Every committed obligation has somebody who will see to it (see `Obligations.ts`). */
            ObligationInv: {
              run: (s: State) => somebodyComes(s, setting) || !isStranded(program, rules)(s.log),
              steps: (s: State) => stepsAreSeenTo(s, setting),
              waits: (s: State) => waitsAreArmed(s, setting)
            }
          }),
      ...(setting.hopTicks === "unlimited"
        ? {}
        : {
            /** A wait has one chain of hops to a deadline: at most one of them is on its way (WAIT-53, WAIT-59, WAIT-95). */
            OneHopInv: (s: State) =>
              s.timers.every(
                (one, at) =>
                  !isHop(one) ||
                  s.timers.findIndex(
                    (other) =>
                      isHop(other) &&
                      other.message.timer?.wait === one.message.timer?.wait &&
                      other.message.timer?.resumeAt === one.message.timer?.resumeAt
                  ) === at
              )
          }),
      OneChainInv: onLog(isOneChain),
      SlotsDenseInv: onLog(isDense),
      /** The World's count is the number of in-band events (FENCE-08, FENCE-09). */
      CountInv: (s) => s.seqInBand === countInBand(s.log),
      ColdReplayInv: {
        creations: onLog(createsWhatReplayCalls(program, rules)),
        end: onLog(endsAsReplayDoes(program, rules))
      },
      OneOutcomeInv: onLog(outcomesStand(rules)),
      LifecycleInv: {
        "ends once": onLog(endsOnce),
        "creates once": onLog(createsOnce),
        "follows its cause": onLog(followsItsCause),
        "written by its owner": onLog(isWrittenByItsOwner)
      },
      /** A step has at most one live message: waiting, or in the hands of a delivery that holds its lease (DEDUPE-01). */
      OneMessageInv: (s) =>
        entities.every((step) => {
          const held = (s.invocations[step] ?? []).filter(({ lease }) => lease === "held")
          return (s.messages[step] ?? []).length + held.length <= 1
        }),
      /**
       * A step's body begins at most `maxRetries + 1` times, once for `maxRetries: 0` (ONCE-06). It counts the
       * bodies that orchestrators begin, whether their lease has lapsed or not, because the fence admits each of their starts;
       * and those that step deliveries begin while they hold their lease. A step delivery whose lease lapsed before its
       * start committed can begin one more, for the World admits any start: the protocol promises no more than once per
       * live owner (ONCE-07, ONCE-08).
       */
      BodyLimitInv: (s) =>
        entities.every((step) => {
          const begun = s.begun[step] ?? 0
          return begun === 0 || begun <= lastAttempt(setting, creationOf(s.log, step)?.name ?? "")
        }),
      ...(setting.budgetNames.includes("throttles") && !setting.budgetNames.some((name) => COSTS_A_BODY.includes(name))
        ? {
            /** Where no delivery and no body is lost to a fault, a body begins once (RUN-45). */
            BodyOnceInv: (s: State) => entities.every((step) => (s.begun[step] ?? 0) <= 1)
          }
        : {}),
      ...(setting.topology === "coalescing" && can.resend && can.background
        ? {
            /** An invocation makes one re-send pass, and what its re-runs send after that is the last write's (DEDUPE-20). */
            ReSendOnceInv: (s: State) =>
              deliveries.every((d) => {
                const o = s.orchestrator[d]
                return o === null || o === undefined || sendsOnce(setting, o, s.log)
              })
          }
        : {}),
      ...(setting.countsTimers
        ? {
            /**
             * The queue takes one timer of a wait; where deliveries may be repeated, one more for the wait and one for each
             * tick of the longest sleep, in each of which some delivery may not have been its message's first (WAIT-18, WAIT-32, WAIT-111).
             */
            TimerCostInv: (s: State) =>
              entities.every((wait) => (s.armed[wait] ?? 0) <= (can.redeliver ? 2 + longestSleep(program) : 1))
          }
        : {})
    },
    stepProperties: {
      /** A delivery that becomes refused took no slot, and moved no count (FENCE-08, CONF-06). */
      RefusalAllocatesNothingProp: (s, t) =>
        deliveries.every((d) => {
          if (s.orchestrator[d]?.refused !== undefined || t.orchestrator[d]?.refused === undefined) return true
          return t.log.length === s.log.length && t.seqInBand === s.seqInBand
        }),
      /** Under the mapping from logs to histories, a step of the protocol is one of the abstract run, or stutters. */
      RefinesRunProp: (s, t) => refines(s.log, t.log),
      ...(can.wait
        ? {
            /** No sleep is shorter than it says, unless `run.wakeUp()` was asked to end it (WAIT-109). */
            NotEarlyProp: (s: State, t: State) => {
              const event = t.log.length > s.log.length ? t.log.at(-1) : undefined
              if (event?.type !== "wait_completed" || event.entity === undefined) return true
              return t.asked.includes(event.entity) || (creationOf(s.log, event.entity)?.resumeAt ?? 0) <= t.clock
            }
          }
        : {}),
      /** Slots are handed out one after the other, and what is in one never changes. */
      AppendOnlyProp: (s, t) =>
        t.log.length <= s.log.length + setting.maxBatch && s.log.every((event, at) => event === t.log[at])
    },
    whenStuck: {
      /**
       * A run that waits for anything but clients has ended (RUN-48, STEP-36, FENCE-15), or has a timer that is not due yet,
       * which will wake it.
       */
      NoStrandInv: (s) => s.timers.length > 0 || !isStranded(program, rules)(s.log),
      ...(setting.budgetNames.includes("wakeUps")
        ? {
            /** A wait whose end `run.wakeUp()` was asked for does not last until its time (WAIT-84, WAIT-87, WAIT-91). */
            WakeUpInv: (s: State) => hasEnded(s.log) || openWaits(s.log).every(({ wait }) => !s.asked.includes(wait))
          }
        : {})
    }
  }
}
