/**
 * Why a step's message says which version its run has: to the queue a message without a stamp is of spec 8, and what it
 * asks to have again comes as a new message, whose first delivery reads no log. (ROUTE-15, ROUTE-22, ROUTE-37,
 * ROUTE-48, STEP-21, STEP-25, STEP-36, ONCE-06)
 *
 * | variable  | what it holds                                                                    |
 * | --------- | -------------------------------------------------------------------------------- |
 * | `message` | how often the step's message was delivered, -1 while a delivery holds it or it is gone |
 * | `count`   | the count of the delivery under way, 0 for none                                 |
 * | `attempt` | the attempt that the delivery under way has begun, 0 before that                |
 * | `starts`  | the `step_started` events of the log                                            |
 * | `ended`   | the log has the step's outcome                                                  |
 * | `bodies`  | how often the body was begun                                                    |
 * | `retries`, `throttles`, `crashes` | how often the environment may still do that             |
 *
 *     Deliver --> StartStep  (a plain first delivery: attempt 1; any other reads the log)  --> body
 *             --> FailStep   (the log says that the attempts are used up)
 *             --> Throttle   (the start is refused for now, and the message asked for again)
 *     body    --> Complete | RetryLater (the message is asked for again) | Exhaust
 *     any     --> Crash      (its own message comes back)
 *
 * @module
 */
import { Schema } from "effect"
import { type Expectation, type Model, model, type Spec, type Switch, spec, variables } from "../../checker/Language.ts"
import { fails, holds } from "../Bounded.ts"
import { familyOf, LEGACY } from "./Versions.ts"

/** The switch of the step stamp models. */
export const stepStampSwitches = {
  "stamp-step-messages": {
    rule: "A step's message carries the version of its run, so that it stays one message for the whole life of the step.",
    ids: ["ROUTE-15", "ROUTE-37"],
    violates: "BodyLimitInv"
  }
} as const satisfies { readonly [rule: string]: Switch }

/** A configuration of the step stamp model. */
export interface StepStampConfig {
  readonly maxRetries: number
  /** How often a body fails in a way that may be tried again, a start is refused for now, and a delivery vanishes. */
  readonly retries: number
  readonly throttles: number
  readonly crashes: number
  readonly rules: { readonly "stamp-step-messages": boolean }
}

const vars = variables({
  message: Schema.Int,
  count: Schema.Int,
  attempt: Schema.Int,
  starts: Schema.Int,
  ended: Schema.Boolean,
  bodies: Schema.Int,
  retries: Schema.Int,
  throttles: Schema.Int,
  crashes: Schema.Int
})

