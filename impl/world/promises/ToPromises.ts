/**
 * A World of this project in the documents' shape, for code that is written against that.
 *
 * Errors come out as they are: instances with a `status`, a `code` and the fields that the contract gives them.
 *
 * @module
 */
import { Effect, Exit, Fiber, Schema, Scope, Stream } from "effect"
import { WorkflowWorldError } from "../Errors.ts"
import { type Event, EventInput } from "../Event.ts"
import type { CreateEventParams } from "../EventStorage.ts"
import { WorkflowInvokePayload } from "../Message.ts"
import { type Hook, type ListParams, type Page, type Run, RunStatus, type Step } from "../ReadSide.ts"
import type { World } from "../World.ts"
import type {
  Pagination,
  PromiseCreateParams,
  PromiseEvent,
  PromiseEventInput,
  PromiseHandler,
  PromiseHook,
  PromisePage,
  PromiseRun,
  PromiseStep,
  PromiseWorld
} from "./PromiseWorld.ts"
import { withDates, withMillis } from "./Times.ts"

const decodeInput = Schema.decodeUnknownEffect(EventInput)
const decodePayload = Schema.decodeUnknownEffect(WorkflowInvokePayload)
const decodeStatus = Schema.decodeUnknownEffect(RunStatus)

const badRequest = (code: string) => (cause: unknown) =>
  new WorkflowWorldError({ status: 400, code, message: String(cause), cause })

const eventOut = (event: Event): PromiseEvent => ({
  ...event,
  createdAt: new Date(event.createdAt),
  eventData: withDates(event.eventData)
})

const inputIn = ({ eventData = {}, ...data }: PromiseEventInput): Effect.Effect<EventInput, WorkflowWorldError> =>
  Effect.mapError(decodeInput({ ...data, eventData: withMillis(eventData) }), badRequest("bad-event"))

const paramsIn = ({ occurredAt, ...params }: PromiseCreateParams = {}): CreateEventParams =>
  occurredAt === undefined ? params : { ...params, occurredAt: occurredAt.getTime() }

const date = (millis: number | undefined): Date | undefined => (millis === undefined ? undefined : new Date(millis))

