import { Deferred, Effect, Exit, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { coldReplay, type Settings, Workflows } from "../../../impl/runtime/index.ts"
import { RetryableError } from "../../../impl/workflow/index.ts"
import type { Topology } from "../../../impl/world/index.ts"
import { all, hook, type Program, race, seq, sleep, step } from "../../../model/programs/Program.ts"
import { type CrashPoint, counting, type Driven, driven } from "./Driver.ts"
import { type Bodies, bodiesOf, linesOf, workflows } from "./Harness.ts"

const topologies: ReadonlyArray<Topology> = ["coalescing", "gated", "unserialized"]

interface Case {
  readonly program: Program
  readonly bodies?: Bodies
  readonly maxInlineSteps: number
  readonly tuning?: Partial<Settings>
  readonly value: unknown
  readonly between?: (driven: Driven) => Effect.Effect<unknown, unknown>
}

const cases: Readonly<Record<string, Case>> = {
  "three inline steps": {
    program: seq(step("a"), step("b"), step("c")),
    maxInlineSteps: 3,
    value: "c"
  },
  "one inline and two background steps": {
    program: seq(all(step("a"), step("b"), step("c")), step("d")),
    maxInlineSteps: 1,
    value: "d"
  },
  "an inline step whose retry moves to the background": {
    program: seq(step("a"), step("b")),
    bodies: {
      a: ({ attempt }) =>
        attempt === 1 ? Effect.fail(new RetryableError("once", { retryAfter: 2000 })) : Effect.succeed("a")
    },
    maxInlineSteps: 1,
    value: "b"
  },
  "a hook and a background step": {
    program: all(hook("h"), step("a")),
    maxInlineSteps: 0,
    value: ["payload", "a"],
    between: ({ client }) => client.resumeHook("h", "payload")
  },
  "a sleep, then a background step": {
    program: seq(sleep(2), step("a")),
    maxInlineSteps: 0,
    value: "a"
  },
  "three sleeps of one chain beside an inline step": {
    program: all(sleep(3), sleep(1), sleep(2), step("a")),
    maxInlineSteps: 1,
    value: [undefined, undefined, undefined, "a"]
  },
  "sleeps of two chains": {
    program: all(seq(step("a"), sleep(2)), seq(sleep(1), sleep(3))),
    maxInlineSteps: 0,
    value: [undefined, undefined]
  },
  "a sleep that loses a race": {
    program: seq(race(step("a"), sleep(4)), sleep(1)),
    maxInlineSteps: 1,
    value: undefined
  },
  "a long sleep, in hops": {
    program: seq(sleep(11), step("a")),
    tuning: { waitHopSeconds: 3 },
    maxInlineSteps: 1,
    value: "a"
  }
}

/** Runs a case to its end with one crash, or none. */
const runCase = (topology: Topology, one: Case, crash?: CrashPoint) =>
  Effect.gen(function* () {
    const began = new Map<string, number>()
    const bodies = bodiesOf(one.program, one.bodies)
    const { maxInlineSteps, tuning = {} } = one
    const world = yield* driven({ topology, bodies, maxInlineSteps, tuning, ...(crash === undefined ? {} : { crash }) })
    const runId = yield* world.client.start("interpret", [one.program])
    yield* counting(began)(world.drain)
    if (one.between !== undefined) {
      yield* one.between(world)
      yield* counting(began)(world.drain)
    }
    const value = yield* world.client.result(runId)
    const log = yield* world.client.log(runId)
    yield* coldReplay(log)
    const left = world.memory.state().queue
    return { value, lines: linesOf(log), calls: world.calls(), began, left }
  }).pipe(
    Effect.scoped,
    Effect.provideServiceEffect(
      Workflows,
      Effect.promise(() => workflows)
    ),
    Effect.runPromise
  )

describe("a delivery lost at any call of the World or the queue", () => {
  for (const topology of topologies) {
    for (const [name, one] of Object.entries(cases)) {
      it(`${name}, ${topology}: the run ends with the same result, and its log replays`, async () => {
        const undisturbed = await runCase(topology, one)
        expect(undisturbed.value).toEqual(one.value)
        expect(undisturbed.calls).toBeGreaterThan(6)
        for (let call = 1; call <= undisturbed.calls; call++) {
          for (const side of ["before", "after"] as const) {
            const crashed = await runCase(topology, one, { call, side })
            expect(crashed.value, `${side} call ${call}`).toEqual(one.value)
            // One crash runs a body at most once more than it would have run.
            for (const [stepName, times] of crashed.began) {
              expect(times, `${stepName}, ${side} call ${call}`).toBeLessThanOrEqual(
                (undisturbed.began.get(stepName) ?? 0) + 1
              )
            }
          }
        }
      })
    }
  }

  it("maxRetries 0, inline: lost between its start and its outcome: fails, and the body is not run again (STEP-61)", async () => {
    const program = step("a", { maxRetries: 0 })
    let sawExhausted = false
    for (let call = 1; call <= 6; call++) {
      const run = await Effect.gen(function* () {
        const bodies = bodiesOf(program)
        const world = yield* driven({ topology: "gated", bodies, maxInlineSteps: 1, crash: { call, side: "after" } })
        const runId = yield* world.client.start("interpret", [program])
        yield* world.drain
        const end = yield* Effect.exit(world.client.result(runId))
        return { ran: bodies.ran, end, lines: linesOf(yield* world.client.log(runId)) }
      }).pipe(Effect.scoped, Effect.runPromise)
      expect(run.ran.length).toBeLessThanOrEqual(1)
      if (run.lines.includes("4 step_failed step_0001 #2")) sawExhausted = true
      expect(Exit.isSuccess(run.end) || run.lines.at(-1) === "5 run_failed").toBe(true)
    }
    expect(sawExhausted).toBe(true)
  })
})

describe("a delivery that lives on after its lease", () => {
  it("overlap: the second delivery writes first: the first is refused by the fence and asks again (FENCE-33, FENCE-22)", async () => {
    const program = seq(step("a"), step("b"))
    const run = await Effect.gen(function* () {
      const release = yield* Deferred.make<void>()
      let times = 0
      // The first attempt's body stalls past the lease, the second one's does not.
      const bodies = bodiesOf(program, {
        a: () => (++times === 1 ? Effect.as(Deferred.await(release), "a") : Effect.succeed("a"))
      })
      const world = yield* driven({ topology: "gated", bodies, maxInlineSteps: 1 })
      const runId = yield* world.client.start("interpret", [program])
      const first = yield* world.claim
      const stalled = yield* Effect.forkChild(world.run(first!), { startImmediately: true })
      yield* Effect.yieldNow
      yield* world.memory.perform<"Lapse">({ _tag: "Lapse", lease: first!.lease })
      const second = yield* world.claim
      const winner = yield* world.run(second!)
      const before = linesOf(yield* world.client.log(runId))
      yield* Deferred.succeed(release, undefined)
      const loser = yield* Fiber.join(stalled)
      const after = linesOf(yield* world.client.log(runId))
      return { first, second, winner, loser, before, after, ran: bodies.ran }
    }).pipe(Effect.scoped, Effect.runPromise)
    expect(run.second?.meta).toMatchObject({ messageId: run.first?.meta.messageId, deliveryCount: 2, attempt: 2 })
    expect(run.winner).toEqual(Exit.succeed(undefined))
    expect(run.before.slice(2)).toEqual([
      "3 step_started step_0001 #1 inline",
      "4 step_started step_0001 #2",
      "5 step_completed step_0001",
      "6 step_started step_0002 #1 inline",
      "7 step_completed step_0002",
      "8 run_completed"
    ])
    expect(run.ran).toEqual(["a/1", "a/2", "b/1"])
    // The loser's outcome carries a stale count: nothing is written, and it asks for its message again.
    expect(run.loser).toEqual(Exit.succeed({ timeoutSeconds: 1 }))
    expect(run.after).toEqual(run.before)
  })
})
