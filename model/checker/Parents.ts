/**
 * The state that each state was first reached from, in about two bits each.
 *
 * A breadth-first search finds states in the order of the states that they are reached from, so the sequence never
 * decreases. It is written in unary: for each state, as many zeros as its parent's number is above the last one's, and a
 * one. There are no more zeros than states expanded. To read, the place of every 256th one is kept.
 *
 *     parents  -1  0  0  0  2  3        bits  1 01 1 1 001 01
 *
 * @module
 */
import type { Allocate } from "./PackedRows.ts"

/** Bits to a chunk. */
const CHUNK = 1 << 17
const SAMPLED = 256

/** A sequence of integers from -1 that never decreases. */
export class Parents {
  readonly #allocate: Allocate
  readonly #bits: Array<Int32Array> = []
  /** The place after each 256th one, and the number that it stands for. */
  readonly #places: Array<number> = []
  readonly #values: Array<number> = []
  #size = 0
  #last = -1
  #end = 0
  #bytes = 0
  /** The state looked up last, the place after its one, and its parent: the next look-up is often of the next state. */
  #found = { state: -1, place: 0, parent: -1 }

  constructor(allocate: Allocate) {
    this.#allocate = allocate
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Makes room for a parent that comes next. Throws a `RangeError`, and changes nothing that can be seen, if it cannot. */
  reserve(parent: number): void {
    if (parent < this.#last) throw new Error(`state ${this.#size} cannot come from ${parent}, after ${this.#last}`)
    const needed = this.#end + (parent - this.#last) + 1
    while (this.#bits.length * CHUNK < needed) {
      const chunk = this.#allocate(CHUNK >>> 5)
      this.#bits.push(chunk)
      this.#bytes += chunk.byteLength
    }
  }

  /** Adds a parent; there must be room for it. */
  add(parent: number): void {
    this.#end += parent - this.#last
    this.#last = parent
    const at = this.#end % CHUNK
    this.#bits[(this.#end - at) / CHUNK]![at >>> 5]! |= 1 << (at & 31)
    this.#end++
    this.#size++
    if (this.#size % SAMPLED === 0) {
      this.#places.push(this.#end)
      this.#values.push(parent)
    }
  }

  /** The parent of a state. */
  of(state: number): number {
    const block = Math.floor(state / SAMPLED)
    const found = this.#found
    const sampled = block === 0 ? { state: -1, place: 0, parent: -1 } : this.#sample(block)
    let { state: at, place, parent } = found.state >= sampled.state && found.state <= state ? found : sampled
    for (; at < state; place++) {
      const bit = place % CHUNK
      const word = this.#bits[(place - bit) / CHUNK]![bit >>> 5]! >>> (bit & 31)
      // The lowest one that is left in this word, or the rest of the word when there is none.
      const zeros = word === 0 ? 32 - (bit & 31) : 31 - Math.clz32(word & -word)
      parent += zeros
      place += zeros
      if (word === 0) place--
      else at++
    }
    this.#found = { state, place, parent }
    return parent
  }

  #sample(block: number): { readonly state: number; readonly place: number; readonly parent: number } {
    return { state: block * SAMPLED - 1, place: this.#places[block - 1]!, parent: this.#values[block - 1]! }
  }
}
