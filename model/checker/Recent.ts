/**
 * The rows that were met last, so that one met again soon need not be looked up.
 *
 * Steps that commute lead to the same state from neighbours, and neighbours are expanded one after the other: of all
 * successors that are not new, many were successors only just before. Each row has one place, by its hash, where the next
 * one that has the same takes over.
 *
 * @module
 */

/** Integers that the rows take: they are to stay near. */
const INTEGERS = 1 << 17

/** Rows of `width` ids, as many as are worth keeping. */
export class Recent {
  readonly #width: number
  readonly #last: number
  readonly #hashes: Int32Array
  readonly #rows: Int32Array

  constructor(width: number) {
    this.#width = width
    const places = 2 ** Math.max(6, Math.floor(Math.log2(INTEGERS / width)))
    this.#last = places - 1
    this.#hashes = new Int32Array(places)
    this.#rows = new Int32Array(places * width)
    this.forget()
  }

  /** Whether the row at `rows[base…]`, whose hash is given, was met; from now on it was. */
  meet(rows: Int32Array, base: number, hash: number): boolean {
    const kept = this.#rows
    const width = this.#width
    const place = hash & this.#last
    const at = place * width
    if (this.#hashes[place] === hash) {
      let column = 0
      while (column < width && kept[at + column] === rows[base + column]) column++
      if (column === width) return true
    }
    this.#hashes[place] = hash
    for (let column = 0; column < width; column++) kept[at + column] = rows[base + column]!
    return false
  }

  /** Nothing was met. */
  forget(): void {
    // Ids are not negative.
    this.#rows.fill(-1)
  }
}
