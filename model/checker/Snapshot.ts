/**
 * A search as it stands, to be put away and gone on with in another process.
 *
 *     snapshot ──▶ position (counts, head, level)     ┐
 *              ──▶ domains  (the values behind ids)   ├──▶ restore, into a search of the same spec that has only begun
 *              ──▶ blocks   (packed rows and parents) ┘
 *
 * What is kept by footprint is left out: it is worked out again. Restoring believes nothing: initial states must be the
 * same, values must be accepted by the variables' schemas and get the ids that they had, and no state may be there twice.
 *
 * @module
 */
import type { Domain } from "./Columns.ts"
import type { Compiled } from "./Compile.ts"
import type { Exploration } from "./Exploration.ts"
import type { Value } from "./Language.ts"
import { type PackedBlock, unpackBlock } from "./PackedRows.ts"
import { FULL, hashRow } from "./StateTable.ts"
import { stepsFrom } from "./Steps.ts"
import { NotAValue } from "./Values.ts"
import type { Violation } from "./Violation.ts"

/** Some states, in the order found: their rows, and how much each one's parent is above the last one's, in LEB128. */
export interface Block extends PackedBlock {
  readonly parents: Uint8Array
}

/** How far a search has come. Claims are those that no state satisfies yet. */
export interface Position {
  readonly states: number
  readonly head: number
  readonly depth: number
  readonly levelEnd: number
  readonly generated: number
  readonly leftOut: number
  readonly represented: number
  readonly taken: ReadonlyArray<number>
  readonly fresh: ReadonlyArray<number>
  readonly claims: ReadonlyArray<string>
  readonly suspects: ReadonlyArray<number>
}

/** A violation that names its predicate, so that another process can go on with it. */
export interface KeptViolation extends Pick<Violation, "kind" | "property" | "conjunct" | "state"> {
  readonly next?: ReadonlyArray<number>
}

/** A search as it stands. Blocks are worked out, or read, one at a time. */
export interface Snapshot {
  readonly position: Position
  readonly violations: ReadonlyArray<KeptViolation>
  /** The values of each domain, in the order of their ids; families share one. */
  readonly domains: ReadonlyArray<ReadonlyArray<Value>>
  readonly blocks: Iterable<Block>
}

/** A snapshot is not of this spec, or not of a search. */
export class SnapshotRefused extends Error {}

const domainsOf = ({ compiled }: Exploration): ReadonlyArray<Domain> => [
  ...new Set(compiled.machine.layout.columns.map(({ domain }) => domain))
]

/** The search as it stands. What it refers to is the search's own: use it up before the search goes on. */
export const snapshot = (exploration: Exploration): Snapshot => ({
  position: exploration.position,
  violations: exploration.violations.map(({ kind, property, conjunct, state, next }) => ({
    kind,
    property,
    state,
    ...(conjunct === undefined ? {} : { conjunct }),
    ...(next === undefined ? {} : { next: [...next] })
  })),
  domains: domainsOf(exploration).map(({ members }) => members),
  blocks: blocksOf(exploration)
})

function* blocksOf({ table }: Exploration): Generator<Block> {
  let state = 0
  let last = -1
  for (const block of table.packedBlocks()) {
    // Most parents are the last one's, or little more.
    let bytes = new Uint8Array(block.count + 1024)
    let length = 0
    for (let end = state + block.count; state < end; state++) {
      const parent = table.parent(state)
      let delta = parent - last
      last = parent
      if (length + 8 > bytes.length) {
        const grown = new Uint8Array(2 * bytes.length)
        grown.set(bytes)
        bytes = grown
      }
      for (; delta > 127; delta >>>= 7) bytes[length++] = (delta & 127) | 128
      bytes[length++] = delta
    }
    yield { ...block, parents: bytes.subarray(0, length) }
  }
}

