/**
 * Breadth-first exploration: every reachable state, once, in order of distance from the initial states.
 *
 *     queue of states ──▶ units ──▶ successors ──▶ step properties ──▶ table ──▶ new? invariants ──▶ queue
 *                           └─ none enabled but the environment's: whenStuck, deadlock
 *
 * States are numbered in the order found, so the table is the queue as well: `#head` is the next state to expand. The
 * first violation that is found of a property is one that no shorter behaviour shows, because a behaviour of n steps
 * is only looked at when all shorter ones have been.
 *
 * @module
 */
import type { ActionUnit } from "./ActionUnit.ts"
import type { Compiled } from "./Compile.ts"
import type { Conjunct } from "./Conjunct.ts"
import { Examiner } from "./Examiner.ts"
import * as Findings from "./Findings.ts"
import { PartialOrder } from "./PartialOrder.ts"
import { alone, type Lookout } from "./Scout.ts"
import type { Position } from "./Snapshot.ts"
import { FULL, hashRow, NEAR, StateTable, shared } from "./StateTable.ts"
import { assign, changesRow, unassign } from "./Successors.ts"
import type { Symmetry } from "./Symmetry.ts"
import type { Violation } from "./Violation.ts"

/** One search through the states of a compiled spec. */
export class Exploration {
  readonly compiled: Compiled
  readonly table: StateTable
  /** What is taken first in each state, when not everything needs to be. */
  readonly partialOrder: PartialOrder | undefined
  /** Whether the search ends with the first violation. */
  readonly stopAtFirst: boolean
  /** How often each action was taken, and how often that led to a state not seen before. */
  readonly taken: Float64Array
  readonly fresh: Float64Array
  /** Transitions: successors of every expanded state, those that change nothing included. */
  generated = 0
  /** Whether states were left out because the limit, or all memory, is used up. */
  bounded = false
  /** Whether the search was ended because it may not take more memory. */
  overBudget = false
  /** Steps that a constraint left out. */
  leftOut = 0
  readonly #examiner: Examiner
  #represented = 0
  #head = 0
  #depth = 1
  #levelEnd = 0
  /** Whether the search ended because there is no room, or may be none, for more states. */
  #stopped = false
  /** Whether the model has constraints. */
  readonly #constrained: boolean
  /** Absent with symmetry or partial order: what is to be done with a state then depends on what came before. */
  #lookout: Lookout | undefined
  /** Whether a step led to a state that is still to be expanded, since this was last set to false. */
  #open = false
  /** Whether there was room for all initial states, and none of them ended the search. */
  #hasBegun = false
  /** What had been counted when the state that is being expanded was begun with. */
  readonly #begun: { generated: number; leftOut: number; readonly taken: Float64Array }

  constructor(
    compiled: Compiled,
    options: {
      readonly maxStates: number
      readonly stopAtFirst: boolean
      readonly partialOrder?: boolean
      /** Keep states where other threads can read them. */
      readonly shared?: boolean
    }
  ) {
    this.compiled = compiled
    this.partialOrder = options.partialOrder === true ? new PartialOrder(compiled) : undefined
    this.table = new StateTable(
      compiled.machine.reader.width,
      options.maxStates,
      options.shared === true ? shared : undefined
    )
    this.taken = new Float64Array(compiled.actions.length)
    this.fresh = new Float64Array(compiled.actions.length)
    this.#begun = { generated: 0, leftOut: 0, taken: new Float64Array(compiled.actions.length) }
    this.stopAtFirst = options.stopAtFirst
    this.#constrained = compiled.constraint.length + compiled.actionConstraint.length > 0
    this.#examiner = new Examiner(compiled, this.table, {
      stopAtFirst: options.stopAtFirst,
      level: () => ({ from: this.#head, to: this.#levelEnd })
    })
    this.#lookout =
      compiled.symmetry === undefined && this.partialOrder === undefined ? alone(compiled, this.table) : undefined
    this.#begin()
    this.#settle()
  }

  /** Whether there is nothing left to do. */
  get done(): boolean {
    return this.#over || this.#head >= this.table.size
  }

  /** What was found to fail, in the order found: one violation of each property, or only the first. */
  get violations(): ReadonlyArray<Violation> {
    return this.#examiner.violations
  }

  /** The claims that no state found so far satisfies, each with its conjuncts. */
  get claims(): ReadonlyMap<string, ReadonlyArray<Conjunct<"sometimes">>> {
    return this.#examiner.claims
  }

  /** States found and not expanded yet. */
  get queue(): number {
    return this.table.size - this.#head
  }

  /** States 0 up to this one, exclusive, have been expanded. */
  get expanded(): number {
    return this.#head
  }

  /** States on the longest of the shortest paths found, the initial state counted. */
  get depth(): number {
    return this.#depth + (this.table.size > this.#levelEnd ? 1 : 0)
  }

  /** The states that those found stand for: more than they are themselves, when some are interchangeable. */
  get represented(): number {
    return this.compiled.symmetry === undefined ? this.table.size : this.#represented
  }