/** The fields that have a value. */
const present = <A extends object>(fields: A): { readonly [K in keyof A]?: Exclude<A[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    readonly [K in keyof A]?: Exclude<A[K], undefined>
  }

const runOut = ({ terminal, startedAt, ...run }: Run): PromiseRun => ({
  ...run,
  createdAt: new Date(run.createdAt),
  ...present({ startedAt: date(startedAt), terminal: terminal && eventOut(terminal) })
})

const stepOut = ({ retryAfter, startedAt, completedAt, ...step }: Step): PromiseStep => ({
  ...step,
  createdAt: new Date(step.createdAt),
  ...present({ retryAfter: date(retryAfter), startedAt: date(startedAt), completedAt: date(completedAt) })
})

const hookOut = ({ tokenRetentionUntil, ...hook }: Hook): PromiseHook => ({
  ...hook,
  createdAt: new Date(hook.createdAt),
  ...present({ tokenRetentionUntil: date(tokenRetentionUntil) })
})

const pageOut = <A, B>(page: Page<A>, change: (item: A) => B): PromisePage<B> => ({
  ...page,
  data: page.data.map(change)
})

const paging = ({ cursor, limit }: Pagination = {}): ListParams => present({ cursor, limit })

const bytes = (chunk: string | Uint8Array): Uint8Array =>
  typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk

/**
 * The World in the documents' shape, until the scope closes; `start` serves until `close`, or until then. It runs with
 * the services of the caller, its clock included.
 */
export const toPromises = (world: World["Service"]): Effect.Effect<PromiseWorld, never, Scope.Scope> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<never>()
    const scope = yield* Scope.fork(yield* Effect.scope)
    const run = Effect.runPromiseWith(context)
    const { events, streams } = world
    const { createBatch, subscribe } = events
    let handler: PromiseHandler | undefined

    const serve = world.queue.serve((payload, meta) =>
      Effect.tryPromise({
        try: async () =>
          handler?.(payload, { ...meta, queueName: `__wkf_workflow_${payload.runContext?.workflowName ?? ""}` }),
        catch: (cause) => cause
      })
    )

    return {
      name: world.name,
      specVersion: world.specVersion,
      capabilities: world.capabilities,
      start: () => run(Effect.provideService(serve, Scope.Scope, scope)),
      close: () => run(Scope.close(scope, Exit.void)),
      events: {
        create: (runId, data, params) =>
          run(
            Effect.map(
              Effect.flatMap(inputIn(data), (input) => events.create(runId, input, paramsIn(params))),
              (result) => ({ ...result, event: eventOut(result.event), events: result.events.map(eventOut) })
            )
          ),
        ...(createBatch === undefined
          ? {}
          : {
              createBatch: (runId, data, params) =>
                run(
                  Effect.map(
                    Effect.flatMap(Effect.forEach(data, inputIn), (inputs) =>
                      createBatch(runId, inputs, paramsIn(params))
                    ),
                    (result) => ({
                      ...result,
                      results: result.results.map((item) =>
                        item._tag === "Committed" ? { event: eventOut(item.event) } : { error: item.error }
                      ),
                      events: result.events.map(eventOut)
                    })
                  )
                )
            }),
        list: ({ runId, pagination, signal }) =>
          run(
            Effect.map(events.list(runId, paging(pagination)), (page) => ({ ...page, data: page.data.map(eventOut) })),
            signal === undefined ? {} : { signal }
          ),
        ...(subscribe === undefined
          ? {}
          : {
              subscribe: (runId, afterSlot, onEvent, options) => {
                const pushing = Stream.runForEach(subscribe(runId, afterSlot), (item) =>
                  Effect.sync(() =>
                    item._tag === "Committed" ? onEvent(eventOut(item.event)) : options?.onHeartbeat?.(item.slot)
                  )
                ).pipe(Effect.catchCause((cause) => Effect.sync(() => options?.onError?.(cause))))
                const fiber = Effect.runForkWith(context)(pushing)
                return () => {
                  Effect.runForkWith(context)(Fiber.interrupt(fiber))
                }
              }
            })
      },
      runs: {
        get: (runId) => run(Effect.map(events.getRun(runId), runOut)),
        list: ({ status, workflowName, pagination } = {}) =>
          run(
            Effect.gen(function* () {
              const wanted =
                status === undefined
                  ? undefined
                  : yield* Effect.mapError(decodeStatus(status), badRequest("bad-status"))
              const params = { ...paging(pagination), ...present({ status: wanted, workflowName }) }
              return pageOut(yield* events.listRuns(params), runOut)
            })
          )
      },
      steps: {
        get: (runId, stepId) =>
          run(
            Effect.flatMap(events.getStep(runId, stepId), (step) =>
              step === undefined
                ? Effect.fail(
                    new WorkflowWorldError({
                      status: 404,
                      code: "step-not-found",
                      message: `${runId} has no step ${stepId}.`
                    })
                  )
                : Effect.succeed(stepOut(step))
            )
          ),
        list: ({ runId, pagination }) =>
          run(Effect.map(events.listSteps(runId, paging(pagination)), (page) => pageOut(page, stepOut)))
      },
      hooks: {
        getByToken: (token) => run(Effect.map(events.getHookByToken(token), hookOut)),
        list: ({ runId, pagination } = {}) =>
          run(
            Effect.map(events.listHooks({ ...paging(pagination), ...present({ runId }) }), (page) =>
              pageOut(page, hookOut)
            )
          )
      },
      ...(streams === undefined
        ? {}
        : {
            streams: {
              write: (runId, name, chunk) => run(streams.write(runId, name, [bytes(chunk)])),
              writeMulti: (runId, name, chunks) => run(streams.write(runId, name, chunks.map(bytes))),
              close: (runId, name) => run(streams.close(runId, name)),
              get: async (runId, name, startIndex) =>
                Stream.toReadableStreamWith(streams.read(runId, name, startIndex), context),
              list: (runId) => run(streams.list(runId)),
              getChunks: (runId, name, pagination) =>
                run(
                  Effect.map(streams.chunks(runId, name, paging(pagination)), (page) => ({
                    ...page,
                    data: page.data.map(({ index, chunk }) => ({ index, data: chunk }))
                  }))
                ),
              getInfo: (runId, name) => run(streams.info(runId, name))
            }
          }),
      queue: (_queueName, message, options = {}) =>
        run(
          Effect.flatMap(Effect.mapError(decodePayload(message), badRequest("bad-message")), (payload) =>
            world.queue.send(payload, options)
          )
        ),
      createQueueHandler: (_prefix, given) => {
        handler = given
        return async () =>
          new Response("This World fetches its messages itself; nothing is pushed to it.", { status: 501 })
      }
    } satisfies PromiseWorld
  })
