/**
 * A schedule as a file, and following one again.
 *
 * What is saved is the configuration by name, the fault of the test build that it was explored with, and the steps. Who
 * follows it runs the real code again from the beginning, with the World of a search that has met nothing yet. Each step
 * must be possible and be what it was; a schedule that is not followed to its end is of another configuration, or of
 * another version of the code.
 *
 * @module
 */
import { Effect, Schema } from "effect"
import type { Workflows } from "../../impl/runtime/Workflows.ts"
import { Behaviours, type SpecError } from "../../model/checker/index.ts"
import type { Trace } from "../trace/Trace.ts"
import { type Configuration, prepare, type ScheduledStep, scheduleOf } from "./Explore.ts"

/** A schedule as it is saved. */
export const SavedSchedule = Schema.Struct({
  schedule: Schema.Literal("onewriter-schedule/1"),
  configuration: Schema.String,
  /** The rule that the test build was without. */
  without: Schema.optionalKey(Schema.String),
  /** The property that fails at its end. */
  property: Schema.String,
  steps: Schema.Array(
    Schema.Struct({
      action: Schema.String,
      parameters: Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Int])),
      says: Schema.String
    })
  )
})
/** A schedule as it is saved. */
export type SavedSchedule = typeof SavedSchedule.Type

/** A text is no saved schedule. */
export class ScheduleUnreadable extends Schema.TaggedError<ScheduleUnreadable>()("ScheduleUnreadable", {
  reason: Schema.String
}) {
  override get message(): string {
    return `It is no saved schedule: ${this.reason}`
  }
}

/** Reads a saved schedule. */
export const parseSchedule = (text: string): Effect.Effect<SavedSchedule, ScheduleUnreadable> =>
  Schema.decodeUnknownEffect(Schema.fromJsonString(SavedSchedule))(text).pipe(
    Effect.mapError(({ message }) => new ScheduleUnreadable({ reason: message }))
  )

/** What came of following a schedule. */
export interface Followed {
  /** The step that was not possible or was another one, counted from 1; undefined when all were followed. */
  readonly stoppedAt: number | undefined
  /** The properties that fail at its end. */
  readonly failing: ReadonlyArray<string>
  readonly trace: Trace
}

/** Follows a schedule from the beginning. */
export const followSchedule = Effect.fn("followSchedule")(function* (
  configuration: Configuration,
  steps: ReadonlyArray<ScheduledStep>
): Effect.fn.Return<Followed, SpecError, Workflows> {
  const { product, spec } = yield* prepare(configuration)
  const behaviours = yield* Behaviours.make(spec)
  let [state] = behaviours.initial
  let before = state
  const taken: Array<Parameters<typeof scheduleOf>[1][number]> = [{ parameters: {}, state: behaviours.read(state) }]
  const followed = (stoppedAt: number | undefined, failing: ReadonlyArray<string>): Followed => ({
    stoppedAt,
    failing,
    trace: scheduleOf(product, taken).trace
  })
  for (const [at, { action, parameters, says }] of steps.entries()) {
    const next = action in product.moves ? yield* behaviours.apply(state, action, parameters) : []
    const [only] = next
    if (only === undefined) return followed(at + 1, [])
    taken.push({ action, parameters, state: behaviours.read(only) })
    const same = scheduleOf(product, taken.slice(-2)).schedule[0]?.says === says
    if (!same) return followed(at + 1, [])
    before = state
    state = only
  }
  const failures = [
    ...(yield* behaviours.brokenInvariants(state)),
    ...(yield* behaviours.brokenStepProperties(before, state)),
    ...(yield* behaviours.brokenWhenStuck(state))
  ]
  return followed(undefined, [...new Set(failures.map(({ property }) => property))])
})
