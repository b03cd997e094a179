import { Effect, Exit, Metric, Tracer } from "effect"
import { describe, expect, it } from "vitest"
import { deliveriesTotal, reenqueuedTotal } from "../../../impl/runtime/index.ts"
import { all, seq, sleep, step } from "../../../model/programs/Program.ts"
import { driven } from "./Driver.ts"
import { bodiesOf } from "./Harness.ts"

interface Seen {
  readonly name: string
  readonly parent: string | undefined
  readonly attributes: ReadonlyMap<string, unknown>
  readonly isFailed: () => boolean
}

/** A tracer that keeps every span. */
const keeping = (seen: Array<Seen>): Tracer.Tracer =>
  Tracer.make({
    span(options) {
      const span = new Tracer.NativeSpan(options)
      const parent =
        options.parent._tag === "Some" && options.parent.value._tag === "Span" ? options.parent.value.name : undefined
      seen.push({
        name: span.name,
        parent,
        attributes: span.attributes,
        isFailed: () => span.status._tag === "Ended" && Exit.isFailure(span.status.exit)
      })
      return span
    }
  })

describe("telemetry", () => {
  it("spans: one for each delivery and each body, with the run, the message and its counts (STEP-54)", async () => {
    const seen: Array<Seen> = []
    const program = seq(all(step("a"), step("b")), sleep(5))
    await Effect.gen(function* () {
      const world = yield* driven({
        topology: "gated",
        maxInlineSteps: 1,
        bodies: bodiesOf(program),
        tuning: { waitHopSeconds: 3 }
      })
      yield* world.client.start("interpret", [program], { runId: "r" })
      yield* world.drain
    }).pipe(Effect.scoped, Effect.provideService(Tracer.Tracer, keeping(seen)), Effect.runPromise)
    const ours = seen.filter(({ name }) => name.startsWith("workflow."))
    expect(new Set(ours.map(({ name }) => name))).toEqual(
      new Set(["workflow.orchestrator", "workflow.step", "workflow.step.body", "workflow.hop"])
    )
    for (const { attributes } of ours) expect(attributes.get("workflow.run.id")).toBe("r")
    const first = ours.find(({ name }) => name === "workflow.orchestrator")
    expect(Object.fromEntries(first?.attributes ?? [])).toMatchObject({
      "workflow.message.id": "msg_000000000001",
      "workflow.delivery.count": 1,
      "workflow.delivery.attempt": 1,
      "workflow.delivery.end": "acknowledged",
      "workflow.reenqueue.count": 0
    })
    const bodies = ours.filter(({ name }) => name === "workflow.step.body")
    expect(bodies.map(({ parent, attributes }) => [parent, attributes.get("workflow.step.name")])).toEqual([
      ["workflow.orchestrator", "a"],
      ["workflow.step", "b"]
    ])
  })

  it("the re-send rule: what was sent again is counted on the span and in all; a delivery that fails, as such (STEP-54, FAN-51)", async () => {
    const seen: Array<Seen> = []
    const program = all(step("a"), step("b"))
    const { before, after, failed } = await Effect.gen(function* () {
      const world = yield* driven({ topology: "gated", maxInlineSteps: 0, bodies: bodiesOf(step("a")) })
      yield* world.client.start("interpret", [program], { runId: "r" })
      const one = (yield* world.claim)!
      yield* world.run(one)
      const before = (yield* Metric.value(reenqueuedTotal)).count
      yield* world.handler({ runId: "r", runSpecVersion: 9 }, { ...one.meta, deliveryCount: 2 })
      const after = (yield* Metric.value(reenqueuedTotal)).count
      const failures = Metric.withAttributes(deliveriesTotal, { kind: "step", end: "failed" })
      const counted = (yield* Metric.value(failures)).count
      yield* world.memory.deliveries.answer(one.lease, { _tag: "Acknowledge" })
      // This process has no body for the second step.
      yield* world.drain.pipe(Effect.exit)
      return { before, after, failed: (yield* Metric.value(failures)).count - counted }
    }).pipe(Effect.scoped, Effect.provideService(Tracer.Tracer, keeping(seen)), Effect.runPromise)
    expect(after - before).toBe(2)
    const second = seen.filter(({ name }) => name === "workflow.orchestrator")[1]
    expect(second?.attributes.get("workflow.reenqueue.count")).toBe(2)
    expect(failed).toBeGreaterThan(0)
    expect(seen.some(({ name, isFailed }) => name === "workflow.step" && isFailed())).toBe(true)
  })
})
