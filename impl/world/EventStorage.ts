/**
 * The storage half of a World: one log per run, its two counters, and the fence.
 *
 * A run's counters say how long its log is (`seq`) and how many of its slots were taken in-band (`seqInBand`; the
 * `run_created` in slot 1 is one of them). An orchestrator says with each write which `seqInBand` it believes in. Where
 * that is not the present one, somebody else has decided meanwhile, and the write is refused. Everybody else appends
 * without being asked: such an event lengthens the log, and no orchestrator falls behind by it.
 *
 * Rules: WORLD-21, WORLD-24, WORLD-26, WORLD-27, WORLD-28, WORLD-29, WORLD-32, WORLD-35, WORLD-37, WORLD-38, WORLD-39,
 * WORLD-40, WORLD-41, WORLD-42, WORLD-45, FENCE-01, FENCE-05, FENCE-08, FENCE-09, LOG-19, POST-04, POST-05.
 *
 * @module
 */
import { Context, type Effect, Schema, type Stream } from "effect"
import type { EventStorageError } from "./Errors.ts"
import type { Event, EventInput } from "./Event.ts"
import type { Hook, HookFilter, ListParams, Page, Run, RunFilter, Step } from "./ReadSide.ts"

/** What a write carries beside its event. */
export interface CreateEventParams {
  /** The run's orchestrator makes this write. Classification is by writer, never by event type. (WORLD-21) */
  readonly inBand?: boolean
  /** The writer's count; required of an in-band write, and answered with 400 when absent. (WORLD-37) */
  readonly expectedSeqInBand?: number
  /** The slot up to which the writer holds every event; required of an in-band write. */
  readonly eventCount?: number
  /** Epoch milliseconds that an in-band write is stored at, instead of the World's time. (WORLD-42) */
  readonly occurredAt?: number
}

/** An accepted write. */
export interface EventResult {
  readonly event: Event
  /** Slots that the write took: 1, or 0 when it converged on an event that the log held. (WORLD-39) */
  readonly allocated: number
  /** The skipped-slot report of an in-band write: the events in slots `eventCount + 1` to its own less 1. (WORLD-40) */
  readonly events: ReadonlyArray<Event>
  /** True when the report is incomplete; the writer then reloads before it consumes anything. (WORLD-41) */
  readonly hasMore: boolean
}

/**
 * One item's outcome in a batch. A World that hands slots out before it fills them seals the slot of a refused item;
 * one that decides first gives it none. (WORLD-47)
 */
export type EventBatchItem =
  | { readonly _tag: "Committed"; readonly event: Event }
  | { readonly _tag: "Refused"; readonly error: EventStorageError }

/** An accepted batch: outcomes in request order, one report and one count of slots for the block. (WORLD-46) */
export interface EventBatchResult {
  readonly results: ReadonlyArray<EventBatchItem>
  readonly allocated: number
  readonly events: ReadonlyArray<Event>
  readonly hasMore: boolean
}

/** The counters of a run's log. */
export const Snapshot = Schema.Struct({ seq: Schema.Int, seqInBand: Schema.Int })
/** A run's counters at one moment: `seq`, the last slot handed out, and `seqInBand`, how many of them in-band. (LOG-19) */
export interface Snapshot extends Schema.Schema.Type<typeof Snapshot> {}

/** Which part of a log to list. */
export interface ListEventsParams {
  /** The `cursor` of the page before; absent for the first page. */
  readonly cursor?: string
  /** The most events that the page may hold; the World has its own limit as well. */
  readonly limit?: number
}

/** A page of a log, in slot order. */
export interface EventPage {
  readonly data: ReadonlyArray<Event>
  /** Continues after the last event of this page; null only for a page without events and without a cursor before. */
  readonly cursor: string | null
  readonly hasMore: boolean
  /** Read no later than the events: a load that starts with this page covers every slot up to `seq`. (WORLD-28, WORLD-29) */
  readonly snapshot: Snapshot
}

/**
 * What a live feed pushes: an event of the run, or a sign of life that says how far the feed has come. A feed that
 * has been silent for longer than a few heartbeats is dead, even if nobody was told. (FEED-05)
 */
export type FeedItem =
  | { readonly _tag: "Committed"; readonly event: Event }
  | { readonly _tag: "Heartbeat"; readonly slot: number }

/**
 * The log service of a World.
 *
 * **Gotcha:** a read that its caller gives up on is interrupted as any Effect is, which is what the documents' abort
 * signal asks for. (WORLD-57)
 */
export class EventStorage extends Context.Service<
  EventStorage,
  {
    /**
     * Appends one event. `run_created` creates the run: with `runId` null the World mints an id, and with an id that
     * exists the call converges on that run's event and allocates nothing. So does a `run_started` that carries a run's
     * creation, for a run that never was created. (RUN-35) Every other event needs an existing run.
     *
     * The order of decisions is: the run exists (404), an in-band write carries its counts (400), the fence (412), the
     * run's end (410 or 409), the entity (404 or 409).
     *
     * The event that is answered need not be the one that was sent: on a token that another hook has, a `hook_created`
     * becomes a `hook_conflict` (HOOK-24), and a disposal of what is disposed, or a second payload of one resume,
     * converges on the event that there is. (WORLD-39, WORLD-58)
     */
    readonly create: (
      runId: string | null,
      data: EventInput,
      params?: CreateEventParams
    ) => Effect.Effect<EventResult, EventStorageError>
    /**
     * Optional: several step or wait events in one allocation, each with an outcome of its own. A World without it is
     * written to one at a time. (WORLD-45) Anything else in the batch, or more than the World takes, refuses it whole
     * (400, 413), and so does the fence.
     *
     * Once an item is refused, so is every later item of the same step or wait. (WORLD-48)
     */
    readonly createBatch?: (
      runId: string,
      data: ReadonlyArray<EventInput>,
      params?: CreateEventParams
    ) => Effect.Effect<EventBatchResult, EventStorageError>
    /** One page of a run's log. Fails with `RunNotFoundError` for a run that does not exist. */
    readonly list: (runId: string, params?: ListEventsParams) => Effect.Effect<EventPage, EventStorageError>
    /**
     * Optional: the run's events above a slot, in slot order without a gap, as they commit, until the consumer stops.
     * Best effort: a consumer must not rely on it for anything but speed. It fails when the feed is lost. (WORLD-56)
     */
    readonly subscribe?: (runId: string, afterSlot: number) => Stream.Stream<FeedItem, EventStorageError>

    /** A run's state. */
    readonly getRun: (runId: string) => Effect.Effect<Run, EventStorageError>
    /** Runs in the order of their creation. */
    readonly listRuns: (params?: RunFilter & ListParams) => Effect.Effect<Page<Run>, EventStorageError>
    /** A step's state, or undefined when the log does not know it. */
    readonly getStep: (runId: string, stepId: string) => Effect.Effect<Step | undefined, EventStorageError>
    /** A run's steps in the order of their creation. */
    readonly listSteps: (runId: string, params?: ListParams) => Effect.Effect<Page<Step>, EventStorageError>
    /** The hook that has a token; `HookNotFoundError` when none has it. One that is only retained can not be resumed. */
    readonly getHookByToken: (token: string) => Effect.Effect<Hook, EventStorageError>
    /** Hooks that have their token, in the order of their creation. */
    readonly listHooks: (params?: HookFilter & ListParams) => Effect.Effect<Page<Hook>, EventStorageError>
  }
>()("onewriter/world/EventStorage") {}
