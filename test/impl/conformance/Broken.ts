/**
 * How a World that breaks one rule is made from a sound one.
 */
import { Effect } from "effect"
import {
  type CreateEventParams,
  type Event,
  type EventInput,
  type EventPage,
  type EventResult,
  type EventStorageError,
  eventIdOf,
  type Topology
} from "../../../impl/world/index.ts"
import type { Parts } from "../worlds/contract/Subject.ts"

export type Events = Parts["events"]

/** A broken World: how it is made, and the beginnings of the titles of the checks that must fail on it. */
export interface Broken {
  readonly name: string
  readonly breaks: ReadonlyArray<string>
  /** The topology of the World that is wrapped, where it is not the one that the check asks for. */
  readonly topology?: Topology
  readonly wrap: (sound: Parts) => Parts
}

export const storage = (
  name: string,
  breaks: ReadonlyArray<string>,
  wrap: (sound: Events) => Partial<Events>
): Broken => ({
  name,
  breaks,
  wrap: (s) => ({ ...s, events: { ...s.events, ...wrap(s.events) } })
})

type Create = (
  runId: string,
  data: EventInput,
  params: CreateEventParams
) => Effect.Effect<EventResult, EventStorageError>

/** Changes how events are appended to existing runs. */
export const creating = (name: string, breaks: ReadonlyArray<string>, wrap: (sound: Events) => Create): Broken =>
  storage(name, breaks, (sound) => ({
    create: (runId, data, params = {}) =>
      runId === null || data.eventType === "run_created"
        ? sound.create(runId, data, params)
        : wrap(sound)(runId, data, params)
  }))

/** Changes what an accepted write answers. */
export const answering = (
  name: string,
  breaks: ReadonlyArray<string>,
  change: (result: EventResult) => EventResult
): Broken =>
  creating(name, breaks, (sound) => (runId, data, params) => Effect.map(sound.create(runId, data, params), change))

/** Changes what a page holds. */
export const listing = (name: string, breaks: ReadonlyArray<string>, change: (page: EventPage) => EventPage): Broken =>
  storage(name, breaks, (sound) => ({ list: (runId, params) => Effect.map(sound.list(runId, params), change) }))

export const countOf = (sound: Events, runId: string) => Effect.map(sound.list(runId), ({ snapshot }) => snapshot)

export const accepted = (runId: string, data: EventInput): EventResult => ({
  event: { eventId: eventIdOf(99), runId, createdAt: 0, ...data },
  allocated: 1,
  events: [],
  hasMore: false
})

const withoutData = (event: Event, field: string): Event => {
  const copy = structuredClone(event)
  Reflect.deleteProperty(copy.eventData, field)
  return copy
}

export const lost = (type: Event["eventType"], field: string): Broken =>
  listing(`drops ${field} of ${type}`, ["every field"], (page) => ({
    ...page,
    data: page.data.map((event) => (event.eventType === type ? withoutData(event, field) : event))
  }))
