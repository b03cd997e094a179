import { Deferred, Effect, Exit, Fiber, Result } from "effect"
import { describe, expect, it } from "vitest"
import { coldReplay, type Settings, Workflows } from "../../../impl/runtime/index.ts"
import { type Claimed, type MessageMeta, WorkflowWorldError, type World } from "../../../impl/world/index.ts"
import { Gate, type Operation } from "../../../impl/worlds/memory/index.ts"
import { all, type Program, seq, sleep, step } from "../../../model/programs/Program.ts"
import { type Driven, driven, nameOf } from "./Driver.ts"
import { type Bodies, bodiesOf, failureOf, linesOf, workflows } from "./Harness.ts"

const HOUR = 3_600_000

type Events = World["Service"]["events"]

/** A World that takes one event at a time: a write that fails is that of one start. */
const withoutBatches = ({ createBatch: _, ...events }: Events): Events => events

/** Starts a program on a driven World, and lets a test go on from there. */
const begin = <A, E>(
  program: Program,
  use: (driven: Driven, runId: string) => Effect.Effect<A, E, Workflows>,
  options: {
    readonly maxInlineSteps?: number
    readonly tuning?: Partial<Settings>
    readonly bodies?: Bodies
    readonly workflow?: string
    /** Put around the World's events. */
    readonly around?: (events: Events) => Events
  } = {}
): Promise<A> => {
  const { maxInlineSteps = 2, tuning = {}, bodies = {}, workflow = "interpret", around } = options
  return Effect.gen(function* () {
    const world = yield* driven({
      topology: "gated",
      maxInlineSteps,
      tuning,
      bodies: bodiesOf(program, bodies),
      ...(around === undefined ? {} : { around })
    })
    const runId = yield* world.client.start(workflow, [program])
    return yield* use(world, runId)
  }).pipe(
    Effect.scoped,
    Effect.provideServiceEffect(
      Workflows,
      Effect.promise(() => workflows)
    ),
    Effect.runPromise
  )
}

const claimed = (world: Driven) => Effect.map(world.claim, (one) => one!)

/** Runs a claim's handler, with other counts than it has. */
const runAs = (world: Driven, claim: Claimed, meta: Partial<MessageMeta>) =>
  world.run({ ...claim, meta: { ...claim.meta, ...meta } })

const advance = (world: Driven, ms: number) =>
  world.memory.perform<"Advance">({ _tag: "Advance", now: world.memory.state().now + ms })

const lines = (world: Driven, runId: string) => Effect.map(world.client.log(runId), linesOf)

/** Makes the World fail some writes with a status, before they take effect. */
const failing = (status: number, fails: (operation: Operation) => boolean) =>
  Effect.provideService(Gate, {
    pass: (operation, perform) =>
      fails(operation)
        ? // The answer that an operation of the gate's type is due: a refusal.
          (Effect.succeed(refused(status)) as unknown as typeof perform)
        : perform
  })

const refused = (status: number) =>
  Result.fail(new WorkflowWorldError({ status, code: "unavailable", message: `The World answers ${status}.` }))

