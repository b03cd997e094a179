/**
 * What an evaluation depends on, learned by watching: a decision tree over the variables that it read.
 *
 * A pure function of the state that has read the same values so far will read the same variable next. So its runs form
 * a tree: a node is the variable that is read there, its edges are the values (as dense ids) that were seen, a leaf is
 * the answer. A state that agrees with an earlier one on the variables along its path gets its answer by table look-up,
 * and nobody has to declare what depends on what.
 *
 * The tree is one array of 32-bit integers. A node is `column, size, mask` and then `mask + 1` slots of `id + 1, child`,
 * an open-addressing table whose hash is the id itself, since ids are dense; a zero key is a free slot. A child is a
 * node's offset when positive and `-(answer + 1)` when negative.
 *
 * @module
 */

const HEAD = 3
const FIRST_SLOTS = 2

/** After this many evaluations it is decided again whether the tree pays. */
const TRIAL = 16_384

/** The answers of one evaluated unit, by what it read. An answer is a non-negative integer. */
export class Footprint {
  #pool = new Int32Array(32)
  #used = 1
  #root = 0
  #hits = 0
  #misses = 0
  #pays: boolean

  /** With `caching` off nothing is ever kept. */
  constructor(caching: boolean) {
    this.#pays = caching
  }

  /** Whether reads are worth recording for this unit. */
  get pays(): boolean {
    return this.#pays
  }

  /** Bytes that the tree takes. */
  get bytes(): number {
    return this.#pool.byteLength
  }

  /** The column that every evaluation reads first; undefined while that is not known, or when none is read. */
  get column(): number | undefined {
    return this.#root > 0 ? this.#pool[this.#root] : undefined
  }

  /**
   * What is known of the states with this id in the first column: a node when positive, `-(answer + 1)` when negative,
   * nothing when 0. A node may move later on, and what is found from where it was may then be less than is known.
   */
  under(id: number): number {
    return this.#root > 0 ? this.#pool[this.#slot(this.#root, id + 1) + 1]! : 0
  }

  /** Counts answers that others have found here. */
  answered(count: number): void {
    this.#hits += count
  }

  /** The answer for the state at `rows[base…]`, or -1 when it is not known yet. */
  find(rows: Int32Array, base: number): number {
    const answer = this.known(rows, base)
    if (answer < 0) this.#misses++
    else this.#hits++
    return answer
  }

  /** As {@link find}, and not counted. */
  known(rows: Int32Array, base: number): number {
    return this.#root === 0 ? -1 : this.#root < 0 ? -this.#root - 1 : this.from(this.#root, rows, base)
  }

  /** As {@link find}, from a node on that the state leads to. */
  from(node: number, rows: Int32Array, base = 0): number {
    const pool = this.#pool
    let at = node
    while (at > 0) {
      const mask = pool[at + 2]!
      const key = rows[base + pool[at]!]! + 1
      let slot = key & mask
      for (;;) {
        const place = at + HEAD + 2 * slot
        const found = pool[place]!
        if (found === key) {
          at = pool[place + 1]!
          break
        }
        if (found === 0) return -1
        slot = (slot + 1) & mask
      }
    }
    return -at - 1
  }

  /**
   * Keeps the answer for the state at `rows[base…]`, given the places in `rows` that were read, in order. Answers
   * whether it was kept.
   */
  learn(rows: Int32Array, base: number, reads: Int32Array, count: number, answer: number): boolean {
    if (!this.#worthKeeping()) return false
    // `parent` is the place in the pool that points to the node at hand; 0 stands for the root.
    let parent = 0
    for (let i = 0; i < count; i++) {
      const column = reads[i]! - base
      let at = parent === 0 ? this.#root : this.#pool[parent]!
      if (at === 0) {
        at = this.#node(column, FIRST_SLOTS)
        this.#point(parent, at)
      } else if (at < 0 || this.#pool[at] !== column) {
        // Only an impure function can get here: it read on where it stopped before, or read something else.
        throw new ImpureEvaluation()
      }
      parent = this.#edge(parent, at, rows[base + column]! + 1)
    }
    const end = parent === 0 ? this.#root : this.#pool[parent]!
    if (end !== 0) throw new ImpureEvaluation()
    this.#point(parent, -(answer + 1))
    return true
  }

  /** A tree that is seldom hit only costs: every state would still be evaluated, and its reads recorded besides. */
  #worthKeeping(): boolean {
    if (this.#misses >= TRIAL) {
      if (this.#hits < this.#misses) {
        this.#pays = false
        this.#pool = new Int32Array(1)
        this.#root = 0
        return false
      }
      this.#hits = 0
      this.#misses = 0
    }
    return true
  }

