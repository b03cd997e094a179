/**
 * Rows of ids, packed: each column has as many bits as its largest id needs, and columns share 32-bit words.
 *
 *     column      log          fenced  outsideLeft  crashesLeft  …        packing 7: 2 words
 *     bits        13           3       2            2            …
 *     rows    ┌───────────────────────────────────────┬──────────────────┐
 *     chunk 0 │ packing 5: 1 word each                 │ never rewritten  │
 *     chunk 1 │ packing 7: 2 words each                │ filling          │
 *             └───────────────────────────────────────┴──────────────────┘
 *
 * How large the ids of a column become is not known beforehand. When one outgrows its bits, a wider packing is made;
 * full chunks keep theirs, and only the chunk that is being filled is packed anew. So no row is packed more than a few
 * times, and nothing ever stops to copy everything.
 *
 * @module
 */

const CHUNK_BITS = 18
const CHUNK = 1 << CHUNK_BITS
const FIRST_CAPACITY = 1 << 8
const WORD = 32
/** Ids are not negative. */
const MOST_BITS = 31

/** Makes a zeroed array; throws a `RangeError` when there is no memory for it. */
export type Allocate = (length: number) => Int32Array

/** How many bits each column has, and where they lie. */
class Packing {
  /** By column. */
  readonly bits: Int32Array
  readonly word: Int32Array
  readonly shift: Int32Array
  /** Words to a row; never 0. */
  readonly words: number
  /** Column, shift and bits of each column, in order of words. */
  readonly plan: Int32Array
  /** Where in the plan each word ends. */
  readonly ends: Int32Array

  constructor(bits: Int32Array) {
    const width = bits.length
    this.bits = bits
    this.word = new Int32Array(width)
    this.shift = new Int32Array(width)
    // The widest first, each into the first word that has room.
    const used: Array<number> = [0]
    const order = Array.from(bits.keys()).sort((a, b) => bits[b]! - bits[a]!)
    for (const column of order) {
      const size = bits[column]!
      let word = used.findIndex((taken) => taken + size <= WORD)
      if (word < 0) word = used.push(0) - 1
      this.word[column] = word
      // A column of no bits may come when its word is full, and a shift is taken modulo 32: any will do, its id is 0.
      this.shift[column] = size === 0 ? 0 : used[word]!
      used[word]! += size
    }
    this.words = used.length
    const plan = order.sort((a, b) => this.word[a]! - this.word[b]!)
    this.plan = Int32Array.from(plan.flatMap((column) => [column, this.shift[column]!, bits[column]!]))
    this.ends = Int32Array.from(used, (_, word) => 3 * plan.filter((column) => this.word[column]! <= word).length)
  }

  /** The id of a column in the packed row at `at`. */
  id(packed: Int32Array, at: number, column: number): number {
    const bits = this.bits[column]!
    return bits === 0 ? 0 : (packed[at + this.word[column]!]! >>> this.shift[column]!) & (2 ** bits - 1)
  }

  /** Unpacks the row at `at` to `rows[base…]`. */
  unpack(packed: Int32Array, at: number, rows: Int32Array, base: number): void {
    const { plan, ends } = this
    let i = 0
    for (let word = 0; word < ends.length; word++) {
      const from = packed[at + word]!
      for (const end = ends[word]!; i < end; i += 3) {
        rows[base + plan[i]!] = (from >>> plan[i + 1]!) & ((1 << plan[i + 2]!) - 1)
      }
    }
  }
}

const bitsFor = (id: number): number => WORD - Math.clz32(id)

/** Some rows, one after the other, and how many bits each column has; where these lie follows from that. */
export interface PackedBlock {
  readonly count: number
  readonly bits: Int32Array
  readonly rows: Int32Array
}

const unpacked = new WeakMap<Int32Array, Packing>()

/** Unpacks one row of a block. */
export const unpackBlock = ({ bits, rows }: PackedBlock, which: number, row: Int32Array): void => {
  const packing = unpacked.get(bits) ?? new Packing(bits)
  unpacked.set(bits, packing)
  packing.unpack(rows, which * packing.words, row, 0)
}

/** A chunk of rows that is new, or lies elsewhere now, and how many bits each column has in it. */
export interface ChunkMoved {
  readonly chunk: number
  readonly rows: Int32Array
  readonly bits: Int32Array
}

/** Rows of `width` ids, numbered from 0 in the order they were added. */
export class PackedRows {
  readonly width: number
  readonly #allocate: Allocate
  readonly #chunks: Array<Int32Array> = []
  readonly #packings: Array<Packing> = []
  #packing: Packing
  #size = 0
  #bytes = 0
  /** Rows that fit into the chunks there are. */
  #capacity = 0
  /** The row that was packed last. */
  #packed: Int32Array
  #fits = false
  /** The chunks that moved since {@link moved} was last asked. */
  readonly #moved = new Set<number>()

  constructor(width: number, allocate: Allocate) {
    this.width = width
    this.#allocate = allocate
    this.#packing = new Packing(new Int32Array(width))
    this.#packed = new Int32Array(this.#packing.words)
  }

