/**
 * The inline window of an invocation: until when a delivery may make passes, and start steps in its own process.
 *
 * ```
 * invocation began ──────────────────── margin ─────── end of the window
 *    steps may start inline             │ new steps get their own message   │ no pass begins: hand off
 * ```
 *
 * It is counted from when the invocation began, which all re-runs of a delivery share: counted from each of them, a busy
 * run would never let go of its process.
 *
 * Rules: RUN-18, RUN-19, RUN-42, RUN-43, SET-34, HAND-04, HAND-14.
 *
 * @module
 */
import type { MessageMeta } from "../world/index.ts"
import type { Settings } from "./Settings.ts"

type Invocation = Pick<MessageMeta, "invocationStartedAt">
type Window = Pick<Settings, "inlineWindowMs" | "inlineStepDeadlineMarginMs">

/** When no further pass may begin, in epoch milliseconds. */
export const deadlineOf = ({ invocationStartedAt }: Invocation, { inlineWindowMs }: Window): number =>
  invocationStartedAt + inlineWindowMs

/** Whether a step that is new may still run in this process. */
export const mayStartInline = (invocation: Invocation, window: Window, now: number): boolean =>
  now < deadlineOf(invocation, window) - window.inlineStepDeadlineMarginMs
