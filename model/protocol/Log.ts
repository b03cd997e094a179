/**
 * A run's log: slots 1, 2, …, each holding one event, and everything that its readers fold out of it. (LOG-03, LOG-05,
 * LOG-08, WORLD-08, WORLD-10, STEP-01, STEP-04, STEP-07, STEP-11, WAIT-10, ONCE-09)
 *
 * Slot `n` is `log[n - 1]`. A slot that was handed out and holds no event is `null`; the protocol never lets one be
 * seen (`SlotsDenseInv`). Nothing here is stored but the log: a step's state is what its events say (WORLD-08).
 *
 * No variables: functions of a log.
 *
 * @module
 */
import { Schema } from "effect"
import { Provenance, type Resolution } from "../programs/index.ts"
import type { Rules } from "./Rules.ts"

/** The types of events, named as the World contract names them. */
export const EventType = Schema.Literals([
  "run_created",
  "run_started",
  "run_completed",
  "run_failed",
  "run_cancelled",
  "step_created",
  "step_started",
  "step_retrying",
  "step_completed",
  "step_failed",
  "hook_created",
  "hook_received",
  "wait_created",
  "wait_completed",
  "wake_requested"
])

/** The type of an event. */
export type EventType = typeof EventType.Type

/** What a writer asks the World to append. */
export const Write = Schema.Struct({
  type: EventType,
  /** The id of the step, hook or wait. */
  entity: Schema.optionalKey(Schema.Int),
  /** The step's name or the hook's token, on the event that creates it. */
  name: Schema.optionalKey(Schema.String),
  /**
   * On the event that creates an inline step: its first start (STEP-07), or a `step_created` of its own where the
   * configuration says that creations stand apart.
   */
  inline: Schema.optionalKey(Schema.Literal(true)),
  attempt: Schema.optionalKey(Schema.Int),
  /**
   * `creatorMessageId` is present: the orchestrator created the step for the background (`step_created`), or moved it there
   * (`step_retrying`, STEP-11).
   */
  creator: Schema.optionalKey(Schema.Literal(true)),
  /** When the wait is over, in ticks of the clock (on `wait_created`). */
  resumeAt: Schema.optionalKey(Schema.Int),
  /** The message whose delivery created the wait: all waits of one message are a chain (WAIT-10). */
  chain: Schema.optionalKey(Schema.Int),
  /** How the run ended: where its value came from, or the step whose failure it threw. */
  result: Schema.optionalKey(Provenance)
})

/** What a writer asks the World to append. */
export type Write = typeof Write.Type

/**
 * An event of the log. `after` is on in-band events alone: the slot of the last in-band event that its writer knew when
 * it wrote this one, 0 for none. With the fence it is always the in-band event before (`OneChainInv`).
 */
export const Event = Schema.Struct({ ...Write.fields, after: Schema.optionalKey(Schema.Int) })

/** An event of the log. */
export type Event = typeof Event.Type

/** A log, or the part of one that a reader knows. */
export type Log = ReadonlyArray<Event | null>

/** Whether the run's orchestrator wrote the event. Classification is by writer, never by type (LOG-03). */
export const inBand = (event: Event): boolean => event.after !== undefined

/** How many events of a log were written in-band: what `seqInBand` must be. */
export const countInBand = (log: Log): number => log.filter((event) => event !== null && inBand(event)).length

/** The slot of the last in-band event, 0 when there is none. */
export const lastInBand = (log: Log): number => log.findLastIndex((event) => event !== null && inBand(event)) + 1

/**
 * What the last in-band write may have written, as the ids of its steps, hooks and waits: the last in-band event, and if
 * that creates a step or a wait, the creations in the slots right below it, for a write of several takes slots in a row.
 */
export const lastWrite = (log: Log, maxBatch: number): ReadonlyArray<number> => {
  const last = lastInBand(log)
  const isCreation = (event: Event | null | undefined) =>
    event !== null && event !== undefined && inBand(event) && creates(event) && event.type !== "hook_created"
  const block = log.slice(Math.max(0, last - maxBatch), last)
  const other = block.findLastIndex((event) => !isCreation(event))
  const from = Math.min(other + 1, block.length - 1)
  return block.slice(Math.max(0, from)).flatMap((event) => (event?.entity === undefined ? [] : [event.entity]))
}

/** Whether an event of this type ends the run. */
export const endsRun = (type: EventType): boolean =>
  type === "run_completed" || type === "run_failed" || type === "run_cancelled"

/** Whether the run has ended. Events above its first terminal event are inert. */
export const hasEnded = (log: Log): boolean => log.some((event) => event !== null && endsRun(event.type))

