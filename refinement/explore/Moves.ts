/**
 * The grants of a simulation: what may happen next, and which of them commute.
 *
 * Two moves are independent when different processes make them and they touch different parts of the World, or only read
 * the same. The queue is one part, since sends are numbered and claims depend on who holds a lease; a log is another; time
 * is a third, because an event keeps the time at which it was written.
 *
 * @module
 */
import { correlationIdOf } from "../../impl/world/index.ts"
import type { Operation } from "../../impl/worlds/memory/Operation.ts"
import type { Grant } from "./Search.ts"

/** What a grant reads or writes of the World; two grants conflict when one of them writes what the other touches. */
export interface Touches {
  readonly log?: "read" | "write"
  readonly queue?: true
  readonly time?: "read" | "write"
}

/** Something that may happen next. */
export interface Move extends Grant {
  readonly process: string
  readonly touches: Touches
  /** Its process does nothing else before it. */
  readonly isNext?: boolean
  readonly run: () => void
}

const conflicts = (a: "read" | "write" | undefined, b: "read" | "write" | undefined): boolean =>
  a !== undefined && b !== undefined && (a === "write" || b === "write")

/** Moves of different processes that touch different parts of the World, or only read the same. */
export const independent = (a: Move, b: Move): boolean =>
  a.process !== b.process &&
  !conflicts(a.touches.log, b.touches.log) &&
  !conflicts(a.touches.time, b.touches.time) &&
  !(a.touches.queue === true && b.touches.queue === true)

/** What an operation of the World touches. */
export const touchesOf = (operation: Operation): Touches => {
  switch (operation._tag) {
    case "Create":
    case "CreateBatch":
      return { log: "write", time: "read" }
    case "List":
    case "GetRun":
    case "GetHookByToken":
      return { log: "read" }
    case "Advance":
      return { queue: true, time: "write" }
    default:
      return { queue: true, time: "read" }
  }
}

/** An operation as schedules name it. */
export const labelOf = (operation: Operation): string => {
  switch (operation._tag) {
    case "Create": {
      const { data } = operation
      return `write ${data.eventType}${"correlationId" in data ? ` ${data.correlationId}` : ""}`
    }
    case "CreateBatch":
      return `write ${operation.data.map((data) => `${data.eventType} ${correlationIdOf(data)}`).join(", ")}`
    case "List":
      return "list"
    case "Send":
      return operation.payload.stepId === undefined ? "send wake" : `send ${operation.payload.stepId}`
    case "Answer":
      return operation.answer._tag
    default:
      return operation._tag
  }
}

/** A message's id without its padding, so that schedules are readable. */
export const shortId = (messageId: string): string => messageId.replace(/^msg_0*/, "m")
