/**
 * A search in a file, from which another process goes on.
 *
 *     magic │ header: JSON │ domains: devalue │ block │ block │ … │ end
 *           └ each: kind, length, checksum, bytes
 *
 * The file is written beside its name and renamed when all of it is on disk, so a process that dies while it writes
 * leaves the last one as it was. Every section has a CRC-32, and all are read and compared before anything is believed.
 *
 * @module
 */
import { closeSync, fsyncSync, openSync, readSync, renameSync, rmSync, writeSync } from "node:fs"
import { crc32 } from "node:zlib"
import { parse, stringify } from "devalue"
import { Schema } from "effect"
import type { Value } from "../../model/checker/Language.ts"
import type { Block, KeptViolation, Position, Snapshot } from "../../model/checker/Snapshot.ts"

/** A file cannot be gone on from; the message says why, and what to do. */
export class CheckpointRefused extends Schema.TaggedError<CheckpointRefused>()("CheckpointRefused", {
  file: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `${this.file} cannot be resumed: ${this.problem}.`
  }
}

const MAGIC = Buffer.from("onewriter checkpoint 1\n")
const PREFIX = 12
const KINDS = { header: 1, domains: 2, block: 3, end: 4 } as const
type Kind = keyof typeof KINDS

const Integers = Schema.Array(Schema.Int)
const Header = Schema.Struct({
  /** What was checked, and how, by the names of its parts. */
  identity: Schema.Record(Schema.String, Schema.String),
  /** What the spec said of some states. */
  witness: Schema.String,
  position: Schema.Struct({
    states: Schema.Int,
    head: Schema.Int,
    depth: Schema.Int,
    levelEnd: Schema.Int,
    generated: Schema.Int,
    leftOut: Schema.Int,
    represented: Schema.Int,
    taken: Integers,
    fresh: Integers,
    claims: Schema.Array(Schema.String),
    suspects: Integers
  }),
  violations: Schema.Array(
    Schema.Struct({
      kind: Schema.Literals(["invariant", "step", "stuck", "deadlock"]),
      property: Schema.String,
      conjunct: Schema.optionalKey(Schema.String),
      state: Schema.Int,
      next: Schema.optionalKey(Integers)
    })
  )
})

/** What stands at the beginning of a checkpoint. */
export interface CheckpointHeader {
  readonly identity: { readonly [part: string]: string }
  readonly witness: string
  readonly position: Position
  readonly violations: ReadonlyArray<KeptViolation>
}

const bytesOf = (array: Int32Array): Buffer => Buffer.from(array.buffer, array.byteOffset, array.byteLength)

/** Writes a file that holds the search. Errors of the file system are thrown, and leave what was there before. */
export const writeCheckpoint = (
  file: string,
  of: Pick<CheckpointHeader, "identity" | "witness">,
  { position, violations, domains, blocks }: Snapshot
): void => {
  const unfinished = `${file}.${process.pid}.unfinished`
  const to = openSync(unfinished, "w")
  try {
    try {
      writeAll(to, MAGIC)
      write(to, "header", [Buffer.from(JSON.stringify({ ...of, position, violations }))])
      write(to, "domains", [Buffer.from(stringify(domains))])
      for (const { count, bits, rows, parents } of blocks) {
        write(to, "block", [
          bytesOf(Int32Array.of(count, bits.length, rows.length)),
          bytesOf(bits),
          bytesOf(rows),
          parents
        ])
      }
      write(to, "end", [])
      fsyncSync(to)
    } finally {
      closeSync(to)
    }
    renameSync(unfinished, file)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  }
}

const write = (to: number, kind: Kind, parts: ReadonlyArray<Uint8Array>): void => {
  const prefix = Buffer.alloc(PREFIX)
  prefix.writeUInt32LE(KINDS[kind], 0)
  prefix.writeUInt32LE(
    parts.reduce((sum, { length }) => sum + length, 0),
    4
  )
  prefix.writeUInt32LE(
    parts.reduce((sum, part) => crc32(part, sum), crc32(prefix.subarray(0, 8))),
    8
  )
  for (const part of [prefix, ...parts]) writeAll(to, part)
}

