/**
 * How a World without a push of its own follows what is appended: it reads on from where it was whenever somebody rings,
 * and from time to time in case nobody did.
 *
 * ```
 * read ──> something: emit it, read on
 *   ^ └──> nothing ──> wait for a ring, or for the next look ──┐
 *   └──────────────────────────────────────────────────────────┘
 * ```
 *
 * The ring is taken up before the first read, so nothing that is appended meanwhile is missed.
 *
 * Rules: WORLD-56, FEED-05, FEED-11, NEXT-22.
 *
 * @module
 */
import { Clock, Effect, Option, Queue, Stream } from "effect"
import {
  type Event,
  type EventStorage,
  type EventStorageError,
  eventIdOf,
  type FeedItem,
  type StreamStorage,
  type StreamStorageError,
  slotOf
} from "../world/index.ts"
import type { Bells } from "./Wakeups.ts"

/** How a follower is told, and how often it looks although it was not. */
export interface Followed {
  /** Rings, by the run's id, after every append to its log or to one of its streams. */
  readonly appended: Bells
  /** Milliseconds between looks; undefined where every append rings. */
  readonly lookEveryMs?: number
  /** Milliseconds after which a silent feed says that it lives. */
  readonly heartbeatMs: number
}

/** The runs whose logs an event's commit has changed: its own, and that of the hook whose token it took by force. */
export const runsChangedBy = (event: Event): ReadonlyArray<string> => {
  const victim = event.eventType === "hook_created" ? event.eventData.forceClaimedFrom : undefined
  return victim === undefined ? [event.runId] : [event.runId, victim.runId]
}

/** Waits for a ring or for the next look, as long as `atMostMs`. */
const pause = (rings: Queue.Dequeue<void>, atMostMs: number): Effect.Effect<void> =>
  Number.isFinite(atMostMs)
    ? Effect.raceFirst(Queue.take(rings), Effect.sleep(Math.max(0, atMostMs)))
    : Queue.take(rings)

/** A run's live feed over `list`. See `EventStorage.subscribe`. */
export const followLog = (
  list: EventStorage["Service"]["list"],
  { appended, lookEveryMs = Number.POSITIVE_INFINITY, heartbeatMs }: Followed,
  runId: string,
  afterSlot: number
): Stream.Stream<FeedItem, EventStorageError> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const rings = yield* appended.subscribe(runId)
      const begun = yield* Clock.currentTimeMillis
      return Stream.paginate({ slot: afterSlot, spokeAt: begun }, ({ slot, spokeAt }) =>
        Effect.gen(function* () {
          for (;;) {
            const { data } = yield* list(runId, slot === 0 ? {} : { cursor: eventIdOf(slot) })
            const now = yield* Clock.currentTimeMillis
            const last = data.at(-1)
            if (last !== undefined) {
              const items = data.map((event): FeedItem => ({ _tag: "Committed", event }))
              return [items, Option.some({ slot: slotOf(last), spokeAt: now })] as const
            }
            if (now - spokeAt >= heartbeatMs) {
              const items: ReadonlyArray<FeedItem> = [{ _tag: "Heartbeat", slot }]
              return [items, Option.some({ slot, spokeAt: now })] as const
            }
            yield* pause(rings, Math.min(lookEveryMs, spokeAt + heartbeatMs - now))
          }
        })
      )
    })
  )

/** A stream's chunks as they come, over the calls that read what is there. See `StreamStorage.read`. */
export const followStream = (
  { chunks, info }: Pick<StreamStorage["Service"], "chunks" | "info">,
  { appended, lookEveryMs = Number.POSITIVE_INFINITY }: Followed,
  runId: string,
  name: string,
  startIndex: number
): Stream.Stream<Uint8Array, StreamStorageError> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const rings = yield* appended.subscribe(runId)
      const first = startIndex < 0 ? Math.max(0, (yield* info(runId, name)).tailIndex + 1 + startIndex) : startIndex
      return Stream.paginate(first, (index) =>
        Effect.gen(function* () {
          for (;;) {
            const page = yield* chunks(runId, name, { cursor: String(index) })
            if (page.data.length > 0 || page.done) {
              const after = index + page.data.length
              return [page.data.map(({ chunk }) => chunk), page.done ? Option.none() : Option.some(after)] as const
            }
            yield* pause(rings, lookEveryMs)
          }
        })
      )
    })
  )