describe("the delivery cap", () => {
  it("a message past its attempts: fails the run, and replays nothing (SET-02, FENCE-30)", async () => {
    const { before, after, end } = await begin(
      step("a"),
      (world, runId) =>
        Effect.gen(function* () {
          const first = yield* claimed(world)
          // The last allowed attempt runs as ever.
          const stalled = yield* Effect.forkChild(runAs(world, first, { deliveryCount: 4, attempt: 3 }))
          for (let turns = 0; turns < 50; turns++) yield* Effect.yieldNow
          const before = yield* lines(world, runId)
          yield* runAs(world, first, { deliveryCount: 5, attempt: 4 })
          yield* Fiber.interrupt(stalled)
          const log = yield* world.client.log(runId)
          yield* coldReplay(log)
          return { before, after: linesOf(log), end: yield* Effect.flip(world.client.result(runId)) }
        }),
      { tuning: { maxQueueDeliveries: 3 }, bodies: { a: () => Effect.never } }
    )
    expect(before.at(-1)).toBe("3 step_started step_0001 #1 inline")
    expect(after.slice(3)).toEqual(["4 run_failed"])
    expect(end).toMatchObject({ _tag: "RunFailed", error: { name: "FatalError", code: "MAX_DELIVERIES_EXCEEDED" } })
  })

  it("handoffs: leave the attempt alone, so any number of them fails nothing (SET-04, HAND-03)", async () => {
    const done = await begin(
      seq(step("a"), step("b")),
      (world, runId) =>
        Effect.gen(function* () {
          const first = yield* claimed(world)
          yield* runAs(world, first, { deliveryCount: 500, attempt: 3 })
          return yield* lines(world, runId)
        }),
      { tuning: { maxQueueDeliveries: 3 } }
    )
    expect(done.at(-1)).toMatch(/run_completed/)
  })

  it("a run that the fence refuses at every attempt: is failed at the cap, by its own redeliveries (SET-03, FENCE-30)", async () => {
    const { attempts, end } = await begin(
      step("a"),
      (world, runId) =>
        Effect.gen(function* () {
          let attempts = 0
          const stale = (operation: Operation) =>
            operation._tag === "Create" && operation.data.eventType === "step_started"
          for (let idle = 0; idle < 200; idle++) {
            const one = yield* world.claim
            if (one === undefined) {
              yield* advance(world, 1_000)
              continue
            }
            attempts = one.meta.attempt
            const exit = yield* world.run(one).pipe(
              Effect.provideService(Gate, {
                pass: (operation, perform) =>
                  stale(operation)
                    ? Effect.andThen(
                        // Somebody else takes the run's next in-band slot first, again and again.
                        world.memory.world.events.list(runId).pipe(
                          Effect.flatMap(({ snapshot }) =>
                            world.memory.world.events.create(
                              runId,
                              {
                                eventType: "attr_set",
                                specVersion: 9,
                                eventData: { changes: [], writer: { type: "client" } }
                              },
                              { inBand: true, expectedSeqInBand: snapshot.seqInBand, eventCount: snapshot.seq }
                            )
                          ),
                          Effect.orDie,
                          Effect.provideService(Gate, { pass: (_, inner) => inner })
                        ),
                        perform
                      )
                    : perform
              })
            )
            const answer = Exit.isExit(exit) && Exit.isSuccess(exit) ? exit.value : undefined
            yield* world.memory.deliveries.answer(
              one.lease,
              answer === undefined
                ? { _tag: "Acknowledge" }
                : { _tag: "AskRedelivery", timeoutSeconds: answer.timeoutSeconds }
            )
            if (answer === undefined) break
          }
          return { attempts, end: yield* Effect.flip(world.client.result(runId)) }
        }),
      { tuning: { maxQueueDeliveries: 4 } }
    )
    expect(attempts).toBe(5)
    expect(end).toMatchObject({ error: { code: "MAX_DELIVERIES_EXCEEDED" } })
  })

  it("a step's message: is exempt, and failed past the cap only after an hour of nothing (SET-02, SET-05, SET-06, DEC-29)", async () => {
    const delivered = async (ms: number, attempt: number) =>
      begin(
        step("a"),
        (world, runId) =>
          Effect.gen(function* () {
            const first = yield* claimed(world)
            yield* world.run(first)
            yield* world.memory.deliveries.answer(first.lease, { _tag: "Acknowledge" })
            const one = yield* claimed(world)
            yield* advance(world, ms)
            const exit = yield* runAs(world, one, { deliveryCount: attempt, attempt })
            yield* world.drain
            return { exit, log: yield* lines(world, runId), end: yield* Effect.result(world.client.result(runId)) }
          }),
        { maxInlineSteps: 0, tuning: { maxQueueDeliveries: 3 } }
      )
    expect((await delivered(HOUR - 1, 4)).log.at(-1)).toMatch(/run_completed/)
    expect((await delivered(HOUR, 3)).log.at(-1)).toMatch(/run_completed/)
    const stalled = await delivered(HOUR, 4)
    expect(stalled.exit).toEqual(Exit.succeed(undefined))
    expect(stalled.log.slice(3)).toEqual(["4 step_failed step_0001 #1", "5 run_failed"])
    // The workflow sees the failure, and could have caught it; the step's wake has brought the run on.
    expect(Result.isFailure(stalled.end) && stalled.end.failure).toMatchObject({
      error: { name: "FatalError", message: expect.stringContaining("MAX_DELIVERIES_EXCEEDED") }
    })
  })
})

