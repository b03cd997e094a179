/**
 * The bounded models of rotation, with what the checker finds in each. Times are in quarters of an hour.
 *
 * @module
 */
import { type Expectation, type Model, model } from "../../checker/Language.ts"
import { fails, holds } from "../Bounded.ts"
import { type Config, EXPIRY_MARGIN, LONGEST_DELAY } from "./Config.ts"
import { rotation, type Shows } from "./Rotation.ts"
import { type Rule, switches } from "./Rules.ts"
import type { State } from "./State.ts"

const bounded = (parts: {
  readonly name: string
  readonly about: string
  readonly config: Config
  readonly shows: Shows
  readonly expect: Expectation
  readonly without?: { readonly [rule in Rule]?: Expectation }
}): Model<Rule> =>
  model<Rule>({
    name: parts.name,
    about: parts.about,
    parts: ["rotation"],
    switches,
    spec: (rules) => rotation(parts.config, rules, parts.name, parts.shows),
    expect: parts.expect,
    without: parts.without ?? {}
  })

/** A new message goes on for another one. */
const isRotated = (s: State): boolean => Object.values(s.delivery).some((o) => o?.at === "rotated")

/** The cap has failed the run. */
const isFailed = (s: State): boolean => s.log.includes("run_failed")

/** The bounded models of rotation. */
export const rotationModels: ReadonlyArray<Model<Rule>> = [
  bounded({
    name: "rotation-between-passes",
    about: "A delivery runs into its deadline before any pass, its message near its expiry; another one dies.",
    config: {
      program: ["step", "step", "step"],
      left: EXPIRY_MARGIN + 1,
      budgets: { deadlines: 2, crashes: 1, spareWakes: 1 }
    },
    shows: { sometimes: { isRotated }, neverFires: ["FailRun", "PassTime"] },
    expect: holds(2386, 4996, 17),
    without: { "continuation-is-stamped": fails("OneHolderInv", 6) }
  }),
  bounded({
    name: "rotation-expiry",
    about: "A run is handed off for longer than its message is kept.",
    config: { program: ["step"], left: 3, budgets: { deadlines: 4 } },
    shows: { sometimes: { isRotated }, neverFires: ["FailRun", "PassTime", "Coalesce"] },
    expect: holds(46, 52, 18),
    without: { "rotate-before-expiry": fails("NoStrandInv", 9) }
  }),
  bounded({
    name: "rotation-handoff-limit",
    about: "A run is handed off as often as its queue takes it: it gets on, and is not failed.",
    config: {
      program: ["step"],
      handoffLimit: 3,
      handoffMargin: 1,
      cap: 2,
      budgets: { deadlines: 7 }
    },
    shows: { sometimes: { isRotated }, neverFires: ["FailRun", "PassTime", "Coalesce"] },
    expect: holds(80, 92, 28),
    without: { "rotate-before-handoff-limit": fails("FailedForCauseInv", 16) }
  }),
  bounded({
    name: "rotation-throttled-timer",
    about: "A timer has waited for 23 hours, and the World throttles for one hour more: its message has no longer.",
    config: { program: ["sleep", "step"], sleep: LONGEST_DELAY, budgets: { throttles: 5 } },
    shows: { sometimes: { isRotated }, neverFires: ["FailRun", "Coalesce"] },
    expect: holds(47, 46, 32),
    without: { "redelivery-rotates": fails("NoStrandInv", 22) }
  }),
  bounded({
    name: "rotation-throttled-for-ever",
    about: "The World throttles for ever: the run is failed by the cap, although a continuation counts from one again.",
    config: { program: ["sleep", "step"], sleep: LONGEST_DELAY, alwaysThrottled: true },
    shows: { sometimes: { isRotated, isFailed }, neverFires: ["Coalesce"] },
    expect: holds(205, 204, 205)
  }),
  bounded({
    name: "rotation-timer",
    about:
      "A queue delays no message as long as the sleep is: its timers come early, and are rotated before they arm what is left.",
    config: {
      program: ["sleep"],
      topology: "gated",
      sleep: 4,
      longestDelay: 2,
      left: EXPIRY_MARGIN,
      handoffLimit: 1,
      handoffMargin: 1,
      budgets: { deadlines: 2, crashes: 1 }
    },
    shows: { sometimes: { isRotated }, neverFires: ["FailRun", "HandOff"] },
    expect: holds(1456, 1895, 24),
    without: { "continuation-carries-wait": fails("NoStrandInv", 11) }
  }),
  bounded({
    name: "rotation-created-wait",
    about: "A delivery that sends the timers of its waits as it suspends is rotated before it does.",
    config: {
      program: ["sleep", "step"],
      sleep: 4,
      left: EXPIRY_MARGIN,
      arms: "as-it-suspends",
      budgets: { deadlines: 1, crashes: 1 }
    },
    shows: { sometimes: { isRotated }, neverFires: ["FailRun"] },
    expect: holds(224, 288, 16),
    without: { "arm-before-handoff": fails("NoStrandInv", 7) }
  }),
  bounded({
    name: "rotation-wake-up",
    about: "The message of a wake-up is rotated before its first pass.",
    config: {
      program: ["sleep"],
      sleep: 8,
      handoffLimit: 1,
      handoffMargin: 1,
      budgets: { deadlines: 2, wakeUps: 1 }
    },
    shows: { sometimes: { isRotated, isWoken: (s) => s.log.includes("woken") }, neverFires: ["FailRun", "HandOff"] },
    expect: holds(914, 1408, 23),
    without: { "continuation-carries-wake-up": fails("WakeUpProp", 14) }
  }),
  bounded({
    name: "rotation-payload",
    about: "A message that carries a payload is rotated before its first pass.",
    config: {
      program: ["hook"],
      handoffLimit: 1,
      handoffMargin: 1,
      budgets: { deadlines: 1, payloads: 1, spareWakes: 1 }
    },
    shows: {
      sometimes: { isRotated, isReceived: (s) => s.log.includes("hook_received") },
      neverFires: ["FailRun", "HandOff", "PassTime"]
    },
    expect: holds(261, 465, 15),
    without: { "continuation-carries-payload": fails("NoStrandInv", 10) }
  })
]
