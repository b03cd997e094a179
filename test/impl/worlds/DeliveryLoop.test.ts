import { deepStrictEqual, ok, strictEqual } from "node:assert"
import { describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Scope } from "effect"
import { TestClock } from "effect/testing"
import {
  DeliveryObserver,
  type HandlerResult,
  type MessageMeta,
  WorkflowWorldError
} from "../../../impl/world/index.ts"
import { serveFrom } from "../../../impl/worlds/DeliveryLoop.ts"
import * as Memory from "../../../impl/worlds/memory/index.ts"
import * as Sqlite from "../../../impl/worlds/sqlite/index.ts"
import { LEASE_MS, stepMessage, wake } from "./contract/Subject.ts"

const worlds = [
  ["memory", (concurrency = 64) => Effect.sync(() => Memory.make({ concurrency }))],
  [
    "sqlite",
    (concurrency = 64) => Sqlite.make({ path: ":memory:", durability: "process", concurrency, pollMs: 86_400_000 })
  ]
] as const

/** Lets every fiber that can run do so, and time-driven ones too, for `ms` of the test's time. */
const settle = (ms = 0) => Effect.andThen(TestClock.adjust(ms), TestClock.adjust(0))

type Seen = readonly [deliveryCount: number, attempt: number]
const seen = ({ deliveryCount, attempt }: MessageMeta): Seen => [deliveryCount, attempt]

