/**
 * What is asked of the queue of a run's orchestrator messages. (QUEUE-15, QUEUE-17, QUEUE-26, QUEUE-29, QUEUE-37,
 * QUEUE-43, TOPO-01, HAND-01, HAND-03, HAND-18, DEDUPE-20, DEDUPE-23, DEDUPE-30, COAL-02, COAL-03, COAL-04, COAL-07,
 * COAL-13, COAL-18, COAL-19, ROT-02)
 *
 * Reads `log`, `consumed`, `step`, `writer` and `delivery`.
 *
 * @module
 */
import type { Fairness, SpecParts } from "../../checker/Language.ts"
import { attemptOf } from "./Accounting.ts"
import { type Setting, STEP } from "./Config.ts"
import { type Delivery, isOver, messageOf, type State, type Vocabulary } from "./State.ts"

type Parts = Required<
  Pick<SpecParts<Vocabulary["declarations"]>, "invariants" | "whenStuck" | "temporal" | "fairness" | "sometimes">
>

/** The properties of the wake queue. */
export const properties = (setting: Setting, { invariant, leadsTo, eventually }: Vocabulary): Parts => {
  const { attempts, deliveries, messages, cap, topology, maxReruns, writers, handler } = setting
  const alive = (s: State): ReadonlyArray<Delivery> =>
    deliveries.flatMap((d) => {
      const o = s.delivery[d]
      return o ? [o] : []
    })
  const unread = (s: State): boolean =>
    !isOver(s.log) && s.log.some((event, at) => at >= s.consumed && writers.includes(event))
  const sent = (s: State): number =>
    messages.filter(
      (m) =>
        m !== "recovery" &&
        !setting.spares.includes(m) &&
        (m !== "continuation" || !setting.rotates) &&
        messageOf(s, m).at !== "absent"
    ).length

  return {
    invariants: {
      /** Deliveries of a run that hold their lease, or have no reason to have lost it, come one at a time (QUEUE-29, TOPO-01). */
      OneHolderInv: invariant(
        (s) => topology === "unserialized" || alive(s).filter(({ lease }) => lease !== "stalled").length <= 1
      ),
      /** `attempt` is one more than what has failed of a message: handoffs and re-runs are none (QUEUE-17, HAND-01). */
      AttemptInv: invariant(
        (s) =>
          !attempts ||
          messages.every((m) => {
            const { at, count, failures } = messageOf(s, m)
            return at !== "held" || Math.min(attemptOf(count), cap + 2) === Math.min(1 + failures, cap + 2)
          })
      ),
      /** A run is failed by the cap only when as many attempts of one message have failed (HAND-03, QUEUE-43). */
      FailedByCapInv: invariant(
        (s) => !s.log.includes("run_failed") || messages.some((m) => messageOf(s, m).failures >= cap)
      ),
      /** Only the first run of a message's first delivery is told that it is the first (QUEUE-15, DEDUPE-30, COAL-04). */
      FirstCountInv: invariant((s) =>
        alive(s).every(({ told, rerun, first }) => (told === 1) === (first && rerun === 0))
      ),
      /** An invocation makes one re-send pass at most (COAL-19, QUEUE-26). */
      ResendOnceInv: invariant((s) => alive(s).every(({ passes }) => passes <= 1)),
      /** A delivery is run again so often, and no more (COAL-07, COAL-18). */
      RerunsInv: invariant((s) => alive(s).every(({ rerun }) => rerun <= maxReruns)),
      /** What a delivery that ends early sends itself is not coalesced into it, to run once more past its deadline (COAL-13, ROT-02). */
      OwnMessageInv: invariant(
        (s) =>
          !messages.includes("continuation") ||
          messageOf(s, "continuation").at !== "gone" ||
          messageOf(s, "continuation").count.deliveries > 0 ||
          !alive(s).some(({ past }) => past)
      ),
      /** One message starts the run, one wakes it for each event from outside, one stands for a lost queue (QUEUE-37). */
      WakesBoundedInv: invariant((s) => sent(s) <= 1 + s.log.filter((event) => writers.includes(event)).length)
    },
    whenStuck: {
      /** Every event that somebody wakes the run for is read by a delivery that loads after it (COAL-02, COAL-03). */
      NoLostWakeInv: (s) => !unread(s),
      /** A step that was created has a message, or somebody who will send it (DEDUPE-20, DEDUPE-23). */
      NoLostStepInv: (s) => isOver(s.log) || (s.step !== "unsent" && s.step !== "orphan"),
      /** A run that has everything it waits for has ended. */
      NoStrandInv: (s) => isOver(s.log) || writers.some((w) => w !== STEP && s.writer[w] === "idle")
    },
    temporal: setting.ends
      ? {
          ...(writers.length > 0 ? { EventLeadsToRead: leadsTo(unread, (s) => !unread(s)) } : {}),
          ...turns(setting, { leadsTo }),
          // Payloads come when they come.
          ...(writers.every((w) => w === STEP) || handler !== "works"
            ? { RunEventuallyEnds: eventually((s) => isOver(s.log)) }
            : {})
        }
      : {},
    fairness: setting.ends ? fairness(setting) : {},
    sometimes:
      handler === "works"
        ? { "the run completes": (s) => s.log.includes("run_completed") }
        : { "the run is failed": (s) => s.log.includes("run_failed") }
  }
}

/** Where it is said what comes after a handoff: every wake has its turn, or is folded into another delivery (HAND-18). */
const turns = ({ handsOffTo, writers }: Setting, { leadsTo }: Pick<Vocabulary, "leadsTo">) => {
  const [wake] = writers.filter((w) => w !== STEP)
  if (handsOffTo === "anywhere" || wake === undefined) return {}
  return {
    WakeHasItsTurn: leadsTo(
      (s) => messageOf(s, wake).at === "ready",
      (s) => messageOf(s, wake).at !== "ready"
    )
  }
}

/** Who may be relied on: the queue, the orchestrator and a step's own invocation; nobody of the outside. */
const fairness = ({ topology, handler, step, writers }: Setting): { readonly [action: string]: Fairness } => ({
  Deliver: { strong: ["message"] },
  ComeDue: { weak: ["message"] },
  ...(topology === "coalescing"
    ? { Coalesce: { weak: ["message"] }, RunAgain: { weak: ["delivery"] }, Overflow: { weak: ["delivery"] } }
    : {}),
  Acknowledge: { weak: ["delivery"] },
  Load: { weak: ["delivery"] },
  SendAgain: { weak: ["delivery"] },
  ...(step
    ? {
        CreateStep: { weak: ["delivery"] },
        SendStepMessage: { weak: ["delivery"] },
        StartStep: "weak",
        CommitOutcome: "weak"
      }
    : {}),
  CompleteRun: { weak: ["delivery"] },
  Finish: { weak: ["delivery"] },
  Suspend: { weak: ["delivery"] },
  AskRedelivery: { weak: ["delivery"] },
  ...(handler === "non-finite" ? { AskNonFinite: { weak: ["delivery"] } } : {}),
  ...(handler === "hands-off" ? { HandOff: { weak: ["delivery"] } } : {}),
  FailRun: { weak: ["delivery"] },
  ...(writers.length > 0 ? { SendWake: { weak: ["writer"] } } : {})
})
