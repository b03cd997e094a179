/**
 * The log as one delivery holds it: every event up to a slot, without a gap, and what they say of each step.
 *
 * An event that the delivery wrote enters only once it has committed, behind what the World reports to lie below it
 * (consume after commit). A report that leaves a gap leaves the log *behind*; it is loaded further before it is used.
 *
 * Per step, folded in slot order; what follows its outcome is inert:
 *
 * ```
 * step_created (background) --step_started--> started --step_retrying--> retrying --step_started--> …
 * step_started (inline) -----------------------^            └ moved, when the orchestrator wrote it
 * step_completed | step_failed --> ended
 * ```
 *
 * Rules: CAC-01, CAC-03, CAC-10, LOG-05, LOG-08, POST-12, POST-14, STEP-07, STEP-36, STEP-51, STEP-66, ONCE-09, WORLD-10, WORLD-28, WORLD-30.
 *
 * @module
 */
import { Effect } from "effect"
import {
  correlationIdOf,
  type Event,
  type EventResult,
  type EventStorage,
  type EventStorageError,
  isTerminalRunEvent,
  type Snapshot,
  slotOf
} from "../world/index.ts"
import { OpenHooks } from "./OpenHooks.ts"
import { OpenWaits } from "./OpenWaits.ts"

/** What the held log says of a step. */
export interface StepFacts {
  readonly stepId: string
  readonly stepName: string
  /** The arguments, serialised. */
  readonly input: string
  readonly inline: boolean
  /** The event that created it. */
  readonly createdEventId: string
  readonly createdAt: number
  /** When its last event of any kind was written, in epoch milliseconds. */
  readonly lastActivityAt: number
  readonly starts: number
  readonly ended: boolean
  /** The orchestrator has moved this inline step's retries to the step's own message. */
  readonly moved: boolean
  /** The step's last event is a `step_retrying`: when the next attempt is due, and whether an orchestrator wrote it. */
  readonly retry: { readonly retryAfter: number; readonly byOrchestrator: boolean } | undefined
}

const createdBy = (event: Event): StepFacts | undefined => {
  if (event.eventType !== "step_created" && event.eventType !== "step_started") return undefined
  const { stepName, input } = event.eventData
  if (input === undefined) return undefined
  return {
    stepId: event.correlationId,
    stepName,
    input,
    inline: event.eventType === "step_started",
    createdEventId: event.eventId,
    createdAt: event.createdAt,
    lastActivityAt: event.createdAt,
    starts: event.eventType === "step_started" ? 1 : 0,
    ended: false,
    moved: false,
    retry: undefined
  }
}

const after = (before: StepFacts, event: Event): StepFacts => {
  const step = { ...before, lastActivityAt: event.createdAt }
  switch (event.eventType) {
    case "step_started":
      return { ...step, starts: step.starts + 1, retry: undefined }
    case "step_retrying": {
      const { retryAfter, creatorMessageId } = event.eventData
      const byOrchestrator = creatorMessageId !== undefined
      return { ...step, moved: step.moved || byOrchestrator, retry: { retryAfter, byOrchestrator } }
    }
    case "step_completed":
    case "step_failed":
      return { ...step, ended: true, retry: undefined }
    default:
      return step
  }
}

/** The most creations that one in-band write makes. (POST-14) */
export const MAX_IN_BAND_CREATION_BATCH_EVENTS = 64

/** What a write of several creations may hold; or the seal in the slot of one that was refused. (POST-12) */
const isCreation = (event: Event): boolean => {
  switch (event.eventType) {
    case "step_created":
    case "wait_created":
    case "noop":
      return true
    case "step_started":
      return event.eventData.input !== undefined
    default:
      return false
  }
}

/** A part of a log, as it was listed. */
interface Loaded {
  readonly data: ReadonlyArray<Event>
  /** Of the first page. */
  readonly snapshot: Snapshot
  readonly cursor: string | null
}

