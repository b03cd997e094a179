import { deepStrictEqual, strictEqual } from "node:assert"
import { describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { type EventStorageError, RunNotFoundError, WorkflowWorldError } from "../../../../impl/world/index.ts"
import {
  apply,
  Gate,
  type GateService,
  make,
  type Operation,
  type OperationOf
} from "../../../../impl/worlds/memory/index.ts"
import { runCreated, stepCompleted, wake } from "../contract/Subject.ts"

const provide = (gate: GateService) => Effect.provideService(Gate, gate)

const setup = Effect.gen(function* () {
  const memory = make()
  yield* memory.world.events.create("wrun_1", runCreated)
  const length = () => memory.state().logs.get("wrun_1")?.events.length
  return { ...memory, length, write: memory.world.events.create("wrun_1", stepCompleted(1)) }
})

describe("the gate of the memory World", () => {
  it.effect("a call that is held before it performs: changes nothing until it is let through", () =>
    Effect.gen(function* () {
      const { write, length } = yield* setup
      const open = yield* Deferred.make<void>()
      const held = provide({ pass: (_, perform) => Effect.andThen(Deferred.await(open), perform) })
      const fiber = yield* Effect.forkChild(held(write))
      yield* TestClock.adjust(1)
      strictEqual(length(), 1)
      yield* Deferred.succeed(open, undefined)
      yield* Fiber.join(fiber)
      strictEqual(length(), 2)
    })
  )

  it.effect("a call whose answer is held: has taken effect, and its caller does not know", () =>
    Effect.gen(function* () {
      const { write, length } = yield* setup
      const held = provide({ pass: (_, perform) => Effect.andThen(perform, Effect.never) })
      const fiber = yield* Effect.forkChild(held(write))
      yield* TestClock.adjust(1)
      strictEqual(length(), 2)
      strictEqual(fiber.pollUnsafe(), undefined)
      yield* Fiber.interrupt(fiber)
    })
  )

  it.effect("a call that is performed twice: takes effect twice and answers once", () =>
    Effect.gen(function* () {
      const { write, length } = yield* setup
      yield* provide({ pass: (_, perform) => Effect.andThen(perform, perform) })(write)
      strictEqual(length(), 3)
    })
  )

  it.effect("a call that is failed: fails its caller with the error of the gate, without effect", () =>
    Effect.gen(function* () {
      const { world, length } = yield* setup
      const fault = new WorkflowWorldError({ status: 503, code: "unavailable", message: "no" })
      // A driver that answers for the World states each outcome at its own type.
      const failing: GateService = { pass: () => Effect.succeed(Result.fail(fault) as never) }
      const calls: ReadonlyArray<Effect.Effect<unknown, EventStorageError>> = [
        world.events.create("wrun_1", stepCompleted(1)),
        world.events.list("wrun_1"),
        world.queue.send(wake())
      ]
      for (const call of calls) deepStrictEqual(yield* Effect.exit(provide(failing)(call)), Exit.fail(fault))
      strictEqual(length(), 1)
    })
  )

  it.effect("a gate that applies operations to a state of its own: answers from it, and the World stays as it is", () =>
    Effect.gen(function* () {
      const { world, state, length } = yield* setup
      let own = state()
      const names: Array<string> = []
      const elsewhere: GateService = {
        pass: (operation) =>
          Effect.sync(() => {
            names.push(operation._tag)
            const step = apply(own, operation)
            own = step.state
            return step.outcome
          })
      }
      const page = yield* Effect.gen(function* () {
        yield* world.events.create("wrun_1", stepCompleted(1))
        yield* world.events.create("wrun_1", stepCompleted(2))
        return yield* world.events.list("wrun_1")
      }).pipe(provide(elsewhere))
      deepStrictEqual([page.data.length, length()], [3, 1])
      deepStrictEqual(names, ["Create", "Create", "List"])
    })
  )

  it.effect("two processes with two gates: each pass their own", () =>
    Effect.gen(function* () {
      const { write, world } = yield* setup
      const tags: Array<string> = []
      const log = (name: string) =>
        provide({
          pass: (operation, perform) =>
            Effect.andThen(
              Effect.sync(() => tags.push(`${name} ${operation._tag}`)),
              perform
            )
        })
      yield* log("a")(write)
      yield* log("b")(Effect.exit(world.events.getRun("wrun_2")))
      deepStrictEqual(tags, ["a Create", "b GetRun"])
    })
  )

  it.effect("deliveries that serve makes: pass the gate too, with the lease that they answer", () =>
    Effect.gen(function* () {
      const { world } = yield* setup
      const answers: Array<OperationOf<"Answer">> = []
      const gate: GateService = {
        pass: (operation, perform) => {
          const made: Operation = operation
          if (made._tag === "Answer") answers.push(made)
          return perform
        }
      }
      yield* provide(gate)(world.queue.serve(() => Effect.void))
      const { messageId } = yield* world.queue.send(wake())
      yield* TestClock.adjust(1)
      deepStrictEqual(answers, [
        { _tag: "Answer", lease: { messageId, claimedAtCount: 1 }, answer: { _tag: "Acknowledge" } }
      ])
    })
  )

  it.effect("time by operations: stands still until it is advanced, whatever the clock does", () =>
    Effect.gen(function* () {
      const memory = make({ time: "operations" })
      yield* TestClock.adjust(60_000)
      yield* memory.world.queue.send(wake(), { delaySeconds: 1 })
      strictEqual(yield* memory.deliveries.claim, undefined)
      yield* memory.perform<"Advance">({ _tag: "Advance", now: 1_000 })
      const kept = memory.state()
      strictEqual((yield* memory.deliveries.claim)?.meta.invocationStartedAt, 1_000)
      memory.restore(kept)
      strictEqual((yield* memory.deliveries.claim)?.meta.deliveryCount, 1)
      const missing = yield* Effect.flip(memory.world.events.getRun("wrun_none"))
      deepStrictEqual(missing, new RunNotFoundError({ runId: "wrun_none" }))
    })
  )
})
