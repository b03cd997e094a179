/**
 * The queue's side: claims, coalescing, and the answers to deliveries. (COAL-01, COAL-03, COAL-14, COAL-16, COAL-17,
 * COAL-18, COAL-21, QUEUE-02, QUEUE-11, QUEUE-12, QUEUE-13, QUEUE-14, QUEUE-23, QUEUE-29, QUEUE-32, QUEUE-35, QUEUE-42,
 * QUEUE-43, QUEUE-45, QUEUE-46, HAND-10, HAND-17, HAND-18, HAND-19, LOCALPG-03, LOCALPG-04, LOCALPG-30, TOPO-01,
 * TOPO-07, EDGE-09, EDGE-13, EDGE-35, EDGE-64, LIM-13, LIM-14, DEDUPE-22)
 *
 *     ready --Deliver--> held --Acknowledge--> gone
 *           | --Coalesce--> gone, and recorded on the holder
 *     held, done and not covered   --RunAgain--> held, run again | --Overflow--> ready, handed off
 *     held   --Crash | LapseLease | ExpireLease--> ready | --Reject--> delayed --ComeDue--> ready
 *     all    --Restart--> gone, and one recovery ready in their place
 *
 * The answer of a delivery whose lease has lapsed changes nothing.
 *
 * Changes `step`, `writer`, `message`, `key`, `delivery` and `budget`; reads `log` besides.
 *
 * @module
 */
import { attemptOf, delivered, deliveryCountOf, handedOff, rescheduled, takesHandoff } from "./Accounting.ts"
import type { Setting } from "./Config.ts"
import {
  type Actions,
  affords,
  type Delivery,
  failed,
  isKeyed,
  isLive,
  type Message,
  messageOf,
  only,
  type Part,
  READY,
  type State,
  spend,
  type Update
} from "./State.ts"

// A storm of wakes is counted so far; no other model has as many.
const RECORDED_LIMIT = 5

/** A delivery that has just been claimed, or is run again. */
const begun = (setting: Setting, m: string, message: Message): Delivery => ({
  message: m,
  phase: attemptOf(message.count) > setting.cap ? "capped" : "claimed",
  told: deliveryCountOf(message.count, 0),
  first: message.failures === 0 && message.count.handoffs === 0 && message.count.deliveryOffset === 0,
  rerun: 0,
  covers: 0,
  known: 0,
  expected: 0,
  passes: 0,
  resent: false,
  lease: "held",
  past: false
})

/** What ends a delivery: the place is free, and its message is what it then is. A delivery without a lease leaves it. */
export const answered = (s: State, d: string, o: Delivery, message: Message, key: string | null): Update =>
  isLive(o)
    ? {
        delivery: { [d]: null },
        message: { [o.message]: { ...message, recorded: 0 } },
        ...(s.key === o.message ? { key } : {})
      }
    : { delivery: { [d]: null } }

/** The message is handed off, as far as the queue takes handoffs; else it comes again later, which is an attempt (HAND-10). */
export const handOff = (setting: Setting, s: State, d: string, o: Delivery): Update => {
  const { rules, world, handoffLimit } = setting
  const message = messageOf(s, o.message)
  if (rules["handoffs-are-bounded"] && !takesHandoff(message.count, handoffLimit)) return delay(setting, s, d, o)
  const count = rules["handoff-is-no-attempt"]
    ? handedOff(world, message.count)
    : rescheduled(world, message.count, true)
  return answered(s, d, o, { ...message, at: "ready", count, behind: waiting(setting, s) }, atFront(setting, o))
}

/** Who waits, where a message that is handed off comes behind them (HAND-18, HAND-19). */
const waiting = ({ handsOffTo, messages }: Setting, s: State): ReadonlyArray<string> =>
  handsOffTo === "back" ? messages.filter((m) => messageOf(s, m).at === "ready") : []

/** Who holds the key after a handoff: where the message is the run's next one, it does (HAND-18). */
const atFront = ({ handsOffTo }: Setting, o: Delivery): string | null => (handsOffTo === "front" ? o.message : null)

/** Nobody waits for a message any more that has been claimed. */
const overtaken = ({ handsOffTo, messages }: Setting, s: State, claimed: string): NonNullable<Update["message"]> =>
  handsOffTo === "back"
    ? Object.fromEntries(
        messages.map((m) => {
          const message = messageOf(s, m)
          return [m, { ...message, behind: message.behind.filter((other) => other !== claimed) }]
        })
      )
    : {}