  /**
   * Keeps what somebody else has learned of the states that have these ids in the columns that were read, in order; for
   * one that is known already, `answer` is not asked. Nothing is counted. Answers whether it was kept: one that reads
   * otherwise than what is known here is not.
   */
  adopt(rows: Int32Array, reads: Int32Array, count: number, answer: () => number): boolean {
    if (!this.#pays || this.known(rows, 0) >= 0) return false
    try {
      return this.learn(rows, 0, reads, count, answer())
    } catch (error) {
      if (!(error instanceof ImpureEvaluation)) throw error
      return false
    }
  }

  /** Visits everything that was learned, in the form of {@link learn}. */
  each(visit: (rows: Int32Array, reads: Int32Array, count: number, answer: number) => void): void {
    const reads: Array<number> = []
    const ids: Array<number> = []
    const walk = (at: number): void => {
      if (at < 0) {
        const rows = new Int32Array(1 + Math.max(-1, ...reads))
        for (const [i, column] of reads.entries()) rows[column] = ids[i]!
        visit(rows, Int32Array.from(reads), reads.length, -at - 1)
        return
      }
      reads.push(this.#pool[at]!)
      const slots = this.#pool[at + 2]! + 1
      for (let slot = at + HEAD; slot < at + HEAD + 2 * slots; slot += 2) {
        if (this.#pool[slot] === 0 || this.#pool[slot + 1] === 0) continue
        ids.push(this.#pool[slot]! - 1)
        walk(this.#pool[slot + 1]!)
        ids.pop()
      }
      reads.pop()
    }
    if (this.#root !== 0) walk(this.#root)
  }

  #point(parent: number, child: number): void {
    if (parent === 0) this.#root = child
    else this.#pool[parent] = child
  }

  #node(column: number, slots: number): number {
    const at = this.#used
    this.#used += HEAD + 2 * slots
    if (this.#used > this.#pool.length) {
      const grown = new Int32Array(Math.max(this.#pool.length * 2, this.#used))
      grown.set(this.#pool)
      this.#pool = grown
    }
    this.#pool[at] = column
    this.#pool[at + 2] = slots - 1
    return at
  }

  /** The place of the child under `key`, made if there is none. The node moves when it has to grow. */
  #edge(parent: number, node: number, key: number): number {
    let at = node
    let place = this.#slot(at, key)
    if (this.#pool[place] === 0) {
      const size = this.#pool[at + 1]!
      const slots = this.#pool[at + 2]! + 1
      if (size + 1 > slots / 2) {
        at = this.#node(this.#pool[node]!, slots * 2)
        for (let i = 0; i < slots; i++) {
          const from = node + HEAD + 2 * i
          const moved = this.#pool[from]!
          if (moved === 0) continue
          const to = this.#slot(at, moved)
          this.#pool[to] = moved
          this.#pool[to + 1] = this.#pool[from + 1]!
        }
        this.#point(parent, at)
        place = this.#slot(at, key)
      }
      this.#pool[at + 1] = size + 1
      this.#pool[place] = key
    }
    return place + 1
  }

  #slot(node: number, key: number): number {
    const mask = this.#pool[node + 2]!
    let slot = key & mask
    for (;;) {
      const place = node + HEAD + 2 * slot
      const found = this.#pool[place]!
      if (found === key || found === 0) return place
      slot = (slot + 1) & mask
    }
  }
}

/** A unit read different variables on states that agree on everything it had read before. Internal. */
export class ImpureEvaluation extends Error {}
