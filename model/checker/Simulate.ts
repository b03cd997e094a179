/**
 * Simulation: random behaviours, for a spec with too many states to look at all of them.
 *
 * Every walk is determined by the seed and its number, so what a simulation found is found again with the same seed. It
 * says nothing about what it did not see: properties of whole behaviours are not decided at all, and the others hold
 * "in what was walked".
 *
 * @module
 */
import { Clock, Effect, Stream } from "effect"
import { type Compiled, compile } from "./Compile.ts"
import type { Counterexample } from "./Counterexample.ts"
import type { Spec } from "./Language.ts"
import { pathCounterexample, type Target, targetsOf } from "./Path.ts"
import { randomSource } from "./RandomSource.ts"
import { type Brevity, type Shortened, shorten } from "./Shorten.ts"
import { attempt, type SpecError } from "./SpecError.ts"
import { type Caught, swarmOf, walk } from "./Walk.ts"

/** How to simulate. */
export interface SimulationOptions {
  /** An integer; the same one gives the same walks. */
  readonly seed: number
  /** Walks to take, unless one ends at a violation. Default: 1,000. */
  readonly walks?: number
  /** Steps of a walk at most. Default: 100. */
  readonly depth?: number
  /** Start no further walk after so many seconds. Default: without a limit. */
  readonly seconds?: number
  /** States that each search for a shorter counterexample may look at; 0 does not search. Default: 100,000. */
  readonly shortenStates?: number
}

/** How far a simulation has come. */
export interface SimulationProgress {
  readonly _tag: "SimulationProgress"
  readonly walks: number
  readonly steps: number
  readonly seconds: number
  /** Whether a violation was found, and is being made shorter. */
  readonly shortening: boolean
}

/** What a simulation found. */
export interface SimulationReport {
  readonly _tag: "SimulationReport"
  readonly spec: string
  readonly seed: number
  /** `bounded`: nothing fails in what was walked. */
  readonly result: "violation" | "bounded"
  readonly walks: number
  /** Steps of all walks together, and of the longest. */
  readonly steps: number
  readonly longest: number
  readonly seconds: number
  /** Steps that were chosen and not taken, as they lead out of the model: a constraint of the spec leaves them out. */
  readonly leftOut: number
  /** By action, how often it was taken. */
  readonly actions: { readonly [action: string]: number }
  /** Present for a violation: the behaviour, made shorter. */
  readonly counterexample?: Counterexample
  /** Where the violation was found, and how short its counterexample is known to be. */
  readonly found?: { readonly walk: number; readonly steps: number; readonly brevity: Brevity }
  readonly warnings: ReadonlyArray<string>
}

const SLICE_MILLIS = 40

interface Running {
  readonly compiled: Compiled
  readonly targets: ReadonlyArray<Target>
  readonly options: Required<Omit<SimulationOptions, "seconds">> & { readonly seconds: number }
  readonly began: number
  readonly taken: Float64Array
  walks: number
  steps: number
  longest: number
  leftOut: number
  caught?: Caught
  shortening?: Generator<void, Shortened>
  shortened?: Shortened
}

const begin = Effect.fnUntraced(function* (spec: Spec, options: SimulationOptions) {
  const began = yield* Clock.currentTimeMillis
  return yield* attempt((): Running => {
    const compiled = compile(spec, { caching: true })
    return {
      compiled,
      targets: targetsOf(compiled),
      options: { walks: 1000, depth: 100, shortenStates: 100_000, seconds: Number.POSITIVE_INFINITY, ...options },
      began,
      taken: new Float64Array(compiled.actions.length),
      walks: 0,
      steps: 0,
      longest: 0,
      leftOut: 0
    }
  })
})

