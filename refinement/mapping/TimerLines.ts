/**
 * The lines of timers: that they are sent, and what becomes of intermediate hops. Times are those of the model's clock,
 * which counts milliseconds where a trace is held against it.
 *
 * Rules: WAIT-02, WAIT-53, WAIT-54, WAIT-57, WAIT-64, WAIT-65, WAIT-66.
 *
 * @module
 */
import type { Setting } from "../../model/protocol/Config.ts"
import type { Delivery, Hop, TimerKey } from "../../model/protocol/State.ts"
import { keyOf, messagesOfKey, nextHop } from "../../model/protocol/TimerQueue.ts"
import { actorOf, correlationId, idOf, type Projection, type Step } from "./Projection.ts"

type Fields = Omit<Projection, "line" | "action">

/** The send of a timer under a key, for a deadline. */
const sendOf = (setting: Setting, { from, to }: Step, key: TimerKey, resumeAt: number): Fields => {
  const hopAt = key.hopAt ?? resumeAt
  const isNew = to.minted > from.minted
  return {
    message: isNew ? { made: to.minted } : { found: messagesOfKey(from, setting, key).map(idOf) },
    fields: {
      kind: hopAt < resumeAt ? "hop" : "orchestrator",
      waitId: correlationId("wait", key.wait),
      resumeAt,
      hopAt,
      timerAttempt: key.attempt,
      second: key.second,
      deduplicated: !isNew
    }
  }
}

/** The timer that an orchestrator delivery sends. */
export const timerLine = (setting: Setting, step: Step, before: Delivery): ReadonlyArray<Fields> => {
  const next = before.todo[0]
  return next?.op === "arm" ? [sendOf(setting, step, keyOf(step.from, setting, before, next), next.resumeAt)] : []
}

const hopAt = (hops: ReadonlyArray<Hop>, place: unknown): Hop | undefined =>
  typeof place === "number" ? hops[place] : undefined

/** The lines that a step of an intermediate hop may be. */
export const hopLines = (setting: Setting, step: Step): ReadonlyArray<Fields> => {
  const { from, to, action, parameters } = step
  const hop = hopAt(from.hops, parameters.hop)
  if (hop === undefined) return []
  const message = { found: [idOf(hop.message)] }
  switch (action) {
    case "DeliverHop": {
      const delivered = to.hops.find((other) => other.message.id === hop.message.id)?.message
      if (delivered === undefined) return []
      const { deliveryCount, attempt } = delivered
      return [{ by: actorOf({ message: delivered }), message, fields: { deliveryCount, kind: "hop", attempt } }]
    }
    case "SendTimerHop": {
      const { timer } = hop.message
      if (timer?.resumeAt === undefined) return []
      const key = { ...timer, hopAt: nextHop(from, setting, hop.due, timer.resumeAt) }
      return [{ by: actorOf(hop), ...sendOf(setting, step, key, timer.resumeAt) }]
    }
    case "AcknowledgeHop":
    case "RejectHop":
      return [{ by: actorOf(hop), fields: { accepted: "done" } }]
    case "CrashHop":
      return [{ message, fields: { deliveryCount: hop.message.deliveryCount } }]
    default:
      return []
  }
}
