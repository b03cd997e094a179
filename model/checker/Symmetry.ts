/**
 * Symmetry: of the states that differ only by a permutation of interchangeable elements, one stands for all.
 *
 * A permutation moves the columns of the families that are indexed by the elements, and replaces the elements wherever
 * they are strings inside values. The state that stands for its images is the one whose row of ids is smallest. The
 * orbit of a state has as many states as there are permutations, divided by those that leave it as it is; the sum over
 * the states found is the number of states of the whole space, exactly.
 *
 * This is sound when the spec does not tell the elements apart: its initial states, each action's steps and every
 * predicate are the same after a permutation. The initial states are checked. Steps and predicates are compared with
 * those of the permuted states, under every permutation (at most {@link MOST_CHECKED} of a large group) whenever an action
 * or a predicate was run and not looked up, and under one on every sixteenth state. A spec that is caught telling the
 * elements apart is refused; to escape, it must do so only where footprints say that nothing new was read.
 *
 * @module
 */

import type { Domain } from "./Columns.ts"
import type { Conjunct } from "./Conjunct.ts"
import type { Machine } from "./Evaluation.ts"
import type { Index, Spec, Value } from "./Language.ts"
import { showValue } from "./Show.ts"
import { InvalidSpec } from "./SpecError.ts"
import { NotAValue } from "./Values.ts"

/** Groups with more permutations than this are refused: each successor is compared under all of them. */
const MOST_PERMUTATIONS = 5040

/** Under at most this many permutations a state is checked. */
const MOST_CHECKED = 24

/** One permutation: each element that it moves, with the one that takes its place. */
type Moves = ReadonlyMap<Index, Index>

/** A permutation, as what it does to a row. */
class Permutation {
  readonly moves: Moves
  /** The column that each column's value comes from. */
  readonly from: Int32Array
  /** By column, what it makes of the ids of its domain; ids that it has not met are -1. */
  readonly #maps: ReadonlyArray<{ ids: Int32Array; readonly domain: Domain }>

  constructor(machine: Machine, moves: Moves) {
    this.moves = moves
    const { columns, variables } = machine.layout
    this.from = new Int32Array(columns.length)
    for (const column of columns) {
      const variable = variables.get(column.variable)
      const target = column.index === undefined ? undefined : moves.get(column.index)
      const moved = variable?._tag === "Family" ? variable.columns.get(String(target)) : undefined
      this.from[(moved ?? column).at] = column.at
    }
    const byDomain = new Map<Domain, { ids: Int32Array; readonly domain: Domain }>()
    this.#maps = columns.map(({ domain }) => {
      const known = byDomain.get(domain)
      if (known !== undefined) return known
      const map = { ids: new Int32Array(64).fill(-1), domain }
      byDomain.set(domain, map)
      return map
    })
  }

  /** The id that a column has in the image of the row at `base`. */
  id(rows: Int32Array, base: number, column: number): number {
    const id = rows[base + this.from[column]!]!
    const map = this.#maps[column]!
    const known = id < map.ids.length ? map.ids[id]! : -1
    return known >= 0 ? known : this.#learn(map, id)
  }

  #learn(map: { ids: Int32Array; readonly domain: Domain }, id: number): number {
    if (id >= map.ids.length) {
      const grown = new Int32Array(Math.max(2 * map.ids.length, id + 1)).fill(-1)
      grown.set(map.ids)
      map.ids = grown
    }
    const image = map.domain.intern(permuted(map.domain.member(id), this.moves))
    map.ids[id] = image
    return image
  }
}

const permuted = (value: Value, moves: Moves): Value => {
  if (typeof value === "string") {
    const target = moves.get(value)
    return typeof target === "string" ? target : value
  }
  if (typeof value !== "object" || value === null) return value
  if (value instanceof Set) return new Set([...value].map((element) => permuted(element, moves)))
  if (Array.isArray(value)) return value.map((element) => permuted(element, moves))
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [String(permuted(name, moves)), permuted(part, moves)])
  )
}

/** Every permutation of a set, the identity first. */
const permutationsOf = (elements: ReadonlyArray<Index>): ReadonlyArray<Moves> => {
  const arrange = (left: ReadonlyArray<Index>): ReadonlyArray<ReadonlyArray<Index>> =>
    left.length === 0
      ? [[]]
      : left.flatMap((first) => arrange(left.filter((other) => other !== first)).map((rest) => [first, ...rest]))
  return arrange(elements).map((order) => new Map(elements.map((element, i) => [element, order[i]!])))
}

