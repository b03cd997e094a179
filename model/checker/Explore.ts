/**
 * Checking a spec, as an Effect: in slices, so that it can be watched and interrupted.
 *
 * @module
 */
import { Clock, Effect, Stream } from "effect"
import { compile } from "./Compile.ts"
import { Exploration } from "./Exploration.ts"
import type { Spec } from "./Language.ts"
import { type LivenessFound, liveness } from "./Liveness.ts"
import { OUT_OF_MEMORY, type OutOfMemory, type Progress, progress, type Report, report } from "./Report.ts"
import { attempt, type SpecError } from "./SpecError.ts"

/**
 * What a host does with a search: it may put states into it that were kept, look at it between slices, and limit its
 * memory. The checker itself knows neither files nor the memory of a process.
 */
export interface Host<E = never> {
  /** Runs once, before the first state is expanded. */
  readonly begun?: (exploration: Exploration) => Effect.Effect<void, E>
  /** Runs after each slice of exploring, also after the last. */
  readonly sliced?: (exploration: Exploration) => Effect.Effect<void, E>
  /**
   * Runs before each slice of deciding properties of behaviours, which takes memory for the graph of all states; answers
   * whether that may go on. When it may not, they stay undecided.
   */
  readonly mayDecide?: (exploration: Exploration) => Effect.Effect<boolean, E>
}

/** How to check a spec. `E` is how its host can fail. */
export interface Options<E = never> {
  /** For whoever keeps a search, limits its memory or has threads help it, as the command line does. Default: nobody. */
  readonly host?: Host<E>
  /** Stop when this many distinct states were found and there are more. Default: as many as 31 bits can number. */
  readonly maxStates?: number
  /** Keep answers by footprint. Default: true; without, every action is run on every state. */
  readonly caching?: boolean
  /** Make use of the symmetry that the spec declares. Default: true. */
  readonly symmetry?: boolean
  /**
   * Explore one order of steps that commute. Verdicts are kept, counts and lengths are not. Default: false. Fails with
   * `InvalidSpec` for a spec with properties of behaviours, with an action constraint, or with symmetry that is made use of.
   */
  readonly partialOrder?: boolean
  /** Keep states where other threads can read them, so that the host may let some help. Default: false. */
  readonly shared?: boolean
  /** Go on after a violation, to find one of each property that fails. Default: false. */
  readonly continue?: boolean
}

const MOST_STATES = 2 ** 31 - 2

/** A slice should take about this long: short enough to be interrupted, long enough not to notice the slicing. */
const SLICE_MILLIS = 40
const LARGEST_SLICE = 1 << 16

interface Running {
  readonly exploration: Exploration
  readonly began: number
  /** States to expand in the next slice. */
  readonly slice: number
  /** Deciding the properties of behaviours, once all states are explored. */
  readonly deciding?: Deciding
}

interface Deciding {
  readonly work: Generator<string, LivenessFound>
  /** The property at hand. */
  readonly property: string
  readonly found?: LivenessFound | OutOfMemory
}

const begin = Effect.fnUntraced(function* <E>(spec: Spec, options: Options<E>) {
  const began = yield* Clock.currentTimeMillis
  const exploration = yield* attempt(
    () =>
      new Exploration(compile(spec, { caching: options.caching ?? true, symmetry: options.symmetry ?? true }), {
        maxStates: Math.max(1, Math.min(options.maxStates ?? MOST_STATES, MOST_STATES)),
        stopAtFirst: options.continue !== true,
        partialOrder: options.partialOrder ?? false,
        shared: options.shared ?? false
      })
  )
  yield* options.host?.begun?.(exploration) ?? Effect.void
  return { exploration, began, slice: 256 } satisfies Running
})

/** Does one slice of work more, and lets other fibers run. */
const proceed = Effect.fnUntraced(function* <E>(running: Running, host: Host<E> | undefined) {
  const exploring = !running.exploration.done
  const next: Running = isDone(running)
    ? running
    : exploring
      ? yield* expand(running)
      : (yield* host?.mayDecide?.(running.exploration) ?? Effect.succeed(true))
        ? yield* decide(running)
        : undecided(running)
  if (exploring) yield* host?.sliced?.(running.exploration) ?? Effect.void
  yield* Effect.yieldNow
  return next
})

