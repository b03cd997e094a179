/**
 * What becomes of a delivery's message: acknowledged, run again, handed off, or continued by another one. (ROT-01, ROT-02,
 * ROT-03, ROT-05, ROT-06, ROT-08, ROT-10, ROT-11, ROT-15, ROT-17, ROT-18, COAL-03, COAL-05, COAL-07, HAND-01, HAND-02,
 * HAND-07, HAND-08, RUN-03, RUN-11, RUN-19, EDGE-15, EDGE-57, EDGE-58, DEC-10, BUG-48, BUG-49)
 *
 * ```
 * queued   --Coalesce--> gone, and recorded on the holder | --Expire, of one that was handed off near its expiry--> gone
 * done     --Acknowledge--> gone | run again, for something was coalesced | handed off, when re-runs are used up
 *                           | rotating, on the last re-run near its expiry
 * handoff  --HandOff--> queued | rotating, near its expiry
 * rotating --SendContinuation--> rotated --AcknowledgeRotated--> gone | run again | handed off
 * any      --Age--> near its expiry | --Crash--> queued | --LapseLease--> queued, and the delivery lives on
 * ```
 *
 * Changes `queue`, `holder`, `delivery`, `bodies` and `budget`.
 *
 * @module
 */
import type { Setting } from "./Config.ts"
import { ended, placeOf } from "./Delivery.ts"
import {
  type Actions,
  afforded,
  affords,
  type Delivery,
  type Message,
  type Part,
  queued,
  type State,
  spend,
  type Update,
  WAKE
} from "./State.ts"

