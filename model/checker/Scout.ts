/**
 * Looking ahead: what a range of states leads to, found out without changing the search.
 *
 *     states ──▶ units ──▶ successors ──▶ batch ──▶ in the table? ── no: invariants ──▶ candidates, in order
 *        └──────────┴──────── anything out of the ordinary ────────────┘
 *                                      └─▶ the batch is left to be expanded in order
 *
 * Most successors are states that are known already, and nothing is wrong with the others: a scout finds that out, and
 * the search adds the candidates that are left. Whatever else there is to say of a state (a violation, a claim that is
 * met, an error in the spec) the scout does not say. It hands the state back, and the search expands it as if nobody had
 * looked. So what a scout may get wrong is only how much is left to do, and it may look while states are being added.
 *
 * Successors are looked up many at a time: each look-up waits for memory, and those that do not depend on each other wait
 * together.
 *
 * @module
 */
import type { ActionUnit } from "./ActionUnit.ts"
import { type Compiled, DEADLOCK } from "./Compile.ts"
import type { Conjunct } from "./Conjunct.ts"
import {
  ACTION,
  CANDIDATES,
  COVERED,
  EVALUATIONS,
  findingsLength,
  GENERATED,
  HASH,
  IN_ORDER,
  LEFT_OUT,
  REACHED_FROM,
  ROW,
  TAKEN
} from "./Findings.ts"
import { Recent } from "./Recent.ts"
import { contribution, type StateTable } from "./StateTable.ts"
import { unassign } from "./Successors.ts"

/** Successors looked up together, and how many a batch has room for. */
const BATCH = 256
const ROOM = 1024

/** States that are looked at together, and how many of their successors may be candidates. */
const RANGE = 256
const MOST_CANDIDATES = 4096

/** The properties and claims that need not be looked at any more. */
export interface Settled {
  /** Whether a violation of this property is known. */
  readonly violated: (property: string) => boolean
  /** Whether a state is known that satisfies this claim. */
  readonly met: (claim: string) => boolean
}

/** Who looks ahead for a search. */
export interface Lookout {
  /**
   * What the states from `head` on lead to, as far as it was looked at, and usually not beyond `end`. What was found is
   * to be used before the next look.
   */
  readonly look: (head: number, end: number) => Int32Array
  /** Says what need not be looked at any more. To be called before the first look, and whenever that changes. */
  readonly settle: (settled: Settled) => void
}

/** Looks ahead for one search, with one copy of its compiled spec. */
export class Scout {
  readonly #compiled: Compiled
  readonly #table: StateTable
  /** Whether candidates are looked up before they are handed over. */
  #sifts = false
  /** Where the next candidate goes that is not looked up. */
  #at = 0
  /** Whether the model has constraints. */
  readonly #constrained: boolean
  #invariants: ReadonlyArray<Conjunct> = []
  #steps: ReadonlyArray<Conjunct> = []
  #stuck: ReadonlyArray<Conjunct> = []
  #claims: ReadonlyArray<ReadonlyArray<Conjunct<"sometimes">>> = []
  #deadlock = false
  /** The successors at hand: their rows, and for each where it comes from. */
  readonly #rows: Int32Array
  readonly #hashes = new Int32Array(ROOM)
  readonly #from = new Int32Array(ROOM)
  readonly #actions = new Int32Array(ROOM)
  readonly #absent = new Int32Array(ROOM)
  /**
   * Successors of states before. They are added before whatever is found now, by whoever turns out to look at those
   * states, unless they are in the table already.
   */
  readonly #recent: Recent
  /** The state behind the last one that was looked at. */
  #end = 0
  #count = 0
  #generated = 0
  #leftOut = 0
  readonly #taken: Int32Array
  /** What each column of the state at hand contributes to its hash. */
  readonly #words: Int32Array

  constructor(compiled: Compiled, table: StateTable) {
    this.#compiled = compiled
    this.#table = table
    this.#constrained = compiled.constraint.length + compiled.actionConstraint.length > 0
    this.#recent = new Recent(compiled.machine.reader.width)
    this.#rows = new Int32Array(ROOM * compiled.machine.reader.width)
    this.#taken = new Int32Array(compiled.actions.length)
    this.#words = new Int32Array(compiled.machine.reader.width)
  }

