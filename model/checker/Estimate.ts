/**
 * How many states a spec has, before all of them are explored: from a sample that takes seconds.
 *
 *     breadth first ── all states found? ──▶ exact
 *          │ as many as the sample may have
 *          ▼
 *     a beam of each further level ── none has a new successor ──▶ range (see LevelGrowth)
 *          │ still going on after many levels, or the range says nothing
 *          ▼
 *     unknown: at least as many as were found
 *
 * Properties are not looked at.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { type Compiled, compile } from "./Compile.ts"
import type { Spec } from "./Language.ts"
import { extrapolate, type Growth, type SizeRange } from "./LevelGrowth.ts"
import { movesOf, withinModel } from "./Path.ts"
import { type RandomSource, randomSource } from "./RandomSource.ts"
import { attempt, type SpecError } from "./SpecError.ts"
import { hashRow, StateTable } from "./StateTable.ts"

/** How to estimate. */
export interface EstimateOptions {
  /** States that are looked for breadth first; about so many. Default: 50,000. */
  readonly states?: number
  /** States of each further level that are followed. Default: 1,000. */
  readonly beam?: number
  /** An integer; the same one follows the same states. Default: 1. */
  readonly seed?: number
  /** Make use of the symmetry that the spec declares, as the check would. Default: true. */
  readonly symmetry?: boolean
  /** What the sample may take; then it says what it has found. Default: a minute, which takes states that are slow to work out. */
  readonly millis?: number
}

/** How many distinct states a check of a spec would find. */
export type Estimate = {
  readonly spec: string
  /** Distinct states that were found for the estimate. */
  readonly sampled: number
  /** Levels: of the whole space when it is exact, and as far as the beam came otherwise. */
  readonly depth: number
  /** What a state takes in memory, in bytes. */
  readonly bytesPerState: number
} & (
  | { readonly kind: "exact"; readonly states: number }
  | ({ readonly kind: "range" } & SizeRange)
  /** There are at least so many; `reason` says why no more is said, in a sentence. */
  | { readonly kind: "unknown"; readonly low: number; readonly reason: string }
)

const STATES = 50_000
const BEAM = 1000
/** A beam that goes on for so many times the levels that were known, and for so many more, is given up. */
const LEVELS = { times: 20, more: 200 }
/** Levels no wider than the beam are followed whole, to so many times the states of the sample. */
const THIN = 4
/** The whole is given up when so many times the states of the sample and of the beam together were expanded. */
const EXPANDED = { sample: 10, beam: 200 }
/** A range wider than this says nothing. */
const WIDEST = 1000
const SLICE_MILLIS = 40
const MOST_MILLIS = 60_000
/** States expanded between two looks at the clock. */
const CHUNK = 256

/** Estimates how many states a spec has. Fails with a `SpecError` when the sample shows the spec to be wrong. Interruptible. */
export const estimate = Effect.fn("estimate")(function* (
  spec: Spec,
  options: EstimateOptions = {}
): Effect.fn.Return<Estimate, SpecError> {
  const { states = STATES, beam = BEAM, seed = 1, symmetry = true, millis = MOST_MILLIS } = options
  const begun = yield* Clock.currentTimeMillis
  const compiled = yield* attempt(() => compile(unasked(spec), { caching: true, symmetry }))
  const patience = { over: false }
  const work = sample(compiled, { states, beam, random: randomSource(seed, 0), patience })
  for (;;) {
    const began = yield* Clock.currentTimeMillis
    patience.over = began - begun >= millis
    let next = yield* attempt(() => work.next())
    while (next.done !== true && (yield* Clock.currentTimeMillis) - began < SLICE_MILLIS) {
      next = yield* attempt(() => work.next())
    }
    if (next.done === true) return judge(spec.name, next.value)
    yield* Effect.yieldNow
  }
})

/** The spec without its properties: they decide nothing about how many states there are. */
const unasked = (spec: Spec): Spec => ({
  ...spec,
  invariants: {},
  stepProperties: {},
  whenStuck: {},
  temporal: {},
  sometimes: {},
  fairness: {}
})

