import { Deferred, Effect, Exit } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Creation, chunksOf, MAX_IN_BAND_CREATION_BATCH_BYTES } from "../../../impl/runtime/Creations.ts"
import {
  EntityConflictError,
  type EventStorageError,
  SPEC_VERSION_SINGLE_ORCHESTRATOR as specVersion,
  WorkflowWorldError,
  type World
} from "../../../impl/world/index.ts"
import { all, hook, type Program, seq, sleep, step } from "../../../model/programs/Program.ts"
import { type Driven, driven, lookingAt, nameOf } from "./Driver.ts"
import { bodiesOf, failureOf, linesOf } from "./Harness.ts"

type Events = World["Service"]["events"]

const begin = <A, E>(
  program: Program,
  use: (world: Driven, runId: string, ran: ReadonlyArray<string>) => Effect.Effect<A, E>,
  options: { readonly maxInlineSteps?: number; readonly around?: (events: Events) => Events } = {}
): Promise<A> =>
  Effect.gen(function* () {
    const { maxInlineSteps = 3, around } = options
    const bodies = bodiesOf(program)
    const world = yield* driven({
      topology: "gated",
      maxInlineSteps,
      bodies,
      ...(around === undefined ? {} : { around })
    })
    const runId = yield* world.client.start("interpret", [program])
    return yield* use(world, runId, bodies.ran)
  }).pipe(Effect.scoped, Effect.runPromise)

/** The operations of the run's first delivery, in order; sends and outcomes in a row counted. */
const operations = (program: Program, options?: Parameters<typeof begin>[2]) =>
  begin(
    program,
    (world) =>
      Effect.gen(function* () {
        const seen: Array<string> = []
        const claimed = yield* world.claim
        yield* world.run(claimed!).pipe(lookingAt((operation) => Effect.sync(() => seen.push(nameOf(operation)))))
        return seen
          .filter((name) => name !== "step_completed")
          .map((name) => {
            const types = name.split(" + ")
            return types.length === 1
              ? name
              : [...new Set(types)].map((type) => `${types.filter((one) => one === type).length} ${type}`).join(" + ")
          })
      }),
    options
  )

const runs = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const counted: Array<string> = []
  let times = 0
  for (const [at, name] of names.entries()) {
    times++
    if (names[at + 1] === name) continue
    counted.push(times === 1 ? name : `${times} ${name}`)
    times = 0
  }
  return counted
}

const fan = (width: number): Program => ({
  _tag: "All",
  parts: Array.from({ length: width }, (_, at) => step(`s${at}`))
})

const stepOf = (at: number, bytes: number): Creation => ({
  kind: "wait",
  event: {
    eventType: "step_created",
    specVersion,
    correlationId: `step_${at}`,
    eventData: { stepName: "s", input: "x".repeat(bytes), inline: false, creatorMessageId: "m" }
  }
})

/** A World that refuses some events of batches: of each batch that is made, those at the places given for it. */
const refusing =
  (places: ReadonlyArray<ReadonlyArray<number>>, error: (runId: string) => EventStorageError) =>
  (events: Events): Events => {
    let batches = 0
    const { createBatch } = events
    return {
      ...events,
      createBatch: (runId, data, params) => {
        const refused = places[batches++] ?? []
        const taken = data.filter((_, at) => !refused.includes(at))
        const none = { results: [], allocated: 0, events: [], hasMore: false }
        return Effect.map(taken.length === 0 ? Effect.succeed(none) : createBatch!(runId, taken, params), (result) => {
          const rest = [...result.results]
          return {
            ...result,
            results: data.map((_, at) =>
              refused.includes(at) ? { _tag: "Refused" as const, error: error(runId) } : rest.shift()!
            )
          }
        })
      }
    }
  }

const lost = (runId: string) =>
  new EntityConflictError({ runId, eventType: "step_created", conflict: "refused-before" })

const throttled = () => new WorkflowWorldError({ status: 429, code: "throttled", message: "Too many writes." })