  /** Says what need not be looked at any more. To be called before the first look, and whenever that changes. */
  settle({ violated, met }: Settled): void {
    const { invariants, stepProperties, whenStuck, sometimes, spec } = this.#compiled
    const open = ({ property }: Conjunct): boolean => !violated(property)
    this.#invariants = invariants.filter(open)
    this.#steps = stepProperties.filter(open)
    this.#stuck = whenStuck.filter(open)
    this.#deadlock = spec.deadlock === "error" && !violated(DEADLOCK)
    const claims = Map.groupBy(sometimes, ({ property }) => property)
    this.#claims = [...claims].flatMap(([claim, conjuncts]) => (met(claim) ? [] : [conjuncts]))
  }

  /**
   * Looks at the states from one number up to another, exclusive, and writes what it finds; see `Findings.ts`. What is
   * found is to be added in the order of the states, whichever were looked at first.
   *
   * `sifts` says whether candidates are looked up before they are handed over. It spares whoever adds them what is not
   * new; when that is the same thread, adding them tells as much.
   */
  look(from: number, to: number, into: Int32Array, sifts = false): void {
    this.#sifts = sifts
    const { machine, actions } = this.#compiled
    const before = machine.evaluations
    if (from < this.#end) this.#recent.forget()
    this.#end = to
    into.fill(0, 0, TAKEN + actions.length)
    for (let state = from; state < to; ) {
      const begun = state
      machine.exchange?.hear()
      this.#count = 0
      this.#generated = 0
      this.#leftOut = 0
      this.#taken.fill(0)
      this.#at = TAKEN + actions.length + into[CANDIDATES]! * (ROW + machine.reader.width)
      let ordinary = true
      try {
        while (ordinary && state < to && this.#count >= 0 && this.#count < BATCH) {
          ordinary = this.#expand(state, state - from, into)
          state++
        }
        if (this.#sifts) ordinary &&= this.#sift(into)
        else if (this.#count > 0) into[CANDIDATES]! += this.#count
      } catch {
        // It will be thrown again, with its place, when the states are expanded in order.
        ordinary = false
      }
      if (!ordinary) {
        into[IN_ORDER] = state - begun
        break
      }
      if (this.#count < 0) break
      into[COVERED] = state - from
      into[GENERATED]! += this.#generated
      into[LEFT_OUT]! += this.#leftOut
      for (let action = 0; action < actions.length; action++) into[TAKEN + action]! += this.#taken[action]!
    }
    into[EVALUATIONS] = machine.evaluations - before
  }

  /** Adds the successors of a state to the batch; answers whether there was nothing out of the ordinary. */
  #expand(state: number, distance: number, into: Int32Array): boolean {
    const { machine, dispatch } = this.#compiled
    const { rows, width } = machine.reader
    this.#table.load(state, rows, 0)
    const words = this.#words
    let hash = 0
    for (let column = 0; column < width; column++) {
      const id = rows[column]!
      const word = contribution(column, id)
      rows[width + column] = id
      words[column] = word
      hash ^= word
    }
    let enabled = false
    let stuck = true
    dispatch.look(rows)
    const { units, candidates } = dispatch
    for (let word = 0; word < candidates.length; word++) {
      for (let left = candidates[word]!; left !== 0; left &= left - 1) {
        const number = (word << 5) + 31 - Math.clz32(left & -left)
        const place = dispatch.place(number)
        if (place === 0) continue
        const unit = units[number]!
        enabled = true
        if (!unit.environment) stuck = false
        if (!this.#take(unit, place, hash, distance, into)) return this.#count < 0
      }
    }
    return !stuck || ((enabled || !this.#deadlock) && this.#stuck.every((conjunct) => conjunct.answer(0)))
  }

  #take(unit: ActionUnit, place: number, hash: number, distance: number, into: Int32Array): boolean {
    const { machine, actionConstraint, constraint } = this.#compiled
    const { rows, width } = machine.reader
    const { data } = machine.successors
    const steps = this.#steps
    const words = this.#words
    const count = data[place]!
    this.#generated += count
    this.#taken[unit.action]! += count
    let at = place + 1
    for (let successor = count; successor > 0; successor--) {
      const end = at + 2 + 2 * data[at + 1]!
      const first = at + 2
      let nextHash = hash
      let changes = false
      for (let i = first; i < end; i += 2) {
        const column = data[i]!
        const id = data[i + 1]!
        if (rows[column] === id) continue
        nextHash ^= words[column]! ^ contribution(column, id)
        rows[width + column] = id
        changes = true
      }
      if (changes) {
        for (let i = 0; i < steps.length; i++) if (!steps[i]!.answer(0)) return false
        if (
          this.#constrained &&
          !(
            constraint.every((conjunct) => conjunct.answer(width)) &&
            actionConstraint.every((conjunct) => conjunct.answer(0))
          )
        ) {
          this.#leftOut++
          if (!this.#invariants.every((conjunct) => conjunct.answer(width))) return false
        } else if (!this.#recent.meet(rows, width, nextHash)) {
          if (this.#count === ROOM) return false
          if (this.#sifts) this.#keep(nextHash, distance, unit.action)
          else if (!this.#offer(nextHash, distance, unit.action, into)) return false
        }
      }
      unassign(rows, width, data, first, end)
      at = end
    }
    return true
  }

  /** Keeps the state at `t` in the reader, to be looked up with others. */
  #keep(hash: number, distance: number, action: number): void {
    const { rows, width } = this.#compiled.machine.reader
    const which = this.#count++
    this.#hashes[which] = hash
    this.#from[which] = distance
    this.#actions[which] = action
    const to = which * width
    for (let column = 0; column < width; column++) this.#rows[to + column] = rows[width + column]!
  }

  /**
   * Writes the state at `t` in the reader as a candidate; answers whether there was nothing out of the ordinary. When
   * there is no room left for it, the count of the batch becomes -1.
   */
  #offer(hash: number, distance: number, action: number, into: Int32Array): boolean {
    const { rows, width } = this.#compiled.machine.reader
    const invariants = this.#invariants
    const claims = this.#claims
    for (let i = 0; i < invariants.length; i++) if (!invariants[i]!.answer(width)) return false
    for (let i = 0; i < claims.length; i++) if (claims[i]!.every((conjunct) => conjunct.answer(width))) return false
    const at = this.#at
    this.#at += ROW + width
    if (this.#at > into.length) {
      this.#count = -1
      return false
    }
    into[at + REACHED_FROM] = distance
    into[at + ACTION] = action
    into[at + HASH] = hash
    for (let column = 0; column < width; column++) into[at + ROW + column] = rows[width + column]!
    this.#count++
    return true
  }

  /**
   * Writes those of the batch that are not in the table; answers whether there was nothing out of the ordinary. When
   * there is no room left for them, the count of the batch becomes -1.
   */
  #sift(into: Int32Array): boolean {
    const { actions, machine } = this.#compiled
    const { rows, width } = machine.reader
    const invariants = this.#invariants
    const length = ROW + width
    const count = this.#table.absent(this.#rows, this.#hashes, this.#count, this.#absent)
    let at = TAKEN + actions.length + into[CANDIDATES]! * length
    if (at + count * length > into.length) {
      this.#count = -1
      return true
    }
    for (let i = 0; i < count; i++) {
      const which = this.#absent[i]!
      const from = which * width
      into[at + REACHED_FROM] = this.#from[which]!
      into[at + ACTION] = this.#actions[which]!
      into[at + HASH] = this.#hashes[which]!
      for (let column = 0; column < width; column++) {
        const id = this.#rows[from + column]!
        into[at + ROW + column] = id
        rows[width + column] = id
      }
      for (let j = 0; j < invariants.length; j++) if (!invariants[j]!.answer(width)) return false
      for (const claim of this.#claims) if (claim.every((conjunct) => conjunct.answer(width))) return false
      at += length
    }
    into[CANDIDATES]! += count
    return true
  }
}

/** One scout that looks ahead for its own thread. */
export const alone = (compiled: Compiled, table: StateTable): Lookout => {
  const scout = new Scout(compiled, table)
  const found = new Int32Array(findingsLength(compiled, MOST_CANDIDATES))
  return {
    settle: (settled) => scout.settle(settled),
    look: (head, end) => {
      scout.look(head, Math.min(end, table.size, head + RANGE), found)
      // A search adds what was run by looking ahead to what it ran itself, and here both are counted by one machine.
      found[EVALUATIONS] = 0
      return found
    }
  }
}