/**
 * The message comes again after a delay, and that is an attempt (QUEUE-02, QUEUE-43, QUEUE-32, QUEUE-45, QUEUE-46,
 * EDGE-35).
 */
export const delay = (setting: Setting, s: State, d: string, o: Delivery): Update => {
  const message = messageOf(s, o.message)
  const count = rescheduled(setting.world, message.count, setting.rules["delay-carries-attempts"])
  const key = setting.whileDelayed === "kept" ? o.message : null
  return answered(s, d, o, { ...failed(setting, message), at: "delayed", count }, key)
}

/** Whether the acknowledgment of a delivery would be taken. */
const isCovered = (setting: Setting, s: State, o: Delivery): boolean =>
  !isLive(o) || messageOf(s, o.message).recorded <= o.covers || (o.rerun > 0 && !setting.rules["acknowledgment-covers"])

/** The queue's actions. */
export const queueActions = ({ setting, action }: Part): Actions => {
  const { messages, deliveries, topology, rules, maxReruns } = setting
  return {
    /**
     * The queue claims a message, unless another one holds the run's key (QUEUE-29, TOPO-01, QUEUE-13, QUEUE-14,
     * QUEUE-35, LOCALPG-03, LOCALPG-04, EDGE-13).
     */
    Deliver: action({ delivery: deliveries, message: messages }, (s, { delivery: d, message: m }) => {
      const message = messageOf(s, m)
      if (message.at !== "ready" || d !== deliveries.find((place) => s.delivery[place] === null)) return
      const keyed = isKeyed(setting, m)
      if ((keyed && s.key !== null && s.key !== m) || message.behind.length > 0) return
      const held: Message = { ...message, at: "held", count: delivered(message.count) }
      return {
        message: { ...overtaken(setting, s, m), [m]: held },
        delivery: { [d]: begun(setting, m, held) },
        ...(keyed ? { key: m } : {})
      }
    }),

    ...only(topology === "coalescing", {
      /**
       * A message that is claimed while another one holds the key is never delivered: the holder's count goes up
       * (COAL-14, COAL-01, COAL-21, TOPO-07, EDGE-64).
       */
      Coalesce: action({ message: messages }, (s, { message: m }) => {
        const { key } = s
        if (messageOf(s, m).at !== "ready" || key === null || key === m || !isKeyed(setting, m)) return
        if (m === "recovery" && rules["recovery-not-coalesced"]) return
        const holder = messageOf(s, key)
        return {
          message: {
            [m]: { ...messageOf(s, m), at: "gone" },
            [key]: { ...holder, recorded: Math.min(RECORDED_LIMIT, holder.recorded + 1) }
          }
        }
      }),

      /**
       * The acknowledgment is refused: the handler runs again in the same lease, and will cover what it was told of
       * (COAL-16, COAL-03, LIM-13, LIM-14).
       */
      RunAgain: action({ delivery: deliveries }, (s, { delivery: d }) => {
        const o = s.delivery[d]
        if (o?.phase !== "done" || isCovered(setting, s, o)) return
        if (o.rerun >= maxReruns && rules["re-runs-are-bounded"]) return
        const message = messageOf(s, o.message)
        const rerun = o.rerun + 1
        return {
          delivery: {
            [d]: {
              ...o,
              phase: "claimed",
              told: deliveryCountOf(message.count, rules["re-run-is-counted"] ? rerun : 0),
              rerun,
              covers: message.recorded,
              resent: rules["re-send-once"] && o.resent,
              lease: rules["renew-before-re-run"] ? "held" : "aging"
            }
          }
        }
      }),

      /** The re-runs are used up, and the acknowledgment is refused once more (COAL-18, HAND-17). */
      Overflow: action({ delivery: deliveries }, (s, { delivery: d }) => {
        const o = s.delivery[d]
        if (o?.phase !== "done" || isCovered(setting, s, o)) return
        if (o.rerun < maxReruns || !rules["re-runs-are-bounded"]) return
        if (rules["overflow-is-handed-off"]) return handOff(setting, s, d, o)
        const { failures } = messageOf(s, o.message)
        // What the queue counts as an attempt was none: nothing had failed.
        const late = delay(setting, s, d, o)
        const message = late.message?.[o.message]
        return message === undefined ? late : { ...late, message: { [o.message]: { ...message, failures } } }
      })
    }),

    /** The delivery is done, and its message is gone (QUEUE-11). */
    Acknowledge: action({ delivery: deliveries }, (s, { delivery: d }) => {
      const o = s.delivery[d]
      if (o?.phase !== "done" || !isCovered(setting, s, o)) return
      return answered(s, d, o, { ...messageOf(s, o.message), at: "gone" }, null)
    }),

    /** A delay is over. */
    ComeDue: action({ message: messages }, (s, { message: m }) => {
      const message = messageOf(s, m)
      if (message.at !== "delayed") return
      // The old message is acknowledged within the second by which its continuation is delayed.
      if (m === "continuation" && deliveries.some((d) => s.delivery[d]?.past === true)) return
      return { message: { [m]: { ...message, at: "ready" } } }
    })
  }
}

