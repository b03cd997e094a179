/**
 * What a delivery decides whenever something has changed for it: which outcomes reach its workflow, which writes
 * follow, and which bodies begin. Local computation between two operations, as functions. (AHEAD-01, AHEAD-07,
 * AHEAD-08, AHEAD-09, AHEAD-11, AHEAD-12, AHEAD-31, AHEAD-36, RUN-09, RUN-25, RUN-33, CAC-01, STEP-57, STEP-58,
 * ONCE-05)
 *
 *  1. The workflow diverges from the log it holds: load again and replay in a fresh VM, or fail the run.
 *  2. A body has ended: at an inert boundary its outcome is queued and consumed at once, within the depth; anywhere else
 *     it is queued, and consumed once it committed.
 *  3. New calls are queued as creations: ahead of everything unconfirmed at an inert boundary, and their bodies begin; at
 *     one that is not inert, once nothing is in flight; otherwise behind what is in flight, and their bodies begin when
 *     they have committed.
 *  4. The workflow returned and nothing is in flight: the run's end is queued.
 *  5. Nothing is left to do or to wait for: the delivery is done.
 *
 * No variables: functions of a delivery, and of the log that it holds.
 *
 * @module
 */
import { awaitedHooks, hasDepth, hasDepthForStarts, isInert } from "./Boundary.ts"
import type { Setting } from "./Config.ts"
import type { Delivery, Event, Log } from "./State.ts"
import {
  ahead,
  type Call,
  consumedBy,
  countOf,
  creates,
  type Decided,
  decide,
  eventOf,
  hasCreated,
  hasEnded,
  isAtMostOnce,
  isSameInput,
  openInline
} from "./Workflow.ts"

/** After how many divergences the run is failed (`WORKFLOW_REPLAY_DIVERGENCE_MAX_RETRIES`, which is 3). */
const MAX_DIVERGENCES = 1

/** A delivery that went on, and the steps whose bodies it began without a committed start. */
export interface Proceeded {
  readonly o: Delivery
  readonly begun: ReadonlyArray<number>
}

/** Goes on as far as it can without an answer. */
export const proceed = (setting: Setting, d: string, o: Delivery, log: Log): Proceeded => {
  if (o.phase !== "running") return { o, begun: [] }
  let next = decided(setting, d, o, log)
  for (const body of o.bodies.filter(({ ended }) => ended)) {
    if (next.o.phase !== "running") continue
    const given = offered(setting, d, next.o, log, body.entity)
    if (given.bodies.length === next.o.bodies.length) continue
    const then = decided(setting, d, given, log)
    next = { o: then.o, begun: [...next.begun, ...then.begun] }
  }
  return next
}

/** Puts a write behind those that are queued. */
const queued = (
  o: Delivery,
  d: string,
  event: Event,
  isAhead: boolean,
  sensitive: ReadonlyArray<number> = []
): Delivery => ({
  ...o,
  queue: [...o.queue, { event: { ...event, by: d }, ahead: isAhead, predicted: predictedSlot(o), sensitive }]
})

/** The slot that the next write gets if nobody else writes before it (AHEAD-11). Writes in flight may have landed. */
const predictedSlot = (o: Delivery): number => o.known + o.queue.length + 1

/**
 * Hands the workflow the outcome of a body that ended, or queues it to be consumed when it has committed (AHEAD-01,
 * AHEAD-12, CAC-01).
 */
const offered = (setting: Setting, d: string, o: Delivery, log: Log, entity: number): Delivery => {
  const held = log.slice(0, o.known)
  const found = decide(setting, o.view)
  const left = { ...o, bodies: o.bodies.filter((body) => body.entity !== entity) }
  const outcome = eventOf("step_completed", entity)
  if (!o.ahead || !isInert(setting, o, held, found)) return queued(left, d, outcome, false)
  // The failure of a step that nobody may try again is consumed once it has committed, and comes first in the log.
  const isBehindFailure = o.queue.some(({ event, ahead }) => !ahead && event.type === "step_failed")
  if (isBehindFailure && setting.rules["own-failure-first"]) return queued(left, d, outcome, false)
  if (!hasDepth(setting, o)) return o
  const sensitive = setting.rules["awaited-hook-not-inert"] ? [] : awaitedHooks(found)
  // Payloads kept under their slot alone are only told apart where the rule is off: kept by step they are always right.
  const prepared = setting.rules["payload-cache-by-step"] ? [] : [{ slot: predictedSlot(o), entity }]
  return {
    ...queued(left, d, outcome, true, sensitive),
    view: [...o.view, ahead(setting, held, entity)],
    cache: [...o.cache.filter(({ slot }) => slot !== predictedSlot(o)), ...prepared]
  }
}

