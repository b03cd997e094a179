/**
 * The queue's side of an orchestrator delivery: claiming a message, and answering it. (COAL-01, COAL-03, COAL-04, HAND-01,
 * COAL-07, COAL-16, COAL-18, FENCE-03, FENCE-22, QUEUE-02, QUEUE-06, QUEUE-13, QUEUE-14, QUEUE-15, QUEUE-16, QUEUE-17,
 * QUEUE-29, QUEUE-32, RUN-01, DEC-39, WAIT-22, WAIT-83, WAIT-98, WAIT-99, ROT-06, OOB-06)
 *
 *     queued --Deliver--> held --Acknowledge--> gone
 *                         held --AcknowledgeRerun--> held, run again | queued, handed off
 *                         held --AskRedelivery | AskRedeliveryHandoff | Crash | Reject--> queued
 *                         held --LapseLease--> queued, and the delivery lives on without its lease
 *                         held --Rotate--> gone, and what goes on for it queued
 *
 * The answer of a delivery whose lease has lapsed changes nothing.
 *
 * **Coalescing is chosen late.** A coalescing queue drops a message that comes due while the run's delivery is in flight
 * and records it on that delivery. Nothing can tell when that happened until the lease ends. So here the message stays
 * in the bag, and each end of a lease chooses which of the messages in the bag had been dropped: an acknowledgment that
 * finds some is refused, and every other end loses them; but `Rotate`, which is taken where there are none.
 *
 * Changes `queue`, `lease`, `orchestrator`, `budget` and `abandoned`; reads `log` besides.
 *
 * @module
 */
import { compareMessages, distinct, withMessage, without } from "./Bags.ts"
import type { Setting } from "./Config.ts"
import {
  type Actions,
  affords,
  type Delivery,
  isLaterDelivery,
  type Message,
  only,
  type Part,
  type State,
  spend,
  type Update
} from "./State.ts"
import { numbered } from "./Waits.ts"

/** The delivery in a place that has just claimed a message. It remembers nothing of any delivery before it (RUN-01). */
export const claimed = (message: Message): Delivery => ({ message, known: 0, expected: 0, todo: [], bodies: [] })

/** The queue's actions on orchestrator messages. */
export const queueActions = ({ setting, action }: Part): Actions => {
  const { can, rules } = setting
  return {
    /**
     * The queue claims a message. A gate, or a key, holds it back while another delivery of the run holds its lease: a
     * wake-up's as any other's (DEC-39). Places are alike, so the first free one is as good as any; in a run that
     * sleeps the message gets the number that ownership of waits is about (`numbered` in `Waits.ts`) (COAL-01,
     * FENCE-03, QUEUE-14, QUEUE-29).
     */
    Deliver: action(
      { delivery: setting.deliveries, message: (s) => distinct(s.queue) },
      (s, { delivery: d, message }) => {
        if (d !== setting.deliveries.find((place) => s.lease[place] === null)) return
        if (setting.topology !== "unserialized" && setting.deliveries.some((place) => s.lease[place] === "held")) return
        return {
          queue: without(s.queue, message),
          lease: { [d]: "held" },
          orchestrator: { [d]: claimed(delivered(setting, numbered(s, setting, message))) }
        }
      }
    ),

    /** The delivery has nothing left to do, and its message is gone. */
    Acknowledge: action({ delivery: setting.deliveries }, (s, { delivery: d }) => {
      const o = s.orchestrator[d]
      if (o?.todo[0]?.op !== "acknowledge") return
      const held = s.lease[d] === "held"
      if (!held || setting.topology !== "coalescing" || setting.rules["re-run-coalesced"]) return ended(s, setting, d)
      return sparing(s.queue).map((queue) => ({ ...ended(s, setting, d), queue }))
    }),

    ...only(setting.topology === "coalescing" && setting.rules["re-run-coalesced"], {
      /**
       * The acknowledgment is refused, because messages were coalesced: the handler is called again, in the same lease
       * (COAL-03, COAL-04, COAL-07, COAL-16, COAL-18, QUEUE-13).
       */
      AcknowledgeRerun: action({ delivery: setting.deliveries }, (s, { delivery: d }) => {
        const o = s.orchestrator[d]
        if (o?.todo[0]?.op !== "acknowledge" || s.lease[d] !== "held") return
        const coalesced = sparing(s.queue).filter((queue) => queue.length < s.queue.length)
        const { message } = o
        if (o.reruns !== undefined && o.reruns === setting.maxReruns) {
          const again = handedOff(message)
          return coalesced.map((queue) => ({ ...ended(s, setting, d), queue: withMessage(queue, again) }))
        }
        const rerun = {
          ...claimed({ ...message, deliveryCount: counted(setting, message) }),
          ...(isLaterDelivery(message) && setting.can.background ? { passed: true as const } : {}),
          ...(setting.maxReruns === "unlimited" ? {} : { reruns: (o.reruns ?? 0) + 1 })
        }
        return coalesced.map((queue) => ({ queue, orchestrator: { [d]: rerun }, ...abandoning(s, setting, o) }))
      })
    }),

    ...only((can.overlap && rules["redeliver-on-refusal"]) || setting.budgetNames.includes("throttles"), {
      /**
       * The fence refused the delivery, or the World refused one of its starts for load: it asks for its own message again
       * (FENCE-22, QUEUE-02, QUEUE-32).
       */
      AskRedelivery: action({ delivery: setting.deliveries }, (s, { delivery: d }) => {
        const o = s.orchestrator[d]
        if (o?.todo[0]?.op !== "redeliver") return
        if (s.lease[d] === "lapsed") return ended(s, setting, d)
        return queuesAfterReturn(s, setting, o.message).map((queue) => ({ ...ended(s, setting, d), queue }))
      })
    }),

    ...only(setting.budgetNames.includes("handoffs"), {
      /** The delivery has given up: the same message again at once, which is no attempt (HAND-01, QUEUE-06). */
      AskRedeliveryHandoff: action({ delivery: setting.deliveries }, (s, { delivery: d }) => {
        const o = s.orchestrator[d]
        if (o?.todo[0]?.op !== "handoff") return
        if (s.lease[d] === "lapsed") return ended(s, setting, d)
        return queuesAfterReturn(s, setting, handedOff(o.message)).map((queue) => ({ ...ended(s, setting, d), queue }))
      })
    }),

    ...only(setting.budgetNames.includes("rotations"), {
      /**
       * A delivery's time is up before its next pass, and its message is near its expiry: another goes on in its place,
       * which is new to everybody, and owns none of the chains that this one does (WAIT-98, WAIT-99, ROT-06). The timers of
       * the waits that it created are out already (WAIT-22). If something was coalesced into the delivery, it is run again
       * instead (`AcknowledgeRerun`). It happens where a delivery would suspend, and so in programs that sleep alone: what
       * a continuation may lose is whose timer it stands for. `rotation` has it between any two passes, of any program.
       */
      Rotate: action({ delivery: setting.deliveries }, (s, { delivery: d }) => {
        const o = s.orchestrator[d]
        if (!o || s.lease[d] !== "held" || o.bodies.length > 0 || !affords(s, "rotations")) return
        if (o.known === 0 || o.todo[0]?.op !== "suspend") return
        return {
          ...ended(s, setting, d),
          ...spend(s, "rotations"),
          queue: withMessage(s.queue, continuation(setting, o.message))
        }
      })
    })
  }
}

