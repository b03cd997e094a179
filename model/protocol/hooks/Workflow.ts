/**
 * What a workflow has come to, as a function of the part of the log that a delivery has read. (HOOK-25, HOOK-31,
 * HOOK-26, HOOK-37, HOOK-38, HOOK-39, HOOK-40, HOOK-41)
 *
 * No variables: functions of a log.
 *
 * @module
 */
import type { Operation, Run, Setting } from "./Config.ts"
import { type Event, hasStep, holds, isRetained } from "./State.ts"

/** A write that the workflow has decided on. */
export interface Pending {
  readonly type: "create" | "claim" | "retain" | "dispose"
  readonly hook: number
}

/** Where a replay stops. */
export interface Replay {
  readonly pending: ReadonlyArray<Pending>
  /** The step was called, and nobody has begun or scheduled it. */
  readonly calls: boolean
  /** It waits to be told whether its hook's token was another run's (`getConflict`). */
  readonly asks: boolean
  /** It waits for something else than a hook or its step. */
  readonly rests: boolean
  /** The hooks that the workflow has given up, written or not. */
  readonly givenUp: ReadonlyArray<number>
  /** Whether the workflow has returned or thrown; otherwise it waits. */
  readonly finished: boolean
}

/**
 * Replays a workflow over a prefix of its log: awaits take payloads in the order of the log, several for one hook
 * (HOOK-25, HOOK-26, HOOK-31).
 */
export const replay = (operations: ReadonlyArray<Operation>, log: ReadonlyArray<Event>): Replay => {
  const pending: Array<Pending> = []
  const givenUp: Array<number> = []
  let calls = false
  let asks = false
  let rests = false
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
    if (operation === "create" || operation === "claim" || operation === "retain") {
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
      if (!isAnswered) {
        mode = "waits"
        asks = true
      } else if (holds(log, "conflict", hook)) mode = "returned"
    } else if (operation === "step") {
      calls = !hasStep(log, "started") && !hasStep(log, "scheduled")
    } else if (operation === "rest") {
      mode = "waits"
      rests = true
    } else if (operation === "join") {
      if (!hasStep(log, "outcome")) mode = "waits"
    } else if (operation === "dispose" && !holds(log, "conflict", hook)) {
      givenUp.push(hook)
      if (!holds(log, "disposed", hook)) pending.push({ type: "dispose", hook })
    }
  }
  return { pending, calls, asks, rests, givenUp, finished: mode !== "waits" }
}

/**
 * The writes that are left to do. In the drain, which writes what the workflow has left when it is over, a disposal is left to the terminal event, unless that would
 * not free the token, or a creation behind it needs it (HOOK-37, HOOK-38, HOOK-39, HOOK-40). What the workflow has not
 * given up is not disposed, retained or not (HOOK-41), and a step that it has not waited for is not begun any more.
 */
export const due = (setting: Setting, run: Run, { pending, finished }: Replay): ReadonlyArray<Pending> => {
  const { rules } = setting
  return finished
    ? pending.filter(
        ({ type, hook }, at) =>
          type !== "dispose" ||
          (rules["drain-releases-retained-token"] && isRetained(setting, run, hook)) ||
          (rules["drain-disposes-before-creation"] && pending.slice(at + 1).some((later) => later.type !== "dispose"))
      )
    : pending
}
