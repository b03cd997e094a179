import { Effect, Exit } from "effect"
import { describe, expect, it } from "vitest"
import { type RetainedRun, RetainedRuns, type Retention } from "../../../impl/runtime/index.ts"
import { loadLog } from "../../../impl/runtime/LogState.ts"
import type { Claimed } from "../../../impl/world/index.ts"
import { Gate, make, type Operation } from "../../../impl/worlds/memory/index.ts"
import type { OperationOf } from "../../../impl/worlds/memory/Operation.ts"
import { all, hook, type Program, seq, step } from "../../../model/programs/Program.ts"
import { type Driven, driven, nameOf } from "./Driver.ts"
import { bodiesOf, workflows } from "./Harness.ts"

const keeping = (given: Partial<Retention> = {}) =>
  new RetainedRuns({ maxRuns: 8, maxEvents: 10_000, compare: true, ...given })

/** A run with a log of so many events. */
const runOf = (events: number): Promise<RetainedRun> =>
  Effect.gen(function* () {
    const { world } = make()
    const { event } = yield* world.events.create("r", {
      eventType: "run_created",
      specVersion: 9,
      eventData: { workflowName: "interpret", input: "[[]]" }
    })
    for (let n = 1; n < events; n++) {
      yield* world.events.create(event.runId, {
        eventType: "attr_set",
        specVersion: 9,
        eventData: { changes: [], writer: { type: "client" } }
      })
    }
    const loaded = yield* Effect.promise(() => workflows)
    return { log: yield* loadLog(world.events, "r"), session: loaded.open("interpret", "r")! }
  }).pipe(Effect.runPromise)

const begin = <A, E>(program: Program, retained: RetainedRuns, use: (driven: Driven) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const world = yield* driven({ topology: "gated", maxInlineSteps: 1, bodies: bodiesOf(program), retained })
    yield* world.client.start("interpret", [program], { runId: "r" })
    return yield* use(world)
  }).pipe(Effect.scoped, Effect.runPromise)

const isList = (operation: Operation): operation is OperationOf<"List"> => operation._tag === "List"

/** Claims a message, handles it, and acknowledges it. What was listed is told by where the listing went on. */
const deliver = (world: Driven, listed: Array<string | undefined> = []) =>
  Effect.gen(function* () {
    const one: Claimed = (yield* world.claim)!
    const exit = yield* world.run(one).pipe(
      Effect.provideService(Gate, {
        pass: (operation, perform) => {
          if (isList(operation)) listed.push(operation.params.cursor)
          return perform
        }
      })
    )
    yield* world.memory.deliveries.answer(one.lease, { _tag: "Acknowledge" })
    return exit
  })

describe("the runs that a process keeps", () => {
  it("a run: is taken out once, and kept in its latest state", async () => {
    const kept = keeping()
    const [short, long] = [await runOf(2), await runOf(5)]
    kept.keep("r", short)
    kept.keep("r", long)
    expect(kept.size).toEqual({ runs: 1, events: 5 })
    expect(kept.take("r")).toBe(long)
    expect(kept.take("r")).toBeUndefined()
    expect(kept.size).toEqual({ runs: 0, events: 0 })
  })

  it("bounds: the least recently used runs are given up, by their number and by their events", async () => {
    const byRuns = keeping({ maxRuns: 2 })
    for (const runId of ["a", "b", "c"]) byRuns.keep(runId, await runOf(1))
    byRuns.keep("b", byRuns.take("b")!)
    byRuns.keep("d", await runOf(1))
    expect(["a", "b", "c", "d"].map((runId) => byRuns.take(runId) !== undefined)).toEqual([false, true, false, true])
    const byEvents = keeping({ maxEvents: 5 })
    byEvents.keep("a", await runOf(3))
    byEvents.keep("b", await runOf(3))
    expect(byEvents.size).toEqual({ runs: 1, events: 3 })
    byEvents.keep("c", await runOf(6))
    expect(byEvents.size).toEqual({ runs: 0, events: 0 })
    const none = keeping({ maxRuns: 0 })
    none.keep("a", await runOf(1))
    expect(none.size.runs).toBe(0)
  })

  it("a later delivery: reads what the log has gained, and decides as a cold replay does (RUN-23, CAC-01)", async () => {
    const retained = keeping()
    const listed: Array<string | undefined> = []
    const value = await begin(seq(step("a"), hook("h"), step("b")), retained, (world) =>
      Effect.gen(function* () {
        yield* deliver(world, listed)
        expect(retained.size.runs).toBe(1)
        yield* world.client.resumeHook("h", 1)
        yield* deliver(world, listed)
        return yield* world.client.result("r")
      })
    )
    expect(value).toBe("b")
    expect(listed).toEqual([undefined, expect.stringMatching(/^evnt_/)])
    // An ended run is of no use to anybody.
    expect(retained.size.runs).toBe(0)
  })

  it("a wake with nothing new: one reading of the log's end, and nothing is replayed or written (RUN-37)", async () => {
    const seen: Array<string> = []
    await begin(hook("h"), keeping(), (world) =>
      Effect.gen(function* () {
        yield* deliver(world)
        yield* world.client.wake("r")
        const one: Claimed = (yield* world.claim)!
        yield* world.run(one).pipe(
          Effect.provideService(Gate, {
            pass: (operation, perform) => {
              seen.push(nameOf(operation))
              return perform
            }
          })
        )
      })
    )
    expect(seen).toEqual(["List"])
  })

  it("a delivery that fails, or is superseded: leaves nothing behind", async () => {
    const retained = keeping()
    await begin(all(hook("h"), step("a")), retained, (world) =>
      Effect.gen(function* () {
        yield* deliver(world)
        expect(retained.size.runs).toBe(1)
        yield* world.client.resumeHook("h", 1)
        const one: Claimed = (yield* world.claim)!
        const exit = yield* world.run(one).pipe(
          Effect.provideService(Gate, {
            pass: (operation, perform) =>
              operation._tag === "Create"
                ? Effect.andThen(
                    world.memory.world.events
                      .create(
                        "r",
                        {
                          eventType: "attr_set",
                          specVersion: 9,
                          eventData: { changes: [], writer: { type: "client" } }
                        },
                        {
                          inBand: true,
                          expectedSeqInBand: world.memory.state().logs.get("r")!.seqInBand,
                          eventCount: 1
                        }
                      )
                      .pipe(Effect.orDie, Effect.provideService(Gate, { pass: (_, inner) => inner })),
                    perform
                  )
                : perform
          })
        )
        expect(exit).toEqual(Exit.succeed({ timeoutSeconds: 1 }))
        expect(retained.size.runs).toBe(0)
      })
    )
  })

  it("comparing: a kept session that decides otherwise than a cold replay: is found out (RUN-23)", async () => {
    const retained = keeping()
    const exit = await begin(seq(hook("h"), step("a")), retained, (world) =>
      Effect.gen(function* () {
        yield* deliver(world)
        const { log } = retained.take("r")!
        // The session of another program, which made another first call.
        const other = (yield* Effect.promise(() => workflows)).open("clocked", "r")!
        retained.keep("r", {
          log,
          session: {
            consumedSlot: log.tail,
            decisions: { ...other.decisions, calls: [{ kind: "hook", id: "hook_0001", token: "other" }] },
            call: () => undefined,
            consume: () => undefined,
            takeLines: () => [],
            close: () => {}
          }
        })
        yield* world.client.wake("r")
        return yield* world.run((yield* world.claim)!)
      })
    )
    expect(String(Exit.isExit(exit) && Exit.isFailure(exit) && exit.cause)).toContain("a cold replay")
  })
})
