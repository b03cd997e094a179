import { deepStrictEqual, ok, strictEqual, throws } from "node:assert"
import { describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import fc from "fast-check"
import { test } from "vitest"
import {
  answerOf,
  capabilitiesOf,
  correlationIdOf,
  EntityConflictError,
  Event,
  EventInput,
  EventStorage,
  eventIdOf,
  HookNotFoundError,
  InBandSupersededError,
  isSingleOrchestratorMessage,
  isTerminalRunEvent,
  MessageQueue,
  messageRunSpecVersion,
  mintedSpecVersion,
  PayloadTooLargeError,
  RunExpiredError,
  RunNotFoundError,
  singleOrchestratorRunIdOf,
  slotOf,
  WorkflowInvokePayload,
  WorkflowWorldError,
  World
} from "../../../impl/world/index.ts"
import { make } from "../../../impl/worlds/memory/index.ts"
import {
  hookCreated,
  hookReceived,
  inlineStarted,
  runCancelled,
  runCompleted,
  runCreated,
  runFailed,
  runStarted,
  stepCompleted,
  stepCreated,
  stepFailed,
  stepRetrying,
  stepStarted
} from "../worlds/contract/Subject.ts"

const inputs = [
  runCreated,
  runStarted,
  runCompleted,
  runFailed,
  runCancelled,
  stepCreated(1),
  stepStarted(1),
  inlineStarted(1),
  stepRetrying(1),
  stepCompleted(1),
  stepFailed(1),
  hookCreated(1),
  hookReceived(1)
]

describe("events", () => {
  test("an event id: is the slot, and sorts as slots do (LOG-18)", () => {
    strictEqual(eventIdOf(1), "evnt_0000000000000001")
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.maxSafeNat(), (a, b) => {
        strictEqual(slotOf({ eventId: eventIdOf(a) }), a)
        strictEqual(eventIdOf(a) < eventIdOf(b), a < b)
      })
    )
  })

  test("every event type: decodes to what was encoded, as input and as committed event", () => {
    for (const input of inputs) {
      deepStrictEqual(Schema.decodeUnknownSync(EventInput)(JSON.parse(JSON.stringify(input))), input)
      const event = { eventId: eventIdOf(3), runId: "wrun_1", createdAt: 5, ...input }
      deepStrictEqual(Schema.decodeUnknownSync(Event)(JSON.parse(JSON.stringify(event))), event)
    }
  })

  test("what is no event: does not decode", () => {
    const event = { eventId: eventIdOf(3), runId: "wrun_1", createdAt: 5, ...stepStarted(1) }
    Schema.decodeUnknownSync(Event)(event)
    for (const wrong of [
      { ...event, eventId: "evnt_3" },
      { ...event, eventType: "step_melted" },
      { ...event, correlationId: undefined },
      { ...event, createdAt: "now" },
      { ...event, eventData: { stepName: "a", attempt: 0 } },
      { ...event, eventData: { attempt: 1 } }
    ]) {
      throws(() => Schema.decodeUnknownSync(Event)(wrong), JSON.stringify(wrong))
    }
  })

  test("terminal run events: are the three that end a run, and no outcome of a step", () => {
    deepStrictEqual(
      inputs.filter(isTerminalRunEvent).map(({ eventType }) => eventType),
      ["run_completed", "run_failed", "run_cancelled"]
    )
  })

  test("a correlation id: names the entity of step and hook events, and run events have none", () => {
    deepStrictEqual(inputs.map(correlationIdOf), [
      ...Array.from({ length: 5 }, () => undefined),
      ...Array.from({ length: 6 }, () => "step_1"),
      "hook_1",
      "hook_1"
    ])
  })
})

