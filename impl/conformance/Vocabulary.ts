/**
 * The vocabulary of the checks: the calls that they make, and what they assert of every one.
 *
 * @module
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert"
import { Effect, Exit } from "effect"
import type {
  Answer,
  Claimed,
  CreateEventParams,
  Event,
  EventInput,
  EventPage,
  EventStorageError,
  MessageMeta
} from "../world/index.ts"
import { runCreated } from "./SampleEvents.ts"
import type { Subject } from "./Subject.ts"

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

/** An orchestrator message of a run with one orchestrator. */
export const wake = (runId = "wrun_a") => ({ runId, runSpecVersion: 9 })
/** A step's own message. */
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
    strictEqual(found, undefined, `${found?.meta.messageId} was delivered where nothing was due`)
  })

export const acknowledge: Answer = { _tag: "Acknowledge" }
export const ask = (timeoutSeconds: number): Answer => ({ _tag: "AskRedelivery", timeoutSeconds })
export const reject: Answer = { _tag: "Reject", error: "no" }

/** Answers, and asserts what the queue makes of it, where it says so. */
export const answered = (
  subject: Subject,
  delivery: Claimed,
  answer: Answer,
  accepted: "done" | "handoff" | "stale"
): Effect.Effect<void, unknown> =>
  Effect.map(subject.deliveries.answer(delivery.lease, answer), (result) => {
    if (result !== undefined) strictEqual(result.accepted, accepted)
  })

/** Acknowledges a delivery that must be run again, and gives the call that follows. */
export const rerun = (subject: Subject, delivery: Claimed): Effect.Effect<Claimed, unknown> =>
  Effect.gen(function* () {
    const result = yield* subject.deliveries.answer(delivery.lease, acknowledge)
    if (result === undefined) return yield* claimed(subject)
    ok(result.accepted === "rerun", `the acknowledgment was taken as ${result.accepted}`)
    const { meta } = result
    return { ...delivery, meta }
  })

/** Asserts the three counts of a delivery. */
export const counted = (
  { meta }: { readonly meta: MessageMeta },
  messageId: string,
  deliveryCount: number,
  attempt: number
): void => {
  deepStrictEqual([meta.messageId, meta.deliveryCount, meta.attempt], [messageId, deliveryCount, attempt])
}

/** How long a lease of this World is, in milliseconds; a minute where it does not say. */
export const leaseMsOf = (s: Subject): number => s.deliveries.leases?.leaseMs ?? 60_000
