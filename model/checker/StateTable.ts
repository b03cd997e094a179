/**
 * The set of states found so far: each a row of ids, numbered in the order found.
 *
 *     hash ─ low bits ──▶ segment ─ high bits ──▶ slot: hash, number ──▶ packed row        parent
 *
 * Rows are packed, parents take two bits each, and both lie in chunks that are never copied, so that a large search
 * costs the garbage collector nothing. Rows are found by open addressing in an array of pairs, hash and number. The hash
 * spares most comparisons with a wrong row, and the row itself decides, so two different states are never taken for one.
 * A large array is cut into segments that grow one by one, by half or by a quarter, where they are (see `Slots.ts`): growing
 * takes no second copy, and since slots are in the order of their hashes, a segment is read and written from one end to
 * the other.
 *
 * The hash of a row is the exclusive or of one mixed word per column: a successor's hash is patched from its
 * predecessor's, column by column changed.
 *
 * @module
 */
import { type Allocate, type ChunkMoved, type PackedBlock, PackedRows } from "./PackedRows.ts"
import { Parents } from "./Parents.ts"
import { free, move, place, spread } from "./Slots.ts"

const FILL = 0.75
const FIRST_SLOTS = 1 << 10
/** The slots of a table that is still of one piece. Then it is cut. */
const LARGEST_WHOLE = 1 << 17
const SEGMENTS = 64
/** The slots of a segment that still grows by half. A larger one grows by a quarter. */
const LARGEST_BY_HALF = 1 << 16
/** The slots that a segment may get where it is, when the table is cut. */
const FIRST_RESERVE = 1 << 16
/** A segment that outgrows its memory gets so many times as much as it needs, to grow in. */
const RESERVE = 4
/** States that are brought near together, before they are added. */
export const NEAR = 32

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

/** A segment of slots that is new, or lies elsewhere now, among so many. */
export interface SegmentMoved {
  readonly segment: number
  readonly of: number
  readonly slots: Int32Array
}

/** What another thread has to be told to look states up. */
export type TableMoved = ChunkMoved | SegmentMoved

/** Arrays that other threads can read. */
export const shared: Allocate = (length) => new Int32Array(new SharedArrayBuffer(4 * length))

/**
 * The states found, with the number of the state that each was first reached from: -1 for an initial state, and never
 * less than that of a state found before.
 */
export class StateTable {
  readonly width: number
  readonly limit: number
  readonly #rows: PackedRows
  readonly #parents: Parents
  // Slot i of a segment is at 2i: the hash, and the state's number + 1, so that 0 is a free slot.
  #segments: Array<Int32Array>
  /** The memory at whose beginning each segment lies. What is behind it has not been touched yet. */
  #reserves: Array<Int32Array>
  /** The segments that moved since {@link moved} was last asked. */
  readonly #moved = new Set([0])
  /** By segment: how many states more it takes before it grows. */
  #room = Int32Array.of(Math.floor(FIRST_SLOTS * FILL))
  #slotBytes = 8 * FIRST_SLOTS
  #size = 0
  #outOfMemory = false
  readonly #near = new Int32Array(NEAR)
  /** What was read only to have it at hand: kept, for a read whose outcome is not used may be left out. */
  touched = 0
  readonly #allocate: Allocate

  /** `width` columns to a row, and never more than `limit` rows. An allocation that fails throws a `RangeError`. */
  constructor(width: number, limit: number, allocate: Allocate = (length) => new Int32Array(length)) {
    this.width = width
    this.limit = limit
    this.#allocate = allocate
    this.#segments = [allocate(2 * FIRST_SLOTS)]
    this.#reserves = this.#segments
    this.#rows = new PackedRows(width, allocate)
    this.#parents = new Parents(allocate)
  }

  /** Whether a new state was refused because there is no memory for it. */
  get outOfMemory(): boolean {
    return this.#outOfMemory
  }

  get size(): number {
    return this.#size
  }

