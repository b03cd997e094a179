/**
 * The bounded models of hooks. Both runs use the same token.
 *
 * @module
 */
import { type Expectation, type Model, model } from "../../checker/Language.ts"
import { fails, holds as ok } from "../Bounded.ts"
import type { Config } from "./Config.ts"
import { hooks, type Shows } from "./Hooks.ts"
import { type Rule, switches } from "./Rules.ts"
import type { State } from "./State.ts"

const bounded = (parts: {
  readonly name: string
  readonly about: string
  readonly set?: "ci" | "large"
  readonly config: Omit<Config, "rules">
  readonly shows?: Shows
  readonly expect: Expectation
  readonly without?: { readonly [rule in Rule]?: Expectation }
}): Model<Rule> =>
  model<Rule>({
    name: parts.name,
    about: parts.about,
    parts: ["hooks"],
    set: parts.set ?? "ci",
    switches,
    spec: (rules) => hooks({ ...parts.config, rules }, parts.name, parts.shows),
    expect: parts.expect,
    without: parts.without ?? {}
  })

/** A run's hook was taken by force. */
const isTaken = (s: State): boolean =>
  Object.values(s.log).some((log) => log.some(({ type, by }) => type === "disposed" && by !== null))

/** A creation was answered with a conflict. */
const hasConflict = (s: State): boolean =>
  Object.values(s.log).some((log) => log.some(({ type }) => type === "conflict"))

/** A caller follows a token to its next owner. */
const isRedirected = (s: State): boolean => Object.values(s.caller).some(({ redirects }) => redirects > 0)

/** Two payloads are in one log. */
const hasTwoPayloads = (s: State): boolean =>
  Object.values(s.log).some((log) => log.filter(({ type }) => type === "received").length === 2)

/** A creates a hook and awaits it; b takes its token. */
const forced = { a: ["create", "await", "catch"], b: ["claim", "await"] } as const

/** A creates a hook and awaits it; b asks for the same token, and asks whose it is. */
const asking = { a: ["create", "await", "dispose"], b: ["create", "conflict", "await"] } as const

