/**
 * Worlds whose hooks and read side break one rule each. Each names the checks that must notice.
 */
import { Clock, Effect } from "effect"
import {
  type Event,
  type EventInput,
  type EventResult,
  type EventStorageError,
  eventIdOf,
  type Hook,
  HookNotFoundError,
  type Run,
  type Step
} from "../../../impl/world/index.ts"
import { type Broken, creating, storage } from "./Broken.ts"

const withEventData = (data: EventInput, change: (eventData: object) => object): EventInput =>
  ({ ...data, eventData: change(data.eventData) }) as EventInput

/** Sends a changed event in place of the one that was given. */
const sending = (name: string, breaks: ReadonlyArray<string>, change: (data: EventInput) => EventInput): Broken =>
  creating(name, breaks, (sound) => (runId, data, params) => sound.create(runId, change(data), params))

const without =
  (...fields: ReadonlyArray<string>) =>
  (eventData: object): object =>
    Object.fromEntries(Object.entries(eventData).filter(([field]) => !fields.includes(field)))

const written = (runId: string, data: EventInput): EventResult => ({
  event: { eventId: eventIdOf(99), runId, createdAt: 0, ...data } as Event,
  allocated: 1,
  events: [],
  hasMore: false
})

const swallowing = (
  name: string,
  breaks: ReadonlyArray<string>,
  isSwallowed: (error: EventStorageError, data: EventInput) => boolean
): Broken =>
  creating(
    name,
    breaks,
    (sound) => (runId, data, params) =>
      sound.create(runId, data, params).pipe(
        Effect.catchIf(
          (error) => isSwallowed(error, data),
          () => Effect.succeed(written(runId, data))
        )
      )
  )

const changingSteps = (name: string, breaks: ReadonlyArray<string>, change: (step: Step) => Step): Broken =>
  storage(name, breaks, (sound) => ({
    getStep: (runId, stepId) => Effect.map(sound.getStep(runId, stepId), (step) => step && change(step)),
    listSteps: (runId, params) =>
      Effect.map(sound.listSteps(runId, params), (page) => ({ ...page, data: page.data.map(change) }))
  }))

const changingRuns = (name: string, breaks: ReadonlyArray<string>, change: (run: Run) => Run): Broken =>
  storage(name, breaks, (sound) => ({ getRun: (runId) => Effect.map(sound.getRun(runId), change) }))