  /** Bytes that rows, parents and slots take. */
  get bytes(): number {
    return this.#rows.bytes + this.#parents.bytes + this.#slotBytes
  }

  parent(state: number): number {
    return this.#parents.of(state)
  }

  /** All rows in the order of their numbers, packed. */
  packedBlocks(): Iterable<PackedBlock> {
    return this.#rows.blocks()
  }

  /** Copies a state's row to `rows[base…]`. */
  load(state: number, rows: Int32Array, base: number): void {
    this.#rows.load(state, rows, base)
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
    const segment = hash & (this.#segments.length - 1)
    const slots = this.#segments[segment]!
    this.#rows.pack(rows, base)
    let at = place(hash, slots.length)
    for (;;) {
      const found = slots[at + 1]!
      if (found === 0) break
      if (slots[at] === hash && this.#rows.holds(found - 1, rows, base)) return -found
      at += 2
      if (at === slots.length) at = 0
    }
    if (this.#size >= this.limit || !this.#makeRoom(segment, rows, base, parent)) return FULL
    const state = this.#size++
    this.#rows.add()
    this.#parents.add(parent)
    const home = hash & (this.#segments.length - 1)
    const now = this.#segments[home]!
    // Making room may have moved the slots.
    if (now !== slots) at = free(now, hash)
    now[at] = hash
    now[at + 1] = state + 1
    this.#room[home]!--
    return state
  }

  /** The number of the state whose row is at `rows[base…]`, and whose hash is given; -1 when it is not there. */
  find(rows: Int32Array, base: number, hash: number): number {
    const slots = this.#segments[hash & (this.#segments.length - 1)]!
    this.#rows.pack(rows, base)
    for (let at = place(hash, slots.length); ; ) {
      const found = slots[at + 1]!
      if (found === 0) return -1
      // Slots may be read while another thread fills them: of states behind the last, nothing is known here yet.
      if (slots[at] === hash && found <= this.#size && this.#rows.holds(found - 1, rows, base)) return found - 1
      at += 2
      if (at === slots.length) at = 0
    }
  }

  /**
   * Brings near where the next {@link NEAR} states belong that are to be added: their hashes are in `data`, `stride`
   * integers apart. Those that are there already come near as well.
   */
  approach(data: Int32Array, first: number, stride: number): void {
    const segments = this.#segments
    const last = segments.length - 1
    const near = this.#near
    for (let i = 0, at = first; i < NEAR; i++, at += stride) {
      const hash = data[at]!
      const slots = segments[hash & last]!
      const slot = place(hash, slots.length)
      near[i] = slots[slot] === hash ? slots[slot + 1]! : 0
    }
    let touched = 0
    for (let i = 0; i < NEAR; i++) if (near[i]! > 0) touched ^= this.#rows.touch(near[i]! - 1)
    this.touched = touched
  }

  /**
   * Of `count` rows, one behind the other, writes which are not there, in order, and answers how many. Everything that
   * has to come from memory is asked for before the first answer is needed.
   */
  absent(rows: Int32Array, hashes: Int32Array, count: number, which: Int32Array): number {
    const segments = this.#segments
    const last = segments.length - 1
    for (let i = 0; i < count; i++) {
      const hash = hashes[i]!
      const slots = segments[hash & last]!
      const at = place(hash, slots.length)
      which[i] = slots[at] === hash ? slots[at + 1]! : 0
    }
    let touched = 0
    for (let i = 0; i < count; i++) {
      const number = which[i]!
      if (number > 0 && number <= this.#size) touched ^= this.#rows.touch(number - 1)
    }
    this.touched = touched
    let found = 0
    for (let i = 0; i < count; i++) {
      if (this.find(rows, i * this.width, hashes[i]!) < 0) which[found++] = i
    }
    return found
  }

  /** What other threads have to be told to look states up here, since this was last asked. */
  moved(): ReadonlyArray<TableMoved> {
    const segments = [...this.#moved].map(
      (segment): SegmentMoved => ({ segment, of: this.#segments.length, slots: this.#segments[segment]! })
    )
    this.#moved.clear()
    return [...this.#rows.moved(), ...segments]
  }

  /**
   * Looks states up where another thread keeps them: `size` of them are all there. Of what moved since, each is told
   * once. Nothing may be added here.
   */
  follow(moved: ReadonlyArray<TableMoved>, size: number): void {
    for (const each of moved) {
      if ("chunk" in each) this.#rows.follow(each)
      else {
        if (each.of !== this.#segments.length) this.#segments = Array.from({ length: each.of }, () => each.slots)
        this.#segments[each.segment] = each.slots
      }
    }
    this.#size = size
  }

  /** Makes sure that this state fits; nothing has changed that can be seen when it does not. */
  #makeRoom(segment: number, rows: Int32Array, base: number, parent: number): boolean {
    try {
      if (this.#room[segment] === 0) this.#grow(segment)
      this.#rows.reserve(rows, base)
      this.#parents.reserve(parent)
      return true
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      this.#outOfMemory = true
      return false
    }
  }

  #grow(segment: number): void {
    const old = this.#segments[segment]!
    const count = old.length / 2
    const whole = this.#segments.length === 1
    if (whole && count >= LARGEST_WHOLE) {
      this.#cut(old, count)
      return
    }
    const length = 2 * (whole ? 2 * count : count + (count >>> (count <= LARGEST_BY_HALF ? 1 : 2)))
    const inPlace = length <= this.#reserves[segment]!.length
    if (!inPlace) this.#reserves[segment] = whole ? this.#allocate(length) : this.#reserve(RESERVE * length, length)
    const slots = this.#reserves[segment]!.subarray(0, length)
    if (inPlace) spread(slots, old.length)
    else for (let from = 0; from < old.length; from += 2) if (old[from + 1] !== 0) move(old, from, slots)
    this.#segments[segment] = slots
    this.#moved.add(segment)
    this.#slotBytes += slots.byteLength - old.byteLength
    this.#room[segment]! += Math.floor((slots.length / 2) * FILL) - Math.floor(count * FILL)
  }

  /** Memory for a segment and what it may become, or only for the segment when there is not as much. */
  #reserve(length: number, needed: number): Int32Array {
    try {
      return this.#allocate(length)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      return this.#allocate(needed)
    }
  }

  /** A segment gets as many slots as it would need if hashes were not spread evenly. */
  #cut(old: Int32Array, count: number): void {
    const states = new Int32Array(SEGMENTS)
    for (let at = 0; at < old.length; at += 2) if (old[at + 1] !== 0) states[old[at]! & (SEGMENTS - 1)]!++
    const sizes = states.map((each) => Math.max((2 * count) / SEGMENTS, 2 * each))
    const needed = sizes.reduce((sum, size) => sum + 2 * size, 0)
    const memory = this.#reserve(Math.max(needed, 2 * FIRST_RESERVE * SEGMENTS), needed)
    // Each segment gets its share of what is not needed yet.
    const spare = Math.floor((memory.length - needed) / (2 * SEGMENTS))
    let end = 0
    const reserves = Array.from(sizes, (size) => {
      const begin = end
      end += 2 * (size + spare)
      return memory.subarray(begin, end)
    })
    const segments = Array.from(sizes, (size, segment) => reserves[segment]!.subarray(0, 2 * size))
    for (let at = 0; at < old.length; at += 2) {
      if (old[at + 1] !== 0) move(old, at, segments[old[at]! & (SEGMENTS - 1)]!)
    }
    this.#segments = segments
    this.#reserves = reserves
    for (const segment of segments.keys()) this.#moved.add(segment)
    this.#room = sizes.map((size, segment) => Math.floor(size * FILL) - states[segment]!)
    this.#slotBytes = segments.reduce((sum, { byteLength }) => sum + byteLength, 0)
  }
}
