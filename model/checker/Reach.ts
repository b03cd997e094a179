/**
 * What each action and each predicate may ever read and write: more than any search could watch, and still exact enough
 * to tell what is independent.
 *
 * The footprints that a search records say what was read on the states that it visited. A reduction leaves states out,
 * so it needs to know what happens on those as well. Here each variable is given the set of values that it may take,
 * whatever the others have: at first those of the initial states, then those that any action assigns on any combination
 * of values that it reads, until nothing is added. Every reachable state is among the combinations. What an action reads
 * decides which combinations differ for it, so each is run once for every different path of reads, not for every state.
 *
 * The sets may be without end though the reachable states are not (a counter that another variable bounds). Then the
 * answer is that it cannot be told.
 *
 * @module
 */
import type { Compiled } from "./Compile.ts"
import { isSpecError } from "./SpecError.ts"

/** The columns that one action instance, or one predicate, may read and write. */
export interface MayTouch {
  readonly reads: ReadonlySet<number>
  readonly writes: ReadonlySet<number>
}

/** What may be touched; or why that cannot be told. */
export type Reach =
  | {
      readonly _tag: "Known"
      readonly units: ReadonlyArray<MayTouch>
      /** The columns that invariants, step properties, claims and constraints may read. */
      readonly visible: ReadonlySet<number>
    }
  | { readonly _tag: "Unknown"; readonly why: string }

/** How many different paths of reads are followed at most, and how many values one column may have. */
const MOST_RUNS = 30_000

/**
 * The most updates that those runs may answer. Values that grow, as a list does that is appended to, are each answered
 * for at the cost of their size, so that few runs can be long.
 */
const MOST_ANSWERS = 30_000
const MOST_VALUES = 2000

/** A run asks to look at a combination of values; the rest of the row does not matter, as it was not read. */
interface Branch {
  /** Columns with the ids that lead to this point, alternating. */
  readonly path: ReadonlyArray<number>
  readonly column: number
  /** How many of the column's values have been followed from here. */
  followed: number
}

class Exhausted extends Error {}

/** The values that each column may take, in the order found. */
class ValueSets {
  readonly values: ReadonlyArray<Array<number>>
  readonly #known: ReadonlyArray<Set<number>>
  /** By column, how many of the values the round at hand looks at. So values grow in breadth before they grow in length. */
  #round: ReadonlyArray<number> = []

  constructor(initial: ReadonlyArray<Int32Array>, width: number) {
    this.#known = Array.from({ length: width }, (_, column) => new Set(initial.map((row) => row[column]!)))
    this.values = this.#known.map((set) => [...set])
  }

  begin(): void {
    this.#round = this.values.map(({ length }) => length)
  }

  inRound(column: number): number {
    return this.#round[column]!
  }

  add(column: number, id: number): void {
    if (this.#known[column]!.has(id)) return
    if (this.values[column]!.length >= MOST_VALUES) throw new Exhausted()
    this.#known[column]!.add(id)
    this.values[column]!.push(id)
  }
}

/** One function of the spec, followed along every path of reads. `tied` gives both states of a step the same values. */
class Follower {
  readonly reads = new Set<number>()
  readonly #compiled: Compiled
  readonly #sets: ValueSets
  readonly #run: () => void
  readonly #places: number
  readonly #tied: boolean
  readonly #branches: Array<Branch> = []
  #began = false

  constructor(compiled: Compiled, sets: ValueSets, run: () => void, places: "s" | "s and t" | "s twice") {
    this.#compiled = compiled
    this.#sets = sets
    this.#run = run
    this.#places = places === "s and t" ? 2 : 1
    this.#tied = places === "s twice"
  }

  /** Follows what is new since the last time; `spend` is called once for each run. */
  follow(spend: () => void): boolean {
    let more = !this.#began
    if (more) this.#follow([], spend)
    this.#began = true
    // New branches are added behind, and are looked at in the same pass.
    for (const branch of this.#branches) {
      const column = branch.column % this.#sets.values.length
      const values = this.#sets.values[column]!
      while (branch.followed < this.#sets.inRound(column)) {
        more = true
        this.#follow([...branch.path, branch.column, values[branch.followed++]!], spend)
      }
    }
    return more
  }

