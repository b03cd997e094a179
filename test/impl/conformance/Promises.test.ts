import { deepStrictEqual, ok, strictEqual } from "node:assert"
import { Effect, Stream } from "effect"
import { describe, expect, test } from "vitest"
import { checks, conformance, type Open, subjectOf } from "../../../impl/conformance/index.ts"
import {
  EntityConflictError,
  HookNotFoundError,
  InBandSupersededError,
  RunExpiredError,
  RunNotFoundError,
  WorkflowWorldError
} from "../../../impl/world/index.ts"
import { fromPromises, type PromiseWorld, toPromises } from "../../../impl/world/promises/index.ts"
import {
  inBand,
  openMemory,
  openSqlite,
  PAGE_SIZE,
  runCreated,
  runStarted,
  stepStarted
} from "../worlds/contract/Subject.ts"

/** A World of this project as the documents', and that as one of this project again. Its queue is seen by `serve` alone. */
const roundTrip =
  (openWorld: typeof openMemory | typeof openSqlite): Open =>
  (topology = "coalescing") =>
    Effect.gen(function* () {
      const { world } = yield* openWorld(topology)
      const back = fromPromises(yield* toPromises(world))
      return yield* subjectOf(back, { time: "virtual", pageSize: PAGE_SIZE, patienceMs: 25 })
    })

conformance("memory, as Promises and back", roundTrip(openMemory), { describe, test }, checks)
conformance("sqlite, as Promises and back", roundTrip(openSqlite), { describe, test }, checks)

const fail =
  (status: number, fields: object = {}) =>
  async (): Promise<never> => {
    throw Object.assign(new Error("refused"), { status, ...fields })
  }

/** A World of which one part is given. */
const partial = (part: Partial<PromiseWorld["events"]>, rest: Partial<PromiseWorld> = {}): PromiseWorld => {
  const none = fail(500)
  return {
    specVersion: 9,
    events: { create: none, list: none, ...part },
    runs: { get: none, list: none },
    steps: { get: none, list: none },
    hooks: { getByToken: none, list: none },
    queue: none,
    createQueueHandler: () => none,
    ...rest
  }
}

