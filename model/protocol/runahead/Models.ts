/**
 * The bounded models of run-ahead, with what the checker finds in each.
 *
 * `runahead-gap` and `runahead-depth-outcomes` are findings: a property fails in them with every rule on, and a model
 * beside each, `runahead-gap-separate` and `runahead-depth-starts`, shows what closes it.
 *
 * @module
 */
import { type Expectation, type Model, model } from "../../checker/Language.ts"
import { all, hook, race, seq, sleep, step } from "../../programs/index.ts"
import { fails, holds } from "../Bounded.ts"
import type { Config } from "./Config.ts"
import { type Rule, switches } from "./Rules.ts"
import { runAhead } from "./RunAhead.ts"

const bounded = (parts: {
  readonly name: string
  readonly about: string
  readonly set?: "ci" | "large"
  readonly config: Config
  readonly expect: Expectation
  readonly without?: { readonly [rule in Rule]?: Expectation }
}): Model<Rule> =>
  model<Rule>({
    name: parts.name,
    about: parts.about,
    parts: ["run-ahead"],
    ...(parts.set === undefined ? {} : { set: parts.set }),
    switches,
    spec: (rules) => runAhead(parts.config, rules, parts.name),
    expect: parts.expect,
    without: parts.without ?? {}
  })

const chain = seq(step("a"), step("b"), step("c"))
/** Two branches, each a step and what follows it: which id the second call gets depends on which first one ended first. */
const branches = race(seq(step("a"), step("b")), seq(step("x"), step("y")))
const hookBranch = race(seq(hook("h"), step("c")), seq(step("a"), step("b")))
const farWait = all(seq(sleep(1), step("c")), seq(step("a"), step("b")))

