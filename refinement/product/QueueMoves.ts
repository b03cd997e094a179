/**
 * The moves of the queue, each as soon as a message's delay is over.
 *
 * | action     | what happens                                                   | lines of a trace |
 * | ---------- | -------------------------------------------------------------- | ---------------- |
 * | `Deliver`  | the queue delivers a message                                   | `Deliver`        |
 * | `Coalesce` | the queue folds a message into the delivery that holds its run | none             |
 *
 * Rules: QUEUE-12, QUEUE-14, QUEUE-15, COAL-01, COAL-03, COAL-04.
 *
 * @module
 */
import { Result } from "effect"
import { emptyState, type MemoryState } from "../../impl/worlds/memory/Operation.ts"
import { claimabilityOf, type Message } from "../../impl/worlds/memory/Queue.ts"
import { type Grants, type Move, number, type Taken } from "./Grants.ts"
import type { State } from "./Variables.ts"

/** A message that the queue may claim now, and the World in which it may. */
interface Claimable {
  readonly world: MemoryState
  readonly message: Message
}

/** The message, when the queue may claim it so, at the end of its delay at the earliest. */
const claimable = (grants: Grants, s: State, sequence: number, as: "deliver" | "coalesce"): Claimable | undefined => {
  const name = s.message[sequence]
  if (name === undefined || name === null) return undefined
  const message = grants.world.messageOf(name)
  if (message.lease !== undefined) return undefined
  const world = grants.world.view(s)
  const { queue, now, settings } = world
  const at = Math.max(now, message.availableAt)
  if (claimabilityOf(queue, message, settings.topology, at) !== as) return undefined
  if (at === now) return { world, message }
  if (grants.options.clock === "moves") {
    const advanced = { ...emptyState(settings, now), queue }
    return { world: grants.perform<"Advance">(advanced, { _tag: "Advance", now: at }).state, message }
  }
  // The queue's clock has come to the delay's end, and the World's has not been seen to move.
  const due = { ...message, availableAt: now }
  const messages = new Map(queue.messages).set(message.messageId, due)
  return { world: { ...emptyState(settings, now), queue: { ...queue, messages } }, message: due }
}

const claim = (grants: Grants, s: State, { world, message }: Claimable) => {
  const { messageId } = message
  const { state, outcome } = grants.perform<"Claim">(world, { _tag: "Claim", messageId })
  const { now } = world
  return { claimed: Result.getOrThrow(outcome), update: grants.world.update(s, { now, queue: state.queue }), now }
}

const deliver = (grants: Grants, s: State, sequence: number): Taken | undefined => {
  const found = claimable(grants, s, sequence, "deliver")
  if (found === undefined) return undefined
  const { claimed, update, now } = claim(grants, s, found)
  if (claimed._tag !== "Delivered") return undefined
  const { deliveries } = grants.ranges
  const place = deliveries.find((delivery) => s.delivery[delivery] === null)
  if (place === undefined) {
    throw new Error(`More than ${deliveries.length} deliveries are alive: give the search more room.`)
  }
  const { payload, meta, lease } = claimed.claimed
  const edge = grants.automata.begin({ kind: "delivery", payload, meta, lease }, now)
  return grants.took(s, edge, { ...update, delivery: { [place]: edge.to.isGone ? null : edge.to.name } })
}

const coalesce = (grants: Grants, s: State, sequence: number): Taken | undefined => {
  const found = claimable(grants, s, sequence, "coalesce")
  return found && { update: claim(grants, s, found).update, lines: [] }
}

/** What the queue does, in the topology of the World. */
export const queueMoves = (grants: Grants): { readonly [action: string]: Move } => {
  const domains = { message: grants.ranges.messages }
  return {
    Deliver: { domains, take: (s, { message }) => deliver(grants, s, number(message)) },
    ...(grants.world.settings.topology === "coalescing" && {
      Coalesce: { domains, take: (s, { message }) => coalesce(grants, s, number(message)) }
    })
  }
}
