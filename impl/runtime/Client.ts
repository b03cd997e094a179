/**
 * What a client of the runtime does: start runs, resume hooks, end sleeps, cancel, and wait for results.
 *
 * Every call writes first and wakes the run's orchestrator then, so that a wake never finds nothing. A client that dies
 * between the two leaves an event that the run's next delivery acts on; the call can be made again, except that a second
 * `resumeHook` is a second payload.
 *
 * Rules: RUN-04, WAIT-83, WAIT-87, WAIT-91, HOOK-01, HOOK-03, HOOK-06, HOOK-08, HOOK-45, OOB-04, OOB-08, OOB-09, OOB-10, LOG-28.
 *
 * @module
 */
import { Context, Effect, Layer, Schema } from "effect"
import {
  type Event,
  EventError,
  type EventStorageError,
  HookNotFoundError,
  type MessageQueueError,
  type Run,
  type SendResult,
  World
} from "../world/index.ts"
import { CurrentActor } from "./Actor.ts"
import { loadLog } from "./LogState.ts"
import { SendStart, SendWake } from "./Messages.ts"
import { deserialize, SerializationError, serialize, thrownOf } from "./Serialization.ts"

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

/** Why a client's call did not take effect: the World refused or failed it, or its message could not be sent. */
export type ClientError = EventStorageError | MessageQueueError

/** How a run is started. */
export interface StartOptions {
  /**
   * The run's id; the World mints one when absent. Starting an id again converges on the run that exists and sends its
   * start message once more, so a start that was cut short can be repeated.
   */
  readonly runId?: string
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
    /** Sends a payload to the open hook with a token. `HookNotFoundError` when there is none, or its run has ended. */
    readonly resumeHook: (token: string, payload?: unknown) => Effect.Effect<void, ClientError | ValueNotStorable>
    /** Ends a run. `EntityConflictError` when it has ended already. Bodies that run are not interrupted. */
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
      const input = yield* stored(args, `The arguments of the workflow ${workflowName}`)
      const { event } = yield* events.create(options.runId ?? null, {
        eventType: "run_created",
        specVersion,
        eventData: { workflowName, input }
      })
      yield* SendStart(queue, event.runId, { workflowName, specVersion, input })
      return event.runId
    }, as("start")),
    resumeHook: Effect.fn("Client.resumeHook")(function* (token: string, payload?: unknown) {
      const text = yield* stored(payload, `The payload for ${JSON.stringify(token)}`)
      const { runId, hookId } = yield* events.getHookByToken(token)
      yield* events
        .create(runId, {
          eventType: "hook_received",
          specVersion,
          correlationId: hookId,
          eventData: { token, payload: text }
        })
        .pipe(
          // The run ended between the look-up and the write: its hook is not open any more. (HOOK-45)
          Effect.catchIf(
            (error) =>
              error._tag === "RunExpiredError" ||
              (error._tag === "EntityConflictError" && error.conflict === "run-ended"),
            () => Effect.fail(new HookNotFoundError({ token }))
          )
        )
      yield* SendWake(queue, runId)
    }, as("resume")),
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
    log: (runId) =>
      loadLog(events, runId).pipe(
        Effect.map((log) => log.events),
        as("log")
      )
  }
}