/** Every bounded model of run-ahead. */
export const runaheadModels: ReadonlyArray<Model<Rule>> = [
  bounded({
    name: "runahead-chain",
    about: "Three steps in sequence run ahead of their writes, and the log is the one that waiting would have written.",
    config: { program: chain, ends: true },
    expect: holds(33, 42, 15),
    without: { "writes-in-decision-order": fails("ColdReplayInv", 6), "run-ahead-depth": fails("DepthInv", 5) }
  }),
  bounded({
    name: "runahead-displaced",
    about: "Payloads that nobody awaits take the slots predicted for two steps at once.",
    config: { program: seq(all(step("a"), step("b")), step("c")), budgets: { unread: 2 } },
    expect: holds(1210, 1752, 22),
    without: {
      "unawaited-hook-buffered": fails("ColdReplayInv", 10),
      "payload-cache-by-step": fails("LiveOrderInv", 11)
    }
  }),
  bounded({
    name: "runahead-hook",
    about: "A payload of an awaited hook races a chain of inline steps.",
    config: { program: hookBranch, budgets: { payloads: 1, crashes: 1, unread: 1 } },
    expect: holds(15058, 20215, 32),
    without: { "awaited-hook-not-inert": fails("ColdReplayInv", 7) }
  }),
  bounded({
    name: "runahead-early-hook",
    about: "A hook is created first and awaited last: its payload may land below outcomes that ran ahead of it.",
    config: { program: seq(step("a"), step("b"), hook("h")), earlyHooks: [3], budgets: { payloads: 1, crashes: 1 } },
    expect: holds(772, 1099, 23),
    without: { "repair-displaced": fails("LiveOrderInv", 9), "drain-before-boundary": holds(772, 1099, 23) }
  }),
  bounded({
    name: "runahead-hook-after",
    about: "An outcome has run ahead when its branch comes to await a hook, while another branch goes on.",
    config: {
      program: all(seq(step("a"), race(hook("h"), step("x"))), seq(step("b"), step("c"))),
      budgets: { payloads: 1, throttles: 1 }
    },
    expect: holds(1641, 1990, 33),
    without: { "drain-before-boundary": holds(1476, 1796, 33) }
  }),
  bounded({
    name: "runahead-elsewhere",
    about: "A step that runs elsewhere completes beside a chain of inline steps: nothing runs ahead.",
    config: { program: branches, maxInlineSteps: 1, runsAhead: false, ends: true },
    expect: holds(129, 156, 23),
    without: { "step-elsewhere-not-inert": fails("ColdReplayInv", 7) }
  }),
  bounded({
    name: "runahead-wait",
    about: "A wait comes due while a chain of inline steps runs.",
    config: { program: race(seq(sleep(1), step("c")), seq(step("a"), step("b"))), ends: true },
    expect: holds(473, 574, 28),
    without: { "due-wait-not-inert": fails("ColdReplayInv", 10) }
  }),
  bounded({
    name: "runahead-far-wait",
    about: "A wait that does not come due while the delivery lives: outcomes run ahead of it.",
    config: { program: farWait, waitsComeDue: false, budgets: { wakeUps: 1 } },
    expect: holds(30, 33, 26),
    without: { "waits-complete-in-band": fails("ColdReplayInv", 7) }
  }),
  bounded({
    name: "runahead-throttled",
    about: "The World refuses starts whose bodies run already: the delivery stops, and restarts in place.",
    config: { program: seq(step("a"), all(step("b"), step("c"))), budgets: { throttles: 2 } },
    expect: holds(140, 175, 23),
    without: {
      "refused-creation-stops": fails("CreatedFirstInv", 6),
      "started-outcomes-survive": fails("BodyOnceInv", 11),
      "one-restart-run-ahead-off": fails("RestartsBoundedInv", 9)
    }
  }),
  bounded({
    name: "runahead-depth-outcomes",
    about: "A depth that bounds outcomes alone: one stop makes more bodies run again than the depth.",
    config: {
      program: seq(step("a"), all(step("b"), step("c"))),
      depth: 1,
      depthCounts: "outcomes",
      budgets: { throttles: 1 }
    },
    expect: fails("RerunsBoundedInv", 5)
  }),
  bounded({
    name: "runahead-depth-starts",
    about: "A depth that bounds starts as well: a stop makes as many bodies run again as the depth, and no more.",
    config: {
      program: seq(step("a"), all(step("b"), step("c"))),
      depth: 1,
      runsAhead: false,
      budgets: { throttles: 1 }
    },
    expect: holds(70, 81, 23)
  }),
  bounded({
    name: "runahead-at-most-once",
    about: "A step that is never tried again follows one that runs ahead.",
    config: {
      program: seq(step("a"), step("pay", { maxRetries: 0 })),
      runsAhead: false,
      budgets: { throttles: 1, crashes: 1 }
    },
    expect: holds(223, 262, 25),
    without: { "at-most-once-not-ahead": fails("AtMostOnceInv", 10) }
  }),
  bounded({
    name: "runahead-cancel",
    about: "The run is cancelled below outcomes that ran ahead: no hazard, and no outcome without its start.",
    config: { program: chain, budgets: { cancels: 1 } },
    expect: holds(150, 193, 20),
    without: { "batch-refuses-by-step": fails("CreatedFirstInv", 8) }
  }),
  bounded({
    name: "runahead-overlap",
    about: "Two deliveries of one message: one of them has run ahead when the other writes.",
    config: { program: seq(step("a"), step("b")), budgets: { lapses: 1, crashes: 1 } },
    expect: holds(20425, 46314, 33),
    without: { "refusal-ends-delivery": fails("RefusedStopsProp", 7) }
  }),
  bounded({
    name: "runahead-world-time",
    about: "A World that stores its own time is found out by the first speculative write, before anything else leaves.",
    config: { program: chain, keepsTime: false, ends: true },
    expect: holds(49, 51, 23),
    without: { "stored-time-checked": fails("ColdReplayInv", 6) }
  }),
  bounded({
    name: "runahead-gap",
    about: "A classification that misses steps elsewhere: the hazard is found when the wrong decision has committed.",
    config: { program: branches, maxInlineSteps: 1, missesElsewhere: true },
    expect: fails("ColdReplayInv", 7)
  }),
  bounded({
    name: "runahead-gap-separate",
    about: "The same, with creations that share no group with the outcome below them: the stop recovers.",
    config: { program: branches, maxInlineSteps: 1, missesElsewhere: true, separateCreations: true },
    expect: holds(125, 156, 23),
    without: { "hazard-check": fails("ColdReplayInv", 9) }
  }),
  bounded({
    name: "runahead-stray",
    about: "A second owner of a background step writes its outcome once more below outcomes that ran ahead.",
    config: {
      program: seq(all(step("a"), step("x")), step("b"), step("c")),
      maxInlineSteps: 1,
      budgets: { strays: 1 }
    },
    expect: holds(273, 370, 27),
    without: { "ended-step-no-hazard": fails("HazardNeverInv", 11) }
  }),
  bounded({
    name: "runahead-failed-orphan",
    about:
      "A delivery dies in the body of a step that is never tried again: the next one fails it, while another body ends.",
    config: {
      program: race(seq(step("a"), step("b")), step("c", { maxRetries: 0 })),
      depth: 1,
      budgets: { crashes: 1 }
    },
    expect: holds(237, 334, 20),
    without: { "own-failure-first": fails("ColdReplayInv", 12) }
  }),
  bounded({
    name: "runahead-divergence",
    about: "A retained VM holds less than the log: the replay diverges, and a fresh one gets past it.",
    config: { program: chain, budgets: { slips: 1 } },
    expect: holds(48, 60, 19),
    without: { "fresh-vm-on-divergence": fails("CorruptLogInv", 11) }
  }),
  bounded({
    name: "runahead-hook-faults",
    about: "A payload of an awaited hook races a chain of steps, under a lapse, a cancellation and a throttle.",
    set: "large",
    config: { program: hookBranch, budgets: { payloads: 1, lapses: 1, cancels: 1, throttles: 1 } },
    expect: holds(666587, 1606113, 53)
  })
]
