/** Hooks, attributes, streams, webhooks and cancellation, on every World. */
import { Clock, Effect, Fiber, Schedule, Stream } from "effect"
import { describe, expect, it } from "vitest"
import { makeClient } from "../../../impl/runtime/Client.ts"
import { type Client, WakeNotSent, type Workflows, webhookHandler } from "../../../impl/runtime/index.ts"
import { HookNotFoundError, slotOf, WorkflowWorldError, type World } from "../../../impl/world/index.ts"
import { make } from "../../../impl/worlds/memory/index.ts"
import { hook } from "../../../model/programs/Program.ts"
import { confirmed, serving, worlds } from "./Harness.ts"

const soon = { schedule: Schedule.spaced(10), times: 500 }
const inAnHour = Effect.map(Clock.currentTimeMillis, (now) => new Date(now + 3_600_000))

/** Waits until the log of a run has a line that matches. */
const seen = (client: Client["Service"], runId: string, type: string, count = 1) =>
  client.log(runId).pipe(
    Effect.flatMap((log) =>
      log.filter(({ eventType }) => eventType === type).length >= count ? Effect.void : Effect.fail("not yet" as const)
    ),
    Effect.retry(soon)
  )
const withoutSlots = (lines: ReadonlyArray<string>) => lines.map((line) => line.replace(/^\d+ /, ""))

