/**
 * What a client of the runtime does: start runs, resume hooks and webhooks, end sleeps, set attributes, cancel, read
 * streams, and wait for results.
 *
 * Every call writes first and wakes the run's orchestrator then, so that a wake never finds nothing. A client that dies
 * between the two leaves an event that the run's next delivery acts on; the call can be made again, except that a second
 * `resumeHook` is a second payload unless it has the `resumeId` of the first.
 *
 * Rules: RUN-04, WAIT-83, WAIT-87, WAIT-91, HOOK-01, HOOK-03, HOOK-06, HOOK-08, HOOK-45, OOB-04, OOB-08, OOB-09, OOB-10, LOG-28,
 * OOB-05, TURBO-22.
 *
 * @module
 */
import { Context, Effect, Layer, Schema, Stream } from "effect"
import { DEFAULT_STREAM } from "../workflow/Streams.ts"
import {
  type Attributes,
  type Event,
  EventError,
  type EventStorageError,
  type Hook,
  type ListParams,
  type MessageQueueError,
  type Page,
  type Run,
  type RunFilter,
  type SendResult,
  type StreamStorageError,
  World,
  withoutStreams
} from "../world/index.ts"
import { CurrentActor } from "./Actor.ts"
import { type Resumed, type ResumeOptions, resumeHook, type WakeNotSent } from "./HookResumption.ts"
import { loadLog } from "./LogState.ts"
import { SendStart, SendWake } from "./Messages.ts"
import { deserialize, SerializationError, serialize, thrownOf } from "./Serialization.ts"
import { resumeWebhook, type WebhookError } from "./Webhooks.ts"

/** The run threw, or could not be driven on. */
export class RunFailed extends Schema.TaggedError<RunFailed>()("RunFailed", {
  runId: Schema.String,
  error: EventError
}) {
  override get message(): string {
    return `${this.runId} failed: ${this.error.name}: ${this.error.message}`
  }
  /** What the workflow threw, as it can be had again: with its cause, its members and its fields. */
  get thrown(): unknown {
    return thrownOf(this.error)
  }
}

/** The run was cancelled. */
export class RunCancelled extends Schema.TaggedError<RunCancelled>()("RunCancelled", {
  runId: Schema.String,
  reason: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    return `${this.runId} was cancelled${this.reason === undefined ? "" : `: ${this.reason}`}.`
  }
}

/** A value that a client sends cannot be stored in a log. */
export class ValueNotStorable extends Schema.TaggedError<ValueNotStorable>()("ValueNotStorable", {
  message: Schema.String
}) {}

/** A chunk of a stream is no value that a step's body wrote. */
export class ValueNotReadable extends Schema.TaggedError<ValueNotReadable>()("ValueNotReadable", {
  message: Schema.String
}) {}

/** Why a client's call did not take effect: the World refused or failed it, or its message could not be sent. */
export type ClientError = EventStorageError | MessageQueueError

/** How a run is started. */
export interface StartOptions {
  /**
   * The run's id; the World mints one when absent. Starting an id again converges on the run that exists and sends its
   * start message once more, so a start that was cut short can be repeated.
   */
  readonly runId?: string
  /** What the run's attributes are at its start. */
  readonly attributes?: Attributes
}

/** Which sleeps are ended. */
export interface WakeUpOptions {
  /** The sleeps' ids, `wait_<n>`. All open ones when absent. */
  readonly correlationIds?: ReadonlyArray<string>
}

