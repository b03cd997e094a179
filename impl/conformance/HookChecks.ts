/**
 * What a World owes the hooks of runs: who has a token, what becomes of it, and where payloads go.
 *
 * @module
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert"
import { Effect } from "effect"
import type { Check } from "./Check.ts"
import { hookCreated, hookDisposed, hookReceived, runCancelled } from "./SampleEvents.ts"
import type { Subject } from "./Subject.ts"
import { inBand, load, newRun, refused, snapshotOf, unchanged, write } from "./Vocabulary.ts"

/** The checks of hooks. */
export const hookChecks: ReadonlyArray<Check> = [
  {
    rules: "HOOK-45",
    area: "hooks",
    title: "a hook's token: finds the hook while its run lives, and nothing before or after",
    run: Effect.fnUntraced(function* (s: Subject) {
      yield* refused(s.events.getHookByToken("t"), "HookNotFoundError")
      const runId = yield* newRun(s)
      yield* write(s, runId, hookCreated(1), inBand(1, 1))
      const { createdAt: _, ...found } = yield* s.events.getHookByToken("t")
      deepStrictEqual(found, { runId, hookId: "hook_1", token: "t" })
      yield* write(s, runId, hookReceived(1))
      yield* s.events.getHookByToken("t")
      yield* write(s, runId, runCancelled)
      yield* refused(s.events.getHookByToken("t"), "HookNotFoundError")
    })
  },
  {
    rules: "HOOK-24, SIM-108",
    area: "hooks",
    title: "a token in use: becomes a conflict in the second creator's log, and is free again when its run has ended",
    run: Effect.fnUntraced(function* (s: Subject) {
      const [first, second] = [yield* newRun(s), yield* newRun(s)]
      yield* write(s, first, hookCreated(1), inBand(1, 1))
      const { event, allocated } = yield* write(s, second, hookCreated(1), inBand(1, 1))
      ok(event.eventType === "hook_conflict")
      deepStrictEqual(
        [event.correlationId, event.eventData, allocated],
        ["hook_1", { token: "t", conflictingRunId: first }, 1]
      )
      deepStrictEqual((yield* load(s, second)).events.at(-1), event)
      deepStrictEqual(yield* snapshotOf(s, second), { seq: 2, seqInBand: 2 })
      yield* refused(write(s, second, hookReceived(1)), "HookNotFoundError")
      yield* write(s, first, runCancelled)
      yield* write(s, second, hookCreated(2), inBand(2, 2))
      strictEqual((yield* s.events.getHookByToken("t")).runId, second)
    })
  },
  {
    rules: "SIM-109",
    area: "hooks",
    title: "a payload for a hook that its run does not have: hears 404 and changes nothing",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      yield* unchanged(s, runId, refused(write(s, runId, hookReceived(1)), "HookNotFoundError"))
    })
  },
  {
    rules: "HOOK-28, HOOK-40, LOG-08",
    area: "hooks",
    title: "a disposal: frees the token at once, for the run itself as well, and payloads find the hook no more",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      yield* write(s, runId, hookCreated(1), inBand(1, 1))
      yield* write(s, runId, hookDisposed(1), inBand(2, 2))
      yield* refused(s.events.getHookByToken("t"), "HookNotFoundError")
      yield* unchanged(s, runId, refused(write(s, runId, hookReceived(1)), "HookNotFoundError"))
      const { event } = yield* write(s, runId, hookCreated(2), inBand(3, 3))
      strictEqual(event.eventType, "hook_created")
      strictEqual((yield* s.events.getHookByToken("t")).hookId, "hook_2")
    })
  },
  {
    rules: "SIM-110, WORLD-39",
    area: "hooks",
    title: "a hook that is disposed of twice: has one disposal in the log, with which the second converges",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      yield* write(s, runId, hookCreated(1), inBand(1, 1))
      const first = yield* write(s, runId, hookDisposed(1), inBand(2, 2))
      const again = yield* unchanged(s, runId, write(s, runId, hookDisposed(1), inBand(3, 3)))
      deepStrictEqual([again.event, again.allocated], [first.event, 0])
    })
  },
  {
    rules: "LOG-35, HOOK-24, HOOK-38",
    area: "hooks",
    title: "a hook that is created behind its run's end: takes no token, whether it is refused or is appended",
    run: Effect.fnUntraced(function* (s: Subject) {
      const [ended, other] = [yield* newRun(s), yield* newRun(s)]
      yield* write(s, ended, runCancelled)
      yield* Effect.exit(write(s, ended, hookCreated(1), inBand(1, 2)))
      yield* refused(s.events.getHookByToken("t"), "HookNotFoundError")
      const { event } = yield* write(s, other, hookCreated(1), inBand(1, 1))
      strictEqual(event.eventType, "hook_created")
    })
  },
  {
    rules: "HOOK-45, SIM-111",
    area: "hooks",
    title: "a payload for a run that has ended: is refused and allocates nothing",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      yield* write(s, runId, hookCreated(1), inBand(1, 1))
      yield* write(s, runId, runCancelled)
      const error = yield* unchanged(s, runId, Effect.flip(write(s, runId, hookReceived(1))))
      ok([404, 409, 410].includes(error.status), `it was refused with ${error.status}`)
    })
  },
  {
    rules: "WORLD-58",
    area: "hooks",
    needs: ["capabilities.hookResumeDedup"],
    title: "a payload that is sent twice under one resume's id: is one event, also when both are sent at once",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      yield* write(s, runId, hookCreated(1), inBand(1, 1))
      const payload = hookReceived(1, "t", "resume_1")
      const [first, second] = yield* Effect.all([write(s, runId, payload), write(s, runId, payload)], {
        concurrency: "unbounded"
      })
      deepStrictEqual(first.event, second.event)
      strictEqual(first.allocated + second.allocated, 1)
      yield* write(s, runId, hookReceived(1, "t", "resume_2"))
      yield* write(s, runId, hookReceived(1))
      yield* write(s, runId, hookReceived(1))
      const { events } = yield* load(s, runId)
      strictEqual(events.filter(({ eventType }) => eventType === "hook_received").length, 4)
      ok(events.some((event) => event.eventType === "hook_received" && event.eventData.resumeId === "resume_1"))
    })
  },
  {
    rules: "HOOK-39, HOOK-41",
    area: "hooks",
    needs: ["capabilities.hookRetention", "time that can be moved"],
    title: "a token that is retained: stays taken after its run's end until its time, and is free then",
    run: Effect.fnUntraced(function* (s: Subject) {
      const [first, second] = [yield* newRun(s), yield* newRun(s)]
      yield* write(s, first, hookCreated(1, "t", { tokenRetentionUntil: 10_000 }), inBand(1, 1))
      yield* write(s, first, runCancelled)
      yield* s.pass(9_999)
      const taken = yield* write(s, second, hookCreated(1), inBand(1, 1))
      strictEqual(taken.event.eventType, "hook_conflict")
      yield* s.pass(1)
      const free = yield* write(s, second, hookCreated(2), inBand(2, 2))
      strictEqual(free.event.eventType, "hook_created")
      strictEqual((yield* s.events.getHookByToken("t")).runId, second)
    })
  },
  {
    rules: "HOOK-39",
    area: "hooks",
    needs: ["capabilities.hookRetention", "time that can be moved"],
    title: "a retained token whose hook was disposed of before the end: is free at once",
    run: Effect.fnUntraced(function* (s: Subject) {
      const [first, second] = [yield* newRun(s), yield* newRun(s)]
      yield* write(s, first, hookCreated(1, "t", { tokenRetentionUntil: 10_000 }), inBand(1, 1))
      yield* write(s, first, hookDisposed(1), inBand(2, 2))
      yield* write(s, first, runCancelled)
      const { event } = yield* write(s, second, hookCreated(1), inBand(1, 1))
      strictEqual(event.eventType, "hook_created")
    })
  },
  {
    rules: "HOOK-02, HOOK-29, HOOK-35",
    area: "hooks",
    needs: ["capabilities.hookForceClaim"],
    title: "a token that is taken by force: is the claimer's, and its victim is told so without falling behind",
    run: Effect.fnUntraced(function* (s: Subject) {
      const [victim, claimer] = [yield* newRun(s), yield* newRun(s)]
      yield* write(s, victim, hookCreated(1), inBand(1, 1))
      const { event } = yield* write(s, claimer, hookCreated(7, "t", { force: true }), inBand(1, 1))
      ok(event.eventType === "hook_created", "the claim was not taken")
      const { forceClaimedFrom } = event.eventData
      deepStrictEqual([forceClaimedFrom?.runId, forceClaimedFrom?.hookId], [victim, "hook_1"])
      strictEqual(forceClaimedFrom?.runSpecVersion, 9)
      const { events, snapshot } = yield* load(s, victim)
      const disposal = events.at(-1)
      ok(disposal?.eventType === "hook_disposed", "the victim's log has no disposal")
      deepStrictEqual(
        [disposal.correlationId, disposal.eventData.forceClaimedBy],
        ["hook_1", { runId: claimer, hookId: "hook_7" }]
      )
      deepStrictEqual(snapshot, { seq: 3, seqInBand: 2 })
      const hook = yield* s.events.getHookByToken("t")
      deepStrictEqual([hook.runId, hook.hookId, hook.claimedFrom?.runId], [claimer, "hook_7", victim])
      yield* unchanged(s, victim, refused(write(s, victim, hookReceived(1)), "HookForceClaimedError"))
      yield* write(s, claimer, hookReceived(7))
    })
  },
  {
    rules: "SIM-110, HOOK-29",
    area: "hooks",
    needs: ["capabilities.hookForceClaim"],
    title: "a hook that was taken by force: is not disposed of once more by its own run",
    run: Effect.fnUntraced(function* (s: Subject) {
      const [victim, claimer] = [yield* newRun(s), yield* newRun(s)]
      yield* write(s, victim, hookCreated(1), inBand(1, 1))
      yield* write(s, claimer, hookCreated(1, "t", { force: true }), inBand(1, 1))
      const again = yield* unchanged(s, victim, write(s, victim, hookDisposed(1), inBand(2, 2)))
      strictEqual(again.allocated, 0)
      strictEqual((yield* s.events.getHookByToken("t")).runId, claimer)
      deepStrictEqual(yield* snapshotOf(s, victim), { seq: 3, seqInBand: 2 })
    })
  }
]