describe("a throttled start", () => {
  const isStartOf = (id: string) => (operation: Operation) =>
    operation._tag === "Create" && operation.data.eventType === "step_started" && operation.data.correlationId === id

  it("defers the run: bodies that run settle first, nothing more is started, and the message comes again (RUN-27, RUN-45)", async () => {
    const { exit, at, end } = await begin(
      all(step("a"), step("b"), step("c")),
      (world, runId) =>
        Effect.gen(function* () {
          const first = yield* claimed(world)
          const exit = yield* runAs(world, first, { deliveryCount: 3, attempt: 3 }).pipe(
            failing(429, isStartOf("step_0002"))
          )
          const at = yield* lines(world, runId)
          yield* world.memory.deliveries.answer(first.lease, { _tag: "AskRedelivery", timeoutSeconds: 4 })
          yield* world.drain
          return { exit, at, end: yield* world.client.result(runId) }
        }),
      { maxInlineSteps: 2, around: withoutBatches }
    )
    expect(exit).toEqual(Exit.succeed({ timeoutSeconds: 4 }))
    expect(at.slice(2)).toEqual(["3 step_started step_0001 #1 inline", "4 step_completed step_0001"])
    expect(end).toEqual(["a", "b", "c"])
  })

  it("a start that fails otherwise: fails the delivery, whose message comes again (RUN-58)", async () => {
    const exit = await begin(step("a"), (world) =>
      Effect.gen(function* () {
        return yield* world.run(yield* claimed(world)).pipe(failing(503, isStartOf("step_0001")))
      })
    )
    expect(failureOf(exit)).toMatchObject({ _tag: "WorkflowWorldError", status: 503 })
  })

  it("a background step's start: runs no body, and its message comes again (STEP-27)", async () => {
    const { exit, ran, end } = await Effect.gen(function* () {
      const bodies = bodiesOf(step("a"))
      const world = yield* driven({ topology: "gated", maxInlineSteps: 0, bodies })
      const runId = yield* world.client.start("interpret", [step("a")])
      const first = yield* claimed(world)
      yield* world.run(first)
      yield* world.memory.deliveries.answer(first.lease, { _tag: "Acknowledge" })
      const one = yield* claimed(world)
      const exit = yield* world.run(one).pipe(failing(429, isStartOf("step_0001")))
      const ran = [...bodies.ran]
      yield* world.memory.deliveries.answer(one.lease, { _tag: "Reject", error: "throttled" })
      yield* world.drain
      return { exit, ran, end: yield* world.client.result(runId) }
    }).pipe(Effect.scoped, Effect.runPromise)
    expect(failureOf(exit)).toMatchObject({ _tag: "WorkflowWorldError", status: 429 })
    expect(ran).toEqual([])
    expect(end).toBe("a")
  })
})

