/** The re-send pass: once in an invocation, within the time in which the queue remembers what it was sent. */
import { Effect, Metric } from "effect"
import { describe, expect, it } from "vitest"
import { ResendPasses } from "../../../impl/runtime/ResendPasses.ts"
import { skippedTooOldTotal } from "../../../impl/runtime/Telemetry.ts"
import type { MessageMeta, WorkflowInvokePayload } from "../../../impl/world/index.ts"
import { all, type Program, step } from "../../../model/programs/index.ts"
import { type Driven, driven, lookingAt } from "./Driver.ts"
import { bodiesOf } from "./Harness.ts"

const HOUR = 3_600_000
const meta = (deliveryCount: number, invocationStartedAt = 1): MessageMeta => ({
  messageId: "m",
  deliveryCount,
  attempt: 1,
  invocationStartedAt
})

describe("the re-send passes of a process", () => {
  it("a re-run: of an invocation that has made its pass: is told so, once (DEDUPE-20, QUEUE-26)", () => {
    const passes = new ResendPasses()
    expect(passes.isMade(meta(2))).toBe(false)
    passes.acknowledge(meta(2))
    expect(passes.isMade(meta(3))).toBe(true)
    expect(passes.isMade(meta(3))).toBe(false)
  })

  it("a delivery of another invocation: told another beginning, or a count further on: makes its own pass (FENCE-24)", () => {
    const passes = new ResendPasses()
    passes.acknowledge(meta(2))
    expect(passes.isMade(meta(3, 2))).toBe(false)
    passes.acknowledge(meta(2))
    expect(passes.isMade(meta(4))).toBe(false)
    passes.acknowledge(meta(2))
    expect(passes.isMade({ ...meta(3), messageId: "other" })).toBe(false)
  })

  it("what is kept: of more messages than may be: the latest", () => {
    const passes = new ResendPasses()
    for (let i = 0; i <= 10_000; i++) passes.acknowledge({ ...meta(2), messageId: `m${i}` })
    expect(passes.isMade({ ...meta(3), messageId: "m0" })).toBe(false)
    expect(passes.isMade({ ...meta(3), messageId: "m1" })).toBe(true)
    expect(passes.isMade({ ...meta(3), messageId: "m10000" })).toBe(true)
  })
})

/** A run whose steps were created and sent by its first delivery, and what a further delivery sends again. */
const begun = <A>(
  program: Program,
  use: (
    world: Driven,
    again: (told: MessageMeta, more?: Partial<WorkflowInvokePayload>) => Effect.Effect<ReadonlyArray<string>, unknown>,
    first: MessageMeta
  ) => Effect.Effect<A, unknown>
) =>
  Effect.gen(function* () {
    const world = yield* driven({ topology: "coalescing", maxInlineSteps: 1, bodies: bodiesOf(program) })
    const runId = yield* world.client.start("interpret", [program])
    const first = (yield* world.claim)!
    yield* world.run(first)
    const again = (told: MessageMeta, more: Partial<WorkflowInvokePayload> = {}) => {
      const sent: Array<string> = []
      return world.handler({ runId, runSpecVersion: 9, ...more }, told).pipe(
        lookingAt((operation) =>
          Effect.sync(() => {
            if (operation._tag === "Send") sent.push(operation.payload.stepId ?? "wake")
          })
        ),
        Effect.as(sent)
      )
    }
    return yield* use(world, again, first.meta)
  }).pipe(Effect.scoped, Effect.runPromise)

/** The first step runs inline, so that its outcome is the last in-band write, and the others' creations are not. */
const program = all(step("inline"), step("a"), step("b"), step("c"))
const everyStep = ["step_0002", "step_0003", "step_0004"]

describe("the re-send rule", () => {
  it("re-runs of an invocation: the first one sends every step again, those after it what the last in-band write created, which is none (DEDUPE-20, COAL-19)", async () => {
    const sent = await begun(program, (_world, again, first) =>
      Effect.all([2, 3, 4].map((deliveryCount) => again({ ...first, deliveryCount })))
    )
    expect(sent).toEqual([everyStep, [], []])
  })

  it("a redelivery: after the re-runs of another invocation: sends every step again (FENCE-24, STEP-37)", async () => {
    const sent = await begun(program, (_world, again, first) =>
      Effect.all([
        again({ ...first, deliveryCount: 2 }),
        again({ ...first, deliveryCount: 3, invocationStartedAt: first.invocationStartedAt + 1 }),
        // The run before it did not end in an acknowledgment, or its answer was lost.
        again({ ...first, deliveryCount: 5, invocationStartedAt: first.invocationStartedAt + 1 })
      ])
    )
    expect(sent).toEqual([everyStep, everyStep, everyStep])
  })

  it("a recovery: in its first delivery: sends every step again, and a re-run of it does not (STEP-53)", async () => {
    const sent = await begun(program, (_world, again, first) => {
      const told = { ...first, messageId: "msg_recovery" }
      return Effect.all([again(told, { recovery: true }), again({ ...told, deliveryCount: 2 }, { recovery: true })])
    })
    expect(sent).toEqual([everyStep, []])
  })

  it("a step that was created 23 hours ago: is not sent again, and counted, but by a recovery (DEDUPE-20, STEP-48, STEP-53)", async () => {
    const { young, old, counted, recovered } = await begun(program, (world, again, first) =>
      Effect.gen(function* () {
        const advance = (now: number) => world.memory.perform<"Advance">({ _tag: "Advance", now })
        const created = world.memory.state().now
        yield* advance(created + 23 * HOUR - 1)
        const young = yield* again({ ...first, deliveryCount: 2 })
        const before = (yield* Metric.value(skippedTooOldTotal)).count
        yield* advance(created + 23 * HOUR)
        const old = yield* again({ ...first, deliveryCount: 4 })
        const counted = (yield* Metric.value(skippedTooOldTotal)).count - before
        const recovered = yield* again({ ...first, messageId: "msg_recovery" }, { recovery: true })
        return { young, old, counted, recovered }
      })
    )
    expect({ young, old, counted, recovered }).toEqual({ young: everyStep, old: [], counted: 3, recovered: everyStep })
  })
})
