/**
 * The bounded models of the feed. A tick is about 2 s: the polls' intervals are 1, 4 and 8 of them.
 *
 * @module
 */
import { type Expectation, type Model, model } from "../../checker/Language.ts"
import { fails, holds as ok } from "../Bounded.ts"
import type { Config } from "./Config.ts"
import { feed, type Shows } from "./Feed.ts"
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
    parts: ["feed"],
    set: parts.set ?? "ci",
    switches,
    spec: (rules) => feed({ ...parts.config, rules }, parts.name, parts.shows),
    expect: parts.expect,
    without: parts.without ?? {}
  })

/** The feed holds a slot above a gap. */
const isHolding = (s: State): boolean => (s.feed?.pending.length ?? 0) > 0

/** A poll found what no push had brought. */
const pollFound = (s: State): boolean => s.feed?.live === true && s.feed.polls > 0 && s.handed.length > 0

/** An event is in the log, and the subscription that should bring it is silent while it counts as live. */
const isBlind = (s: State): boolean =>
  s.source.at === "silent" && s.feed?.live === true && s.feed.next <= s.log.length && s.view.length < s.log.length

/** A delivery is on its way out, and has read an event that its passes have not consumed. */
const holdsMore = (s: State): boolean => s.delivery?.at === "read" && s.handed.length > 0

/** A delivery lingers. */
const lingers = (s: State): boolean => s.delivery?.at === "lingering"

/** Polls are at their longest interval. */
const waitsLongest = (s: State): boolean => s.feed?.interval === 8

/** The timer of a sleep that a delivery has completed is still to be delivered. */
const completedAhead = (s: State): boolean =>
  s.delivery === null && s.wake && s.wait === -1 && s.recorded === s.log.length

/** Two events, and a body that ends only once the workflow has seen the first. */
const awaiting = { events: 2, push: true, body: "awaits" } as const

