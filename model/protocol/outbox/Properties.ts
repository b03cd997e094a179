/**
 * What the outbox promises. Each property is violated when a rule that it needs is off; `Rules.ts` says which.
 * (OUTBOX-01, OUTBOX-02, OUTBOX-03, OUTBOX-05, OUTBOX-06, OUTBOX-07, OUTBOX-14, OUTBOX-15, OUTBOX-16, OUTBOX-22,
 * OUTBOX-25, OUTBOX-27, OUTBOX-28, OUTBOX-29, OUTBOX-30, OUTBOX-36)
 *
 * Reads `log`, `row`, `intent`, `accepted`, `queue`, `letters`, `bodies`, `charges`, `seen`, `run` and `budget`.
 *
 * @module
 */
import type { SpecParts } from "../../checker/Language.ts"
import { dispatchOf, type Setting, type Step, wakeOf } from "./Config.ts"
import type { State, Vocabulary } from "./State.ts"

/** What an event of the log makes of its step's row. */
const folded = (events: ReadonlyArray<string>): string => events.at(-1) ?? "none"

/** Something will reach whom the intent is for: the debt, a message, or a dead letter that an operator sees. */
const isCovered = (s: State, intent: string): boolean =>
  s.intent[intent]?.at === "owed" ||
  s.intent[intent]?.at === "unsaved" ||
  s.queue[intent]?.length !== 0 ||
  s.letters[intent] !== 0

/** The properties, for a setting. */
export const properties = (
  setting: Setting,
  { leadsTo, eventually }: Vocabulary
): Required<
  Pick<SpecParts<Vocabulary["declarations"]>, "invariants" | "stepProperties" | "whenStuck" | "temporal">
> => {
  const { stepIds, intentIds, budgets, limits, oversized, poisoned } = setting
  const isCreated = (s: State, step: Step): boolean => s.log[step]?.includes("created") === true
  const isCompleted = (s: State, step: Step): boolean => s.log[step]?.includes("completed") === true
  return {
    invariants: {
      /** The rows say what the log says, in every state (OUTBOX-01, OUTBOX-03). */
      RowsFoldLogInv: (s) => stepIds.every((step) => s.row[step] === folded(s.log[step] ?? [])),
      /** Nothing is published that is not committed (OUTBOX-05). */
      PublishedCommittedInv: (s) =>
        stepIds.every(
          (step) =>
            (s.accepted[dispatchOf(step)]?.length === 0 || isCreated(s, step)) &&
            (s.accepted[wakeOf(step)]?.length === 0 || isCompleted(s, step))
        ),
      /** What was committed and has not had its effect is owed, sent, or kept as a dead letter (OUTBOX-02, OUTBOX-28). */
      ObligationInv: (s) =>
        stepIds.every(
          (step) =>
            (!isCreated(s, step) || isCompleted(s, step) || isCovered(s, dispatchOf(step))) &&
            (!isCompleted(s, step) || s.seen[step] === true || s.run !== "open" || isCovered(s, wakeOf(step)))
        ),
      /** However often an intent is published, it has one live message at the most (OUTBOX-07, OUTBOX-29, OUTBOX-30). */
      OneLiveMessageInv: (s) => intentIds.every((intent) => (s.queue[intent]?.length ?? 0) <= 1),
      /** Another system does once what a step asks of it, however often the body runs (OUTBOX-14, OUTBOX-15). */
      EffectOnceInv: (s) => stepIds.every((step) => (s.charges[step] ?? 0) <= 1),
      /** A message is buried for its failures, and for nothing else (OUTBOX-25, OUTBOX-28). */
      BuriedForCauseInv: (s) =>
        oversized ||
        poisoned ||
        intentIds.every(
          (intent) => s.letters[intent] === 0 || (budgets.failures ?? 0) - s.budget.failures >= limits.world
        )
    },
    stepProperties: {
      /** No body runs once its outcome is in the log: that one is read (OUTBOX-16). */
      NoBodyAfterOutcomeProp: (s, t) =>
        stepIds.every((step) => s.bodies[step] === t.bodies[step] || !isCompleted(s, step))
    },
    whenStuck: {
      /** When nothing but the environment could act, the run is over, or a dead letter says why it is not. */
      EndedInv: (s) => s.run !== "open" || (oversized && intentIds.some((intent) => s.letters[intent] !== 0))
    },
    temporal: {
      /** Every debt is paid, or given up for a reason that stays (OUTBOX-02, OUTBOX-06, OUTBOX-27, OUTBOX-36). */
      DebtPaidEventually: leadsTo(
        (s) => intentIds.some((intent) => s.intent[intent]?.at === "owed"),
        (s) => intentIds.every((intent) => s.intent[intent]?.at !== "owed")
      ),
      /** The run ends: it sees every outcome, or core fails it (OUTBOX-02, OUTBOX-22, OUTBOX-29). */
      ...(oversized ? {} : { RunEndsEventually: eventually((s: State) => s.run !== "open") })
    }
  }
}