const factorial = (n: number): number => (n <= 1 ? 1 : n * factorial(n - 1))

/** What is compared before and after a permutation. */
export interface Symmetric {
  /** Each successor of the state whose row is given: the action's name, and its row. */
  readonly steps: (row: Int32Array) => ReadonlyArray<readonly [action: string, row: Int32Array]>
  /** The predicates over one state. */
  readonly predicates: ReadonlyArray<Conjunct | Conjunct<"sometimes"> | Conjunct<"constraint">>
}

/** The permutations of a spec, and the states that stand for their images. */
export class Symmetry {
  /** How many permutations there are, the identity included. */
  readonly order: number
  /** The row that {@link canonical} chose, and the states in its orbit. */
  readonly row: Int32Array
  orbit = 1
  readonly #machine: Machine
  readonly #permutations: ReadonlyArray<Permutation>

  /** Throws `InvalidSpec` for sets of elements that make no sense. */
  constructor(machine: Machine, spec: Spec, initial: ReadonlyArray<Int32Array>) {
    checkSets(machine, spec)
    this.#machine = machine
    this.#permutations = spec.symmetry
      .map(permutationsOf)
      .reduce<ReadonlyArray<Moves>>(
        (all, more) => all.flatMap((moves) => more.map((others) => new Map([...moves, ...others]))),
        [new Map()]
      )
      .map((moves) => new Permutation(machine, moves))
    this.order = this.#permutations.length
    this.row = new Int32Array(machine.reader.width)
    this.#checkInitial(initial)
  }

  /** Finds the row that stands for the one at `base`, and leaves it in {@link row}; {@link orbit} is its size. */
  canonical(rows: Int32Array, base: number): Int32Array {
    const best = this.row
    const width = best.length
    for (let column = 0; column < width; column++) best[column] = rows[base + column]!
    let same = 1
    for (let i = 1; i < this.order; i++) {
      const permutation = this.#permutations[i]!
      let column = 0
      let id = 0
      for (; column < width; column++) {
        id = permutation.id(rows, base, column)
        if (id !== best[column]) break
      }
      if (column === width) same++
      else if (id < best[column]!) {
        for (; column < width; column++) best[column] = permutation.id(rows, base, column)
        same = 1
      }
    }
    this.orbit = this.order / same
    return best
  }

  /** Compares a state's steps and predicates with those of its images: under one of the permutations, or many. */
  checkState(row: Int32Array, symmetric: Symmetric, which: number | "all"): void {
    const keyed = (permutation: Permutation | undefined, steps: ReturnType<Symmetric["steps"]>): ReadonlySet<string> =>
      new Set(
        steps.map(([action, to]) => `${action} ${(permutation === undefined ? to : image(permutation, to, 0)).join()}`)
      )
    const steps = symmetric.steps(row)
    const truth = this.#truth(symmetric, row)
    for (const permutation of this.#chosen(which)) {
      const other = this.#image(permutation, row)
      const expected = keyed(permutation, steps)
      const found = keyed(undefined, symmetric.steps(other))
      const odd = [...expected.symmetricDifference(found)].map((key) => key.slice(0, key.indexOf(" ")))
      if (odd[0] !== undefined) throw this.#refuse(permutation, row, `the steps of ${odd[0]} differ`)
      const otherTruth = this.#truth(symmetric, other)
      for (const [name, holds] of truth) {
        if (otherTruth.get(name) !== holds) throw this.#refuse(permutation, row, `${name} differs`)
      }
    }
  }