for (const [name, world] of Object.entries(worlds)) {
  const run = <A, E>(use: (client: Client["Service"]) => Effect.Effect<A, E, Workflows>) => serving(world(), {}, use)

  describe(`hooks on the ${name} World`, () => {
    it("iteration: until the workflow disposes of the hook: one step per payload, and the token is free (HOOK-09)", async () => {
      const { value, log, late } = await run((client) =>
        Effect.gen(function* () {
          const runId = yield* client.start("chats", ["chat"])
          yield* client.resumeHook("chat", "hello").pipe(Effect.retry(soon))
          yield* client.resumeHook("chat", "bye")
          const value = yield* client.result(runId)
          return {
            value,
            log: withoutSlots(yield* confirmed(client, runId)),
            late: yield* Effect.flip(client.resumeHook("chat", "x"))
          }
        })
      )
      expect(value).toBe("hellobye")
      expect(late).toBeInstanceOf(HookNotFoundError)
      expect(log.filter((line) => line.startsWith("hook_"))).toEqual([
        "hook_created hook_0001",
        "hook_received hook_0001",
        "hook_received hook_0001",
        "hook_disposed hook_0001"
      ])
      expect(log.indexOf("hook_disposed hook_0001")).toBeLessThan(log.indexOf("step_started step_0004 #1 inline"))
    })

    it("conflict: a token that another run holds: is an event of the creator's log, which it goes on by (HOOK-24, HOOK-25, HOOK-27)", async () => {
      const { values, log } = await run((client) =>
        Effect.gen(function* () {
          const holder = yield* client.start("takesAToken", ["t"])
          yield* seen(client, holder, "hook_created")
          const other = yield* client.start("takesAToken", ["t"])
          const refused = yield* client.result(other)
          yield* client.resumeHook("t", "it")
          return {
            values: [refused === `held by ${holder}`, yield* client.result(holder)],
            log: yield* confirmed(client, other)
          }
        })
      )
      expect(values).toEqual([true, "got it"])
      expect(log).toEqual(["1 run_created", "2 run_started", "3 hook_conflict hook_0001", "4 run_completed"])
    })

    it("getConflict: beside a step: is answered before the step starts (HOOK-26)", async () => {
      const { value, log } = await run((client) =>
        Effect.gen(function* () {
          const runId = yield* client.start("asksFirst", ["mine"])
          return { value: yield* client.result(runId), log: yield* confirmed(client, runId) }
        })
      )
      expect(value).toEqual([true, "beside"])
      expect(log.slice(2, 4)).toEqual(["3 hook_created hook_0001", "4 step_started step_0002 #1 inline"])
    })

    it("a token again: after its disposal: belongs to the second hook (HOOK-28)", async () => {
      const { value, log } = await run((client) =>
        Effect.gen(function* () {
          const runId = yield* client.start("reusesAToken", ["again"])
          yield* client.resumeHook("again", 1).pipe(Effect.retry(soon))
          yield* seen(client, runId, "hook_created", 2)
          yield* client.resumeHook("again", 2)
          return { value: yield* client.result(runId), log: yield* confirmed(client, runId) }
        })
      )
      expect(value).toEqual([1, 2])
      expect(log.slice(2)).toEqual([
        "3 hook_created hook_0001",
        "4 hook_received hook_0001",
        "5 hook_disposed hook_0001",
        "6 hook_created hook_0002",
        "7 hook_received hook_0002",
        "8 run_completed"
      ])
    })

    it("force: a run that takes a token: wakes its victim, and payloads go to the claimer (HOOK-29, HOOK-30, HOOK-31)", async () => {
      const { victim, claimer, hook, ids } = await run((client) =>
        Effect.gen(function* () {
          const victimId = yield* client.start("takesAToken", ["f"])
          yield* seen(client, victimId, "hook_created")
          const claimerId = yield* client.start("takesAToken", ["f", { force: true }])
          const victim = yield* client.result(victimId)
          const { runId } = yield* client.resumeHook("f", "yours")
          return {
            victim,
            claimer: yield* client.result(claimerId),
            hook: runId,
            ids: [victimId, claimerId, yield* confirmed(client, victimId)]
          }
        })
      )
      expect(victim).toBe(`claimed by ${ids[1]}`)
      expect(claimer).toBe("got yours")
      expect(hook).toBe(ids[1])
      expect(ids[2]).toEqual([
        "1 run_created",
        "2 run_started",
        "3 hook_created hook_0001",
        "4 hook_disposed hook_0001",
        "5 run_completed"
      ])
    })

    it("the end: retained hooks and attributes are written before it, a plain hook is not (HOOK-37, HOOK-38, HOOK-41, HOOK-42)", async () => {
      const { log, kept, attributes, resumed } = await run((client) =>
        Effect.gen(function* () {
          const runId = yield* client.start("endsWithItsHook", ["kept", yield* inAnHour])
          yield* client.result(runId)
          const other = yield* client.start("takesAToken", ["kept"])
          return {
            log: yield* confirmed(client, runId),
            kept: (yield* client.result(other)) === `held by ${runId}`,
            attributes: (yield* client.run(runId)).attributes,
            resumed: yield* Effect.flip(client.resumeHook("kept"))
          }
        })
      )
      expect(log.slice(2)).toEqual(["3 hook_created hook_0001", "4 attr_set attr_0002", "5 run_completed"])
      expect(kept).toBe(true)
      expect(attributes).toEqual({ ended: "yes" })
      expect(resumed).toBeInstanceOf(HookNotFoundError)
    })

    it("the end: a retained hook that the workflow disposed of: gives its token back (HOOK-39)", async () => {
      const { log, other } = await run((client) =>
        Effect.gen(function* () {
          const runId = yield* client.start("givesItsTokenBack", ["back", yield* inAnHour])
          yield* client.result(runId)
          const second = yield* client.start("takesAToken", ["back"])
          yield* client.resumeHook("back", "free").pipe(Effect.retry(soon))
          return { log: yield* confirmed(client, runId), other: yield* client.result(second) }
        })
      )
      expect(log.slice(-2)).toEqual([
        expect.stringContaining("hook_disposed"),
        expect.stringContaining("run_completed")
      ])
      expect(other).toBe("got free")
    })

    it("a resume: made twice under one id: is one payload (WORLD-58)", async () => {
      const log = await run((client) =>
        Effect.gen(function* () {
          const runId = yield* client.start("chats", ["once"])
          yield* client.resumeHook("once", "a", { resumeId: "r1" }).pipe(Effect.retry(soon))
          yield* client.resumeHook("once", "a", { resumeId: "r1" })
          yield* client.resumeHook("once", "bye", { resumeId: "r2" })
          return [yield* client.result(runId), withoutSlots(yield* confirmed(client, runId))]
        })
      )
      expect(log[0]).toBe("abye")
      expect((log[1] as ReadonlyArray<string>).filter((line) => line.startsWith("hook_received"))).toHaveLength(2)
    })
  })

  describe(`attributes on the ${name} World`, () => {
    it("of the start, the workflow, a step and a client: are folded in the log's order (LOG-04, LOG-23, OOB-05, TURBO-22)", async () => {
      const { value, log, attributes, runId, createdAt } = await run((client) =>
        Effect.gen(function* () {
          const runId = yield* client.start("describesItself", [], { attributes: { seed: "s", kept: "k" } })
          const value = yield* client.result(runId)
          const log = yield* confirmed(client, runId)
          yield* client.setAttributes(runId, { phase: "told", kept: null })
          const { attributes, createdAt } = yield* client.run(runId)
          return { value, log, attributes, runId, createdAt }
        })
      )
      expect(value).toEqual(["describesItself", createdAt])
      expect(log).toEqual([
        "1 run_created",
        "2 run_started",
        "3 attr_set attr_0001",
        "4 step_started step_0002 #1 inline",
        "5 attr_set",
        "6 step_completed step_0002",
        "7 run_completed"
      ])
      expect(attributes).toEqual({ phase: "told", marked: "by a step" })
      expect(runId).toMatch(/./)
    })
  })

  describe(`streams on the ${name} World`, () => {
    it.each([true, false])(
      "getWritable: written to with awaits (%s): is read in order, to its end",
      async (isAwaited) => {
        const words = Array.from({ length: 40 }, (_, i) => `w${i}`)
        const { read, last, value } = await run((client) =>
          Effect.gen(function* () {
            const runId = yield* client.start("tells", [words, isAwaited])
            const reading = yield* Effect.forkChild(Effect.retry(Stream.runCollect(client.readStream(runId)), soon), {
              startImmediately: true
            })
            const value = yield* client.result(runId)
            const read = yield* Fiber.join(reading)
            return { value, read, last: yield* Stream.runCollect(client.readStream(runId, { startIndex: -1 })) }
          })
        )
        expect(value).toBe("told")
        expect([...read]).toEqual(words)
        expect([...last]).toEqual(["w39"])
      }
    )
  })

  describe(`webhooks on the ${name} World`, () => {
    it("manual: answered by a step through a stream: each request gets its own response (HAND-15, EDGE-22)", async () => {
      const { responses, value, log } = await run((client) =>
        Effect.gen(function* () {
          const runId = yield* client.start("answersTwo", ["orders"])
          yield* seen(client, runId, "hook_created")
          const handle = webhookHandler(client.resumeWebhook)
          const responses: Array<readonly [number, string | null, string]> = []
          for (const body of ["one two", "three"]) {
            const response = yield* handle(new Request("http://localhost/hooks/orders", { method: "POST", body }))
            const text = yield* Effect.promise(() => response.text())
            responses.push([response.status, response.headers.get("x-run"), text])
          }
          return { responses, value: yield* client.result(runId), log: yield* confirmed(client, runId), runId }
        })
      )
      expect(value).toBe(2)
      expect(responses.map(([status, run, text]) => [status, run !== null, text])).toEqual([
        [201, true, "POST;one;two;"],
        [201, true, "POST;three;"]
      ])
      // The workflow disposes of the webhook as it ends, and its end gives the token back. (HOOK-38)
      expect(log.at(-2)).toMatch(/step_completed/)
    })

    it("static: answered as it comes: the workflow has the request; an unknown token is 404", async () => {
      const { answered, unknown, value } = await run((client) =>
        Effect.gen(function* () {
          const runId = yield* client.start("answersAtOnce", ["at-once"])
          yield* seen(client, runId, "hook_created")
          const handle = webhookHandler(client.resumeWebhook)
          const body = JSON.stringify({ text: "grüße" })
          const response = yield* handle(
            new Request("http://localhost/at-once", { method: "POST", headers: { "x-who": "me" }, body })
          )
          const nowhere = yield* handle(new Request("http://localhost/nowhere"))
          return {
            answered: [response.status, yield* Effect.promise(() => response.text())],
            unknown: nowhere.status,
            value: yield* client.result(runId)
          }
        })
      )
      expect(answered).toEqual([200, "thanks"])
      expect(unknown).toBe(404)
      expect(value).toEqual(["me", { text: "grüße" }])
    })

    it("a run that ends without an answer: the request is answered with a 502", async () => {
      const status = await run((client) =>
        Effect.gen(function* () {
          const runId = yield* client.start("leavesUnanswered", ["lost"])
          yield* seen(client, runId, "hook_created")
          return (yield* webhookHandler(client.resumeWebhook)(new Request("http://localhost/lost"))).status
        })
      )
      expect(status).toBe(502)
    })
  })

  describe(`cancellation on the ${name} World`, () => {
    it("while a body runs: its signal is aborted, and nothing of it is written by the orchestrator (WORLD-11)", async () => {
      const { end, log, late } = await run((client) =>
        Effect.gen(function* () {
          const runId = yield* client.start("waitsForItsEnd", [])
          yield* seen(client, runId, "step_started")
          yield* client.cancel(runId, "enough")
          const end = yield* Effect.flip(client.result(runId))
          // The body ends because its signal says so: until then the delivery holds its lease.
          yield* Effect.sleep(3000)
          const late = yield* Effect.flip(client.cancel(runId))
          return { end, log: yield* confirmed(client, runId), late }
        })
      )
      expect(end).toMatchObject({ _tag: "RunCancelled", reason: "enough" })
      expect(log.slice(2)).toEqual(["3 step_started step_0001 #1 inline", "4 run_cancelled"])
      expect(late).toMatchObject({ _tag: "EntityConflictError", conflict: "run-ended" })
    })

    it("list: runs by status and workflow, in the order of their creation", async () => {
      const { all, completed, ids } = await run((client) =>
        Effect.gen(function* () {
          const first = yield* client.start("describesItself", [])
          yield* client.result(first)
          const second = yield* client.start("takesAToken", ["listed"])
          const third = yield* client.start("describesItself", [])
          yield* client.result(third)
          const { data: all } = yield* client.list()
          const { data: completed } = yield* client.list({ status: "completed", workflowName: "describesItself" })
          return { all, completed, ids: [first, second, third] }
        })
      )
      expect(all.map(({ runId }) => runId)).toEqual(ids)
      expect(completed.map(({ runId }) => runId)).toEqual([ids[0], ids[2]])
    })
  })
}