/** The delivery in this place is over. Its bodies run on with nobody to write their outcomes. */
export const ended = (s: State, setting: Setting, d: string): Update => ({
  lease: { [d]: null },
  orchestrator: { [d]: null },
  ...abandoning(s, setting, s.orchestrator[d] ?? undefined)
})

/** The running bodies of a delivery that lets go of them. Only a trace can tell that they run on. */
export const abandoning = (s: State, setting: Setting, o: Delivery | undefined): Update => {
  const running = (o?.bodies ?? []).filter((body) => body.at === "running")
  if (!setting.exact || running.length === 0) return {}
  return { abandoned: [...s.abandoned, ...running.map(({ entity, attempt }) => ({ entity, attempt }))] }
}

/**
 * What the queue may be after a message went back to it from a delivery that held its lease: messages that had been
 * coalesced into that delivery are gone.
 */
export const queuesAfterReturn = (s: State, setting: Setting, message: Message): ReadonlyArray<State["queue"]> =>
  setting.topology === "coalescing"
    ? sparing(s.queue).map((queue) => withMessage(queue, message))
    : [withMessage(s.queue, message)]

/** A new message, and the ids handed out after it. */
export const minted = (s: State, setting: Setting): { readonly message: Message; readonly update: Update } =>
  setting.exact
    ? { message: { id: s.minted + 1, deliveryCount: 0, attempt: 0 }, update: { minted: s.minted + 1 } }
    : { message: { deliveryCount: 0 }, update: {} }

/** One more plain orchestrator message, without a key (OOB-06). It may name waits to complete (WAIT-83). */
export const wake = (s: State, setting: Setting, names: Pick<Message, "completes"> = {}): Update => {
  const { message, update } = minted(s, setting)
  return { ...update, queue: withMessage(s.queue, { ...message, ...names }) }
}

/** A message as its next delivery shows it (QUEUE-15, QUEUE-16, QUEUE-17). */
export const delivered = <M extends Message>(setting: Setting, message: M): M => ({
  ...message,
  deliveryCount: counted(setting, message),
  ...(message.attempt === undefined ? {} : { attempt: message.attempt + 1 })
})

/** What a rotated message goes on as: a message of its own, for the same wait. */
const continuation = ({ rules }: Setting, { timer, completes }: Message): Message => ({
  deliveryCount: 0,
  ...(rules["continuation-is-no-first"] ? { continues: true } : {}),
  ...(timer === undefined || !rules["continuation-names-its-wait"] ? {} : { timer }),
  ...(completes === undefined || !rules["continuation-names-its-wait"] ? {} : { completes })
})

/** A message whose next delivery is not an attempt (QUEUE-06). */
const handedOff = (message: Message): Message =>
  message.attempt === undefined ? message : { ...message, attempt: message.attempt - 1 }

const counted = (setting: Setting, message: Message): number =>
  setting.exact ? message.deliveryCount + 1 : Math.min(message.deliveryCount + 1, 2)

/**
 * Every bag that some, all or none of the messages of a bag are taken out of: each is one guess at which messages had
 * been dropped.
 */
const sparing = (bag: ReadonlyArray<Message>): ReadonlyArray<ReadonlyArray<Message>> => {
  const [first, ...rest] = bag
  if (first === undefined) return [[]]
  const others = sparing(rest)
  const kept = others.map((bag) => [first, ...bag])
  // Of several equal messages it does not matter which are spared: keep the first ones.
  const dropped = others.filter((bag) => bag[0] === undefined || compareMessages(bag[0], first) !== 0)
  return [...kept, ...dropped]
}