  /** Bytes that states take, and those that footprints and kept successors take. */
  get bytes(): { readonly states: number; readonly footprints: number } {
    const { units, dispatch, invariants, stepProperties, whenStuck, machine } = this.compiled
    const evaluated = [units, invariants, stepProperties, whenStuck].flat()
    return {
      states: this.table.bytes,
      footprints: evaluated.reduce(
        (sum, { footprint }) => sum + footprint.bytes,
        machine.successors.bytes + dispatch.bytes
      )
    }
  }

  /** Whether another search can go on from `position`: not after a violation that ended this one, nor without all initial states. */
  get resumable(): boolean {
    return this.#hasBegun && (!this.#over || this.bounded)
  }

  /**
   * Where another search of the same spec, with the same states, can go on. A state in whose middle this one ended is
   * expanded again: which of its successors were new stays counted, and what is counted again is not.
   */
  get position(): Position {
    const { generated, leftOut, taken } = this.#stopped && !this.overBudget ? this.#begun : this
    return {
      states: this.table.size,
      head: this.#head,
      depth: this.#depth,
      levelEnd: this.#levelEnd,
      generated,
      leftOut,
      represented: this.#represented,
      taken: [...taken],
      fresh: [...this.fresh],
      claims: [...this.claims.keys()],
      suspects: [...this.#examiner.suspects]
    }
  }

  /** Goes on where another search was, whose states are in the table already. */
  goOn(position: Position, violations: ReadonlyArray<Violation>): void {
    this.#head = position.head
    this.#depth = position.depth
    this.#levelEnd = position.levelEnd
    this.#represented = position.represented
    this.generated = position.generated
    this.leftOut = position.leftOut
    this.taken.set(position.taken)
    this.fresh.set(position.fresh)
    this.#examiner.goOn(position, violations)
    this.#settle()
  }

  /** Ends the search, because it may not take more memory: states are left that were not expanded. */
  endOverBudget(): void {
    if (this.done) return
    this.overBudget = true
    this.bounded = true
    this.#stopped = true
  }

  /** Whether others may look ahead for this search. */
  get mayBeHelped(): boolean {
    return this.#lookout !== undefined
  }

  /** Lets somebody else look ahead. */
  join(lookout: Lookout): void {
    this.#lookout = lookout
    this.#settle()
  }

  /** Expands up to `count` states more, or a few more than that. Throws `SpecError`. */
  advance(count: number): void {
    const end = this.#head + count
    while (!this.done && this.#head < end) {
      if (this.#lookout === undefined) this.#next()
      else this.#follow(this.#lookout.look(this.#head, end))
    }
  }

  /** Expands the next state. */
  #next(): void {
    if (this.#head === this.#levelEnd) this.#endLevel()
    this.#mark()
    this.#expand(this.#head)
    if (!this.#over) this.#head++
  }

  #mark(): void {
    this.#begun.generated = this.generated
    this.#begun.leftOut = this.leftOut
    this.#begun.taken.set(this.taken)
  }

  #endLevel(): void {
    this.#depth++
    this.#levelEnd = this.table.size
  }

  /** Expands the states that were looked at. */
  #follow(found: Int32Array): void {
    const covered = found[Findings.COVERED]!
    // Where the search ends within a state, it has to be expanded in order for the counts to be right.
    const room = this.table.size + found[Findings.CANDIDATES]! <= this.table.limit
    const inOrder = room ? found[Findings.IN_ORDER]! : covered
    if (room) this.#commit(found, covered)
    for (let i = Math.max(inOrder, covered === 0 ? 1 : 0); i > 0 && !this.done; i--) this.#next()
    if (inOrder > 0) this.#settle()
  }

  /** Adds what was found. */
  #commit(found: Int32Array, covered: number): void {
    const { table, compiled, fresh } = this
    const from = this.#head
    const length = Findings.ROW + table.width
    this.#mark()
    this.generated += found[Findings.GENERATED]!
    this.leftOut += found[Findings.LEFT_OUT]!
    compiled.machine.evaluations += found[Findings.EVALUATIONS]!
    for (let action = 0; action < fresh.length; action++) this.taken[action]! += found[Findings.TAKEN + action]!
    let at = Findings.TAKEN + fresh.length
    for (let i = found[Findings.CANDIDATES]!; i > 0; i--, at += length) {
      if (i % NEAR === 0) table.approach(found, at + Findings.HASH, length)
      const parent = from + found[at + Findings.REACHED_FROM]!
      if (parent >= this.#levelEnd) this.#endLevel()
      const state = table.add(found, at + Findings.ROW, found[at + Findings.HASH]!, parent)
      if (state >= 0) fresh[found[at + Findings.ACTION]!]!++
      else if (state === FULL) {
        // Memory ran out. All of these states are begun with again, if somebody goes on.
        this.#known(state)
        return
      }
    }
    this.#head += covered
    if (this.#head > this.#levelEnd) this.#endLevel()
  }

  /** Tells whoever looks ahead what need not be looked at any more. */
  #settle(): void {
    this.#lookout?.settle(this.#examiner.settled)
  }