/** The spec of one background step of a spec 9 run. */
export const stepStamp = (config: StepStampConfig, name = "step-stamp"): Spec => {
  const { maxRetries, rules } = config
  const { action } = vars
  /**
   * What the queue makes of a message that is asked for again: the same one, counted on, or a new one (ROUTE-15,
   * ROUTE-22, ROUTE-37, ROUTE-48).
   */
  const again = (count: number): number => (familyOf(rules["stamp-step-messages"] ? 9 : LEGACY) === 9 ? count : 0)
  const isPlainFirst = (count: number): boolean => count === 1

  const Deliver = action((s) => {
    if (s.message < 0 || s.count > 0) return
    return { message: -1, count: s.message + 1 }
  })

  /** Whether a delivery begins an attempt: it has not yet, and it is a plain first one, or the log lets it. */
  const mayStart = (count: number, attempt: number, starts: number, ended: boolean): boolean =>
    count > 0 && attempt === 0 && (isPlainFirst(count) || (!ended && starts + 1 <= maxRetries + 1))

  /** A plain first delivery takes its attempt to be the first, and reads no log; any other counts the starts (STEP-21). */
  const StartStep = action((s) => {
    if (!mayStart(s.count, s.attempt, s.starts, s.ended)) return
    const attempt = isPlainFirst(s.count) ? 1 : s.starts + 1
    return { attempt, starts: s.starts + 1, bodies: s.bodies + 1 }
  })

  /** The log says that the step has ended, or has used up its attempts (STEP-25). */
  const FailStep = action((s) => {
    if (s.count === 0 || s.attempt > 0 || mayStart(s.count, s.attempt, s.starts, s.ended)) return
    return { count: 0, ended: true }
  })

  const Complete = action((s) => {
    if (s.attempt === 0) return
    return { count: 0, attempt: 0, ended: true }
  })

  /** The body fails, and may be tried again. */
  const RetryLater = action((s) => {
    if (s.attempt === 0 || s.retries === 0 || s.attempt > maxRetries) return
    return { retries: s.retries - 1, count: 0, attempt: 0, message: again(s.count) }
  })

  /** The body fails on what its delivery takes for its last attempt. */
  const Exhaust = action((s) => {
    if (s.attempt === 0 || s.retries === 0 || s.attempt <= maxRetries) return
    return { retries: s.retries - 1, count: 0, attempt: 0, ended: true }
  })

  /** The World refuses the start for now: no body runs, and the message is asked for again. */
  const Throttle = action((s) => {
    if (s.throttles === 0 || !mayStart(s.count, s.attempt, s.starts, s.ended)) return
    return { throttles: s.throttles - 1, count: 0, message: again(s.count) }
  })

  /** The delivery vanishes: its own message comes back, whatever its stamp is. */
  const Crash = action((s) => {
    if (s.count === 0 || s.crashes === 0) return
    return { crashes: s.crashes - 1, count: 0, attempt: 0, message: s.count }
  })

  const actions = {
    Deliver,
    StartStep,
    ...(config.crashes > 0 || config.retries > 0 ? { FailStep } : {}),
    Complete,
    ...(config.retries > 0 && maxRetries > 0 ? { RetryLater } : {}),
    ...(config.retries > 0 ? { Exhaust } : {}),
    ...(config.throttles > 0 ? { Throttle } : {}),
    ...(config.crashes > 0 ? { Crash } : {})
  }
  return spec({
    name,
    variables: vars,
    init: {
      message: 0,
      count: 0,
      attempt: 0,
      starts: 0,
      ended: false,
      bodies: 0,
      retries: config.retries,
      throttles: config.throttles,
      crashes: config.crashes
    },
    actions,
    environment: ["RetryLater", "Exhaust", "Throttle", "Crash"].filter((one) => one in actions),
    invariants: {
      /** A body is begun at most `maxRetries + 1` times (ONCE-06). */
      BodyLimitInv: (s) => s.bodies <= maxRetries + 1
    },
    whenStuck: {
      /** The step gets its outcome (STEP-36). */
      NoStrandInv: (s) => s.ended
    },
    sometimes: { "the step ends": (s) => s.ended },
    processes: Object.fromEntries(Object.keys(actions).map((one) => [one, "step"])),
    deadlock: "allowed"
  })
}

const stampModel = (
  name: string,
  about: string,
  config: Omit<StepStampConfig, "rules">,
  expect: Expectation,
  without: Expectation
): Model<"stamp-step-messages"> =>
  model<"stamp-step-messages">({
    name,
    about,
    parts: ["versions", "steps"],
    switches: stepStampSwitches,
    spec: (rules) => stepStamp({ ...config, rules }, name),
    expect,
    without: { "stamp-step-messages": without }
  })

/** The bounded models of stamps on steps' messages. */
export const stepStampModels: ReadonlyArray<Model<"stamp-step-messages">> = [
  stampModel(
    "step-stamp",
    "A step is tried again: its message comes back counted, and the log is read.",
    { maxRetries: 1, retries: 3, throttles: 1, crashes: 1 },
    holds(48, 57, 11),
    fails("BodyLimitInv", 8)
  ),
  stampModel(
    "step-stamp-at-most-once",
    "A step with maxRetries 0, throttled and crashing: a missing stamp alone does not begin its body twice.",
    { maxRetries: 0, retries: 1, throttles: 2, crashes: 2 },
    holds(57, 69, 12),
    holds(79, 104, 12)
  )
]
