/**
 * Worlds whose feeds and streams break one rule each. Each names the checks that must notice.
 */
import { Effect, Stream } from "effect"
import { type EventStorage, eventIdOf, type FeedItem, type StreamStorage } from "../../../impl/world/index.ts"
import { type Broken, storage } from "./Broken.ts"

const feeding = (
  name: string,
  breaks: ReadonlyArray<string>,
  change: (feed: Stream.Stream<FeedItem, never>, afterSlot: number) => Stream.Stream<FeedItem, never>
): Broken =>
  storage(name, breaks, ({ subscribe }: EventStorage["Service"]) =>
    subscribe === undefined
      ? {}
      : { subscribe: (runId, afterSlot) => change(Stream.orDie(subscribe(runId, afterSlot)), afterSlot) }
  )

const streaming = (
  name: string,
  breaks: ReadonlyArray<string>,
  wrap: (sound: StreamStorage["Service"]) => Partial<StreamStorage["Service"]>
): Broken => ({
  name,
  breaks,
  wrap: (s) => (s.streams === undefined ? s : { ...s, streams: { ...s.streams, ...wrap(s.streams) } })
})

const isOfSlot =
  (slot: number) =>
  (item: FeedItem): boolean =>
    item._tag === "Committed" && item.event.eventId === eventIdOf(slot)

export const brokenFeeds: ReadonlyArray<Broken> = [
  feeding("skips an event", ["a feed: pushes"], (feed) => Stream.filter(feed, (item) => !isOfSlot(3)(item))),
  feeding("pushes an event twice", ["a feed: pushes"], (feed) =>
    Stream.flatMap(feed, (item) => (isOfSlot(3)(item) ? Stream.make(item, item) : Stream.succeed(item)))
  ),
  storage("begins at the end of the log", ["a feed: pushes"], ({ subscribe, list }) =>
    subscribe === undefined
      ? {}
      : {
          subscribe: (runId) => Stream.unwrap(Effect.map(list(runId), ({ snapshot }) => subscribe(runId, snapshot.seq)))
        }
  ),
  storage("pushes the events of the last run", ["a feed: is of one run"], ({ subscribe, listRuns }) =>
    subscribe === undefined
      ? {}
      : {
          subscribe: (runId, afterSlot) =>
            Stream.unwrap(Effect.map(listRuns(), ({ data }) => subscribe(data.at(-1)?.runId ?? runId, afterSlot)))
        }
  ),
  feeding("falls silent", ["a feed: pushes", "a feed: is of one run", "a feed of a run whose token"], (feed) =>
    Stream.concat(Stream.take(feed, 0), Stream.never)
  ),

  streaming("loses a chunk", ["a stream: is read in the order"], (sound) => ({
    write: (runId, name, chunks) => sound.write(runId, name, chunks.slice(0, 1))
  })),
  streaming("keeps chunks as text", ["a stream: is read in the order"], (sound) => ({
    write: (runId, name, chunks) =>
      sound.write(
        runId,
        name,
        chunks.map((chunk) => new TextEncoder().encode(new TextDecoder().decode(chunk)))
      )
  })),
  streaming("ends a reader at what is there", ["a stream: is read in the order"], (sound) => ({
    read: (runId, name) =>
      Stream.unwrap(
        Effect.map(sound.chunks(runId, name), ({ data }) => Stream.fromIterable(data.map(({ chunk }) => chunk)))
      )
  })),
  streaming("writes to a closed stream", ["a stream that is closed"], (sound) => ({
    write: (runId, name, chunks) =>
      sound.write(runId, name, chunks).pipe(Effect.catchTag("StreamClosedError", () => Effect.void))
  })),
  streaming("reads from the beginning always", ["a stream that is closed"], (sound) => ({
    read: (runId, name) => sound.read(runId, name)
  })),
  streaming("has one stream for all names", ["the streams of a run"], (sound) => ({
    write: (runId, _name, chunks) => sound.write(runId, "one", chunks),
    close: (runId) => sound.close(runId, "one")
  })),
  streaming("takes a stream of no run", ["the streams of a run"], (sound) => ({
    write: (runId, name, chunks) =>
      sound.write(runId, name, chunks).pipe(Effect.catchTag("RunNotFoundError", () => Effect.void))
  }))
]
