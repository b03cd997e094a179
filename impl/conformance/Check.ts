/**
 * What a check of the contract is, and the outcomes that it can have.
 *
 * ```
 * open the World ──> what the check needs is there ──> run ──> Passed │ Failed
 *                └─> something is not ──────────────────────> NotMade: which
 * ```
 *
 * A check that was not made has not passed: a report says of each what was lacking.
 *
 * @module
 */
import { AssertionError } from "node:assert"
import { Cause, Effect, Exit, Schema, type Scope } from "effect"
import { TestClock } from "effect/testing"
import type { Topology } from "../world/index.ts"
import type { Area } from "./Area.ts"
import type { Open, Subject } from "./Subject.ts"

/** What a World may lack, each with the question whether a World under test has it. */
export const needs = {
  createBatch: (s: Subject) => s.events.createBatch !== undefined,
  subscribe: (s: Subject) => s.events.subscribe !== undefined,
  streams: (s: Subject) => s.streams !== undefined,
  "capabilities.hookForceClaim": (s: Subject) => s.capabilities.hookForceClaim,
  "capabilities.hookRetention": (s: Subject) => s.capabilities.hookRetention,
  "capabilities.hookResumeDedup": (s: Subject) => s.capabilities.hookResumeDedup,
  "capabilities.maxConcurrency": (s: Subject) => s.capabilities.maxConcurrency,
  "time that can be moved": (s: Subject) => s.isTimeVirtual,
  "leases that can be held": (s: Subject) => s.deliveries.leases !== undefined,
  "a page that can be filled": (s: Subject) => s.pageSize !== undefined,
  "a restart": (s: Subject) => s.restart !== undefined
} as const

/** The name of something that a World may lack. */
export type Need = keyof typeof needs

/** One check. */
export interface Check {
  /** The rules that it covers, by their ids. */
  readonly rules: string
  /** `subject: condition: outcome`, as a sentence. */
  readonly title: string
  readonly area: Area
  /** The topology that the check is about; any when absent. */
  readonly topology?: Topology
  readonly needs?: ReadonlyArray<Need>
  /** Dies or fails when the World does not keep the rule. */
  readonly run: (subject: Subject) => Effect.Effect<void, unknown, Scope.Scope>
}

/** What became of a check. */
export const Outcome = Schema.TaggedUnion({
  Passed: {},
  Failed: { reason: Schema.String },
  /** The World lacks what the check needs, which is optional, or cannot be observed from outside. */
  NotMade: { lacking: Schema.Array(Schema.String) }
})
/** What became of a check. */
export type Outcome = typeof Outcome.Type

const lackingOf = (check: Check, subject: Subject): ReadonlyArray<string> => [
  ...(check.topology === undefined || check.topology === subject.topology ? [] : [`a queue that is ${check.topology}`]),
  ...(check.needs ?? []).filter((need) => !needs[need](subject))
]

const reasonOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return error instanceof AssertionError ? error.message.trim() : Cause.pretty(cause)
}

/** Makes one check, on a World that is opened for it. */
export const runCheck = (open: Open, check: Check): Effect.Effect<Outcome> =>
  Effect.gen(function* () {
    const subject = yield* open(check.topology)
    const lacking = lackingOf(check, subject)
    if (lacking.length > 0) return Outcome.make({ _tag: "NotMade", lacking })
    yield* check.run(subject)
    return Outcome.make({ _tag: "Passed" })
  }).pipe(
    Effect.scoped,
    Effect.provide(TestClock.layer()),
    Effect.exit,
    Effect.map((exit) =>
      Exit.isSuccess(exit) ? exit.value : Outcome.make({ _tag: "Failed", reason: reasonOf(exit.cause) })
    )
  )