describe("a resume whose wake cannot be sent", () => {
  const broken = (failures: number) => {
    const memory = make({ time: "clock" })
    const { queue } = memory.world
    let left = failures
    const world: World["Service"] = {
      ...memory.world,
      queue: {
        ...queue,
        send: (payload, options) =>
          payload.runInput === undefined && left-- > 0
            ? Effect.fail(new WorkflowWorldError({ status: 503, code: "unavailable", message: "down" }))
            : queue.send(payload, options)
      }
    }
    return { world, tries: () => failures - left }
  }
  const resumed = (failures: number) =>
    Effect.gen(function* () {
      const { world, tries } = broken(failures)
      const client = makeClient(world)
      const runId = yield* client.start("interpret", [hook("h")])
      yield* world.events.create(runId, {
        eventType: "hook_created",
        specVersion: 9,
        correlationId: "hook_0001",
        eventData: { token: "h" }
      })
      const outcome = yield* Effect.result(client.resumeHook("h", 1))
      return {
        outcome,
        tries: tries(),
        log: (yield* client.log(runId)).map((event) => [slotOf(event), event.eventType])
      }
    }).pipe(Effect.runPromise)

  it("twice: is sent again after 25 and 100 ms, and succeeds (HOOK-07)", async () => {
    const { outcome, tries } = await resumed(2)
    expect(outcome).toMatchObject({ _tag: "Success" })
    expect(tries).toBe(3)
  })

  it("for good: is reported as that and not as a missing hook, and the payload is stored (HOOK-08, HOOK-43)", async () => {
    const { outcome, log } = await resumed(9)
    expect(outcome).toMatchObject({ _tag: "Failure", failure: expect.any(WakeNotSent) })
    expect(log.at(-1)).toEqual([3, "hook_received"])
  })
})
