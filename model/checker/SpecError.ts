/**
 * What can be wrong with a spec, as typed errors.
 *
 * A spec is a program that its author is still writing, so each error names the spec, the place in it, the variable and
 * the state where it went wrong, and says what to do about it. None of them is a verdict about a property: those are in
 * the report.
 *
 * @module
 */
import { Effect, Schema } from "effect"

const place = {
  /** The name of the spec. */
  spec: Schema.String,
  /** The place in the spec: `action Load(d = 1)`, `invariant TypeInv`, `initial state 1`. */
  site: Schema.String,
  /** What is wrong there. */
  problem: Schema.String,
  /** What its author can do about it. */
  remedy: Schema.String,
  /** The state it happened in, on one line; empty before there is one. */
  state: Schema.String
}

interface Place {
  readonly spec: string
  readonly site: string
  readonly problem: string
  readonly remedy: string
  readonly state: string
}

const describe = (error: Place): string =>
  `${error.spec}: ${error.site}: ${error.problem}\n  ${error.remedy}${
    error.state === "" ? "" : `\n  The state it happened in: ${error.state}`
  }`

/** The spec itself makes no sense: no actions, no initial state, an unknown name, an empty domain, a name used twice. */
export class InvalidSpec extends Schema.TaggedError<InvalidSpec>()("InvalidSpec", place) {
  override get message(): string {
    return describe(this)
  }
}

/** A variable was given a value that is not plain data, or that its schema refuses. */
export class InvalidValue extends Schema.TaggedError<InvalidValue>()("InvalidValue", {
  ...place,
  /** The variable, with its index when it is an element of a family: `delivery[2]`. */
  variable: Schema.String
}) {
  override get message(): string {
    return describe(this)
  }
}

/** An action returned something that is not an update, or an update of something that is not a variable. */
export class InvalidUpdate extends Schema.TaggedError<InvalidUpdate>()("InvalidUpdate", place) {
  override get message(): string {
    return describe(this)
  }
}

/** An action, a domain or a property threw, or did not answer what it must. */
export class EvaluationFailed extends Schema.TaggedError<EvaluationFailed>()("EvaluationFailed", {
  ...place,
  /** What it threw; the problem's text when it threw nothing. */
  cause: Schema.Defect()
}) {
  override get message(): string {
    return describe(this)
  }
}

/** An action, a domain or a property tried to change the state that it was given. */
export class StateMutated extends Schema.TaggedError<StateMutated>()("StateMutated", {
  ...place,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return describe(this)
  }
}

/** Everything that can be wrong with a spec. */
export type SpecError = InvalidSpec | InvalidValue | InvalidUpdate | EvaluationFailed | StateMutated

/** Whether something thrown is a fault of the spec, and not of the engine. */
export const isSpecError = (error: unknown): error is SpecError =>
  error instanceof InvalidSpec ||
  error instanceof InvalidValue ||
  error instanceof InvalidUpdate ||
  error instanceof EvaluationFailed ||
  error instanceof StateMutated

/** A synchronous piece of work; a fault of the spec is the failure, anything else is a defect of the engine. */
export const attempt = <A>(work: () => A): Effect.Effect<A, SpecError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(work())
    } catch (error) {
      return isSpecError(error) ? Effect.fail(error) : Effect.die(error)
    }
  })