/** The client's service. */
export class Client extends Context.Service<
  Client,
  {
    /** Creates a run of a workflow, by function or by name, and asks for its first delivery. Returns the run's id. */
    readonly start: <Args extends ReadonlyArray<unknown>>(
      workflow: ((...args: Args) => unknown) | string,
      args: Args,
      options?: StartOptions
    ) => Effect.Effect<string, ClientError | ValueNotStorable>
    /**
     * Sends a payload to the open hook with a token, and returns whose hook it was. `HookNotFoundError` when there is
     * none, or its run has ended; `WakeNotSent` when the payload is stored and only the wake failed.
     */
    readonly resumeHook: (
      token: string,
      payload?: unknown,
      options?: ResumeOptions
    ) => Effect.Effect<Resumed, EventStorageError | WakeNotSent | ValueNotStorable>
    /** Sends a request to the open webhook with a token, and waits for its answer. See `Webhooks.ts`. */
    readonly resumeWebhook: (token: string, request: Request) => Effect.Effect<Response, WebhookError>
    /** The hook that has a token. */
    readonly hook: (token: string) => Effect.Effect<Hook, EventStorageError>
    /** Sets attributes of a run from outside; null removes one. It wakes nobody. */
    readonly setAttributes: (
      runId: string,
      attributes: Readonly<Record<string, string | null>>
    ) => Effect.Effect<void, EventStorageError>
    /**
     * Ends a run. `EntityConflictError` when it has ended already. Bodies that run are told by their signal, and not
     * interrupted; what they come to is not recorded, or changes nothing.
     */
    readonly cancel: (runId: string, reason?: string) => Effect.Effect<void, ClientError>
    /**
     * Ends sleeps of a run before their time: those with these ids, all of them when none is named. Returns how many were
     * asked to end; the orchestrator completes them in order with what else it decides. A request is an event of the log,
     * so it cannot be lost. (WAIT-91)
     */
    readonly wakeUp: (
      runId: string,
      options?: WakeUpOptions
    ) => Effect.Effect<{ readonly stoppedCount: number }, ClientError>
    /** Asks a run's orchestrator to look at the log; never needed, always safe. */
    readonly wake: (runId: string) => Effect.Effect<SendResult, MessageQueueError>
    /** Waits for a run's end. Its value, or how it ended otherwise. */
    readonly result: (runId: string) => Effect.Effect<unknown, EventStorageError | RunFailed | RunCancelled>
    readonly run: (runId: string) => Effect.Effect<Run, EventStorageError>
    /** Runs in the order of their creation, by page. */
    readonly list: (params?: RunFilter & ListParams) => Effect.Effect<Page<Run>, EventStorageError>
    /**
     * The values of a stream of a run, from the first one or from a place on, as they come, until the stream is closed. A
     * negative place counts back from what is there now.
     */
    readonly readStream: (
      runId: string,
      options?: { readonly name?: string; readonly startIndex?: number }
    ) => Stream.Stream<unknown, StreamStorageError | ValueNotReadable>
    /** A run's whole log, in slot order. */
    readonly log: (runId: string) => Effect.Effect<ReadonlyArray<Event>, EventStorageError>
  }
>()("onewriter/runtime/Client") {
  /** A client of the World in the context. It needs no runtime in its own process. */
  static readonly layer: Layer.Layer<Client, never, World> = Layer.effect(
    Client,
    Effect.map(World, (world) => makeClient(world))
  )
}

const POLL_MS = 50

const stored = (value: unknown, what: string): Effect.Effect<string, ValueNotStorable> =>
  Effect.try({
    try: () => serialize(value, what),
    catch: (cause) =>
      new ValueNotStorable({ message: cause instanceof SerializationError ? cause.message : String(cause) })
  })

const decoder = new TextDecoder()

const valueIn = (chunk: Uint8Array): Effect.Effect<unknown, ValueNotReadable> =>
  Effect.try({
    try: () => deserialize(decoder.decode(chunk)),
    catch: (cause) => new ValueNotReadable({ message: cause instanceof Error ? cause.message : String(cause) })
  })

const outcomeOf = (runId: string, end: Event): Effect.Effect<unknown, RunFailed | RunCancelled> => {
  switch (end.eventType) {
    case "run_completed":
      return Effect.sync(() => deserialize(end.eventData.output))
    case "run_failed":
      return Effect.fail(new RunFailed({ runId, error: end.eventData.error }))
    default: {
      const reason = end.eventType === "run_cancelled" ? end.eventData.reason : undefined
      return Effect.fail(new RunCancelled({ runId, ...(reason === undefined ? {} : { reason }) }))
    }
  }
}

