import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { Runtime, StepBodies, Workflows } from "../../../impl/runtime/index.ts"
import { readSettings } from "../../../impl/runtime/Settings.ts"
import { BodyObserver } from "../../../impl/runtime/StepBodies.ts"
import { World } from "../../../impl/world/index.ts"
import { make as makeMemory } from "../../../impl/worlds/memory/index.ts"
import { defaultQueueSettings } from "../../../impl/worlds/QueueRules.ts"
import { make as makeSqlite } from "../../../impl/worlds/sqlite/index.ts"
import { all, hook, type Program, programs, race, seq, sleep, sleeps, step } from "../../../model/programs/index.ts"
import { bodiesOf, interpreter, type OverlapOptions } from "../../../refinement/explore/Overlap.ts"
import { waitsOf } from "../../../refinement/Record.ts"
import { bodyRecorder, recorder } from "../../../refinement/trace/Recorder.ts"
import { formatTrace, memorySink } from "../../../refinement/trace/Sink.ts"
import type { Topology, Trace } from "../../../refinement/trace/Trace.ts"
import { validate } from "../../../refinement/Validate.ts"
import { showVerdict } from "../../../refinement/validate/Show.ts"

const runId = "run_recorded"

interface Recording {
  readonly program: Program
  readonly topology: Topology
  readonly maxInlineSteps?: number
  /** Milliseconds of a tick, for a program that sleeps. */
  readonly tickMs?: number
  readonly settings?: { readonly [name: string]: string }
  readonly outcomeOf?: OverlapOptions["outcomeOf"]
  /** What clients do after the start. */
  readonly meanwhile?: (client: Runtime["Service"]["client"]) => Effect.Effect<unknown, unknown>
}

/** Runs a program to its end on a World that serves itself, and gives the trace. */
const record = (
  world: World["Service"],
  given: Recording,
  wrap: (recorded: World["Service"]) => World["Service"] = (recorded) => recorded
): Effect.Effect<Trace, unknown> =>
  Effect.gen(function* () {
    const { program, topology, maxInlineSteps = 3, tickMs = 40, settings = {} } = given
    const values = { WORKFLOW_MAX_INLINE_STEPS: String(maxInlineSteps), ...settings }
    const provider = ConfigProvider.fromUnknown(values)
    const waits = waitsOf(yield* Effect.provideService(readSettings, ConfigProvider.ConfigProvider, provider), tickMs)
    const sink = memorySink({
      trace: "onewriter/1",
      program,
      topology,
      maxInlineSteps,
      ...(sleeps(program) ? { waits } : {}),
      runId
    })
    const limit = ConfigProvider.layer(provider)
    const runtime = Runtime.layer.pipe(
      Layer.provide(World.layer(wrap(recorder(world, sink)))),
      Layer.provide(Workflows.layer([interpreter], { passTimeoutMs: 0, maxHeapMb: 0 })),
      Layer.provide(limit)
    )
    const drive = Effect.gen(function* () {
      const { client, serve } = yield* Runtime
      yield* serve
      yield* client.start("interpret", [program, tickMs], { runId })
      yield* given.meanwhile?.(client) ?? Effect.void
      yield* Effect.exit(client.result(runId))
    })
    yield* drive.pipe(
      Effect.scoped,
      Effect.provide(runtime),
      Effect.provideService(StepBodies, bodiesOf(program, given.outcomeOf)),
      Effect.provideService(BodyObserver, bodyRecorder(sink))
    )
    return sink.trace()
  })

/** Resumes the hook as soon as it is there; gives up when it does not come, as when the run ends without it. */
const resume =
  (token: string, payload: unknown) =>
  (client: Runtime["Service"]["client"]): Effect.Effect<unknown, unknown> =>
    client.resumeHook(token, payload).pipe(
      Effect.tapError(() => Effect.sleep(10)),
      Effect.retry({ times: 100 }),
      Effect.ignore
    )