const writeAll = (to: number, bytes: Uint8Array): void => {
  for (let at = 0; at < bytes.length; ) at += writeSync(to, bytes, at)
}

/** A file that holds a search: its header, and the rest, which is read when it is needed. */
export interface Checkpoint {
  readonly header: CheckpointHeader
  readonly snapshot: Snapshot
}

/** Reads a file, and compares all its checksums. Throws {@link CheckpointRefused}. */
export const readCheckpoint = (file: string): Checkpoint => {
  const kinds: Array<number> = []
  for (const { kind } of sections(file)) kinds.push(kind)
  const [header, domains] = sections(file)
  const blocks = kinds.slice(2, -1)
  if (
    header?.kind !== KINDS.header ||
    domains?.kind !== KINDS.domains ||
    kinds.at(-1) !== KINDS.end ||
    blocks.some((kind) => kind !== KINDS.block)
  ) {
    throw new CheckpointRefused({ file, problem: "it is torn: it does not have all its parts" })
  }
  const decoded: CheckpointHeader = Schema.decodeUnknownSync(Schema.fromJsonString(Header))(header.bytes.toString())
  return {
    header: decoded,
    snapshot: {
      position: decoded.position,
      violations: decoded.violations,
      // Whatever it holds is given to the schemas of the spec's variables before it is used.
      domains: parse(domains.bytes.toString()) as ReadonlyArray<ReadonlyArray<Value>>,
      blocks: { [Symbol.iterator]: () => blocksIn(file) }
    }
  }
}

interface Section {
  readonly kind: number
  readonly bytes: Buffer
}

function* sections(file: string): Generator<Section> {
  const from = openForReading(file)
  try {
    if (!MAGIC.equals(read(from, MAGIC.length))) {
      throw new CheckpointRefused({ file, problem: "it is no checkpoint, or one of another version of onewriter" })
    }
    for (;;) {
      const prefix = read(from, PREFIX)
      if (prefix.length === 0) return
      const torn = new CheckpointRefused({ file, problem: "it is torn: a part of it is missing or was changed" })
      if (prefix.length < PREFIX) throw torn
      const bytes = read(from, prefix.readUInt32LE(4))
      if (bytes.length < prefix.readUInt32LE(4)) throw torn
      if (crc32(bytes, crc32(prefix.subarray(0, 8))) !== prefix.readUInt32LE(8)) throw torn
      yield { kind: prefix.readUInt32LE(0), bytes }
    }
  } finally {
    closeSync(from)
  }
}

const openForReading = (file: string): number => {
  try {
    return openSync(file, "r")
  } catch (error) {
    throw new CheckpointRefused({ file, problem: error instanceof Error ? error.message : String(error) })
  }
}

/** As many bytes, or as there are. A length that is damaged may ask for more than there is memory. */
const read = (from: number, length: number): Buffer => {
  const parts: Array<Buffer> = []
  for (let left = length; left > 0; ) {
    const part = Buffer.allocUnsafe(Math.min(left, 1 << 24))
    const got = readSync(from, part)
    if (got === 0) break
    parts.push(part.subarray(0, got))
    left -= got
  }
  return Buffer.concat(parts)
}

function* blocksIn(file: string): Generator<Block> {
  for (const { kind, bytes } of sections(file)) {
    if (kind !== KINDS.block) continue
    const integers = (from: number, length: number): Int32Array =>
      new Int32Array(Uint8Array.from(bytes.subarray(from, from + 4 * length)).buffer)
    const [count = 0, width = 0, length = 0] = integers(0, 3)
    const rows = 12 + 4 * width
    const parents = rows + 4 * length
    yield { count, bits: integers(12, width), rows: integers(rows, length), parents: bytes.subarray(parents) }
  }
}