export const brokenHooks: ReadonlyArray<Broken> = [
  storage("keeps a token after its hook was disposed of", ["a disposal: frees"], (sound) => {
    const seen = new Map<string, Hook>()
    return {
      create: (runId, data, params) =>
        Effect.tap(sound.create(runId, data, params), ({ event }) =>
          Effect.sync(() => {
            if (event.eventType !== "hook_created") return
            const { token } = event.eventData
            seen.set(token, { runId: event.runId, hookId: event.correlationId, token, createdAt: 0 })
          })
        ),
      getHookByToken: (token) =>
        sound.getHookByToken(token).pipe(
          Effect.catchTag("HookNotFoundError", (error) => {
            const hook = seen.get(token)
            return hook === undefined ? Effect.fail(error) : Effect.succeed(hook)
          })
        )
    }
  }),
  swallowing(
    "takes a payload for a hook that was disposed of",
    ["a disposal: frees"],
    (error, data) => data.eventType === "hook_received" && error._tag === "HookNotFoundError"
  ),
  creating(
    "refuses a second disposal",
    ["a hook that is disposed of twice"],
    (sound) => (runId, data, params) =>
      Effect.flatMap(sound.create(runId, data, params), (result) =>
        data.eventType === "hook_disposed" && result.allocated === 0
          ? Effect.fail(new HookNotFoundError({ token: data.correlationId }))
          : Effect.succeed(result)
      )
  ),
  creating(
    "writes a second disposal",
    ["a hook that is disposed of twice", "a hook that was taken by force"],
    (sound) => (runId, data, params) =>
      Effect.gen(function* () {
        const result = yield* sound.create(runId, data, params)
        if (data.eventType !== "hook_disposed" || result.allocated > 0) return result
        const changes = [{ key: "x", value: "1" }]
        const eventData = { changes, writer: { type: "client" as const } }
        return yield* sound.create(runId, { eventType: "attr_set", specVersion: 9, eventData }, params)
      })
  ),
  storage("lets a hook behind the end take its token", ["a hook that is created behind"], (sound) => {
    const taken = new Map<string, string>()
    return {
      create: (runId, data, params) =>
        sound.create(runId, data, params).pipe(
          Effect.tapError(() =>
            Effect.sync(() => {
              if (data.eventType === "hook_created" && runId !== null) taken.set(data.eventData.token, runId)
            })
          )
        ),
      getHookByToken: (token) =>
        sound.getHookByToken(token).pipe(
          Effect.catchTag("HookNotFoundError", (error) => {
            const runId = taken.get(token)
            return runId === undefined
              ? Effect.fail(error)
              : Effect.succeed({ runId, hookId: "hook_1", token, createdAt: 0 })
          })
        )
    }
  }),
  swallowing(
    "takes a payload for a run that has ended",
    ["a payload for a run that has ended"],
    (error, data) => data.eventType === "hook_received" && error._tag === "EntityConflictError"
  ),
  sending("forgets the ids of resumes", ["a payload that is sent twice"], (data) =>
    data.eventType === "hook_received" ? withEventData(data, without("resumeId")) : data
  ),
  sending("takes every payload for one resume", ["a payload that is sent twice"], (data) =>
    data.eventType === "hook_received" ? withEventData(data, (each) => ({ ...each, resumeId: "one" })) : data
  ),
  sending("retains no token", ["a token that is retained"], (data) =>
    data.eventType === "hook_created" ? withEventData(data, without("tokenRetentionUntil")) : data
  ),
  sending("retains a token for ever", ["a token that is retained"], (data) =>
    data.eventType === "hook_created"
      ? withEventData(data, (each) =>
          "tokenRetentionUntil" in each ? { ...each, tokenRetentionUntil: 1_000_000 } : each
        )
      : data
  ),
  creating(
    "keeps a retained token from others although its hook was disposed of",
    ["a retained token whose hook"],
    (sound) => (runId, data, params) =>
      data.eventType === "hook_disposed" ? Effect.succeed(written(runId, data)) : sound.create(runId, data, params)
  ),
  sending(
    "knows no force",
    ["a token that is taken by force", "a feed of a run whose token", "a hook that was taken"],
    (data) => (data.eventType === "hook_created" ? withEventData(data, without("force")) : data)
  ),
  creating(
    "does not say whom it took a token from",
    ["a token that is taken by force"],
    (sound) => (runId, data, params) =>
      Effect.map(sound.create(runId, data, params), (result) =>
        result.event.eventType === "hook_created"
          ? { ...result, event: { ...result.event, eventData: { token: result.event.eventData.token } } }
          : result
      )
  ),
  swallowing(
    "takes a payload for a hook that lost its token",
    ["a token that is taken by force"],
    (error) => error._tag === "HookForceClaimedError"
  ),
  storage("counts a disposal by force in-band", ["a token that is taken by force"], (sound) => ({
    list: (runId, params) =>
      Effect.map(sound.list(runId, params), (page) => ({
        ...page,
        snapshot: {
          ...page.snapshot,
          seqInBand:
            page.snapshot.seqInBand +
            page.data.filter((event) => event.eventType === "hook_disposed" && event.eventData.forceClaimedBy).length
        }
      }))
  })),

  changingSteps("lets the last outcome of a step decide", ["a step's state"], (step) =>
    step.status === "completed" ? { ...step, status: "failed" } : step
  ),
  changingSteps("counts a step's attempts from 1", ["a step's state"], (step) => ({
    ...step,
    attempt: step.attempt + 1
  })),
  changingSteps("forgets the arguments of steps", ["a step's state"], ({ input: _, ...step }) => step),
  changingRuns("forgets the attributes of a creation", ["a run's attributes"], (run) => ({
    ...run,
    attributes: Object.fromEntries(Object.entries(run.attributes).filter(([key]) => key !== "kept"))
  })),
  changingRuns("loses an attribute with an odd name", ["a run's attributes"], (run) => ({
    ...run,
    attributes: Object.assign({}, run.attributes)
  })),
  storage("lists runs backwards", ["the list of runs"], (sound) => ({
    listRuns: (params) => Effect.map(sound.listRuns(params), (page) => ({ ...page, data: page.data.toReversed() }))
  })),
  storage("lists runs of every status", ["the list of runs"], (sound) => ({
    listRuns: ({ status: _, ...params } = {}) => sound.listRuns(params)
  })),
  storage("lists hooks of every run", ["the list of hooks"], (sound) => ({
    listHooks: ({ runId: _, ...params } = {}) => sound.listHooks(params)
  })),
  storage("gives an event another time than it stores", ["the time of an event"], (sound) => ({
    list: (runId, params) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.map(sound.list(runId, params), (page) => ({
          ...page,
          data: page.data.map((event) => ({ ...event, createdAt: now }))
        }))
      )
  }))
]
