/**
 * Worlds whose storage breaks one rule each, made from a sound one. Each names the checks that must notice.
 */
import { Effect } from "effect"
import {
  EntityConflictError,
  type EventPage,
  type EventStorageError,
  eventIdOf,
  type Run,
  RunExpiredError,
  slotOf,
  WorkflowWorldError
} from "../../../impl/world/index.ts"
import { runCreated, stepCompleted } from "../worlds/contract/Subject.ts"
import { accepted, answering, type Broken, countOf, creating, type Events, listing, lost, storage } from "./Broken.ts"

export const brokenStorage: ReadonlyArray<Broken> = [
  creating(
    "has no fence",
    ["an in-band write at a stale count", "several in-band writers"],
    (sound) => (runId, data, params) =>
      params.inBand !== true || params.expectedSeqInBand === undefined
        ? sound.create(runId, data, params)
        : Effect.flatMap(countOf(sound, runId), ({ seqInBand }) =>
            sound.create(runId, data, { ...params, expectedSeqInBand: seqInBand })
          )
  ),
  creating(
    "checks the fence apart from the append",
    ["several in-band writers"],
    (sound) => (runId, data, params) =>
      Effect.gen(function* () {
        if (params.inBand !== true || params.expectedSeqInBand === undefined)
          return yield* sound.create(runId, data, params)
        const { seqInBand } = yield* countOf(sound, runId)
        if (seqInBand !== params.expectedSeqInBand) return yield* sound.create(runId, data, params)
        yield* Effect.yieldNow
        const now = yield* countOf(sound, runId)
        return yield* sound.create(runId, data, { ...params, expectedSeqInBand: now.seqInBand })
      })
  ),
  creating(
    "fences only counts that are behind",
    ["an in-band write at a stale count"],
    (sound) => (runId, data, params) =>
      Effect.gen(function* () {
        const { seqInBand } = yield* countOf(sound, runId)
        const ahead = params.inBand === true && (params.expectedSeqInBand ?? 0) > seqInBand
        return yield* sound.create(runId, data, ahead ? { ...params, expectedSeqInBand: seqInBand } : params)
      })
  ),
  creating(
    "allocates before it refuses",
    ["an in-band write at a stale count", "writers of every kind"],
    (sound) => (runId, data, params) =>
      sound
        .create(runId, data, params)
        .pipe(
          Effect.tapError((error) =>
            error._tag === "InBandSupersededError" ? Effect.asVoid(sound.create(runId, stepCompleted(77))) : Effect.void
          )
        )
  ),
  creating(
    "answers a fence mismatch with a conflict",
    ["an in-band write at a stale count"],
    (sound) => (runId, data, params) =>
      sound
        .create(runId, data, params)
        .pipe(
          Effect.mapError((error) =>
            error._tag === "InBandSupersededError"
              ? new EntityConflictError({ runId, eventType: data.eventType, conflict: "duplicate" })
              : error
          )
        )
  ),
  creating(
    "looks at the run's end before the fence",
    ["a stale in-band write that would also conflict"],
    (sound) => (runId, data, params) =>
      Effect.gen(function* () {
        const run = yield* sound.getRun(runId)
        if (run.terminal !== undefined) return yield* new RunExpiredError({ runId, eventType: data.eventType })
        return yield* sound.create(runId, data, params)
      })
  ),
  creating(
    "looks at the entity before the fence",
    ["a stale in-band write that would also conflict"],
    (sound) => (runId, data, params) =>
      Effect.gen(function* () {
        const { data: events } = yield* sound.list(runId)
        const exists =
          data.eventType === "hook_created" &&
          events.some((event) => event.eventType === "hook_created" && event.correlationId === data.correlationId)
        if (exists) return yield* new EntityConflictError({ runId, eventType: data.eventType, conflict: "duplicate" })
        return yield* sound.create(runId, data, params)
      })
  ),
  creating(
    "takes an in-band write without a count",
    ["an in-band write without its count"],
    (sound) => (runId, data, params) =>
      Effect.flatMap(countOf(sound, runId), ({ seqInBand }) =>
        sound.create(runId, data, { expectedSeqInBand: seqInBand, ...params })
      )
  ),
  creating(
    "takes an in-band write without its position",
    ["an in-band write without the slot"],
    (sound) => (runId, data, params) =>
      Effect.flatMap(countOf(sound, runId), ({ seq }) => {
        const eventCount = Math.max(0, Math.min(seq, params.eventCount ?? seq))
        return sound.create(runId, data, { ...params, eventCount })
      })
  ),
  creating(
    "counts an out-of-band step outcome in-band",
    ["an out-of-band write"],
    (sound) => (runId, data, params) =>
      Effect.flatMap(countOf(sound, runId), ({ seq, seqInBand }) =>
        sound.create(
          runId,
          data,
          params.inBand === true ? params : { inBand: true, expectedSeqInBand: seqInBand, eventCount: seq }
        )
      )
  ),
  answering("says that it allocated nothing", ["an in-band write at the current count"], (result) => ({
    ...result,
    allocated: 0
  })),
  answering("reports nothing", ["an in-band write above other events"], (result) => ({ ...result, events: [] })),
  answering("reports the write itself as well", ["an in-band write above other events"], (result) => ({
    ...result,
    events: [...result.events, result.event]
  })),
  answering("calls a cut report complete", ["a report larger than a page"], (result) => ({
    ...result,
    hasMore: false
  })),
  answering("answers every writer with slot 2", ["writers of every kind"], (result) => ({
    ...result,
    event: { ...result.event, eventId: eventIdOf(2) }
  })),
  creating("ignores occurredAt", ["the time of an event"], (sound) => (runId, data, params) => {
    const { occurredAt: _, ...rest } = params
    return sound.create(runId, data, rest)
  }),
  creating(
    "takes starts after the run's end",
    ["a run that has ended: takes no start"],
    (sound) => (runId, data, params) =>
      sound
        .create(runId, data, params)
        .pipe(Effect.catchTag("RunExpiredError", () => Effect.succeed(accepted(runId, data))))
  ),
  creating(
    "burns a slot on a refused start",
    ["a run that has ended: takes no start"],
    (sound) => (runId, data, params) =>
      sound
        .create(runId, data, params)
        .pipe(
          Effect.tapError((error) =>
            error._tag === "RunExpiredError" ? Effect.asVoid(sound.create(runId, stepCompleted(77))) : Effect.void
          )
        )
  ),
  creating(
    "refuses outcomes after the run's end",
    ["a run that has ended: still takes the outcomes"],
    (sound) => (runId, data, params) =>
      Effect.gen(function* () {
        const run = yield* sound.getRun(runId)
        const outcome = data.eventType === "step_completed" || data.eventType === "step_failed"
        if (outcome && run.terminal !== undefined)
          return yield* new RunExpiredError({ runId, eventType: data.eventType })
        return yield* sound.create(runId, data, params)
      })
  ),
  creating(
    "takes a second end",
    ["a run that has ended: takes no second end"],
    (sound) => (runId, data, params) =>
      sound
        .create(runId, data, params)
        .pipe(Effect.catchTag("EntityConflictError", () => sound.create(runId, stepCompleted(77))))
  ),
  creating(
    "starts a step that has its outcome",
    ["a start from outside of a step that has its outcome"],
    (sound) => (runId, data, params) =>
      sound
        .create(runId, data, params)
        .pipe(Effect.catchTag("EntityConflictError", () => Effect.succeed(accepted(runId, data))))
  ),
  creating(
    "takes a slot for the start of a step that has its outcome",
    ["a start from outside of a step that has its outcome"],
    (sound) => (runId, data, params) => {
      const burn = Effect.ignore(sound.create(runId, stepCompleted(77)))
      return Effect.tapError(sound.create(runId, data, params), () => burn)
    }
  ),
  creating(
    "starts no step once any step has its outcome",
    ["a start from outside of a step that has none"],
    (sound) => (runId, data, params) =>
      Effect.gen(function* () {
        const { data: events } = yield* sound.list(runId)
        if (data.eventType === "step_started" && events.some(({ eventType }) => eventType === "step_completed")) {
          return yield* new EntityConflictError({ runId, eventType: data.eventType, conflict: "step-ended" })
        }
        return yield* sound.create(runId, data, params)
      })
  ),
  creating(
    "refuses a second step_started",
    ["step events without a fitting lifecycle", "a start from outside of a step that has none"],
    (sound) => (runId, data, params) =>
      Effect.gen(function* () {
        const { data: events } = yield* sound.list(runId)
        if (data.eventType === "step_started" && events.some(({ eventType }) => eventType === "step_started")) {
          return yield* new EntityConflictError({ runId, eventType: data.eventType, conflict: "duplicate" })
        }
        return yield* sound.create(runId, data, params)
      })
  ),
  storage("counts run_created twice", ["run_created for a run that exists"], (sound) => ({
    create: (runId, data, params) =>
      Effect.map(sound.create(runId, data, params), (result) => ({ ...result, allocated: 1 }))
  })),
  storage("mints one id for every run", ["runs created without an id"], (sound) => ({
    create: (runId, data, params) => sound.create(runId ?? "wrun_one", data, params)
  })),
  listing("counts the events it lists instead of the slots", ["a log of several pages"], (page) => ({
    ...page,
    snapshot: { ...page.snapshot, seq: page.data.length }
  })),
  listing("counts run_created out-of-band", ["a new run"], (page) => ({
    ...page,
    snapshot: { ...page.snapshot, seqInBand: page.snapshot.seqInBand - 1 }
  })),
  storage("skips the first event of every later page", ["a log of several pages"], (sound) => ({
    list: (runId, params) =>
      Effect.map(sound.list(runId, params), (page) =>
        params?.cursor === undefined ? page : { ...page, data: page.data.slice(1) }
      )
  })),
  storage("ignores the limit", ["a log of several pages", "a page that cannot be"], (sound) => ({
    list: (runId, params) => sound.list(runId, params?.cursor === undefined ? {} : { cursor: params.cursor })
  })),
  lost("step_created", "creatorMessageId"),
  lost("step_retrying", "creatorMessageId"),
  lost("step_started", "inline"),
  lost("step_failed", "attempt"),
  lost("hook_received", "payload"),
  storage("never forgets a token", ["a hook's token"], (sound) => {
    const seen = new Map<string, Effect.Success<ReturnType<Events["getHookByToken"]>>>()
    return {
      getHookByToken: (token) =>
        sound.getHookByToken(token).pipe(
          Effect.tap((hook) => Effect.sync(() => seen.set(token, hook))),
          Effect.catchTag("HookNotFoundError", (error) => {
            const hook = seen.get(token)
            return hook === undefined ? Effect.fail(error) : Effect.succeed(hook)
          })
        )
    }
  }),
  creating(
    "takes a token that is in use",
    ["a token in use"],
    (sound) => (runId, data, params) =>
      Effect.map(sound.create(runId, data, params), (result) =>
        result.event.eventType === "hook_conflict" ? accepted(runId, data) : result
      )
  ),
  creating(
    "refuses a token that is in use, and writes nothing",
    ["a token in use"],
    (sound) => (runId, data, params) =>
      Effect.gen(function* () {
        const { eventType } = data
        const isTaken =
          data.eventType === "hook_created" &&
          (yield* Effect.option(sound.getHookByToken(data.eventData.token)))._tag === "Some"
        if (isTaken) return yield* new EntityConflictError({ runId, eventType, conflict: "duplicate" })
        return yield* sound.create(runId, data, params)
      })
  ),
  creating(
    "takes a payload for no hook",
    ["a payload for a hook"],
    (sound) => (runId, data, params) =>
      sound
        .create(runId, data, params)
        .pipe(Effect.catchTag("HookNotFoundError", () => sound.create(runId, stepCompleted(77))))
  ),
  storage("creates a run that is written to", ["a run that does not exist"], (sound) => ({
    create: (runId, data, params) =>
      sound.create(runId, data, params).pipe(Effect.catchTag("RunNotFoundError", () => sound.create(runId, runCreated)))
  })),
  storage("answers for a run that does not exist", ["a run that does not exist"], (sound) => ({
    list: (runId, params) =>
      sound
        .list(runId, params)
        .pipe(
          Effect.catchTag("RunNotFoundError", () =>
            Effect.succeed<EventPage>({ data: [], cursor: null, hasMore: false, snapshot: { seq: 0, seqInBand: 0 } })
          )
        )
  })),
  storage("lets the last event decide the status", ["a run's status"], (sound) => ({
    getRun: (runId) =>
      Effect.gen(function* () {
        const run = yield* sound.getRun(runId)
        const { data } = yield* sound.list(runId)
        const { terminal: _, ...open } = run
        return slotOf(data.at(-1)!) > slotOf(run.terminal ?? data.at(-1)!)
          ? ({ ...open, status: "running" } satisfies Run)
          : run
      })
  })),
  storage(
    "says 500 where the caller is wrong",
    ["a page that cannot be", "an in-band write without its count"],
    (sound) => {
      const blame = <A>(call: Effect.Effect<A, EventStorageError>) =>
        Effect.mapError(call, (error) =>
          error._tag === "WorkflowWorldError"
            ? new WorkflowWorldError({ status: 500, code: error.code, message: error.message })
            : error
        )
      return {
        create: (runId, data, params) => blame(sound.create(runId, data, params)),
        list: (runId, params) => blame(sound.list(runId, params))
      }
    }
  ),
  storage("lets a second end decide", ["a run that has ended: keeps its first end"], (sound) => {
    const ends = new Map<string, Run["status"]>()
    return {
      create: (runId, data, params) => {
        if (data.eventType === "run_completed" && runId !== null) ends.set(runId, "completed")
        return sound.create(runId, data, params)
      },
      getRun: (runId) => Effect.map(sound.getRun(runId), (run) => ({ ...run, status: ends.get(runId) ?? run.status }))
    }
  }),
  storage("lists what the snapshot counts only later", ["a log that is read while others write"], (sound) => ({
    list: (runId, params) =>
      Effect.map(sound.list(runId, params), (page) => ({
        ...page,
        snapshot: { ...page.snapshot, seq: page.snapshot.seq + 1 }
      }))
  })),
  storage("creates no run by a start", ["a start that carries a creation"], (sound) => ({
    create: (runId, data, params) =>
      data.eventType === "run_started"
        ? sound.create(runId, { ...data, eventData: {} }, params)
        : sound.create(runId, data, params)
  })),
  creating(
    "takes a wait after the run's end",
    ["waits of a run that has ended"],
    (sound) => (runId, data, params) =>
      data.eventType === "wait_created"
        ? sound
            .create(runId, data, params)
            .pipe(Effect.catchTag("RunExpiredError", () => Effect.succeed(accepted(runId, data))))
        : sound.create(runId, data, params)
  ),
  creating(
    "refuses to complete a wait after the run's end",
    ["waits of a run that has ended"],
    (sound) => (runId, data, params) =>
      Effect.gen(function* () {
        const run = yield* sound.getRun(runId)
        const { eventType } = data
        if (eventType === "wait_completed" && run.terminal !== undefined)
          return yield* new RunExpiredError({ runId, eventType })
        return yield* sound.create(runId, data, params)
      })
  ),
  storage("takes ids apart at a slash", ["ids, names and texts"], (sound) => ({
    create: (runId, data, params) => sound.create(runId?.split("/")[0] ?? null, data, params),
    list: (runId, params) => sound.list(runId.split("/")[0] ?? "", params)
  })),
  listing("cuts long texts", ["an event of a megabyte"], (page) => ({
    ...page,
    data: page.data.map((event) =>
      event.eventType === "step_completed"
        ? { ...event, eventData: { ...event.eventData, result: event.eventData.result.slice(0, 65_536) } }
        : event
    )
  })),
  creating("asks nothing of a start from outside", ["a start from outside of a step that has its outcome"], (sound) => {
    return (runId, data, params) =>
      sound
        .create(runId, data, params)
        .pipe(Effect.catchTag("EntityConflictError", () => Effect.succeed(accepted(runId, data))))
  })
]