  /** Compares what step predicates say of a step with what they say of its images. */
  checkStep(
    from: Int32Array,
    to: Int32Array,
    predicates: ReadonlyArray<Conjunct | Conjunct<"actionConstraint">>
  ): void {
    const { reader } = this.#machine
    const say = (s: Int32Array, t: Int32Array): string => {
      reader.rows.set(s, 0)
      reader.rows.set(t, reader.width)
      return this.#byProperty(predicates, 0)
        .map(([name, holds]) => `${name} ${holds}`)
        .join()
    }
    const truth = say(from, to)
    for (const permutation of this.#chosen("all")) {
      if (say(this.#image(permutation, from), this.#image(permutation, to)) !== truth) {
        throw this.#refuse(permutation, from, `what ${predicates[0]!.property} says of a step differs`)
      }
    }
    reader.rows.set(from, 0)
    reader.rows.set(to, reader.width)
  }

  /** The error for a spec that tells apart what it says is interchangeable. */
  refuse(row: Int32Array, problem: string): InvalidSpec {
    return this.#refuse(undefined, row, problem)
  }

  #chosen(which: number | "all"): ReadonlyArray<Permutation> {
    if (which !== "all") return [this.#permutations[which % this.order]!]
    if (this.order <= MOST_CHECKED) return this.#permutations.slice(1)
    const stride = this.order / MOST_CHECKED
    return Array.from({ length: MOST_CHECKED }, (_, i) => this.#permutations[Math.floor((i + 0.5) * stride)]!)
  }

  #truth({ predicates }: Symmetric, row: Int32Array): ReadonlyMap<string, boolean> {
    this.#machine.reader.rows.set(row, 0)
    return new Map(this.#byProperty(predicates, 0))
  }

  /** What properties say as a whole: a permutation may exchange their conjuncts. */
  #byProperty(
    predicates: ReadonlyArray<Symmetric["predicates"][number] | Conjunct<"actionConstraint">>,
    base: number
  ): Array<[string, boolean]> {
    const groups = Map.groupBy(predicates, ({ property }) => property)
    return [...groups].map(([name, conjuncts]) => [name, conjuncts.every((conjunct) => conjunct.answer(base))])
  }

  #image(permutation: Permutation, row: Int32Array): Int32Array {
    try {
      return image(permutation, row, 0)
    } catch (error) {
      if (!(error instanceof NotAValue)) throw error
      throw this.#refuse(permutation, row, `the permuted state has a value that cannot be: ${error.problem}`)
    }
  }

  #checkInitial(initial: ReadonlyArray<Int32Array>): void {
    const known = new Set(initial.map((row) => row.join()))
    for (const row of initial) {
      for (const permutation of this.#permutations) {
        if (!known.has(this.#image(permutation, row).join())) {
          throw this.#refuse(permutation, row, "the permuted state is not an initial state")
        }
      }
    }
  }

  #refuse(permutation: Permutation | undefined, row: Int32Array, problem: string): InvalidSpec {
    const moves = [...(permutation?.moves ?? [])].filter(([from, to]) => from !== to)
    const how = moves.map(([from, to]) => `${showValue(from)} → ${showValue(to)}`).join(", ")
    this.#machine.reader.rows.set(row, 0)
    return new InvalidSpec({
      spec: this.#machine.spec,
      site: "symmetry",
      problem: `the spec tells the elements apart: ${problem}${how === "" ? "" : `, when ${how}`}`,
      remedy:
        "Treat the elements alike, or leave them out of `symmetry`. Inside values only strings are exchanged: elements that are numbers may be indices, and nothing else.",
      state: this.#machine.show(0)
    })
  }
}

const image = (permutation: Permutation, row: Int32Array, base: number): Int32Array =>
  Int32Array.from(permutation.from, (_, column) => permutation.id(row, base, column))

const checkSets = (machine: Machine, spec: Spec): void => {
  const invalid = (problem: string, remedy: string): InvalidSpec =>
    new InvalidSpec({ spec: machine.spec, site: "symmetry", problem, remedy, state: "" })
  const used = new Set<string>()
  for (const set of spec.symmetry) {
    for (const element of set) {
      if (used.has(String(element))) {
        throw invalid(`${showValue(element)} is listed twice`, "Put each element into one set, once.")
      }
      used.add(String(element))
    }
  }
  for (const { columns } of [...machine.layout.variables.values()].filter((each) => each._tag === "Family")) {
    for (const set of spec.symmetry) {
      const missing = set.find((element) => !columns.has(String(element)))
      const present = set.find((element) => columns.has(String(element)))
      if (missing !== undefined && present !== undefined) {
        const label = columns.get(String(present))!.variable
        throw invalid(
          `${label} is indexed by ${showValue(present)}, but not by ${showValue(missing)}`,
          "Interchangeable elements index the same families."
        )
      }
    }
  }
  const order = spec.symmetry.reduce((product, set) => product * factorial(set.length), 1)
  if (order > MOST_PERMUTATIONS) {
    throw invalid(`there are ${order} permutations`, `At most ${MOST_PERMUTATIONS} are possible: use smaller sets.`)
  }
  const temporal = Object.entries(spec.temporal).filter(([, { form }]) => form !== "always")
  if (temporal.length > 0) {
    throw invalid(
      `it cannot be combined with properties of behaviours, such as ${temporal[0]![0]}`,
      "A cycle among states that stand for their images may be no cycle. Check without symmetry."
    )
  }
}
