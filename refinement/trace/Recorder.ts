/**
 * A recorder: a World that writes the trace of one run as its operations take effect.
 *
 * It wraps the World's two services, and nothing else of the system knows that it is there. Each line is written
 * synchronously right after the operation's answer, in the same turn of the fiber (which may not yield in between), so
 * that the order of the lines of a process is the order of its operations. What handlers are told and what they answer
 * is seen through the World's own delivery observer, since only the queue knows what it made of an answer.
 *
 * Only the run that the header names is recorded. A trace that cannot be written is a defect: the operation has taken
 * effect, and going on without its line would make a trace that nothing explains.
 *
 * Rules: WORLD-39, WORLD-40, QUEUE-14, QUEUE-15, QUEUE-17, DEDUPE-04 (the fields of the lines).
 *
 * @module
 */
import { Effect, Scheduler } from "effect"
import { CurrentActor } from "../../impl/runtime/Actor.ts"
import {
  type Attempt,
  BodyObserver,
  type BodyObserverService,
  type BodyOutcome
} from "../../impl/runtime/StepBodies.ts"
import {
  DeliveryObserver,
  type EventPage,
  type EventStorage,
  type MessageQueue,
  World
} from "../../impl/world/index.ts"
import {
  lineOfAnswer,
  lineOfBatch,
  lineOfBatchRefusal,
  lineOfDelivery,
  lineOfLoad,
  lineOfRefusal,
  lineOfSend,
  lineOfWrite
} from "./Observe.ts"
import type { Sink } from "./Sink.ts"
import { type Actor, type Entry, isDelivery } from "./Trace.ts"

/** Runs an effect without a yield between its last operation and what follows it. */
const unbroken = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, Scheduler.PreventSchedulerYield, true)

/** The lines of bodies: to be provided as the runtime's body observer, beside the recorded World. */
export const bodyRecorder = (sink: Sink): BodyObserverService => {
  const record = ({ runId, stepId, attempt }: Attempt, outcome?: BodyOutcome) =>
    Effect.map(CurrentActor, (by) => {
      if (runId !== sink.header.runId) return
      sink.append(
        outcome === undefined
          ? { action: "BeginBody", by, stepId, attempt }
          : { action: "EndBody", by, stepId, attempt, outcome }
      )
    })
  return { begin: (attempt) => record(attempt), end: record }
}

/** Wraps a World so that the operations on the sink's run are recorded, as those of the runtime's current actor. */
export const recorder = (world: World["Service"], sink: Sink): World["Service"] => {
  const actor: Effect.Effect<Actor> = CurrentActor
  const { runId } = sink.header
  const recorded = new Set<string>()
  /** The first pages of loads that have not ended, by the cursor that the next page continues from. */
  const loads = new Map<string, EventPage>()

  const create: EventStorage["Service"]["create"] = (id, data, params) =>
    id !== runId
      ? world.events.create(id, data, params)
      : Effect.flatMap(actor, (by) =>
          unbroken(
            world.events.create(id, data, params).pipe(
              Effect.tap((result) => Effect.sync(() => sink.append(lineOfWrite(by, data, params, result)))),
              Effect.tapError((error) =>
                Effect.sync(() => {
                  const line = lineOfRefusal(by, data, params, error)
                  if (line !== undefined) sink.append(line)
                })
              )
            )
          )
        )

  const { createBatch } = world.events
  const recordedBatch: NonNullable<typeof createBatch> = (id, data, params) => {
    if (createBatch === undefined) return Effect.die(new Error("The recorded World takes one event at a time."))
    if (id !== runId) return createBatch(id, data, params)
    const append = (line: Entry | undefined) =>
      Effect.sync(() => {
        if (line !== undefined) sink.append(line)
      })
    return Effect.flatMap(actor, (by) =>
      unbroken(
        createBatch(id, data, params).pipe(
          Effect.tap((result) => append(lineOfBatch(by, data, params, result))),
          Effect.tapError((error) => append(lineOfBatchRefusal(by, data, params, error)))
        )
      )
    )
  }

  const loaded = (by: Actor, cursor: string | undefined, page: EventPage): void => {
    const load = `${JSON.stringify(by)} `
    const first = (cursor === undefined ? undefined : loads.get(load + cursor)) ?? page
    if (cursor !== undefined) loads.delete(load + cursor)
    if (page.hasMore && page.cursor !== null) loads.set(load + page.cursor, first)
    else sink.append(lineOfLoad(by, first, page))
  }

  const list: EventStorage["Service"]["list"] = (id, params) =>
    id !== runId
      ? world.events.list(id, params)
      : Effect.flatMap(actor, (by) =>
          isDelivery(by)
            ? unbroken(
                Effect.tap(world.events.list(id, params), (page) => Effect.sync(() => loaded(by, params?.cursor, page)))
              )
            : world.events.list(id, params)
        )

  const send: MessageQueue["Service"]["send"] = (payload, options) =>
    payload.runId !== runId
      ? world.queue.send(payload, options)
      : Effect.flatMap(actor, (by) =>
          unbroken(
            Effect.tap(world.queue.send(payload, options), (result) =>
              Effect.sync(() => sink.append(lineOfSend(by, payload, options, result)))
            )
          )
        )

  const serve: MessageQueue["Service"]["serve"] = (handler) =>
    Effect.provideService(world.queue.serve(handler), DeliveryObserver, {
      delivered: (payload, meta) =>
        Effect.sync(() => {
          if (payload.runId !== runId) return
          recorded.add(meta.messageId)
          sink.append(lineOfDelivery(payload, meta))
        }),
      answered: (meta, answer, answered) =>
        Effect.sync(() => {
          if (recorded.has(meta.messageId)) sink.append(lineOfAnswer(meta, answer, answered))
        })
    })

  // A trace has no lines for feeds, so a recorded World offers none; the runtime does without.
  const { createBatch: _, subscribe: _subscribe, ...reads } = world.events
  return {
    ...world,
    events: { ...reads, create, list, ...(createBatch === undefined ? {} : { createBatch: recordedBatch }) },
    queue: { send, serve }
  }
}

/** Runs an effect with its bodies and its World recorded. The World is the one that the effect finds. */
export const recorded =
  (sink: Sink) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | World> =>
    Effect.flatMap(World, (world) =>
      effect.pipe(
        Effect.provideContext(World.contextOf(recorder(world, sink))),
        Effect.provideService(BodyObserver, bodyRecorder(sink))
      )
    )
