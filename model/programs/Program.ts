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
 * | `sleep(ticks)`             | `await sleep(…)`, as long as that many ticks      | nothing of use        |
 * | `seq(a, b, …)`             | `await a(); return await b()`                     | that of its last part |
 * | `all(a, b, …)`             | `await Promise.all([a(), b()])`                   | an array of values    |
 * | `race(a, b, …)`            | `await Promise.race([a(), b()])`                  | that of the winner    |
 *
 * A tick is a length of time that whoever runs the program chooses: only which of two sleeps is the longer one matters.
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

/** Sleeps for a length of time, given in ticks. */
export interface SleepProgram {
  readonly _tag: "Sleep"
  /** A positive integer. */
  readonly ticks: number
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
export type Program = StepProgram | HookProgram | SleepProgram | SeqProgram | AllProgram | RaceProgram

const parts = Schema.NonEmptyArray(Schema.suspend((): Schema.Codec<Program> => Program))

/**
 * The step names that a program calls, each with its `maxRetries`. A name stands for one step: `conflicts` lists the
 * names that the program gives more than one `maxRetries`.
 */
export const stepsOf = (
  program: Program
): { readonly maxRetries: ReadonlyMap<string, number>; readonly conflicts: ReadonlyArray<string> } => {
  const maxRetries = new Map<string, number>()
  const conflicts = new Set<string>()
  for (const leaf of leavesOf(program)) {
    if (leaf._tag !== "Step") continue
    const retries = leaf.maxRetries ?? defaultMaxRetries
    if ((maxRetries.get(leaf.name) ?? retries) !== retries) conflicts.add(leaf.name)
    else maxRetries.set(leaf.name, retries)
  }
  return { maxRetries, conflicts: [...conflicts] }
}

/** The calls that a program's text holds, in reading order. A run makes each of them at most once. */
export const leavesOf = (program: Program): ReadonlyArray<StepProgram | HookProgram | SleepProgram> =>
  program._tag === "Step" || program._tag === "Hook" || program._tag === "Sleep"
    ? [program]
    : program.parts.flatMap(leavesOf)

/** Whether a program sleeps anywhere in its text. Not everything that runs programs can. */
export const sleeps = (program: Program): boolean => leavesOf(program).some((leaf) => leaf._tag === "Sleep")

const namesAgree = Schema.makeFilter<Program>((program) => {
  const tokens = leavesOf(program).flatMap((leaf) => (leaf._tag === "Hook" ? [leaf.token] : []))
  const repeated = tokens.find((token, at) => tokens.indexOf(token) !== at)
  if (repeated !== undefined) return `the hook token ${JSON.stringify(repeated)} is created more than once`
  const conflict = stepsOf(program).conflicts[0]
  if (conflict !== undefined) return `the step ${JSON.stringify(conflict)} is given more than one maxRetries`
  return true
})

/**
 * The schema of programs: `seq`, `all` and `race` have at least one part, no hook token is created twice, and all calls
 * of one step agree on its `maxRetries`.
 */
export const Program: Schema.Codec<Program> = Schema.Union([
  Schema.TaggedStruct("Step", {
    name: Schema.NonEmptyString,
    maxRetries: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)))
  }),
  Schema.TaggedStruct("Hook", { token: Schema.NonEmptyString }),
  Schema.TaggedStruct("Sleep", { ticks: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)) }),
  Schema.TaggedStruct("Seq", { parts }),
  Schema.TaggedStruct("All", { parts }),
  Schema.TaggedStruct("Race", { parts })
]).check(namesAgree)

/** A part, and any further ones: `seq`, `all` and `race` of nothing have no use. */
type Parts = readonly [Program, ...ReadonlyArray<Program>]

/** Calls the step `name`, and awaits its outcome. */
export const step = (name: string, options?: { readonly maxRetries?: number }): Program =>
  options?.maxRetries === undefined ? { _tag: "Step", name } : { _tag: "Step", name, maxRetries: options.maxRetries }

/** Creates a hook under `token`, and awaits one payload. */
export const hook = (token: string): Program => ({ _tag: "Hook", token })

/** Sleeps for a number of ticks. */
export const sleep = (ticks: number): Program => ({ _tag: "Sleep", ticks })

/** Runs its parts one after the other. */
export const seq = (...parts: Parts): Program => ({ _tag: "Seq", parts })

/** Runs its parts together, and awaits all of them (`Promise.all`). */
export const all = (...parts: Parts): Program => ({ _tag: "All", parts })

/** Runs its parts together, and awaits the first to settle (`Promise.race`). */
export const race = (...parts: Parts): Program => ({ _tag: "Race", parts })
