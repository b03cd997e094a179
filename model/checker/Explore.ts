/**
 * Checking a spec, as an Effect: in slices, so that it can be watched and interrupted.
 *
 * @module
 */
import { Clock, Effect, Stream } from "effect"
import { compile } from "./Compile.ts"
import { Exploration } from "./Exploration.ts"
import type { Spec } from "./Language.ts"
import { type Progress, progress, type Report, report } from "./Report.ts"
import { attempt, type SpecError } from "./SpecError.ts"

/** How to check a spec. */
export interface Options {
  /** Stop when this many distinct states were found and there are more. Default: as many as 31 bits can number. */
  readonly maxStates?: number
  /** Keep answers by footprint. Default: true; without, every action is run on every state. */
  readonly caching?: boolean
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
}

const begin = Effect.fnUntraced(function* (spec: Spec, options: Options) {
  const began = yield* Clock.currentTimeMillis
  const exploration = yield* attempt(
    () =>
      new Exploration(compile(spec, { caching: options.caching ?? true }), {
        maxStates: Math.max(1, Math.min(options.maxStates ?? MOST_STATES, MOST_STATES)),
        stopAtFirst: options.continue !== true
      })
  )
  return { exploration, began, slice: 256 } satisfies Running
})

/** Explores one slice more, and lets other fibers run. */
const proceed = Effect.fnUntraced(function* ({ exploration, began, slice }: Running) {
  const before = yield* Clock.currentTimeMillis
  yield* attempt(() => exploration.advance(slice))
  const took = (yield* Clock.currentTimeMillis) - before
  yield* Effect.yieldNow
  const next = took < SLICE_MILLIS / 2 ? slice * 2 : took > SLICE_MILLIS * 2 ? slice / 2 : slice
  return { exploration, began, slice: Math.max(16, Math.min(LARGEST_SLICE, Math.floor(next))) } satisfies Running
})

const seconds = Effect.fnUntraced(function* ({ began }: Running) {
  return ((yield* Clock.currentTimeMillis) - began) / 1000
})

/**
 * Checks a spec, and reports how far it has come after each slice of work; the last element is the report.
 *
 * Fails with a `SpecError` when the spec itself is wrong. That a property fails is no failure: it is in the report.
 */
export const explore = (spec: Spec, options: Options = {}): Stream.Stream<Progress | Report, SpecError> =>
  Stream.unwrap(
    Effect.map(begin(spec, options), (first) =>
      Stream.unfold<Running | undefined, Progress | Report, SpecError, never>(
        first,
        Effect.fnUntraced(function* (running) {
          if (running === undefined) return undefined
          const next = yield* proceed(running)
          const elapsed = yield* seconds(next)
          if (!next.exploration.done) return [progress(next.exploration, elapsed), next] as const
          return [yield* attempt(() => report(next.exploration, elapsed)), undefined] as const
        })
      )
    )
  )

/**
 * Checks a spec: explores every reachable state breadth first, and reports what it found.
 *
 * Fails with a `SpecError` when the spec itself is wrong. Interruptible.
 */
export const check = Effect.fn("check")(function* (
  spec: Spec,
  options: Options = {}
): Effect.fn.Return<Report, SpecError> {
  let running = yield* begin(spec, options)
  while (!running.exploration.done) running = yield* proceed(running)
  const elapsed = yield* seconds(running)
  return yield* attempt(() => report(running.exploration, elapsed))
})
