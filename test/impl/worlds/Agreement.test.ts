import { deepStrictEqual, ok } from "node:assert"
import { describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import type { Answer, Claimed, CreateEventParams, EventInput, Topology } from "../../../impl/world/index.ts"
import {
  acknowledge,
  ask,
  attributesSet,
  creatingStart,
  hookCreated,
  hookDisposed,
  hookReceived,
  inlineStarted,
  LEASE_MS,
  openMemory,
  openSqlite,
  type Parts,
  partsOf,
  reject,
  runCancelled,
  runCompleted,
  runCreated,
  runFailed,
  runStarted,
  stepCompleted,
  stepCreated,
  stepFailed,
  stepMessage,
  stepRetrying,
  stepStarted,
  waitCompleted,
  waitCreated,
  wake,
  wakeRequested
} from "./contract/Subject.ts"

/** One random call. Leases and counts are named by where they come from, because they are known only when it runs. */
type Call =
  | {
      readonly _tag: "Create"
      readonly run: string
      readonly data: EventInput
      readonly count: number
      readonly back: number
    }
  | {
      readonly _tag: "Batch"
      readonly run: string
      readonly items: ReadonlyArray<EventInput>
      readonly count: number
      readonly back: number
    }
  | { readonly _tag: "Look"; readonly run: string; readonly token: string; readonly limit: number; readonly at: number }
  | {
      readonly _tag: "Stream"
      readonly run: string
      readonly name: string
      readonly bytes: number
      readonly limit: number
    }
  | { readonly _tag: "List"; readonly run: string; readonly limit: number; readonly after: number }
  | {
      readonly _tag: "Send"
      readonly run: string
      readonly step: number
      readonly key: number
      readonly delaySeconds: number
    }
  | { readonly _tag: "Claim" }
  | { readonly _tag: "Answer"; readonly lease: number; readonly answer: Answer }
  | { readonly _tag: "Renew" | "Release"; readonly lease: number }
  | { readonly _tag: "Advance"; readonly ms: number }

const run = fc.constantFrom("wrun_1", "wrun_2")
const data = fc.constantFrom<Array<EventInput>>(
  runCreated,
  runStarted,
  runCompleted,
  runFailed,
  runCancelled,
  stepCreated(1),
  inlineStarted(2),
  stepStarted(1),
  stepRetrying(1),
  stepCompleted(1),
  stepFailed(1),
  hookCreated(1, "t"),
  hookCreated(2, "u"),
  hookCreated(3, "t", { force: true }),
  hookCreated(4, "u", { tokenRetentionUntil: 1_000_000, metadata: "m" }),
  hookReceived(1, "t"),
  hookReceived(4, "u", "r"),
  hookDisposed(1),
  hookDisposed(4),
  waitCreated(5),
  waitCompleted(5),
  wakeRequested(5),
  attributesSet("a", "1"),
  attributesSet("__proto__", "2"),
  attributesSet("a", null),
  creatingStart
)
const batchable = fc.constantFrom<Array<EventInput>>(
  stepCreated(1),
  inlineStarted(2),
  stepStarted(1),
  stepRetrying(2),
  stepCompleted(1),
  stepFailed(2),
  waitCreated(5),
  waitCompleted(5)
)
const lease = fc.nat(12)
const answer = fc.constantFrom(acknowledge, acknowledge, reject, ask(0), ask(1), ask(20))

const call: fc.Arbitrary<Call> = fc.oneof(
  {
    weight: 5,
    // `count` 0: out-of-band; 1 to 3: in-band at the current count, one behind, or without a count.
    arbitrary: fc.record({
      _tag: fc.constant("Create" as const),
      run,
      data,
      count: fc.constantFrom(0, 0, 1, 1, 1, 1, 2, 3),
      back: fc.nat(14)
    })
  },
  {
    weight: 1,
    arbitrary: fc.record({
      _tag: fc.constant("List" as const),
      run,
      limit: fc.integer({ min: -1, max: 12 }),
      after: fc.nat(9)
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      _tag: fc.constant("Batch" as const),
      run,
      items: fc.array(fc.oneof({ weight: 9, arbitrary: batchable }, { weight: 1, arbitrary: data }), { maxLength: 6 }),
      count: fc.constantFrom(0, 1, 1, 1, 2, 3),
      back: fc.nat(14)
    })
  },
  {
    weight: 1,
    arbitrary: fc.record({
      _tag: fc.constant("Look" as const),
      run,
      token: fc.constantFrom("t", "u"),
      limit: fc.constantFrom(1, 2, 50),
      at: fc.nat(3)
    })
  },
  {
    weight: 1,
    arbitrary: fc.record({
      _tag: fc.constant("Stream" as const),
      run,
      name: fc.constantFrom("a", "b"),
      bytes: fc.integer({ min: -1, max: 3 }),
      limit: fc.integer({ min: 0, max: 4 })
    })
  },
  {
    weight: 4,
    arbitrary: fc.record({
      _tag: fc.constant("Send" as const),
      run,
      step: fc.nat(2),
      key: fc.nat(3),
      delaySeconds: fc.constantFrom(0, 0, 0, 1.5, 25, -1)
    })
  },
  { weight: 5, arbitrary: fc.record({ _tag: fc.constant("Claim" as const) }) },
  { weight: 5, arbitrary: fc.record({ _tag: fc.constant("Answer" as const), lease, answer }) },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constantFrom("Renew" as const, "Release" as const), lease }) },
  {
    weight: 2,
    arbitrary: fc.record({
      _tag: fc.constant("Advance" as const),
      ms: fc.constantFrom(1, 500, 1_000, 1_500, LEASE_MS - 1, LEASE_MS, 400_000)
    })
  }
)

