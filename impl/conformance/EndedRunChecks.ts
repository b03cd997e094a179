/**
 * What a World takes of a run that has ended, and what it refuses.
 *
 * @module
 */
import { deepStrictEqual, strictEqual } from "node:assert"
import { Effect } from "effect"
import type { Check } from "./Check.ts"
import {
  runCancelled,
  runCompleted,
  runFailed,
  runStarted,
  stepCompleted,
  stepCreated,
  stepFailed,
  stepRetrying,
  stepStarted,
  waitCompleted,
  waitCreated
} from "./SampleEvents.ts"
import type { Subject } from "./Subject.ts"
import { inBand, newRun, refused, snapshotOf, unchanged, write } from "./Vocabulary.ts"

/** The checks of runs that have ended. */
export const endedRunChecks: ReadonlyArray<Check> = [
  {
    rules: "WORLD-11",
    area: "log",
    title: "a run that has ended: takes no start and no creation, hears 410, and changes nothing",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      yield* write(s, runId, runCancelled)
      for (const data of [stepCreated(1), stepStarted(1), stepRetrying(1), runStarted]) {
        const error = yield* unchanged(s, runId, refused(write(s, runId, data, inBand(1, 2)), "RunExpiredError"))
        strictEqual(error.status, 410)
        yield* unchanged(s, runId, refused(write(s, runId, data), "RunExpiredError"))
      }
    })
  },
  {
    rules: "WORLD-12",
    area: "log",
    title: "a run that has ended: still takes the outcomes of its bodies",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      yield* write(s, runId, runCancelled)
      yield* write(s, runId, stepCompleted(1))
      yield* write(s, runId, stepFailed(2))
      deepStrictEqual(yield* snapshotOf(s, runId), { seq: 4, seqInBand: 1 })
    })
  },
  {
    rules: "LOG-33, RUN-36",
    area: "log",
    title: "a run that has ended: keeps its first end, whether a second one is refused or is appended behind it",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      yield* write(s, runId, runStarted, inBand(1, 1))
      yield* write(s, runId, runCancelled)
      for (const data of [runCompleted, runFailed, runCancelled]) {
        const { seqInBand, seq } = yield* snapshotOf(s, runId)
        yield* Effect.exit(write(s, runId, data, data === runCancelled ? {} : inBand(seqInBand, seq)))
        strictEqual((yield* s.events.getRun(runId)).status, "cancelled")
      }
    })
  },
  {
    rules: "WORLD-11, WORLD-12, LOG-35",
    area: "log",
    title: "waits of a run that has ended: none is created, and one that is open can still be completed",
    run: Effect.fnUntraced(function* (s: Subject) {
      const runId = yield* newRun(s)
      yield* write(s, runId, waitCreated(1), inBand(1, 1))
      yield* write(s, runId, runCancelled)
      yield* unchanged(s, runId, refused(write(s, runId, waitCreated(2), inBand(2, 3)), "RunExpiredError"))
      yield* write(s, runId, waitCompleted(1), inBand(2, 3))
      deepStrictEqual(yield* snapshotOf(s, runId), { seq: 4, seqInBand: 3 })
    })
  }
]
