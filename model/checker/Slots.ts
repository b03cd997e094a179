/**
 * A segment of the table of states: slots of a hash and a number, in the order of their hashes.
 *
 *     before   │ a b · c · d │                     runs: a b, c, d
 *     after    │ · a · b · · c · d │ · · ·  ·      d is moved first, and then c, and then a b
 *
 * A segment grows where it is. Memory that a process has never touched costs more to touch than a slot costs to move, so
 * a segment lies at the beginning of a larger piece of memory, of which only that beginning is ever touched.
 *
 * @module
 */

const HASHES = 2 ** 32

/** Where the search for a hash begins in a segment of so many integers: the larger the hash, the farther back. */
export const place = (hash: number, length: number): number => 2 * (((hash >>> 0) * (length / (2 * HASHES))) >>> 0)

/** The first free slot for a hash. There must be one. */
export const free = (slots: Int32Array, hash: number): number => {
  let at = place(hash, slots.length)
  while (slots[at + 1] !== 0) {
    at += 2
    if (at === slots.length) at = 0
  }
  return at
}

/** Enters what is in a slot in another segment. */
export const move = (from: Int32Array, at: number, to: Int32Array): void => {
  const slot = free(to, from[at]!)
  to[slot] = from[at]!
  to[slot + 1] = from[at + 1]!
}

/** The slots of one run, while they are moved. */
let aside = new Int32Array(1 << 10)

/** Puts the slots from `from` up to `to`, exclusive, aside behind `count` integers that are there; answers how many are then. */
const putAside = (slots: Int32Array, from: number, to: number, count: number): number => {
  const length = to - from
  if (count + length > aside.length) {
    const grown = new Int32Array(2 * (count + length))
    grown.set(aside)
    aside = grown
  }
  for (let i = 0; i < length; i++) aside[count + i] = slots[from + i]!
  slots.fill(0, from, to)
  return count + length
}

/**
 * Spreads what is in the first `before` integers over all of `slots`; behind them there are zeros.
 *
 * A run is what lies between two free slots. What belongs to one is not looked for before its beginning, and later still
 * when there are more slots. So runs are moved one by one, the last first, and none meets one that is still to be moved;
 * but the first may have come round the end.
 */
export const spread = (slots: Int32Array, before: number): void => {
  let first = 0
  while (first < before && slots[first + 1] !== 0) first += 2
  const round = aside.slice(0, putAside(slots, 0, first, 0))
  for (let end = before; end > first; ) {
    let begin = end
    while (begin > first && slots[begin - 1] !== 0) begin -= 2
    if (begin === end) {
      end -= 2
      continue
    }
    const count = putAside(slots, begin, end, 0)
    for (let at = 0; at < count; at += 2) move(aside, at, slots)
    end = begin
  }
  for (let at = 0; at < round.length; at += 2) move(round, at, slots)
}