/** What a call came to, as data that two Worlds can be compared by. */
const outcomeOf = <A>(effect: Effect.Effect<A, unknown>): Effect.Effect<unknown> =>
  Effect.map(Effect.exit(effect), (exit) =>
    Exit.isSuccess(exit)
      ? { success: exit.value }
      : {
          failure: exit.cause.reasons.map((reason) =>
            Cause.isFailReason(reason) ? { ...Object(reason.error) } : reason
          )
        }
  )

const createParams = (
  subject: Parts,
  { run, count, back }: { readonly run: string; readonly count: number; readonly back: number }
) =>
  Effect.gen(function* () {
    if (count === 0) return {} satisfies CreateEventParams
    const page = yield* Effect.option(subject.events.list(run))
    const { seq, seqInBand } = page._tag === "Some" ? page.value.snapshot : { seq: 0, seqInBand: 0 }
    const eventCount = Math.max(0, seq - back)
    if (count === 3) return { inBand: true, eventCount } satisfies CreateEventParams
    return { inBand: true, eventCount, expectedSeqInBand: count === 1 ? seqInBand : seqInBand - 1 }
  })

/** Performs a call on one World and says what it came to. */
const perform = (subject: Parts, claims: ReadonlyArray<Claimed>, call: Call): Effect.Effect<unknown> => {
  const claim = "lease" in call ? claims[call.lease % Math.max(1, claims.length)] : undefined
  switch (call._tag) {
    case "Create":
      return outcomeOf(
        Effect.flatMap(createParams(subject, call), (params) => subject.events.create(call.run, call.data, params))
      )
    case "List":
      return outcomeOf(
        subject.events.list(call.run, {
          limit: call.limit,
          ...(call.after === 0 ? {} : { cursor: `evnt_${String(call.after).padStart(16, "0")}` })
        })
      )
    case "Batch":
      return outcomeOf(
        Effect.gen(function* () {
          const { createBatch } = subject.events
          ok(createBatch !== undefined)
          return yield* createBatch(call.run, call.items, yield* createParams(subject, call))
        })
      )
    case "Look": {
      const { run: runId, token, limit, at } = call
      const cursor = at === 0 ? {} : { cursor: `step_${at}` }
      const status = at === 1 ? {} : ({ status: at === 2 ? "running" : "failed" } as const)
      return Effect.all([
        outcomeOf(subject.events.getRun(runId)),
        outcomeOf(subject.events.getHookByToken(token)),
        outcomeOf(subject.events.listRuns({ ...status, limit })),
        outcomeOf(subject.events.listRuns({ cursor: runId, limit })),
        outcomeOf(subject.events.getStep(runId, `step_${at}`)),
        outcomeOf(subject.events.listSteps(runId, { ...cursor, limit })),
        outcomeOf(subject.events.listHooks(at === 0 ? { limit } : { runId, limit })),
        outcomeOf(subject.events.listHooks({ cursor: JSON.stringify([runId, `hook_${at}`]), limit }))
      ])
    }
    case "Stream": {
      const { run: runId, name, bytes, limit } = call
      const { streams } = subject
      if (streams === undefined) return Effect.die("The World has no streams.")
      const chunks = Array.from({ length: bytes }, (_, n) => new Uint8Array(n).fill(7))
      return Effect.all([
        outcomeOf(bytes < 0 ? streams.close(runId, name) : streams.write(runId, name, chunks)),
        outcomeOf(streams.info(runId, name)),
        outcomeOf(streams.chunks(runId, name, { limit, cursor: "1" })),
        outcomeOf(streams.chunks(runId, name)),
        outcomeOf(streams.list(runId))
      ])
    }
    case "Send":
      return outcomeOf(
        subject.send(call.step === 0 ? wake(call.run) : stepMessage(call.step, call.run), {
          delaySeconds: call.delaySeconds,
          ...(call.key === 0 ? {} : { idempotencyKey: `key ${call.key}` })
        })
      )
    case "Claim":
      return outcomeOf(subject.deliveries.claim)
    case "Answer":
      return claim === undefined ? Effect.void : outcomeOf(subject.deliveries.answer(claim.lease, call.answer))
    case "Renew":
      return claim === undefined ? Effect.void : outcomeOf(subject.deliveries.renew(claim.lease))
    case "Release":
      return claim === undefined ? Effect.void : outcomeOf(Effect.asVoid(subject.deliveries.release(claim.lease)))
    case "Advance":
      return Effect.void
  }
}