  #follow(path: ReadonlyArray<number>, spend: () => void): void {
    spend()
    const { reader } = this.#compiled.machine
    const { rows, width } = reader
    const { values } = this.#sets
    const fixed = new Map<number, number>()
    for (let i = 0; i < path.length; i += 2) fixed.set(path[i]!, path[i + 1]!)
    for (let place = 0; place < 2 * width; place++) {
      const key = this.#tied || this.#places === 1 ? place % width : place
      rows[place] = fixed.get(key) ?? values[place % width]![0]!
    }
    reader.record()
    try {
      this.#run()
    } finally {
      reader.stop()
    }
    const read = this.#readPlaces()
    const before = path.slice()
    for (const place of read) {
      this.reads.add(place % width)
      if (fixed.has(place)) continue
      // The first value is the one that was just followed.
      this.#branches.push({ path: before.slice(), column: place, followed: 1 })
      before.push(place, rows[place]!)
    }
  }

  /** The places read, in order; in a tied row each column is one place, whichever state it was read in. */
  #readPlaces(): ReadonlyArray<number> {
    const { reads, width, readCount } = this.#compiled.machine.reader
    const places = Array.from(reads.subarray(0, readCount))
    return this.#tied || this.#places === 1 ? [...new Set(places.map((place) => place % width))] : places
  }
}

/** Works out what may be touched. */
export const reach = (compiled: Compiled): Reach => {
  const { machine, units } = compiled
  const sets = new ValueSets(compiled.initial, machine.reader.width)
  const writes = units.map(() => new Set<number>())
  let answers = 0
  const actions = units.map(
    (unit, number) =>
      new Follower(
        compiled,
        sets,
        () => {
          for (const { patches } of unit.evaluate()) {
            if (++answers > MOST_ANSWERS) throw new Exhausted()
            for (let i = 0; i < patches.length; i += 2) {
              writes[number]!.add(patches[i]!)
              sets.add(patches[i]!, patches[i + 1]!)
            }
          }
        },
        "s"
      )
  )
  let runs = 0
  const spend = (): void => {
    if (++runs > MOST_RUNS) throw new Exhausted()
  }
  let site = ""
  try {
    for (let more = true; more; ) {
      more = false
      sets.begin()
      for (const [number, action] of actions.entries()) {
        site = `the action ${units[number]!.name}`
        if (action.follow(spend)) more = true
      }
    }
    const seen = [...compiled.invariants, ...compiled.sometimes, ...compiled.constraint].map((conjunct) => {
      site = conjunct.property
      const follower = new Follower(compiled, sets, () => conjunct.evaluate(0), "s")
      follower.follow(spend)
      return follower.reads
    })
    const stepsSeen = compiled.stepProperties.map((conjunct) => {
      site = conjunct.property
      const rest = new Follower(
        compiled,
        sets,
        () => {
          if (!conjunct.evaluate(0)) throw new Refuses()
        },
        "s twice"
      )
      rest.follow(spend)
      const follower = new Follower(compiled, sets, () => conjunct.evaluate(0), "s and t")
      follower.follow(spend)
      return follower.reads
    })
    return {
      _tag: "Known",
      units: actions.map(({ reads }, number) => ({ reads, writes: writes[number]! })),
      visible: new Set([...seen, ...stepsSeen].flatMap((columns) => [...columns]))
    }
  } catch (error) {
    if (error instanceof Exhausted) {
      return {
        _tag: "Unknown",
        why: `${site} meets too many values that its variables may take, each by itself`
      }
    }
    if (error instanceof Refuses) {
      return { _tag: "Unknown", why: `${site} is false of steps that change nothing of what it looks at` }
    }
    if (isSpecError(error)) return { _tag: "Unknown", why: `${site} fails on values that its variables may take` }
    throw error
  }
}

class Refuses extends Error {}