describe("messages", () => {
  test("the run's spec version: is read off runInput, runContext or the stamp, in that order (QUEUE-01)", () => {
    const runContext = { workflowName: "w", specVersion: 8 }
    const runInput = { workflowName: "w", specVersion: 9, input: "[]" }
    strictEqual(messageRunSpecVersion({ runId: "r" }), undefined)
    strictEqual(messageRunSpecVersion({ runId: "r", runSpecVersion: 7 }), 7)
    strictEqual(messageRunSpecVersion({ runId: "r", runSpecVersion: 7, runContext }), 8)
    strictEqual(messageRunSpecVersion({ runId: "r", runSpecVersion: 7, runContext, runInput }), 9)
  })

  test("an orchestrator message: is one of a stamped spec 9 run that names no step (QUEUE-01, COAL-12)", () => {
    strictEqual(singleOrchestratorRunIdOf({ runId: "r", runSpecVersion: 9 }), "r")
    strictEqual(singleOrchestratorRunIdOf({ runId: "r", runSpecVersion: 9, stepId: "step_1" }), undefined)
    strictEqual(singleOrchestratorRunIdOf({ runId: "r", runSpecVersion: 8 }), undefined)
    strictEqual(singleOrchestratorRunIdOf({ runId: "r" }), undefined)
    ok(isSingleOrchestratorMessage({ runId: "r", runSpecVersion: 9, stepId: "step_1" }))
  })

  test("a payload with keys of a newer sender: decodes without them (DEDUPE-24)", () => {
    const decoded = Schema.decodeUnknownSync(WorkflowInvokePayload)({ runId: "r", recovery: true, later: 1 })
    deepStrictEqual(decoded, { runId: "r", recovery: true })
  })

  test("a handler's result: is an answer, and only 0 is a handoff (QUEUE-06, QUEUE-07, QUEUE-11)", () => {
    deepStrictEqual(answerOf(undefined), { _tag: "Acknowledge" })
    for (const [given, asked] of [
      [0, 0],
      [1.5, 1.5],
      [86_400, 86_400],
      [-1, 900],
      [Number.NaN, 900],
      [Number.POSITIVE_INFINITY, 900],
      [Number.NEGATIVE_INFINITY, 900]
    ] as const) {
      deepStrictEqual(answerOf({ timeoutSeconds: given }), { _tag: "AskRedelivery", timeoutSeconds: asked })
    }
  })
})

describe("errors", () => {
  test("every refusal: has the documents' status and code, and a message that names its run", () => {
    const runId = "wrun_1"
    const eventType = "step_started"
    const errors = [
      new InBandSupersededError({ runId, expectedSeqInBand: 3, seqInBand: 4 }),
      new RunExpiredError({ runId, eventType }),
      new EntityConflictError({ runId, eventType, conflict: "run-ended" }),
      new RunNotFoundError({ runId })
    ]
    deepStrictEqual(
      errors.map(({ status, code }) => [status, code]),
      [
        [412, "in-band-superseded"],
        [410, "run-expired"],
        [409, "entity-conflict"],
        [404, "run-not-found"]
      ]
    )
    for (const error of errors) ok(error.message.includes(runId) && error instanceof Error)
    strictEqual(new HookNotFoundError({ token: 'a"b' }).message, 'No open hook has the token "a\\"b".')
    ok(new PayloadTooLargeError({ subject: "event", bytes: 7, limit: 6 }).message.includes("7 bytes"))
    strictEqual(new WorkflowWorldError({ status: 400, code: "x", message: "why" }).message, "why")
  })
})

describe("a World", () => {
  test("its capabilities: follow from the topology, and without the fence it mints no spec 9 run (WORLD-03, VER-06)", () => {
    deepStrictEqual(
      (["gated", "coalescing", "unserialized"] as const).map((topology) => {
        const { inBandFence, maxConcurrency, coalescing } = capabilitiesOf(topology)
        return [inBandFence, maxConcurrency, coalescing]
      }),
      [
        [true, true, false],
        [true, true, true],
        [true, false, false]
      ]
    )
    strictEqual(mintedSpecVersion(capabilitiesOf("gated")), 9)
    strictEqual(mintedSpecVersion({ ...capabilitiesOf("gated"), inBandFence: false }), 8)
  })

  it.effect("its layer: gives the World and both halves, so that a wrapper is seen by all who ask", () =>
    Effect.gen(function* () {
      const { world } = make()
      const wrapped = { ...world, events: { ...world.events }, queue: { ...world.queue } }
      const halves = Effect.all([World, EventStorage, MessageQueue])
      const [whole, events, queue] = yield* Effect.provide(halves, World.layer(wrapped))
      strictEqual(whole, wrapped)
      strictEqual(events, wrapped.events)
      strictEqual(queue, wrapped.queue)
    })
  )
})
