import { Effect, Schedule } from "effect"
import { describe, expect, it } from "vitest"
import { checkout } from "../../../docs/examples/checkout.ts"
import { defaultSettings, makeHandler, WorldWithoutFence } from "../../../impl/runtime/index.ts"
import { FatalError, RetryableError } from "../../../impl/workflow/index.ts"
import { World } from "../../../impl/world/index.ts"
import { make } from "../../../impl/worlds/memory/index.ts"
import { all, hook, type Program, race, seq, step } from "../../../model/programs/Program.ts"
import {
  type Bodies,
  bodiesOf,
  confirmed,
  type RunOptions,
  serving,
  withoutFeed,
  workflows,
  worlds
} from "./Harness.ts"

const soon = { schedule: Schedule.spaced(10), times: 300 }

for (const [name, world] of Object.entries(worlds)) {
  /** Runs a program to its end: how it ended, its log, and the attempts that ran. */
  const toEnd = (program: Program, bodies: Bodies = {}, options: RunOptions = {}) => {
    const under = bodiesOf(program, bodies)
    return serving(world(), { bodies: under, ...options }, (client) =>
      Effect.gen(function* () {
        const runId = yield* client.start("interpret", [program])
        const end = yield* client.result(runId).pipe(
          Effect.map((value) => ({ value })),
          Effect.catchTag("RunFailed", ({ error }) => Effect.succeed({ error }))
        )
        return { end, log: yield* confirmed(client, runId), ran: under.ran }
      })
    )
  }
  const failingAt = (attempts: number, error: () => unknown): Bodies => ({
    a: ({ attempt }) => (attempt <= attempts ? Effect.fail(error()) : Effect.succeed("a"))
  })

  describe(`the runtime on the ${name} World`, () => {
    it("checkout: from start to end: three inline steps, and exactly this log (STEP-03, STEP-07)", async () => {
      const result = await serving(world(), {}, (client) =>
        Effect.gen(function* () {
          const runId = yield* client.start(checkout, ["order-1"])
          return { value: yield* client.result(runId), log: yield* confirmed(client, runId) }
        })
      )
      expect(result).toEqual({
        value: "charge-order-1",
        log: [
          "1 run_created",
          "2 run_started",
          "3 step_started step_0001 #1 inline",
          "4 step_completed step_0001",
          "5 step_started step_0002 #1 inline",
          "6 step_completed step_0002",
          "7 step_started step_0003 #1 inline",
          "8 step_completed step_0003",
          "9 run_completed"
        ]
      })
    })

    it("fan-out: more steps than may run inline: the rest run from their own messages (STEP-02, STEP-05)", async () => {
      const { end, log, ran } = await toEnd(all(step("a"), step("b"), step("c")), {}, { maxInlineSteps: 1 })
      expect(end).toEqual({ value: ["a", "b", "c"] })
      expect(log.slice(0, 5)).toEqual([
        "1 run_created",
        "2 run_started",
        "3 step_started step_0001 #1 inline",
        "4 step_created step_0002",
        // The message of step 2 goes out before step 3 is created.
        expect.stringMatching(/^5 (step_created step_0003|step_started step_0002 #1)$/)
      ])
      expect(ran.toSorted()).toEqual(["a/1", "b/1", "c/1"])
    })

    it("no inline steps: WORKFLOW_MAX_INLINE_STEPS is 0: every step is a background step", async () => {
      const { log } = await toEnd(step("a"), {}, { maxInlineSteps: 0 })
      expect(log.slice(2)).toEqual([
        "3 step_created step_0001",
        "4 step_started step_0001 #1",
        "5 step_completed step_0001",
        "6 run_completed"
      ])
    })

    it("retry: an inline step that fails: moves to its own message and goes on there (STEP-04)", async () => {
      const { end, log } = await toEnd(
        step("a"),
        failingAt(1, () => new RetryableError("busy", { retryAfter: 10 }))
      )
      expect(end).toEqual({ value: "a" })
      expect(log.slice(2)).toEqual([
        "3 step_started step_0001 #1 inline",
        "4 step_retrying step_0001 #1 moved",
        "5 step_started step_0001 #2",
        "6 step_completed step_0001",
        "7 run_completed"
      ])
    })

    it("retry: a background step that fails: keeps its message, and nobody is named as its creator (ONCE-02, STEP-52)", async () => {
      const { log } = await toEnd(
        step("a"),
        failingAt(1, () => new RetryableError("busy", { retryAfter: 10 })),
        { maxInlineSteps: 0 }
      )
      expect(log.slice(2)).toEqual([
        "3 step_created step_0001",
        "4 step_started step_0001 #1",
        "5 step_retrying step_0001 #1",
        "6 step_started step_0001 #2",
        "7 step_completed step_0001",
        "8 run_completed"
      ])
    })

    it("attempts: the last one fails: the step fails with its error, and the workflow sees it (STEP-30)", async () => {
      const { end, ran } = await toEnd(
        step("a", { maxRetries: 1 }),
        failingAt(9, () => new RangeError("never"))
      )
      expect(end).toMatchObject({ error: { name: "RangeError", message: "never" } })
      expect(ran).toEqual(["a/1", "a/2"])
    })

    it("maxRetries 0: a failure: is final at once (STEP-15)", async () => {
      const { log, ran } = await toEnd(
        step("a", { maxRetries: 0 }),
        failingAt(9, () => new Error("once"))
      )
      expect(ran).toEqual(["a/1"])
      expect(log.slice(3)).toEqual(["4 step_failed step_0001 #1", "5 run_failed"])
    })

    it("FatalError: with attempts left: is final at once", async () => {
      const { end, ran } = await toEnd(
        step("a"),
        failingAt(9, () => new FatalError("for good"))
      )
      expect(end).toMatchObject({ error: { name: "FatalError", message: "for good", retryable: false } })
      expect(ran).toEqual(["a/1"])
    })

    it("results: one that the log cannot hold: fails the step with the reason, once", async () => {
      const { end, ran } = await toEnd(step("a"), { a: () => Effect.succeed(() => 1) })
      expect(end).toMatchObject({ error: { name: "SerializationError" } })
      expect(ran).toEqual(["a/1"])
    })

    it("results: one that is too large for the World: fails the step with the reason, once", async () => {
      const { end, ran } = await toEnd(step("a"), { a: () => Effect.succeed("x".repeat(64 * 1024 * 1024)) })
      expect(end).toMatchObject({ error: { name: "FatalError", message: expect.stringContaining("bytes") } })
      expect(ran).toEqual(["a/1"])
    })

    it("hooks: before creation, while open, after the end: not found, resumes, not found (HOOK-45)", async () => {
      const program = seq(step("a"), hook("gate"), step("b"))
      const outcome = await serving(world(), { bodies: bodiesOf(program) }, (client) =>
        Effect.gen(function* () {
          const early = yield* Effect.flip(client.resumeHook("gate", 1))
          const runId = yield* client.start("interpret", [program])
          yield* client.resumeHook("gate", { approved: true }).pipe(Effect.retry(soon))
          const value = yield* client.result(runId)
          const late = yield* Effect.flip(client.resumeHook("gate", 2))
          const again = yield* Effect.flip(client.cancel(runId))
          return { tags: [early._tag, late._tag, again._tag], value, log: yield* confirmed(client, runId) }
        })
      )
      expect(outcome.tags).toEqual(["HookNotFoundError", "HookNotFoundError", "EntityConflictError"])
      expect(outcome.value).toBe("b")
      expect(outcome.log.slice(4)).toEqual([
        "5 hook_created hook_0002",
        "6 hook_received hook_0002",
        "7 step_started step_0003 #1 inline",
        "8 step_completed step_0003",
        "9 run_completed"
      ])
    })

    it("hooks: a payload while an inline step runs: is consumed first, as every replay will (CAC-01, CAC-02)", async () => {
      const program = race(hook("h"), step("slow"))
      // Nothing tells the delivery of the payload but the report of its own next write.
      const run = await serving(
        withoutFeed(world()),
        {
          bodies: bodiesOf(program, { slow: () => Effect.as(Effect.sleep(150), "slow") }),
          environment: { WORKFLOW_ORCHESTRATOR_POLL_INTERVAL_MS: "0" }
        },
        (client) =>
          Effect.gen(function* () {
            const runId = yield* client.start("interpret", [program])
            yield* client.resumeHook("h", "hook").pipe(Effect.retry(soon))
            return { value: yield* client.result(runId), log: yield* confirmed(client, runId) }
          })
      )
      expect(run.value).toBe("hook")
      expect(run.log.slice(2)).toEqual([
        "3 hook_created hook_0001",
        "4 step_started step_0002 #1 inline",
        "5 hook_received hook_0001",
        "6 step_completed step_0002",
        "7 run_completed"
      ])
    })

    it("cancel: while a step runs: ends the run, and nothing starts after it (WORLD-11, LOG-32)", async () => {
      const program = seq(step("slow"), step("b"))
      const under = bodiesOf(program, { slow: () => Effect.as(Effect.sleep(150), "slow") })
      const run = await serving(world(), { bodies: under }, (client) =>
        Effect.gen(function* () {
          const runId = yield* client.start("interpret", [program])
          yield* Effect.suspend(() => (under.ran.length > 0 ? Effect.void : Effect.fail("not yet"))).pipe(
            Effect.retry(soon)
          )
          yield* client.cancel(runId, "changed my mind")
          const end = yield* Effect.flip(client.result(runId))
          yield* Effect.sleep(300)
          return { end, log: yield* confirmed(client, runId), ran: under.ran }
        })
      )
      expect(run.end).toMatchObject({ _tag: "RunCancelled", reason: "changed my mind" })
      expect(run.log[3]).toBe("4 run_cancelled")
      // A World takes an outcome after the end, where it is inert; the next step never starts.
      expect(run.ran).toEqual(["slow/1"])
      expect(run.log.filter((line) => line.includes("step_started"))).toHaveLength(1)
    })

    it("start: twice with one id: converges on one run (WORLD-39)", async () => {
      const program = step("a")
      const under = bodiesOf(program)
      const run = await serving(world(), { bodies: under }, (client) =>
        Effect.gen(function* () {
          const first = yield* client.start("interpret", [program], { runId: "run_twice" })
          const second = yield* client.start("interpret", [program], { runId: "run_twice" })
          yield* client.result(first)
          return { first, second, log: yield* confirmed(client, first) }
        })
      )
      expect([run.first, run.second]).toEqual(["run_twice", "run_twice"])
      expect(run.log.filter((line) => line.includes("run_created"))).toHaveLength(1)
      expect(under.ran).toEqual(["a/1"])
    })

    it("nasty workflows: that throw, float or return nonsense: end, and their logs replay", async () => {
      const ends = await serving(world(), {}, (client) =>
        Effect.forEach(
          ["throwsAString", "neverAwaits", "returnsAFunction", "usesATimer", "leaksAGlobal", "rejectsUnhandled"],
          (workflow) =>
            Effect.gen(function* () {
              const runId = yield* client.start(workflow, [])
              const end = yield* client
                .result(runId)
                .pipe(Effect.catchTag("RunFailed", ({ error }) => Effect.succeed(`${error.name}: ${error.message}`)))
              yield* confirmed(client, runId)
              return end
            })
        )
      )
      expect(ends).toEqual([
        "Error: only a string",
        "done",
        expect.stringContaining("SerializationError: The result of the workflow returnsAFunction"),
        expect.stringContaining("setTimeout is not available in workflow code"),
        1,
        "one"
      ])
    })

    it("clients: a value that no log can hold: is refused before anything is written", async () => {
      const refused = await serving(world(), {}, (client) =>
        Effect.flip(client.start("interpret", [() => 1], { runId: "run_never" })).pipe(
          Effect.zip(Effect.flip(client.log("run_never")))
        )
      )
      expect(refused.map((error) => error._tag)).toEqual(["ValueNotStorable", "RunNotFoundError"])
    })
  })
}

describe("the runtime", () => {
  it("a World without the fence: is refused (WORLD-04)", async () => {
    const { world } = make()
    const without = { ...world, capabilities: { ...world.capabilities, inBandFence: false } }
    await expect(serving(World.layer(without), {}, () => Effect.void)).rejects.toBeInstanceOf(WorldWithoutFence)
  })

  it("WORKFLOW_MAX_INLINE_STEPS: what is no count: is refused, by its name", async () => {
    const environment = { WORKFLOW_MAX_INLINE_STEPS: "a few" }
    await expect(serving(worlds.memory(), { environment }, () => Effect.void)).rejects.toThrow(
      /WORKFLOW_MAX_INLINE_STEPS/
    )
  })

  it("messages of another protocol: are refused", async () => {
    const { world } = make()
    const error = await Effect.gen(function* () {
      const handler = yield* makeHandler({
        world,
        workflows: yield* Effect.promise(() => workflows),
        bodies: bodiesOf(step("a")),
        tuning: { ...defaultSettings, maxInlineSteps: 1 },
        scope: yield* Effect.scope
      })
      return yield* Effect.flip(
        handler(
          { runId: "r", runSpecVersion: 8 },
          { messageId: "m", deliveryCount: 1, attempt: 1, invocationStartedAt: 0 }
        )
      )
    }).pipe(Effect.scoped, Effect.runPromise)
    expect(error).toMatchObject({ _tag: "SpecVersionNotSupported", specVersion: 8 })
  })
})