const isClaim = (outcome: unknown): outcome is { readonly success: Claimed } =>
  typeof outcome === "object" && outcome !== null && "success" in outcome && outcome.success !== undefined

/** Runs the calls on both Worlds side by side and compares every answer, then both logs and what is left to deliver. */
const compare = (topology: Topology, calls: ReadonlyArray<Call>, breakOne: (sound: Parts) => Parts = (s) => s) =>
  Effect.gen(function* () {
    const memory = partsOf(yield* openMemory(topology))
    const sqlite = breakOne(partsOf(yield* openSqlite(topology)))
    const claims: Array<Claimed> = []
    const drain = Array.from({ length: 40 }, (): Call => ({ _tag: "Claim" }))
    const ending: ReadonlyArray<Call> = [
      ...["wrun_1", "wrun_2"].flatMap(
        (run): ReadonlyArray<Call> => [
          { _tag: "List", run, limit: 1_000, after: 0 },
          { _tag: "Look", run, token: "u", limit: 9, at: 1 }
        ]
      ),
      ...drain,
      { _tag: "Advance", ms: 1_000_000 },
      ...drain
    ]
    for (const call of [...calls, ...ending]) {
      if (call._tag === "Advance") yield* TestClock.adjust(call.ms)
      const expected = yield* perform(memory, claims, call)
      const actual = yield* perform(sqlite, claims, call)
      deepStrictEqual(actual, expected, JSON.stringify(call))
      if (call._tag === "Claim" && isClaim(expected)) claims.push(expected.success)
    }
  })

const holds = (topology: Topology, breakOne?: (sound: Parts) => Parts) =>
  fc.asyncProperty(fc.array(call, { minLength: 20, maxLength: 80 }), (calls) =>
    Effect.runPromise(Effect.scoped(compare(topology, calls, breakOne)).pipe(Effect.provide(TestClock.layer())))
  )

describe("random calls on both Worlds", () => {
  for (const topology of ["gated", "coalescing", "unserialized"] as const) {
    it(`${topology}: are answered alike`, () => fc.assert(holds(topology), { numRuns: 300 }))
  }

  it("a World that counts a handoff as an attempt: is told apart", async () => {
    const details = await fc.check(
      holds("coalescing", (sound) => ({
        ...sound,
        deliveries: {
          ...sound.deliveries,
          claim: Effect.map(
            sound.deliveries.claim,
            (found) => found && { ...found, meta: { ...found.meta, attempt: found.meta.deliveryCount } }
          )
        }
      })),
      { numRuns: 300 }
    )
    deepStrictEqual(details.failed, true)
  })
})