describe("the inline window", () => {
  it("its end: hands the message off once what runs has settled, and another delivery goes on (RUN-18, HAND-04, HAND-12)", async () => {
    const { exit, at, value } = await begin(
      seq(step("slow"), step("b")),
      (world, runId) =>
        Effect.gen(function* () {
          const first = yield* claimed(world)
          const released = yield* Deferred.make<void>()
          release = Deferred.await(released)
          const running = yield* Effect.forkChild(world.run(first), { startImmediately: true })
          for (let turns = 0; turns < 50; turns++) yield* Effect.yieldNow
          yield* advance(world, 10_000)
          yield* Deferred.succeed(released, undefined)
          const exit = yield* Fiber.join(running)
          const at = yield* lines(world, runId)
          yield* world.memory.deliveries.answer(first.lease, { _tag: "AskRedelivery", timeoutSeconds: 0 })
          const again = yield* claimed(world)
          expect(again.meta).toMatchObject({ messageId: first.meta.messageId, deliveryCount: 2, attempt: 1 })
          yield* world.run(again)
          return { exit, at, value: yield* world.client.result(runId) }
        }),
      {
        bodies: { slow: () => Effect.as(release, "slow") },
        tuning: { inlineWindowMs: 10_000, inlineStepDeadlineMarginMs: 1_000 }
      }
    )
    expect(exit).toEqual(Exit.succeed({ timeoutSeconds: 0 }))
    expect(at.slice(2)).toEqual(["3 step_started step_0001 #1 inline", "4 step_completed step_0001"])
    expect(value).toBe("b")
  })

  it("its margin: a new step is given its own message; an open one is still adopted (SET-34, RUN-43)", async () => {
    const created = async (ago: number) =>
      begin(step("a"), (world, runId) =>
        Effect.gen(function* () {
          const first = yield* claimed(world)
          const invocationStartedAt = world.memory.state().now - ago
          yield* runAs(world, first, { invocationStartedAt })
          return (yield* lines(world, runId))[2]
        })
      )
    expect(await created(59_999)).toBe("3 step_started step_0001 #1 inline")
    expect(await created(60_000)).toBe("3 step_created step_0001")
    const adopted = await begin(
      step("a"),
      (world, runId) =>
        Effect.gen(function* () {
          const first = yield* claimed(world)
          hold = Effect.never
          const dead = yield* Effect.forkChild(world.run(first), { startImmediately: true })
          for (let turns = 0; turns < 50; turns++) yield* Effect.yieldNow
          yield* Fiber.interrupt(dead)
          hold = Effect.void
          yield* runAs(world, first, { deliveryCount: 2, invocationStartedAt: world.memory.state().now - 90_000 })
          return (yield* lines(world, runId)).slice(2)
        }),
      { bodies: { a: () => Effect.as(hold, "a") } }
    )
    expect(adopted).toEqual([
      "3 step_started step_0001 #1 inline",
      "4 step_started step_0001 #2",
      "5 step_completed step_0001",
      "6 run_completed"
    ])
  })

  it("its end with a sleep's chain in hand: what is owed is sent before the handoff (HAND-07, WAIT-08)", async () => {
    const sent: Array<string> = []
    await begin(all(sleep(60), sleep(90)), (world) =>
      Effect.gen(function* () {
        const first = yield* claimed(world)
        yield* world.run(first)
        yield* world.memory.deliveries.answer(first.lease, { _tag: "Acknowledge" })
        const timer = [...world.memory.state().queue.messages.values()][0]!
        yield* advance(world, 30_000)
        const lease = { messageId: timer.messageId, claimedAtCount: 1 }
        const meta = { messageId: timer.messageId, deliveryCount: 1, attempt: 1, invocationStartedAt: -1_000_000 }
        const exit = yield* world.run({ lease, payload: timer.payload, meta }).pipe(
          Effect.provideService(Gate, {
            pass: (operation, perform) => {
              sent.push(nameOf(operation))
              return perform
            }
          })
        )
        expect(exit).toEqual(Exit.succeed({ timeoutSeconds: 0 }))
      })
    )
    expect(sent).toEqual(["List", "Send"])
  })
})

/** What bodies of these tests wait for. */
let release: Effect.Effect<void> = Effect.void
let hold: Effect.Effect<void> = Effect.void

describe("a log that the code does not fit", () => {
  const loadsUntilFailed = (replayDivergenceMaxRetries: number) =>
    begin(
      step("a"),
      (world, runId) =>
        Effect.gen(function* () {
          yield* world.memory.world.events.create(runId, {
            eventType: "step_created",
            specVersion: 9,
            correlationId: "step_0009",
            eventData: { stepName: "other", input: "[[]]", inline: false, creatorMessageId: "m" }
          })
          let loads = 0
          yield* world.run(yield* claimed(world)).pipe(
            Effect.provideService(Gate, {
              pass: (operation, perform) => {
                if (operation._tag === "List") loads++
                return perform
              }
            })
          )
          const end = yield* Effect.flip(world.client.result(runId))
          return { loads, end }
        }),
      { tuning: { replayDivergenceMaxRetries } }
    )

  it("is replayed from cold in the same delivery as often as is set, and then the run fails (RUN-33, SET-41, HAND-26)", async () => {
    const corrupted = { _tag: "RunFailed", error: { name: "ReplayDivergence", code: "CORRUPTED_EVENT_LOG" } }
    expect(await loadsUntilFailed(3)).toMatchObject({ loads: 4, end: corrupted })
    expect(await loadsUntilFailed(0)).toMatchObject({ loads: 1, end: corrupted })
  })
})