/** The bounded models of hooks. */
export const hookModels: ReadonlyArray<Model<Rule>> = [
  bounded({
    name: "force-claim",
    about: "A run takes another's token by force, and a delivery dies, at any point: the victim learns of it.",
    config: { workflows: forced, topology: "gated", budgets: { crashes: 1 } },
    shows: { sometimes: { isTaken } },
    expect: ok(110, 201, 13),
    without: {
      "resume-wake-without-key": fails("NoStrandInv", 7),
      "claim-disposes-victim": fails("OneOwnerInv", 4),
      "claimer-wakes-victim": fails("NoStrandInv", 6),
      "claimer-repays-wake": fails("NoStrandInv", 8),
      "conflict-in-log": fails("NoStrandInv", 5)
    }
  }),
  bounded({
    name: "force-claim-of-a-disposed",
    about: "A run gives a hook up while another one takes its token by force, and then asks for the token again.",
    config: {
      workflows: { a: ["create", "dispose", "create", "await", "catch"], b: ["claim", "await"] },
      topology: "gated",
      budgets: { crashes: 1 }
    },
    expect: ok(246, 464, 15),
    without: { "hook-is-disposed-once": fails("DisposedOnceInv", 5) }
  }),
  bounded({
    name: "force-claim-resume",
    about: "The same, while a caller resumes the hook: its payload goes to whoever has the token.",
    config: { workflows: forced, topology: "gated", budgets: { crashes: 1, resumes: 1 } },
    shows: { sometimes: { isTaken, isRedirected } },
    expect: ok(1463, 3415, 24),
    without: {
      "payload-written-before-wake": fails("NoStrandInv", 9),
      "claim-disposes-victim": fails("OneOwnerInv", 4),
      "follow-claimed-token": fails("RefusedForCauseProp", 6),
      "refuse-claimed-hook": fails("PayloadReachableInv", 6)
    }
  }),
  bounded({
    name: "force-claim-coalescing",
    about: "The same, where a wake that finds a delivery is folded into it.",
    config: { workflows: forced, topology: "coalescing", budgets: { crashes: 1, resumes: 1 } },
    shows: { sometimes: { isTaken, isRedirected } },
    expect: ok(2579, 5949, 22),
    without: {
      "payload-written-before-wake": fails("NoStrandInv", 9),
      "coalesced-wake-reads-again": fails("NoStrandInv", 10),
      "follow-claimed-token": fails("RefusedForCauseProp", 6),
      "refuse-claimed-hook": fails("PayloadReachableInv", 6)
    }
  }),
  bounded({
    name: "force-claim-cancel",
    about: "The claimer's delivery dies before it has woken the victim, and the claimer is cancelled.",
    config: { workflows: forced, topology: "gated", budgets: { crashes: 1, cancels: 1 } },
    shows: { sometimes: { isTaken } },
    expect: ok(703, 1516, 19),
    without: {
      "resume-wake-without-key": fails("NoStrandInv", 7),
      "claimer-wakes-victim": fails("NoStrandInv", 6),
      "claimer-repays-wake": fails("NoStrandInv", 8),
      "ended-claimer-repays": fails("NoStrandInv", 11),
      "ended-run-takes-no-token": fails("RegistryInv", 3),
      "conflict-in-log": fails("NoStrandInv", 5),
      "end-frees-token": fails("RegistryInv", 3)
    }
  }),
  bounded({
    name: "force-claim-a-day-later",
    about: "The claimer's delivery dies before it has woken the victim, and a day passes: nobody tells it.",
    config: { workflows: forced, topology: "gated", budgets: { crashes: 1, days: 1 } },
    expect: fails("NoStrandInv", 9)
  }),
  bounded({
    name: "force-claim-repaid-always",
    about: "The same, where replays of the claimer send the wake again however old the claim is.",
    config: { workflows: forced, topology: "gated", repay: "always", budgets: { crashes: 1, days: 1 } },
    shows: { sometimes: { isTaken } },
    expect: ok(220, 512, 14)
  }),
  bounded({
    name: "hook-conflict",
    about: "Two runs create a hook on one token, one is answered with a conflict, and goes on in the same delivery.",
    config: { workflows: asking, topology: "gated", budgets: { crashes: 1, resumes: 1 } },
    shows: { sometimes: { hasConflict } },
    expect: ok(480, 1110, 16)
  }),
  bounded({
    name: "hook-conflict-hands-off",
    about: "The same, where every conflict hands off at once.",
    config: { workflows: asking, topology: "gated", afterConflict: "hands-off", budgets: { crashes: 1, resumes: 1 } },
    shows: { sometimes: { hasConflict } },
    expect: ok(482, 1132, 17)
  }),
  bounded({
    name: "hook-conflict-blind",
    about: "A delivery is not told of the conflict that it caused: it goes on once, and hands off.",
    config: { workflows: asking, topology: "gated", budgets: { blindDeliveries: 1 } },
    shows: { sometimes: { hasConflict } },
    expect: ok(70, 108, 9)
  }),
  bounded({
    name: "hook-conflict-blind-continues",
    about: "The same, where a delivery goes on in place whenever it meets a conflict: it never ends.",
    config: { workflows: asking, topology: "gated", afterConflict: "continues", budgets: { blindDeliveries: 1 } },
    expect: fails("SeenEventually", 5)
  }),
  bounded({
    name: "hook-payloads",
    about: "A workflow takes two payloads of one hook, whose callers come at any time, and one wake may fail.",
    config: {
      workflows: { a: ["create", "await", "await", "dispose"], b: [] },
      topology: "coalescing",
      budgets: { crashes: 1, resumes: 2, wakeFailures: 1 }
    },
    shows: { sometimes: { hasTwoPayloads } },
    expect: ok(1644, 4909, 17),
    without: {
      "coalesced-wake-reads-again": fails("NoStrandInv", 12)
    }
  }),
  bounded({
    name: "hook-resume-of-ended",
    about: "A workflow takes one payload and ends; the second caller comes before the end, or is refused.",
    config: {
      workflows: { a: ["create", "await"], b: [] },
      topology: "gated",
      budgets: { crashes: 1, resumes: 2 }
    },
    shows: { sometimes: { hasTwoPayloads } },
    expect: ok(904, 2580, 20),
    without: {
      "refuse-resume-of-ended": fails("PayloadReachableInv", 9)
    }
  }),
  bounded({
    name: "force-claim-everything",
    about: "A claim and two callers, with two crashes, a run that is cancelled, and a wake that fails.",
    set: "large",
    config: {
      workflows: forced,
      topology: "coalescing",
      budgets: { crashes: 2, cancels: 1, resumes: 2, wakeFailures: 1 }
    },
    shows: { sometimes: { isTaken, isRedirected, hasTwoPayloads } },
    expect: ok(1114256, 3932214, 34)
  }),
  bounded({
    name: "hook-drain",
    about: "A workflow disposes its hook, makes another on the same token, and ends: all that in the drain at its end.",
    config: {
      workflows: { a: ["create", "await", "dispose", "create"], b: ["create"] },
      topology: "gated",
      budgets: { crashes: 1, resumes: 1 }
    },
    shows: { sometimes: { hasConflict } },
    expect: ok(793, 1807, 18),
    without: {
      "refuse-resume-of-ended": fails("PayloadReachableInv", 5),
      "end-frees-token": fails("RegistryInv", 3),
      "drain-disposes-before-creation": fails("NoSelfConflictInv", 7)
    }
  })
]
