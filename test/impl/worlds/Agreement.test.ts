import { deepStrictEqual } from "node:assert"
import { describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import type { Answer, Claimed, CreateEventParams, EventInput, Topology } from "../../../impl/world/index.ts"
import {
  acknowledge,
  ask,
  hookCreated,
  hookReceived,
  inlineStarted,
  LEASE_MS,
  memorySubject,
  reject,
  runCancelled,
  runCompleted,
  runCreated,
  runFailed,
  runStarted,
  type Subject,
  sqliteSubject,
  stepCompleted,
  stepCreated,
  stepFailed,
  stepMessage,
  stepRetrying,
  stepStarted,
  wake
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
  | { readonly _tag: "List"; readonly run: string; readonly limit: number; readonly after: number }
  | { readonly _tag: "Look"; readonly run: string; readonly token: string }
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
  hookReceived(1, "t")
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
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("Look" as const), run, token: fc.constantFrom("t", "u") }) },
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

const createParams = (subject: Subject, { run, count, back }: Extract<Call, { _tag: "Create" }>) =>
  Effect.gen(function* () {
    if (count === 0) return {} satisfies CreateEventParams
    const page = yield* Effect.option(subject.events.list(run))
    const { seq, seqInBand } = page._tag === "Some" ? page.value.snapshot : { seq: 0, seqInBand: 0 }
    const eventCount = Math.max(0, seq - back)
    if (count === 3) return { inBand: true, eventCount } satisfies CreateEventParams
    return { inBand: true, eventCount, expectedSeqInBand: count === 1 ? seqInBand : seqInBand - 1 }
  })

/** Performs a call on one World and says what it came to. */
const perform = (subject: Subject, claims: ReadonlyArray<Claimed>, call: Call): Effect.Effect<unknown> => {
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
    case "Look":
      return Effect.all([
        outcomeOf(subject.events.getRun(call.run)),
        outcomeOf(subject.events.getHookByToken(call.token))
      ])
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
const compare = (topology: Topology, calls: ReadonlyArray<Call>, breakOne: (sound: Subject) => Subject = (s) => s) =>
  Effect.gen(function* () {
    const memory = yield* memorySubject(topology)
    const sqlite = breakOne(yield* sqliteSubject(topology))
    const claims: Array<Claimed> = []
    const drain = Array.from({ length: 40 }, (): Call => ({ _tag: "Claim" }))
    const ending: ReadonlyArray<Call> = [
      ...["wrun_1", "wrun_2"].map((run): Call => ({ _tag: "List", run, limit: 1_000, after: 0 })),
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

const holds = (topology: Topology, breakOne?: (sound: Subject) => Subject) =>
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
