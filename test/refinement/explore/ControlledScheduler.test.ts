import { Deferred, Effect, Fiber, Queue } from "effect"
import { describe, expect, it } from "vitest"
import { ControlledScheduler } from "../../../refinement/explore/ControlledScheduler.ts"

describe("ControlledScheduler", () => {
  it("fibers that fork, wait and signal: drained: they run to rest without a promise or a timer", () => {
    const scheduler = new ControlledScheduler()
    const seen: Array<string> = []
    const program = Effect.gen(function* () {
      const gate = yield* Deferred.make<number>()
      const queue = yield* Queue.unbounded<number>()
      const reader = yield* Effect.forkChild(
        Effect.gen(function* () {
          seen.push(`gate ${yield* Deferred.await(gate)}`)
          seen.push(`queue ${yield* Queue.take(queue)}`)
        })
      )
      yield* Effect.yieldNow
      yield* Queue.offer(queue, 2)
      yield* Deferred.succeed(gate, 1)
      yield* Fiber.join(reader)
      seen.push("end")
    })
    Effect.runFork(program, { scheduler })
    expect(seen).toEqual([])
    scheduler.drain()
    expect(seen).toEqual(["gate 1", "queue 2", "end"])
  })

  it("a parked call: answered later: the fiber goes on from there", () => {
    const scheduler = new ControlledScheduler()
    const seen: Array<string> = []
    let answer: ((value: Effect.Effect<string>) => void) | undefined
    const call = Effect.callback<string>((resume) => {
      answer = resume
    })
    Effect.runFork(
      Effect.map(call, (value) => seen.push(value)),
      { scheduler }
    )
    scheduler.drain()
    expect(answer).toBeDefined()
    answer?.(Effect.succeed("answered"))
    scheduler.drain()
    expect(seen).toEqual(["answered"])
  })

  it("an abandoned process: answered and drained: nothing of it runs, its finalizers neither", () => {
    const scheduler = new ControlledScheduler()
    const seen: Array<string> = []
    let answer: ((value: Effect.Effect<string>) => void) | undefined
    const call = Effect.callback<string>((resume) => {
      answer = resume
    })
    const program = call.pipe(
      Effect.andThen(Effect.yieldNow),
      Effect.map(() => seen.push("went on")),
      Effect.ensuring(Effect.sync(() => seen.push("finalizer")))
    )
    Effect.runFork(program, { scheduler })
    scheduler.drain()
    answer?.(Effect.succeed("answered"))
    scheduler.abandon()
    scheduler.drain()
    expect(seen).toEqual([])
  })

  it("tasks of several priorities: drained: lower numbers first, equal ones in order", () => {
    const scheduler = new ControlledScheduler()
    const seen: Array<string> = []
    scheduler.scheduleTask(() => seen.push("c"), 1)
    scheduler.scheduleTask(() => seen.push("a"), 0)
    scheduler.scheduleTask(() => seen.push("d"), 1)
    scheduler.scheduleTask(() => seen.push("b"), 0)
    scheduler.drain()
    expect(seen).toEqual(["a", "b", "c", "d"])
  })
})
