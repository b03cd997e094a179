/**
 * Worlds whose batches break one rule each, made from a sound one. Each names the checks that must notice.
 */
import { Effect } from "effect"
import {
  type EventBatchItem,
  type EventBatchResult,
  type EventStorage,
  eventIdOf,
  slotOf
} from "../../../impl/world/index.ts"
import { type Broken, storage } from "./Broken.ts"

type Events = EventStorage["Service"]
type Batch = NonNullable<Events["createBatch"]>

const batching = (name: string, breaks: ReadonlyArray<string>, wrap: (sound: Batch, events: Events) => Batch): Broken =>
  storage(name, breaks, (sound) =>
    sound.createBatch === undefined ? {} : { createBatch: wrap(sound.createBatch, sound) }
  )

const answering = (
  name: string,
  breaks: ReadonlyArray<string>,
  change: (result: EventBatchResult) => EventBatchResult
): Broken => batching(name, breaks, (sound) => (runId, data, params) => Effect.map(sound(runId, data, params), change))

/** Writes a batch one item after the other, each at the counts that it finds. */
const oneByOne =
  (events: Events): Batch =>
  (runId, data, params = {}) =>
    Effect.gen(function* () {
      const results: Array<EventBatchItem> = []
      for (const item of data) {
        const { snapshot } = yield* events.list(runId)
        const counts = params.inBand === true ? { expectedSeqInBand: snapshot.seqInBand, eventCount: snapshot.seq } : {}
        yield* Effect.yieldNow
        const exit = yield* Effect.result(events.create(runId, item, { ...params, ...counts }))
        results.push(
          exit._tag === "Success"
            ? { _tag: "Committed", event: exit.success.event }
            : { _tag: "Refused", error: exit.failure }
        )
      }
      return { results, allocated: results.length, events: [], hasMore: false }
    })

export const brokenBatches: ReadonlyArray<Broken> = [
  batching(
    "writes a batch item by item",
    [
      "a batch while others write",
      "a batch at a stale count",
      "an outcome behind its refused",
      "a batch that holds anything",
      "a batch above other"
    ],
    (_sound, events) => oneByOne(events)
  ),
  batching(
    "writes a batch backwards",
    ["a batch: lands"],
    (sound) => (runId, data, params) => sound(runId, data.toReversed(), params)
  ),
  answering(
    "says that a batch allocated one slot",
    ["a batch: lands", "a batch of which an item", "a batch from outside"],
    (result) => ({
      ...result,
      allocated: 1
    })
  ),
  answering("reports nothing to a batch", ["a batch above other"], (result) => ({ ...result, events: [] })),
  answering("answers items with other slots", ["a batch: lands"], (result) => ({
    ...result,
    results: result.results.map((each) =>
      each._tag === "Committed"
        ? { ...each, event: { ...each.event, eventId: eventIdOf(slotOf(each.event) + 1) } }
        : each
    )
  })),
  batching(
    "refuses a batch whole for one item",
    ["a batch of which an item"],
    (sound) => (runId, data, params) =>
      Effect.flatMap(sound(runId, data, params), (result) => {
        const refused = result.results.find(({ _tag }) => _tag === "Refused")
        return refused?._tag === "Refused" ? Effect.fail(refused.error) : Effect.succeed(result)
      })
  ),
  batching(
    "leaves the strangers out of a batch",
    ["a batch that holds anything"],
    (sound) => (runId, data, params) =>
      sound(
        runId,
        data.filter(({ eventType }) => eventType.startsWith("step_")),
        params
      )
  ),
  batching("gives a batch its own time", ["the time of a batch"], (sound) => (runId, data, params) => {
    const { occurredAt: _, ...rest } = params ?? {}
    return sound(runId, data, rest)
  }),
  batching(
    "counts every batch in-band",
    ["a batch from outside"],
    (sound, events) => (runId, data, params) =>
      Effect.flatMap(events.list(runId), ({ snapshot: { seq, seqInBand } }) =>
        sound(
          runId,
          data,
          params?.inBand === true ? params : { inBand: true, expectedSeqInBand: seqInBand, eventCount: seq }
        )
      )
  ),
  batching(
    "has no fence for batches",
    ["a batch at a stale count"],
    (sound, events) => (runId, data, params) =>
      Effect.flatMap(events.list(runId), ({ snapshot: { seqInBand } }) =>
        sound(runId, data, params?.inBand === true ? { ...params, expectedSeqInBand: seqInBand } : params)
      )
  )
]
