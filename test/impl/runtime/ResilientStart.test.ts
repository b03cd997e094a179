import { Effect, Layer, Ref } from "effect"
import { describe, expect, it } from "vitest"
import { serialize } from "../../../impl/runtime/index.ts"
import { openLog } from "../../../impl/runtime/ResilientStart.ts"
import { RunNotFoundError, SPEC_VERSION_SINGLE_ORCHESTRATOR as specVersion, World } from "../../../impl/world/index.ts"
import { make } from "../../../impl/worlds/memory/index.ts"
import { step } from "../../../model/programs/Program.ts"
import { bodiesOf, confirmed, serving, worlds } from "./Harness.ts"

const program = step("a")
const runInput = {
  workflowName: "interpret",
  specVersion,
  input: serialize([program], "The arguments"),
  attributes: { tenant: "t1" }
}

for (const [name, make] of Object.entries(worlds)) {
  describe(`a run whose creation was lost, on the ${name} World`, () => {
    it("its first message arrives: the run is created by its run_started, with the attributes of its start (RUN-35, TURBO-22)", async () => {
      const runId = "run_lost"
      const shared = await Effect.runPromise(Ref.make<World["Service"] | undefined>(undefined))
      const world = Layer.effect(
        World,
        Effect.tap(World, (given) => Ref.set(shared, given))
      ).pipe(Layer.provide(make()))
      const { lines, run } = await serving(world, { bodies: bodiesOf(program) }, (client) =>
        Effect.gen(function* () {
          const { queue } = (yield* Ref.get(shared))!
          yield* queue.send({ runId, runSpecVersion: specVersion, runInput })
          yield* Effect.retry(client.result(runId), { while: (error) => error._tag === "RunNotFoundError" })
          return { lines: yield* confirmed(client, runId), run: yield* client.run(runId) }
        })
      )
      expect(lines).toEqual([
        "1 run_created",
        "2 run_started",
        "3 step_started step_0001 #1 inline",
        "4 step_completed step_0001",
        "5 run_completed"
      ])
      expect(run).toMatchObject({ status: "completed", attributes: { tenant: "t1" } })
    })
  })
}

describe("the log of a message's run", () => {
  /** A World with a run that was created and started, whose first list does not find it. */
  const late = Effect.gen(function* () {
    const { events } = make().world
    yield* events.create("r", { eventType: "run_created", specVersion, eventData: runInput })
    yield* events.create(
      "r",
      { eventType: "run_started", specVersion, eventData: {} },
      { inBand: true, expectedSeqInBand: 1, eventCount: 1 }
    )
    let lists = 0
    const list: typeof events.list = (runId, params) =>
      lists++ === 0 ? Effect.fail(new RunNotFoundError({ runId })) : events.list(runId, params)
    return { ...events, list }
  })

  it("another delivery was first: the fence refuses the creation, and the log is loaded (RUN-35, FENCE-01)", async () => {
    const log = await Effect.runPromise(Effect.flatMap(late, (events) => openLog(events, { runId: "r", runInput })))
    expect(log.events.map(({ eventType }) => eventType)).toEqual(["run_created", "run_started"])
    expect(log.snapshot).toEqual({ seq: 2, seqInBand: 2 })
  })

  it("a message without the run's creation: the run is not found, and is not created", async () => {
    const events = await Effect.runPromise(late)
    const error = await Effect.runPromise(Effect.flip(openLog(events, { runId: "r" })))
    expect(error).toBeInstanceOf(RunNotFoundError)
    const missing = await Effect.runPromise(Effect.flip(openLog(make().world.events, { runId: "other" })))
    expect(missing).toBeInstanceOf(RunNotFoundError)
  })
})