/** Whether the event creates a step, a hook or a wait. */
export const creates = ({ name, resumeAt }: Write): boolean => name !== undefined || resumeAt !== undefined

/** Whether an event of this type decides its step, hook or wait: later events of that entity are inert (WORLD-10). */
export const decides = (type: EventType): boolean =>
  type === "step_completed" || type === "step_failed" || type === "hook_received" || type === "wait_completed"

/**
 * The resolutions that replay consumes, in slot order: each entity's first terminal event, up to the end of the run.
 * Without the rule `terminal-inert` a later terminal event of an entity takes the place of the earlier one (LOG-08).
 */
export const resolutions = (log: Log, rules: Rules): ReadonlyArray<Resolution> => {
  const end = log.findIndex((event) => event !== null && endsRun(event.type))
  const deciding = (end < 0 ? log : log.slice(0, end)).filter((event) => event !== null && decides(event.type))
  return deciding.flatMap((event, at) => {
    const id = event?.entity
    if (event === null || id === undefined) return []
    const others = rules["terminal-inert"] ? deciding.slice(0, at) : deciding.slice(at + 1)
    if (others.some((other) => other?.entity === id)) return []
    return [{ id, as: outcomes[event.type] ?? "received" }]
  })
}

const outcomes: { readonly [type: string]: Resolution["as"] } = {
  step_completed: "completed",
  step_failed: "failed",
  wait_completed: "elapsed"
}

/** What a log says of one step. */
export interface StepFacts {
  readonly entity: number
  readonly name: string
  /** Fixed at creation (STEP-01). */
  readonly inline: boolean
  /** The number of its `step_started` events: its next attempt is one more (ONCE-09). */
  readonly starts: number
  /** It has a `step_completed` or `step_failed`. */
  readonly ended: boolean
  /** The orchestrator moved it to its own message with a `step_retrying` (STEP-04). */
  readonly moved: boolean
  /** Its last event is the orchestrator's `step_retrying`: nobody has started it since it was moved. */
  readonly awaitsMove: boolean
  /** Its last event is a `step_retrying`: its next attempt may not be due yet. */
  readonly retrying: boolean
}

/**
 * What the log says of each step that it has created, in the order of the creations. Events after an outcome are inert
 * (LOG-05, WORLD-08).
 */
export const stepsIn = (log: Log): ReadonlyArray<StepFacts> => {
  const steps = new Map<number, StepFacts>()
  for (const event of log) {
    if (event?.entity === undefined) continue
    const known = steps.get(event.entity)
    if (known === undefined) {
      if (event.name !== undefined && event.type !== "hook_created") steps.set(event.entity, created(event, event.name))
    } else if (!known.ended) {
      steps.set(event.entity, {
        ...known,
        starts: known.starts + (event.type === "step_started" ? 1 : 0),
        ended: event.type === "step_completed" || event.type === "step_failed",
        moved: known.moved || (event.type === "step_retrying" && event.creator === true),
        awaitsMove: event.type === "step_retrying" && event.creator === true,
        retrying: event.type === "step_retrying"
      })
    }
  }
  return [...steps.values()]
}

const created = (event: Event, name: string): StepFacts => ({
  entity: event.entity ?? 0,
  name,
  inline: event.inline === true,
  starts: event.type === "step_started" ? 1 : 0,
  ended: false,
  moved: false,
  awaitsMove: false,
  retrying: false
})

/** The event that creates the step, hook or wait, if the log has it. */
export const creationOf = (log: Log, entity: number): Event | undefined =>
  log.find((event) => event?.entity === entity && creates(event)) ?? undefined

/** A wait that the log has created, and nobody has completed. */
export interface OpenWait {
  readonly wait: number
  readonly resumeAt: number
  readonly chain: number
  /** Somebody asked to end it before its time (`wake_requested`). */
  readonly requested: boolean
}

/** The open waits of a log, the ones that are over first in front. */
export const openWaits = (log: Log): ReadonlyArray<OpenWait> => {
  const has = (type: EventType, wait: number) => log.some((event) => event?.type === type && event.entity === wait)
  const waits = log.flatMap((event): ReadonlyArray<OpenWait> => {
    if (event?.entity === undefined || event.resumeAt === undefined || has("wait_completed", event.entity)) return []
    const { entity, resumeAt, chain } = event
    return [{ wait: entity, resumeAt, chain: chain ?? 0, requested: has("wake_requested", entity) }]
  })
  return waits.toSorted((a, b) => a.resumeAt - b.resumeAt || a.wait - b.wait)
}
