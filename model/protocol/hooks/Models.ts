/**
 * The bounded models of hooks. Both runs use the same token.
 *
 * @module
 */
import { type Expectation, type Model, model } from "../../checker/Language.ts"
import { fails, holds as ok } from "../Bounded.ts"
import { type Config, MAX_REDIRECTS } from "./Config.ts"
import { hooks, type Shows } from "./Hooks.ts"
import { type Rule, switches } from "./Rules.ts"
import { isEnded, logOf, type State } from "./State.ts"

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

/** A run's hook was taken by force from each of the runs. */
const isTakenBack = (s: State): boolean =>
  Object.values(s.log).every((log) => log.some(({ type, by }) => type === "disposed" && by !== null))

/** A caller has followed a token twice. */
const isRedirectedTwice = (s: State): boolean => Object.values(s.caller).some(({ redirects }) => redirects === 2)

/** A caller has followed a token as often as it does, and was turned away from its owner. */
const hasGivenUp = (s: State): boolean =>
  Object.values(s.caller).some(({ at, redirects }) => at === "refused" && redirects === MAX_REDIRECTS)

/** A delivery has nothing new to read. */
const isSkipped = (s: State): boolean => s.delivery.a?.seen === s.position.a && logOf(s, "a").length === s.position.a

/** A run has ended, and has the token. */
const isKeptBeyondEnd = (s: State): boolean => s.token !== null && isEnded(logOf(s, s.token.run))

/** A run's hook was taken by force after its end. */
const isTakenFromEnded = (s: State): boolean =>
  Object.values(s.log).some((log) => {
    const end = log.findIndex(({ type }) => type === "ended")
    return end >= 0 && log.slice(end).some(({ type }) => type === "disposed")
  })

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
    expect: ok(152, 269, 14),
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
    expect: ok(332, 606, 16),
    without: { "hook-is-disposed-once": fails("DisposedOnceInv", 5) }
  }),
  bounded({
    name: "force-claim-resume",
    about: "The same, while a caller resumes the hook: its payload goes to whoever has the token.",
    config: { workflows: forced, topology: "gated", budgets: { crashes: 1, resumes: 1 } },
    shows: { sometimes: { isTaken, isRedirected } },
    expect: ok(2001, 4566, 23),
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
    expect: ok(3009, 6852, 21),
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
    expect: ok(1037, 2178, 18),
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
    expect: ok(304, 690, 15)
  }),
  bounded({
    name: "hook-conflict",
    about: "Two runs create a hook on one token, one is answered with a conflict, and goes on in the same delivery.",
    config: { workflows: asking, topology: "gated", budgets: { crashes: 1, resumes: 1 } },
    shows: { sometimes: { hasConflict } },
    expect: ok(670, 1490, 16)
  }),
  bounded({
    name: "hook-conflict-hands-off",
    about: "The same, where every conflict hands off at once.",
    config: { workflows: asking, topology: "gated", afterConflict: "hands-off", budgets: { crashes: 1, resumes: 1 } },
    shows: { sometimes: { hasConflict } },
    expect: ok(666, 1512, 17)
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
    expect: ok(2430, 7011, 18),
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
    expect: ok(1386, 3812, 20),
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
    expect: ok(1801277, 6153111, 33)
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
    expect: ok(1093, 2398, 18),
    without: {
      "refuse-resume-of-ended": fails("PayloadReachableInv", 5),
      "end-frees-token": fails("RegistryInv", 3),
      "drain-disposes-before-creation": fails("NoSelfConflictInv", 7)
    }
  }),
  bounded({
    name: "force-claim-mutual",
    about: "Two runs take the token from each other by force, and wait: they do not wake each other for ever.",
    config: {
      workflows: { a: ["claim", "await", "catch", "claim", "await"], b: ["claim", "await", "catch", "rest"] },
      topology: "gated"
    },
    shows: { sometimes: { isTaken, isTakenBack }, neverFires: ["EndRun"] },
    expect: ok(40, 58, 14),
    without: { "redelivery-repays": fails("QuietEventually", 19) }
  }),
  bounded({
    name: "force-claim-mutual-resume",
    about: "A caller resumes the hook meanwhile, and follows the token from one run to the other and back.",
    config: {
      workflows: { a: ["create", "await", "dispose", "catch", "claim", "await"], b: ["claim", "await", "catch"] },
      topology: "coalescing",
      budgets: { crashes: 1, resumes: 1 }
    },
    shows: { sometimes: { isTakenBack, isRedirectedTwice } },
    expect: ok(18098, 42546, 29)
  }),
  bounded({
    name: "force-claim-four-times",
    about: "The token changes hands four times while a caller follows it: it gives up, which is as documented.",
    config: {
      workflows: {
        a: ["create", "await", "dispose", "catch", "claim", "await", "dispose", "catch", "claim", "await"],
        b: ["claim", "await", "dispose", "catch", "claim", "await", "catch"]
      },
      topology: "gated",
      budgets: { resumes: 1 }
    },
    shows: { sometimes: { hasGivenUp } },
    expect: ok(2898, 5703, 35)
  }),
  bounded({
    name: "hook-payload-conflict",
    about:
      "A payload is answered with a 409, which has written nothing; and a wake is sent twice, since nobody heard of the first.",
    config: {
      workflows: { a: ["create", "await", "dispose"], b: [] },
      topology: "gated",
      budgets: { crashes: 1, resumes: 1, conflicts: 1, lostAnswers: 1 }
    },
    shows: { sometimes: { isSkipped } },
    expect: ok(961, 2328, 19),
    without: { "conflict-is-retryable": fails("RefusedForCauseProp", 4) }
  }),
  bounded({
    name: "hook-retained",
    about:
      "A workflow keeps its token beyond its end, for a while: another run is answered with a conflict until then.",
    config: {
      workflows: { a: ["retain", "await"], b: ["create", "conflict", "await"] },
      topology: "gated",
      budgets: { crashes: 1, resumes: 1 }
    },
    shows: { sometimes: { hasConflict, isKeptBeyondEnd } },
    expect: ok(1308, 3568, 17),
    without: { "end-keeps-retained-token": fails("RegistryInv", 7) }
  }),
  bounded({
    name: "hook-retained-given-up",
    about: "It gives up the hook before it ends: the token is free, however long it was to be kept.",
    config: {
      workflows: { a: ["retain", "await", "dispose"], b: ["create", "conflict", "await"] },
      topology: "gated",
      budgets: { crashes: 1, resumes: 1 }
    },
    shows: { sometimes: { hasConflict } },
    expect: ok(1458, 3953, 18),
    without: { "drain-releases-retained-token": fails("GivenUpInv", 7) }
  }),
  bounded({
    name: "hook-retained-forced",
    about: "A token that an ended, or a cancelled, run still keeps is taken by force.",
    config: {
      workflows: { a: ["retain", "await"], b: ["claim", "await"] },
      topology: "gated",
      budgets: { crashes: 1, resumes: 1, cancels: 1 }
    },
    shows: { sometimes: { isTaken, isKeptBeyondEnd, isTakenFromEnded } },
    expect: ok(30282, 90313, 27)
  }),
  bounded({
    name: "hook-conflict-step",
    about: "A run asks whose token it is beside a step that it calls: the step does not keep it from the answer.",
    config: {
      workflows: { a: ["create", "await"], b: ["create", "step", "conflict", "join", "dispose"] },
      topology: "gated",
      budgets: { crashes: 1 }
    },
    shows: { sometimes: { hasConflict } },
    expect: ok(741, 1477, 15),
    without: { "conflict-before-inline-steps": fails("ConflictFirstProp", 2) }
  })
]
