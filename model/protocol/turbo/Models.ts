/**
 * The bounded models of turbo, rotation and the inline deadline, with what the checker finds in each.
 *
 * @module
 */
import { type Expectation, type Model, model } from "../../checker/Language.ts"
import { all, hook, seq, step } from "../../programs/index.ts"
import { fails, holds } from "../Bounded.ts"
import type { Config } from "./Config.ts"
import { type Rule, switches } from "./Rules.ts"
import { turbo } from "./Turbo.ts"

const bounded = (parts: {
  readonly name: string
  readonly about: string
  readonly config: Config
  /** The rules that this model is without, whatever is switched: another rule covers for them. */
  readonly lacks?: ReadonlyArray<Rule>
  readonly expect: Expectation
  readonly without?: { readonly [rule in Rule]?: Expectation }
}): Model<Rule> =>
  model<Rule>({
    name: parts.name,
    about: parts.about,
    parts: ["turbo"],
    switches,
    spec: (rules) =>
      turbo(
        parts.config,
        { ...rules, ...Object.fromEntries((parts.lacks ?? []).map((rule) => [rule, false])) },
        parts.name
      ),
    expect: parts.expect,
    without: parts.without ?? {}
  })

const two = seq(step("a"), step("b"))

/** What the documents have: bodies begin beside `run_started`. Rules are needed there that are covered for otherwise. */
const asDocumented = ["bodies-await-run-started"] as const