describe("the creations of a pass", () => {
  it("a fan-out of 100: two writes, and behind each the messages of what it created (POST-14, POST-16)", async () => {
    const split = async (maxInlineSteps: number) => runs((await operations(fan(100), { maxInlineSteps })).slice(2))
    expect(await split(3)).toEqual(["3 step_started + 61 step_created", "61 Send", "36 step_created", "36 Send"])
    expect(await split(16)).toEqual(["16 step_started + 48 step_created", "48 Send", "36 step_created", "36 Send"])
    expect(await split(0)).toEqual(["64 step_created", "64 Send", "36 step_created", "36 Send"])
  })

  it("a step beside a sleep: the timer, then one write for both, then the step's message (WAIT-22, WORLD-45)", async () => {
    expect((await operations(all(sleep(3), step("a")), { maxInlineSteps: 0 })).slice(2)).toEqual([
      "Send",
      "1 step_created + 1 wait_created",
      "Send"
    ])
  })

  it("a World that takes no batches: each creation by itself, and its message behind it (WORLD-45)", async () => {
    const around = ({ createBatch: _, ...events }: Events): Events => events
    expect((await operations(all(step("a"), step("b"), step("c")), { maxInlineSteps: 1, around })).slice(2)).toEqual([
      "step_started",
      "step_created",
      "Send",
      "step_created",
      "Send"
    ])
  })

  it("any sizes: every creation once and in order, and no write above its limits but of one alone (POST-14, POST-15)", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(200_000), { maxLength: 150 }), (sizes) => {
        const creations = sizes.map((bytes, at) => stepOf(at, bytes))
        const chunks = chunksOf(creations, 64)
        expect(chunks.flat()).toEqual(creations)
        for (const chunk of chunks) {
          const bytes = chunk
            .map(({ event }) => Buffer.byteLength(JSON.stringify(event.eventData)) + 1024)
            .reduce((a, b) => a + b)
          expect(chunk.length === 1 || (chunk.length <= 64 && bytes <= MAX_IN_BAND_CREATION_BATCH_BYTES)).toBe(true)
        }
        // None is smaller than it had to be: the first of the next one would not have fitted.
        for (const [at, chunk] of chunks.entries()) {
          const next = chunks[at + 1]?.[0]
          if (next !== undefined) expect(chunksOf([...chunk, next], 64)).toHaveLength(2)
        }
      })
    )
  })

  it("some refused (POST-12): the next pass creates those again, and every step runs once", async () => {
    const { lines, ran } = await begin(
      fan(4),
      (world, runId, ran) =>
        Effect.gen(function* () {
          yield* world.drain
          return { lines: linesOf(yield* world.client.log(runId)), ran }
        }),
      { maxInlineSteps: 1, around: refusing([[0, 2]], lost) }
    )
    expect(lines.slice(2, 6).map((line) => line.slice(2))).toEqual([
      "step_created step_0002",
      "step_created step_0004",
      "step_started step_0001 #1 inline",
      "step_created step_0003"
    ])
    expect([...ran].toSorted()).toEqual(["s0/1", "s1/1", "s2/1", "s3/1"])
    expect(lines.at(-1)).toContain("run_completed")
  })

  it("all refused: the delivery fails, and a later one creates them (POST-23)", async () => {
    const { error, lines } = await begin(
      fan(2),
      (world, runId) =>
        Effect.gen(function* () {
          const claimed = yield* world.claim
          const exit = yield* world.run(claimed!)
          yield* world.memory.deliveries.answer(claimed!.lease, { _tag: "Reject", error: "refused" })
          yield* world.drain
          return { error: failureOf(exit), lines: linesOf(yield* world.client.log(runId)) }
        }),
      { maxInlineSteps: 0, around: refusing([[0, 1]], lost) }
    )
    expect(error).toBeInstanceOf(EntityConflictError)
    expect(lines.at(-1)).toContain("run_completed")
  })

  it("an inline start is refused for load: what was created is seen to, and the run is deferred (RUN-27, RUN-45)", async () => {
    const { exit, lines } = await begin(
      fan(3),
      (world, runId) =>
        Effect.gen(function* () {
          const claimed = yield* world.claim
          const exit = yield* world.run(claimed!)
          yield* world.memory.deliveries.answer(claimed!.lease, { _tag: "AskRedelivery", timeoutSeconds: 1 })
          yield* world.drain
          return { exit, lines: linesOf(yield* world.client.log(runId)) }
        }),
      { maxInlineSteps: 2, around: refusing([[1]], throttled) }
    )
    expect(exit).toEqual(Exit.succeed({ timeoutSeconds: 1 }))
    expect(lines.filter((line) => line.includes("step_started"))).toHaveLength(3)
    expect(lines.at(-1)).toContain("run_completed")
  })

  it("the run ends before the write: each of it is refused, and the delivery acknowledges (WORLD-11, LOG-31)", async () => {
    const { exit, lines } = await begin(
      seq(step("a"), fan(2)),
      (world, runId) =>
        Effect.gen(function* () {
          const claimed = yield* world.claim
          const exit = yield* world
            .run(claimed!)
            .pipe(
              lookingAt((operation) =>
                operation._tag === "CreateBatch" ? Effect.orDie(world.client.cancel(runId)) : Effect.void
              )
            )
          return { exit, lines: linesOf(yield* world.client.log(runId)) }
        }),
      { maxInlineSteps: 3 }
    )
    expect(exit).toEqual(Exit.succeed(undefined))
    expect(lines.at(-1)).toContain("run_cancelled")
  })

  it("a stalled claim: creates two steps in one write when its redelivery is over, and dies: the next wake sends both (STEP-36, STEP-47)", async () => {
    const lines = await begin(
      seq(hook("h"), fan(2)),
      (world, runId) =>
        Effect.gen(function* () {
          const stalled = (yield* world.claim)!
          yield* world.memory.perform<"Lapse">({ _tag: "Lapse", lease: stalled.lease })
          const second = (yield* world.claim)!
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
    expect(lines.slice(4, 6)).toEqual(["5 step_created step_0002", "6 step_created step_0003"])
    expect(lines.at(-1)).toContain("run_completed")
  })
})
