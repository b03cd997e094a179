import { Deferred, Effect, Exit, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { CurrentActor } from "../../../impl/runtime/index.ts"
import { SPEC_VERSION_SINGLE_ORCHESTRATOR as specVersion, type Topology } from "../../../impl/world/index.ts"
import { defaultLimits } from "../../../impl/worlds/Limits.ts"
import { all, hook, type Program, seq, step } from "../../../model/programs/Program.ts"
import { type Driven, driven, lookingAt, nameOf } from "./Driver.ts"
import { type Attempt, type Bodies, bodiesOf, failureOf, linesOf } from "./Harness.ts"

/** Starts a program on a driven World, and lets a test go on from there. */
const begin = <A, E>(
  program: Program,
  use: (driven: Driven, runId: string) => Effect.Effect<A, E>,
  options: { readonly bodies?: Bodies; readonly maxInlineSteps?: number; readonly topology?: Topology } = {}
): Promise<A> => {
  const { maxInlineSteps = 1, topology = "gated" } = options
  return Effect.gen(function* () {
    const world = yield* driven({ topology, maxInlineSteps, bodies: bodiesOf(program, options.bodies) })
    const runId = yield* world.client.start("interpret", [program])
    return yield* use(world, runId)
  }).pipe(Effect.scoped, Effect.runPromise)
}

const claimed = (world: Driven) => Effect.map(world.claim, (one) => one!)

/** The operations that one delivery makes, and who makes them. */
const operationsOf = (world: Driven, seen: Array<string>) => {
  const look = lookingAt((operation) =>
    Effect.map(CurrentActor, (actor) =>
      seen.push("messageId" in actor ? nameOf(operation) : `${nameOf(operation)} by ${actor.client}`)
    )
  )
  return Effect.flatMap(claimed(world), ({ payload, meta }) => look(Effect.exit(world.handler(payload, meta))))
}

/** A step's result that a World stores, and three of which in one event it does not. */
const tooLargeTogether = ({ stepName }: Attempt) =>
  Effect.succeed(stepName.repeat(Math.floor(defaultLimits.maxEventBytes / 2)))

describe("an orchestrator delivery", () => {
  it("order: hooks, then inline starts and background creations in one write, their messages, outcomes (STEP-02, STEP-03, POST-16)", async () => {
    const seen: Array<string> = []
    const exit = await begin(all(step("a"), hook("h"), step("b"), step("c")), (world) => operationsOf(world, seen))
    expect(exit).toEqual(Exit.succeed(undefined))
    expect(seen).toEqual([
      "List",
      "run_started",
      "hook_created",
      "step_started + step_created + step_created",
      "Send",
      "Send",
      "step_completed"
    ])
  })

  it("an ended run: a wake: is acknowledged after the load alone (RUN-21)", async () => {
    const seen: Array<string> = []
    const exit = await begin(step("a"), (world, runId) =>
      Effect.gen(function* () {
        yield* world.client.cancel(runId)
        return yield* operationsOf(world, seen)
      })
    )
    expect(exit).toEqual(Exit.succeed(undefined))
    expect(seen).toEqual(["List"])
  })

  it("cancelled meanwhile: a refused write: is acknowledged, and nothing more is written (WORLD-11, LOG-31)", async () => {
    const log = await begin(
      seq(step("a"), step("b")),
      (world, runId) =>
        Effect.gen(function* () {
          const { payload, meta } = yield* claimed(world)
          let starts = 0
          const exit = yield* Effect.exit(world.handler(payload, meta)).pipe(
            lookingAt((operation) =>
              nameOf(operation) === "step_started" && ++starts === 2
                ? Effect.orDie(world.client.cancel(runId))
                : Effect.void
            )
          )
          expect(exit).toEqual(Exit.succeed(undefined))
          return linesOf(yield* world.client.log(runId))
        }),
      { maxInlineSteps: 1 }
    )
    expect(log.slice(3)).toEqual(["4 step_completed step_0001", "5 run_cancelled"])
  })

  it("re-send rule: any later delivery sends what may have no message, a first one what the last write may have created, if nothing follows it (STEP-37, STEP-54)", async () => {
    const counted = async (deliveryCount: number, maxInlineSteps: number) => {
      const seen: Array<string> = []
      await begin(
        all(step("a"), step("b")),
        (world, runId) =>
          Effect.gen(function* () {
            const first = yield* claimed(world)
            yield* world.run(first)
            yield* world.memory.deliveries.answer(first.lease, { _tag: "Acknowledge" })
            yield* world.client.wake(runId)
            const meta = { ...first.meta, deliveryCount }
            yield* world.handler({ runId, runSpecVersion: specVersion }, meta).pipe(
              lookingAt((operation) =>
                Effect.sync(() => {
                  if (operation._tag !== "Send") return
                  seen.push(String(operation.payload.stepId), String(operation.payload.stepResent))
                })
              )
            )
          }),
        { maxInlineSteps }
      )
      return seen
    }
    expect(await counted(1, 0)).toEqual(["step_0001", "true", "step_0002", "true"])
    expect(await counted(2, 0)).toEqual(["step_0001", "true", "step_0002", "true"])
    // The inline step's outcome follows the creation: whoever wrote it has sent the message before.
    expect(await counted(1, 1)).toEqual([])
    expect(await counted(2, 1)).toEqual(["step_0002", "true"])
  })

  it("a stalled claim: commits a creation when its redelivery is over, and dies: the next wake sends the step (STEP-36, STEP-47)", async () => {
    const log = await begin(
      seq(hook("h"), step("a")),
      (world, runId) =>
        Effect.gen(function* () {
          const stalled = yield* claimed(world)
          yield* world.memory.perform<"Lapse">({ _tag: "Lapse", lease: stalled.lease })
          const second = yield* claimed(world)
          expect(second.meta).toMatchObject({ messageId: stalled.meta.messageId, deliveryCount: 2 })
          yield* world.run(second)
          yield* world.memory.deliveries.answer(second.lease, { _tag: "Acknowledge" })
          yield* world.client.resumeHook("h", "payload")
          const dead = yield* Deferred.make<void>()
          yield* world.handler(stalled.payload, stalled.meta).pipe(
            lookingAt((operation) =>
              operation._tag === "Send" ? Effect.andThen(Deferred.succeed(dead, undefined), Effect.never) : Effect.void
            ),
            Effect.forkScoped
          )
          yield* Deferred.await(dead)
          yield* world.drain
          return linesOf(yield* world.client.log(runId))
        }).pipe(Effect.scoped),
      { maxInlineSteps: 0 }
    )
    expect(log.slice(3)).toEqual([
      "4 hook_received hook_0001",
      "5 step_created step_0002",
      "6 step_started step_0002 #1",
      "7 step_completed step_0002",
      "8 run_completed"
    ])
  })

  it("without the re-send rule: a crash between commit and dispatch: strands the run", async () => {
    const stranded = await Effect.gen(function* () {
      let strands = 0
      for (let call = 1; call <= 8; call++) {
        const program = step("a")
        const world = yield* driven({
          topology: "gated",
          maxInlineSteps: 0,
          bodies: bodiesOf(program),
          crash: { call, side: "after" },
          losesResent: true
        })
        const runId = yield* world.client.start("interpret", [program])
        yield* world.drain
        if ((yield* world.client.run(runId)).terminal === undefined) strands++
      }
      return strands
    }).pipe(Effect.scoped, Effect.runPromise)
    expect(stranded).toBeGreaterThan(0)
  })

  it("divergence: a log that the code does not lead to: is tried again, and then fails the run (RUN-33)", async () => {
    const { log, end } = await begin(step("a"), (world, runId) =>
      Effect.gen(function* () {
        yield* world.memory.world.events.create(runId, {
          eventType: "step_created",
          specVersion,
          correlationId: "step_0009",
          eventData: { stepName: "other", input: "[[]]", inline: false, creatorMessageId: "m" }
        })
        yield* world.drain
        return { log: linesOf(yield* world.client.log(runId)), end: yield* Effect.flip(world.client.result(runId)) }
      })
    )
    expect(end).toMatchObject({ _tag: "RunFailed", error: { name: "ReplayDivergence", code: "CORRUPTED_EVENT_LOG" } })
    expect(log.at(-1)).toMatch(/run_failed/)
  })

  it("hooks: a token that another run holds: fails the run that asks for it", async () => {
    const end = await begin(hook("shared"), (world) =>
      Effect.gen(function* () {
        yield* world.drain
        const second = yield* world.client.start("interpret", [hook("shared")])
        yield* world.drain
        return yield* Effect.flip(world.client.result(second))
      })
    )
    expect(end).toMatchObject({ _tag: "RunFailed", error: { name: "HookConflictError" } })
  })

  it("hooks: a token in use while a body runs: the run fails and the delivery ends, without the body's outcome", async () => {
    const program = all(step("slow"), seq(step("fast"), hook("shared")))
    const released = Deferred.makeUnsafe<void>()
    const ended = Deferred.makeUnsafe<void>()
    const slow = () => Effect.ensuring(Deferred.await(released), Deferred.succeed(ended, undefined))
    const { exit, atItsEnd, later } = await begin(
      program,
      (world, runId) =>
        Effect.gen(function* () {
          const refused = yield* claimed(world)
          yield* world.client.start("interpret", [hook("shared")])
          yield* world.run(yield* claimed(world))
          const exit = yield* world.run(refused)
          const atItsEnd = linesOf(yield* world.client.log(runId))
          yield* Deferred.succeed(released, undefined)
          yield* Deferred.await(ended)
          for (let turns = 0; turns < 20; turns++) yield* Effect.yieldNow
          return { exit, atItsEnd, later: linesOf(yield* world.client.log(runId)) }
        }),
      { maxInlineSteps: 2, bodies: { slow } }
    )
    expect(exit).toEqual(Exit.succeed(undefined))
    expect(atItsEnd.slice(4)).toEqual(["5 step_completed step_0002", "6 hook_conflict hook_0003", "7 run_failed"])
    expect(later).toEqual(atItsEnd)
  })

  it("an ending: a result that is too large for the World: fails the run and ends the delivery", async () => {
    const { status, terminal } = await begin(
      all(step("a"), step("b"), step("c")),
      (world, runId) =>
        Effect.gen(function* () {
          yield* world.drain
          return yield* world.client.run(runId)
        }),
      { maxInlineSteps: 3, bodies: Object.fromEntries(["a", "b", "c"].map((name) => [name, tooLargeTogether])) }
    )
    expect(status).toBe("failed")
    expect(terminal).toMatchObject({
      eventData: { error: { name: "PayloadTooLargeError", code: "PAYLOAD_TOO_LARGE" } }
    })
  })

  it("steps without a body: inline or in the background: fail the delivery, which another process may serve", async () => {
    for (const maxInlineSteps of [0, 1]) {
      const exit = await Effect.gen(function* () {
        const world = yield* driven({ topology: "gated", maxInlineSteps, bodies: bodiesOf(step("other")) })
        yield* world.client.start("interpret", [step("a")])
        const first = yield* claimed(world)
        if (maxInlineSteps === 1) return yield* world.run(first)
        yield* world.run(first)
        yield* world.memory.deliveries.answer(first.lease, { _tag: "Acknowledge" })
        return yield* world.run(yield* claimed(world))
      }).pipe(Effect.scoped, Effect.runPromise)
      expect(failureOf(exit)).toMatchObject({ _tag: "StepNotRegistered", stepName: "a" })
    }
  })
})

describe("a step delivery", () => {
  it("plain first delivery: reads no log; a resent copy of it does (STEP-21, DEDUPE-10)", async () => {
    const operations = (resent: boolean) => {
      const seen: Array<string> = []
      return begin(
        step("a"),
        (world) =>
          Effect.gen(function* () {
            const first = yield* claimed(world)
            yield* world.run(first)
            const { payload, meta } = yield* claimed(world)
            yield* world
              .handler(resent ? { ...payload, stepResent: true } : payload, meta)
              .pipe(lookingAt((operation) => Effect.sync(() => seen.push(nameOf(operation)))))
            return seen
          }),
        { maxInlineSteps: 0 }
      )
    }
    expect(await operations(false)).toEqual(["step_started", "step_completed", "Send"])
    expect(await operations(true)).toEqual(["List", "step_started", "step_completed", "Send"])
  })

  it("an ended step: a second delivery: wakes the orchestrator again and runs nothing (STEP-22)", async () => {
    const { seen, ran } = await Effect.gen(function* () {
      const seen: Array<string> = []
      const bodies = bodiesOf(step("a"))
      const world = yield* driven({ topology: "gated", maxInlineSteps: 0, bodies })
      yield* world.client.start("interpret", [step("a")])
      yield* world.run(yield* claimed(world))
      const one = yield* claimed(world)
      yield* world.run(one)
      yield* world
        .handler(one.payload, { ...one.meta, deliveryCount: 2 })
        .pipe(lookingAt((operation) => Effect.sync(() => seen.push(nameOf(operation)))))
      return { seen, ran: bodies.ran }
    }).pipe(Effect.scoped, Effect.runPromise)
    expect(seen).toEqual(["List", "Send"])
    expect(ran).toEqual(["a/1"])
  })

  it("a late first send: the step has ended by then: its start is refused, its body not run again, the orchestrator woken (DEDUPE-13, STEP-22)", async () => {
    const program = step("a", { maxRetries: 0 })
    const { seen, exit, ran, log } = await Effect.gen(function* () {
      const seen: Array<string> = []
      const bodies = bodiesOf(program)
      const world = yield* driven({ topology: "gated", maxInlineSteps: 0, bodies })
      const runId = yield* world.client.start("interpret", [program])
      const stalled = yield* claimed(world)
      const created = yield* Deferred.make<void>()
      const goOn = yield* Deferred.make<void>()
      const late = yield* world.handler(stalled.payload, stalled.meta).pipe(
        lookingAt((operation) =>
          operation._tag === "Send"
            ? Effect.andThen(Deferred.succeed(created, undefined), Deferred.await(goOn))
            : Effect.void
        ),
        Effect.forkScoped
      )
      yield* Deferred.await(created)
      yield* world.memory.perform<"Lapse">({ _tag: "Lapse", lease: stalled.lease })
      const second = yield* claimed(world)
      yield* world.run(second)
      yield* world.memory.deliveries.answer(second.lease, { _tag: "Acknowledge" })
      const resent = yield* claimed(world)
      expect(resent.payload).toMatchObject({ stepId: "step_0001", stepResent: true })
      yield* world.run(resent)
      yield* world.memory.deliveries.answer(resent.lease, { _tag: "Acknowledge" })
      yield* Deferred.succeed(goOn, undefined)
      yield* Fiber.join(late)
      const wake = yield* claimed(world)
      expect(wake.payload.stepId).toBeUndefined()
      const sentLate = yield* claimed(world)
      expect(sentLate.payload.stepResent).toBeUndefined()
      const exit = yield* Effect.exit(world.handler(sentLate.payload, sentLate.meta)).pipe(
        lookingAt((operation) => Effect.sync(() => seen.push(nameOf(operation))))
      )
      return { seen, exit, ran: bodies.ran, log: linesOf(yield* world.client.log(runId)) }
    }).pipe(Effect.scoped, Effect.runPromise)
    expect(seen).toEqual(["step_started", "Send"])
    expect(exit).toEqual(Exit.succeed(undefined))
    expect(ran).toEqual(["a/1"])
    expect(log.slice(2)).toEqual([
      "3 step_created step_0001",
      "4 step_started step_0001 #1",
      "5 step_completed step_0001"
    ])
  })

  it("an ended run: the start is refused: acknowledged without a body (OOB-12)", async () => {
    const { exit, ran } = await Effect.gen(function* () {
      const bodies = bodiesOf(step("a"))
      const world = yield* driven({ topology: "gated", maxInlineSteps: 0, bodies })
      const runId = yield* world.client.start("interpret", [step("a")])
      yield* world.run(yield* claimed(world))
      const one = yield* claimed(world)
      yield* world.client.cancel(runId)
      return { exit: yield* world.run(one), ran: bodies.ran }
    }).pipe(Effect.scoped, Effect.runPromise)
    expect(exit).toEqual(Exit.succeed(undefined))
    expect(ran).toEqual([])
  })
})
