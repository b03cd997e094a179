/**
 * What the threads of one search have worked out, told to each other: which answer follows from which reads.
 *
 *     thread ── tells ──▶ its ring:  length, unit, reads, answer │ length, … │      (each other thread reads it from where it is)
 *       ▲                                                                │
 *       └── hears: footprint, successors ◀───────────────────────────────┘
 *
 * To run an action takes as long as to look up hundreds of answers, so each is run once and not once in every thread. What
 * a thread is not told, because a ring is full, it works out itself: nothing depends on this but time. A ring is written by
 * one thread, and what a thread that has joined has not read yet is never overwritten.
 *
 * @module
 */
import { Schema } from "effect"
import type { ActionUnit } from "../ActionUnit.ts"
import { Domain } from "../Columns.ts"
import type { Compiled } from "../Compile.ts"
import type { Exchange } from "../Evaluation.ts"
import type { Footprint } from "../Footprint.ts"
import type { Successor } from "../Successors.ts"

/** Integers to a ring: a power of two. */
const RING = 1 << 19

// By thread: whether it has joined; whether its ring has been used up once; where its ring ends; where it is in each ring.
const JOINED = 0
const WRAPPED = 1
const END = 2
const AT = 3

/** What is given to every thread. */
export interface AnswerLogMemory {
  readonly control: SharedArrayBuffer
  /** By thread. */
  readonly rings: ReadonlyArray<SharedArrayBuffer>
}

/** New memory for a search by so many threads. */
export const answerLogMemory = (threads: number, ring = RING): AnswerLogMemory => ({
  control: new SharedArrayBuffer(4 * threads * (AT + threads)),
  rings: Array.from({ length: threads }, () => new SharedArrayBuffer(4 * ring))
})

/** What is evaluated, in an order that all threads agree on. The footprint of a unit belongs to its action's successors. */
const evaluated = (compiled: Compiled): ReadonlyArray<ActionUnit | { readonly footprint: Footprint }> => [
  ...compiled.units,
  ...compiled.invariants,
  ...compiled.stepProperties,
  ...compiled.whenStuck,
  ...compiled.sometimes,
  ...compiled.constraint,
  ...compiled.actionConstraint
]

/** Where the values are numbered that parameters take together: they are no part of a state. */
export const parametersDomain = ({ machine }: Compiled): Domain => new Domain(Schema.Unknown, machine.values)

/** One thread's end of the log. */
export class AnswerLog implements Exchange {
  readonly #compiled: Compiled
  readonly #parameters: Domain
  readonly #thread: number
  readonly #threads: number
  readonly #control: Int32Array
  readonly #rings: ReadonlyArray<Int32Array>
  readonly #mask: number
  readonly #footprints: ReadonlyArray<Footprint>
  readonly #numbers: ReadonlyMap<Footprint, number>
  readonly #units: number
  /** The entry at hand. */
  #entry = new Int32Array(1 << 10)
  /** What an entry says that was read, as a state would have it. */
  readonly #rows: Int32Array
  readonly #reads: Int32Array

  /** `parameters` is shared among the threads as the domains of variables are; the owner of the search is thread 0. */
  constructor(memory: AnswerLogMemory, compiled: Compiled, parameters: Domain, thread: number) {
    this.#compiled = compiled
    this.#parameters = parameters
    this.#thread = thread
    this.#threads = memory.rings.length
    this.#control = new Int32Array(memory.control)
    this.#rings = memory.rings.map((ring) => new Int32Array(ring))
    this.#mask = this.#rings[thread]!.length - 1
    this.#footprints = evaluated(compiled).map(({ footprint }) => footprint)
    this.#numbers = new Map(this.#footprints.map((footprint, number) => [footprint, number]))
    this.#units = compiled.units.length
    this.#rows = new Int32Array(2 * compiled.machine.reader.width)
    this.#reads = new Int32Array(2 * compiled.machine.reader.width)
  }

