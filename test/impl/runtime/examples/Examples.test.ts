/**
 * The documents' workflows, each with the events, deliveries and writes that the documents give for it.
 *
 * They are counted as on a World that holds messages back and takes one event per write (the documents' world-local),
 * with turbo and run-ahead off; and those that create several things at once on a World that takes batches as well.
 */
import { Effect, Layer, Schedule } from "effect"
import { describe, expect, it } from "vitest"
import { type Client, coldReplay, registeredBodies, type Workflows } from "../../../../impl/runtime/index.ts"
import { type Event, World } from "../../../../impl/world/index.ts"
import { driven } from "../Driver.ts"
import { serving, worlds } from "../Harness.ts"
import { transfers } from "./Workflows.ts"

interface Counts {
  orchestrator: number
  step: number
  /** Events that were written by a call of their own. */
  writes: number
  /** Events of each write of several. */
  readonly batches: Array<number>
}

/** The World, with what is delivered and written counted. */
const counting = (
  world: Layer.Layer<World, unknown>,
  counts: Counts,
  takesBatches: boolean
): Layer.Layer<World, unknown> =>
  Layer.effect(
    World,
    Effect.map(World, (inner) => {
      const { createBatch, ...events } = inner.events
      const counted: typeof createBatch = (runId, data, params) =>
        Effect.tap(createBatch!(runId, data, params), () => Effect.sync(() => counts.batches.push(data.length)))
      return World.of({
        ...inner,
        events: {
          ...events,
          ...(takesBatches ? { createBatch: counted } : {}),
          create: (...call) => Effect.tap(inner.events.create(...call), () => Effect.sync(() => counts.writes++))
        },
        queue: {
          ...inner.queue,
          serve: (handler) =>
            inner.queue.serve((payload, meta) => {
              counts[payload.stepId === undefined ? "orchestrator" : "step"]++
              return handler(payload, meta)
            })
        }
      })
    })
  ).pipe(Layer.provide(world))

const off = { WORKFLOW_TURBO: "0", WORKFLOW_RUN_AHEAD_DEPTH: "0" }
const soon = { schedule: Schedule.spaced(20), times: 1000 }

/** How often each type of event is in a log. */
const typesOf = (log: ReadonlyArray<Event>): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const { eventType } of log) counts[eventType] = (counts[eventType] ?? 0) + 1
  return counts
}

interface Asked {
  readonly environment?: Readonly<Record<string, string>>
  readonly maxInlineSteps?: number
  /** What happens to the run before its end. */
  readonly meanwhile?: (client: Client["Service"], runId: string) => Effect.Effect<unknown, unknown>
  /** Orchestrator deliveries that there will have been; they may come after the run's end. */
  readonly deliveries: number
  /** Whether the World takes batches; not when absent. */
  readonly takesBatches?: boolean
}

