/**
 * What all units answer in a state, looked up together: their decision trees, joined where they begin.
 *
 *     column of the first read ──id──▶ of each unit that is not ruled out by it: its answer, or where its tree goes on
 *
 * A pure function always reads the same variable first, so every tree begins with one column, and many begin with the
 * same: what a process may do depends first of all on where it is. One look at that column rules most units out at once.
 * Only what was learned is looked up here; a unit that has to be evaluated is left to be asked by itself, in the order of
 * units.
 *
 * @module
 */
import type { ActionUnit } from "./ActionUnit.ts"

/** The place of a unit that has to be asked. */
const ASK = -1

const FIRST_IDS = 16

/** Units whose trees begin with the same column. */
interface Group {
  readonly column: number
  /** Numbers of units. */
  units: ReadonlyArray<number>
  /** By id in that column: where in the pool its entry is; 0 when there is none. */
  entries: Int32Array<ArrayBuffer>
}

/** The units of one compiled spec, in their order, and what is known of the state that was looked at last. */
export class Dispatch {
  readonly units: ReadonlyArray<ActionUnit>
  /** A bit for each unit that may be enabled. */
  readonly candidates: Int32Array
  /** By unit: the place of its successors, when it is a candidate, or a negative number when it has to be asked. */
  readonly #places: Int32Array
  /** A bit for each unit that is in no group. */
  readonly #apart: Int32Array
  readonly #groups: Array<Group> = []
  /** By unit. */
  readonly #groupOf: Array<Group | undefined>
  /** An entry: how many units are not ruled out, and for each its number and its tree, as in a footprint; 0 asks it. */
  #pool = new Int32Array(1 << 8)
  #used = 1
  /** Entries that lack something that was learned since. */
  #stale: Array<{ readonly group: Group; readonly id: number }> = []
  /** States that were looked at, and by unit, how many of them its footprint has been told of. */
  #looked = 0
  readonly #told: Float64Array

  constructor(units: ReadonlyArray<ActionUnit>) {
    this.units = units
    const words = (units.length + 31) >>> 5
    this.candidates = new Int32Array(words)
    this.#places = new Int32Array(units.length).fill(ASK)
    this.#apart = new Int32Array(words)
    this.#groupOf = units.map(() => undefined)
    this.#told = new Float64Array(units.length)
    for (const unit of units.keys()) this.#apart[unit >>> 5]! |= 1 << (unit & 31)
  }

  /** Bytes that the joined trees take. */
  get bytes(): number {
    return this.#groups.reduce((sum, { entries }) => sum + entries.byteLength, this.#pool.byteLength)
  }

  /** Looks at the state at the beginning of `rows`: sets {@link candidates}. */
  look(rows: Int32Array): void {
    if (this.#stale.length > 0) this.#refresh()
    this.#looked++
    const { candidates, units } = this
    const places = this.#places
    const apart = this.#apart
    const groups = this.#groups
    const pool = this.#pool
    for (let word = 0; word < candidates.length; word++) candidates[word] = apart[word]!
    for (let i = 0; i < groups.length; i++) {
      const group = groups[i]!
      const id = rows[group.column]!
      const entry = id < group.entries.length ? group.entries[id]! : 0
      if (entry === 0) {
        for (const unit of group.units) {
          places[unit] = ASK
          candidates[unit >>> 5]! |= 1 << (unit & 31)
        }
        this.#stale.push({ group, id })
        continue
      }
      let at = entry + 1
      for (let count = pool[entry]!; count > 0; count--, at += 2) {
        const unit = pool[at]!
        const tree = pool[at + 1]!
        const place = tree > 0 ? units[unit]!.footprint.from(tree, rows) : -tree - 1
        if (place === 0) continue
        if (place === ASK) this.#stale.push({ group, id })
        places[unit] = place
        candidates[unit >>> 5]! |= 1 << (unit & 31)
      }
    }
  }

  /**
   * The place of a candidate's successors, in the state that was looked at last and is still in the reader; 0 when there
   * are none. May evaluate the unit.
   */
  place(unit: number): number {
    const place = this.#places[unit]!
    return place === ASK ? this.#ask(unit) : place
  }

  #ask(unit: number): number {
    const asked = this.units[unit]!
    // Whether a tree pays is decided by how often it answers, and it answers here as well.
    asked.footprint.answered(this.#looked - this.#told[unit]! - 1)
    this.#told[unit] = this.#looked
    const place = asked.answer()
    const group = this.#groupOf[unit]
    if (!asked.footprint.pays) {
      if (group !== undefined) this.#separate(unit, group)
    } else if (group === undefined) {
      const column = asked.footprint.column
      if (column !== undefined) this.#join(unit, column)
    }
    return place
  }

  #join(unit: number, column: number): void {
    let group = this.#groups.find((each) => each.column === column)
    if (group === undefined) {
      group = { column, units: [], entries: new Int32Array(FIRST_IDS) }
      this.#groups.push(group)
    }
    this.#groupOf[unit] = group
    this.#apart[unit >>> 5]! &= ~(1 << (unit & 31))
    this.#regroup(group, [...group.units, unit])
  }

  #separate(unit: number, group: Group): void {
    this.#groupOf[unit] = undefined
    this.#apart[unit >>> 5]! |= 1 << (unit & 31)
    this.#regroup(
      group,
      group.units.filter((other) => other !== unit)
    )
  }

  #regroup(group: Group, units: ReadonlyArray<number>): void {
    for (const unit of [...group.units, ...units]) this.#places[unit] = ASK
    group.units = units
    group.entries.fill(0)
  }

  #refresh(): void {
    for (const { group, id } of this.#stale) this.#enter(group, id)
    this.#stale = []
  }

  /** Writes what is known of a group under an id. */
  #enter(group: Group, id: number): void {
    if (id >= group.entries.length) {
      const grown = new Int32Array(Math.max(2 * group.entries.length, id + 1))
      grown.set(group.entries)
      group.entries = grown
    }
    const length = 1 + 2 * group.units.length
    let entry = group.entries[id]!
    if (entry === 0) {
      entry = this.#used
      this.#used += length
      group.entries[id] = entry
      if (this.#used > this.#pool.length) {
        const grown = new Int32Array(Math.max(2 * this.#pool.length, this.#used))
        grown.set(this.#pool)
        this.#pool = grown
      }
    }
    let at = entry + 1
    for (const unit of group.units) {
      const tree = this.units[unit]!.footprint.under(id)
      // Not enabled, whatever else the state is.
      if (tree === -1) continue
      this.#pool[at++] = unit
      this.#pool[at++] = tree
    }
    this.#pool[entry] = (at - entry - 1) / 2
  }
}
