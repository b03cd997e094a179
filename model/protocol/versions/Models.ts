/**
 * The bounded models of routing: a run of either family, and messages that say, do not say, or say wrongly, which.
 *
 * @module
 */
import { type Expectation, type Model, model } from "../../checker/Language.ts"
import { fails, holds } from "../Bounded.ts"
import type { RoutingConfig } from "./Config.ts"
import { routing } from "./Routing.ts"
import { type RoutingRule, routingSwitches } from "./Rules.ts"

const versionsModel = (parts: {
  readonly name: string
  readonly about: string
  readonly set?: "ci" | "large"
  readonly config: Omit<RoutingConfig, "rules">
  /** The rules that this model is without, whatever is switched: what the documents leave for later. */
  readonly lacks?: ReadonlyArray<RoutingRule>
  readonly expect: Expectation
  readonly without?: { readonly [rule in RoutingRule]?: Expectation }
}): Model<RoutingRule> =>
  model<RoutingRule>({
    name: parts.name,
    about: parts.about,
    parts: ["versions", "queue"],
    ...(parts.set === undefined ? {} : { set: parts.set }),
    switches: routingSwitches,
    spec: (rules) =>
      routing(
        {
          ...parts.config,
          rules: { ...rules, ...Object.fromEntries((parts.lacks ?? []).map((rule) => [rule, false])) }
        },
        parts.name
      ),
    expect: parts.expect,
    without: parts.without ?? {}
  })

const all = { oneHolder: true, bodyOnce: true } as const
const none = { oneHolder: false, bodyOnce: false } as const

/** What the documents say today: the queue takes a message without a stamp for one of spec 8. */
const asDocumented = ["resolve-before-gating"] as const

