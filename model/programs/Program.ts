/**
 * Workflow programs as data.
 *
 * A program says what a run does: which steps and hooks it calls, and how it combines them. The model replays it as a
 * pure function of the log; the implementation turns it into an ordinary async workflow function. Both run the same
 * program, and so a trace of the one can be asked of the other.
 *
 * | constructor                | as an async function                              | its value             |
 * | -------------------------- | ------------------------------------------------- | --------------------- |
 * | `step(name, options)`      | `await name()`, a step of that name               | what its body returned |
 * | `hook(token)`              | `await createHook({ token })`, one payload        | the payload           |
 * | `seq(a, b, …)`             | `await a(); return await b()`                     | that of its last part |
 * | `all(a, b, …)`             | `await Promise.all([a(), b()])`                   | an array of values    |
 * | `race(a, b, …)`            | `await Promise.race([a(), b()])`                  | that of the winner    |
 *
 * Calls are eager and made in argument order. A step that failed throws where it is awaited, and `seq`, `all` and
 * `race` pass a throw on as async functions, `Promise.all` and `Promise.race` do. The branches of a `race` (and of an
 * `all` that threw) that have not settled go on running until the workflow itself returns or throws.
 *
 * @module
 */
import { Schema } from "effect"

/** How often a step is tried again after a retryable failure, when the program does not say. */
export const defaultMaxRetries = 3

/** Calls the step `name` and awaits its outcome. It is tried at most `maxRetries + 1` times. */
export interface StepProgram {
  readonly _tag: "Step"
  readonly name: string
  /** A non-negative integer; {@link defaultMaxRetries} when absent. */
  readonly maxRetries?: number
}

/** Creates a hook under `token`, which is unique to the run, and awaits one payload. */
export interface HookProgram {
  readonly _tag: "Hook"
  readonly token: string
}

/** Runs its parts one after the other. Its value is that of the last one. */
export interface SeqProgram {
  readonly _tag: "Seq"
  readonly parts: ReadonlyArray<Program>
}

/** Runs its parts together, and awaits all of them. Its value is the array of their values. */
export interface AllProgram {
  readonly _tag: "All"
  readonly parts: ReadonlyArray<Program>
}

/** Runs its parts together, and awaits the first one that settles. Its value is the value of that one. */
export interface RaceProgram {
  readonly _tag: "Race"
  readonly parts: ReadonlyArray<Program>
}

/** A workflow program. Its encoded form is plain JSON of the same shape. */
export type Program = StepProgram | HookProgram | SeqProgram | AllProgram | RaceProgram

const parts = Schema.NonEmptyArray(Schema.suspend((): Schema.Codec<Program> => Program))

/** The schema of programs: `seq`, `all` and `race` have at least one part. */
export const Program: Schema.Codec<Program> = Schema.Union([
  Schema.TaggedStruct("Step", {
    name: Schema.NonEmptyString,
    maxRetries: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)))
  }),
  Schema.TaggedStruct("Hook", { token: Schema.NonEmptyString }),
  Schema.TaggedStruct("Seq", { parts }),
  Schema.TaggedStruct("All", { parts }),
  Schema.TaggedStruct("Race", { parts })
])

/** A part, and any further ones: `seq`, `all` and `race` of nothing have no use. */
type Parts = readonly [Program, ...ReadonlyArray<Program>]

/** Calls the step `name`, and awaits its outcome. */
export const step = (name: string, options?: { readonly maxRetries?: number }): Program =>
  options?.maxRetries === undefined ? { _tag: "Step", name } : { _tag: "Step", name, maxRetries: options.maxRetries }

/** Creates a hook under `token`, and awaits one payload. */
export const hook = (token: string): Program => ({ _tag: "Hook", token })

/** Runs its parts one after the other. */
export const seq = (...parts: Parts): Program => ({ _tag: "Seq", parts })

/** Runs its parts together, and awaits all of them (`Promise.all`). */
export const all = (...parts: Parts): Program => ({ _tag: "All", parts })

/** Runs its parts together, and awaits the first to settle (`Promise.race`). */
export const race = (...parts: Parts): Program => ({ _tag: "Race", parts })
