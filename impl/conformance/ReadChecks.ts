/**
 * What a World answers about runs, steps, attributes and hooks: folds of the logs.
 *
 * @module
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert"
import { Effect } from "effect"
import type { Check } from "./Check.ts"
import {
  attributesSet,
  hookCreated,
  inlineStarted,
  runCancelled,
  runCompleted,
  runFailed,
  runStarted,
  stepCompleted,
  stepCreated,
  stepFailed,
  stepRetrying,
  stepStarted
} from "./SampleEvents.ts"
import type { Subject } from "./Subject.ts"
import { inBand, newRun, write } from "./Vocabulary.ts"

/** The checks of the read side. */
export const readChecks: ReadonlyArray<Check> = [
  {
    rules: "LOG-33",
    area: "read side",
    title: "a run's status: follows its start and its end",
    run: Effect.fnUntraced(function* (s: Subject) {
      const status = (runId: string) => Effect.map(s.events.getRun(runId), (run) => run.status)
      const ends = [
        [runCompleted, "completed"],
        [runFailed, "failed"],
        [runCancelled, "cancelled"]
      ] as const
      for (const [end, expected] of ends) {
        const runId = yield* newRun(s)
        strictEqual(yield* status(runId), "pending")
        yield* write(s, runId, runStarted, inBand(1, 1))
        yield* write(s, runId, stepCompleted(1))
        strictEqual(yield* status(runId), "running")
        const { event } = yield* write(s, runId, end)
        yield* write(s, runId, stepCompleted(2))
        const run = yield* s.events.getRun(runId)
        deepStrictEqual([run.status, run.terminal, run.workflowName], [expected, event, "checkout"])
      }
    })
  },
  {
    rules: "SIM-106, SIM-107, WORLD-10, STEP-66",
    area: "read side",
    title: "a step's state: is what its events say up to its first outcome, and its attempts are its starts",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      const status = Effect.map(s.events.getStep(runId, "step_1"), (step) => [step?.status, step?.attempt])
      deepStrictEqual(yield* status, [undefined, undefined])
      yield* write(s, runId, stepCreated(1), inBand(1, 1))
      deepStrictEqual(yield* status, ["pending", 0])
      yield* write(s, runId, stepStarted(1))
      deepStrictEqual(yield* status, ["running", 1])
      yield* write(s, runId, stepRetrying(1))
      deepStrictEqual(yield* status, ["pending", 1])
      yield* write(s, runId, stepStarted(1, 2))
      yield* write(s, runId, stepCompleted(1))
      deepStrictEqual(yield* status, ["completed", 2])
      yield* write(s, runId, stepFailed(1))
      yield* write(s, runId, inlineStarted(2), inBand(2, 7))
      const { data, hasMore } = yield* s.events.listSteps(runId)
      deepStrictEqual(
        data.map(({ stepId, stepName, status: each, inline, input }) => [stepId, stepName, each, inline, input]),
        [
          ["step_1", "charge", "completed", false, "[2]"],
          ["step_2", "charge", "running", true, "[2]"]
        ]
      )
      deepStrictEqual([data[0]?.result, hasMore], ["3", false])
    })
  },
  {
    rules: "SIM-97, TURBO-22",
    area: "read side",
    title: "a run's attributes: are those it was created with, with every change in the log's order",
    run: Effect.fnUntraced(function* (s: Subject) {
      const eventData = { workflowName: "checkout", input: "[]", attributes: { kept: "1", gone: "2" } }
      const { event } = yield* s.events.create(null, { eventType: "run_created", specVersion: 9, eventData })
      const { runId } = event
      const attributes = Effect.map(s.events.getRun(runId), (run) => ({ ...run.attributes }))
      deepStrictEqual(yield* attributes, { kept: "1", gone: "2" })
      yield* write(s, runId, attributesSet("new", "3"))
      yield* write(s, runId, attributesSet("gone", null))
      yield* write(s, runId, attributesSet("new", "4"))
      yield* write(s, runId, attributesSet("__proto__", "5"))
      deepStrictEqual(Object.entries(yield* attributes).sort(), [
        ["__proto__", "5"],
        ["kept", "1"],
        ["new", "4"]
      ])
    })
  },
  {
    rules: "LOG-33",
    area: "read side",
    title:
      "the list of runs: is in the order of their creation, page by page, and of one status or workflow when asked",
    run: Effect.fnUntraced(function* (s: Subject) {
      const ids: Array<string> = []
      for (const workflowName of ["checkout", "order", "checkout"]) {
        const eventData = { workflowName, input: "[]" }
        const { event } = yield* s.events.create(null, { eventType: "run_created", specVersion: 9, eventData })
        ids.push(event.runId)
      }
      yield* write(s, ids[0] ?? "", runStarted, inBand(1, 1))
      const first = yield* s.events.listRuns({ limit: 2 })
      deepStrictEqual([first.data.map(({ runId }) => runId), first.hasMore], [ids.slice(0, 2), true])
      ok(first.cursor !== null)
      const rest = yield* s.events.listRuns({ cursor: first.cursor })
      deepStrictEqual([rest.data.map(({ runId }) => runId), rest.hasMore], [ids.slice(2), false])
      const running = yield* s.events.listRuns({ status: "running" })
      deepStrictEqual(
        running.data.map(({ runId, status }) => [runId, status]),
        [[ids[0], "running"]]
      )
      const orders = yield* s.events.listRuns({ workflowName: "order" })
      deepStrictEqual(
        orders.data.map(({ runId }) => runId),
        [ids[1]]
      )
    })
  },
  {
    rules: "HOOK-24, HOOK-38",
    area: "read side",
    title: "the list of hooks: has those that have their token, of one run when asked",
    run: Effect.fnUntraced(function* (s: Subject) {
      const [first, second] = [yield* newRun(s), yield* newRun(s)]
      yield* write(s, first, hookCreated(1, "a"), inBand(1, 1))
      yield* write(s, first, hookCreated(2, "b", { metadata: "m" }), inBand(2, 2))
      yield* write(s, second, hookCreated(1, "c"), inBand(1, 1))
      const of = (runId?: string) =>
        Effect.map(s.events.listHooks(runId === undefined ? {} : { runId }), ({ data }) =>
          data.map(({ token, metadata }) => [token, metadata])
        )
      deepStrictEqual(yield* of(), [
        ["a", undefined],
        ["b", "m"],
        ["c", undefined]
      ])
      deepStrictEqual(yield* of(second), [["c", undefined]])
      yield* write(s, first, runCancelled)
      deepStrictEqual(yield* of(), [["c", undefined]])
    })
  }
]