interface Sample extends Growth {
  readonly sampled: number
  readonly bytesPerState: number
  /** `beaten`: the beam went on and on. `slow`: no more time was left for it. */
  readonly end: "exhausted" | "beam" | "beaten" | "slow"
}

const judge = (spec: string, { levels, beam, sampled, bytesPerState, end }: Sample): Estimate => {
  const about = { spec, sampled, depth: levels.length + beam.length, bytesPerState }
  if (end === "exhausted") return { ...about, kind: "exact", states: sampled }
  const unknown = (reason: string): Estimate => ({ ...about, kind: "unknown", low: sampled, reason })
  if (end === "beaten") {
    return unknown(
      `after ${about.depth.toLocaleString("en")} levels there were still new states, so no end is in sight`
    )
  }
  if (end === "slow") {
    return unknown(`after ${about.depth.toLocaleString("en")} levels there was no more time to look further`)
  }
  const { low, likely, high } = extrapolate({ levels, beam })
  if (high / low > WIDEST) return unknown("the sample fits spaces of very different sizes")
  // What was found is there.
  const least = Math.max(low, sampled)
  return { ...about, kind: "range", low: least, likely: Math.max(likely, least), high: Math.max(high, least) }
}

interface Sampling {
  readonly states: number
  readonly beam: number
  readonly random: RandomSource
  /** Whether there is no more time. */
  readonly patience: { readonly over: boolean }
}

/** Yields after each chunk of work. Throws `SpecError`. */
function* sample(compiled: Compiled, { states, beam, random, patience }: Sampling): Generator<void, Sample> {
  const { width } = compiled.machine.reader
  const table = new StateTable(width, 2 ** 31 - 2)
  const row = new Int32Array(width)
  const enter = enterer(compiled, table)
  let level = compiled.initial
    .filter((first) => withinModel(compiled, undefined, first))
    .flatMap((first) => enter(first))
  const levels = [level.length]
  const growth: Array<number> = []
  let end: Sample["end"] = "exhausted"
  const most = EXPANDED.sample * states + EXPANDED.beam * beam
  let expanded = 0
  let looked = 0
  for (;;) {
    const ahead = table.size + (level.length / (levels.at(-2) ?? 1)) * level.length
    const room = ahead <= states || (level.length <= beam && table.size <= THIN * states)
    const whole = growth.length === 0 && room
    if (!whole) end = "beam"
    const from = whole ? level : some(level, beam, random)
    expanded += from.length
    const next: Array<number> = []
    for (const state of from) {
      if (patience.over) break
      table.load(state, row, 0)
      for (const unit of compiled.units) {
        for (const move of movesOf(compiled, unit, row)) {
          if (withinModel(compiled, row, move.row)) next.push(...enter(move.row))
        }
      }
      // Levels may be narrow, so states are counted over all of them.
      if (++looked % CHUNK === 0) yield
    }
    if (patience.over) {
      end = "slow"
      break
    }
    if (next.length === 0) break
    if (whole) levels.push(next.length)
    else growth.push(next.length / from.length)
    if (growth.length > LEVELS.times * levels.length + LEVELS.more || expanded > most) {
      end = "beaten"
      break
    }
    level = next
  }
  return { levels, beam: growth, sampled: table.size, bytesPerState: table.bytes / Math.max(1, table.size), end }
}

/** Adds a row, or the one that stands for it: its number, if it is new. */
const enterer = ({ machine, symmetry }: Compiled, table: StateTable): ((row: Int32Array) => ReadonlyArray<number>) => {
  const { rows, width } = machine.reader
  return (row) => {
    rows.set(row, width)
    const standing = symmetry === undefined ? row : symmetry.canonical(rows, width)
    const state = table.add(standing, 0, hashRow(standing, 0, width), -1)
    return state < 0 ? [] : [state]
  }
}

/** So many of these, chosen at random; all of them when there are no more. */
const some = (from: ReadonlyArray<number>, count: number, random: RandomSource): ReadonlyArray<number> => {
  if (from.length <= count) return from
  const shuffled = [...from]
  for (let i = 0; i < count; i++) {
    const j = i + random.below(shuffled.length - i)
    const chosen = shuffled[j]!
    shuffled[j] = shuffled[i]!
    shuffled[i] = chosen
  }
  return shuffled.slice(0, count)
}