/** What the workflow, as far as it has come, makes the delivery do (AHEAD-07, AHEAD-08, RUN-09, RUN-25). */
const decided = (setting: Setting, d: string, o: Delivery, log: Log): Proceeded => {
  const held = log.slice(0, o.known)
  const stays: Proceeded = { o, begun: [] }
  if (hasEnded(held)) return o.queue.length > 0 ? stays : { o: { ...o, phase: "done" }, begun: [] }
  const found = decide(setting, o.view)
  if (diverges(found, held)) return o.queue.length > 0 ? stays : { o: diverged(d, o), begun: [] }
  if (found.settled !== null) {
    if (o.queue.length > 0) return stays
    const type = found.settled.as === "returned" ? "run_completed" : "run_failed"
    return { o: queued(o, d, eventOf(type, 0, { input: found.settled.input }), false), begun: [] }
  }
  const fresh = found.calls.filter(
    ({ id }) =>
      !hasCreated(held, id) &&
      !o.queue.some(({ event }) => event.entity === id) &&
      !o.bodies.some(({ entity }) => entity === id)
  )
  const orphans = openInline(held).filter(
    (id) => !o.bodies.some(({ entity }) => entity === id) && !o.queue.some(({ event }) => event.entity === id)
  )
  if (fresh.length + orphans.length === 0) {
    const idle = o.queue.length === 0 && o.bodies.length === 0
    return idle ? { o: { ...o, phase: "done" }, begun: [] } : stays
  }
  const inert = o.ahead && isInert(setting, o, held, found)
  if (o.ahead && !inert && setting.rules["drain-before-boundary"] && o.queue.length > 0) return stays
  return created(setting, d, o, { fresh, orphans, inert, found })
}

/**
 * The creations of a boundary, ahead or not, and the next attempts of inline steps that nobody runs (AHEAD-09,
 * AHEAD-31, STEP-57, STEP-58).
 */
const created = (
  setting: Setting,
  d: string,
  o: Delivery,
  boundary: {
    readonly fresh: ReadonlyArray<Call>
    readonly orphans: ReadonlyArray<number>
    readonly inert: boolean
    readonly found: Decided
  }
): Proceeded => {
  const { fresh, orphans, inert, found } = boundary
  const starting = o.queue.filter(({ event, ahead }) => event.type === "step_started" && !ahead).length
  const room = Math.max(0, setting.maxInlineSteps - o.bodies.length - starting - orphans.length)
  const steps = fresh.filter(({ kind }) => kind === "step")
  const inline = steps.slice(0, room)
  const others = fresh.filter((call) => !inline.includes(call))
  const mayBegin = (call: Call): boolean =>
    !(setting.rules["at-most-once-not-ahead"] && isAtMostOnce(setting, call.name))
  const speculative =
    inert &&
    others.length + orphans.length === 0 &&
    inline.every(mayBegin) &&
    hasDepthForStarts(setting, o, inline.length)
  let next = o
  for (const id of orphans) next = queued(next, d, retried(setting, id, found), false)
  for (const call of [...others.filter(({ kind }) => kind !== "step"), ...inline]) {
    const sensitive = speculative && !setting.rules["awaited-hook-not-inert"] ? awaitedHooks(found) : []
    next = queued(next, d, creation(call, true), speculative, sensitive)
  }
  for (const call of others.filter(({ kind }) => kind === "step")) next = queued(next, d, creation(call, false), false)
  if (!speculative) return { o: next, begun: [] }
  const begun = inline.map(({ id }) => id)
  return { o: { ...next, bodies: [...next.bodies, ...begun.map((entity) => ({ entity, ended: false }))] }, begun }
}

const creation = ({ id, kind, name, input }: Call, inline: boolean): Event =>
  eventOf(kind === "step" ? (inline ? "step_started" : "step_created") : `${kind}_created`, id, { name, input })

/** A step whose last owner is gone starts again, or fails if it may not be tried twice (ONCE-05). */
const retried = (setting: Setting, id: number, found: Decided): Event => {
  const name = found.calls.find((call) => call.id === id)?.name ?? ""
  return eventOf(isAtMostOnce(setting, name) ? "step_failed" : "step_started", id)
}

/** Whether the log that a delivery holds has a creation that its workflow does not make. */
export const diverges = (found: Decided, held: Log): boolean =>
  held.some((event) => {
    if (!creates(event) || event.type === "hook_created") return false
    const call = found.calls[event.entity - 1]
    return call?.name !== event.name || !isSameInput(call.input, event.input)
  })

/**
 * Loads again, in a fresh VM; when that was tried before, the run is failed as one whose log is corrupt (AHEAD-36,
 * RUN-33).
 */
const diverged = (d: string, o: Delivery): Delivery =>
  o.divergences < MAX_DIVERGENCES
    ? { ...o, phase: "loading", divergences: o.divergences + 1 }
    : queued(o, d, eventOf("run_failed", 0, { name: "corrupt" }), false)

/** A delivery that has just loaded the log: a cold replay, a fresh writer, and the bodies that it still runs. */
export const loaded = (setting: Setting, o: Delivery, log: Log): Delivery => ({
  ...o,
  phase: "running",
  known: log.length,
  expected: countOf(log),
  queue: [],
  sent: 0,
  landed: [],
  // The payload cache lives as long as the delivery, and so does a VM that is not replaced.
  view: setting.rules["fresh-vm-on-divergence"] || o.divergences === 0 ? consumedBy(setting, log, o.cache) : o.view
})
