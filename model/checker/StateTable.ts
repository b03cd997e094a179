/**
 * The set of states found so far: each a row of 32-bit ids, numbered in the order found.
 *
 * Rows lie in chunks of typed arrays, so that a large search costs the garbage collector nothing. They are found by
 * open addressing in an array of pairs, hash and number; the hash spares most comparisons with a wrong row, and the row
 * itself decides, so two different states are never taken for one. The hash of a row is the exclusive or of one mixed word per column: a
 * successor's hash is patched from its predecessor's, column by column changed.
 *
 * @module
 */

const CHUNK_BITS = 14
const CHUNK = 1 << CHUNK_BITS
const FILL = 0.7

/** What {@link StateTable.add} answers when there is no room for a new state: the limit is reached, or memory is. */
export const FULL = -(2 ** 31)

/** The word that a column contributes to the hash of a row. */
export const contribution = (column: number, id: number): number => {
  let x = Math.imul(id ^ Math.imul(column + 1, 0x9e3779b1), 0x85ebca6b)
  x = Math.imul(x ^ (x >>> 15), 0xc2b2ae35)
  return x ^ (x >>> 13)
}

/** The hash of the row at `rows[base … base + width]`. */
export const hashRow = (rows: Int32Array, base: number, width: number): number => {
  let hash = 0
  for (let column = 0; column < width; column++) hash ^= contribution(column, rows[base + column]!)
  return hash
}

/** The states found, with the number of the state that each was first reached from (-1 for an initial state). */
export class StateTable {
  readonly width: number
  readonly limit: number
  readonly #rows: Array<Int32Array> = []
  readonly #parents: Array<Int32Array> = []
  // Slot i is at 2i: the hash, and the state's number + 1, so that 0 is a free slot.
  #slots = new Int32Array(2 << 10)
  #mask = (1 << 10) - 1
  #room = Math.floor((1 << 10) * FILL)
  #size = 0
  #outOfMemory = false
  readonly #allocate: (length: number) => Int32Array<ArrayBuffer>

  /** `width` columns to a row, and never more than `limit` rows. An allocation that fails throws a `RangeError`. */
  constructor(
    width: number,
    limit: number,
    allocate = (length: number): Int32Array<ArrayBuffer> => new Int32Array(length)
  ) {
    this.width = width
    this.limit = limit
    this.#allocate = allocate
  }

  /** Whether a new state was refused because there is no memory for it. */
  get outOfMemory(): boolean {
    return this.#outOfMemory
  }

  get size(): number {
    return this.#size
  }

  /** Bytes that rows, parents and table take. */
  get bytes(): number {
    return this.#rows.length * CHUNK * 4 * (this.width + 1) + this.#slots.byteLength
  }

  parent(state: number): number {
    return this.#parents[state >>> CHUNK_BITS]![state & (CHUNK - 1)]!
  }

  /** Copies a state's row to `rows[base…]`. */
  load(state: number, rows: Int32Array, base: number): void {
    const chunk = this.#rows[state >>> CHUNK_BITS]!
    const from = (state & (CHUNK - 1)) * this.width
    for (let column = 0; column < this.width; column++) rows[base + column] = chunk[from + column]!
  }

  /** A copy of a state's row. */
  row(state: number): Int32Array {
    const row = new Int32Array(this.width)
    this.load(state, row, 0)
    return row
  }

  /**
   * Finds or adds the row at `rows[base…]`, whose hash is given. Answers the number of a new state as it is, that of a
   * known one as `~number`, and {@link FULL} when there is no room for a new one.
   */
  add(rows: Int32Array, base: number, hash: number, parent: number): number {
    const slots = this.#slots
    const mask = this.#mask
    let slot = hash & mask
    for (;;) {
      const found = slots[2 * slot + 1]!
      if (found === 0) break
      if (slots[2 * slot] === hash && this.#holds(found - 1, rows, base)) return -found
      slot = (slot + 1) & mask
    }
    if (this.#size >= this.limit || !this.#makeRoom()) return FULL
    const state = this.#size++
    const chunk = this.#rows[state >>> CHUNK_BITS]!
    const to = (state & (CHUNK - 1)) * this.width
    for (let column = 0; column < this.width; column++) chunk[to + column] = rows[base + column]!
    this.#parents[state >>> CHUNK_BITS]![state & (CHUNK - 1)] = parent
    // Making room may have moved the slots.
    if (this.#slots !== slots) slot = this.#free(this.#slots, this.#mask, hash)
    this.#slots[2 * slot] = hash
    this.#slots[2 * slot + 1] = state + 1
    return state
  }

  /** The number of the state whose row is at `rows[base…]`, and whose hash is given; -1 when it is not there. */
  find(rows: Int32Array, base: number, hash: number): number {
    const slots = this.#slots
    const mask = this.#mask
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const found = slots[2 * slot + 1]!
      if (found === 0) return -1
      if (slots[2 * slot] === hash && this.#holds(found - 1, rows, base)) return found - 1
    }
  }

  /** Makes sure that one state more fits; nothing has changed when it does not. */
  #makeRoom(): boolean {
    try {
      if (this.#size >= this.#room) this.#grow()
      if (this.#size === this.#rows.length * CHUNK) {
        const rows = this.#allocate(CHUNK * this.width)
        this.#parents.push(this.#allocate(CHUNK))
        this.#rows.push(rows)
      }
      return true
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      this.#outOfMemory = true
      return false
    }
  }

  #free(slots: Int32Array, mask: number, hash: number): number {
    let slot = hash & mask
    while (slots[2 * slot + 1] !== 0) slot = (slot + 1) & mask
    return slot
  }

  #holds(state: number, rows: Int32Array, base: number): boolean {
    const chunk = this.#rows[state >>> CHUNK_BITS]!
    const from = (state & (CHUNK - 1)) * this.width
    for (let column = 0; column < this.width; column++) {
      if (chunk[from + column] !== rows[base + column]) return false
    }
    return true
  }

  #grow(): void {
    const old = this.#slots
    const slots = this.#allocate(2 * old.length)
    const mask = slots.length / 2 - 1
    for (let from = 0; from < old.length; from += 2) {
      if (old[from + 1] === 0) continue
      const slot = this.#free(slots, mask, old[from]!)
      slots[2 * slot] = old[from]!
      slots[2 * slot + 1] = old[from + 1]!
    }
    this.#slots = slots
    this.#mask = mask
    this.#room = Math.floor((mask + 1) * FILL)
  }
}
