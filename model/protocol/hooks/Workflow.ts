/**
 * What a workflow has come to, as a function of the part of the log that a delivery has read. (HOOK-25, HOOK-31,
 * HOOK-37, HOOK-38, HOOK-40, HOOK-41)
 *
 * @module
 */
import type { Operation, Setting } from "./Config.ts"
import { type Event, holds } from "./State.ts"

/** A write that the workflow has decided on. */
export interface Pending {
  readonly type: "create" | "claim" | "dispose"
  readonly hook: number
}

/** Where a replay stops. */
export interface Replay {
  readonly pending: ReadonlyArray<Pending>
  /** Whether the workflow has returned or thrown; otherwise it waits. */
  readonly finished: boolean
}

/** Replays a workflow over a prefix of its log: awaits take payloads in the order of the log, several for one hook. */
export const replay = (operations: ReadonlyArray<Operation>, log: ReadonlyArray<Event>): Replay => {
  const pending: Array<Pending> = []
  let hook = 0
  let taken = 0
  let mode: "runs" | "throws" | "waits" | "returned" = "runs"
  for (const operation of operations) {
    if (mode === "waits" || mode === "returned") continue
    if (mode === "throws") {
      if (operation === "catch") mode = "runs"
      continue
    }
    const isAnswered = holds(log, "created", hook) || holds(log, "conflict", hook)
    if (operation === "create" || operation === "claim") {
      hook = hook + 1
      taken = 0
      if (!holds(log, "created", hook) && !holds(log, "conflict", hook)) pending.push({ type: operation, hook })
    } else if (operation === "await") {
      const current = hook
      const payloads = log.filter((event) => event.type === "received" && event.hook === current).length
      if (!isAnswered) mode = "waits"
      else if (taken < payloads) taken = taken + 1
      else if (holds(log, "conflict", hook) || holds(log, "disposed", hook)) mode = "throws"
      else mode = "waits"
    } else if (operation === "conflict") {
      if (!isAnswered) mode = "waits"
      else if (holds(log, "conflict", hook)) mode = "returned"
    } else if (operation === "dispose" && !holds(log, "disposed", hook) && !holds(log, "conflict", hook)) {
      pending.push({ type: "dispose", hook })
    }
  }
  return { pending, finished: mode !== "waits" }
}

/**
 * The writes that are left to do. In the drain at the end, a disposal is left to the terminal event, unless a creation
 * behind it needs its token (HOOK-37, HOOK-38, HOOK-40).
 */
export const due = ({ rules }: Setting, { pending, finished }: Replay): ReadonlyArray<Pending> =>
  finished
    ? pending.filter(
        ({ type }, at) =>
          type !== "dispose" ||
          (rules["drain-disposes-before-creation"] && pending.slice(at + 1).some((later) => later.type !== "dispose"))
      )
    : pending
