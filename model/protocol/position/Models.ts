/**
 * The bounded models of the quick exit, with what the checker finds in each.
 *
 * @module
 */
import { type Expectation, type Model, model } from "../../checker/Language.ts"
import { fails, holds } from "../Bounded.ts"
import type { Config } from "./Config.ts"
import { position } from "./Position.ts"
import { type Rule, switches } from "./Rules.ts"

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
    parts: ["position"],
    switches,
    spec: (rules) =>
      position(
        parts.config,
        { ...rules, ...Object.fromEntries((parts.lacks ?? []).map((rule) => [rule, false])) },
        parts.name
      ),
    expect: parts.expect,
    without: parts.without ?? {}
  })

/** What the documents have: a first delivery sends nothing again. Where it does, it covers for another rule. */
const asDocumented = ["first-reader-re-sends"] as const

/** The bounded models of the quick exit. */
export const positionModels: ReadonlyArray<Model<Rule>> = [
  bounded({
    name: "quick-exit-owes-a-send",
    about: "A delivery dies owing a step's message, and a spare wake's delivery has read the log since: who sends it?",
    config: { works: true, budgets: { crashes: 1, spareWakes: 1 } },
    expect: holds(572, 1122, 28)
  }),
  bounded({
    name: "quick-exit-owes-a-send-documented",
    about: "The same, where a first delivery sends nothing again.",
    config: { works: true, budgets: { crashes: 1, spareWakes: 1 } },
    lacks: asDocumented,
    expect: holds(560, 1093, 28),
    without: { "quick-exit-after-re-sends": fails("NoStrandInv", 19) }
  }),
  bounded({
    name: "quick-exit-owes-a-send-coalescing",
    about: "The same, where the dead delivery's message is run again inside of another one.",
    config: { works: true, topology: "coalescing", budgets: { crashes: 1, spareWakes: 1 } },
    expect: holds(859, 1826, 25)
  }),
  bounded({
    name: "quick-exit-owes-a-send-coalescing-documented",
    about: "The same, where a first delivery sends nothing again.",
    config: { works: true, topology: "coalescing", budgets: { crashes: 1, spareWakes: 1 } },
    lacks: asDocumented,
    expect: holds(850, 1798, 25),
    without: { "quick-exit-after-re-sends": fails("NoStrandInv", 17) }
  }),
  bounded({
    name: "quick-exit-early-timer",
    about: "A timer comes early, and the log ends where its process left it.",
    config: { sleeps: true, budgets: { earlies: 1, spareWakes: 1 } },
    expect: holds(99, 154, 19),
    without: { "timers-are-read": fails("NoStrandInv", 10) }
  }),
  bounded({
    name: "quick-exit-sleep-crashed",
    about: "Whoever owes a timer dies at any point, before its acknowledgment or, without the order, after it.",
    config: { sleeps: true, processes: 2, budgets: { crashes: 1, earlies: 1, spareWakes: 1 } },
    expect: holds(2906, 4924, 26),
    without: { "acknowledge-last": fails("NoStrandInv", 11) }
  }),
  bounded({
    name: "quick-exit-wake-up",
    about: "run.wakeUp(), best effort, of a run whose process has consumed the log: its message is read all the same.",
    config: { sleeps: true, budgets: { wakeUps: 1, crashes: 1, spareWakes: 1 } },
    expect: holds(907, 1633, 26),
    without: { "wake-ups-are-read": fails("WakeUpInv", 11) }
  }),
  bounded({
    name: "quick-exit-recovery",
    about: "A World with its queue in memory is started again, and a spare wake comes before the recovery.",
    config: { sleeps: true, works: true, budgets: { restarts: 1, spareWakes: 1 } },
    expect: holds(7545, 16849, 36),
    without: { "recoveries-are-read": fails("NoStrandInv", 14) }
  }),
  bounded({
    name: "quick-exit-payload",
    about: "A payload comes on a message, to a process that has consumed the log.",
    config: { works: true, payload: "carried", budgets: { crashes: 1 } },
    expect: holds(130, 180, 24),
    without: { "payloads-are-read": fails("PayloadInv", 9) }
  }),
  bounded({
    name: "quick-exit-rejected",
    about: "A send fails, and its delivery with it; what its process had recorded stays.",
    config: { sleeps: true, works: true, budgets: { rejects: 2, earlies: 1 } },
    expect: holds(11545, 22115, 40)
  }),
  bounded({
    name: "quick-exit-refused",
    about: "A delivery is refused in a process that has recorded a position.",
    config: { works: true, processes: 2, budgets: { lapses: 1, spareWakes: 1 } },
    expect: holds(50648, 129665, 34)
  }),
  bounded({
    name: "quick-exit-stalled-claim-rejected",
    about: "A delivery reads the log after its redelivery is over, and the send of what it creates fails.",
    config: { works: true, budgets: { lapses: 1, rejects: 1 } },
    expect: holds(2670, 5400, 30),
    without: { "first-reader-re-sends": fails("NoStrandInv", 16) }
  }),
  bounded({
    name: "quick-exit-stalled-claim-crashed",
    about: "The same, where its process dies.",
    config: { works: true, budgets: { lapses: 1, crashes: 1 } },
    expect: holds(5543, 13212, 31),
    without: { "first-reader-re-sends": fails("NoStrandInv", 16) }
  }),
  bounded({
    name: "quick-exit-wake-up-restart",
    about: "A restart takes run.wakeUp()'s message with the queue, and the recovery knows nothing of it.",
    config: { sleeps: true, budgets: { wakeUps: 1, restarts: 1 } },
    expect: fails("WakeUpInv", 12)
  }),
  bounded({
    name: "quick-exit-payload-restart",
    about: "A restart takes a payload that was on its message alone with the queue.",
    config: { works: true, payload: "carried", budgets: { restarts: 1 } },
    expect: fails("PayloadInv", 9)
  }),
  bounded({
    name: "quick-exit-shared-position",
    about: "The same, where each process goes by what any other has recorded: nothing is lost by that either.",
    config: { works: true, processes: 2, sharedPosition: true, budgets: { lapses: 1, spareWakes: 1 } },
    expect: holds(49615, 126995, 34)
  })
]
