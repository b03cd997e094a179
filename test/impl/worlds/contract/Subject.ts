/**
 * What the contract checks are run on, and the small vocabulary that they are written in.
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert"
import { Effect, Exit, type Scope } from "effect"
import { TestClock } from "effect/testing"
import type {
  Answer,
  Claimed,
  CreateEventParams,
  Event,
  EventInput,
  EventInputOf,
  EventPage,
  EventStorageError,
  StreamStorage,
  Topology,
  World
} from "../../../../impl/world/index.ts"
import type { DeliveryStore } from "../../../../impl/worlds/memory/index.ts"
import * as Memory from "../../../../impl/worlds/memory/index.ts"
import * as Sqlite from "../../../../impl/worlds/sqlite/index.ts"

/** Every subject has pages of this many events and leases of this length, so that checks can reach both. */
export const PAGE_SIZE = 10
export const LEASE_MS = 30_000

/** A World under test, with the inner half of its queue. */
export interface Subject {
  readonly events: World["Service"]["events"]
  readonly send: World["Service"]["queue"]["send"]
  readonly streams: StreamStorage["Service"]
  readonly deliveries: Pick<DeliveryStore, "claim" | "answer" | "renew" | "release">
}

/** A check: the rules it covers (none where only this project says so), what holds, and the effect that dies when it does not. */
export interface Check {
  readonly rules: string
  readonly title: string
  /** The topology that the check is about; it is run on coalescing Worlds when absent. */
  readonly topology?: Topology
  readonly run: (subject: Subject) => Effect.Effect<void, unknown>
}

export type Make = (topology: Topology) => Effect.Effect<Subject, unknown, Scope.Scope>

const streamsOf = ({ streams }: World["Service"]): StreamStorage["Service"] => {
  if (streams === undefined) throw new Error("The World under test has no streams.")
  return streams
}

export const subjectOf = ({ world, deliveries }: Pick<Memory.MemoryWorld, "world" | "deliveries">): Subject => ({
  events: world.events,
  send: world.queue.send,
  streams: streamsOf(world),
  deliveries
})

export const memorySubject: Make = (topology) =>
  Effect.sync(() => subjectOf(Memory.make({ topology, limits: { ...Memory.defaultLimits, maxPageSize: PAGE_SIZE } })))

export const sqliteSubject: Make = (topology) =>
  Effect.map(
    Sqlite.make({ path: ":memory:", topology, durability: "process", limits: { maxPageSize: PAGE_SIZE } }),
    subjectOf
  )

// --- events ---

export const runCreated: EventInput = {
  eventType: "run_created",
  specVersion: 9,
  eventData: { workflowName: "checkout", input: "[1]" }
}
export const runStarted: EventInput = { eventType: "run_started", specVersion: 9, eventData: {} }
/** A start that creates its run, when that was never created. */
export const creatingStart: EventInput = {
  eventType: "run_started",
  specVersion: 9,
  eventData: { workflowName: "checkout", input: "[1]", attributes: { b: "3" } }
}
export const runCompleted: EventInput = { eventType: "run_completed", specVersion: 9, eventData: { output: "1" } }
export const runCancelled: EventInput = { eventType: "run_cancelled", specVersion: 9, eventData: {} }
export const runFailed: EventInput = {
  eventType: "run_failed",
  specVersion: 9,
  eventData: { error: { name: "Error", message: "no" } }
}
export const stepCreated = (n: number): EventInput => ({
  eventType: "step_created",
  specVersion: 9,
  correlationId: `step_${n}`,
  eventData: { stepName: "charge", workflowName: "checkout", input: "[2]", inline: false, creatorMessageId: "msg_1" }
})
export const stepStarted = (n: number, attempt = 1): EventInput => ({
  eventType: "step_started",
  specVersion: 9,
  correlationId: `step_${n}`,
  eventData: { stepName: "charge", attempt }
})
export const inlineStarted = (n: number): EventInput => ({
  eventType: "step_started",
  specVersion: 9,
  correlationId: `step_${n}`,
  eventData: { stepName: "charge", attempt: 1, workflowName: "checkout", input: "[2]", inline: true }
})
export const stepRetrying = (n: number): EventInput => ({
  eventType: "step_retrying",
  specVersion: 9,
  correlationId: `step_${n}`,
  eventData: {
    stepName: "charge",
    attempt: 1,
    error: { name: "Error", message: "later" },
    retryAfter: 1_000,
    creatorMessageId: "msg_1"
  }
})
export const stepCompleted = (n: number): EventInput => ({
  eventType: "step_completed",
  specVersion: 9,
  correlationId: `step_${n}`,
  eventData: { stepName: "charge", result: "3" }
})
export const stepFailed = (n: number): EventInput => ({
  eventType: "step_failed",
  specVersion: 9,
  correlationId: `step_${n}`,
  eventData: { stepName: "charge", attempt: 2, error: { name: "TypeError", message: "no", code: "E", stack: "s" } }
})
export const hookCreated = (
  n: number,
  token = "t",
  more: Omit<EventInputOf<"hook_created">["eventData"], "token"> = {}
): EventInput => ({
  eventType: "hook_created",
  specVersion: 9,
  correlationId: `hook_${n}`,
  eventData: { token, ...more }
})
export const hookReceived = (n: number, token = "t", resumeId?: string): EventInput => ({
  eventType: "hook_received",
  specVersion: 9,
  correlationId: `hook_${n}`,
  eventData: { token, payload: '"p"', ...(resumeId === undefined ? {} : { resumeId }) }
})
export const hookDisposed = (n: number): EventInput => ({
  eventType: "hook_disposed",
  specVersion: 9,
  correlationId: `hook_${n}`,
  eventData: {}
})
export const waitCreated = (n: number, resumeAt = 9_000): EventInput => ({
  eventType: "wait_created",
  specVersion: 9,
  correlationId: `wait_${n}`,
  eventData: { resumeAt, creatorMessageId: "msg_1" }
})
export const waitCompleted = (n: number): EventInput => ({
  eventType: "wait_completed",
  specVersion: 9,
  correlationId: `wait_${n}`,
  eventData: {}
})
export const wakeRequested = (n: number): EventInput => ({
  eventType: "wake_requested",
  specVersion: 9,
  correlationId: `wait_${n}`,
  eventData: {}
})
export const attributesSet = (key: string, value: string | null): EventInput => ({
  eventType: "attr_set",
  specVersion: 9,
  eventData: { changes: [{ key, value }], writer: { type: "client" } }
})