/** The actions of the queue, and of faults. */
export const queueActions = ({ setting, action }: Part): Actions => {
  const coalesces = setting.topology === "coalescing"
  const rotates = setting.budgetNames.includes("ages") && (coalesces || setting.budgetNames.includes("ticks"))
  return {
    /**
     * Nothing is left to do. What was coalesced makes the delivery run again; when it may not, it is handed off
     * (COAL-05, COAL-07, ROT-15, BUG-48, DEC-10).
     */
    Acknowledge: action({ delivery: setting.deliveries }, (s, { delivery: d }) => {
      const o = s.delivery[d]
      if (o?.phase !== "done") return
      const last = coalesces && o.reruns >= setting.maxReruns
      // The last re-run cannot know whether its acknowledgment will be refused (BUG-49).
      if (last && o.message.old && !o.lapsed && setting.rules["overflow-rotates"]) {
        return { delivery: { [d]: { ...o, phase: "rotating" } } }
      }
      if (!o.recorded || o.lapsed) return ended(s, setting, d, o, false)
      return last ? handedOff(s, setting, d, o) : { delivery: { [d]: rerun(setting, o) } }
    }),
    ...(coalesces
      ? {
          /** A due message of a run that is being delivered is dropped, and recorded on that delivery (COAL-03). */
          Coalesce: action({ message: (s: State) => s.queue }, (s, { message }) => {
            const holder = setting.deliveries.find((d) => d === s.holder)
            const o = holder === undefined ? null : s.delivery[holder]
            if (holder === undefined || !o || (message.hookInput && setting.rules["hook-input-not-coalesced"])) return
            return {
              queue: s.queue.toSpliced(placeOf(s, message), 1),
              delivery: { [holder]: { ...o, recorded: true } }
            }
          })
        }
      : {}),
    ...(setting.budgetNames.includes("ticks")
      ? {
          /**
           * Past its deadline a delivery hands its message off, or continues it on a new one (HAND-01, ROT-01, HAND-02,
           * HAND-07, RUN-03, EDGE-57).
           */
          HandOff: action({ delivery: setting.deliveries }, (s, { delivery: d }) => {
            const o = s.delivery[d]
            if (o?.phase !== "handoff") return
            if (o.message.old && !o.lapsed && setting.rules["rotate-near-expiry"])
              return { delivery: { [d]: { ...o, phase: "rotating" } } }
            return handedOff(s, setting, d, o)
          })
        }
      : {}),
    ...(rotates
      ? {
          /** The continuation is sent (ROT-02, ROT-03). */
          SendContinuation: action({ delivery: setting.deliveries }, (s, { delivery: d }) => {
            const o = s.delivery[d]
            if (o?.phase !== "rotating") return
            const queue = queued(s.queue, continuation(setting, o.message))
            return { queue, delivery: { [d]: { ...o, phase: "rotated" } } }
          }),
          /**
           * The old message is acknowledged. If something was coalesced meanwhile, which may be the continuation itself, it
           * is not: it is run again or handed off, has hours left, and decides again (ROT-02, BUG-49).
           */
          AcknowledgeRotated: action({ delivery: setting.deliveries }, (s, { delivery: d }) => {
            const o = s.delivery[d]
            if (o?.phase !== "rotated") return
            if (!o.recorded || o.lapsed) return ended(s, setting, d, o, false)
            if (o.reruns < setting.maxReruns) return { delivery: { [d]: rerun(setting, o) } }
            return handedOff(s, setting, d, o, false)
          })
        }
      : {}),
    ...afforded(setting, {
      /** A delivery's message comes near its expiry. One in the queue does so once it is delivered. */
      Age: [
        "ages",
        action({ delivery: setting.deliveries }, (s, { delivery: d }) => {
          const o = s.delivery[d]
          if (!o || o.message.old || o.phase === "rotating" || o.phase === "rotated" || !affords(s, "ages")) return
          return { ...spend(s, "ages"), delivery: { [d]: { ...o, message: { ...o.message, old: true } } } }
        })
      ],
      /** A message that was handed off near its expiry is gone (ROT-01, HAND-08). */
      Expire: [
        "expiries",
        action((s) => {
          const at = s.queue.findIndex(({ spent }) => spent)
          if (at < 0 || !affords(s, "expiries")) return
          return { ...spend(s, "expiries"), queue: s.queue.toSpliced(at, 1) }
        })
      ],
      /** The delivery's process dies. */
      Crash: [
        "crashes",
        action({ delivery: setting.deliveries }, (s, { delivery: d }) => {
          const o = s.delivery[d]
          if (!o || !affords(s, "crashes")) return
          // An old message that was acknowledged before its continuation was sent is gone with its process.
          const back = !(o.phase === "rotating" && !setting.rules["continuation-before-acknowledgment"])
          return { ...ended(s, setting, d, o, back), ...spend(s, "crashes") }
        })
      ],
      /** The delivery outlives its lease: its message comes back, and it goes on. */
      LapseLease: [
        "lapses",
        action({ delivery: setting.deliveries }, (s, { delivery: d }) => {
          const o = s.delivery[d]
          if (!o || o.lapsed || !affords(s, "lapses")) return
          return {
            ...spend(s, "lapses"),
            ...(s.holder === d ? { holder: null } : {}),
            queue: queued(s.queue, { ...o.message, count: 2 }),
            delivery: { [d]: { ...o, lapsed: true } }
          }
        })
      ]
    })
  }
}

/** A re-run: the same message, counted once more, and the time of its invocation (RUN-11, RUN-19, EDGE-58). */
const rerun = (setting: Setting, o: Delivery): Delivery => ({
  ...o,
  message: { ...o.message, count: setting.rules["re-run-not-turbo"] ? 2 : o.message.count },
  phase: "loading",
  early: false,
  todo: [],
  bodies: [],
  recorded: false,
  reruns: o.reruns + 1,
  believes: setting.rules["re-run-keeps-deadline"] ? o.believes : "early"
})

/** The same message at once. Near its expiry it may not come again, unless a continuation was sent. */
const handedOff = (s: State, setting: Setting, d: string, o: Delivery, spent = o.message.old): Update => ({
  ...ended(s, setting, d, o, false),
  ...(o.lapsed ? {} : { queue: queued(s.queue, { ...o.message, count: 2, spent }) })
})

/**
 * What a rotation sends: what the message is a wake for, and nothing of a first delivery (ROT-05, ROT-06, ROT-08,
 * ROT-10, ROT-11, ROT-17, ROT-18, EDGE-15).
 */
const continuation = (setting: Setting, message: Message): Message => ({
  ...WAKE,
  input: message.input && !setting.rules["continuation-without-input"],
  hookInput: message.hookInput && setting.rules["continuation-carries-hook-input"]
})
