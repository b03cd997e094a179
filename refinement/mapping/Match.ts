/**
 * Holding a line against what the model would show: do they agree, and if not, in which fields?
 *
 * The queue's message ids are bound to the model's message numbers as messages are sent, one to one. A binding is part
 * of what the validator assumes on a path, beside the model's state.
 *
 * @module
 */
import { type Actor, isDelivery, type Line } from "../trace/Trace.ts"
import { type FieldValue, itemOf, type ModelActor, type Projection } from "./Projection.ts"

/** Which message of the model each message of the trace is. */
export interface Binding {
  readonly messages: ReadonlyMap<string, number>
}

/** Nothing is bound yet. */
export const unbound: Binding = { messages: new Map() }

/** A field in which a line differs from what the model would show. */
export interface Difference {
  readonly field: string
  readonly expected: string
  readonly found: string
}

/** The trace's id of a message of the model, if it has been bound. */
export const idOfMessage = (binding: Binding, message: number): string | undefined => {
  for (const [id, bound] of binding.messages) if (bound === message) return id
  return undefined
}

const show = (value: FieldValue): string => (value === undefined ? "absent" : JSON.stringify(value))

/** A message of the model, by its id in the trace where it has one. */
export const showMessage = (binding: Binding, message: number): string =>
  idOfMessage(binding, message) ?? `message ${message} of the model, which the trace has not named`

/** An actor of the model, as the trace would name it. */
export const showActor = (binding: Binding, actor: ModelActor): string => {
  if ("message" in actor) return `${showMessage(binding, actor.message)}#${actor.deliveryCount}`
  return actor.client === "any" ? "a client" : `client ${actor.client}`
}

/** An actor of the trace. */
export const showFoundActor = (by: Actor): string =>
  isDelivery(by) ? `${by.messageId}#${by.deliveryCount}` : `client ${by.client}`

const sameActor = (binding: Binding, actor: ModelActor, by: Actor): boolean => {
  if (isDelivery(by)) {
    return (
      "message" in actor &&
      binding.messages.get(by.messageId) === actor.message &&
      by.deliveryCount === actor.deliveryCount
    )
  }
  return "client" in actor && (actor.client === "any" || actor.client === by.client)
}

/** The value of a projected field in a line. `later` stands for `stepAttempt`: the model knows only whether it is above 1. */
const valueIn = (line: Line, field: string): FieldValue => {
  if (field === "later") return "stepAttempt" in line && line.stepAttempt !== undefined && line.stepAttempt > 1
  if (field === "items") return "items" in line ? line.items.map(itemOf) : undefined
  const value: unknown = Object.entries(line).find(([name]) => name === field)?.[1]
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value
  return Array.isArray(value) ? value.filter((slot) => typeof slot === "number") : undefined
}

const equal = (a: FieldValue, b: FieldValue): boolean => a === b || show(a) === show(b)

type Bound = { readonly messages: Binding["messages"] } | { readonly expected: string }

/** Binds the message that a line names, or says what it should have named. */
const bindMessage = (binding: Binding, projection: Projection, line: Line): Bound => {
  const { message } = projection
  const { messages } = binding
  if (message === undefined || !("messageId" in line)) return { messages }
  const bound = messages.get(line.messageId)
  if ("made" in message) {
    if (bound === undefined && idOfMessage(binding, message.made) === undefined) {
      return { messages: new Map(messages).set(line.messageId, message.made) }
    }
    return { expected: "a message that the trace has not named before" }
  }
  if (bound !== undefined && message.found.includes(bound)) return { messages }
  const nameless = message.found.find((id) => idOfMessage(binding, id) === undefined)
  if (bound === undefined && nameless !== undefined) {
    return { messages: new Map(messages).set(line.messageId, nameless) }
  }
  return { expected: message.found.map((id) => showMessage(binding, id)).join(" or ") || "no message" }
}

/**
 * What the model has no notion of, but the protocol fixes: that a step's retry is asked for with a delay, and that the waits
 * that a message's deliveries create are of its chain (WAIT-10).
 */
const fixedFields = (line: Line, projection: Projection): ReadonlyArray<Difference> => {
  const writes = "items" in line ? line.items : "eventType" in line ? [line] : []
  for (const write of writes) {
    const chain =
      write.eventType === "wait_created" && "by" in line && isDelivery(line.by) ? line.by.messageId : undefined
    if (write.chain !== chain) return [{ field: "chain", expected: show(chain), found: show(write.chain) }]
  }
  if (line.action === "AskRedelivery" && projection.action === "AskRedeliveryStep" && line.timeoutSeconds < 1) {
    return [{ field: "timeoutSeconds", expected: "at least 1", found: String(line.timeoutSeconds) }]
  }
  return []
}

/**
 * Holds a line against a projection of the same name. Agreement gives the binding that follows from it, a mismatch the
 * fields that differ.
 */
export const match = (
  line: Line,
  projection: Projection,
  binding: Binding
): { readonly binding: Binding } | { readonly differences: ReadonlyArray<Difference> } => {
  const differences: Array<Difference> = []
  const { by } = projection
  if (by !== undefined && "by" in line) {
    // The delivery of a message that has no name yet is told by the message that the line names.
    const named = bindMessage(binding, projection, line)
    const known = "messages" in named ? { messages: named.messages } : binding
    if (!sameActor(known, by, line.by)) {
      differences.push({ field: "by", expected: showActor(binding, by), found: showFoundActor(line.by) })
    }
  }
  for (const [field, expected] of Object.entries(projection.fields)) {
    const found = valueIn(line, field)
    if (!equal(expected, found)) {
      const name = field === "later" ? "stepAttempt" : field
      const shown = field === "later" ? (expected === true ? "above 1" : "1, or absent") : show(expected)
      const foundShown = field === "later" && "stepAttempt" in line ? show(line.stepAttempt) : show(found)
      differences.push({ field: name, expected: shown, found: foundShown })
    }
  }
  differences.push(...fixedFields(line, projection))
  const named = bindMessage(binding, projection, line)
  if ("expected" in named && "messageId" in line) {
    differences.push({ field: "messageId", expected: named.expected, found: line.messageId })
  }
  if (differences.length > 0 || "expected" in named) return { differences }
  return { binding: { messages: named.messages } }
}
