/**
 * The memory in which the threads of one search agree on who looks at which states.
 *
 *     range:  free ──plan──▶ planned ──claim──▶ claimed ──▶ done ──▶ free
 *                                                 └─ given up ──▶ free     (its thread took too long)
 *
 * Ranges are planned, claimed and used in one order, and lie in a ring: the range with the number n is at n modulo the
 * size of the ring. Only the thread that owns the search plans, gives up and frees.
 *
 * @module
 */
import { type Compiled, DEADLOCK } from "../Compile.ts"
import { findingsLength } from "../Findings.ts"
import type { Settled } from "../Scout.ts"

export const FREE = 0
export const PLANNED = 1
export const CLAIMED = 2
export const DONE = 3
export const GIVEN_UP = 4

/** How often a helper without work looks for some before it sleeps: to be woken takes longer than a range. */
const SPIN = 20_000

/** Ranges in the ring. */
export const RING = 64
/** States in the largest range, and how many candidates there is room for. */
export const LARGEST = 256
const CANDIDATES = 2048

const PLANNED_UP_TO = 0
const CLAIMED_UP_TO = 1
const SIZE = 2
const STOPPED = 3
const SETTLED_VERSION = 4
const USED_UP_TO = 5
const HEADER = 6
const RANGE_INTS = 3

/** What is given to every thread. */
export interface PlanMemory {
  readonly control: SharedArrayBuffer
  /** By place in the ring. */
  readonly findings: ReadonlyArray<SharedArrayBuffer>
}

interface Judged {
  readonly name: string
  /** A claim of `sometimes`, and no property. */
  readonly claim: boolean
}

/** The properties and claims of a spec, in an order that all threads agree on. */
const judged = ({ invariants, stepProperties, whenStuck, sometimes }: Compiled): ReadonlyArray<Judged> => {
  const names = (all: ReadonlyArray<{ readonly property: string }>) => new Set(all.map(({ property }) => property))
  return [
    ...[...names([...invariants, ...stepProperties, ...whenStuck]), DEADLOCK].map((name) => ({ name, claim: false })),
    ...[...names(sometimes)].map((name) => ({ name, claim: true }))
  ]
}

/** New memory for a search through the states of a spec. */
export const planMemory = (compiled: Compiled): PlanMemory => ({
  control: new SharedArrayBuffer(4 * (HEADER + RING * RANGE_INTS + judged(compiled).length)),
  findings: Array.from({ length: RING }, () => new SharedArrayBuffer(4 * findingsLength(compiled, CANDIDATES)))
})

/** One thread's view of the plan. */
export class Plan {
  readonly #control: Int32Array
  readonly #findings: ReadonlyArray<Int32Array>
  readonly #judged: ReadonlyArray<Judged>

  constructor(memory: PlanMemory, compiled: Compiled) {
    this.#control = new Int32Array(memory.control)
    this.#findings = memory.findings.map((each) => new Int32Array(each))
    this.#judged = judged(compiled)
  }

  /** Where what is found about a range is written. */
  findings(range: number): Int32Array {
    return this.#findings[range % RING]!
  }

  /** The first state of a range. */
  from(range: number): number {
    return this.#control[place(range) + 1]!
  }

  /** The state behind the last one of a range. */
  to(range: number): number {
    return this.#control[place(range) + 2]!
  }

  state(range: number): number {
    return Atomics.load(this.#control, place(range))
  }

  /** Changes what state a range is in, if it is in the one expected; answers whether it was. */
  change(range: number, from: number, to: number): boolean {
    return Atomics.compareExchange(this.#control, place(range), from, to) === from
  }

  /** Says that a claimed range is done, unless it was given up: then it is free. */
  finish(range: number): void {
    if (!this.change(range, CLAIMED, DONE)) Atomics.store(this.#control, place(range), FREE)
    Atomics.notify(this.#control, place(range))
  }

  /** Waits a little for a claimed range. */
  await(range: number, millis: number): void {
    Atomics.wait(this.#control, place(range), CLAIMED, millis)
  }

  /** Plans a range: its states are among those published with {@link publish}. */
  plan(range: number, from: number, to: number): void {
    const at = place(range)
    this.#control[at + 1] = from
    this.#control[at + 2] = to
    Atomics.store(this.#control, at, PLANNED)
  }

  /** Lets others claim the ranges before this one, and know of so many states. */
  publish(planned: number, size: number): void {
    Atomics.store(this.#control, SIZE, size)
    Atomics.store(this.#control, PLANNED_UP_TO, planned)
    Atomics.notify(this.#control, PLANNED_UP_TO)
  }

  /** The states that are published. */
  get size(): number {
    return Atomics.load(this.#control, SIZE)
  }

  /** Says that the findings of the ranges before this one have been used. */
  use(range: number): void {
    Atomics.store(this.#control, USED_UP_TO, range)
  }

  /** How many ranges before this one have not been used yet. */
  ahead(range: number): number {
    return range - Atomics.load(this.#control, USED_UP_TO)
  }

  /** Claims the next range that nobody has, and answers its number; -1 when there is none. */
  claim(): number {
    for (;;) {
      const planned = Atomics.load(this.#control, PLANNED_UP_TO)
      const range = Atomics.load(this.#control, CLAIMED_UP_TO)
      if (range >= planned) return -1
      if (Atomics.compareExchange(this.#control, CLAIMED_UP_TO, range, range + 1) === range) {
        Atomics.store(this.#control, place(range), CLAIMED)
        return range
      }
    }
  }

  /** Waits until something is planned behind all that is claimed, or until the time is over. */
  rest(millis: number): void {
    const claimed = Atomics.load(this.#control, CLAIMED_UP_TO)
    for (let looks = SPIN; looks > 0; looks--) if (Atomics.load(this.#control, PLANNED_UP_TO) > claimed) return
    Atomics.wait(this.#control, PLANNED_UP_TO, claimed, millis)
  }

  /** Ends the work of all threads but the owner's. */
  stop(): void {
    Atomics.store(this.#control, STOPPED, 1)
    Atomics.notify(this.#control, PLANNED_UP_TO)
  }

  get stopped(): boolean {
    return Atomics.load(this.#control, STOPPED) === 1
  }

  /** Tells the other threads what need not be looked at any more. */
  settle({ violated, met }: Settled): void {
    const flags = this.#judged.map(({ name, claim }) => ((claim ? met(name) : violated(name)) ? 1 : 0))
    this.#control.set(flags, HEADER + RING * RANGE_INTS)
    Atomics.add(this.#control, SETTLED_VERSION, 1)
  }

  /** Grows whenever something was settled. */
  get settledVersion(): number {
    return Atomics.load(this.#control, SETTLED_VERSION)
  }

  /** What need not be looked at any more. */
  get settled(): Settled {
    const flags = this.#control.slice(HEADER + RING * RANGE_INTS)
    const isSettled = (name: string): boolean => flags[this.#judged.findIndex((each) => each.name === name)] === 1
    return { violated: isSettled, met: isSettled }
  }
}

const place = (range: number): number => HEADER + (range % RING) * RANGE_INTS
