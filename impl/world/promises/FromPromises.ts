/**
 * A World in the documents' shape as one of this project, for a runtime that is written against that.
 *
 * What comes in is decoded: an event, a run or a hook that does not have its fields is a failure of the World (502,
 * `unreadable`), not something to go on with. What it rejects with becomes the contract's error of that status; a World
 * that has lists as its only read side answers the rest from them.
 *
 * @module
 */
import { Cause, Clock, Effect, FiberSet, Predicate, Queue, Schema, Stream } from "effect"
import {
  EntityConflictError,
  type EventStorageError,
  HookForceClaimedError,
  HookNotFoundError,
  InBandSupersededError,
  PayloadTooLargeError,
  RunExpiredError,
  RunNotFoundError,
  WorkflowWorldError
} from "../Errors.ts"
import { Event, type EventInput, eventIdOf } from "../Event.ts"
import type { CreateEventParams, EventBatchItem, FeedItem } from "../EventStorage.ts"
import { WorkflowInvokePayload } from "../Message.ts"
import type { Handler, Topology } from "../MessageQueue.ts"
import type { Hook, ListParams, Page, Run, Step } from "../ReadSide.ts"
import { StreamClosedError, type StreamStorage, type StreamStorageError } from "../StreamStorage.ts"
import type { Capabilities, World } from "../World.ts"
import {
  type PromiseBatchItem,
  type PromiseCreateParams,
  type PromiseEvent,
  type PromiseEventInput,
  type PromiseHook,
  type PromisePage,
  type PromiseRun,
  type PromiseStep,
  type PromiseWorld,
  QUEUE_PREFIX
} from "./PromiseWorld.ts"
import { Shapes } from "./Shapes.ts"
import { withDates, withMillis } from "./Times.ts"

const decodeEvent = Schema.decodeUnknownEffect(Event)
const decodePayload = Schema.decodeUnknownEffect(WorkflowInvokePayload)

const unreadable = (cause: unknown): WorkflowWorldError =>
  new WorkflowWorldError({ status: 502, code: "unreadable", message: `The World's answer: ${String(cause)}`, cause })

/** The errors of the contract, by their names. */
const named = [
  InBandSupersededError,
  RunExpiredError,
  EntityConflictError,
  HookForceClaimedError,
  HookNotFoundError,
  RunNotFoundError,
  PayloadTooLargeError,
  WorkflowWorldError,
  StreamClosedError
]

/** What is known of a call, to say of its refusal what the World did not. */
interface Asked {
  readonly runId?: string
  readonly eventType?: string
  readonly token?: string
  readonly expectedSeqInBand?: number
}

const numberIn = (error: object, field: string, otherwise: number): number => {
  const value: unknown = Reflect.get(error, field)
  return typeof value === "number" ? value : otherwise
}

const textIn = (error: object, field: string): string => {
  const value: unknown = Reflect.get(error, field)
  return typeof value === "string" ? value : ""
}

/** The contract's error for what a World rejected with: by its class, or by its status and code. */
const errorIn =
  ({ runId = "", eventType = "", token = "", expectedSeqInBand = 0 }: Asked) =>
  (cause: unknown): EventStorageError | StreamClosedError => {
    const known = named.find((each) => cause instanceof each)
    if (known !== undefined) return cause as InstanceType<(typeof named)[number]>
    const error = Predicate.isObject(cause) ? cause : {}
    const status = numberIn(error, "status", 500)
    const code = textIn(error, "code")
    const is = (name: string): boolean => code === name || textIn(error, "name").replace(/Error$/, "") === name
    const claimedBy: unknown = Reflect.get(error, "claimedBy")
    if (status === 412) {
      const seqInBand = numberIn(error, "seqInBand", expectedSeqInBand)
      return new InBandSupersededError({ runId, expectedSeqInBand, seqInBand })
    }
    if (status === 410) return new RunExpiredError({ runId, eventType })
    if (status === 409 && Schema.is(Shapes.HookRef)(claimedBy)) return new HookForceClaimedError({ token, claimedBy })
    if (status === 409) {
      const conflict: unknown = Reflect.get(error, "conflict")
      return new EntityConflictError({
        runId,
        eventType,
        conflict: Schema.is(EntityConflictError.fields.conflict)(conflict) ? conflict : "duplicate"
      })
    }
    if (status === 404 && (token !== "" || is("hook-not-found") || is("HookNotFound")))
      return new HookNotFoundError({ token })
    if (status === 404 && !is("step-not-found")) return new RunNotFoundError({ runId })
    const message = textIn(error, "message") || String(cause)
    return new WorkflowWorldError({ status, code: code || "unavailable", message, cause })
  }