/** Every bounded model of turbo. */
export const turboModels: ReadonlyArray<Model<Rule>> = [
  bounded({
    name: "turbo-start",
    about:
      "A run's first delivery loads nothing: bodies begin when run_started has committed, before their starts; run_created may never land.",
    config: { program: two, topology: "gated", budgets: { lostCreations: 1, attributes: 1 }, ends: true },
    expect: holds(95, 106, 15),
    without: {
      "resilient-start": fails("NoStrandInv", 5)
    }
  }),
  bounded({
    name: "turbo-start-documented",
    about: "The same, where bodies begin beside run_started.",
    config: { program: two, topology: "gated", budgets: { lostCreations: 1, attributes: 1 }, ends: true },
    lacks: asDocumented,
    expect: holds(97, 110, 15),
    without: {
      "behind-run-started": fails("StartedFirstInv", 5),
      "body-writes-wait": fails("StartedFirstInv", 5)
    }
  }),
  bounded({
    name: "turbo-crash",
    about: "Turbo's delivery dies at any point: the next one loads the log.",
    config: { program: two, topology: "gated", budgets: { crashes: 2, lostCreations: 1 }, ends: true },
    expect: holds(403, 482, 22)
  }),
  bounded({
    name: "turbo-at-most-once",
    about: "Turbo's first step is one that is never tried again.",
    config: {
      program: seq(step("pay", { maxRetries: 0 }), step("b")),
      topology: "gated",
      budgets: { crashes: 1, throttles: 1 }
    },
    expect: holds(125, 147, 21),
    without: { "at-most-once-awaits-start": fails("AtMostOnceInv", 9) }
  }),
  bounded({
    name: "turbo-cancelled",
    about: "The run is cancelled before or while its first delivery runs.",
    config: { program: two, topology: "gated", budgets: { cancels: 1 } },
    expect: holds(63, 77, 17)
  }),
  bounded({
    name: "turbo-cancelled-documented",
    about: "The same, where bodies begin beside run_started.",
    config: { program: two, topology: "gated", budgets: { cancels: 1 } },
    lacks: asDocumented,
    expect: holds(66, 84, 17),
    without: {
      "refused-run-started-stops": fails("StartedFirstInv", 8)
    }
  }),
  bounded({
    name: "turbo-throttled",
    about: "The World refuses a start whose body runs already.",
    config: { program: two, topology: "gated", budgets: { throttles: 1 } },
    expect: holds(35, 38, 17),
    without: { "refused-start-drops-outcome": fails("OutcomeHasStartInv", 8) }
  }),
  bounded({
    name: "turbo-overlap",
    about: "Turbo's delivery outlives its lease: the redelivery runs its bodies again.",
    config: { program: two, topology: "gated", budgets: { lapses: 1 } },
    expect: holds(403, 722, 20)
  }),
  bounded({
    name: "turbo-overlap-throttled",
    about:
      "A start is refused, and the delivery that follows outlives its lease: the stalled one and the holder refuse each other.",
    config: { program: two, topology: "gated", budgets: { lapses: 1, throttles: 1 } },
    expect: holds(2913, 5022, 28)
  }),
  bounded({
    name: "turbo-overlap-crash",
    about: "Turbo's delivery dies, and another one outlives its lease, in either order.",
    config: { program: two, topology: "gated", budgets: { lapses: 1, crashes: 1 } },
    expect: holds(6325, 11204, 29)
  }),
  bounded({
    name: "turbo-re-run",
    about: "A wake is coalesced into turbo's delivery, which is run again.",
    config: { program: two, topology: "coalescing", budgets: { spareWakes: 2 } },
    expect: holds(92, 172, 22)
  }),
  bounded({
    name: "turbo-re-run-documented",
    about: "The same, where bodies begin beside run_started.",
    config: { program: two, topology: "coalescing", budgets: { spareWakes: 2 } },
    lacks: asDocumented,
    expect: holds(93, 174, 22),
    without: {
      "re-run-not-turbo": fails("BodyOnceInv", 16)
    }
  }),
  bounded({
    name: "turbo-early-wake",
    about: "A wake is delivered before the start message, whose first delivery turbo takes for the run's.",
    config: { program: two, topology: "gated", budgets: { earlyWakes: 1 } },
    expect: holds(58, 87, 18),
    without: { "bodies-await-run-started": fails("BodyOnceInv", 16) }
  }),
  bounded({
    name: "turbo-second-start",
    about: "The start message is sent twice, and turbo takes each first delivery for the run's.",
    config: { program: two, topology: "gated", budgets: { secondStarts: 1 } },
    expect: holds(33, 49, 18),
    without: { "bodies-await-run-started": fails("BodyOnceInv", 16) }
  }),
  bounded({
    name: "turbo-second-message",
    about: "Early wakes and second start messages: no body begins before run_started has committed.",
    config: {
      program: two,
      topology: "gated",
      budgets: { earlyWakes: 1, secondStarts: 1 }
    },
    expect: holds(113, 207, 22),
    without: { "bodies-await-run-started": fails("BodyOnceInv", 16) }
  }),
  bounded({
    name: "turbo-coalesced-start",
    about: "The start message of a run whose creation may never land is coalesced into another delivery.",
    config: {
      program: step("a"),
      topology: "coalescing",
      budgets: { earlyWakes: 1, lostCreations: 1 }
    },
    expect: holds(92, 143, 15),
    without: { "wake-needs-run": fails("NoStrandInv", 7) }
  }),
  bounded({
    name: "turbo-hook-unserialized",
    about: "A hook's wake is delivered beside turbo's delivery.",
    config: {
      program: all(hook("h"), seq(step("a"), step("b"))),
      topology: "unserialized",
      budgets: { payloads: 1 },
      maxLog: 9
    },
    expect: holds(2621, 4882, 35),
    without: { "hook-ends-early-starts": fails("NoLostBodyInv", 14) }
  }),
  bounded({
    name: "turbo-background-unserialized",
    about: "A background step's wake is delivered beside turbo's delivery.",
    config: {
      program: all(seq(step("a"), step("b")), step("x")),
      maxInlineSteps: 1,
      topology: "unserialized",
      maxLog: 9
    },
    expect: holds(1219, 2218, 32),
    without: { "background-ends-early-starts": fails("NoLostBodyInv", 14) }
  }),
  bounded({
    name: "turbo-spare-wake-unserialized",
    about: "A wake that nobody owes is delivered beside turbo's delivery, and begins its step.",
    config: { program: step("a"), topology: "unserialized", budgets: { spareWakes: 1 }, maxLog: 9 },
    expect: fails("NoLostBodyInv", 10)
  }),
  bounded({
    name: "rotation",
    about: "A start message is handed off near its expiry, and a continuation goes on.",
    config: { program: two, topology: "gated", budgets: { ticks: 2, ages: 1, expiries: 1 } },
    expect: holds(137, 206, 21),
    without: {
      "rotate-near-expiry": fails("NoStrandInv", 13),
      "inline-start-margin": fails("StartsInTimeInv", 9)
    }
  }),
  bounded({
    name: "rotation-documented",
    about: "The same, where bodies begin beside run_started.",
    config: { program: two, topology: "gated", budgets: { ticks: 2, ages: 1, expiries: 1 } },
    lacks: asDocumented,
    expect: holds(139, 211, 21),
    without: {
      "continuation-without-input": fails("BodyOnceInv", 16)
    }
  }),
  bounded({
    name: "rotation-crash",
    about: "A delivery dies while it rotates its message.",
    config: { program: two, topology: "gated", budgets: { ticks: 2, ages: 1, crashes: 1 } },
    expect: holds(944, 1510, 25),
    without: { "continuation-before-acknowledgment": fails("NoStrandInv", 13) }
  }),
  bounded({
    name: "rotation-overflow",
    about: "A delivery has used up its re-runs, and its message is near its expiry.",
    config: {
      program: hook("h"),
      topology: "coalescing",
      budgets: { spareWakes: 1, payloads: 1, ages: 1, expiries: 1 },
      maxReruns: 1
    },
    expect: holds(206, 369, 23),
    without: { "overflow-rotates": fails("NoStrandInv", 15) }
  }),
  bounded({
    name: "rotation-hook-input",
    about: "A resume that carries its payload on its message, whose delivery is past its deadline.",
    config: {
      program: hook("h"),
      topology: "coalescing",
      budgets: { legacyResumes: 1, ticks: 2, ages: 1, spareWakes: 1 }
    },
    expect: holds(535, 1067, 26),
    without: {
      "hook-input-not-coalesced": fails("NoStrandInv", 11),
      "continuation-carries-hook-input": holds(547, 1091, 26)
    }
  }),
  bounded({
    name: "rotation-step-message",
    about: "A background step's message is handed off near its expiry.",
    config: { program: all(step("a"), step("x")), maxInlineSteps: 1, topology: "gated", budgets: { ages: 1 } },
    expect: holds(63, 92, 17),
    without: { "step-message-not-rotated": fails("NoStrandInv", 11) }
  }),
  bounded({
    name: "deadline-steps",
    about:
      "Inline steps come to the margin of their deadline, or past it; the message is handed off, or the next step runs in the background.",
    config: { program: seq(step("a"), step("b"), step("c")), topology: "gated", budgets: { ticks: 3 }, ends: true },
    expect: holds(130, 152, 24),
    without: {
      "deadline-hand-off": fails("DecidesInTimeProp", 10),
      "inline-start-margin": fails("StartsInTimeInv", 9),
      "redelivery-not-turbo": fails("RunEventuallyEnds", 13)
    }
  }),
  bounded({
    name: "deadline-steps-documented",
    about: "The same, where bodies begin beside run_started.",
    config: { program: seq(step("a"), step("b"), step("c")), topology: "gated", budgets: { ticks: 3 }, ends: true },
    lacks: asDocumented,
    expect: holds(131, 154, 24),
    without: {
      "redelivery-not-turbo": fails("BodyOnceInv", 13)
    }
  }),
  bounded({
    name: "deadline-re-run",
    about: "A delivery is run again within the margin of its deadline.",
    config: { program: seq(hook("h"), step("a")), topology: "coalescing", budgets: { ticks: 2, payloads: 1 } },
    expect: holds(113, 139, 20),
    without: { "re-run-keeps-deadline": fails("StartsInTimeInv", 12) }
  })
]
