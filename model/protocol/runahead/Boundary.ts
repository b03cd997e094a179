/**
 * When a boundary may run ahead: who else could write an event that changes what the workflow does next. (AHEAD-04,
 * AHEAD-05, AHEAD-06, AHEAD-09, AHEAD-10, AHEAD-12, AHEAD-17, HOOK-17, HOOK-19, HOOK-22, HOOK-23, RUN-08, STEP-58)
 *
 * ```
 * a hook is awaited | a step runs elsewhere | a wait may come due   not inert: drain, then write and wait
 * otherwise                                                         inert: outcomes run ahead, up to the depth
 *   and all new calls are inline steps that may be tried again      their starts run ahead too, and bodies begin
 * ```
 *
 * No variables: functions of a delivery, and of the log that it holds.
 *
 * @module
 */
import type { Setting } from "./Config.ts"
import type { Delivery, Log } from "./State.ts"
import { type Decided, decides, isElsewhere, unconfirmed } from "./Workflow.ts"

/** The hooks that the workflow awaits (HOOK-19, AHEAD-17). */
export const awaitedHooks = (decided: Decided): ReadonlyArray<number> =>
  decided.calls.filter(({ id, kind }) => kind === "hook" && decided.open.includes(id)).map(({ id }) => id)

/** Open steps that run in another invocation, as far as the log and the writer know. */
const elsewhere = (o: Delivery, held: Log, decided: Decided): ReadonlyArray<number> =>
  decided.open.filter(
    (id) => isElsewhere(held, id) || o.queue.some(({ event }) => event.entity === id && event.type === "step_created")
  )

const waits = (decided: Decided): ReadonlyArray<number> =>
  decided.calls.filter(({ id, kind }) => kind === "wait" && decided.open.includes(id)).map(({ id }) => id)

/**
 * Whether the boundary is inert: nobody else's event can change what the workflow does next (AHEAD-04, AHEAD-05,
 * AHEAD-06, HOOK-17, HOOK-23, RUN-08).
 */
export const isInert = (setting: Setting, o: Delivery, held: Log, decided: Decided): boolean => {
  const { rules } = setting
  if (rules["awaited-hook-not-inert"] && awaitedHooks(decided).length > 0) return false
  const seesElsewhere = rules["step-elsewhere-not-inert"] && !setting.missesElsewhere
  if (seesElsewhere && elsewhere(o, held, decided).length > 0) return false
  return !(rules["due-wait-not-inert"] && setting.waitsComeDue && waits(decided).length > 0)
}

/** Whether one more outcome may be unconfirmed (AHEAD-12, HOOK-22). */
export const hasDepth = (setting: Setting, o: Delivery): boolean =>
  !setting.rules["run-ahead-depth"] || unconfirmed(o.queue).length < setting.depth

/**
 * Whether so many more starts may be unconfirmed. A depth that bounds outcomes alone lets any number of them (AHEAD-09,
 * AHEAD-10, STEP-58).
 */
export const hasDepthForStarts = (setting: Setting, o: Delivery, starts: number): boolean => {
  if (!setting.rules["run-ahead-depth"]) return true
  if (!setting.countsStarts) return unconfirmed(o.queue).length <= setting.depth
  const uncommitted = o.queue.filter(({ event, ahead }) => ahead && !decides(event)).length
  return uncommitted + starts <= setting.depth
}