/** The bounded models of the feed. */
export const feedModels: ReadonlyArray<Model<Rule>> = [
  bounded({
    name: "feed-reordered",
    about: "Pushes overtake each other while an inline body runs, and an own outcome comes between them.",
    config: { events: 2, push: true, body: "ends", budgets: { reorders: 1 } },
    shows: { sometimes: { isHolding, holdsMore, waitsLongest } },
    expect: ok(52321, 186464, 45),
    without: {
      "hand-over-without-gaps": fails("HandedInOrderInv", 7),
      "drop-what-was-handed": fails("HandedInOrderInv", 6),
      "one-copy-of-an-event": fails("ConsumedInOrderInv", 4),
      "poll-interval-capped": fails("UnseenInv", 27),
      "replay-before-suspending": fails("NoStrandInv", 7)
    }
  }),
  bounded({
    name: "feed-silent",
    about: "The feed falls silent and counts as live, while a body awaits an event: the poll alone brings it.",
    config: { ...awaiting, budgets: { silences: 1 } },
    shows: { sometimes: { isBlind, pollFound } },
    expect: ok(40925, 151011, 43),
    without: { "poll-while-live": fails("UnseenInv", 11), "unclean-resets": fails("TroubleInv", 8) }
  }),
  bounded({
    name: "feed-lost-push",
    about: "A push is lost among sealed slots: the next one shows the gap, or the poll finds the event.",
    config: { ...awaiting, events: 1, noops: true, budgets: { losses: 1 } },
    shows: {
      sometimes: { isHolding, pollFound },
      neverFires: ["AcknowledgeUnread", "ReadTail", "Suspend"]
    },
    expect: ok(7849, 21988, 39),
    without: { "trouble-moves-the-poll-up": fails("TroubleInv", 7) }
  }),
  bounded({
    name: "feed-replaced",
    about: "Another delivery's subscription takes this one's place, from the log's end on.",
    config: { ...awaiting, budgets: { replacements: 1 } },
    shows: { sometimes: { isHolding, pollFound } },
    expect: ok(50140, 183634, 43),
    without: { "hand-over-without-gaps": fails("HandedInOrderInv", 7) }
  }),
  bounded({
    name: "feed-ends",
    about: "The feed ends and says so, in the middle of a poll or not, and a poll fails.",
    config: { ...awaiting, budgets: { ends: 1, failures: 1 } },
    shows: { sometimes: { pollFound } },
    expect: ok(55014, 236521, 45),
    without: { "clean-at-both-ends": fails("TroubleInv", 8), "trouble-moves-the-poll-up": fails("TroubleInv", 2) }
  }),
  bounded({
    name: "feed-linger",
    about: "A delivery lingers behind an inline body, up to its deadline, and its feed may end.",
    config: { events: 2, push: true, body: "ends", lingerTicks: 2, deadlineTicks: 4, budgets: { ends: 1 } },
    shows: { sometimes: { lingers, holdsMore } },
    expect: ok(56321, 233205, 41),
    without: {
      "feed-down-ends-linger": fails("LingersLiveProp", 4),
      "linger-while-live-alone": fails("LingersLiveProp", 4),
      "linger-ends-before-the-margin": fails("LingerCapInv", 6),
      "wake-whatever-was-pushed": fails("NoStrandInv", 10)
    }
  }),
  bounded({
    name: "feed-linger-silent",
    about: "A lingering delivery's feed falls silent: the linger ends, and the wake that waited brings the event.",
    config: { events: 2, push: true, lingerTicks: 2, deadlineTicks: 4, budgets: { silences: 1 } },
    shows: { sometimes: { isBlind }, neverFires: ["StartPoll", "FinishPoll"] },
    expect: ok(2308, 6762, 20),
    without: { "wake-whatever-was-pushed": fails("NoStrandInv", 9) }
  }),
  bounded({
    name: "feed-linger-crash",
    about: "A lingering delivery dies, with events that it was handed and has not consumed.",
    config: { events: 2, push: true, lingerTicks: 2, budgets: { crashes: 1, ends: 1 } },
    shows: { sometimes: { lingers } },
    expect: ok(8052, 30472, 24),
    without: { "replay-before-suspending": fails("NoStrandInv", 7) }
  }),
  bounded({
    name: "feed-tail-poll",
    about: "A World that does not push: a body awaits an event, a poll fails and one never returns.",
    config: { ...awaiting, push: false, budgets: { failures: 1, hangs: 1 } },
    expect: ok(1675, 4355, 19),
    without: { "read-deadline": fails("UnseenInv", 14) }
  }),
  bounded({
    name: "feed-tail-poll-backs-off",
    about: "The same, where polls that find nothing wait longer for the next one: nothing is lost.",
    config: { ...awaiting, push: false, backOff: true, budgets: { failures: 1, hangs: 1 } },
    expect: ok(4316, 11121, 28)
  }),
  bounded({
    name: "feed-push-alone",
    about: "No polls, and a push that keeps its promises: sealed slots are pushed, and what was committed before.",
    config: { ...awaiting, noops: true, polls: "off" },
    expect: ok(11670, 36277, 32),
    without: {
      "subscribe-from-held": fails("SeenEventually", 20),
      "sealed-slots-are-fed": fails("SeenEventually", 22)
    }
  }),
  bounded({
    name: "feed-gap-held",
    about: "No polls, and an event's push overtakes a sealed slot's: it is held until the other arrives.",
    config: { ...awaiting, events: 1, noops: true, polls: "off", gap: "held", budgets: { reorders: 1 } },
    shows: { sometimes: { isHolding }, neverFires: ["AcknowledgeUnread", "ReadTail", "Suspend"] },
    expect: ok(987, 2277, 29)
  }),
  bounded({
    name: "feed-gap-dropped",
    about: "The same, where a push above a gap is dropped: without polls nobody sees its event.",
    config: { ...awaiting, events: 1, noops: true, polls: "off", gap: "dropped", budgets: { reorders: 1 } },
    expect: fails("SeenEventually", 25)
  }),
  bounded({
    name: "feed-gap-dropped-polled",
    about: "The same with polls: the next poll brings what was dropped.",
    config: { ...awaiting, events: 1, noops: true, gap: "dropped", budgets: { reorders: 1 } },
    shows: { neverFires: ["AcknowledgeUnread", "ReadTail", "Suspend"] },
    expect: ok(6561, 17886, 40)
  }),
  bounded({
    name: "feed-interval-0-off",
    about: "A poll interval of 0 as no polls at all: a silent feed leaves a body waiting for its event for ever.",
    config: { ...awaiting, polls: "off", budgets: { silences: 1 } },
    expect: fails("SeenEventually", 20)
  }),
  bounded({
    name: "feed-interval-0-off-lingering",
    about: "The same, where nothing but the linger waits: it ends, and the wake brings the event.",
    config: { events: 2, push: true, polls: "off", lingerTicks: 2, budgets: { silences: 1, losses: 1 } },
    expect: ok(3215, 9834, 23)
  }),
  bounded({
    name: "feed-interval-0-until-trouble",
    about: "A poll interval of 0 as polls at the live interval, until trouble: an ended feed leaves the body waiting.",
    config: { ...awaiting, polls: "until-trouble", budgets: { ends: 1 } },
    expect: fails("SeenEventually", 20)
  }),
  bounded({
    name: "feed-interval-0-busy",
    about: "A poll interval of 0 as polls without a pause.",
    config: { ...awaiting, polls: "busy", budgets: { ends: 1 } },
    expect: fails("PollPauseInv", 5)
  }),
  bounded({
    name: "feed-after-trouble-jumps",
    about: "After trouble, the first clean poll sets the live interval at once: as safe as doubling.",
    config: { ...awaiting, afterTrouble: "jumps", budgets: { losses: 1, silences: 1 } },
    shows: { sometimes: { isBlind, waitsLongest } },
    expect: ok(59672, 226962, 42)
  }),
  bounded({
    name: "feed-heartbeat",
    about: "Heartbeats in place of the live poll: a feed that falls silent fails, and the client polls.",
    config: { ...awaiting, heartbeat: true, budgets: { silences: 1 } },
    shows: { sometimes: { isBlind } },
    expect: ok(2856, 8084, 18),
    without: { "watch-for-heartbeats": fails("UnseenInv", 11) }
  }),
  bounded({
    name: "feed-heartbeat-replaced",
    about: "Heartbeats in place of the live poll: one that names a slot that the client lacks makes it poll.",
    config: { ...awaiting, heartbeat: true, budgets: { replacements: 1 } },
    expect: ok(3316, 9842, 24),
    without: { "watch-for-heartbeats": fails("UnseenInv", 11) }
  }),
  bounded({
    name: "feed-everything",
    about: "An inline body, sealed slots, a linger up to a deadline; a push is lost, the feed falls silent or ends.",
    set: "large",
    config: {
      events: 2,
      push: true,
      body: "ends",
      noops: true,
      lingerTicks: 2,
      deadlineTicks: 4,
      budgets: { losses: 1, silences: 1, ends: 1 }
    },
    shows: { sometimes: { isHolding, isBlind, lingers } },
    expect: ok(1301681, 5904928, 48)
  }),
  bounded({
    name: "feed-linger-wait",
    about:
      "The run's sleep is over while a delivery lingers: it completes it, and the timer's re-run finds nothing new.",
    config: { events: 1, push: true, lingerTicks: 5, waitTicks: 2, budgets: { ends: 1 } },
    shows: { sometimes: { "a timer finds its wait completed": completedAhead } },
    expect: ok(4625, 14875, 27),
    without: { "due-wait-ends-linger": fails("DueEndsLingerProp", 3) }
  }),
  bounded({
    name: "feed-body-wait",
    about: "The run's sleep is over while an inline body runs, or after its delivery has died.",
    config: { events: 1, push: true, body: "ends", waitTicks: 2, budgets: { crashes: 1 } },
    expect: ok(40507, 153271, 43)
  })
]