const expand = Effect.fnUntraced(function* ({ exploration, began, slice }: Running) {
  const before = yield* Clock.currentTimeMillis
  yield* attempt(() => exploration.advance(slice))
  const took = (yield* Clock.currentTimeMillis) - before
  const next = took < SLICE_MILLIS / 2 ? slice * 2 : took > SLICE_MILLIS * 2 ? slice / 2 : slice
  return { exploration, began, slice: Math.max(16, Math.min(LARGEST_SLICE, Math.floor(next))) } satisfies Running
})

const workOf = ({ exploration, deciding }: Running): Deciding["work"] =>
  deciding?.work ?? liveness(exploration, { stopAtFirst: exploration.stopAtFirst })

/** There is no more memory to be had. */
const undecided = (running: Running): Running => ({
  ...running,
  deciding: { work: workOf(running), property: "", found: OUT_OF_MEMORY }
})

const decide = Effect.fnUntraced(function* (running: Running) {
  const { deciding } = running
  const work = workOf(running)
  const began = yield* Clock.currentTimeMillis
  let next = yield* attempt(() => unlessOutOfMemory(work))
  while (next !== OUT_OF_MEMORY && next.done !== true && (yield* Clock.currentTimeMillis) - began < SLICE_MILLIS) {
    next = yield* attempt(() => unlessOutOfMemory(work))
  }
  const property = deciding?.property ?? ""
  const now: Deciding =
    next === OUT_OF_MEMORY
      ? { work, property, found: next }
      : next.done === true
        ? { work, property, found: next.value }
        : { work, property: next.value }
  return { ...running, deciding: now } satisfies Running
})

const unlessOutOfMemory = (work: Deciding["work"]): IteratorResult<string, LivenessFound> | OutOfMemory => {
  try {
    return work.next()
  } catch (error) {
    if (error instanceof RangeError) return OUT_OF_MEMORY
    throw error
  }
}

/** Properties of behaviours are decided on what was explored, unless a violation ended the search before. */
const isDone = ({ exploration, deciding }: Running): boolean =>
  exploration.done &&
  (deciding?.found !== undefined ||
    exploration.compiled.temporal.length === 0 ||
    exploration.table.outOfMemory ||
    exploration.overBudget ||
    (exploration.stopAtFirst && exploration.violations.length > 0))

const seconds = Effect.fnUntraced(function* ({ began }: Running) {
  return ((yield* Clock.currentTimeMillis) - began) / 1000
})

/**
 * Checks a spec, and reports how far it has come after each slice of work; the last element is the report.
 *
 * Fails with a `SpecError` when the spec itself is wrong. That a property fails is no failure: it is in the report.
 */
export const explore = <E = never>(
  spec: Spec,
  options: Options<E> = {}
): Stream.Stream<Progress | Report, SpecError | E> =>
  Stream.unwrap(
    Effect.map(begin(spec, options), (first) =>
      Stream.unfold<Running | undefined, Progress | Report, SpecError | E, never>(
        first,
        Effect.fnUntraced(function* (running) {
          if (running === undefined) return undefined
          const next = yield* proceed(running, options.host)
          const elapsed = yield* seconds(next)
          if (!isDone(next)) return [progress(next.exploration, elapsed, next.deciding?.property), next] as const
          return [yield* attempt(() => report(next.exploration, elapsed, next.deciding?.found)), undefined] as const
        })
      )
    )
  )

/**
 * Checks a spec: explores every reachable state breadth first, and reports what it found.
 *
 * Fails with a `SpecError` when the spec itself is wrong. Interruptible.
 */
export const check = Effect.fn("check")(function* <E = never>(
  spec: Spec,
  options: Options<E> = {}
): Effect.fn.Return<Report, SpecError | E> {
  let running: Running = yield* begin(spec, options)
  while (!isDone(running)) running = yield* proceed(running, options.host)
  const elapsed = yield* seconds(running)
  return yield* attempt(() => report(running.exploration, elapsed, running.deciding?.found))
})