export class LogState {
  readonly #events: Array<Event> = []
  readonly #steps = new Map<string, StepFacts>()
  /** Inline steps without an outcome that were not moved: the ones that an orchestrator may have to take up. */
  readonly #openInline = new Map<string, StepFacts>()
  readonly #attributes = new Set<string>()
  /** The run's hooks. */
  readonly hooks = new OpenHooks()
  /** The run's waits. */
  readonly waits = new OpenWaits()
  #started = false
  #ended = false
  #lastInBandSlot = 0
  #isBehind = false

  #snapshot: Snapshot
  #cursor: string | null

  constructor({ data, snapshot, cursor }: Loaded) {
    this.#snapshot = snapshot
    this.#cursor = cursor
    for (const event of data) this.#append(event)
  }

  /** The counters that the World gave with the last load of a delivery. */
  get snapshot(): Snapshot {
    return this.#snapshot
  }
  /** Continues the listing after the last event that was listed. */
  get cursor(): string | null {
    return this.#cursor
  }

  /** The highest slot up to which every event is held. */
  get tail(): number {
    return this.#events.length
  }
  get events(): ReadonlyArray<Event> {
    return this.#events
  }
  /** The events above a slot. */
  since(slot: number): ReadonlyArray<Event> {
    return this.#events.slice(slot)
  }
  get isStarted(): boolean {
    return this.#started
  }
  /** A terminal run event is held. */
  get isEnded(): boolean {
    return this.#ended
  }
  /** Events are known to exist that are not held. */
  get isBehind(): boolean {
    return this.#isBehind
  }
  /** The slot of the last event that an orchestrator wrote: what lies below has been replayed before. */
  get lastInBandSlot(): number {
    return this.#lastInBandSlot
  }
  /** The last event that an orchestrator wrote. */
  get lastInBand(): Event | undefined {
    return this.#events[this.#lastInBandSlot - 1]
  }
  /**
   * What the last write of an orchestrator may have been about, by correlation id: the last in-band event; and if that is a
   * creation, every creation in a row before it, for one write may make several, which take slots in a row. (STEP-36,
   * POST-14)
   */
  get idsOfLastWrite(): ReadonlySet<string> {
    const ids = new Set<string>()
    const last = this.#lastInBandSlot
    for (let slot = last; slot > Math.max(0, last - MAX_IN_BAND_CREATION_BATCH_EVENTS); slot--) {
      const event = this.#events[slot - 1]
      if (event === undefined || (slot < last && !isCreation(event))) break
      const id = correlationIdOf(event)
      if (id !== undefined) ids.add(id)
      if (!isCreation(event)) break
    }
    return ids
  }
  /** Every step, in the order of creation. */
  get steps(): ReadonlyArray<StepFacts> {
    return [...this.#steps.values()]
  }
  /** Inline steps that are open and were not moved to their own message, in the order of creation. */
  get openInlineSteps(): ReadonlyArray<StepFacts> {
    return [...this.#openInline.values()]
  }
  step(stepId: string): StepFacts | undefined {
    return this.#steps.get(stepId)
  }
  /** True when the log holds the creation of a step, hook (or its conflict) or wait, or attributes that the code set. */
  isCreated(correlationId: string): boolean {
    return (
      this.#steps.has(correlationId) ||
      this.hooks.isKnown(correlationId) ||
      this.waits.creationOf(correlationId) !== undefined ||
      this.#attributes.has(correlationId)
    )
  }

  /**
   * Takes an accepted in-band write in: the report, then what was written. Returns whether the report named an event.
   */
  absorb(report: Pick<EventResult, "events" | "hasMore">, written: ReadonlyArray<Event>): boolean {
    const gained = [...report.events, ...written]
    if (report.hasMore || !gained.every((event, i) => slotOf(event) === this.tail + 1 + i)) {
      this.#isBehind = true
      return true
    }
    for (const event of gained) this.#append(event)
    return report.events.length > 0
  }

  /** Takes loaded events in; those that are held already are skipped. */
  catchUp({ data, cursor }: Loaded): void {
    for (const event of data) if (slotOf(event) > this.tail) this.#append(event)
    this.#cursor = cursor ?? this.#cursor
    this.#isBehind = false
  }

  /** Another delivery goes on with the log: it takes in what was gained, and starts from the counters of that load. */
  resume(loaded: Loaded): void {
    this.catchUp(loaded)
    this.#snapshot = loaded.snapshot
  }

  #append(event: Event): void {
    if (slotOf(event) !== this.tail + 1) {
      throw new Error(`The World skipped from slot ${this.tail} to slot ${slotOf(event)} of ${event.runId}.`)
    }
    this.#events.push(event)
    if (event.eventType === "run_started") this.#started = true
    if (isTerminalRunEvent(event)) this.#ended = true
    if (event.eventType === "attr_set" && event.correlationId !== undefined) this.#attributes.add(event.correlationId)
    this.hooks.fold(event)
    this.waits.fold(event)
    if ("correlationId" in event && event.correlationId !== undefined) this.#foldStep(event.correlationId, event)
    if (this.#isInBand(event)) this.#lastInBandSlot = this.tail
  }

  #foldStep(correlationId: string, event: Event): void {
    const before = this.#steps.get(correlationId)
    if (before?.ended === true) return
    const step = before === undefined ? createdBy(event) : after(before, event)
    if (step === undefined) return
    this.#steps.set(correlationId, step)
    if (step.inline && !step.ended && !step.moved) this.#openInline.set(correlationId, step)
    else this.#openInline.delete(correlationId)
  }

  #isInBand(event: Event): boolean {
    switch (event.eventType) {
      case "run_started":
      case "hook_created":
      case "hook_conflict":
      case "step_created":
      case "wait_created":
      case "wait_completed":
        return true
      case "step_started":
      case "step_completed":
      case "step_failed": {
        const step = this.#steps.get(event.correlationId)
        return step?.inline === true && !step.moved
      }
      case "step_retrying":
        return event.eventData.creatorMessageId !== undefined
      case "hook_disposed":
        return event.eventData.forceClaimedBy === undefined
      case "attr_set":
        return event.correlationId !== undefined
      default:
        return false
    }
  }
}