/** What may become of a delivery. */
export const faultActions = ({ setting, action }: Part): Actions => {
  const { deliveries, budgetNames, rules, messages } = setting
  const can = (name: (typeof budgetNames)[number]): boolean => budgetNames.includes(name)

  /** The message of a delivery that gave no answer, and may be claimed again. */
  const silent = (s: State, o: Delivery): Update => ({
    message: { [o.message]: { ...failed(setting, messageOf(s, o.message)), at: "ready", recorded: 0 } },
    ...(s.key === o.message ? { key: null } : {})
  })

  return {
    ...only(can("crashes"), {
      /** The delivery's process dies, and its lease runs out (QUEUE-23). */
      Crash: action({ delivery: deliveries }, (s, { delivery: d }) => {
        const o = s.delivery[d]
        if (!o || !affords(s, "crashes")) return
        return { ...(isLive(o) ? silent(s, o) : {}), delivery: { [d]: null }, ...spend(s, "crashes") }
      })
    }),

    ...only(can("lapses"), {
      /** The delivery stalls for longer than its lease, and goes on (QUEUE-42). */
      LapseLease: action({ delivery: deliveries }, (s, { delivery: d }) => {
        const o = s.delivery[d]
        if (!o || !isLive(o) || !affords(s, "lapses")) return
        return { ...silent(s, o), delivery: { [d]: { ...o, lease: "stalled" } }, ...spend(s, "lapses") }
      })
    }),

    ...only(!rules["renew-before-re-run"], {
      /** A lease that nobody renewed runs out under a delivery that does not stall (COAL-17). */
      ExpireLease: action({ delivery: deliveries }, (s, { delivery: d }) => {
        const o = s.delivery[d]
        if (o?.lease !== "aging") return
        return { ...silent(s, o), delivery: { [d]: { ...o, lease: "lapsed" } } }
      })
    }),

    ...only(can("rejections"), {
      /** The handler throws: the message comes again after the queue's back-off (QUEUE-12). */
      Reject: action({ delivery: deliveries }, (s, { delivery: d }) => {
        const o = s.delivery[d]
        if (!o || (o.phase !== "loaded" && o.phase !== "owing") || !affords(s, "rejections")) return
        const late = delay(setting, s, d, o)
        const message = late.message?.[o.message]
        const { count } = messageOf(s, o.message)
        // The same job is tried again: no World counts from one here.
        return {
          ...late,
          ...(message === undefined ? {} : { message: { [o.message]: { ...message, count } } }),
          ...spend(s, "rejections")
        }
      })
    }),

    ...only(can("restarts"), {
      /**
       * A process that keeps its queue in memory starts again: messages, deliveries, and what the step's own message was
       * doing are lost, and one message stands for all of them (DEDUPE-22, LOCALPG-30, EDGE-09).
       */
      Restart: action((s) => {
        if (!affords(s, "restarts") || s.log.includes("run_completed") || s.log.includes("run_failed")) return
        return {
          message: Object.fromEntries(
            messages.map((m) => [
              m,
              m === "recovery" ? READY : { ...messageOf(s, m), at: messageOf(s, m).at === "absent" ? "absent" : "gone" }
            ])
          ),
          delivery: Object.fromEntries(deliveries.map((d) => [d, null])),
          key: null,
          step: s.step === "queued" ? "unsent" : s.step === "running" ? "orphan" : s.step,
          // A wake that was owed is not sent any more: what it is for is in the log.
          writer: Object.fromEntries(setting.writers.map((w) => [w, s.writer[w] === "owing" ? "done" : s.writer[w]])),
          ...spend(s, "restarts")
        }
      })
    })
  }
}