describe("a World of the documents' shape", () => {
  test("what it rejects with: becomes the contract's error of that status", async () => {
    const refusal = (status: number, fields: object = {}) =>
      Effect.runPromise(
        Effect.flip(
          fromPromises(partial({ create: fail(status, fields) })).events.create("wrun_1", stepStarted(1), inBand(3, 3))
        )
      )
    const superseded = await refusal(412, { code: "in-band-superseded", seqInBand: 5 })
    ok(superseded instanceof InBandSupersededError)
    deepStrictEqual([superseded.runId, superseded.expectedSeqInBand, superseded.seqInBand], ["wrun_1", 3, 5])
    ok((await refusal(410)) instanceof RunExpiredError)
    ok((await refusal(409, { conflict: "run-ended" })) instanceof EntityConflictError)
    ok((await refusal(404)) instanceof RunNotFoundError)
    const claimed = await refusal(409, { claimedBy: { runId: "a", hookId: "b" } })
    strictEqual(claimed._tag, "HookForceClaimedError")
    const other = await refusal(429, { code: "throttled" })
    ok(other instanceof WorkflowWorldError)
    deepStrictEqual([other.status, other.code], [429, "throttled"])
    const hooks = { getByToken: fail(404), list: fail(500) }
    const missing = await Effect.runPromise(
      Effect.flip(fromPromises(partial({}, { hooks })).events.getHookByToken("t"))
    )
    ok(missing instanceof HookNotFoundError && missing.token === "t")
  })

  test("an answer that is not of the contract: is a failure of the World, and no event (WORLD-31)", async () => {
    const event = { eventId: "evnt_1", runId: "wrun_1", createdAt: new Date(7), ...runCreated }
    const listing = (page: object) =>
      Effect.runPromise(
        Effect.result(
          fromPromises(
            partial({ list: async () => ({ data: [event], cursor: null, hasMore: false, ...page }) })
          ).events.list("wrun_1")
        )
      )
    const sound = await listing({ snapshot: { seq: 1, seqInBand: 1 } })
    ok(sound._tag === "Success")
    expect(sound.success.data[0]).toMatchObject({ eventId: "evnt_0000000000000001", createdAt: 7 })
    for (const page of [
      {},
      { snapshot: { seq: 1, seqInBand: 1 }, data: [{ ...event, eventType: "odd" }] },
      { snapshot: { seq: 1, seqInBand: 1 }, data: [{ ...event, eventId: "7" }] },
      { snapshot: { seq: 1, seqInBand: 1 }, data: [{ ...event, createdAt: new Date(Number.NaN) }] }
    ]) {
      const answer = await listing(page)
      ok(answer._tag === "Failure" && answer.failure._tag === "WorkflowWorldError")
      deepStrictEqual([answer.failure.status, answer.failure.code], [502, "unreadable"])
    }
  })

  test("a read that its caller gives up on: is aborted (WORLD-57)", async () => {
    let aborted = false
    const list: PromiseWorld["events"]["list"] = ({ signal }) =>
      new Promise((_, reject) =>
        signal?.addEventListener("abort", () => {
          aborted = true
          reject(new Error("aborted"))
        })
      )
    await Effect.runPromise(Effect.timeoutOption(fromPromises(partial({ list })).events.list("wrun_1"), "10 millis"))
    strictEqual(aborted, true)
  })

  test("a feed that is lost: ends with the error that it was told of, and is unsubscribed from (WORLD-56)", async () => {
    let subscribed = 0
    const subscribe: PromiseWorld["events"]["subscribe"] = (_runId, _after, onEvent, options) => {
      subscribed++
      onEvent({ eventId: "evnt_2", runId: "wrun_1", createdAt: new Date(0), ...runStarted })
      options?.onError?.(Object.assign(new Error("gone"), { status: 503, code: "feed-lost" }))
      return () => {
        subscribed--
      }
    }
    const feed = fromPromises(partial({ subscribe })).events.subscribe?.("wrun_1", 1)
    ok(feed !== undefined)
    const seen: Array<string> = []
    const error = await Effect.runPromise(
      Effect.flip(Stream.runForEach(feed, (item) => Effect.sync(() => seen.push(item._tag))))
    )
    deepStrictEqual([seen, error.status, subscribed], [["Committed"], 503, 0])
  })

  test("no capability stated: none is assumed (WORLD-03)", () => {
    const { capabilities, topology } = fromPromises(partial({}))
    deepStrictEqual([capabilities.inBandFence, capabilities.hookForceClaim, topology], [false, false, "unserialized"])
  })
})

describe("a World of this project in the documents' shape", () => {
  test("times are Dates, errors keep their status and code, and nothing is pushed to it", async () => {
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const { world } = yield* openMemory()
          const theirs = yield* toPromises(world)
          yield* Effect.promise(async () => {
            const { event } = await theirs.events.create("wrun_1", runCreated)
            ok(event.createdAt instanceof Date)
            const resumeAt = new Date(5_000)
            const wait = { eventType: "wait_created", specVersion: 9, correlationId: "wait_1" }
            const params = { inBand: true, expectedSeqInBand: 1, eventCount: 1, occurredAt: new Date(3) }
            const created = await theirs.events.create(
              "wrun_1",
              { ...wait, eventData: { resumeAt, creatorMessageId: "m" } },
              params
            )
            deepStrictEqual([created.event.eventData?.resumeAt, created.event.createdAt], [resumeAt, new Date(3)])
            await expect(theirs.events.create("wrun_1", runStarted, params)).rejects.toMatchObject({
              status: 412,
              code: "in-band-superseded",
              seqInBand: 2
            })
            await expect(theirs.events.create("wrun_1", { eventType: "odd" })).rejects.toMatchObject({ status: 400 })
            await expect(theirs.queue("q", { nothing: true })).rejects.toMatchObject({ status: 400 })
            await expect(theirs.steps.get("wrun_1", "step_9")).rejects.toMatchObject({ status: 404 })
            const pushed = await theirs.createQueueHandler("q", async () => undefined)(new Request("http://localhost/"))
            strictEqual(pushed.status, 501)
          })
        })
      )
    )
  })
})