/** The bounded models of routing. */
export const routingModels: ReadonlyArray<Model<RoutingRule>> = [
  versionsModel({
    name: "unstamped-wake",
    about: "Somebody wakes a spec 9 run without saying so: the queue looks the run up, and the wake waits its turn.",
    config: { env: 9, step: "inline", outside: [0], promises: all, budgets: { outside: 2, flips: 1 } },
    expect: holds(306, 717, 21),
    without: {
      "resolve-before-gating": fails("OneHolderInv", 8),
      "route-by-stored-version": fails("HandOnInv", 6)
    }
  }),
  versionsModel({
    name: "unstamped-wake-documented",
    about: "As documented, the wake runs beside the holder, which may begin the holder's inline body once more.",
    config: {
      env: 9,
      step: "inline",
      outside: [0],
      promises: { oneHolder: false, bodyOnce: true },
      budgets: { outside: 1 }
    },
    lacks: asDocumented,
    expect: fails("BodyOnceInv", 10)
  }),
  versionsModel({
    name: "unstamped-wake-documented-log",
    about: "The same, as far as the log is concerned: the fence keeps it one history.",
    config: { env: 9, step: "inline", outside: [0], promises: none, budgets: { outside: 2 } },
    lacks: asDocumented,
    expect: holds(2194, 4953, 30),
    without: { "unserialized-fence": fails("OneChainInv", 10) }
  }),
  versionsModel({
    name: "own-wakes-documented",
    about:
      "What this release sends is stamped, so its wakes wait for the holder, also where the queue looks nothing up.",
    config: { env: 9, step: "inline", promises: all, budgets: { cancels: 1 } },
    lacks: asDocumented,
    expect: holds(87, 128, 15),
    without: { "stamp-every-send": fails("OneHolderInv", 9) }
  }),
  versionsModel({
    name: "rotated-start",
    about: "The start message is replaced by a new one, which says of its run what the start message said.",
    config: { env: 9, step: "inline", promises: all, budgets: { rotations: 1, cancels: 1 } },
    lacks: asDocumented,
    expect: holds(156, 237, 16),
    without: { "rotation-keeps-stamp": fails("OneHolderInv", 10) }
  }),
  versionsModel({
    name: "low-hint",
    about: "A message says 8 of a spec 9 run: the spec 8 orchestrator hands it on, and writes nothing.",
    config: { env: 9, step: "inline", outside: [8], promises: all, budgets: { outside: 2 } },
    expect: holds(310, 700, 22),
    without: { "hand-on-wrong-hint": fails("OneFamilyInv", 5) }
  }),
  versionsModel({
    name: "high-hint",
    about: "A message says 9 of a spec 8 run: the spec 9 orchestrator hands it on.",
    config: { env: 8, step: "inline", outside: [9], promises: all, budgets: { outside: 2 } },
    expect: holds(794, 1853, 22),
    without: { "hand-on-wrong-hint": fails("OneFamilyInv", 5) }
  }),
  versionsModel({
    name: "variable-unset",
    about: "Spec 9 runs exist, and the variable is unset: they keep their orchestrator, and can be cancelled.",
    config: { env: 9, step: "background", promises: all, budgets: { flips: 1, cancels: 1 } },
    expect: holds(220, 470, 18),
    without: { "stamp-by-run": fails("StampInv", 3), "keep-stamp": fails("HandOnInv", 6) }
  }),
  versionsModel({
    name: "spec-8-run-after-an-upgrade",
    about: "An older release started a spec 8 run, and new runs are spec 9: it stays what it is.",
    config: {
      env: 9,
      created: 8,
      step: "background",
      outside: [0],
      promises: all,
      budgets: { outside: 1, cancels: 1 }
    },
    expect: holds(1345, 3403, 20),
    without: { "stamp-by-run": fails("StampInv", 1), "route-by-stored-version": fails("HandOnInv", 4) }
  }),
  versionsModel({
    name: "message-before-run",
    about: "A start message and somebody's wake come before the run's row: the one makes it, the other finds nothing.",
    config: {
      env: 9,
      step: "inline",
      eitherOrder: true,
      outside: [0],
      promises: all,
      budgets: { outside: 1, flips: 1 }
    },
    expect: holds(342, 750, 18)
  }),
  versionsModel({
    name: "spec-8-abort-wake",
    about: "A spec 8 body runs until another delivery of its run tells it to stop.",
    config: { env: 8, step: "inline", abortable: true, promises: none, budgets: { cancels: 1 } },
    expect: holds(91, 151, 14),
    without: { "gate-by-version": fails("NoStrandInv", 7) }
  }),
  versionsModel({
    name: "raised-version",
    about: "A backend raises an old run's version, and stops where its orchestrator would change.",
    config: { env: 9, created: 5, step: "background", promises: all, budgets: { raises: 2 } },
    expect: holds(107, 178, 12),
    without: { "raise-within-family": fails("OneOrchestratorProp", 2) }
  }),
  versionsModel({
    name: "world-without-fence",
    about: "Spec 9 is asked for on a World that does not fence: the run is of spec 8.",
    config: { env: 9, fence: false, step: "inline", outside: [0], promises: none, budgets: { outside: 1 } },
    lacks: asDocumented,
    expect: holds(172, 309, 15),
    without: { "mint-needs-fence": fails("OneChainInv", 10) }
  }),
  versionsModel({
    name: "unstamped-refused",
    about:
      "A delivery without a stamp is refused, and goes on as a new message: a first delivery, which sends nothing again.",
    config: {
      env: 9,
      step: "background",
      outside: [0],
      promises: none,
      budgets: { outside: 1, crashes: 2 }
    },
    lacks: asDocumented,
    expect: holds(10626, 29759, 36)
  }),
  versionsModel({
    name: "unstamped-refused-stalled",
    about: "The same, where the delivery outlived its lease: what it left undone is nobody's.",
    config: {
      env: 9,
      step: "background",
      outside: [0],
      promises: none,
      budgets: { outside: 1, crashes: 1, lapses: 1 }
    },
    lacks: asDocumented,
    expect: fails("NoStrandInv", 21)
  }),
  versionsModel({
    name: "unstamped-refused-stalled-same-message",
    about: "The same, where it goes on as the same message.",
    config: {
      env: 9,
      step: "background",
      outside: [0],
      refusedGoesOn: "same-message",
      promises: none,
      budgets: { outside: 1, crashes: 1, lapses: 1 }
    },
    lacks: asDocumented,
    expect: holds(46656, 134102, 36)
  }),
  versionsModel({
    name: "unstamped-refused-stalled-resolved",
    about: "The same, where the queue looks up the run of a message without a stamp.",
    config: {
      env: 9,
      step: "background",
      outside: [0],
      promises: none,
      budgets: { outside: 1, crashes: 1, lapses: 1 }
    },
    expect: holds(29628, 79705, 32),
    without: { "resolve-before-gating": fails("NoStrandInv", 21) }
  })
]