for (const [name, make] of Object.entries(worlds)) {
  /** Runs an example to its end, and until it has had all its deliveries. */
  const example = async (workflow: string, args: ReadonlyArray<unknown>, asked: Asked) => {
    const counts: Counts = { orchestrator: 0, step: 0, writes: 0, batches: [] }
    const { environment = {}, maxInlineSteps = 3, meanwhile = () => Effect.void, deliveries } = asked
    const { value, log } = await serving(
      counting(make(), counts, asked.takesBatches ?? false),
      { environment: { ...off, ...environment }, maxInlineSteps },
      (client): Effect.Effect<{ value: unknown; log: ReadonlyArray<Event> }, unknown, Workflows> =>
        Effect.gen(function* () {
          const runId = yield* client.start(workflow, args)
          yield* meanwhile(client, runId)
          const value = yield* client
            .result(runId)
            .pipe(Effect.catchTag("RunCancelled", () => Effect.succeed("cancelled")))
          yield* Effect.suspend(() => (counts.orchestrator >= deliveries ? Effect.void : Effect.fail("not yet"))).pipe(
            Effect.retry(soon)
          )
          const log = yield* client.log(runId)
          yield* coldReplay(log)
          return { value, log }
        })
    )
    const { writes, batches, ...delivered } = counts
    expect(writes + batches.reduce((a, b) => a + b, 0)).toBe(log.length)
    batchesOf.set(workflow, batches)
    return { value, types: typesOf(log), delivered }
  }
  /** The sizes of the batches of the last run of a workflow. */
  const batchesOf = new Map<string, ReadonlyArray<number>>()

  describe(`the documents' workflows on the ${name} World`, () => {
    it("checkout: three inline steps: nine events in one delivery", async () => {
      expect(await example("checkoutOrder", ["o1"], { deliveries: 1 })).toEqual({
        value: "charge-o1",
        types: { run_created: 1, run_started: 1, step_started: 3, step_completed: 3, run_completed: 1 },
        delivered: { orchestrator: 1, step: 0 }
      })
    })

    it("order: four reservations, one of them in the background, and a sleep: 18 events, three deliveries and a step's", async () => {
      expect(await example("order", ["o2"], { deliveries: 3 })).toEqual({
        value: "confirmed o2",
        types: {
          run_created: 1,
          run_started: 1,
          step_started: 6,
          step_created: 1,
          step_completed: 6,
          wait_created: 1,
          wait_completed: 1,
          run_completed: 1
        },
        delivered: { orchestrator: 3, step: 1 }
      })
    })

    it("resizeAll: 100 urls: three inline, 97 messages, and a wake for each of them", async () => {
      const urls = Array.from({ length: 100 }, (_, i) => "x".repeat(i))
      expect(await example("resizeAll", [urls], { deliveries: 98 })).toEqual({
        value: urls.map((url) => url.length),
        types: {
          run_created: 1,
          run_started: 1,
          step_started: 100,
          step_created: 97,
          step_completed: 100,
          run_completed: 1
        },
        delivered: { orchestrator: 98, step: 97 }
      })
    })

    it("batches: order in one for its reservations, resizeAll in two, digest in one for its step and sleep (POST-14, FAN-23)", async () => {
      const takesBatches = true
      const urls = Array.from({ length: 100 }, (_, i) => "x".repeat(i))
      expect(await example("order", ["o3"], { deliveries: 3, takesBatches })).toMatchObject({
        value: "confirmed o3",
        types: { step_started: 6, step_created: 1, wait_created: 1 },
        delivered: { orchestrator: 3, step: 1 }
      })
      expect(await example("resizeAll", [urls], { deliveries: 98, takesBatches })).toMatchObject({
        types: { step_started: 100, step_created: 97, step_completed: 100 },
        delivered: { orchestrator: 98, step: 97 }
      })
      expect(await example("digest", ["u"], { deliveries: 1, takesBatches })).toMatchObject({
        value: "u+1",
        types: { wait_created: 1, step_completed: 2 }
      })
      expect(Object.fromEntries(batchesOf)).toMatchObject({ order: [4], resizeAll: [64, 36], digest: [2] })
      await example("resizeAll", [urls], { deliveries: 85, takesBatches, maxInlineSteps: 16 })
      expect(batchesOf.get("resizeAll")).toEqual([64, 36])
    })

    it("approval: the hook wins: the wait stays open; the sleep wins: the hook does", async () => {
      const resume = (client: Client["Service"]) => Effect.retry(client.resumeHook("approve:7", { ok: true }), soon)
      expect(await example("approvalInTime", ["7", 3_600_000], { deliveries: 2, meanwhile: resume })).toEqual({
        value: { ok: true },
        types: { run_created: 1, run_started: 1, hook_created: 1, wait_created: 1, hook_received: 1, run_completed: 1 },
        delivered: { orchestrator: 2, step: 0 }
      })
      expect(await example("approvalInTime", ["8", 100], { deliveries: 2 })).toEqual({
        value: "timeout",
        types: {
          run_created: 1,
          run_started: 1,
          hook_created: 1,
          wait_created: 1,
          wait_completed: 1,
          run_completed: 1
        },
        delivered: { orchestrator: 2, step: 0 }
      })
    })

    it("reminders: two sleeps of one message: one chain, and a timer's delivery for each", async () => {
      expect(await example("remindersByHour", [], { deliveries: 3 })).toEqual({
        value: undefined,
        types: { run_created: 1, run_started: 1, wait_created: 2, wait_completed: 2, run_completed: 1 },
        delivered: { orchestrator: 3, step: 0 }
      })
    })

    it("moderate: a hook that is awaited after two steps: one delivery for them, one for the payload", async () => {
      const resume = (client: Client["Service"], runId: string) =>
        client.log(runId).pipe(
          // The payload is to come when the run waits for it.
          Effect.flatMap((log) => (log.length === 7 ? Effect.void : Effect.fail("not yet"))),
          Effect.retry(soon),
          Effect.andThen(client.resumeHook("moderate:p", { approved: true }))
        )
      expect(await example("moderate", ["p"], { deliveries: 2, meanwhile: resume })).toEqual({
        value: { approved: true },
        types: {
          run_created: 1,
          run_started: 1,
          hook_created: 1,
          step_started: 2,
          step_completed: 2,
          hook_received: 1,
          run_completed: 1
        },
        delivered: { orchestrator: 2, step: 0 }
      })
    })

    it("digest: a step against a long sleep: the step wins in the first delivery", async () => {
      expect(await example("digest", ["u"], { deliveries: 1 })).toEqual({
        value: "u+1",
        types: {
          run_created: 1,
          run_started: 1,
          step_started: 2,
          step_completed: 2,
          wait_created: 1,
          run_completed: 1
        },
        delivered: { orchestrator: 1, step: 0 }
      })
    })

    it("pipeline: three steps in a row: nine events in one delivery", async () => {
      expect(await example("pipeline", ["x"], { deliveries: 1 })).toMatchObject({
        value: "xabc",
        types: { step_started: 3, step_completed: 3 },
        delivered: { orchestrator: 1, step: 0 }
      })
    })

    it("nightlyReport: inside the window one delivery; inside the margin each day is a step's own message", async () => {
      expect(await example("nightlyReport", [20], { deliveries: 1 })).toMatchObject({
        value: 190,
        types: { step_started: 20, step_completed: 20 },
        delivered: { orchestrator: 1, step: 0 }
      })
      const environment = { WORKFLOW_INLINE_STEP_DEADLINE_MARGIN_MS: "3600000" }
      expect(await example("nightlyReport", [20], { deliveries: 21, environment })).toMatchObject({
        value: 190,
        types: { step_created: 20, step_started: 20, step_completed: 20 },
        delivered: { orchestrator: 21, step: 20 }
      })
    })

    it("sendWireTransfer: in the background: a creation, a start and an outcome, and one wake", async () => {
      expect(await example("wire", [5], { deliveries: 2, maxInlineSteps: 0 })).toMatchObject({
        value: 5,
        types: { step_created: 1, step_started: 1, step_completed: 1 },
        delivered: { orchestrator: 2, step: 1 }
      })
    })

    it("webhookWorkflow: a response that is still flushed when its step returns: the delivery hands off (RUN-44, CONF-19)", async () => {
      const request = (client: Client["Service"], runId: string) =>
        Effect.gen(function* () {
          const response = yield* Effect.retry(
            client.resumeWebhook("webhook", new Request("http://localhost/webhook")),
            soon
          )
          expect(yield* Effect.promise(() => response.text())).toBe("ok")
          yield* client.cancel(runId)
        })
      // The start, the request, the handoff of the request's message, and the cancellation.
      expect(await example("webhookWorkflow", [], { deliveries: 4, meanwhile: request })).toEqual({
        value: "cancelled",
        types: {
          run_created: 1,
          run_started: 1,
          hook_created: 1,
          hook_received: 1,
          step_started: 1,
          step_completed: 1,
          run_cancelled: 1
        },
        delivered: { orchestrator: 4, step: 0 }
      })
    })
  })
}

describe("sendWireTransfer", () => {
  it("maxRetries 0: lost at any call of the World or the queue: the bank is told once at most (ONCE-01, ONCE-03)", async () => {
    const ends = new Set<string>()
    for (const maxInlineSteps of [0, 1]) {
      for (const side of ["before", "after"] as const) {
        for (let call = 1; call <= 9; call++) {
          const status = await Effect.gen(function* () {
            const world = yield* driven({
              topology: "gated",
              maxInlineSteps,
              bodies: registeredBodies,
              crash: { call, side }
            })
            const runId = yield* world.client.start("wire", [7], { runId: `wire-${maxInlineSteps}-${side}-${call}` })
            yield* world.drain
            return (yield* world.client.run(runId)).status
          }).pipe(Effect.scoped, Effect.runPromise)
          ends.add(status)
        }
      }
    }
    // A body whose process died fails its step, and the run with it: some crashes are of that kind, and no run is lost.
    expect([...ends].toSorted()).toEqual(["completed", "failed"])
    const told = [...transfers].filter(([key]) => key.startsWith("wire-")).map(([, times]) => times)
    expect(told.length).toBeGreaterThan(20)
    expect(Math.max(...told)).toBe(1)
  })
})