  /** Tells and hears from now on, what was told before included as far as it is there. */
  join(): void {
    const control = this.#control
    Atomics.store(control, this.#place(this.#thread, JOINED), 1)
    for (let writer = 0; writer < this.#threads; writer++) {
      // Whoever has used up its ring before it knew of this thread has overwritten its beginning.
      if (Atomics.load(control, this.#place(writer, WRAPPED)) === 0) continue
      const end = Atomics.load(control, this.#place(writer, END))
      Atomics.store(control, this.#place(this.#thread, AT + writer), end)
    }
    this.#compiled.machine.exchange = this
  }

  /** Neither tells nor hears any more. */
  leave(): void {
    this.#compiled.machine.exchange = undefined
    Atomics.store(this.#control, this.#place(this.#thread, JOINED), 0)
  }

  /** Tells everything that this thread has learned so far. */
  tellAll(): void {
    for (const footprint of this.#footprints) {
      footprint.each((rows, reads, count, answer) => this.tell(footprint, rows, 0, reads, count, answer))
    }
  }

  tell(footprint: Footprint, rows: Int32Array, base: number, reads: Int32Array, count: number, answer: number): void {
    const number = this.#numbers.get(footprint)
    if (number === undefined) return
    const isUnit = number < this.#units
    this.#make(2 * count + 8 + (isUnit ? this.#lengthOf(answer) : 0))
    const entry = this.#entry
    entry[1] = number
    entry[2] = count
    let at = 3
    for (let i = 0; i < count; i++) {
      entry[at++] = reads[i]! - base
      entry[at++] = rows[reads[i]!]!
    }
    entry[0] = isUnit ? this.#writeList(at, answer) : at + 1
    if (!isUnit) entry[at] = answer
    this.#send(entry[0])
  }

  hear(): boolean {
    const control = this.#control
    let news = false
    for (let writer = 0; writer < this.#threads; writer++) {
      if (writer === this.#thread) continue
      const end = Atomics.load(control, this.#place(writer, END))
      const place = this.#place(this.#thread, AT + writer)
      let at = control[place]!
      if (at === end) continue
      for (const ring = this.#rings[writer]!; at !== end; ) {
        const length = ring[at & this.#mask]!
        this.#make(length)
        for (let i = 0; i < length; i++) this.#entry[i] = ring[(at + i) & this.#mask]!
        at = (at + length) | 0
        this.#learn()
      }
      Atomics.store(control, place, at)
      news = true
    }
    return news
  }

  #place(thread: number, which: number): number {
    return thread * (AT + this.#threads) + which
  }

  /** Makes room for an entry. */
  #make(length: number): void {
    if (length > this.#entry.length) this.#entry = new Int32Array(2 * length)
  }

  /** Integers that the list of successors at a place takes. */
  #lengthOf(place: number): number {
    if (place === 0) return 1
    const { data } = this.#compiled.machine.successors
    let at = place + 1
    for (let successor = data[place]!; successor > 0; successor--) at += 2 + 2 * data[at + 1]!
    return at - place
  }

  /** Copies a list of successors, whose parameters are numbered for all threads; answers where it ends. */
  #writeList(to: number, place: number): number {
    const { machine } = this.#compiled
    const { data } = machine.successors
    const entry = this.#entry
    const count = place === 0 ? 0 : data[place]!
    entry[to] = count
    let at = place + 1
    let into = to + 1
    for (let successor = count; successor > 0; successor--) {
      entry[into++] = this.#parameters.intern(machine.values.value(data[at]!))
      const end = at + 2 + 2 * data[at + 1]!
      for (at++; at < end; at++) entry[into++] = data[at]!
    }
    return into
  }

  /** Appends the entry at hand to this thread's ring, unless somebody has not read what it would overwrite. */
  #send(length: number): void {
    const control = this.#control
    const ring = this.#rings[this.#thread]!
    const mine = this.#place(this.#thread, END)
    const begin = control[mine]!
    const wrapped = this.#place(this.#thread, WRAPPED)
    if (control[wrapped] === 0 && begin + length > ring.length) Atomics.store(control, wrapped, 1)
    for (let reader = 0; reader < this.#threads; reader++) {
      if (reader === this.#thread || Atomics.load(control, this.#place(reader, JOINED)) === 0) continue
      const at = Atomics.load(control, this.#place(reader, AT + this.#thread))
      if (((begin - at) | 0) + length > ring.length) return
    }
    if (length > ring.length) return
    for (let i = 0; i < length; i++) ring[(begin + i) & this.#mask] = this.#entry[i]!
    Atomics.store(control, mine, (begin + length) | 0)
  }

  /** Keeps what the entry at hand says. */
  #learn(): void {
    const { machine } = this.#compiled
    const entry = this.#entry
    const number = entry[1]!
    const count = entry[2]!
    let at = 3
    for (let i = 0; i < count; i++, at += 2) {
      this.#reads[i] = entry[at]!
      this.#rows[entry[at]!] = entry[at + 1]!
    }
    this.#footprints[number]!.adopt(this.#rows, this.#reads, count, () => {
      if (number >= this.#units) return entry[at]!
      const place = machine.successors.write(this.#readList(at))
      machine.successors.keep(place)
      return place
    })
  }

  #readList(from: number): ReadonlyArray<Successor> {
    const { machine } = this.#compiled
    const entry = this.#entry
    let at = from + 1
    return Array.from({ length: entry[from]! }, () => {
      const parameters = machine.values.intern(this.#parameters.member(entry[at]!))
      const end = at + 2 + 2 * entry[at + 1]!
      const patches = [...entry.subarray(at + 2, end)]
      at = end
      return { parameters, patches }
    })
  }
}