const pagesFrom = Effect.fnUntraced(function* (
  events: EventStorage["Service"],
  runId: string,
  from: string | null
): Effect.fn.Return<Loaded, EventStorageError> {
  let page = yield* events.list(runId, from === null ? {} : { cursor: from })
  // Of several pages, the first one's counters: they were read before any of the events. (WORLD-28)
  const { snapshot } = page
  const data = [...page.data]
  while (page.hasMore && page.cursor !== null) {
    page = yield* events.list(runId, { cursor: page.cursor })
    data.push(...page.data)
  }
  return { data, snapshot, cursor: page.cursor }
})

/** Loads a run's whole log, with the counters that an in-band writer starts from. */
export const loadLog = Effect.fnUntraced(function* (
  events: EventStorage["Service"],
  runId: string
): Effect.fn.Return<LogState, EventStorageError> {
  const { data, snapshot, cursor } = yield* pagesFrom(events, runId, null)
  return new LogState({ data, snapshot, cursor })
})

/**
 * Loads what a log has gained that an earlier delivery held, with the counters that an in-band writer starts from: they
 * are read no later than the events, so the whole covers every slot up to `seq`, as a full load does. (WORLD-28)
 */
export const resumeLog = Effect.fnUntraced(function* (
  events: EventStorage["Service"],
  runId: string,
  log: LogState
): Effect.fn.Return<LogState, EventStorageError> {
  log.resume(yield* pagesFrom(events, runId, log.cursor))
  return log
})

/** Loads what a log that is behind lacks. The writer's count stays its own. */
export const catchUp = Effect.fnUntraced(function* (
  events: EventStorage["Service"],
  runId: string,
  log: LogState
): Effect.fn.Return<void, EventStorageError> {
  log.catchUp(yield* pagesFrom(events, runId, log.cursor))
})
