/**
 * What a step of the model says as a line of a trace: the vocabulary in which `Project.ts` describes every step, and what
 * the kinds of steps share.
 *
 * @module
 */
import type { Transition } from "../../model/checker/Behaviours.ts"
import { creationOf, type Log, type Write } from "../../model/protocol/Log.ts"
import type { Message, State } from "../../model/protocol/State.ts"
import type { ActionName } from "../trace/Trace.ts"

/** Who acts in a step of the model: a delivery of a message, a client by what it does, or nobody (a fault). */
export type ModelActor =
  | { readonly message: number; readonly deliveryCount: number }
  | { readonly client: "start" | "resume" | "cancel" | "wakeUp" | "any" }

/** A value of a field of a line; `undefined` says that the line does not have the field. */
export type FieldValue = string | number | boolean | ReadonlyArray<number> | ReadonlyArray<Item> | undefined

/** An event of a batch, as far as it is compared. */
export interface Item {
  readonly [field: string]: unknown
}

/** What a line must say to be this step. */
export interface Projection {
  readonly line: ActionName
  readonly action: string
  readonly by?: ModelActor
  /** The message that the line names: one that this step made, or one of those that it may have found. */
  readonly message?: { readonly made: number } | { readonly found: ReadonlyArray<number> }
  readonly fields: { readonly [field: string]: FieldValue }
}

/** A step of the model between two states whose values are at hand. */
export interface Step {
  readonly from: State
  readonly to: State
  readonly action: string
  readonly parameters: Transition["parameters"]
}

/** The correlation id of a call of the program. */
export const correlationId = (type: string, entity: number): string =>
  `${kindOf(type)}_${String(entity).padStart(4, "0")}`

const kindOf = (type: string): string =>
  type.startsWith("hook") ? "hook" : type.startsWith("wait") || type.startsWith("wake") ? "wait" : "step"

/** The correlation id of a step. */
export const stepId = (entity: number): string => correlationId("step", entity)

/** The step's name or the hook's token, as the log or the write itself has it. */
export const nameIn = (log: Log, entity: number | undefined, own?: string): string | undefined =>
  own ?? (entity === undefined ? undefined : creationOf(log, entity)?.name)

/** What a line says of the event that is written. `log` is the log that holds the creations of steps and hooks. */
export const eventFields = (
  log: Log,
  { type, entity, name, attempt, inline, creator, resumeAt }: Write
): Projection["fields"] => ({
  eventType: type,
  correlationId: entity === undefined ? undefined : correlationId(type, entity),
  stepName: type.startsWith("step") ? nameIn(log, entity, name) : undefined,
  token: type.startsWith("hook") ? nameIn(log, entity, name) : undefined,
  attempt,
  // A creation says that its step is not inline, and a start that creates one says that it is.
  inline: type === "step_created" ? false : inline,
  // Every creation has a creator. Of a retry it says that the step was moved to its own message.
  moved: type === "step_retrying" ? creator === true : undefined,
  resumeAt: type === "wait_created" ? resumeAt : undefined
})

/** The number of a message; it has one in exact detail. */
export const idOf = (message: Message): number => {
  if (message.id === undefined) throw new Error("Traces are held against the model in exact detail alone.")
  return message.id
}

/** The delivery of a message, as it stands. */
export const actorOf = ({ message }: { readonly message: Message }): ModelActor => ({
  message: idOf(message),
  deliveryCount: message.deliveryCount
})

/** The event that a commit has appended. */
export const lastEvent = ({ log }: State): Write => {
  const event = log.at(-1)
  if (event === undefined || event === null) throw new Error("A commit has appended nothing.")
  return event
}

/** An event of a batch as it is compared: its fields in one order, and without those that it does not have. */
export const itemOf = (event: Item): Item =>
  Object.fromEntries(
    ["eventType", "correlationId", "stepName", "attempt", "inline", "resumeAt", "slot"].flatMap((field) =>
      event[field] === undefined ? [] : [[field, event[field]]]
    )
  )