/** A client of a World. */
export const makeClient = (world: World["Service"]): Client["Service"] => {
  const { events, queue, specVersion } = world
  const as = (client: string) => Effect.provideService(CurrentActor, { client })
  return {
    start: Effect.fn("Client.start")(function* (workflow, args, options = {}) {
      const workflowName = typeof workflow === "string" ? workflow : workflow.name
      const attributes = options.attributes === undefined ? {} : { attributes: options.attributes }
      const input = yield* stored(args, `The arguments of the workflow ${workflowName}`)
      const { event } = yield* events.create(options.runId ?? null, {
        eventType: "run_created",
        specVersion,
        eventData: { workflowName, input, ...attributes }
      })
      yield* SendStart(queue, event.runId, { workflowName, specVersion, input, ...attributes })
      return event.runId
    }, as("start")),
    resumeHook: Effect.fn("Client.resumeHook")(function* (token, payload, options = {}) {
      const text = yield* stored(payload, `The payload for ${JSON.stringify(token)}`)
      return yield* resumeHook(world, token, () => text, options)
    }, as("resume")),
    resumeWebhook: Effect.fn("Client.resumeWebhook")(resumeWebhook(world), as("resume")),
    hook: (token) => events.getHookByToken(token).pipe(as("hook")),
    setAttributes: Effect.fn("Client.setAttributes")(function* (runId, attributes) {
      const changes = Object.entries(attributes).map(([key, value]) => ({ key, value }))
      yield* events.create(runId, {
        eventType: "attr_set",
        specVersion,
        eventData: { changes, writer: { type: "client" } }
      })
    }, as("attributes")),
    cancel: Effect.fn("Client.cancel")(function* (runId: string, reason?: string) {
      yield* events.create(runId, {
        eventType: "run_cancelled",
        specVersion,
        eventData: reason === undefined ? {} : { reason }
      })
      yield* SendWake(queue, runId)
    }, as("cancel")),
    wakeUp: Effect.fn("Client.wakeUp")(function* (runId: string, options: WakeUpOptions = {}) {
      const { correlationIds } = options
      const { waits, isEnded } = yield* loadLog(events, runId)
      const asked = isEnded
        ? []
        : waits.open.filter(
            ({ waitId, requested }) => !requested && (correlationIds === undefined || correlationIds.includes(waitId))
          )
      let stoppedCount = 0
      for (const { waitId } of asked) {
        const isWritten = yield* events
          .create(runId, { eventType: "wake_requested", specVersion, correlationId: waitId, eventData: {} })
          .pipe(
            Effect.as(true),
            // The run ended between the load and the write: it sleeps no more.
            Effect.catchTag("RunExpiredError", () => Effect.succeed(false))
          )
        if (isWritten) stoppedCount++
      }
      if (stoppedCount > 0) yield* SendWake(queue, runId)
      return { stoppedCount }
    }, as("wakeUp")),
    wake: (runId) => SendWake(queue, runId).pipe(as("wake")),
    result: Effect.fn("Client.result")(function* (runId: string) {
      for (;;) {
        const { terminal } = yield* events.getRun(runId)
        if (terminal !== undefined) return yield* outcomeOf(runId, terminal)
        yield* Effect.sleep(POLL_MS)
      }
    }, as("result")),
    run: (runId) => events.getRun(runId).pipe(as("run")),
    list: (params) => events.listRuns(params).pipe(as("list")),
    readStream: (runId, { name = DEFAULT_STREAM, startIndex } = {}) =>
      Stream.mapEffect((world.streams ?? withoutStreams).read(runId, name, startIndex), valueIn),
    log: (runId) =>
      loadLog(events, runId).pipe(
        Effect.map((log) => log.events),
        as("log")
      )
  }
}