  /** Whether the search has ended before every state was expanded. */
  get #over(): boolean {
    return this.#stopped || this.#examiner.ended
  }

  #begin(): void {
    const { initial, machine, constraint } = this.compiled
    const { rows, width } = machine.reader
    for (const row of initial) {
      rows.set(row, 0)
      rows.set(row, width)
      if (constraint.every((conjunct) => conjunct.answer(width))) {
        this.#add(rows, width, hashRow(rows, width, width), -1)
      } else {
        this.leftOut++
        this.#examiner.lookAt({ state: -1, next: row })
      }
      if (this.#over) break
    }
    this.#hasBegun = !this.#over
    this.#levelEnd = this.table.size
  }

  #expand(state: number): void {
    const { machine, units, symmetry } = this.compiled
    const { rows, width } = machine.reader
    const evaluated = machine.evaluations
    this.table.load(state, rows, 0)
    this.table.load(state, rows, width)
    const hash = hashRow(rows, 0, width)
    const first = this.partialOrder?.choose()
    if (first !== undefined && this.#takeFirst(first, state, hash)) return
    let enabled = first !== undefined
    let stuck = !enabled
    for (const unit of units) {
      if (first?.includes(unit) === true) continue
      const place = unit.answer()
      if (place === 0) continue
      enabled = true
      if (!unit.environment) stuck = false
      this.#take(unit, place, state, hash)
      if (this.#over) return
    }
    if (stuck) this.#examiner.lookAtStuck(state, enabled)
    if (symmetry !== undefined && !this.#over) this.#examiner.compareImages(state, machine.evaluations !== evaluated)
  }

  /** Takes the chosen units, and answers whether that was enough. */
  #takeFirst(first: ReadonlyArray<ActionUnit>, state: number, hash: number): boolean {
    const { partialOrder } = this
    this.#open = false
    for (const unit of first) {
      this.#take(unit, unit.answer(), state, hash)
      if (this.#over) return true
    }
    if (!this.#open || partialOrder === undefined) return false
    partialOrder.reduced++
    partialOrder.skipped += this.compiled.units.filter((unit) => !first.includes(unit) && unit.answer() !== 0).length
    return true
  }

  /** Takes the successors at a place, of the state in the reader. */
  #take(unit: ActionUnit, place: number, state: number, hash: number): void {
    const { machine, stepProperties } = this.compiled
    const { rows, width } = machine.reader
    const { data } = machine.successors
    let at = place + 1
    for (let successor = data[place]!; successor > 0; successor--) {
      const end = at + 2 + 2 * data[at + 1]!
      const first = at + 2
      const nextHash = assign(rows, width, data, first, end, hash)
      this.generated++
      this.taken[unit.action]!++
      if (changesRow(rows, width, data, first, end)) {
        this.#reach(unit, rows, width, nextHash, state)
        if (stepProperties.length > 0 && !this.#over) this.#examiner.lookAtStep(state)
      }
      if (this.#over) return
      unassign(rows, width, data, first, end)
      at = end
    }
  }

  #reach(unit: ActionUnit, rows: Int32Array, width: number, hash: number, from: number): void {
    const { machine } = this.compiled
    const evaluated = machine.evaluations
    const outside = this.#constrained && this.#outside(width)
    if (outside) {
      this.leftOut++
      this.#examiner.lookAt({ state: from, next: rows.slice(width) })
    }
    if (!outside && this.#add(rows, width, hash, from)) this.fresh[unit.action]!++
    if (this.#constrained) this.#examiner.compareBounds(outside, machine.evaluations !== evaluated)
  }

  /** Whether the step in the reader leads out of the model. */
  #outside(width: number): boolean {
    const { constraint, actionConstraint } = this.compiled
    return !(
      constraint.every((conjunct) => conjunct.answer(width)) && actionConstraint.every((conjunct) => conjunct.answer(0))
    )
  }

  /** Adds the state at `t` in the reader, or the one that stands for it; answers whether it is new. */
  #add(rows: Int32Array, width: number, hash: number, from: number): boolean {
    const { symmetry } = this.compiled
    if (symmetry !== undefined) return this.#addStanding(symmetry, rows, width, from)
    const state = this.table.add(rows, width, hash, from)
    if (state < 0) return this.#known(state)
    this.#open = true
    this.#examiner.meet(state)
    return true
  }

  #addStanding(symmetry: Symmetry, rows: Int32Array, width: number, from: number): boolean {
    const state = this.table.add(symmetry.canonical(rows, width), 0, hashRow(symmetry.row, 0, width), from)
    if (state < 0) return this.#known(state)
    this.#represented += symmetry.orbit
    this.#examiner.meet(state)
    return true
  }

  /** A state that is not new, or that there is no room for. */
  #known(state: number): false {
    if (state === FULL) {
      this.bounded = true
      this.#stopped = true
    } else if (~state > this.#head) this.#open = true
    return false
  }
}