const recordings: ReadonlyArray<[name: string, recording: Omit<Recording, "topology">]> = [
  ["checkout", { program: programs.checkout.program }],
  ["four steps at once, three of them inline", { program: programs["all-four"].program }],
  ["every step in the background", { program: programs["all-two"].program, maxInlineSteps: 0 }],
  ["a hook that is resumed", { program: programs["hook-then-step"].program, meanwhile: resume("approval", "yes") }],
  ["a step that fails for good", { program: programs["two-steps"].program, outcomeOf: () => "failed" }],
  [
    "a step on its last attempt",
    { program: step("charge", { maxRetries: 0 }), outcomeOf: () => "retry", maxInlineSteps: 0 }
  ],
  ["a cancellation", { program: seq(step("a"), hook("never")), meanwhile: (client) => client.cancel(runId, "enough") }],
  ["wakes for no reason", { program: programs.checkout.program, meanwhile: (client) => client.wake(runId) }],
  [
    "a race of a hook and a step, whose loser goes on",
    {
      program: race(seq(step("a"), step("b")), seq(hook("t"), step("c"))),
      maxInlineSteps: 1,
      meanwhile: resume("t", 1)
    }
  ],
  [
    "sleeps beside each other and behind steps (WAIT-10, WAIT-22, WAIT-26)",
    { program: all(seq(step("a"), sleep(2)), seq(sleep(1), step("b")), sleep(3)), maxInlineSteps: 1 }
  ],
  [
    "a sleep that is longer than a timer goes (WAIT-53, WAIT-57)",
    {
      program: seq(sleep(1), step("a")),
      tickMs: 2_300,
      settings: { WORKFLOW_WAIT_CONTINUATION_MAX_DELAY_SECONDS: "1" }
    }
  ],
  [
    "sleeps that are asked to end (WAIT-91)",
    {
      program: all(sleep(2), sleep(3)),
      tickMs: 60_000,
      meanwhile: (client) =>
        client.wakeUp(runId).pipe(
          Effect.tap(({ stoppedCount }) => (stoppedCount === 0 ? Effect.sleep(10) : Effect.void)),
          Effect.repeat({ until: ({ stoppedCount }) => stoppedCount > 0, times: 200 })
        )
    }
  ],
  ["a sleep that a step outlasts", { program: race(sleep(1), seq(step("a"), hook("never"))) }],
  [
    "handoffs at the end of an inline window (HAND-04, HAND-07)",
    {
      program: seq(all(step("a"), sleep(3)), step("b")),
      settings: { WORKFLOW_V2_TIMEOUT_MS: "1", WORKFLOW_INLINE_STEP_DEADLINE_MARGIN_MS: "0" }
    }
  ],
  ["nested parts", { program: all(seq(step("a"), step("b")), all(step("c"), step("d"))), maxInlineSteps: 2 }]
]

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "onewriter-recorder-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const judged = (trace: Trace) =>
  Effect.map(validate(trace), (verdict) => {
    expect(verdict, `${showVerdict(verdict, "trace")}\n${formatTrace(trace)}`).toMatchObject({
      result: "accepted",
      ended: true,
      hidden: 0
    })
  })

describe("recorder", () => {
  for (const [name, recording] of recordings) {
    for (const topology of ["gated", "coalescing"] as const) {
      it.live(`${name} (memory, ${topology}): recorded while the World serves itself: the trace refines`, () =>
        Effect.gen(function* () {
          yield* judged(yield* record(makeMemory({ topology }).world, { ...recording, topology }))
        })
      )
    }
    it.live(`${name} (SQLite): recorded while the World serves itself: the trace refines`, () =>
      Effect.gen(function* () {
        const path = join(yield* temporary, "world.db")
        const { world } = yield* makeSqlite({ path, pollMs: 5, durability: "process" })
        yield* judged(yield* record(world, { ...recording, topology: "coalescing" }))
      })
    )
  }

  for (const topology of ["gated", "coalescing", "unserialized"] as const) {
    it.live(
      `an event loop that is blocked past the lease (memory, ${topology}): recorded: its trace refines (FENCE-04)`,
      () =>
        Effect.gen(function* () {
          const { world } = makeMemory({ topology, queue: { ...defaultQueueSettings, leaseMs: 40, backoffMs: 10 } })
          const stall = new Int32Array(new SharedArrayBuffer(4))
          const trace = yield* record(world, {
            program: programs["two-steps"].program,
            topology,
            outcomeOf: (name) => {
              if (name === "first") Atomics.wait(stall, 0, 0, 120)
              return "completed"
            }
          })
          const verdict = yield* validate(trace)
          expect(verdict, `${showVerdict(verdict, "trace")}\n${formatTrace(trace)}`).toMatchObject({
            result: "accepted",
            ended: true
          })
        })
    )
  }

  it.live(
    "an input that a step's message does not carry (STEP-74): its delivery loads the log, and the trace refines",
    () =>
      Effect.gen(function* () {
        // As for an input that is too large for a message: it is left out before the message is recorded and sent.
        const bare = (world: World["Service"]): World["Service"] => ({
          ...world,
          queue: {
            ...world.queue,
            send: ({ stepInput: _, ...payload }, options) => world.queue.send(payload, options)
          }
        })
        const recording = { program: programs["all-two"].program, maxInlineSteps: 0, topology: "gated" } as const
        const trace = yield* record(makeMemory({ topology: "gated" }).world, recording, bare)
        yield* judged(trace)
        const lines = trace.lines.map(({ line }) => line)
        expect(lines.filter((line) => line.action === "SendStep").map((line) => line.inputOmitted)).toEqual([
          true,
          true
        ])
        const first = lines.findIndex((line) => line.action === "Deliver" && line.kind === "step")
        expect(lines.slice(first).some((line) => line.action === "LoadLog")).toBe(true)
      })
  )

  it.live("another run on the same World: it leaves no line", () =>
    Effect.gen(function* () {
      const { world } = makeMemory({ topology: "gated" })
      const sink = memorySink({
        trace: "onewriter/1",
        program: "checkout",
        topology: "gated",
        maxInlineSteps: 3,
        runId
      })
      const { events, queue } = recorder(world, sink)
      const specVersion = world.specVersion
      yield* events.create("run_other", {
        eventType: "run_created",
        specVersion,
        eventData: { workflowName: "w", input: "[]" }
      })
      yield* queue.send({ runId: "run_other" })
      yield* events.list("run_other")
      expect(sink.trace().lines).toHaveLength(1)
    })
  )

  it.live("payloads: recorded: nothing of them is in the trace", () =>
    Effect.gen(function* () {
      const recording = { program: programs["hook-then-step"].program, meanwhile: resume("approval", "a secret") }
      const trace = yield* record(makeMemory({ topology: "gated" }).world, { ...recording, topology: "gated" })
      expect(formatTrace(trace)).not.toContain("a secret")
    })
  )
})
