/**
 * The queue half of a World.
 *
 * A message's life: waiting (perhaps out a delay) → leased → acknowledged, or back to waiting. It goes back when its
 * handler asks for it again, fails, or does not answer before the lease's end; every delivery but the first is counted
 * above 1, which is what makes an orchestrator send again what a dead delivery owed. (QUEUE-13, QUEUE-16, DEDUPE-07)
 *
 * Orchestrator messages of a run are delivered one at a time, by one of three topologies (see `Topology`). That only
 * makes overlaps rare: correctness rests on the fence. (WORLD-25)
 *
 * Rules: QUEUE-13, QUEUE-16, QUEUE-29, QUEUE-30, QUEUE-32, DEDUPE-03, DEDUPE-04, DEDUPE-07, COAL-01, COAL-03, COAL-07,
 * HAND-01.
 *
 * @module
 */
import { Context, type Effect, Schema, type Scope } from "effect"
import type { MessageQueueError } from "./Errors.ts"
import type { HandlerResult, MessageMeta, SendOptions, SendResult, WorkflowInvokePayload } from "./Message.ts"

/**
 * What a queue does with an orchestrator message that is due while another delivery of its run holds a lease:
 * `gated` lets it wait, `coalescing` drops it and runs the holder's handler again, `unserialized` delivers it.
 */
export const Topology = Schema.Literals(["gated", "coalescing", "unserialized"])
/** The name of a topology. */
export type Topology = typeof Topology.Type

/** Re-runs of one delivery before its message is handed off instead. (COAL-07, COAL-17) */
export const MAX_COALESCED_RERUNS = 32

/**
 * What a World runs for a delivery. An answer is queue control (see `HandlerResult`); a failure or a defect puts the
 * message back with a back-off. Interruption is not an answer: it gives the lease up, and the message comes back at
 * once, counted as after a lapse.
 */
export type Handler<E, R> = (payload: WorkflowInvokePayload, meta: MessageMeta) => Effect.Effect<HandlerResult, E, R>

/** The queue service of a World. */
export class MessageQueue extends Context.Service<
  MessageQueue,
  {
    /** Sends a message, or finds the living one that its key belongs to. When this returns, the message is durable. */
    readonly send: (
      payload: WorkflowInvokePayload,
      options?: SendOptions
    ) => Effect.Effect<SendResult, MessageQueueError>
    /**
     * Delivers messages to a handler, several at a time, until the surrounding scope closes. Returns at once; closing
     * the scope interrupts the handlers that run and gives their leases up. A failure of the queue itself is logged and
     * tried again with a back-off that ends at five seconds, so that a full disk or a locked file that is put right
     * needs no restart.
     */
    readonly serve: <E, R>(handler: Handler<E, R>) => Effect.Effect<void, MessageQueueError, R | Scope.Scope>
  }
>()("onewriter/world/MessageQueue") {}