/** Puts a snapshot into a search of the same spec that has only begun. Throws {@link SnapshotRefused}. */
export const restore = (exploration: Exploration, kept: Snapshot): void => {
  const { position } = kept
  restoreDomains(domainsOf(exploration), kept.domains)
  const { table } = exploration
  const initial = table.size
  let state = 0
  let parent = -1
  for (const block of kept.blocks) {
    if (block.bits.length !== table.width) throw new SnapshotRefused("its states have other variables")
    const row = new Int32Array(table.width)
    let at = 0
    for (let i = 0; i < block.count; i++, state++) {
      let delta = 0
      for (let shift = 0; ; shift += 7) {
        const byte = block.parents[at++]
        if (byte === undefined) throw new SnapshotRefused("it lists fewer parents than states")
        delta |= (byte & 127) << shift
        if (byte < 128) break
      }
      parent += delta
      if (parent < -1 || parent >= state) throw new SnapshotRefused(`state ${state} comes from a later one`)
      unpackBlock(block, i, row)
      const added = table.add(row, 0, hashRow(row, 0, table.width), parent)
      if (added === FULL) throw new SnapshotRefused("there is no room for its states: raise the limit, or the memory")
      if (added !== (state < initial ? ~state : state)) {
        throw new SnapshotRefused(state < initial ? "its initial states are others" : `state ${state} is there twice`)
      }
    }
  }
  if (state !== position.states || state < initial) {
    throw new SnapshotRefused(`it holds ${state} states where there should be ${position.states}`)
  }
  exploration.goOn(
    position,
    kept.violations.map((violation) => restoreViolation(exploration.compiled, violation))
  )
}

const restoreViolation = (compiled: Compiled, { next, ...violation }: KeptViolation): Violation => {
  const { kind, property, conjunct } = violation
  const predicate = [...compiled.invariants, ...compiled.stepProperties, ...compiled.whenStuck].find(
    (each) => each.kind === kind && each.property === property && each.name === conjunct
  )
  if (predicate === undefined && kind !== "deadlock") throw new SnapshotRefused(`there is no property ${property}`)
  return {
    ...violation,
    ...(predicate === undefined ? {} : { predicate }),
    ...(next === undefined ? {} : { next: Int32Array.from(next) })
  }
}

const restoreDomains = (domains: ReadonlyArray<Domain>, kept: ReadonlyArray<ReadonlyArray<Value>>): void => {
  if (domains.length !== kept.length) throw new SnapshotRefused("its states have other variables")
  domains.forEach((domain, which) => {
    for (const [id, value] of kept[which]!.entries()) {
      let given: number
      try {
        given = domain.intern(value)
      } catch (error) {
        if (!(error instanceof NotAValue)) throw error
        throw new SnapshotRefused(`a variable cannot have a value that it had: ${error.problem}`)
      }
      if (given !== id) throw new SnapshotRefused("its initial states are others")
    }
  })
}

const WITNESSES = 512

/**
 * What the spec says of some of the states that were expanded: their steps, and which predicates hold. A search that
 * was restored says the same, unless its spec is not the one that it began with.
 */
export const witness = (exploration: Exploration): string => {
  const { compiled, table, expanded } = exploration
  const { reader } = compiled.machine
  const predicates = [...compiled.invariants, ...compiled.whenStuck]
  const count = Math.min(WITNESSES, expanded)
  return Array.from({ length: count }, (_, i) => {
    const row = table.row(Math.floor((i * expanded) / count))
    const steps = stepsFrom(compiled, row).map(([action, next]) => {
      reader.rows.set(row, 0)
      reader.rows.set(next, reader.width)
      const holds = compiled.stepProperties.map((conjunct) => conjunct.answer(0))
      return `${action} ${next.join()} ${holds.join()}`
    })
    reader.rows.set(row, 0)
    return `${row.join()}: ${predicates.map((conjunct) => conjunct.answer(0)).join()}: ${steps.join("; ")}`
  }).join("\n")
}
