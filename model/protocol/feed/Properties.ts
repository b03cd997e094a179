/**
 * What the feed promises. Each property is violated when a rule that it needs is off; `Rules.ts` says which. (FEED-05,
 * FEED-06, FEED-15, FEED-31, FEED-35, FEED-36, FEED-40, FEED-49, FEED-52, FEED-53, FEED-54, CAC-16, CAC-19, CAC-20,
 * SET-16, SET-24, SET-27, RUN-52, DEC-47, WAIT-78, WAIT-106, FENCE-53)
 *
 * Reads `log`, `delivery`, `view`, `handed`, `feed`, `wait`, `unseen` and `budget`.
 *
 * @module
 */
import type { SpecParts } from "../../checker/Language.ts"
import { type Setting, TICKS } from "./Config.ts"
import { polls } from "./Offer.ts"
import { held } from "./Source.ts"
import type { State, Vocabulary } from "./State.ts"

/** The properties, for a setting. */
export const properties = (
  setting: Setting,
  { leadsTo }: Vocabulary
): Required<
  Pick<SpecParts<Vocabulary["declarations"]>, "invariants" | "stepProperties" | "whenStuck" | "temporal">
> => {
  const { failures = 0, hangs = 0 } = setting.budgets
  /** Polls that came to nothing, and may each have cost a short interval. */
  const lostPolls = (s: State): number => failures - s.budget.failures + hangs - s.budget.hangs
  return {
    invariants: {
      /** What the feed hands over are slots that follow each other, each once (FEED-15, FEED-35, CAC-20). */
      HandedInOrderInv: (s) => {
        if (s.feed === null) return true
        const first = s.feed.next - s.handed.length
        return first <= s.view.length + 1 && s.handed.every((slot, at) => slot === first + at)
      },
      /** Passes consume the log in slot order, each slot once (FEED-05, CAC-19, CAC-20). */
      ConsumedInOrderInv: (s) => s.view.every((slot, at) => slot === at + 1),
      /** Nobody is handed a slot that nobody has written. */
      WrittenInv: (s) => s.handed.every((slot) => slot <= s.log.length) && s.view.length <= s.log.length,
      /** A delivery that waits and polls is behind the log for no longer than the longest interval (FEED-49, FEED-54). */
      UnseenInv: (s) =>
        s.feed === null || setting.polls !== "on" || held(s) >= s.log.length || s.unseen <= TICKS.cap + lostPolls(s),
      /** While there is trouble, a poll is no further away than the short interval (FEED-31, FEED-36, FEED-40). */
      TroubleInv: (s) =>
        s.feed === null ||
        setting.polls !== "on" ||
        (setting.backOff && !setting.push) ||
        (s.feed.live && s.feed.last === "clean" && s.feed.pending.length === 0) ||
        s.feed.pollIn <= TICKS.short,
      /** Polls have a pause between them (SET-16). */
      PollPauseInv: (s) => s.feed === null || s.feed.polls <= 1 || !polls(setting, s.feed),
      /** A delivery lingers only while an inline step that an event leads to could still start (SET-27, RUN-52). */
      LingerCapInv: (s) =>
        s.delivery?.at !== "lingering" ||
        setting.deadlineTicks === "none" ||
        s.delivery.clock <= setting.deadlineTicks - TICKS.margin
    },
    stepProperties: {
      /** No time passes in a linger whose subscription is known to be down (FEED-52, FEED-53, DEC-47). */
      LingersLiveProp: (s, t) =>
        s.delivery?.at !== "lingering" ||
        t.delivery?.at !== "lingering" ||
        s.feed?.live !== false ||
        t.delivery.linger >= s.delivery.linger,
      ...(setting.waitTicks > 0
        ? {
            /** No time passes in a linger while the run's sleep is over and not completed (WAIT-78, WAIT-106). */
            DueEndsLingerProp: (s: State, t: State) =>
              s.delivery?.at !== "lingering" ||
              t.delivery?.at !== "lingering" ||
              s.wait !== 0 ||
              t.delivery.linger >= s.delivery.linger
          }
        : {})
    },
    whenStuck: {
      /** When nothing but the environment could act, every event is consumed (FEED-06, CAC-16), and a sleep that is over is completed. */
      NoStrandInv: (s) => s.view.length >= s.log.length && s.wait !== 0
    },
    temporal: {
      /** Every event is consumed by some pass, by whichever way it comes (FEED-06, FEED-49, FENCE-53). */
      SeenEventually: leadsTo(
        (s) => s.view.length < s.log.length,
        (s) => s.view.length >= s.log.length
      ),
      ...(setting.push && setting.lingerTicks > 0
        ? {
            /** No delivery lingers for ever (SET-24, RUN-52). */
            LingerEndsEventually: leadsTo(
              (s) => s.delivery?.at === "lingering",
              (s) => s.delivery?.at !== "lingering"
            )
          }
        : {})
    }
  }
}