// --- storage calls ---

export const inBand = (expectedSeqInBand: number, eventCount: number): CreateEventParams => ({
  inBand: true,
  expectedSeqInBand,
  eventCount
})

export const newRun = (subject: Subject): Effect.Effect<string, EventStorageError> =>
  Effect.map(subject.events.create(null, runCreated), ({ event }) => event.runId)

export const write = (subject: Subject, runId: string, data: EventInput, params?: CreateEventParams) =>
  subject.events.create(runId, data, params)

/** The whole log, page by page, with the first page's snapshot. */
export const load = (subject: Subject, runId: string) =>
  Effect.gen(function* () {
    const first = yield* subject.events.list(runId)
    const events: Array<Event> = [...first.data]
    let page: EventPage = first
    while (page.hasMore) {
      ok(page.cursor !== null)
      page = yield* subject.events.list(runId, { cursor: page.cursor })
      events.push(...page.data)
    }
    return { events, snapshot: first.snapshot }
  })

export const snapshotOf = (subject: Subject, runId: string) => Effect.map(load(subject, runId), (log) => log.snapshot)

/** The failure of a call that must be refused, by tag, or a defect when it is accepted. */
export const refused = <A>(
  call: Effect.Effect<A, EventStorageError>,
  tag: EventStorageError["_tag"]
): Effect.Effect<EventStorageError> =>
  Effect.gen(function* () {
    const exit = yield* Effect.exit(Effect.flip(call))
    ok(Exit.isSuccess(exit), `accepted where ${tag} was due`)
    strictEqual(exit.value._tag, tag)
    return exit.value
  })

/** Runs a call and asserts that the run's log and counters are what they were. */
export const unchanged = <A, E>(subject: Subject, runId: string, call: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const before = yield* load(subject, runId)
    const answer = yield* call
    deepStrictEqual(yield* load(subject, runId), before)
    return answer
  })

// --- queue calls ---

/** An orchestrator message of a run with one orchestrator. */
export const wake = (runId = "wrun_a") => ({ runId, runSpecVersion: 9 })
export const stepMessage = (n: number, runId = "wrun_a") => ({ runId, runSpecVersion: 9, stepId: `step_${n}` })

/** The next delivery, which must be there. */
export const claimed = (subject: Subject): Effect.Effect<Claimed, unknown> =>
  Effect.map(subject.deliveries.claim, (found) => {
    ok(found !== undefined, "nothing was delivered")
    return found
  })

/** Asserts that nothing can be delivered now. */
export const nothing = (subject: Subject): Effect.Effect<void, unknown> =>
  Effect.map(subject.deliveries.claim, (found) => {
    strictEqual(found, undefined, "something was delivered")
  })

export const acknowledge: Answer = { _tag: "Acknowledge" }
export const ask = (timeoutSeconds: number): Answer => ({ _tag: "AskRedelivery", timeoutSeconds })
export const reject: Answer = { _tag: "Reject", error: "no" }

/** Answers, and asserts what the queue makes of it. */
export const answered = (
  subject: Subject,
  delivery: Claimed,
  answer: Answer,
  accepted: "done" | "rerun" | "handoff" | "stale"
) =>
  Effect.map(subject.deliveries.answer(delivery.lease, answer), (result) => {
    strictEqual(result.accepted, accepted)
    return result
  })

/** Asserts the three counts of a delivery. */
export const counted = (delivery: Pick<Claimed, "meta">, messageId: string, deliveryCount: number, attempt: number) => {
  deepStrictEqual(
    [delivery.meta.messageId, delivery.meta.deliveryCount, delivery.meta.attempt],
    [messageId, deliveryCount, attempt]
  )
}

export const pass = (ms: number) => TestClock.adjust(ms)
