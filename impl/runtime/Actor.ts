/**
 * Who performs the World operations of the current fiber: a delivery of a message, or a client.
 *
 * The runtime sets it around every handler call and every client call; a World's wrapper, such as a recorder, reads it.
 *
 * @module
 */
import { Context } from "effect"

/** A delivery, as the queue counts it, or what a client does. */
export type Actor = { readonly messageId: string; readonly deliveryCount: number } | { readonly client: string }

/** The actor of the current fiber; a client named `other` where the runtime set none. */
export const CurrentActor = Context.Reference<Actor>("onewriter/runtime/CurrentActor", {
  defaultValue: () => ({ client: "other" })
})