const storageError =
  (asked: Asked) =>
  (cause: unknown): EventStorageError => {
    const error = errorIn(asked)(cause)
    return error._tag === "StreamClosedError" ? unreadable(error) : error
  }

/** A call of the World. The signal aborts when the caller gives up on it. (WORLD-57) */
const call = <A>(asked: Asked, ask: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, EventStorageError> =>
  Effect.tryPromise({ try: (signal) => ask(signal), catch: storageError(asked) })

const eventIn = (event: PromiseEvent): Effect.Effect<Event, WorkflowWorldError> =>
  Effect.mapError(
    decodeEvent({
      ...event,
      specVersion: event.specVersion ?? 0,
      eventId: eventIdOf(Number(/^evnt_(\d+)$/.exec(event.eventId)?.[1] ?? Number.NaN)),
      createdAt: event.createdAt.getTime(),
      eventData: withMillis(event.eventData ?? {})
    }),
    unreadable
  )

const inputOut = (data: EventInput): PromiseEventInput => ({ ...data, eventData: withDates(data.eventData) })

const paramsOut = ({ occurredAt, ...params }: CreateEventParams): PromiseCreateParams =>
  occurredAt === undefined ? params : { ...params, occurredAt: new Date(occurredAt) }

const itemIn =
  (asked: Asked) =>
  (item: PromiseBatchItem): Effect.Effect<EventBatchItem, WorkflowWorldError> =>
    "event" in item
      ? Effect.map(eventIn(item.event), (event) => ({ _tag: "Committed", event }))
      : Effect.succeed({ _tag: "Refused", error: storageError(asked)(item.error) })

const runIn = ({ terminal, ...run }: PromiseRun): Effect.Effect<Run, WorkflowWorldError> =>
  Effect.gen(function* () {
    const decoded = yield* Effect.mapError(Shapes.run({ attributes: {}, ...run }), unreadable)
    return terminal === undefined ? decoded : { ...decoded, terminal: yield* eventIn(terminal) }
  })
const stepIn = (step: PromiseStep): Effect.Effect<Step, WorkflowWorldError> =>
  Effect.mapError(Shapes.step({ inline: false, ...step }), unreadable)
const hookIn = (hook: PromiseHook): Effect.Effect<Hook, WorkflowWorldError> =>
  Effect.mapError(Shapes.hook(hook), unreadable)

const pageIn = <A, B>(
  page: PromisePage<A>,
  change: (item: A) => Effect.Effect<B, WorkflowWorldError>
): Effect.Effect<Page<B>, WorkflowWorldError> =>
  Effect.map(Effect.forEach(page.data, change), (data) => ({ data, cursor: page.cursor, hasMore: page.hasMore }))

const paging = ({ cursor, limit }: ListParams) => ({
  pagination: { ...(cursor === undefined ? {} : { cursor }), ...(limit === undefined ? {} : { limit }) }
})

/** The topology that a World's capabilities say. */
const topologyOf = ({ coalescing, maxConcurrency }: Capabilities): Topology =>
  coalescing ? "coalescing" : maxConcurrency ? "gated" : "unserialized"

const streamsIn = (streams: NonNullable<PromiseWorld["streams"]>): StreamStorage["Service"] => {
  const error =
    (asked: Asked, name: string) =>
    (cause: unknown): StreamStorageError => {
      const found = errorIn(asked)(cause)
      switch (found._tag) {
        case "StreamClosedError":
        case "RunNotFoundError":
        case "PayloadTooLargeError":
        case "WorkflowWorldError":
          return found
        case "EntityConflictError":
          return new StreamClosedError({ runId: asked.runId ?? "", name })
        default:
          return unreadable(found)
      }
    }
  const ask = <A>(runId: string, name: string, promise: () => Promise<A>): Effect.Effect<A, StreamStorageError> =>
    Effect.tryPromise({ try: promise, catch: error({ runId }, name) })
  return {
    write: (runId, name, chunks) =>
      streams.writeMulti === undefined
        ? Effect.forEach(chunks, (chunk) => ask(runId, name, () => streams.write(runId, name, chunk)), {
            discard: true
          })
        : ask(runId, name, async () => streams.writeMulti?.(runId, name, [...chunks])),
    close: (runId, name) => ask(runId, name, () => streams.close(runId, name)),
    read: (runId, name, startIndex) =>
      Stream.unwrap(
        Effect.map(
          ask(runId, name, () => streams.get(runId, name, startIndex)),
          (readable) => Stream.fromReadableStream({ evaluate: () => readable, onError: error({ runId }, name) })
        )
      ),
    chunks: (runId, name, params = {}) =>
      Effect.map(
        ask(runId, name, () => streams.getChunks(runId, name, paging(params).pagination)),
        (page) => ({ ...page, data: page.data.map(({ index, data }) => ({ index, chunk: data })) })
      ),
    info: (runId, name) => ask(runId, name, () => streams.getInfo(runId, name)),
    list: (runId) => ask(runId, "", () => streams.list(runId))
  }
}

/** Deliveries that wait in a feed's buffer; what comes while it is full is dropped, and the reader polls. */
const FEED_BUFFER = 1024

/** The World as the services of this project. */
export const fromPromises = (world: PromiseWorld): World["Service"] => {
  const { events, streams } = world
  const { createBatch, subscribe } = events
  const capabilities: Capabilities = {
    inBandFence: false,
    maxConcurrency: false,
    coalescing: false,
    hookRetention: false,
    hookForceClaim: false,
    hookResumeDedup: false,
    ...world.capabilities
  }

  const serve = <E, R>(handler: Handler<E, R>) =>
    Effect.gen(function* () {
      const fibers = yield* FiberSet.make()
      const run = yield* FiberSet.runtimePromise(fibers)<R>()
      world.createQueueHandler(QUEUE_PREFIX, (message, meta) =>
        run(
          Effect.gen(function* () {
            const payload = yield* Effect.mapError(decodePayload(message), unreadable)
            return yield* handler(payload, {
              messageId: meta.messageId,
              // Of a queue that cannot count, every delivery is taken for a further one: the log is read first.
              deliveryCount: meta.deliveryCount ?? 2,
              attempt: meta.attempt,
              invocationStartedAt: meta.invocationStartedAt ?? (yield* Clock.currentTimeMillis)
            })
          })
        )
      )
      yield* Effect.acquireRelease(
        call({}, async () => world.start?.()),
        () => Effect.ignore(call({}, async () => world.close?.()))
      )
    }).pipe(
      Effect.mapError((error) =>
        error._tag === "WorkflowWorldError" || error._tag === "PayloadTooLargeError" ? error : unreadable(error)
      )
    )

  return {
    name: world.name ?? "promises",
    specVersion: world.specVersion,
    topology: topologyOf(capabilities),
    capabilities,
    events: {
      create: Effect.fnUntraced(function* (runId, data, params = {}) {
        const { eventType } = data
        const asked = {
          eventType,
          ...(runId === null ? {} : { runId }),
          ...("token" in data.eventData && data.eventData.token !== undefined ? { token: data.eventData.token } : {}),
          ...(params.expectedSeqInBand === undefined ? {} : { expectedSeqInBand: params.expectedSeqInBand })
        }
        const written = yield* call(asked, () => events.create(runId, inputOut(data), paramsOut(params)))
        return {
          event: yield* eventIn(written.event),
          allocated: written.allocated,
          events: yield* Effect.forEach(written.events ?? [], eventIn),
          hasMore: written.hasMore ?? false
        }
      }),
      ...(createBatch === undefined
        ? {}
        : {
            createBatch: Effect.fnUntraced(function* (
              runId: string,
              data: ReadonlyArray<EventInput>,
              params: CreateEventParams = {}
            ) {
              const { expectedSeqInBand = 0 } = params
              const asked = { runId, expectedSeqInBand }
              const written = yield* call(asked, () => createBatch(runId, data.map(inputOut), paramsOut(params)))
              return {
                results: yield* Effect.forEach(written.results, itemIn(asked)),
                allocated: written.allocated,
                events: yield* Effect.forEach(written.events ?? [], eventIn),
                hasMore: written.hasMore ?? false
              }
            })
          }),
      list: Effect.fnUntraced(function* (runId, params = {}) {
        const page = yield* call({ runId }, (signal) => events.list({ runId, signal, ...paging(params) }))
        // A log without a snapshot breaks the contract of runs with one orchestrator. (WORLD-31)
        if (page.snapshot === undefined) return yield* unreadable(`the log of ${runId} came without its snapshot`)
        return { ...(yield* pageIn(page, eventIn)), snapshot: page.snapshot }
      }),
      ...(subscribe === undefined
        ? {}
        : {
            subscribe: (runId: string, afterSlot: number): Stream.Stream<FeedItem, EventStorageError> =>
              Stream.callback<PromiseEvent | number, EventStorageError>(
                (queue) =>
                  Effect.acquireRelease(
                    call({ runId }, async () =>
                      subscribe(runId, afterSlot, (event) => Queue.offerUnsafe(queue, event), {
                        onError: (error) => Queue.failCauseUnsafe(queue, Cause.fail(storageError({ runId })(error))),
                        onHeartbeat: (slot) => Queue.offerUnsafe(queue, slot)
                      })
                    ),
                    (unsubscribe) => Effect.sync(() => unsubscribe())
                  ),
                { bufferSize: FEED_BUFFER, strategy: "dropping" }
              ).pipe(
                Stream.mapEffect(
                  (item): Effect.Effect<FeedItem, WorkflowWorldError> =>
                    typeof item === "number"
                      ? Effect.succeed({ _tag: "Heartbeat", slot: item })
                      : Effect.map(eventIn(item), (event) => ({ _tag: "Committed", event }))
                )
              )
          }),
      getRun: (runId) =>
        Effect.flatMap(
          call({ runId }, () => world.runs.get(runId)),
          runIn
        ),
      listRuns: ({ status, workflowName, ...params } = {}) =>
        Effect.flatMap(
          call({}, () =>
            world.runs.list({
              ...paging(params),
              ...(status === undefined ? {} : { status }),
              ...(workflowName === undefined ? {} : { workflowName })
            })
          ),
          (page) => pageIn(page, runIn)
        ),
      getStep: (runId, stepId) =>
        call({ runId }, () => world.steps.get(runId, stepId)).pipe(
          Effect.flatMap(stepIn),
          Effect.catchIf(
            (error) => error._tag === "WorkflowWorldError" && error.code === "step-not-found",
            () => Effect.succeed(undefined)
          )
        ),
      listSteps: (runId, params = {}) =>
        Effect.flatMap(
          call({ runId }, () => world.steps.list({ runId, ...paging(params) })),
          (page) => pageIn(page, stepIn)
        ),
      getHookByToken: (token) =>
        Effect.flatMap(
          call({ token }, () => world.hooks.getByToken(token)),
          hookIn
        ),
      listHooks: ({ runId, ...params } = {}) =>
        Effect.flatMap(
          call({}, () => world.hooks.list({ ...paging(params), ...(runId === undefined ? {} : { runId }) })),
          (page) => pageIn(page, hookIn)
        )
    },
    queue: {
      send: Effect.fnUntraced(function* (payload, options = {}) {
        const queueName = `${QUEUE_PREFIX}${payload.runContext?.workflowName ?? payload.runInput?.workflowName ?? ""}`
        const sent = yield* call({}, () => world.queue(queueName, payload, options)).pipe(
          Effect.mapError((error) =>
            error._tag === "PayloadTooLargeError" || error._tag === "WorkflowWorldError" ? error : unreadable(error)
          )
        )
        return { messageId: sent.messageId, deduplicated: sent.deduplicated ?? false }
      }),
      serve
    },
    ...(streams === undefined ? {} : { streams: streamsIn(streams) })
  }
}