for (const [name, make] of worlds) {
  describe(`serve on ${name}`, () => {
    it.effect("a handler's results: acknowledge, ask again, hand off and reject, in one message's life", () =>
      Effect.gen(function* () {
        const { world } = yield* make()
        const results: Array<Effect.Effect<HandlerResult, string>> = [
          Effect.succeed({ timeoutSeconds: 2 }),
          Effect.fail("no"),
          Effect.die("worse"),
          Effect.succeed({ timeoutSeconds: 0 }),
          Effect.succeed({ timeoutSeconds: Number.NaN }),
          Effect.void
        ]
        const deliveries: Array<Seen> = []
        yield* world.queue.serve((_payload, meta) => {
          deliveries.push(seen(meta))
          return results[deliveries.length - 1] ?? Effect.void
        })
        yield* world.queue.send(wake())
        const callsAfter = Effect.fnUntraced(function* (ms: number, count: number) {
          yield* settle(ms)
          strictEqual(deliveries.length, count)
        })
        yield* callsAfter(0, 1)
        yield* callsAfter(1_999, 1)
        yield* callsAfter(1, 2)
        yield* callsAfter(2_000, 3)
        // The handoff follows the third attempt at once.
        yield* callsAfter(4_000, 5)
        // Not a number of seconds: the longest wait, and counted. (QUEUE-07)
        yield* callsAfter(899_999, 5)
        yield* callsAfter(1, 6)
        yield* callsAfter(10_000_000, 6)
        deepStrictEqual(deliveries, [
          [1, 1],
          [2, 2],
          [3, 3],
          [4, 4],
          [5, 4],
          [6, 5]
        ])
      })
    )

    it.effect("a wake during a delivery: runs its handler again in the same invocation (COAL-03, COAL-06)", () =>
      Effect.gen(function* () {
        const { world } = yield* make()
        const release = yield* Deferred.make<void>()
        const metas: Array<MessageMeta> = []
        yield* world.queue.serve((_payload, meta) => {
          metas.push(meta)
          return metas.length === 1 ? Deferred.await(release) : Effect.void
        })
        yield* world.queue.send(wake())
        yield* settle()
        yield* world.queue.send(wake())
        yield* settle(5)
        strictEqual(metas.length, 1)
        yield* Deferred.succeed(release, undefined)
        yield* settle(LEASE_MS)
        deepStrictEqual(metas.map(seen), [
          [1, 1],
          [2, 1]
        ])
        strictEqual(metas[1]?.invocationStartedAt, metas[0]?.invocationStartedAt)
      })
    )

    it.effect("a handler that outlasts its lease: keeps it by renewal, and is not overlapped", () =>
      Effect.gen(function* () {
        const { world } = yield* make()
        let calls = 0
        yield* world.queue.serve(() => {
          calls++
          return Effect.sleep(10 * LEASE_MS)
        })
        yield* world.queue.send(wake())
        for (let third = 0; third < 40; third++) yield* settle(LEASE_MS / 3)
        strictEqual(calls, 1)
      })
    )

    it.effect("a handler whose lease lapses: runs on, and its answer is stale (FENCE-04)", () =>
      Effect.gen(function* () {
        const { world, deliveries } = yield* make()
        const release = yield* Deferred.make<void>()
        const answers: Array<string> = []
        let calls = 0
        const stalled = { ...deliveries, renew: () => Effect.succeed(false) }
        yield* serveFrom(stalled, () => {
          calls++
          return calls === 1 ? Deferred.await(release) : Effect.never
        }).pipe(
          Effect.provideService(DeliveryObserver, {
            delivered: () => Effect.void,
            answered: (meta, _answer, { accepted }) =>
              Effect.sync(() => {
                answers.push(`${meta.deliveryCount} ${accepted}`)
              })
          })
        )
        yield* world.queue.send(wake())
        yield* settle(LEASE_MS)
        strictEqual(calls, 2)
        yield* Deferred.succeed(release, undefined)
        yield* settle()
        deepStrictEqual(answers, ["1 stale"])
      })
    )

    it.effect("a scope that closes: gives up the leases of its handlers, and another loop gets their messages", () =>
      Effect.gen(function* () {
        const { world } = yield* make()
        const scope = yield* Scope.make()
        yield* Scope.provide(
          world.queue.serve(() => Effect.never),
          scope
        )
        yield* world.queue.send(wake())
        yield* settle()
        yield* Scope.close(scope, Exit.void)
        const metas: Array<MessageMeta> = []
        yield* world.queue.serve((_payload, meta) => Effect.sync(() => void metas.push(meta)))
        yield* settle()
        deepStrictEqual(metas.map(seen), [[2, 2]])
      })
    )

    it.effect("a handler that interrupts itself: has failed, and its message backs off", () =>
      Effect.gen(function* () {
        const { world } = yield* make()
        const metas: Array<Seen> = []
        yield* world.queue.serve((_payload, meta) => {
          metas.push(seen(meta))
          return Effect.interrupt
        })
        yield* world.queue.send(wake())
        yield* settle()
        yield* settle(999)
        deepStrictEqual(metas, [[1, 1]])
        yield* settle(1)
        deepStrictEqual(metas, [
          [1, 1],
          [2, 2]
        ])
      })
    )

    it.effect("more messages than handlers allowed: are delivered that many at a time", () =>
      Effect.gen(function* () {
        const { world } = yield* make(2)
        let running = 0
        let most = 0
        let done = 0
        yield* world.queue.serve(() =>
          Effect.gen(function* () {
            most = Math.max(most, ++running)
            yield* Effect.sleep(10)
            running--
            done++
          })
        )
        for (let n = 0; n < 7; n++) yield* world.queue.send(stepMessage(n))
        for (let turn = 0; turn < 10; turn++) yield* settle(10)
        deepStrictEqual([most, done], [2, 7])
      })
    )

    it.effect("an observer: sees every delivery and what became of each answer, in order", () =>
      Effect.gen(function* () {
        const { world } = yield* make()
        const lines: Array<string> = []
        let calls = 0
        const handler = Effect.fnUntraced(function* () {
          calls++
          if (calls === 1) {
            yield* world.queue.send(wake())
            yield* Effect.sleep(1)
          }
        })
        yield* world.queue.serve(handler).pipe(
          Effect.provideService(DeliveryObserver, {
            delivered: (_payload, meta) => Effect.sync(() => void lines.push(`Deliver ${meta.deliveryCount}`)),
            answered: (meta, answer, { accepted }) =>
              Effect.sync(() => void lines.push(`${answer._tag} ${meta.deliveryCount} ${accepted}`))
          })
        )
        yield* world.queue.send(wake())
        yield* settle(1)
        deepStrictEqual(lines, ["Deliver 1", "Acknowledge 1 rerun", "Deliver 2", "Acknowledge 2 done"])
      })
    )

    it.effect("a queue that fails for a while: is tried again, for claims and for answers", () =>
      Effect.gen(function* () {
        const { world, deliveries } = yield* make()
        const fault = new WorkflowWorldError({ status: 507, code: "disk-full", message: "full" })
        let faults = 0
        const sometimes = <A>(call: Effect.Effect<A, WorkflowWorldError>, every: number) =>
          Effect.suspend(() => (++faults % every === 0 ? call : Effect.fail(fault)))
        const metas: Array<Seen> = []
        yield* serveFrom(
          {
            ...deliveries,
            claim: sometimes(
              Effect.mapError(deliveries.claim, () => fault),
              3
            ),
            answer: (lease, answer) =>
              sometimes(
                Effect.mapError(deliveries.answer(lease, answer), () => fault),
                2
              )
          },
          (_payload, meta) => Effect.sync(() => void metas.push(seen(meta)))
        )
        yield* world.queue.send(wake())
        yield* settle(60_000)
        yield* settle(10 * LEASE_MS)
        ok(faults > 3)
        deepStrictEqual(metas, [[1, 1]])
      })
    )
  })
}