/** Takes one walk, or does one piece of the shortening. Answers whether the simulation is over. */
const advance = (running: Running, elapsed: number): boolean => {
  const { compiled, targets, options, taken } = running
  if (running.shortening !== undefined) {
    const next = running.shortening.next()
    if (next.done === true) running.shortened = next.value
    return next.done === true
  }
  if (running.walks >= options.walks || elapsed > options.seconds) return true
  const random = randomSource(options.seed, running.walks)
  const swarm = swarmOf(compiled, random)
  const { path, caught, leftOut } = walk(compiled, targets, random, { depth: options.depth, swarm, taken })
  running.walks++
  running.leftOut += leftOut
  running.steps += path.moves.length
  running.longest = Math.max(running.longest, path.moves.length)
  if (caught === undefined) return false
  running.caught = caught
  if (options.shortenStates === 0) return true
  running.shortening = shorten(compiled, caught, options.shortenStates)
  return false
}

const report = (running: Running, seconds: number): SimulationReport => {
  const { compiled, caught, shortened, options, walks, steps, longest, leftOut, taken } = running
  const shown = shortened?.caught ?? caught
  const never = compiled.actions.filter((name, i) => taken[i] === 0 && !compiled.spec.neverFires.includes(name))
  const undecided = Object.keys(compiled.spec.temporal)
  return {
    _tag: "SimulationReport",
    spec: compiled.spec.name,
    seed: options.seed,
    result: caught === undefined ? "bounded" : "violation",
    walks,
    steps,
    longest,
    seconds,
    leftOut,
    actions: Object.fromEntries(compiled.actions.map((name, i) => [name, taken[i]!])),
    ...(caught === undefined || shown === undefined
      ? {}
      : {
          counterexample: pathCounterexample(compiled, shown.path, shown.target, shown.failed),
          found: { walk: walks, steps: caught.path.moves.length, brevity: shortened?.brevity ?? "unknown" }
        }),
    warnings: [
      ...(caught === undefined ? never.map((name) => `${name} never happens in what was walked.`) : []),
      ...(undecided.length === 0 ? [] : [`Properties of behaviours are not decided: ${undecided.join(", ")}.`])
    ]
  }
}

const proceed = Effect.fnUntraced(function* (running: Running) {
  const started = yield* Clock.currentTimeMillis
  let now = started
  let over = false
  while (!over && now - started < SLICE_MILLIS) {
    const elapsed = (now - running.began) / 1000
    over = yield* attempt(() => advance(running, elapsed))
    now = yield* Clock.currentTimeMillis
  }
  yield* Effect.yieldNow
  return { over, seconds: (now - running.began) / 1000 }
})

/**
 * Simulates a spec, and reports how far it has come after each slice of work; the last element is the report.
 *
 * Fails with a `SpecError` when the spec itself is wrong.
 */
export const simulation = (
  spec: Spec,
  options: SimulationOptions
): Stream.Stream<SimulationProgress | SimulationReport, SpecError> =>
  Stream.unwrap(
    Effect.map(begin(spec, options), (running) =>
      Stream.unfold<boolean, SimulationProgress | SimulationReport, SpecError, never>(
        false,
        Effect.fnUntraced(function* (ended) {
          if (ended) return undefined
          const { over, seconds } = yield* proceed(running)
          if (over) return [yield* attempt(() => report(running, seconds)), true] as const
          const { walks, steps, shortening } = running
          const progress: SimulationProgress = {
            _tag: "SimulationProgress",
            walks,
            steps,
            seconds,
            shortening: shortening !== undefined
          }
          return [progress, false] as const
        })
      )
    )
  )

/** Simulates a spec: takes random walks until one ends at a violation, or all are taken. Interruptible. */
export const simulate = Effect.fn("simulate")(function* (
  spec: Spec,
  options: SimulationOptions
): Effect.fn.Return<SimulationReport, SpecError> {
  const running = yield* begin(spec, options)
  for (;;) {
    const { over, seconds } = yield* proceed(running)
    if (over) return yield* attempt(() => report(running, seconds))
  }
})
