/**
 * The successors of states, as patches: which columns an action assigns, and the ids that they get.
 *
 * All lists lie in one array of 32-bit integers. A list is a count, and for each successor the id of its parameters
 * (among the spec's values), the number of columns that it assigns, and those columns with their ids, alternating.
 *
 * @module
 */
import { contribution } from "./StateTable.ts"

/** One successor: the id of its parameters, and columns with the ids they get, alternating. */
export interface Successor {
  readonly parameters: number
  readonly patches: ReadonlyArray<number>
}

/** The lists of successors that were worked out for one spec. */
export class Successors {
  #data = new Int32Array(1 << 10)
  // Place 0 is the empty list: the action is not enabled.
  #used = 1

  get data(): Int32Array {
    return this.#data
  }

  get bytes(): number {
    return this.#data.byteLength
  }

  /** Writes a list behind all those kept, and answers its place. The next one overwrites it unless it is kept. */
  write(list: ReadonlyArray<Successor>): number {
    if (list.length === 0) return 0
    let at = this.#used
    const length = list.reduce((sum, { patches }) => sum + 2 + patches.length, 1)
    if (at + length > this.#data.length) {
      const grown = new Int32Array(Math.max(at + length, this.#data.length * 2))
      grown.set(this.#data)
      this.#data = grown
    }
    this.#data[at++] = list.length
    for (const { parameters, patches } of list) {
      this.#data[at++] = parameters
      this.#data[at++] = patches.length / 2
      for (const id of patches) this.#data[at++] = id
    }
    return this.#used
  }

  /** Keeps the list that was written last. */
  keep(place: number): void {
    if (place === 0) return
    let at = place + 1
    for (let i = this.#data[place]!; i > 0; i--) at += 2 + 2 * this.#data[at + 1]!
    this.#used = at
  }
}

/**
 * Assigns a successor's columns in the row at `width`, and answers the hash of the row that it then is. `first` and `end`
 * are where its columns and ids lie in `data`; `hash` is the one of the row before.
 */
export const assign = (
  rows: Int32Array,
  width: number,
  data: Int32Array,
  first: number,
  end: number,
  hash: number
): number => {
  let next = hash
  for (let at = first; at < end; at += 2) {
    const column = data[at]!
    const id = data[at + 1]!
    next ^= contribution(column, rows[width + column]!) ^ contribution(column, id)
    rows[width + column] = id
  }
  return next
}

/** Makes the row at `width` the one at 0 again, after {@link assign}. */
export const unassign = (rows: Int32Array, width: number, data: Int32Array, first: number, end: number): void => {
  for (let at = first; at < end; at += 2) rows[width + data[at]!] = rows[data[at]!]!
}

/** Whether any of the columns that a successor assigns differs, between the row at 0 and the one at `width`. */
export const changesRow = (rows: Int32Array, width: number, data: Int32Array, first: number, end: number): boolean => {
  for (let at = first; at < end; at += 2) {
    const column = data[at]!
    if (rows[column] !== rows[width + column]) return true
  }
  return false
}
