/**
 * The point that every call of the memory World passes.
 *
 * A driver that wants to decide when, whether and how often an operation takes effect provides its own gate. It gets
 * the operation as data and the effect that performs it, and may
 *
 * - hold the call: wait before `perform`, or after it, so that a crash can fall on either side;
 * - fail it: return a failed result, with or without performing;
 * - duplicate it: perform twice;
 * - drop it: never return;
 * - answer it from elsewhere: apply the operation to a state of its own and return that outcome.
 *
 * A gate is looked up where the call is made, so two processes of one World can have two gates. The default performs.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Operation, OperationOf, Outcomes } from "./Operation.ts"

/** A gate's one function: from an operation and its performance to the outcome that the caller sees. */
export interface GateService {
  readonly pass: <Tag extends Operation["_tag"]>(
    operation: OperationOf<Tag>,
    perform: Effect.Effect<Outcomes[Tag]>
  ) => Effect.Effect<Outcomes[Tag]>
}

/** The gate of the calls made in this context. */
export const Gate = Context.Reference<GateService>("onewriter/worlds/memory/Gate", {
  defaultValue: () => ({ pass: (_operation, perform) => perform })
})