  get size(): number {
    return this.#size
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Packs the row at `rows[base…]`, to be compared or added next. */
  pack(rows: Int32Array, base: number): void {
    const { plan, ends } = this.#packing
    const packed = this.#packed
    let over = 0
    let i = 0
    for (let word = 0; word < ends.length; word++) {
      let into = 0
      for (const end = ends[word]!; i < end; i += 3) {
        const id = rows[base + plan[i]!]!
        over |= id >>> plan[i + 2]!
        into |= id << plan[i + 1]!
      }
      packed[word] = into
    }
    this.#fits = over === 0
  }

  /** Whether the row of this number is the one that was packed last, which is at `rows[base…]`. */
  holds(number: number, rows: Int32Array, base: number): boolean {
    const index = number >>> CHUNK_BITS
    const chunk = this.#chunks[index]!
    const packing = this.#packings[index]!
    const at = (number & (CHUNK - 1)) * packing.words
    if (packing === this.#packing) {
      if (!this.#fits) return false
      const packed = this.#packed
      for (let word = 0; word < packed.length; word++) if (chunk[at + word] !== packed[word]) return false
      return true
    }
    for (let column = 0; column < this.width; column++) {
      if (packing.id(chunk, at, column) !== rows[base + column]) return false
    }
    return true
  }

  /** The first word of a row: reading it brings the row near. */
  touch(number: number): number {
    const index = number >>> CHUNK_BITS
    return this.#chunks[index]![(number & (CHUNK - 1)) * this.#packings[index]!.words]!
  }

  /** Copies a row to `rows[base…]`. */
  load(number: number, rows: Int32Array, base: number): void {
    const index = number >>> CHUNK_BITS
    const packing = this.#packings[index]!
    packing.unpack(this.#chunks[index]!, (number & (CHUNK - 1)) * packing.words, rows, base)
  }

  /** Makes room for the row that was packed last, which is at `rows[base…]`. Throws, and changes nothing, if it cannot. */
  reserve(rows: Int32Array, base: number): void {
    if (!this.#fits) this.#widen(rows, base)
    if (this.#size < this.#capacity) return
    const { words } = this.#packing
    if (this.#size === 0 || this.#capacity >= CHUNK) {
      const capacity = this.#size === 0 ? FIRST_CAPACITY : CHUNK
      this.#hold(this.#chunks.length, this.#allocate(capacity * words), this.#packing)
      this.#capacity += capacity
    } else {
      const grown = this.#allocate(2 * this.#capacity * words)
      grown.set(this.#chunks[0]!)
      this.#hold(0, grown, this.#packing)
      this.#capacity *= 2
    }
  }

  /** Adds the row that was packed last; there must be room for it. */
  add(): void {
    const chunk = this.#chunks[this.#chunks.length - 1]!
    const packed = this.#packed
    const to = (this.#size++ & (CHUNK - 1)) * packed.length
    for (let word = 0; word < packed.length; word++) chunk[to + word] = packed[word]!
  }

  /** What another thread has to be told to read these rows, since it was last asked. */
  moved(): ReadonlyArray<ChunkMoved> {
    const all = [...this.#moved].map(
      (chunk): ChunkMoved => ({ chunk, rows: this.#chunks[chunk]!, bits: this.#packings[chunk]!.bits })
    )
    this.#moved.clear()
    return all
  }

  /** Reads rows where another thread says that they lie. Nothing may be added here then. */
  follow({ chunk, rows, bits }: ChunkMoved): void {
    const same = this.#packing.bits.every((size, column) => size === bits[column])
    const packing = same ? this.#packing : new Packing(bits)
    this.#chunks[chunk] = rows
    this.#packings[chunk] = packing
    // Most rows that are looked for are in the packing of the last chunk.
    if (same || chunk < this.#chunks.length - 1) return
    this.#packing = packing
    this.#packed = new Int32Array(packing.words)
  }

  /** All rows as they lie, a block for each chunk. */
  *blocks(): Generator<PackedBlock> {
    for (const [index, packing] of this.#packings.entries()) {
      const count = Math.min(CHUNK, this.#size - index * CHUNK)
      yield { count, bits: packing.bits, rows: this.#chunks[index]!.subarray(0, count * packing.words) }
    }
  }

  /** Packs what the last chunk holds so that the row at `rows[base…]` fits as well. */
  #widen(rows: Int32Array, base: number): void {
    const old = this.#packing
    const bits = old.bits.map((size, column) => Math.min(MOST_BITS, Math.max(size, bitsFor(rows[base + column]!))))
    const packing = new Packing(bits)
    const last = this.#chunks.length - 1
    const begin = last << CHUNK_BITS
    // A full chunk keeps its packing; the next one begins with the new one.
    if (this.#size > begin && this.#size - begin < CHUNK) {
      const chunk = this.#chunks[last]!
      const wider = this.#allocate((chunk.length / old.words) * packing.words)
      const row = new Int32Array(this.width)
      for (let i = 0; i < this.#size - begin; i++) {
        old.unpack(chunk, i * old.words, row, 0)
        const to = i * packing.words
        for (let column = 0; column < this.width; column++) {
          wider[to + packing.word[column]!]! |= row[column]! << packing.shift[column]!
        }
      }
      this.#hold(last, wider, packing)
    }
    this.#packing = packing
    this.#packed = new Int32Array(packing.words)
    this.pack(rows, base)
  }

  #hold(index: number, chunk: Int32Array, packing: Packing): void {
    this.#bytes += chunk.byteLength - (this.#chunks[index]?.byteLength ?? 0)
    this.#chunks[index] = chunk
    this.#packings[index] = packing
    this.#moved.add(index)
  }
}
